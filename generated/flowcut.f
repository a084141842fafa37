// Made by respray. Paths are relative to this file: verilator -F flowcut.f
flowcut.v

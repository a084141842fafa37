// Made by respray. Paths are relative to this file: verilator -F flowlet.f
flowlet.v

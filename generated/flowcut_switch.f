// Made by respray. Paths are relative to this file: verilator -F flowcut_switch.f
flowcut_switch.v

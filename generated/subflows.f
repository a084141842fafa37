// Made by respray. Paths are relative to this file: verilator -F subflows.f
subflows.v

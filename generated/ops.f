// Made by respray. Paths are relative to this file: verilator -F ops.f
ops.v

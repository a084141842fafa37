// Made by respray. Paths are relative to this file: verilator -F plb.f
plb.v

// Made by respray. Paths are relative to this file: verilator -F ecmp.f
ecmp.v

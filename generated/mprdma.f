// Made by respray. Paths are relative to this file: verilator -F mprdma.f
mprdma.v

// Made by respray. Paths are relative to this file: verilator -F shim_pop.f
shim_pop.v

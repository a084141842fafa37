// Made by respray. Paths are relative to this file: verilator -F shim_push.f
shim_push.v

// Made by respray. Paths are relative to this file: verilator -F nic.f
nic.v

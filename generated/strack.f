// Made by respray. Paths are relative to this file: verilator -F strack.f
strack.v

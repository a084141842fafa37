// Made by respray. Paths are relative to this file: verilator -F strack_cc.f
strack_cc.v

// Made by respray. Paths are relative to this file: verilator -F caver.f
caver.v

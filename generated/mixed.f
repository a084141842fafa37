// Made by respray. Paths are relative to this file: verilator -F mixed.f
mixed.v

// Made by respray. Paths are relative to this file: verilator -F bitmap.f
bitmap.v

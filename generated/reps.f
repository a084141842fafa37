// Made by respray. Paths are relative to this file: verilator -F reps.f
reps.v

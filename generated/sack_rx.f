// Made by respray. Paths are relative to this file: verilator -F sack_rx.f
sack_rx.v

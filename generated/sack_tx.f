// Made by respray. Paths are relative to this file: verilator -F sack_tx.f
sack_tx.v

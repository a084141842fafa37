// Made by respray. Paths are relative to this file: verilator -F rewrite_tx.f
rewrite_tx.v

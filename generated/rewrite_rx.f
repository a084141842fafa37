// Made by respray. Paths are relative to this file: verilator -F rewrite_rx.f
rewrite_rx.v

// Made by respray. Paths are relative to this file: verilator -F cores.f
reps.v
reps_board.v
sack_rx.v
sack_rx_board.v
sack_tx.v
sack_tx_board.v
rewrite_tx.v
rewrite_tx_board.v
rewrite_rx.v
rewrite_rx_board.v
ops.v
ops_board.v
ecmp.v
ecmp_board.v
cores.v

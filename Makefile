# `make demo` is the main job on the recordings, `make test` is every check. Both install what is missing.
.PHONY: demo test setup setup-all bench

CARGO := cargo
RESPRAY := $(or $(CARGO_TARGET_DIR),target)/release/respray
SENDERS := $(sort $(wildcard tb/recordings/*-sender.pcap.gz))
RECEIVERS := $(sort $(wildcard tb/recordings/*-receiver.pcap.gz))

demo: setup
	$(CARGO) build --release --locked
	@mkdir -p build/demo
	$(RESPRAY) generate -o build/demo
	@set -e; for recording in $(SENDERS); do \
	  $(RESPRAY) cosim --core reps --traffic $$recording --json build/demo/reps_$$(basename $$recording -sender.pcap.gz).json; \
	  $(RESPRAY) cosim --core sack_tx --traffic $$recording --json build/demo/sack_tx_$$(basename $$recording -sender.pcap.gz).json; \
	done
	@set -e; for recording in $(RECEIVERS); do \
	  $(RESPRAY) cosim --core sack_rx --traffic $$recording --json build/demo/sack_rx_$$(basename $$recording -receiver.pcap.gz).json; \
	done

test: setup-all
	$(CARGO) fmt --all --check
	$(CARGO) clippy --release --locked --workspace --all-targets -- -D warnings
	$(CARGO) test --release --locked --workspace

bench: setup
	$(CARGO) bench --locked --workspace

setup:
	@./setup.sh

setup-all:
	@./setup.sh --all

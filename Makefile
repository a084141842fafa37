# `make demo` is the main job on the recordings and a page of what came of it, `make test` is every check in a quick form, `make test-long`
# are the campaigns and measurements that take longer. Each installs what is missing.
# `make figures` runs the figures of paper 001 in the simulated fabric.
.PHONY: demo figures report prove mutate upset cover parity ecpix5 placed pages pictures chromium book fuzz models header test lint checks stale test-long setup setup-all bench

CARGO := cargo
RESPRAY := $(or $(CARGO_TARGET_DIR),target)/release/respray

demo: setup-all
	@echo 'building respray: minutes the first time'
	@$(CARGO) build --quiet --release --locked
	@$(RESPRAY) demo -o build/demo

# Every figure with ten seeds and the Verilog in the loop: some minutes, most of them for the models of three selectors.
figures: setup
	$(CARGO) build --release --locked
	@mkdir -p build/figures
	@set -e; $(RESPRAY) fabric figures > build/figures/numbers; while read -r figure title; do \
	  $(RESPRAY) fabric figure $$figure --html build/figures/$$figure.html --json build/figures/$$figure.json; \
	done < build/figures/numbers
	$(RESPRAY) index build/figures

# What the cores take, and how that grows with each size, on UltraScale+ and ECP5: half an hour on two cores the first time.
report: setup-all
	$(CARGO) build --release --locked
	$(RESPRAY) report --html build/report.html --sweep connections=16,64,256,1024,4096,16384 --sweep reps.depth=4,8,16,32 \
	  --sweep sack.window=64,128,256,512 --sweep bus_bits=64,128,256,512

# Every property that is proved, and the fault that breaks each of them, and the page of them.
prove: setup-all
	$(CARGO) build --release --locked
	$(RESPRAY) prove --json build/proofs.json --markdown docs/proofs.md

# The self-test of the ECPIX-5, placed and routed with three seeds, and the page of it: up to twenty minutes.
ecpix5: setup-all
	$(CARGO) build --release --locked
	$(RESPRAY) report --example ecpix5 --json build/ecpix5.json --markdown docs/ecpix5_figures.md

# Flipped bits in the cores with parity, and the table of them on its page.
parity: setup-all
	UPDATE_PAGES=1 $(LINTED) $(CARGO) test --profile checks --locked --workspace --test all -- --ignored the_page_of_parity

# Every core and the block placed on UltraScale+, and the page of them: twenty minutes on two cores.
placed: setup-all
	UPDATE_PAGES=1 $(LINTED) $(CARGO) test --profile checks --locked --workspace --test all -- --ignored the_page_of_placed_figures

# Makes each page anew whose figures are of a design that has changed since: hours, if there are many.
pages: setup-all
	$(CARGO) build --release --locked
	@set -e; mkdir -p build; $(RESPRAY) docs --stale > build/stale; while read -r target page designs; do \
	  $(MAKE) --no-print-directory $$target; \
	done < build/stale

# The pictures of pages that documents show.
pictures: setup-all chromium
	UPDATE_PICTURES=1 $(LINTED) $(CARGO) test --profile checks --locked --workspace --test tb -- --ignored the_pictures_of_the_documents_are_made

# The browser that pages are looked at with. `make test` does without where it is not there.
chromium:
	@command -v chromium >/dev/null || { echo "chromium: installing it with apt-get" && apt-get install -y chromium; }

# The documents as a site with search: build/book/site/index.html. mdBook is compiled the first time, which takes some minutes.
MDBOOK := 0.5.4
TOOLS := build/tools
book: $(TOOLS)/mdbook-$(MDBOOK)/bin/mdbook
	@python3 docs/book.py build/book
	@$< build build/book
	@echo build/book/site/index.html

$(TOOLS)/mdbook-$(MDBOOK)/bin/mdbook:
	@echo "book: installing mdBook $(MDBOOK) into $(TOOLS) with cargo"
	$(CARGO) install --quiet --locked --root $(TOOLS)/mdbook-$(MDBOOK) --version $(MDBOOK) \
	  --no-default-features --features search mdbook

# Which mutants of the generated Verilog the lockstep sees, and the page of it: hours on two cores. The engines and the
# rewriters have a second choice of mutants, by another seed. What survived stands on the page and fails at the end.
MUTANTS := build/mutants.json build/mutants_second.json
mutate: setup-all
	$(CARGO) build --release --locked
	$(RESPRAY) mutate --n 60 --of reps=200,sack_rx=200,sack_tx=200,rewrite_tx=200,rewrite_rx=200,nic=200 \
	  --json $(word 1,$(MUTANTS)) || [ $$? -eq 1 ]
	$(RESPRAY) mutate --core reps,sack_rx,sack_tx,rewrite_tx,rewrite_rx --n 200 --seed 20261127 \
	  --json $(word 2,$(MUTANTS)) || [ $$? -eq 1 ]
	$(RESPRAY) mutate $(MUTANTS:%=--join %) --markdown docs/mutation.md

# What happens in the runs that the cores are held to, and whether something never does: half an hour on two cores.
cover: setup-all
	$(CARGO) build --release --locked
	$(RESPRAY) cover --toggles --json build/coverage.json --markdown docs/coverage.md

# What bits of memories that flip, resets at any time, any state before the reset and pauses do to the cores and to
# the joined block, and the page of it: most of an hour on two cores.
upset: setup
	$(CARGO) build --release --locked
	$(RESPRAY) upset --runs 10000 --kind flip,reset,state,stall --json build/upsets.json --markdown docs/upsets.md

test: lint checks
	@$(MAKE) --no-print-directory stale

# Names the pages whose figures are of designs that have changed since.
stale:
	@$(or $(CARGO_TARGET_DIR),target)/checks/respray docs --stale | sed 's/^\([^ ]*\) \([^ ]*\) \(.*\)/stale: \2 has older figures of \3; `make \1` makes it anew/'

# Clippy is the compiler with further lints: it compiles what the tests run, so that nothing is compiled twice. `--all-targets` would
# compile each library once more, as a test, even where it holds none.
LINTED := RUSTC_WORKSPACE_WRAPPER=clippy-driver CLIPPY_ARGS=-Dwarnings RESPRAY_LINK_MODELS=1

lint: setup-all
	$(CARGO) fmt --all --check
	$(LINTED) $(CARGO) test --profile checks --locked --workspace --no-run
	$(LINTED) $(CARGO) test --profile checks --locked --workspace --benches --no-run

checks: lint
	$(LINTED) $(CARGO) test --profile checks --locked --workspace

# The golden models for other languages: a shared and a static library with their header, and a wheel for Python.
models:
	$(CARGO) rustc --profile models --locked -p respray-golden-c --crate-type cdylib
	$(CARGO) rustc --profile models --locked -p respray-golden-c --crate-type staticlib
	@mkdir -p build/models
	@cp golden/c/include/respray_golden.h $(RESPRAY:%/release/respray=%)/models/librespray_golden_c.so \
	  $(RESPRAY:%/release/respray=%)/models/librespray_golden_c.a build/models
	@python3 -m pip wheel --quiet --no-deps --wheel-dir build/models ./python
	@ls build/models

# Writes the header of the C interface anew. cbindgen is compiled the first time.
CBINDGEN := 0.29.4
header: $(TOOLS)/cbindgen-$(CBINDGEN)/bin/cbindgen
	@cd golden/c && $(CURDIR)/$< --quiet --config cbindgen.toml --output include/respray_golden.h .

$(TOOLS)/cbindgen-$(CBINDGEN)/bin/cbindgen:
	@echo "header: installing cbindgen $(CBINDGEN) into $(TOOLS) with cargo"
	$(CARGO) install --quiet --locked --root $(TOOLS)/cbindgen-$(CBINDGEN) --version $(CBINDGEN) cbindgen

# Each target of `fuzz/` for so many minutes, two at a time, with inputs that no run before had: hours.
FUZZ_MINUTES := 30
fuzz: setup-all
	BOLERO_RANDOM_SEED=$$(od -An -N8 -tu8 /dev/urandom | tr -d ' ') BOLERO_RANDOM_TEST_TIME_MS=$$(($(FUZZ_MINUTES) * 60000)) \
	  $(LINTED) $(CARGO) test --profile checks --locked --workspace --test fuzz -- --nocapture --test-threads=2

test-long: lint chromium $(TOOLS)/cbindgen-$(CBINDGEN)/bin/cbindgen
	$(LINTED) $(CARGO) test --profile checks --locked --workspace -- --ignored
	@$(MAKE) --no-print-directory pages

bench: setup
	$(CARGO) bench --locked --workspace

setup:
	@./setup.sh

setup-all:
	@./setup.sh --all

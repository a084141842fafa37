#!/usr/bin/env bash
# Installs what `make demo` and `make test` need and a fresh Debian 12 with Rust and Python 3 lacks: packages through
# apt, Python tools into .venv with pinned versions. Says what it installs; does nothing when all is there.
#
#   ./setup.sh           what the demo needs: Verilator and a C++ compiler
#   ./setup.sh --check   installs nothing: says what is missing of all, and ends with 1 where something is
#   ./setup.sh --all     also what the tests need: Icarus Verilog, network tools, Tcl, the placer nextpnr-generic, Python
#                        as a shared library, and Yosys, nextpnr, FuseSoC, a SystemRDL compiler, cocotb, scapy and what the package `respray` needs in .venv
set -euo pipefail
cd "$(dirname "$0")"

case "${1:-}" in
"" | --check | --all) ;;
*)
    echo "setup: $1: allowed: --check, --all, or nothing" >&2
    exit 2
    ;;
esac

export PATH="$PATH:/usr/sbin:/sbin"
packages=()
need() { # need PACKAGE COMMAND_OR_FILE
    command -v "$2" >/dev/null 2>&1 || [ -e "$2" ] || packages+=("$1")
}
need verilator verilator
need g++ g++
need make make
if [ "${1:-}" != "" ]; then
    need iverilog iverilog
    need iproute2 ip
    need nftables nft
    need tcpdump tcpdump
    need tcl tclsh
    need tshark tshark
    need nextpnr-generic nextpnr-generic
    python3 -c 'import ensurepip, venv' 2>/dev/null || packages+=(python3-venv)
    # The simulation of cocotb loads Python as a shared library. A Python that is not Debian's has brought its own.
    library=$(python3 -c 'import sys, sysconfig as of
print(of.get_config_var("LIBDIR") + "/" + of.get_config_var("INSTSONAME") if sys.base_prefix == "/usr" else "")')
    [ -z "$library" ] || need "$(basename "$library" .so.1.0)" "$library"
fi
# The programs in .venv name the folder in which they were installed, so one that was moved is made anew.
installed="# in $PWD
$(cat requirements.txt)"
is_installed() { [ "$installed" = "$(cat .venv/installed 2>/dev/null)" ]; }

if [ "${1:-}" = --check ]; then
    missing=("${packages[@]}")
    command -v cargo >/dev/null || missing+=("Rust 1.88 or later (https://rustup.rs)")
    python3 -c 'import sys; sys.exit(sys.version_info < (3, 11))' || missing+=("Python 3.11 or later")
    is_installed || missing+=("the Python tools of requirements.txt (./setup.sh --all)")
    printf 'setup: missing %s\n' "${missing[@]}" | sed '/missing $/d'
    exit $((${#missing[@]} > 0))
fi

if [ ${#packages[@]} -gt 0 ]; then
    sudo=""
    [ "$(id -u)" = 0 ] || sudo=$(command -v sudo || true)
    if ! command -v apt-get >/dev/null 2>&1 || { [ "$(id -u)" != 0 ] && [ -z "$sudo" ]; }; then
        echo "setup: missing ${packages[*]}, and they cannot be installed from here (no apt-get, or neither root nor sudo);" \
            "\`cargo run --release --no-default-features -- doctor\` lists each tool and how to get it" >&2
        exit 2
    fi
    echo "setup: installing ${packages[*]} with apt-get"
    $sudo apt-get update -qq
    DEBIAN_FRONTEND=noninteractive $sudo apt-get install -y -qq --no-install-recommends "${packages[@]}" >/dev/null
fi

if [ "${1:-}" = --all ] && ! is_installed; then
    echo "setup: installing $(tr '\n' ' ' <requirements.txt)into .venv with pip"
    python3 -m venv --clear .venv
    .venv/bin/pip install --quiet --disable-pip-version-check -r requirements.txt
    echo "$installed" >.venv/installed
fi

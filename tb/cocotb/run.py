#!/usr/bin/env python3
"""Compiles the Verilog of the block `nic` with Verilator and runs the tests of test_nic.py on it.

Exit code 0: all passed. 1: a test failed. 2: something that is needed is missing.
"""

import argparse
import json
import os
import random
import subprocess
import sys
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import cocotb
import cocotb.config
import find_libpython

HERE = Path(__file__).resolve().parent
PROJECT = HERE.parent.parent

# Of the signals, cocotb needs no others than the ports: with all of them Verilator could optimise nothing.
PORTS_ARE_PUBLIC = """`verilator_config
public_flat_rw -module "nic" -var "*"
"""

# Most of a run's time goes to Python, so that a level at which the compiler is quick is enough.
QUICK_TO_COMPILE = ["OPT_FAST=-O1", "OPT_SLOW=-O1", "OPT_GLOBAL=-O1"]


def compile_model(verilog: Path, build: Path) -> Path:
    """The simulation of `verilog`/nic.v, an executable in the folder `build`."""
    build.mkdir(parents=True, exist_ok=True)
    (build / "ports.vlt").write_text(PORTS_ARE_PUBLIC)
    libraries = cocotb.config.libs_dir
    main = Path(cocotb.config.share_dir) / "lib" / "verilator" / "verilator.cpp"
    command = ["verilator", "--cc", "--exe", "--vpi", "--top-module", "nic", "--prefix", "Vtop", "-o", "nic"]
    command += ["--Mdir", str(build), "-LDFLAGS", f"-Wl,-rpath,{libraries} -L{libraries} -lcocotbvpi_verilator"]
    subprocess.run(command + [str(build / "ports.vlt"), str(verilog / "nic.v"), str(main)], check=True)
    make = ["make", "--silent", "-C", str(build), "-f", "Vtop.mk", *QUICK_TO_COMPILE]
    subprocess.run(make, check=True, stdout=subprocess.DEVNULL)
    return build / "nic"


def failures(results: Path) -> list[str]:
    """The tests that failed; a run that ended without results failed as a whole."""
    if not results.exists():
        return ["the run, which ended without results"]
    cases = list(ElementTree.parse(results).iter("testcase"))
    if not cases:
        return ["the run, in which there was no test"]
    return [case.get("name", "") for case in cases if case.find("failure") is not None]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--verilog", type=Path, required=True, metavar="DIR",
                        help="folder that `respray generate` wrote with nic.loss_feedback = stalled")
    parser.add_argument("--build", type=Path, default=PROJECT / "build" / "cocotb", metavar="DIR",
                        help="folder for the model and the results (default: build/cocotb)")
    parser.add_argument("--packets", type=int, default=1000, help="data packets each way (default: 1000)")
    parser.add_argument("--seed", type=int, help="seed of all that is random (default: another one each time)")
    parser.add_argument("--test", help="this test alone")
    parser.add_argument("--golden", action="store_true",
                        help="the tests of test_model.py as well, whose scoreboard is the golden model: they need the package "
                             "respray (docs/models.md)")
    arguments = parser.parse_args()
    libpython = find_libpython.find_libpython()
    if libpython is None:
        print("run.py: cocotb needs the shared library of Python, e.g. Debian's libpython3.11", file=sys.stderr)
        return 2
    for name in ["nic.v", "nic.json"]:
        if not (arguments.verilog / name).exists():
            print(f"run.py: {arguments.verilog / name} is not there; `respray generate` writes it", file=sys.stderr)
            return 2
    manifest = json.loads((arguments.verilog / "nic.json").read_text())
    if manifest["config"]["nic"].get("loss_feedback") != "stalled":
        print(f"run.py: {arguments.verilog / 'nic.json'} is of a block whose selector hears of losses that the bench does not expect; "
              "allowed: nic.loss_feedback = stalled", file=sys.stderr)
        return 2
    seed = random.randrange(1 << 31) if arguments.seed is None else arguments.seed
    build = arguments.build.resolve()
    model = compile_model(arguments.verilog.resolve(), build)
    results = build / "results.xml"
    results.unlink(missing_ok=True)
    environment = os.environ | {
        "MODULE": "test_nic,test_model" if arguments.golden else "test_nic",
        "TOPLEVEL": "nic",
        "TOPLEVEL_LANG": "verilog",
        "PYTHONPATH": os.pathsep.join([str(HERE), *sys.path]),
        "LIBPYTHON_LOC": libpython,
        "COCOTB_RESULTS_FILE": str(results),
        "RANDOM_SEED": str(seed),
        "NIC_VERILOG": str(arguments.verilog.resolve()),
        "NIC_PACKETS": str(arguments.packets),
    }
    if arguments.test:
        environment["TESTCASE"] = arguments.test
    subprocess.run([str(model)], cwd=build, env=environment)
    failed = failures(results)
    for name in failed:
        print(f"run.py: {name} failed; --seed {seed} repeats it", file=sys.stderr)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())

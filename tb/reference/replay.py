"""Traces played to a model, sound or with one place of its source changed."""

import csv
import gzip
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

HERE = Path(__file__).parent
FOLDER = HERE / "traces"

# The traces of each model.
PATTERNS = {"strack": "strack_9*.csv.gz", "strack_cc": "strack_cc_*.csv.gz"}

RESULTS = ["status", "cwnd", "cwnd_packets", "delay", "action", "fair"]

Row = dict[str, str]

# Set where the tests may take minutes.
LONG = "RESPRAY_LONG"


def some(faults: list[tuple[str, str]]) -> list[tuple[str, str]]:
    """Every tenth of these faults, or all of them where the tests may take long: each one plays traces of many ops."""
    return faults if LONG in os.environ else faults[::10]


def names(module: str) -> list[str]:
    """The traces that a model is held to."""
    found = sorted(path.name.removesuffix(".csv.gz") for path in FOLDER.glob(PATTERNS[module]))
    return [name for name in found if not name.endswith(".real")]


def rows(name: str) -> list[Row]:
    """The ops of a trace, by column."""
    with gzip.open(FOLDER / f"{name}.csv.gz", "rt", newline="") as file:
        return list(csv.DictReader(file))


def settings(name: str) -> dict[str, int]:
    """The configuration and the settings of a trace."""
    with open(FOLDER / f"{name}.settings.csv", newline="") as file:
        return {row["name"]: int(row["value"]) for row in csv.DictReader(file)}


def changed(module: str, before: str = "", after: str = "") -> ModuleType:
    """The module of this name with the first `before` in its source replaced."""
    source = (HERE / f"{module}.py").read_text()
    if before not in source:
        raise ValueError(f"{module}.py no longer has {before!r}")
    made = ModuleType(f"changed_{module}")
    # A dataclass looks up its module.
    sys.modules[made.__name__] = made
    exec(compile(source.replace(before, after, 1), made.__name__, "exec"), made.__dict__)
    return made


def differences(module: str, model: ModuleType, name: str, trace: list[Row]) -> Iterator[int]:
    """The rows of a trace, counted from 0, whose results a model does not give. It goes on after each of them."""
    return {"strack": of_spray, "strack_cc": of_windows}[module](model, settings(name), trace)


def of_spray(model: ModuleType, values: dict[str, int], trace: list[Row]) -> Iterator[int]:
    connections = range(values["connections"])
    balancers = [model.LoadBalancer(values["strack.paths"], values["selector.ev_base"]) for _ in connections]
    for number, row in enumerate(trace):
        balancer = balancers[int(row["conn"])]
        if row["op"] == "send":
            choice = balancer.send(int(row["cwnd"]))
            if (choice.kind, str(choice.ev)) != (row["expect"], row["expect_ev"]):
                yield number
        elif row["op"] == "ack":
            balancer.ack(int(row["ev"]), row["ecn"] == "1")
        elif row["op"] == "nack":
            balancer.nack(int(row["ev"]))
        elif row["op"] == "timeout":
            balancer.timeout()
        else:
            balancer.init()


def of_windows(model: ModuleType, values: dict[str, int], trace: list[Row]) -> Iterator[int]:
    connections = range(values.pop("connections"))
    windows = [model.Window(model.Settings(**values)) for _ in connections]
    for number, row in enumerate(trace):
        window = windows[int(row["conn"])]
        if row["op"] == "read":
            result = window.read()
        elif row["op"] == "ack":
            result = window.ack(*(int(row[field]) for field in ["now", "ecn", "probe", "bytes", "timestamp"]))
        else:
            if row["op"] == "init":
                window.init(int(row["now"]))
            continue
        if [str(value) for value in result] != [row[f"expect_{field}"] for field in RESULTS]:
            yield number

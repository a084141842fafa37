"""Replays ops, or the script of a run of `nic`, through the package, and prints what comes of it, as golden/c/tests/replay.c
does."""

import sys

import numpy as np

import respray


def ops(core: str, seed: int, count: int) -> None:
    with respray.Model(core, connections=16) as model:
        results = model.apply(model.random(seed, count))
    hash = 0
    for word in results.view(np.uint64).tolist():
        hash = (hash ^ word) * 0x100000001B3 & 0xFFFFFFFFFFFFFFFF
    print(core, count, f"{hash:016x}")


def nic(path: str) -> None:
    model = respray.Model("nic", "connections = 16")
    lines = []
    for line in open(path):
        name, *words = line.split()
        if name == "advance":
            model.advance(int(words[0]))
        elif name == "write":
            model.write(*map(int, words))
        elif name == "read":
            lines.append(f"read {model.read(int(words[0]))}")
        elif name in ("tx", "rx"):
            lines.append(f"{name} {int(model.push(f'{name}_in', bytes.fromhex(words[0])))}")
        else:
            found = model.pop(name)
            shown = "-" if found is None else " ".join([found.frame.hex(), *map(str, found.fields.values())])
            lines.append(f"{name} {shown}")
    print("\n".join(lines))


if __name__ == "__main__":
    if sys.argv[1] == "ops":
        ops(sys.argv[2], int(sys.argv[3]), int(sys.argv[4]))
    else:
        nic(sys.argv[2])

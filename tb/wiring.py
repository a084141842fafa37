#!/usr/bin/env python3
"""Counts how much of the hardware's source is wiring: `python3 tb/wiring.py [--json] [FOLDER]`, of this checkout by default.

A statement of an `update` is wiring if it only takes a signal, or a field or bits of one at constant places, to another one, joins
two ports, or gives a clock, a reset or the hold of registers; all of a reset block is. Its share is that of the lines of all
`update` bodies, without empty lines and comments.
"""

import json
import re
import sys
from pathlib import Path

PLACE = r"(?!true\b|false\b)[a-z_]\w*(?:\.\w+(?:\(\))?|\[[^\]]*\])*"
VALUE = rf"(?:resize\(|bit_cast::<[^()]*>\()?{PLACE}(?:\.get_bits?(?:::<[^()]*>)?\(\d+\))?\)?"
COPY = re.compile(rf"(?:\$?self\.){PLACE} = (?:\$?self\.)?{VALUE}$")
OTHER = re.compile(r"(?:join\(|dff_setup!|<?\w+(?:<.*>)?>?::(?:join|link)\()")


def end_of(text, at):
    """Where the brace at `at` closes."""
    depth = 0
    for place, c in enumerate(text[at:], at):
        depth += (c == "{") - (c == "}")
        if depth == 0:
            return place
    raise ValueError("a brace is not closed")


def updates(text):
    """The bodies of `update`, without comments."""
    text = re.sub(r"comment!\(\s*\"(?:\\.|[^\"])*\"\s*\);", "", text)
    text = re.sub(r"//[^\n]*", "", text)
    for found in re.finditer(r"fn update\(&mut self\) \{", text):
        yield text[found.end() : end_of(text, found.end() - 1)]


def statements(body):
    """The statements of a body, without `if`, `for` and `match` around them, each with its lines and whether it stands in a reset block."""
    resets = [(m.start(), end_of(body, m.end() - 1)) for m in re.finditer(r"if self\.rst(?:\.val\(\))? \{", body)]
    for found in re.finditer(r"[^;{}]+;", body):
        lines = [line for line in found.group(0).splitlines() if line.strip()]
        statement = " ".join(found.group(0)[:-1].split())
        if statement:
            yield statement, len(lines), any(begin < found.start() < end for begin, end in resets)


def main():
    arguments = [argument for argument in sys.argv[1:] if argument != "--json"]
    root = Path(arguments[0]) if arguments else Path(__file__).parent.parent
    files = [path for folder in ("hdl/src", "hdl/macros/src") for path in sorted((root / folder).rglob("*.rs"))]
    if not files:
        print(f"{root}: there is no hdl/src in this folder; allowed: a checkout of the project", file=sys.stderr)
        return 2
    lines = sum(len(path.read_text().splitlines()) for path in files)
    counts = {"lines": lines, "updates": 0, "lines_of_updates": 0, "lines_of_wiring": 0, "statements": 0, "wiring": 0}
    for path in files:
        if "macros" in path.parts:
            continue
        for body in updates(path.read_text()):
            counts["updates"] += 1
            counts["lines_of_updates"] += sum(bool(line.strip()) for line in body.splitlines())
            for statement, lines, is_reset in statements(body):
                is_wiring = bool(is_reset or COPY.match(statement) or OTHER.match(statement))
                counts["statements"] += 1
                counts["wiring"] += is_wiring
                counts["lines_of_wiring"] += lines * is_wiring
    counts["percent"] = round(100 * counts["lines_of_wiring"] / max(counts["lines_of_updates"], 1), 1)
    if "--json" in sys.argv:
        print(json.dumps(counts))
    else:
        for name, count in counts.items():
            print(f"{name:18}{count:>8}")
    return 0


if __name__ == "__main__":
    sys.exit(main())

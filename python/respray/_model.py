"""A golden model."""

import json
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from respray._library import EMPTY, FULL, ModelError, ffi, lib, must, text

_LONGEST_FRAME = 65535

# Records, a field of 64 bits for each word: `array["conn"]` is a column, and pandas makes a table of the whole.
Records = npt.NDArray[np.void]


@dataclass(frozen=True)
class Received:
    """What came out of an output: a frame, which an event does not have, and what stands beside it."""

    output: str
    frame: bytes
    fields: dict[str, int]


@dataclass(frozen=True)
class Reset:
    """A reset within a trace; without a seed the port `seed` keeps its value."""

    seed: int | None


@dataclass(frozen=True)
class Trace:
    """An op trace, or a capture as ops: iterate over it for records of ops and for resets."""

    ops: Records
    kinds: npt.NDArray[np.uint64]
    seed: int

    def __len__(self) -> int:
        return len(self.kinds)

    def __iter__(self) -> Iterator[np.void | Reset]:
        first = self.ops.dtype.names[0]  # type: ignore[index]
        for kind, op in zip(self.kinds, self.ops):
            if kind == 0:
                yield op
            else:
                yield Reset(int(op[first]) if kind == 2 else None)


def _toml(value: Any) -> str:
    """A value of a configuration."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (int, float)):
        return str(value)
    return json.dumps(str(value))


def _lines(keys: Mapping[str, Any], section: str = "") -> Iterator[str]:
    for key, value in keys.items():
        name = f"{section}{key}"
        if isinstance(value, Mapping):
            yield from _lines(value, f"{name}.")
        else:
            yield f"{name} = {_toml(value)}"


class Model:
    """A golden model of a core, or of `nic`, in a configuration.

    `keys` are keys of the configuration: `connections=256`, or a dictionary for a section: `reps={"depth": 16}`.
    `config` is TOML, as in nic.toml, above them. A key that is not given has its default.
    """

    def __init__(self, core: str, config: str = "", **keys: Any) -> None:
        self._number = 0
        number = ffi.new("uint64_t *")
        lines = [*_lines(keys), config]
        must(lib.respray_open(core.encode(), "\n".join(lines).encode(), number))
        self._number = int(number[0])
        description = text(lib.respray_describe(self._number))
        self.description: dict[str, Any] = json.loads(description)
        """Core, version, configuration, inputs and outputs with their words, kinds of op, registers."""
        self.core: str = self.description["core"]
        self._inputs = [self._record(lane) for lane in self.description["inputs"]]
        self._outputs = [self._record(lane) for lane in self.description["outputs"]]
        self._frame = None if "kinds" in self.description else np.empty(_LONGEST_FRAME, np.uint8)

    @staticmethod
    def _record(lane: dict[str, Any]) -> np.dtype[np.void]:
        return np.dtype([(word["name"], np.uint64) for word in lane["words"]])

    def close(self) -> None:
        """Frees the model."""
        must(lib.respray_close(self._number))
        self._number = 0

    def __enter__(self) -> "Model":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __del__(self) -> None:
        if getattr(self, "_number", 0):
            lib.respray_close(self._number)

    # Ops.

    @property
    def kinds(self) -> dict[str, int]:
        """Kinds of op and their codes, of a core that takes ops."""
        return {name: code for code, name in enumerate(self.description["kinds"])}

    def reset(self, seed: int = 1) -> None:
        """As after `rst`, with this value at the port `seed`."""
        must(lib.respray_reset(self._number, seed))

    def ops(self, count: int) -> Records:
        """So many ops whose words are all 0, to be filled column by column."""
        return np.zeros(count, self._inputs[0])

    def random(self, seed: int, count: int) -> Records:
        """Random ops, those of `respray cosim --random` without its resets and pauses."""
        ops = np.empty(count, self._inputs[0])
        words = _words(self._inputs[0])
        must(lib.respray_random(self._number, seed, count, _pointer(ops), words))
        return ops

    def apply(self, ops: Records) -> Records:
        """Executes ops, and gives a result for each. `promised` says which fields of a result the core promises, a bit for each behind
        it; what it does not promise is 0."""
        given = np.ascontiguousarray(ops)
        if given.dtype != self._inputs[0]:
            raise TypeError(f"ops of {self.core} have the fields {', '.join(self._inputs[0].names or ())}")
        results = np.empty(len(given), self._outputs[0])
        op_words, result_words = _words(self._inputs[0]), _words(self._outputs[0])
        count = len(given)
        must(lib.respray_apply(self._number, count, _pointer(given), op_words, _pointer(results), result_words))
        return results

    def op(self, kind: str, **fields: int) -> dict[str, int]:
        """Executes one op, and gives the fields of its result that the core promises."""
        row = self.ops(1)
        row[row.dtype.names[0]] = self.kinds[kind]  # type: ignore[index]
        for name, value in fields.items():
            row[name] = value
        return self.promised(self.apply(row)[0])

    @staticmethod
    def promised(result: np.void) -> dict[str, int]:
        """The fields of a result that the core promises."""
        names = (result.dtype.names or ())[1:]
        bits = int(result["promised"])
        return {name: int(result[name]) for at, name in enumerate(names) if bits >> at & 1}

    def visit(self, connection: int, inputs: Records) -> dict[str, int]:
        """The core visits a connection by itself, while this op stands at its inputs: a core with an input `visit` does so."""
        given = np.ascontiguousarray(inputs).reshape(1)
        result = np.empty(1, self._outputs[0])
        words = _words(self._inputs[0]), _words(self._outputs[0])
        must(lib.respray_visit(self._number, connection, _pointer(given), words[0], _pointer(result), words[1]))
        return self.promised(result[0])

    def trace(self, path: str | os.PathLike[str]) -> Trace:
        """Reads an op trace (`.csv`, `.csv.gz`), or the ops that the core hears of a capture."""
        count, seed = ffi.new("uint64_t *"), ffi.new("uint32_t *")
        must(lib.respray_load(self._number, os.fspath(path).encode(), count, seed))
        words = 1 + _words(self._inputs[0])
        rows = np.empty((count[0], words), np.uint64)
        must(lib.respray_loaded(self._number, 0, count[0], _pointer(rows), words))
        ops = np.ascontiguousarray(rows[:, 1:]).view(self._inputs[0]).reshape(-1)
        return Trace(ops, rows[:, 0].copy(), int(seed[0]))

    # Frames.

    def push(self, input: str, frame: bytes, **fields: int) -> bool:
        """A frame goes in, from the destination MAC address on, with the fields beside it. False while the input pauses."""
        lane, dtype = self._lane("inputs", input)
        row = np.zeros(1, dtype)
        for name, value in fields.items():
            row[name] = value
        words = _words(dtype)
        code = lib.respray_push(self._number, lane, ffi.from_buffer(frame), len(frame), _pointer(row), words)
        if code == FULL:
            return False
        must(code)
        return True

    def pop(self, output: str) -> Received | None:
        """The next frame, or event, of an output; None if there is none."""
        lane, dtype = self._lane("outputs", output)
        row = np.empty(1, dtype)
        length = ffi.new("uint64_t *")
        room = _pointer(self._frame, "uint8_t *") if self._frame is not None else ffi.NULL
        code = lib.respray_pop(self._number, lane, room, _LONGEST_FRAME, length, _pointer(row), _words(dtype))
        if code == EMPTY:
            return None
        must(code)
        assert self._frame is not None
        frame = self._frame[: length[0]].tobytes()
        return Received(output, frame, {name: int(row[name][0]) for name in dtype.names or ()})

    def received(self, output: str) -> Iterator[Received]:
        """All that waits at an output."""
        while (next_one := self.pop(output)) is not None:
            yield next_one

    def _lane(self, side: str, name: str) -> tuple[int, np.dtype[np.void]]:
        lanes = [lane["name"] for lane in self.description[side]]
        if name not in lanes:
            raise KeyError(f"{self.core} has the {side} {', '.join(lanes)}, and not `{name}`")
        at = lanes.index(name)
        return at, (self._inputs if side == "inputs" else self._outputs)[at]

    # The block `nic`, and settings.

    def set(self, name: str, value: int) -> None:
        """Sets what a driver sets: a setting of a core that packets stream through, or a register of `nic`."""
        must(lib.respray_set(self._number, name.encode(), value))

    def get(self, name: str) -> int:
        """Reads a register of `nic` by its name."""
        address = ffi.new("uint32_t *")
        must(lib.respray_address(self._number, name.encode(), address))
        return self.read(int(address[0]))

    def read(self, address: int) -> int:
        """Reads a register of `nic`."""
        value = ffi.new("uint32_t *")
        must(lib.respray_read(self._number, address, value))
        return int(value[0])

    def write(self, address: int, value: int) -> None:
        """Writes a register of `nic`."""
        must(lib.respray_write(self._number, address, value))

    def advance(self, cycles: int) -> None:
        """Time of `nic` goes on to a clock cycle, counted from the reset."""
        must(lib.respray_advance(self._number, cycles))


def _words(record: np.dtype[np.void]) -> int:
    return len(record.names or ())


def _pointer(array: npt.NDArray[Any], kind: str = "uint64_t *") -> Any:
    return ffi.cast(kind, array.ctypes.data)

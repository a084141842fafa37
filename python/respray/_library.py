"""The library behind the C interface: the one in the wheel, or the one that RESPRAY_GOLDEN names."""

import os
import re
from pathlib import Path
from typing import Any

OK, EMPTY, FULL = 0, 8, 9

# Where the header stands in a checkout.
HEADER = Path(__file__).resolve().parents[2] / "golden" / "c" / "include" / "respray_golden.h"


def _of_checkout(library: str) -> tuple[Any, Any]:
    """The library of a checkout, which was built by cargo: its declarations are those of the header."""
    from cffi import FFI  # type: ignore[import-untyped, unused-ignore]

    text = re.sub(r"#ifdef __cplusplus.*?#endif[^\n]*\n", "", HEADER.read_text(), flags=re.DOTALL)
    declarations = [line for line in text.splitlines() if not line.startswith(("#", "//"))]
    ffi = FFI()
    ffi.cdef("\n".join(declarations))
    return ffi, ffi.dlopen(library)


def _found() -> tuple[Any, Any]:
    library = os.environ.get("RESPRAY_GOLDEN")
    if library:
        return _of_checkout(library)
    try:
        from respray._native import ffi, lib  # type: ignore[import-not-found, import-untyped, unused-ignore]
    except ImportError as error:
        message = "the library of respray is missing: `pip install ./python` builds it, or RESPRAY_GOLDEN names one"
        raise ImportError(message) from error
    return ffi, lib


ffi, lib = _found()


class ModelError(Exception):
    """What a model refuses: a code, as in the C header, and a sentence."""

    def __init__(self, code: int, sentence: str) -> None:
        super().__init__(sentence)
        self.code = code


def text(pointer: Any) -> str:
    """A text that the library gives."""
    return str(ffi.string(pointer), "utf-8", "replace")


def version() -> str:
    """The version of respray."""
    return text(lib.respray_version())


def must(code: int) -> None:
    """Raises what went wrong, if anything did."""
    if code != OK:
        raise ModelError(int(code), text(lib.respray_error()))

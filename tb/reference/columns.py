"""The columns of an op trace, said once: how an op and its outcome become a line, and how a line becomes an op again."""

from collections.abc import Sequence
from typing import Any, NamedTuple

Row = dict[str, str]


class Column(NamedTuple):
    """A column: its name in the file, the field of the op or of the outcome, and the kinds of op that use it."""

    name: str
    field: str
    # Without kinds, every op has the column.
    kinds: tuple[str, ...] = ()
    # A mask is written in hexadecimal, as every bitmap in an op trace.
    is_mask: bool = False

    def text(self, value: int | str | None) -> str:
        """The value as it stands in the file; what is not there is empty."""
        if value is None:
            return ""
        return hex(value) if self.is_mask else str(value)


def inputs_of(op: Any, inputs: Sequence[Column]) -> Row:
    """The part of a line that is the op."""
    used = (column for column in inputs if not column.kinds or op.kind in column.kinds)
    return {column.name: column.text(getattr(op, column.field)) for column in used}


def results_of(outcome: Any, results: Sequence[Column]) -> Row:
    """The part of a line that is the result."""
    return {column.name: column.text(getattr(outcome, column.field)) for column in results}


def op_of(row: Row, kind_of_op: type, inputs: Sequence[Column]) -> Any:
    """The op of a line that was read from a trace. What is empty has the value that an op has without it."""
    given = {column.field: int(row[column.name], 0) for column in inputs if column.field != "kind" and row[column.name]}
    return kind_of_op(kind=row["op"], **given)

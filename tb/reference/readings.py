"""Prints how many results of each trace depend on how 004 is read: `python tb/reference/readings.py`, some seconds.

A core that differs from a trace may differ by a reading, not by a fault; this table says where to look.
"""

from typing import NamedTuple

import replay


class Reading(NamedTuple):
    """A place of the paper, what is read there, another reading, and how the source says the other one."""

    place: str
    here: str
    other: str
    before: str
    after: str


SPRAY = [
    Reading("3:5, 3:8", "1 is a mark, as 3:1, 3:20 and the text have it", "as printed", "if ecn:\n", "if not ecn:\n"),
    Reading(
        "3:12",
        "a valid bit",
        "path 0 is never recycled",
        "            self.has_next = True",
        "            self.has_next = path > 0",
    ),
    Reading(
        "3:4",
        "a marked ACK discards what is pending",
        "only if it is of that path",
        "            self.has_next = False\n            self.marked",
        "            self.has_next = self.has_next and self.next != path\n            self.marked",
    ),
    Reading(
        "3:7",
        "a second good ACK replaces the first",
        "the first stays",
        "            self.next = path\n",
        "            self.next = self.next if self.has_next else path\n",
    ),
    Reading("3:1, 3:19", "the first packet takes path 1", "path 0", "        self.rr = 0\n", "        self.rr = -1\n"),
    Reading(
        "3:19",
        "a true modulo",
        "from `n` on back to path 0",
        "first = (self.rr + 1) % n",
        "first = self.rr + 1 if self.rr + 1 < n else 0",
    ),
    Reading(
        "3:21",
        "a send clears one mark",
        "all that it skips",
        "            if not has_forgiven:\n",
        "            if True:\n",
    ),
    Reading("(none)", "a nack is a marked ACK", "changes nothing", "self.ack(ev, True)", "pass"),
    Reading(
        "(none)",
        "a foreign EV changes nothing",
        "with a mark it discards what is pending",
        "            return\n        if ecn",
        "            self.has_next = self.has_next and not ecn\n            return\n        if ecn",
    ),
    Reading("(none)", "a foreign EV changes nothing", "is folded into the set", "ev - self.ev_base", "ev % self.paths"),
]

WINDOWS = [
    Reading("1:13, 4:2", "bytes count once", "twice", "self.rx + newly_acked", "self.rx + 2 * newly_acked"),
    Reading(
        "2:2",
        "a period is base_rtt + target_Qdelay",
        "one base RTT, as in the text",
        "> self.base_rtt + self.settings.target_qdelay:",
        "> self.base_rtt:",
    ),
    Reading(
        "2:7",
        "the first period begins at the first ACK",
        "at `init`",
        "        self.is_counting = False\n",
        "        self.is_counting = True\n        self.since = now\n",
    ),
    Reading(
        "2:3",
        "the first ACK's bytes are in the first period",
        "are not",
        "            self.since = now\n        elif",
        "            self.since = now\n            self.rx = 0\n        elif",
    ),
    Reading(
        "4:6",
        "target_Qhigh is a setting",
        "twice the target, as in the text",
        "delay > s.target_qhigh:  # 4:6",
        "delay > 2 * s.target_qdelay:",
    ),
    Reading(
        "4:10",
        "an ACK without a mark between the targets may cut",
        "never cuts, as in the text",
        "elif can_cut and self.avg8",
        "elif ecn and can_cut and self.avg8",
    ),
    Reading(
        "4:12",
        "achievedBDP never raises the window",
        "it may",
        "min(self.cwnd, self.achieved << (16 - s.mtu_log2))",
        "self.achieved << (16 - s.mtu_log2)",
    ),
    Reading(
        "4:12",
        "achievedBDP counts after a whole period",
        "it is 0 before",
        "and self.is_measured and is_low",
        "and is_low",
    ),
    Reading(
        "(none)",
        "the first window is `max_cwnd`",
        "1 packet",
        "        self.cwnd = self.settings.most_packets() * ONE\n",
        "        self.cwnd = ONE\n",
    ),
    Reading(
        "(none)",
        "the first cut is one base RTT after `init`",
        "after time 0",
        "        self.cut_at = now\n        self.fair_at",
        "        self.cut_at = 0\n        self.fair_at",
    ),
    Reading(
        "1:8",
        "an RTT below `min_base_rtt` gives a delay modulo 2^16",
        "a delay of 0",
        "delay = elapsed(rtt, self.base_rtt)",
        "delay = max(0, rtt - self.base_rtt)",
    ),
    Reading(
        "(none)",
        "a read is refused where the MTU is none",
        "it gives the window",
        "    def read(self) -> Result:\n        if self.is_refused():",
        "    def read(self) -> Result:\n        if not self.is_initialised:",
    ),
    Reading(
        "(none)",
        "the action of a full window is that of its branch",
        "hold, where it would rise in proportion",
        "            self.cwnd += proportional_step(s.alpha, s.target_qdelay - delay, self.cwnd)\n            action =",
        "            is_full = self.cwnd >= s.most_packets() * ONE\n"
        "            self.cwnd += proportional_step(s.alpha, s.target_qdelay - delay, self.cwnd)\n"
        "            action = HOLD if is_full else",
    ),
]

def table(module: str, readings: list[Reading]) -> list[str]:
    """For each reading the results of each trace that the other one changes, as a table in Markdown."""
    traces = {name: replay.rows(name) for name in replay.names(module)}
    lines = ["| line | read here | other reading | results that it changes |", "| --- | --- | --- | --- |"]
    for place, here, other, before, after in readings:
        model = replay.changed(module, before, after)
        counts = {}
        for name, trace in traces.items():
            count = sum(1 for _ in replay.differences(module, model, name, trace))
            counts[name.removeprefix(f"{module}_")] = count
        shown = "; ".join(f"{name} {count}" for name, count in counts.items() if count)
        lines.append(f"| {place} | {here} | {other} | {shown} |")
    return lines


def main() -> None:
    print("\n".join([*table("strack", SPRAY), "", *table("strack_cc", WINDOWS)]))


if __name__ == "__main__":
    main()

"""What the block has to do, in Python: the receiver's bitmap and the sender's scoreboard of paper 004 (section
3.3), and the cache of EVs of paper 001 (Algorithms 1 and 2). Written from the papers and docs/."""

from collections import deque
from dataclasses import dataclass, field

PSNS = 1 << 24

NEW, DUPLICATE, OUTSIDE, PROBE, NOT_OPEN = 0, 1, 2, 3, 7


def ahead(psn: int, of: int) -> int:
    """How far a PSN is ahead of another; negative if it is below it."""
    return (psn - of + PSNS // 2) % PSNS - PSNS // 2


@dataclass
class Arrival:
    """What a receiver learns of a data packet or a probe."""

    psn: int
    size: int
    is_marked: bool
    ev: int
    timestamp: int
    ack_request: bool = False
    probe: bool = False


@dataclass
class Answer:
    """A SACK: the packet that it answers, and the state of the receiver behind it."""

    of: Arrival
    epsn: int
    base: int
    bitmap: int
    ooo: int
    bytes: int

    def shown(self) -> list[int]:
        """The PSNs from the EPSN on that it shows as received."""
        psns = [(self.base + bit) % PSNS for bit in range(64) if self.bitmap >> bit & 1]
        return [psn for psn in psns if ahead(psn, self.epsn) >= 0]


@dataclass
class Receiver:
    """A connection of a receiver (004 section 3.3.1), and of `sack_rx` where docs/sack_rx.md differs from it."""

    epsn: int
    window: int
    threshold: int
    beyond: set[int] = field(default_factory=set)
    bytes: int = 0
    bytes_since: int = 0
    lowest: int | None = None

    def arrives(self, packet: Arrival) -> tuple[int, Answer | None]:
        """The status of a packet, and the SACK if one is due."""
        distance = ahead(packet.psn, self.epsn)
        if packet.probe:
            return PROBE, self.answer(packet, packet.psn if 0 <= distance < self.window else self.epsn)
        if distance >= self.window:
            return OUTSIDE, None
        if self.lowest is None or ahead(packet.psn, self.lowest) < 0:
            self.lowest = packet.psn
        is_duplicate = distance < 0 or packet.psn in self.beyond
        if not is_duplicate:
            self.beyond.add(packet.psn)
            self.bytes = (self.bytes + packet.size) % (1 << 32)
            self.bytes_since += packet.size
        while self.epsn in self.beyond:
            self.beyond.remove(self.epsn)
            self.epsn = (self.epsn + 1) % PSNS
        is_due = is_duplicate or distance == 0 or packet.ack_request or self.bytes_since >= self.threshold
        status = DUPLICATE if is_duplicate else NEW
        if not is_due:
            return status, None
        # Below the EPSN, or where the EPSN has moved, it is the segment of the EPSN.
        shown = self.epsn if ahead(self.lowest, self.epsn) < 0 else self.lowest
        self.lowest, self.bytes_since = None, 0
        return status, self.answer(packet, shown)

    def answer(self, packet: Arrival, shown: int) -> Answer:
        base = shown // 64 * 64
        psns = [(base + bit) % PSNS for bit in range(64)]
        bits = [psn in self.beyond or ahead(psn, self.epsn) < 0 for psn in psns]
        bitmap = sum(is_set << bit for bit, is_set in enumerate(bits))
        return Answer(packet, self.epsn, base, bitmap, len(self.beyond), self.bytes)


@dataclass
class Scoreboard:
    """A connection of a sender (004 section 3.3.2), without the timers. What happens to it comes as the events that
    the block must tell: their kinds with PSN, detail, value and packets in flight."""

    first: int
    cwnd_packets: int
    una: int = field(init=False)
    next: int = field(init=False)
    acked: set[int] = field(default_factory=set)
    sizes: dict[int, int] = field(default_factory=dict)
    bytes_sent: int = 0
    bytes_in_flight: int = 0
    last_lost: int | None = None
    lost: deque[int] = field(default_factory=deque)

    def __post_init__(self) -> None:
        self.una = self.next = self.first

    def outstanding(self) -> list[int]:
        """The PSNs that are not acknowledged, lowest first."""
        count = ahead(self.next, self.una)
        psns = [(self.una + offset) % PSNS for offset in range(count)]
        return [psn for psn in psns if psn not in self.acked]

    def in_flight(self) -> int:
        return len(self.outstanding()) - len(self.lost)

    def sends(self, psn: int, size: int) -> None:
        if psn == self.next:
            self.next = (psn + 1) % PSNS
            self.sizes[psn] = size
            self.bytes_sent += size
            self.bytes_in_flight += size

    def hears(self, answer: Answer) -> list[dict[str, int | str]]:
        """A SACK that is not old; the events before that of the RTT."""
        before = len(self.outstanding())
        self.acked |= set(answer.shown())
        while ahead(answer.epsn, self.una) > 0:
            self.acked.discard(self.una)
            self.una = (self.una + 1) % PSNS
        left = self.outstanding()
        self.lost = deque(psn for psn in self.lost if psn in left)
        self.bytes_in_flight = min(self.bytes_in_flight, self.bytes_sent - answer.bytes)
        told = [("recovery_left", {})] if self.last_lost is not None and ahead(self.una, self.last_lost) > 0 else []
        if told:
            self.last_lost = None
        if self.last_lost is None and answer.ooo > max(self.cwnd_packets, 5) and self.acked:
            self.last_lost = max(self.acked, key=lambda psn: ahead(psn, self.una))
            self.lost = deque(psn for psn in left if ahead(psn, self.last_lost) <= 0)
            told.append(("loss", {"detail": 1}))
        acknowledged = {"detail": before - len(left), "value": self.bytes_in_flight}
        told.insert(0, ("acknowledged", acknowledged))
        shared = {"psn": answer.epsn, "in_flight": self.in_flight(), "detail": 0, "value": 0}
        return [{"kind": kind} | shared | own for kind, own in told]

    def hands_out(self) -> dict[str, int | str]:
        """The event of the next PSN to be sent again."""
        psn = self.lost.popleft()
        return {"kind": "retransmit", "psn": psn, "in_flight": self.in_flight(), "detail": 0, "value": 0}


class Cache:
    """The cached EVs of a connection that never freezes (001 Algorithms 1 and 2)."""

    def __init__(self, depth: int) -> None:
        self.valid: deque[int] = deque(maxlen=depth)

    def hears(self, ev: int, is_marked: bool) -> None:
        if not is_marked:
            self.valid.append(ev)

    def sends(self) -> int | None:
        """The EV of the next packet; None is any."""
        return self.valid.popleft() if self.valid else None

"""Flowcut in the sending NIC: which EV (entropy value) a packet takes, and when a flow is drained.

Transcribed from the pseudo-code of the page `switch.md`, section 1.2, and the decisions of its section 1.4; 002 is the
paper. Nothing here was taken from the core or its golden model. An op is applied at once; there is no pipeline. The
places where the page can be read in two ways are marked with `Reading:`.
"""

from dataclasses import dataclass
from typing import NamedTuple

NEW, SAME, WAIT = "new", "same", "wait"
PAPER, STICKY = "paper", "sticky"

# Counts of bytes are modulo 2^24.
BYTES_MASK = 2**24 - 1
# In-flight bytes stay below half of the circle on which they are counted, so that a stale ACK is told from a new one.
HALF_CIRCLE = 2**23
CLASSES = 16
# The average is kept in 2^-5 ticks.
ONE_TICK = 32


class Op(NamedTuple):
    """One op, with the settings that stand at the ports when it is taken. What its kind does not use may be anything.

    `group` is the port `op_class`: the hop count of a path, or what else the driver groups paths of one length by.
    """

    # `send`, `ack`, `nack`, `timeout`, `init` or `set_min`; any other kind changes nothing.
    kind: str
    conn: int
    # send: payload in bytes, 0 to 16383, and whether it is a retransmission.
    bytes: int = 0
    rtx: int = 0
    # ack, init: bytes that were received without duplicates, modulo 2^24.
    recvd: int = 0
    # ack: the echoed time of sending; init: the first average in ticks; set_min: the minimum.
    timestamp: int = 0
    group: int = 0
    # ack: ticks of the packet's own serialisation.
    serial: int = 0
    # Ticks, modulo 2^time_bits.
    now: int = 0
    rtt_floor: int = 0
    # In halves, 0 to 63.
    ratio: int = 8
    # A sample weighs 2^-alpha; 1 to 5.
    alpha: int = 3
    hold: int = 1
    timeout_reroutes: int = 0


class Outcome(NamedTuple):
    """What an op gives. `kind` and `draining` are None unless the op is a send, `ev` also if it waits."""

    res_valid: int
    res_conn: int
    res_kind: str | None = None
    res_ev: int | None = None
    res_draining: int | None = None
    drain_started: int = 0
    drain_done: int = 0
    drain_given_up: int = 0
    order_risk: int = 0
    ack_refused: int = 0


class Words:
    """The generator of random words that all cores share: x[n] = x[n-61] ^ x[n-47] ^ x[n-35] ^ x[n-19].

    It makes 16 of these bits a step, the first of them the lowest of the word. Reset sets the last 61 bits to one 1,
    the oldest, and makes one step for each connection, in which the seed is added (exclusive or) to the word. The
    recurrence stands on the page of `reps`; how the seed enters stands nowhere in prose. It was found by trial as the
    one way that gives all words of the oracle trace `ops_random_11` and the EV in the waveform of that page.
    """

    def __init__(self, seed: int, connections: int) -> None:
        # Bit 0 is the oldest of 61.
        self.last = 1
        for _ in range(connections):
            self.step(seed)

    def step(self, added: int = 0) -> int:
        """The next word. No tap is nearer than 16 bits, so the bits of a word do not depend on each other."""
        word = (self.last ^ self.last >> 61 - 47 ^ self.last >> 61 - 35 ^ self.last >> 61 - 19) & 0xFFFF ^ added
        self.last = self.last >> 16 | word << 61 - 16
        return word


@dataclass
class Flow:
    """The state of one connection, as after init(0, 0)."""

    # Bytes modulo 2^24: of first transmissions that were sent, and of those that were received.
    sent: int = 0
    recvd: int = 0
    # The average RTT in 2^-5 ticks, which means something only with `has_avg`.
    avg: int = 0
    has_avg: bool = False
    draining: bool = False
    # `ev` is the flow's; without it the next packet draws one.
    placed: bool = False
    ev: int = 0

    def in_flight(self) -> int:
        return (self.sent - self.recvd) & BYTES_MASK


class Flowcut:
    """All connections of a core. `variant` is `paper` or `sticky`, `time_bits` 16 or 24, `seed` has 16 bits."""

    def __init__(
        self,
        connections: int,
        variant: str,
        time_bits: int,
        gradient: bool = False,
        *,
        seed: int,
        ev_base: int = 0,
        ev_bits: int = 16,
    ) -> None:
        if variant not in (PAPER, STICKY) or time_bits not in (16, 24) or gradient:
            raise ValueError(f"{variant}, {time_bits} bits, gradient {gradient}: not transcribed")
        self.connections = connections
        self.variant = variant
        self.time_mask = 2**time_bits - 1
        self.seed = seed
        self.ev_base = ev_base
        self.ev_mask = 2**ev_bits - 1
        self.reset()

    def reset(self) -> None:
        """`rst`: every connection as after init(0, 0), no minimum is known, and the generator begins anew."""
        self.flows = [Flow() for _ in range(self.connections)]
        self.rtt_min = [self.time_mask] * CLASSES
        self.words = Words(self.seed, self.connections)

    def apply(self, op: Op) -> Outcome:
        """Executes one op."""
        flow = self.flows[op.conn]
        if op.kind == "send":
            return self.send(flow, op)
        if op.kind == "ack":
            return self.ack(flow, op)
        if op.kind == "timeout":
            return self.timeout(flow, op)
        if op.kind == "init":
            return self.init(flow, op)
        if op.kind == "set_min":
            self.rtt_min[op.group] = op.timestamp
        # A nack is nothing, as in `reps` variant `paper`.
        return Outcome(0, op.conn)

    def send(self, flow: Flow, op: Op) -> Outcome:
        """The EV of a packet, or that it has to wait.

        Reading: of a send of 0 bytes the pseudo-code would say `new` where the variant is `paper` and nothing is in
        flight, and `wait` while a drain holds. The sentence below it says `same` if placed, else `new`, and the port
        sends the reader to that sentence; so the sentence holds.
        """
        in_flight = flow.in_flight()
        is_empty = op.bytes == 0
        order_risk = 0
        if flow.placed and (op.rtx or is_empty):
            kind = SAME
        elif not op.rtx and not is_empty and (flow.draining and op.hold or in_flight + op.bytes >= HALF_CIRCLE):
            kind = WAIT
        elif not flow.placed or self.variant == PAPER and in_flight == 0:
            kind = NEW
            order_risk = int(in_flight != 0)
            flow.ev = self.ev_base | self.words.step() & self.ev_mask
            flow.placed = True
            if self.variant == PAPER:
                flow.has_avg = False
        else:
            kind = SAME
        if kind != WAIT and not op.rtx:
            flow.sent = (flow.sent + op.bytes) & BYTES_MASK
        ev = None if kind == WAIT else flow.ev
        return Outcome(1, op.conn, kind, ev, int(flow.draining), order_risk=order_risk)

    def ack(self, flow: Flow, op: Op) -> Outcome:
        """An ACK that counts all bytes received so far, and so repairs what lost ACKs left out."""
        newly_received = (op.recvd - flow.recvd) & BYTES_MASK
        if newly_received == 0 or newly_received > flow.in_flight():
            # Repeated, stale, or of bytes that were never sent.
            return Outcome(0, op.conn, ack_refused=1)
        flow.recvd = op.recvd
        rtt = (op.now - op.timestamp) & self.time_mask
        # The sums here and in `is_hot` have a bit more than a time, so they do not wrap.
        if rtt >= op.rtt_floor + op.serial:
            self.rtt_min[op.group] = min(self.rtt_min[op.group], max(rtt - op.serial, 0))
            flow.avg = averaged(flow.avg, rtt, op.alpha) if flow.has_avg else ONE_TICK * rtt
            flow.has_avg = True
        # An ACK that was no sample asks too, by its own class and its own serialisation.
        is_hot = flow.has_avg and 2 * flow.avg > ONE_TICK * op.ratio * (self.rtt_min[op.group] + op.serial)
        drain_started = drain_done = 0
        if flow.recvd == flow.sent:
            drain_done = int(flow.draining)
            if flow.draining or self.variant == STICKY and is_hot:
                flow.placed = False
            flow.draining = False
        elif is_hot and not flow.draining:
            flow.draining = True
            drain_started = 1
        return Outcome(0, op.conn, drain_started=drain_started, drain_done=drain_done)

    def timeout(self, flow: Flow, op: Op) -> Outcome:
        """A loss was noticed. A drain that waits for what is lost ends here, and what is in flight stays so."""
        drain_given_up = int(flow.draining)
        flow.draining = False
        if op.timeout_reroutes and flow.in_flight() != 0:
            flow.placed = False
        return Outcome(0, op.conn, drain_given_up=drain_given_up)

    def init(self, flow: Flow, op: Op) -> Outcome:
        """The connection begins at a count that both ends agree on.

        Reading: the pseudo-code takes the first average in both variants, the port says that `paper` has none. Nobody
        can tell, as the first packet after it is `new`, which forgets the average of `paper` before an ACK can count.
        """
        order_risk = int(flow.in_flight() != 0)
        flow.sent = flow.recvd = op.recvd
        flow.avg = ONE_TICK * op.timestamp
        flow.has_avg = flow.avg != 0
        flow.draining = flow.placed = False
        return Outcome(0, op.conn, order_risk=order_risk)


def averaged(avg: int, rtt: int, alpha: int) -> int:
    """The average in 2^-5 ticks after one more sample, which weighs 2^-alpha. The change is rounded down."""
    return avg + (ONE_TICK * rtt - avg >> alpha)

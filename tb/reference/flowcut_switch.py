"""Flowcut in the ingress switch: which uplink a packet takes, and when the host of a bucket has to pause.

Transcribed from the page `switch.md`, section 1.3, from section 1.2 where the average RTT is concerned, and from the
points that were settled beyond that page; 002 is the paper. Nothing here was taken from the core or its golden model. An
op is applied at once; there is no pipeline. The slots of the walker are counted, as its visits change what later ops
give.
"""

from dataclasses import dataclass
from typing import NamedTuple

from flowcut import CLASSES, ONE_TICK, Words, averaged

NEW, SAME, FORCED, NO_ROUTE = "new", "same", "forced", "no_route"
ALL, TWO = "all", "two"

TIME_MASK = 2**16 - 1
CLOCK_MASK = 2**8 - 1
# In-flight bytes stand here once they have more than 24 bits.
MOST_IN_FLIGHT = 2**24 - 1
# Of the bytes of a packet only these bits count.
FRAME_MASK = 2**14 - 1
EPOCHS = 16
OLDEST = 15
# One edge in 16 is the walker's.
EDGES = 16


class Op(NamedTuple):
    """One op, with the settings that stand at the ports when it is taken. What its kind does not use may be anything.

    `group` is the port `op_class`: the hop count of a path, or what else the caller groups paths of one length by.
    """

    # `data`, `ack`, `load` or `set_min`.
    kind: str
    bucket: int = 0
    # data: bytes of the frame, 1 to 16383; ack: bytes that it acknowledges, which may be those of several packets.
    bytes: int = 0
    # data: a mask of the uplinks that are alive.
    up: int = 0
    # ack: the epoch that the packets had.
    epoch: int = 0
    # ack: the echoed time of sending; set_min: the minimum.
    timestamp: int = 0
    group: int = 0
    # ack: ticks of the packet's own serialisation.
    serial: int = 0
    # load: the uplink, and the fill of its egress queue.
    port: int = 0
    load: int = 0
    # Ticks modulo 2^16, in which RTTs are measured.
    now: int = 0
    # Slower ticks modulo 2^8, in which the age of a bucket is measured.
    clock: int = 0
    rtt_floor: int = 0
    # In halves, 0 to 63.
    ratio: int = 8
    # A sample weighs 2^-alpha, where alpha is brought into the range 1 to 5.
    alpha: int = 3
    entry_timeout: int = 64
    drain_after: int = 8


class Outcome(NamedTuple):
    """What an op or a visit gives. `kind` is None unless it is data, and the three below it also if there is no route."""

    bucket: int
    kind: str | None = None
    port: int | None = None
    epoch: int | None = None
    xoff_state: int | None = None
    xoff: int = 0
    xon: int = 0
    entry_cleared: int = 0
    order_risk: int = 0
    ack_refused: int = 0


@dataclass(slots=True)
class Bucket:
    """The state of all flows that share one entry, as after a reset."""

    in_flight: int = 0
    port: int = 0
    epoch: int = 0
    # The average RTT in 2^-5 ticks, which means something only with `has_avg`.
    avg: int = 0
    has_avg: bool = False
    draining: bool = False
    # More than 24 bits of bytes were in flight, so their count is not known any more.
    saturated: bool = False
    # The `clock` of the last data or ACK.
    heard: int = 0
    age: int = 0


class Switch:
    """All buckets of a core. `pick` is `all` or `two`, `seed` has 16 bits."""

    def __init__(self, buckets: int, uplinks: int, pick: str = ALL, *, seed: int) -> None:
        if pick not in (ALL, TWO):
            raise ValueError(f"pick {pick}: not transcribed")
        self.uplinks = uplinks
        self.pick = pick
        self.seed = seed
        self.count = buckets
        self.reset()

    def reset(self) -> None:
        """`rst`: all buckets are empty, all queues too, no minimum is known, and the generator begins anew."""
        self.buckets = [Bucket() for _ in range(self.count)]
        self.loads = [0] * self.uplinks
        self.rtt_min = [TIME_MASK] * CLASSES
        self.words = Words(self.seed, self.count)
        # The edge that comes next, modulo 16, and the bucket that the walker visits next.
        self.edge = 0
        self.next_bucket = 0
        # The upper four bits of `clock` at the last visit of bucket 0, and whether buckets grow older in this round.
        self.last = 0
        self.aging = False

    # Slots ---------------------------------------------------------------------------------------------------------

    def offer(self, op: Op) -> tuple[Outcome | None, Outcome]:
        """Executes an op that waits at the ports until it is taken; no edge passes without an op at the ports.

        If the next edge is the walker's, its visit comes first, with the settings of the op that waits. It is the first
        of the two outcomes.
        """
        visit = None
        if self.edge == EDGES - 1:
            visit = self.visit(op.clock, op.entry_timeout, op.drain_after)
            self.edge = 0
        self.edge += 1
        return visit, self.apply(op)

    def visit(self, clock: int, entry_timeout: int, drain_after: int) -> Outcome:
        """The walker comes to the next bucket: clears it if it was silent for too long, else makes it older."""
        number = self.next_bucket
        self.next_bucket = (number + 1) % self.count
        if number == 0:
            self.aging = clock >> 4 != self.last
            self.last = clock >> 4
        bucket = self.buckets[number]
        if bucket.in_flight == 0:
            return Outcome(number)
        if (clock - bucket.heard & CLOCK_MASK) > entry_timeout:
            xon = int(bucket.draining)
            bucket.in_flight = 0
            bucket.draining = bucket.saturated = False
            return Outcome(number, xon=xon, entry_cleared=1)
        xoff = 0
        if self.aging:
            bucket.age = min(bucket.age + 1, OLDEST)
            if drain_after != 0 and bucket.age == drain_after and not bucket.draining:
                bucket.draining = True
                xoff = 1
        return Outcome(number, xoff=xoff)

    # Ops -----------------------------------------------------------------------------------------------------------

    def apply(self, op: Op) -> Outcome:
        """Executes one op, without a thought of slots."""
        if op.kind == "data":
            return self.data(op)
        if op.kind == "ack":
            return self.ack(op)
        if op.kind == "load":
            self.loads[op.port] = op.load
        elif op.kind == "set_min":
            self.rtt_min[op.group] = op.timestamp
        return Outcome(op.bucket)

    def data(self, op: Op) -> Outcome:
        """The uplink of a packet, whose bytes are in flight from now on."""
        word = self.words.step()
        if op.up == 0:
            return Outcome(op.bucket, NO_ROUTE)
        bucket = self.buckets[op.bucket]
        order_risk = 0
        if bucket.in_flight == 0:
            kind = NEW
            bucket.port = self.least(op.up, word)
            bucket.epoch = (bucket.epoch + 1) % EPOCHS
            bucket.has_avg = False
            bucket.age = 0
        elif not op.up >> bucket.port & 1:
            kind = FORCED
            bucket.port = self.least(op.up, word)
            bucket.has_avg = False
            order_risk = 1
        else:
            kind = SAME
        bucket.in_flight += op.bytes & FRAME_MASK
        if bucket.in_flight > MOST_IN_FLIGHT or bucket.saturated:
            bucket.saturated = True
            bucket.in_flight = MOST_IN_FLIGHT
        bucket.heard = op.clock
        return Outcome(op.bucket, kind, bucket.port, bucket.epoch, int(bucket.draining), order_risk=order_risk)

    def ack(self, op: Op) -> Outcome:
        """Bytes of the present epoch have arrived."""
        bucket = self.buckets[op.bucket]
        is_beyond = op.bytes > bucket.in_flight and not bucket.saturated
        if bucket.in_flight == 0 or op.epoch != bucket.epoch or is_beyond:
            return Outcome(op.bucket, ack_refused=1)
        bucket.heard = op.clock
        is_hot = self.sample(bucket, op)
        if not bucket.saturated:
            bucket.in_flight -= op.bytes
        xoff = xon = 0
        if bucket.in_flight == 0:
            xon = int(bucket.draining)
            bucket.draining = False
        elif (is_hot or bucket.saturated) and not bucket.draining:
            bucket.draining = True
            xoff = 1
        return Outcome(op.bucket, xoff=xoff, xon=xon)

    def sample(self, bucket: Bucket, op: Op) -> bool:
        """The RTT of an ACK enters the average, as in the NIC; whether the bucket is hot now.

        The sums with the serialisation have a bit more than a time, so they do not wrap. An ACK that is no sample asks
        too, by its own class and its own serialisation.
        """
        rtt = (op.now - op.timestamp) & TIME_MASK
        if rtt >= op.rtt_floor + op.serial:
            self.rtt_min[op.group] = min(self.rtt_min[op.group], rtt - op.serial)
            alpha = min(max(op.alpha, 1), 5)
            bucket.avg = averaged(bucket.avg, rtt, alpha) if bucket.has_avg else ONE_TICK * rtt
            bucket.has_avg = True
        return bucket.has_avg and 2 * bucket.avg > ONE_TICK * op.ratio * (self.rtt_min[op.group] + op.serial)

    def least(self, up: int, word: int) -> int:
        """The least loaded of the uplinks in a mask that is not empty; a random word says where the search begins."""
        if self.pick == TWO:
            first, second = (self.members(up, place)[0] for place in (word & 0xFF, word >> 8))
            return second if self.loads[second] < self.loads[first] else first
        # `min` gives the first of those that are equal.
        return min(self.members(up, word), key=self.loads.__getitem__)

    def members(self, up: int, place: int) -> list[int]:
        """The uplinks in a mask, in cyclic order from a place on."""
        order = ((place + more) % self.uplinks for more in range(self.uplinks))
        return [port for port in order if up >> port & 1]

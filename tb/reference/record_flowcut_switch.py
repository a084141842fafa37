"""Records op traces of `flowcut_switch`: `python tb/reference/record_flowcut_switch.py`.

A trace is `NAME.csv.gz` with one op a line and `NAME.settings.csv` with what holds for all of it, as in `record.py`. The
columns stand in `INPUTS` and `RESULTS`. `conn` is the bucket, and 0 for an op that has none; a tick of `now` is 1 ns. A
field that an op does not use is empty, and so is a result that is not promised. All state is as after a reset at the first
line, and a line is offered from the edge on at which the line before is taken, so that the visits of the walker come at
known lines: before the lines 15, 30, 45 and so on, counted from 0. What the traces hold is printed.
"""

import heapq
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType

import flowcut_switch
from columns import Column, inputs_of, results_of
from flowcut_switch import ALL, FORCED, MOST_IN_FLIGHT, NEW, NO_ROUTE, ONE_TICK, SAME, TIME_MASK, TWO, Op, Outcome
from record import Chance, Trace, packed

FOLDER = Path(__file__).parent / "flowcut_switch_traces"
MOST_BYTES = 2**14 - 1
SIZES = (64, 256, 1000, 1024, 2048, 4096, 4096, 4096, 9000, MOST_BYTES)
WINDOWS = (1, 1, 4096, 20_000, 60_000)

INPUTS = [
    Column("now", "now"),
    Column("op", "kind"),
    Column("conn", "bucket"),
    Column("bytes", "bytes", ("data", "ack")),
    Column("up", "up", ("data",), is_mask=True),
    Column("epoch", "epoch", ("ack",)),
    Column("timestamp", "timestamp", ("ack", "set_min")),
    Column("class", "group", ("ack", "set_min")),
    Column("serial", "serial", ("ack",)),
    Column("port", "port", ("load",)),
    Column("load", "load", ("load",)),
    Column("clock", "clock"),
    Column("rtt_floor", "rtt_floor"),
    Column("ratio", "ratio"),
    Column("alpha", "alpha"),
    Column("entry_timeout", "entry_timeout"),
    Column("drain_after", "drain_after"),
]
RESULTS = [
    Column("expect", "kind"),
    Column("expect_port", "port"),
    Column("expect_epoch", "epoch"),
    Column("expect_xoff_state", "xoff_state"),
    Column("expect_xoff", "xoff"),
    Column("expect_xon", "xon"),
    Column("expect_order_risk", "order_risk"),
    Column("expect_ack_refused", "ack_refused"),
]
COLUMNS = [column.name for column in INPUTS + RESULTS]
KINDS = [NEW, SAME, FORCED, NO_ROUTE]
EVENTS = ["xoff", "xon", "order_risk", "ack_refused"]
# The events of visits, which stand in no line but change what later lines expect.
VISITS = ["entry_cleared", "visit xoff", "visit xon"]


@dataclass
class Host:
    """What a host sends into one bucket, and what the receivers of that bucket have."""

    bucket: int
    # Bytes that it has in flight at most, the group of uplinks, and packets that have one ACK.
    window: int
    group: int
    coalesced: int
    # Whether it stops at an XOFF, and whether it has stopped.
    heeds: bool
    is_off: bool = False
    # It sends nothing before this time.
    silent_until: int = 0
    # The epoch, the bytes, and the number of packets that arrived without an ACK.
    epoch: int = 0
    pending: int = 0
    packets: int = 0
    # The highest number that arrived, and the first number after the last `forced` or clearing of the bucket.
    highest: int = -1
    excused_below: int = 0


@dataclass
class Network:
    """Hosts, a switch with FIFO uplinks, receivers, and ACKs that are late, lost, repeated or wrong; each op is recorded.

    A `faulty` network has what a sound one has not: losses, forged ACKs and times, timeouts that are too short, a bucket
    that is filled beyond its count of bytes, and groups of uplinks that change.
    """

    name: str
    seed: int
    buckets: int
    uplinks: int
    pick: str
    # Ticks of `now` in one of `clock`, and the timeouts of a bucket that occur, in ticks of `clock`.
    clock_ns: int
    timeouts: tuple[int, ...]
    # Buckets from 0 on in which there is traffic, and how many of them at a time.
    used: int
    active: int
    faulty: bool = True
    module: ModuleType = flowcut_switch
    trace: Trace = field(init=False)

    # The uplinks are of four lengths; these are their classes.
    GROUPS = (0, 3, 9, 15)

    def __post_init__(self) -> None:
        settings = {
            "seed": self.seed,
            "flowcut_switch.buckets": self.buckets,
            "flowcut_switch.uplinks": self.uplinks,
            "flowcut_switch.pick": self.pick,
        }
        self.trace = Trace(self.name, COLUMNS, settings)
        self.chance = Chance(self.seed)
        self.model = self.module.Switch(self.buckets, self.uplinks, self.pick, seed=self.seed)
        self.time = 1_000_000 + self.chance.below(1_000_000)
        self.events = []
        self.numbers = 0
        self.base = [3000 + 1500 * (port % 4) for port in range(self.uplinks)]
        self.queues = [0] * self.uplinks
        self.free_at = [0] * self.uplinks
        self.all_up = 2**self.uplinks - 1
        self.down = 0
        # The first group has all uplinks, the others a half, two and one of them.
        self.masks = [self.all_up, self.all_up // 3, 0b1010, 1 << self.uplinks - 1]
        self.ports = {"rtt_floor": 0, "ratio": 8, "alpha": 3, "entry_timeout": max(self.timeouts), "drain_after": 2}
        self.hosts = {}
        self.out_of_order = 0
        # How many ops are recorded; what comes after them in the same event is not.
        self.ops = 0

    # Ops -----------------------------------------------------------------------------------------------------------

    def apply(self, kind: str, bucket: int = 0, **fields: int) -> Outcome:
        """An op now, which is recorded, and perhaps a visit before it."""
        now, clock = self.time & TIME_MASK, self.time // self.clock_ns % 256
        op = Op(kind, bucket, now=now, clock=clock, **self.ports)._replace(**fields)
        visit, outcome = self.model.offer(op)
        if len(self.trace.rows) < self.ops:
            self.trace.add(**inputs_of(op, INPUTS), **results_of(outcome, RESULTS))
            self.count(op, visit, outcome)
        if visit is not None:
            self.hear(visit)
        self.hear(outcome)
        return outcome

    def count(self, op: Op, visit: Outcome | None, outcome: Outcome) -> None:
        counts = self.trace.counts
        counts[op.kind] += 1
        counts[outcome.kind] += 1
        for event in EVENTS:
            counts[event] += getattr(outcome, event)
        if visit is not None:
            counts["visit"] += 1
            counts["visit xoff"] += visit.xoff
            counts["visit xon"] += visit.xon
            counts["entry_cleared"] += visit.entry_cleared
        if op.kind == "ack":
            counts["saturated"] += self.model.buckets[op.bucket].saturated and not outcome.ack_refused

    def hear(self, outcome: Outcome) -> None:
        """What the host of a bucket, and whoever checks the order of its packets, makes of events."""
        host = self.hosts.get(outcome.bucket)
        if host is None:
            return
        if outcome.xoff or outcome.xoff_state:
            host.is_off = True
        if outcome.xon or outcome.kind == NEW:
            host.is_off = False
        if outcome.order_risk:
            host.excused_below = self.numbers

    def at(self, delay: float, action: Callable[..., None], *arguments: object) -> None:
        """Something that happens after this many ticks."""
        self.numbers += 1
        heapq.heappush(self.events, (self.time + int(delay), self.numbers, action, arguments))

    def run(self, ops: int) -> "Network":
        """Records this many ops."""
        self.ops = ops
        for _ in range(self.active):
            self.at(self.chance.below(3000), self.arrive)
        self.report_load()
        self.change_queues()
        self.change_settings()
        if self.faulty:
            self.disturb()
            self.change_uplinks()
            if ops > 15_000:
                self.at(3000, self.fill, self.used, 6)
                self.at(25_000, self.fill, self.used + 1, 0)
        while len(self.trace.rows) < ops:
            self.time, _, action, arguments = heapq.heappop(self.events)
            action(*arguments)
        return self

    # The host ------------------------------------------------------------------------------------------------------

    def arrive(self) -> None:
        """A host begins to send into a bucket, for a while."""
        chance = self.chance
        bucket = chance.below(self.used)
        if bucket in self.hosts:
            self.at(100, self.arrive)
            return
        group = (0, 0, 0, 1, 1, 2, 3)[bucket % 7]
        self.hosts[bucket] = Host(bucket, chance.one_of(WINDOWS), group, 1 + chance.below(3), chance.happens(0.8))
        self.wake(bucket, self.time + 20_000 + chance.below(150_000))

    def wake(self, bucket: int, until: int) -> None:
        """A host sends what it may, in bursts and with pauses."""
        host, chance = self.hosts[bucket], self.chance
        is_over = self.time > until and not (self.model.buckets[bucket].in_flight and chance.happens(0.9))
        if is_over and (self.faulty or not self.model.buckets[bucket].in_flight):
            del self.hosts[bucket]
            self.arrive()
            return
        self.at(100 + chance.below(1500), self.wake, bucket, until)
        if self.time < host.silent_until or host.is_off and host.heeds and not chance.happens(0.005 * self.faulty):
            return
        if chance.happens(0.01):
            host.silent_until = self.time + chance.below(200_000)
        for _ in range(1 + chance.below(4) * chance.below(2)):
            if self.model.buckets[bucket].in_flight < host.window:
                self.send(host, chance.one_of(SIZES))

    def up(self, host: Host) -> int:
        return self.masks[host.group] & ~self.down

    def send(self, host: Host, size: int) -> None:
        outcome = self.apply("data", host.bucket, bytes=size, up=self.up(host))
        if outcome.kind != NO_ROUTE:
            self.transmit(host, size, outcome)

    def transmit(self, host: Host, size: int, outcome: Outcome) -> None:
        """A packet takes its uplink, where no packet overtakes it, or is lost there."""
        port = outcome.port
        self.numbers += 1
        serial = size // 25
        jitter = self.chance.below(self.base[port] // 8)
        arrives = max(self.free_at[port], self.time + serial + self.base[port] // 2 + self.queues[port] + jitter)
        self.free_at[port] = arrives
        if self.faulty and self.chance.happens(0.006):
            return
        arguments = (host, self.numbers, size, outcome.epoch, self.time, port, serial)
        self.at(arrives - self.time, self.receive, *arguments)

    # The receiver --------------------------------------------------------------------------------------------------

    def receive(
        self, host: Host, number: int, size: int, epoch: int, sent_at: int, port: int, serial: int
    ) -> None:
        if number < host.highest and number >= host.excused_below:
            self.out_of_order += 1
        host.highest = max(host.highest, number)
        if epoch != host.epoch:
            self.flush(host, sent_at, port, serial)
            host.epoch = epoch
        host.pending += size
        host.packets += 1
        # The last packet of a burst has to have its ACK, else its bytes stay in flight for ever.
        if host.packets >= host.coalesced or self.model.buckets[host.bucket].in_flight <= host.pending:
            self.flush(host, sent_at, port, serial)
        else:
            self.at(3000, self.flush, host, sent_at, port, serial)

    def flush(self, host: Host, sent_at: int, port: int, serial: int) -> None:
        """Sends an ACK for all that arrived of one epoch, at times late enough to be overtaken, and at times twice."""
        if not host.packets:
            return
        chance = self.chance
        fields = {"epoch": host.epoch, "bytes": host.pending, "timestamp": sent_at & TIME_MASK}
        # Half of the callers group packets of one size only, and give no serialisation.
        fields |= {"group": self.GROUPS[port % 4], "serial": serial if host.bucket % 2 else 0}
        host.pending = host.packets = 0
        delay = self.base[port] // 2 + (chance.below(6000) if chance.happens(0.1) else 0)
        if not (self.faulty and chance.happens(0.006)):
            self.at(delay, self.deliver, host.bucket, fields)
        if self.faulty and chance.happens(0.03):
            self.at(delay + chance.below(12_000), self.deliver, host.bucket, fields)

    def deliver(self, bucket: int, fields: dict[str, int]) -> None:
        """An ACK is at the switch."""
        op = Op("ack", bucket, now=self.time & TIME_MASK, **fields)
        if self.faulty and self.chance.happens(0.15):
            op = self.steered(op)
        self.apply("ack", bucket, **{name: getattr(op, name) for name in fields})

    def steered(self, op: Op) -> Op:
        """The ACK with a time by which a comparison is equal or off by one: that of `hot`, or that of the floor."""
        chance, bucket = self.chance, self.model.buckets[op.bucket]
        off = chance.below(3) - 1
        rtt = (op.now - op.timestamp) & TIME_MASK
        if chance.happens(0.2):
            rtt = self.ports["rtt_floor"] + op.serial + off
        elif chance.happens(0.15):
            # Of the RTT nothing is left without the serialisation, or it is the whole.
            op = op._replace(serial=max(0, rtt + off))
        else:
            limit = ONE_TICK * self.ports["ratio"] * (self.model.rtt_min[op.group] + op.serial) // 2
            if bucket.has_avg:
                limit = bucket.avg + (limit - bucket.avg << min(max(self.ports["alpha"], 1), 5))
            rtt = limit // ONE_TICK + off
        if not 0 <= rtt <= TIME_MASK or op.serial > TIME_MASK:
            return op
        return op._replace(timestamp=(op.now - rtt) & TIME_MASK)

    # What changes --------------------------------------------------------------------------------------------------

    def report_load(self) -> None:
        """The fill of an egress queue, in units so coarse that many are equal."""
        chance = self.chance
        self.at(50 + chance.below(400), self.report_load)
        port = chance.below(self.uplinks)
        waits = max(0, self.free_at[port] - self.time - self.base[port] // 2)
        self.apply("load", port=port, load=min(255, waits // 1000) if chance.happens(0.97) else chance.below(256))

    def change_queues(self) -> None:
        """Some uplink's queue is long or short from now on."""
        chance = self.chance
        self.at(300 + chance.below(1500), self.change_queues)
        port = chance.below(self.uplinks)
        share = chance.random() * (4 if chance.happens(0.35) else 0.3)
        self.queues[port] = int(self.base[port] * share)

    def change_settings(self) -> None:
        """One setting has another value from now on, most of them for a while only."""
        chance = self.chance
        self.at(2000 + chance.below(6000), self.change_settings)
        values = {
            "rtt_floor": [0, 0, 2500, 3000] + [1, TIME_MASK] * self.faulty,
            "ratio": [8, 8, 6, 10, 4, 5, 3, 63] + [0] * self.faulty,
            "alpha": [0, 1, 2, 3, 4, 5, 6, 7],
            "entry_timeout": self.timeouts,
            "drain_after": [0, 1, 1, 2, 2, 3],
        }
        name = chance.one_of(list(values))
        self.ports[name] = chance.one_of(values[name])
        if chance.happens(0.3):
            # The caller says what the lengths of the paths are.
            port = chance.below(4)
            self.apply("set_min", timestamp=self.base[port], group=self.GROUPS[port])

    def change_uplinks(self) -> None:
        """Uplinks die for a while, seldom all of them; a group gets others."""
        chance = self.chance
        self.at(1500 + chance.below(6000), self.change_uplinks)
        draw = chance.below(10)
        if draw < 4:
            self.down = 0
        elif draw < 8:
            self.down |= 1 << chance.below(self.uplinks)
        elif draw < 9:
            self.masks[2] = 1 << chance.below(self.uplinks) | 1 << chance.below(self.uplinks)
        else:
            self.down = self.all_up
            self.at(150, self.revive)

    def revive(self) -> None:
        self.down = 0

    def disturb(self) -> None:
        """Ops that no sound caller gives: minima and ACKs of any value, and packets of foreign buckets."""
        chance = self.chance
        self.at(50 + chance.below(700), self.disturb)
        draw = chance.below(100)
        if draw < 4:
            value = chance.one_of([0, 1, TIME_MASK, chance.below(TIME_MASK), 3000])
            group = chance.one_of(self.GROUPS) if chance.happens(0.7) else chance.below(16)
            self.apply("set_min", timestamp=value, group=group)
        elif draw < 60 and self.hosts:
            self.forge(chance.one_of(sorted(self.hosts)))
        elif draw < 70:
            self.forge(chance.below(self.buckets))
        elif draw < 80:
            # A packet of which nobody hears again.
            up = chance.one_of([0, 1, self.all_up, chance.below(self.all_up)])
            self.apply("data", chance.below(self.used), bytes=1 + chance.below(MOST_BYTES), up=up)

    def forge(self, bucket: int) -> None:
        """An ACK of any count: of all, or one byte more or less; of another epoch; of a wrong time."""
        chance, state = self.chance, self.model.buckets[bucket]
        in_flight = state.in_flight
        counts = [0, 1, in_flight, in_flight - 1, in_flight + 1, in_flight + 1, in_flight + 1 + chance.below(2**23)]
        rtt = chance.one_of([0, 1, 9000, TIME_MASK, chance.below(TIME_MASK)])
        self.apply(
            "ack",
            bucket,
            bytes=min(MOST_IN_FLIGHT, max(0, chance.one_of(counts))),
            epoch=(state.epoch + chance.one_of([0, 0, 0, 1, 15, 8])) % 16,
            timestamp=(self.time - rtt) & TIME_MASK,
            group=chance.one_of(self.GROUPS),
            serial=chance.one_of([0, 0, 1, 300, chance.below(TIME_MASK)]),
        )

    # More bytes than can be counted ----------------------------------------------------------------------------------

    def fill(self, bucket: int, rounds: int) -> None:
        """Large packets without ACKs, then packets that fit just, then an ACK of a part, again, and then one too many."""
        state = self.model.buckets[bucket]
        room = MOST_IN_FLIGHT - state.in_flight
        self.apply("data", bucket, bytes=max(1, min(MOST_BYTES, room)), up=self.masks[0])
        if room > MOST_BYTES:
            self.at(15, self.fill, bucket, rounds)
            return
        if rounds:
            part = self.chance.one_of([1, 5, MOST_BYTES, 20_000])
            self.answer(bucket, part)
            self.at(40, self.fill, bucket, rounds - 1)
            return
        if not bucket % 2:
            # This one is full, and not beyond: one ACK of all makes it empty.
            self.answer(bucket, MOST_IN_FLIGHT)
            return
        self.apply("data", bucket, bytes=1, up=self.masks[0])
        for part in (1, MOST_IN_FLIGHT, 4096, MOST_IN_FLIGHT - 1):
            self.answer(bucket, part)
            self.apply("data", bucket, bytes=4096, up=self.masks[0])
        # It is silent until the walker has cleared it, which takes a timeout and a round.
        for delay in (520_000, 540_000):
            self.at(delay, self.look, bucket)

    def answer(self, bucket: int, part: int) -> None:
        """An ACK that makes no bucket hot, as all of its class have one RTT."""
        epoch = self.model.buckets[bucket].epoch
        self.apply("ack", bucket, bytes=part, epoch=epoch, timestamp=(self.time - 3000) & TIME_MASK, group=1)

    def look(self, bucket: int) -> None:
        """An ACK and a packet show whether a bucket is still saturated."""
        self.answer(bucket, 4096)
        self.apply("data", bucket, bytes=4096, up=self.masks[0])
        self.answer(bucket, 4096)


def networks() -> list[Network]:
    """The traces. Those with 512 buckets hold three rounds of the walker, those with 4096 the first part of one."""
    few, many = (1, 2, 3, 5, 5), (0, 6, 12, 24, 24, 40, 150)
    return [
        Network("flowcut_switch_all_512", 301, 512, 16, ALL, 4096, many, 500, 36).run(26_000),
        Network("flowcut_switch_two_512", 308, 512, 8, TWO, 32_768, few, 500, 36).run(26_000),
        Network("flowcut_switch_all_4096", 303, 4096, 64, ALL, 16_384, (0, *few), 500, 48).run(8_000),
        Network("flowcut_switch_two_4096", 65_535, 4096, 64, TWO, 12_288, (*few, 40), 4096, 48).run(8_000),
    ]


def table(traces: list[Network]) -> list[str]:
    """What the traces hold, as a table in Markdown."""
    lines = [
        "| trace | ops | data: new, same, forced, no_route | acks, refused, of saturated buckets; loads, set_mins "
        "| xoff, xon of ops | visits: all, entry_cleared, xoff, xon |",
        "| --- | --- | --- | --- | --- | --- |",
    ]
    for network in traces:
        c = network.trace.counts
        lines.append(
            f"| `{network.trace.name}` | {len(network.trace.rows)} | {', '.join(str(c[kind]) for kind in KINDS)} "
            f"| {c['ack']}, {c['ack_refused']}, {c['saturated']}; {c['load']}, {c['set_min']} | {c['xoff']}, {c['xon']} "
            f"| {c['visit']}, {', '.join(str(c[what]) for what in VISITS)} |"
        )
    return lines


def main() -> None:
    made = networks()
    FOLDER.mkdir(exist_ok=True)
    for network in made:
        for name, contents in network.trace.files().items():
            data = contents.encode()
            (FOLDER / name).write_bytes(packed(data) if name.endswith(".gz") else data)
    print("\n".join(table(made)))


if __name__ == "__main__":
    main()

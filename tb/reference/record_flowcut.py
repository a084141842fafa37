"""Records op traces of `flowcut`: `python tb/reference/record_flowcut.py`.

A trace is `NAME.csv.gz` with one op a line and `NAME.settings.csv` with what holds for all of it, as in `record.py`.
`op` is the kind as a word, `class` is `op_class`, and a tick is 1 ns: `now` is `time_ns` modulo 2^flowcut.time_bits. A
field that an op does not use is empty; `expect` (`new`, `same` or `wait`) and `expect_draining` are those of sends, `expect_ev` that of
sends that do not wait. All state is as after a reset at the first line. What the traces hold is printed.
"""

import heapq
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType

import flowcut
import replay
from flowcut import BYTES_MASK, HALF_CIRCLE, NEW, ONE_TICK, PAPER, STICKY, WAIT, Op, Outcome
from record import Chance, Trace, packed

FOLDER = Path(__file__).parent / "flowcut_traces"
OPS = 20_000
CONNECTIONS = 16
MOST_BYTES = 2**14 - 1
SIZES = (64, 256, 1000, 1024, 2048, 4096, 4096, 4096, 9000, MOST_BYTES)

SETTINGS = ["rtt_floor", "ratio", "alpha", "hold", "timeout_reroutes"]
INPUTS = ["time_ns", "op", "conn", "bytes", "rtx", "recvd", "timestamp", "class", "serial", "now", *SETTINGS]
EVENTS = ["drain_started", "drain_done", "drain_given_up", "order_risk", "ack_refused"]
COLUMNS = INPUTS + ["expect", "expect_ev", "expect_draining"] + [f"expect_{event}" for event in EVENTS]
# The fields of an op that its kind uses, by their names in `Op`; the column of `group` is `class`.
FIELDS = {
    "send": ["bytes", "rtx"],
    "ack": ["recvd", "timestamp", "group", "serial"],
    "nack": [],
    "timeout": [],
    "init": ["recvd", "timestamp"],
    "set_min": ["timestamp", "group"],
}


def row_of(op: Op, time_ns: int, outcome: Outcome) -> dict[str, int | str]:
    """The line of a trace for an op, by column."""
    row = {"time_ns": time_ns, "op": op.kind, "conn": op.conn, "now": op.now}
    row |= {name: getattr(op, name) for name in SETTINGS}
    row |= {"class" if name == "group" else name: getattr(op, name) for name in FIELDS[op.kind]}
    row |= {f"expect_{event}": getattr(outcome, event) for event in EVENTS}
    if outcome.res_valid:
        row |= {"expect": outcome.res_kind, "expect_draining": outcome.res_draining}
        if outcome.res_ev is not None:
            row["expect_ev"] = outcome.res_ev
    return row


def op_of(row: replay.Row) -> Op:
    """The op of a line that was read from a trace."""
    used = {name: int(row["class" if name == "group" else name]) for name in [*FIELDS[row["op"]], "now", *SETTINGS]}
    return Op(row["op"], int(row["conn"]), **used)


def expected(outcome: Outcome) -> dict[str, str]:
    """What a line of a trace has to say of an outcome, by column, as text."""
    shown = {"expect": outcome.res_kind, "expect_ev": outcome.res_ev, "expect_draining": outcome.res_draining}
    shown |= {f"expect_{event}": getattr(outcome, event) for event in EVENTS}
    return {name: "" if value is None else str(value) for name, value in shown.items()}


def is_disputed(model: flowcut.Flowcut, op: Op) -> bool:
    """Whether a send of 0 bytes gives one thing by the sentence of the page and another by its pseudo-code alone."""
    flow = model.flows[op.conn]
    if op.kind != "send" or op.bytes or op.rtx:
        return False
    holds = bool(flow.draining and op.hold)
    return holds or flow.placed and model.variant == PAPER and flow.in_flight() == 0


@dataclass
class Packet:
    """A first transmission, and the copies that are sent of it."""

    number: int
    size: int
    epoch: int


@dataclass
class Ends:
    """Both ends of a connection: what the sender wants, and what the receiver has."""

    # Bytes that the sender has in flight at most, and how many packets have one ACK.
    window: int
    coalesced: int
    # Packets of an earlier epoch, which an init ended, are not counted.
    epoch: int = 0
    # Packets that the sender believes lost.
    missing: list[Packet] = field(default_factory=list)
    # It waits for the end of the drain, or for any ACK.
    waits_for_drain: bool = False
    waits_for_ack: bool = False
    # The time of the last op that moved something, and whether the connection is being filled to the half circle.
    moved_at: int = 0
    is_filling: bool = False
    # Bytes received without duplicates, the numbers of the packets in it, and packets since the last ACK.
    recvd: int = 0
    arrived: set[int] = field(default_factory=set)
    since_ack: int = 0
    # The highest number that arrived as a first transmission, and the first number after the last `order_risk`.
    highest: int = -1
    excused_below: int = 0


class Network:
    """Senders, FIFO paths, receivers, and ACKs that are late, lost, repeated and overtake; each op is recorded.

    An EV is one of eight paths, which have base RTTs of their own and queues that are long or short for a while. A
    `faulty` network also has ops that a sound driver does not give: forged ACKs and times, inits at one end, nacks.
    `disputed` is the share of sends of 0 bytes about which the page says two things; there are none without it.
    """

    PATHS = 8
    # The class of each path. Paths 0 and 1 are of one length, and so on.
    GROUPS = (0, 0, 1, 1, 2, 7, 9, 15)

    def __init__(
        self,
        name: str,
        seed: int,
        variant: str,
        time_bits: int,
        ev_base: int = 0,
        ev_bits: int = 16,
        faulty: bool = True,
        disputed: float = 0.0,
        module: ModuleType = flowcut,
    ) -> None:
        settings = {"connections": CONNECTIONS, "seed": seed, "flowcut.variant": variant}
        settings |= {"flowcut.time_bits": time_bits, "selector.ev_base": ev_base, "selector.ev_bits": ev_bits}
        self.trace = Trace(name, COLUMNS, settings)
        self.model = module.Flowcut(CONNECTIONS, variant, time_bits, seed=seed, ev_base=ev_base, ev_bits=ev_bits)
        self.chance = Chance(seed)
        self.faulty = faulty
        self.disputed = disputed
        self.time_mask = 2**time_bits - 1
        # Ticks that a bus of 200 Gb/s needs for 25 bytes; RTTs of 24 bits are longer by as much.
        self.scale = 1 if time_bits == 16 else 200
        self.time = 1_000_000 + self.chance.below(1_000_000)
        self.events = []
        self.numbers = 0
        self.base = [(4000 + 800 * self.GROUPS[path]) * self.scale for path in range(self.PATHS)]
        self.queues = [0] * self.PATHS
        self.free_at = [0] * self.PATHS
        windows = [1, 4096, 20_000, 60_000, 200_000]
        self.ends = [Ends(self.chance.one_of(windows), 1 + self.chance.below(3)) for _ in range(CONNECTIONS)]
        self.ports = {"rtt_floor": 0, "ratio": 8, "alpha": 3, "hold": 1, "timeout_reroutes": 0}
        self.observers: list[Callable[[Op, Outcome], None]] = []
        self.out_of_order = 0

    # Ops -----------------------------------------------------------------------------------------------------------

    def apply(self, kind: str, conn: int, **fields: int) -> Outcome:
        """An op now, which is recorded."""
        op = Op(kind, conn, now=self.time & self.time_mask, **self.ports)._replace(**fields)
        self.trace.counts["disputed"] += is_disputed(self.model, op)
        outcome = self.model.apply(op)
        self.trace.add(**row_of(op, self.time, outcome))
        for observer in self.observers:
            observer(op, outcome)
        self.count(op, outcome)
        ends = self.ends[conn]
        if outcome.order_risk:
            ends.excused_below = self.numbers
        if kind == "init" or outcome.drain_done or outcome.drain_given_up:
            ends.waits_for_drain = False
        if kind == "init" or kind == "ack" and not outcome.ack_refused:
            ends.waits_for_ack = False
        if kind in ("init", "timeout") or kind == "ack" and not outcome.ack_refused:
            ends.moved_at = self.time
        return outcome

    def count(self, op: Op, outcome: Outcome) -> None:
        counts = self.trace.counts
        counts[op.kind] += 1
        for event in EVENTS:
            counts[event] += getattr(outcome, event)
        if outcome.res_valid:
            counts[outcome.res_kind] += 1
            counts["zero"] += op.bytes == 0
            counts["rtx"] += op.rtx
            counts["rtx new"] += op.rtx and outcome.res_kind == NEW
            counts["full"] += outcome.res_kind == WAIT and not outcome.res_draining

    def in_flight(self, conn: int) -> int:
        return self.model.flows[conn].in_flight()

    def at(self, delay: float, action: Callable[..., None], *arguments: object) -> None:
        """Something that happens after this many ticks."""
        self.numbers += 1
        heapq.heappush(self.events, (self.time + int(delay), self.numbers, action, arguments))

    def run(self, ops: int) -> "Network":
        """Records this many ops."""
        for conn in range(CONNECTIONS):
            self.at(self.chance.below(5000) * self.scale, self.wake, conn)
        self.change_queues()
        self.change_settings()
        self.disturb()
        # When this many ops are recorded, a connection is filled.
        fills = [ops // 8, ops // 3, 2 * ops // 3] if ops >= OPS and self.faulty else []
        while len(self.trace.rows) < ops:
            if fills and len(self.trace.rows) >= fills[0]:
                del fills[0]
                self.start_fill(CONNECTIONS - 1 - len(fills))
            self.time, _, action, arguments = heapq.heappop(self.events)
            action(*arguments)
        del self.trace.rows[ops:]
        return self

    # The sender ----------------------------------------------------------------------------------------------------

    def wake(self, conn: int) -> None:
        """A connection sends what it may, in bursts and with pauses."""
        ends, chance = self.ends[conn], self.chance
        self.at((20 + chance.below(400)) * self.scale, self.wake, conn)
        if ends.is_filling:
            return
        if self.time - ends.moved_at > 60_000 * self.scale and self.in_flight(conn):
            # Nothing came back for long: a probe brings the receiver's count, or its loss is a timeout.
            ends.moved_at = self.time
            if chance.happens(0.6):
                self.at(self.base[0], self.acknowledge, conn, ends.epoch, self.time, self.GROUPS[0], 0)
            else:
                self.apply("timeout", conn)
        # Now and then it asks too early, or forgets that it waits; it gets `wait` once more.
        is_waiting = ends.waits_for_drain or ends.waits_for_ack
        if ends.missing and chance.happens(0.5):
            self.retransmit(conn, ends.missing.pop(0))
        elif is_waiting and not chance.happens(0.01):
            pass
        elif chance.happens(0.012):
            # A sender goes silent for some RTTs.
            ends.waits_for_ack = True
            self.at(chance.below(60_000) * self.scale, self.resume, conn)
        elif self.in_flight(conn) < ends.window:
            for _ in range(1 + chance.below(4) * chance.below(2)):
                if self.in_flight(conn) < ends.window:
                    self.send(conn, chance.one_of(SIZES))
        elif chance.happens(0.02):
            self.send_nothing(conn)
        if self.disputed and chance.happens(0.1):
            self.send_nothing(conn)

    def resume(self, conn: int) -> None:
        self.ends[conn].waits_for_ack = False

    def send(self, conn: int, size: int) -> str:
        """Sends a packet for the first time; gives the kind of the result."""
        ends = self.ends[conn]
        number = self.numbers
        outcome = self.apply("send", conn, bytes=size)
        if outcome.res_kind == WAIT:
            ends.waits_for_drain = bool(outcome.res_draining)
            ends.waits_for_ack = not outcome.res_draining
            return WAIT
        self.numbers += 1
        packet = Packet(number, size, ends.epoch)
        if ends.is_filling:
            self.receive(conn, packet, 0, 0, True)
        else:
            self.transmit(conn, packet, outcome.res_ev, True)
        return outcome.res_kind

    def send_nothing(self, conn: int) -> None:
        """A send of 0 bytes, of which the receiver counts nothing."""
        rtx = int(self.chance.happens(0.1))
        op = Op("send", conn, rtx=rtx, hold=self.ports["hold"])
        if is_disputed(self.model, op) and not self.chance.happens(self.disputed):
            return
        self.apply("send", conn, bytes=0, rtx=rtx)

    def retransmit(self, conn: int, packet: Packet) -> None:
        if packet.epoch == self.ends[conn].epoch:
            outcome = self.apply("send", conn, bytes=packet.size, rtx=1)
            self.transmit(conn, packet, outcome.res_ev, False)

    def transmit(self, conn: int, packet: Packet, ev: int, is_first: bool) -> None:
        """A packet takes the path of its EV, which no packet overtakes, or is lost there."""
        path = (ev * 40503 >> 9) % self.PATHS
        serial = packet.size * self.scale // 25
        jitter = self.chance.below(self.base[path] // 8)
        arrives = max(self.free_at[path], self.time + serial + self.base[path] * 3 // 4 + self.queues[path] + jitter)
        self.free_at[path] = arrives
        is_lost = self.chance.happens(0.015)
        if not is_lost:
            group = self.GROUPS[path]
            args = (conn, packet, self.time, group, is_first, serial)
            self.at(arrives - self.time, self.receive, *args)
        if is_lost or self.chance.happens(0.004):
            # The sender notices, or believes so.
            self.at(arrives - self.time + self.base[path], self.ends[conn].missing.append, packet)

    # The receiver --------------------------------------------------------------------------------------------------

    def receive(self, conn: int, packet: Packet, sent_at: int, group: int, is_first: bool, serial: int = 0) -> None:
        ends, chance = self.ends[conn], self.chance
        if packet.epoch != ends.epoch:
            return
        if is_first:
            if packet.number < ends.highest and packet.number >= ends.excused_below:
                self.out_of_order += 1
            ends.highest = max(ends.highest, packet.number)
        if packet.number not in ends.arrived:
            ends.arrived.add(packet.number)
            ends.recvd = (ends.recvd + packet.size) & BYTES_MASK
        if ends.is_filling:
            return
        ends.since_ack += 1
        if ends.since_ack >= ends.coalesced or chance.happens(0.3):
            ends.since_ack = 0
            if not chance.happens(0.08):
                # Half of the drivers group packets of one size only, and give no serialisation.
                self.acknowledge(conn, ends.epoch, sent_at, group, serial if conn % 2 else 0)

    def acknowledge(self, conn: int, epoch: int, sent_at: int, group: int, serial: int) -> None:
        """Sends an ACK back, at times late enough to be overtaken, and at times twice."""
        ends, chance = self.ends[conn], self.chance
        base = self.base[0]
        delay = base // 4 + (chance.below(base) if chance.happens(0.15) else 0)
        self.at(delay, self.deliver, conn, epoch, ends.recvd, sent_at, group, serial)
        if chance.happens(0.04):
            self.at(delay + chance.below(2 * base), self.deliver, conn, epoch, ends.recvd, sent_at, group, serial)

    def deliver(self, conn: int, epoch: int, recvd: int, sent_at: int, group: int, serial: int) -> None:
        """An ACK is at the sender. Of an epoch that is over it comes in a faulty network alone, and seldom."""
        if epoch != self.ends[conn].epoch and not (self.faulty and self.chance.happens(0.2)):
            return
        op = Op("ack", conn, 0, 0, recvd, sent_at & self.time_mask, group, serial, self.time & self.time_mask)
        if self.faulty and self.chance.happens(0.12):
            op = self.steered(op)
        fields = {name: getattr(op, name) for name in FIELDS["ack"]}
        self.apply("ack", conn, **fields)

    def steered(self, op: Op) -> Op:
        """The ACK with a time by which a comparison is equal or off by one: that of `hot`, or that of the floor."""
        chance, flow = self.chance, self.model.flows[op.conn]
        off = chance.below(3) - 1
        rtt = (op.now - op.timestamp) & self.time_mask
        if chance.happens(0.3):
            rtt = self.ports["rtt_floor"] + op.serial + off
        elif chance.happens(0.15):
            # Of the RTT nothing is left without the serialisation, or it is the whole.
            op = op._replace(serial=max(0, rtt + off))
        else:
            limit = ONE_TICK * self.ports["ratio"] * (self.model.rtt_min[op.group] + op.serial) // 2
            if flow.has_avg:
                limit = flow.avg + (limit - flow.avg << self.ports["alpha"])
            rtt = limit // ONE_TICK + off
        if not 0 <= rtt <= self.time_mask or op.serial > self.time_mask:
            return op
        return op._replace(timestamp=(op.now - rtt) & self.time_mask)

    # What changes --------------------------------------------------------------------------------------------------

    def change_queues(self) -> None:
        """Some path's queue is long or short from now on."""
        chance = self.chance
        self.at((500 + chance.below(4000)) * self.scale, self.change_queues)
        path = chance.below(self.PATHS)
        share = chance.random() * (5 if chance.happens(0.45) else 0.3)
        self.queues[path] = int(self.base[path] * share)

    def change_settings(self) -> None:
        """One port of settings has another value from now on, most of them for a while only."""
        chance = self.chance
        self.at((2000 + chance.below(9000)) * self.scale, self.change_settings)
        port = chance.one_of(SETTINGS)
        floors = [0, 0, 1, 3000 * self.scale, 4000 * self.scale, 6000 * self.scale, self.time_mask]
        values = {
            "rtt_floor": floors if self.faulty else [0, 3000 * self.scale],
            "ratio": [8, 8, 6, 10, 4, 5, 3, 2, 63] + [0] * self.faulty,
            "alpha": [1, 2, 3, 4, 5],
            "hold": [0, 1, 1, 1],
            "timeout_reroutes": [0, 1],
        }
        self.ports[port] = chance.one_of(values[port])
        conn = chance.below(CONNECTIONS)
        self.ends[conn].window = chance.one_of([1, 4096, 20_000, 60_000, 200_000])
        if chance.happens(0.5):
            # The driver says what the lengths of the paths are.
            path = chance.below(self.PATHS)
            self.apply("set_min", conn, timestamp=self.base[path], group=self.GROUPS[path])

    def disturb(self) -> None:
        """Ops that come by themselves: timeouts and inits, and in a faulty network what no sound driver gives."""
        chance = self.chance
        self.at((50 + chance.below(500)) * self.scale, self.disturb)
        conn = chance.below(CONNECTIONS)
        idle = [number for number in range(CONNECTIONS) if not self.in_flight(number)]
        if idle and chance.happens(0.3):
            conn = chance.one_of(idle)
        if self.ends[conn].is_filling:
            return
        draw = chance.below(100)
        if draw < 6:
            self.apply("timeout", conn)
        elif draw < 9:
            self.initialise(conn)
        elif draw < 14:
            self.apply("nack", conn)
        elif draw < 20:
            self.send_nothing(conn)
        elif draw < 26:
            # A copy that was not needed, and that is lost.
            self.apply("send", conn, bytes=1 + chance.below(MOST_BYTES), rtx=1)
        elif self.faulty and draw < 30:
            group = chance.one_of(self.GROUPS) if chance.happens(0.8) else chance.below(16)
            value = chance.one_of([0, 1, self.time_mask, chance.below(self.time_mask), self.base[0]])
            self.apply("set_min", conn, timestamp=value, group=group)
        elif self.faulty and draw < 66:
            self.forge(conn)

    def initialise(self, conn: int) -> None:
        """Both ends begin anew at one count, which is often just below where counts wrap."""
        ends, chance = self.ends[conn], self.chance
        near = [2**24 - 1 - chance.below(40_000), HALF_CIRCLE - chance.below(9)]
        recvd = chance.one_of([0, 0, *near, chance.below(2**24)])
        average = chance.one_of([0, 0, 1, self.base[0], 5 * self.base[0], self.time_mask])
        self.apply("init", conn, recvd=recvd, timestamp=average & self.time_mask)
        ends.epoch += 1
        ends.recvd = recvd
        ends.arrived.clear()
        ends.missing.clear()
        ends.since_ack = 0
        ends.highest = -1
        ends.excused_below = 0

    def forge(self, conn: int) -> None:
        """An ACK of any count: repeated, stale, of bytes never sent, of all, or off by one; some echo a wrong time."""
        chance, flow = self.chance, self.model.flows[conn]
        in_flight = flow.in_flight()
        ahead = chance.one_of(
            [0, -1, -chance.below(100_000), in_flight + 1, in_flight + 1 + chance.below(HALF_CIRCLE), HALF_CIRCLE]
        )
        if chance.happens(0.15):
            ahead = chance.one_of([1, in_flight, in_flight - 1])
        rtt = chance.one_of([0, 1, 9000 * self.scale, self.time_mask, chance.below(self.time_mask)])
        self.apply(
            "ack",
            conn,
            recvd=(flow.recvd + ahead) & BYTES_MASK,
            timestamp=(self.time - rtt) & self.time_mask,
            group=chance.one_of(self.GROUPS),
            serial=chance.one_of([0, 0, 1, 300 * self.scale, chance.below(self.time_mask)]),
        )

    # The half circle -----------------------------------------------------------------------------------------------

    def start_fill(self, conn: int) -> None:
        """No ACK of a connection arrives from now on, until its in-flight bytes are at the half circle."""
        ends = self.ends[conn]
        self.initialise(conn)
        ends.is_filling = True
        ends.waits_for_drain = ends.waits_for_ack = False
        self.fill(conn, 12)

    def fill(self, conn: int, rounds: int) -> None:
        """Large packets, then packets that fit just or just not, then an ACK of a part, and again."""
        ends, chance, flow = self.ends[conn], self.chance, self.model.flows[conn]
        if flow.draining and self.ports["hold"]:
            # A drain would let nothing pass.
            self.apply("timeout", conn)
        if HALF_CIRCLE - 1 - flow.in_flight() > 2 * MOST_BYTES:
            self.send(conn, MOST_BYTES)
            self.at(20 * self.scale, self.fill, conn, rounds)
            return
        for more in (1, 0, 1):
            room = HALF_CIRCLE - 1 - flow.in_flight()
            self.send(conn, max(1, min(MOST_BYTES, room + more - chance.below(2) * chance.below(9))))
        if chance.happens(0.3):
            # What is sent again needs no room, and neither does what is empty.
            self.apply("send", conn, bytes=MOST_BYTES, rtx=1)
            self.send_nothing(conn)
        part = chance.one_of([1, 5, MOST_BYTES, 20_000]) if rounds else flow.in_flight()
        recvd = (flow.recvd + part) & BYTES_MASK
        sent_at = (self.time - chance.one_of([1, 3, 20]) * self.base[0]) & self.time_mask
        self.apply("ack", conn, recvd=recvd, timestamp=sent_at, group=self.GROUPS[0])
        if rounds:
            self.at(20 * self.scale, self.fill, conn, rounds - 1)
        else:
            ends.is_filling = False
            ends.recvd = recvd


def networks() -> list[Network]:
    """The traces, one a variant and width."""
    return [
        Network("flowcut_paper_16", 201, PAPER, 16).run(OPS),
        Network("flowcut_sticky_16", 202, STICKY, 16, 49_152, 14).run(OPS),
        Network("flowcut_paper_24", 203, PAPER, 24, 0, 15).run(OPS),
        Network("flowcut_sticky_24", 65_535, STICKY, 24, 40_960, 3).run(OPS),
    ]


def networks_of_empty_packets() -> list[Network]:
    """Short traces of sends of 0 bytes where the pseudo-code of the page, read alone, would have them wait or begin anew."""
    seeds = ((205, PAPER), (206, STICKY))
    return [Network(f"flowcut_empty_{variant}_16", seed, variant, 16, disputed=1.0).run(2000) for seed, variant in seeds]


def table(traces: list[Network]) -> list[str]:
    """What the traces hold, as a table in Markdown."""
    lines = [
        "| trace | sends: new, same, wait (of these full) | with 0 bytes, again, again and new, disputed "
        "| acks, refused; nacks, timeouts, inits, set_mins | drains: started, done, given up | order_risk |",
        "| --- | --- | --- | --- | --- | --- |",
    ]
    for network in traces:
        c = network.trace.counts
        lines.append(
            f"| `{network.trace.name}` | {c['new']}, {c['same']}, {c['wait']} ({c['full']}) "
            f"| {c['zero']}, {c['rtx']}, {c['rtx new']}, {c['disputed']} "
            f"| {c['ack']}, {c['ack_refused']}; {c['nack']}, {c['timeout']}, {c['init']}, {c['set_min']} "
            f"| {c['drain_started']}, {c['drain_done']}, {c['drain_given_up']} | {c['order_risk']} |"
        )
    return lines


def main() -> None:
    made = networks() + networks_of_empty_packets()
    for network in made:
        for name, contents in network.trace.files().items():
            data = contents.encode()
            (FOLDER / name).write_bytes(packed(data) if name.endswith(".gz") else data)
    print("\n".join(table(made)))


if __name__ == "__main__":
    main()

"""Records op traces of `caver`: `python tb/reference/record_caver.py`.

A trace is `NAME.csv.gz` with one op a line and `NAME.settings.csv` with what holds for all of it, as in `record.py`. The
columns stand in `INPUTS` and `RESULTS`. `conn` is the destination, and 0 for an op that has none. A field that an op does
not use is empty, and so is a result that is not promised. All state is as after a reset at the first line.

No result depends on the cycles that a core takes. An estimator decays for the first time after 2^24 / ports cycles, which
is later than the last line. Of an entry that was not live for a while and is live again nobody knows here whether the
walker has cleared it meanwhile; so two models run beside each other, one to which the walker never comes, and one in
which it clears at once whatever is not live. An op to which they answer differently is left out. What the traces hold
is printed.
"""

import heapq
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType

import caver
from caver import ADVERTISED, BAD_ROUTE, COLLIDED, DELIVER, ECMP, KEPT, NEW, PASS, REFUSED, ROUTED, SAME, TOOK, Op, Outcome
from columns import Column, inputs_of, results_of
from record import Chance, Trace, packed

FOLDER = Path(__file__).parent / "caver_traces"
MOST_BYTES = 2**14 - 1
SIZES = (64, 1000, 4096, 4096, 9000, MOST_BYTES)
# Bytes of a path that say no port.
UNUSED = 0xFF

DATA, ACK, HOST, SHIFT = ("data",), ("ack",), ("host",), ("set_shift",)
# Ops between two slots of the core's own.
OPS_A_TURN = 15
INPUTS = [
    Column("now", "now"),
    Column("op", "kind"),
    Column("conn", "dst"),
    Column("in_port", "in_port", DATA + ACK),
    Column("hash", "hash", DATA),
    Column("bytes", "bytes", DATA),
    Column("is_local", "is_local", DATA),
    Column("fib_port", "fib_port", DATA),
    Column("enable", "enable", DATA),
    Column("hop", "hop", DATA),
    Column("path", "path", DATA + ACK),
    Column("ce", "ce", ACK),
    Column("len", "len", ACK),
    Column("to_local", "to_local", ACK),
    Column("port", "port", HOST + SHIFT),
    Column("shift", "shift", SHIFT),
    Column("path_age", "path_age"),
    Column("flow_timeout", "flow_timeout"),
    Column("is_host", "is_host", is_mask=True),
    Column("up", "up", is_mask=True),
    Column("dre_period", "dre_period"),
    Column("dre_alpha", "dre_alpha"),
]
RESULTS = [
    Column("expect", "kind"),
    Column("expect_port", "port"),
    Column("expect_enable", "enable"),
    Column("expect_hop", "hop"),
    Column("expect_path", "path"),
    Column("expect_ce", "ce"),
    Column("expect_len", "len"),
    Column("expect_dst", "dst"),
]
# What a trace need not say of the configuration.
DEFAULTS = ("single", "source")
COLUMNS = [column.name for column in INPUTS + RESULTS]
DATA_KINDS = [DELIVER, SAME, COLLIDED, NEW, ECMP, ROUTED, BAD_ROUTE]
ACK_KINDS = [PASS, ADVERTISED, REFUSED, TOOK, KEPT]


def path_of(ports: list[int], length: int) -> int:
    """The ports as a path of this many bytes, the first one lowest; what is left over is unused."""
    return int.from_bytes(bytes((ports + [UNUSED] * length)[:length]), "little")


@dataclass
class Flow:
    """A flow that passes the switch: where its packets come in, and whether its ends are hosts of this switch."""

    dst: int
    in_port: int
    hash: int
    is_from_here: bool
    is_to_here: bool
    until: int


@dataclass
class Network:
    """A switch with hosts, and behind its other ports a network that reports paths; each op is recorded.

    Each host has an ACK for each of its packets. `heavy` is the share of ops that are large packets to one host, until
    its estimator is full. The ages are those at the beginning, and `ages` those that come later.
    """

    name: str
    seed: int
    destinations: int = 1024
    ports: int = 32
    flows: int = 4096
    # Units of time in a tick of `now`.
    tick: int = 64
    ages: tuple[int, ...] = (255,)
    flaps: bool = True
    heavy: float = 0
    hosts: int = 5
    table: str = "single"
    advertise: str = "source"
    module: ModuleType = caver
    trace: Trace = field(init=False)

    def __post_init__(self) -> None:
        sizes = {"destinations": self.destinations, "ports": self.ports, "flows": self.flows}
        sizes |= {key: word for key, word in [("table", self.table), ("advertise", self.advertise)] if word not in DEFAULTS}
        self.trace = Trace(self.name, COLUMNS, {f"caver.{key}": size for key, size in sizes.items()})
        self.chance = Chance(self.seed)
        # The one to which the walker never comes, and the one in which it is everywhere.
        self.model, self.swept = (self.module.Caver(**sizes) for _ in range(2))
        self.swept_for = None
        self.time = self.chance.below(256) * self.tick
        self.events = []
        self.numbers = 0
        order = self.chance.shuffled(range(self.ports))
        # Host i is destination i. The switches behind the other ports know all other destinations.
        self.host_ports = order[: self.hosts]
        self.uplinks = sorted(order[self.hosts :])
        # Hosts that the list was given, at most as many as there is room for and some more.
        self.listed = 0
        self.all_up = 2**self.ports - 1
        self.settings = {
            "path_age": self.ages[0],
            "flow_timeout": self.ages[0],
            "is_host": sum(1 << port for port in self.host_ports),
            "up": self.all_up,
            "dre_period": 2**24 - 1,
            "dre_alpha": 7,
        }
        # The congestion behind each port, whose values are coarse, so that many are equal.
        self.far = [self.chance.below(24) for _ in range(self.ports)]
        # Hash and destination of flows that began a short time ago.
        self.recent = []
        self.ops = 0

    # Ops -----------------------------------------------------------------------------------------------------------

    def apply(self, kind: str, **fields: int) -> Outcome | None:
        """An op now, which is recorded, unless its result depends on where the walker has been."""
        op = Op(kind, now=self.time // self.tick % 256, **self.settings)._replace(**fields)
        self.sweep(op)
        models = (self.model, self.swept)
        before = [model.dre[:] for model in models]
        index = op.hash % self.flows
        entries = [(model.flows[index], model.table[op.dst]) for model in models]
        rows = [(list(map(list, model.rows[op.dst : op.dst + 1])), model.words.last, model.next_host) for model in models]
        outcome, other = (model.apply(op) for model in models)
        if outcome != other:
            for model, model.dre, (model.flows[index], model.table[op.dst]) in zip(models, before, entries):
                pass
            for model, (model.rows[op.dst : op.dst + 1], model.words.last, model.next_host) in zip(models, rows):
                pass
            self.trace.counts["left out"] += len(self.trace.rows) < self.ops
            return None
        # What is heard through a dead port is stored, and cleared before that port comes back.
        self.swept.table[op.dst] = self.swept.live_path(op.dst, op)
        self.swept.rows[op.dst : op.dst + 1] = [
            [self.swept.if_live(path, op) for path in row] for row in self.swept.rows[op.dst : op.dst + 1]
        ]
        if len(self.trace.rows) < self.ops:
            self.trace.add(**inputs_of(op, INPUTS), **results_of(outcome, RESULTS))
            self.trace.counts[kind] += 1
            self.trace.counts[outcome.kind] += 1
            if len(self.trace.rows) % OPS_A_TURN == 0:
                for model in models:
                    model.turn()
        return outcome

    def sweep(self, op: Op) -> None:
        """The walker of the second model clears whatever is not live by the settings of an op."""
        has_ages = min(op.path_age, op.flow_timeout) < 255
        swept_for = (op.up, op.path_age, op.flow_timeout, op.now if has_ages else None)
        if swept_for != self.swept_for:
            self.swept_for = swept_for
            for _ in range(max(self.flows, self.destinations)):
                self.swept.visit(op)

    def at(self, delay: float, action: Callable[..., None], *arguments: object) -> None:
        """Something that happens after some time."""
        self.numbers += 1
        heapq.heappush(self.events, (self.time + int(delay), self.numbers, action, arguments))

    def run(self, ops: int) -> "Network":
        """Records this many ops."""
        self.ops = ops
        for _ in range(40):
            self.at(self.chance.below(300), self.begin)
        self.change_congestion()
        self.change_shift()
        if self.advertise == "round_robin":
            self.at(200, self.join)
        self.report_strangely()
        if self.flaps:
            self.at(600, self.change_ports)
        if self.ages != (255,):
            self.at(400, self.change_ages)
        if self.heavy:
            self.fill()
        while len(self.trace.rows) < ops:
            self.time, _, action, arguments = heapq.heappop(self.events)
            action(*arguments)
        return self

    def live_uplinks(self) -> list[int]:
        return [port for port in self.uplinks if self.settings["up"] >> port & 1]

    # Flows ---------------------------------------------------------------------------------------------------------

    def begin(self) -> None:
        """A flow begins, at times with an entry of the flow table that another one has, or even with its hash."""
        chance = self.chance
        is_from_here, is_to_here = chance.happens(0.65), chance.happens(0.25)
        # Most flows are to a few destinations.
        far = self.destinations - self.hosts
        dst = self.hosts + (chance.below(16) if chance.happens(0.7) else chance.below(far))
        if is_to_here:
            dst = chance.below(self.hosts)
        number = chance.below(2**32)
        if self.recent and not is_to_here and chance.happens(0.25):
            other, other_dst = chance.one_of(self.recent)
            number = chance.one_of([other, other, other ^ 1 << 16 + chance.below(16)])
            dst = chance.one_of([dst, other_dst])
        if not is_to_here:
            self.recent = [*self.recent[-30:], (number, dst)]
        in_port = chance.one_of(self.host_ports if is_from_here else self.uplinks)
        flow = Flow(dst, in_port, number, is_from_here, is_to_here, self.time + chance.below(900))
        self.send(flow)

    def send(self, flow: Flow) -> None:
        """A packet of a flow, and its next one later, until the flow is at its end."""
        chance = self.chance
        if self.time > flow.until:
            self.at(chance.below(100), self.begin)
            return
        self.at(20 + chance.below(160), self.send, flow)
        fib_port = self.host_ports[flow.dst] if flow.is_to_here else self.by_fib(flow)
        enable, hop, path = 0, 0, 0
        if not flow.is_from_here and chance.happens(0.7):
            enable, hop, path = self.shim(flow.hash)
        elif chance.happens(0.1):
            # What a packet from a host says of routes is not believed, and without a shim there is nothing to believe.
            enable, hop, path = int(flow.is_from_here), chance.below(4), chance.below(2**32)
        outcome = self.apply(
            "data",
            dst=flow.dst,
            in_port=flow.in_port,
            hash=flow.hash,
            bytes=chance.one_of(SIZES) if chance.happens(0.98) else 0,
            is_local=int(flow.is_to_here),
            fib_port=fib_port,
            enable=enable,
            hop=hop,
            path=path,
        )
        if outcome is not None and chance.happens(0.95):
            self.at(60 + chance.below(200), self.acknowledge, flow, outcome.port)

    def by_fib(self, flow: Flow) -> int:
        """The port of ECMP."""
        ports = self.live_uplinks()
        return ports[flow.hash * 40503 // 512 % len(ports)]

    def shim(self, number: int) -> tuple[int, int, int]:
        """The shim of a packet that another switch has sent on its route, and at times of one that got lost."""
        chance = self.chance
        hop = number % 3
        ports = [chance.below(self.ports) for _ in range(4)]
        ports[hop + 1] = self.uplinks[number // 3 % len(self.uplinks)]
        draw = chance.below(20)
        if draw == 0:
            hop = 3
        elif draw == 1:
            ports[hop + 1] = chance.one_of(self.host_ports)
        elif draw == 2:
            # A byte beyond the ports, the first of which would be one of an uplink if its upper bits were dropped.
            ports[hop + 1] = chance.one_of([self.ports + self.uplinks[0], UNUSED, self.ports, 128])
        return 1, hop, path_of(ports, 4)

    # ACKs ----------------------------------------------------------------------------------------------------------

    def acknowledge(self, flow: Flow, port: int) -> None:
        """The ACK of a packet comes back: from the host, or from a switch behind any port, as ECMP takes it."""
        chance = self.chance
        if flow.is_to_here:
            in_port, report = self.host_ports[flow.dst], {"ce": chance.below(256), "len": chance.below(4), "path": 0}
        else:
            in_port = port if not flow.is_from_here else chance.one_of(self.live_uplinks())
            report = self.report(flow.dst, in_port)
        self.apply("ack", dst=flow.dst, in_port=in_port, to_local=int(flow.is_from_here), **report)

    def report(self, dst: int, port: int) -> dict[str, int]:
        """What the switch behind a port says of its best path to a destination."""
        chance = self.chance
        ce = min(255, self.far[port] * 10 + (dst * 7 + port * 3) % 5 * 6)
        if chance.happens(0.25):
            ce = self.steered(dst, port, ce)
        length = 1 + (dst + port) % 2
        if chance.happens(0.06):
            length = chance.one_of([0, 3, 3])
        ports = [(dst * 5 + port * 11 + hop + self.far[port] % 2) % self.ports for hop in range(length)]
        return {"ce": ce, "len": length, "path": path_of(ports, 3)}

    def steered(self, dst: int, port: int, ce: int) -> int:
        """A congestion that is that of the stored path, or is off by one."""
        if self.model.has_rows:
            return self.steered_among(dst, port, ce)
        stored = self.model.table[dst]
        if stored is None:
            return ce
        current = max(self.model.q(stored.port), stored.ce)
        return min(255, max(0, current + self.chance.below(3) - 1))

    def steered_among(self, dst: int, port: int, ce: int) -> int:
        """A congestion that is that of the path of another uplink, or is off by one, so that several are the best."""
        row = self.model.rows[dst]
        uplink = self.chance.below(len(row))
        if row[uplink] is None:
            return ce
        current = max(self.model.seen[uplink], row[uplink].ce)
        return min(255, max(0, current + self.chance.below(3) - 1))

    def report_strangely(self) -> None:
        """An ACK of any value, and now and then one through a port that is dead."""
        chance = self.chance
        self.at(20 + chance.below(200), self.report_strangely)
        path = chance.below(2**24) if chance.happens(0.5) else chance.below(2**32)
        self.apply(
            "ack",
            dst=chance.below(self.destinations),
            in_port=chance.below(self.ports),
            ce=chance.one_of([0, 255, chance.below(256)]),
            len=chance.below(4),
            path=path & 2**24 - 1,
            to_local=chance.below(2),
        )

    # What changes --------------------------------------------------------------------------------------------------

    def change_congestion(self) -> None:
        """It changes behind some port."""
        chance = self.chance
        self.at(5 + chance.below(30), self.change_congestion)
        port = chance.one_of(self.uplinks)
        self.far[port] = min(25, max(0, self.far[port] + chance.below(9) - 4))

    def change_shift(self) -> None:
        """A port is shown with another shift, most often one in which its congestion is neither 0 nor above 255."""
        chance = self.chance
        self.at(10 + chance.below(50), self.change_shift)
        port = chance.below(self.ports)
        shift = max(0, self.model.dre[port].bit_length() - 3 - chance.below(6))
        if chance.happens(0.05):
            shift = chance.below(32)
        self.apply("set_shift", port=port, shift=shift)

    def join(self) -> None:
        """A host joins the list, at times a second time, and at last there is no room."""
        chance = self.chance
        self.at(20 + chance.below(400), self.join)
        host = chance.below(self.hosts)
        self.apply("host", dst=host if chance.happens(0.8) else chance.below(self.destinations), port=self.host_ports[host])

    def change_ports(self) -> None:
        """Ports die and come back."""
        chance = self.chance
        self.at(300 + chance.below(700), self.change_ports)
        if chance.happens(0.4):
            self.settings["up"] = self.all_up
        elif len(self.live_uplinks()) > 3:
            self.settings["up"] &= ~(1 << chance.one_of(self.live_uplinks()))

    def change_ages(self) -> None:
        """Entries die earlier or later from now on."""
        chance = self.chance
        self.at(500 + chance.below(1500), self.change_ages)
        self.settings[chance.one_of(["path_age", "flow_timeout"])] = chance.one_of(self.ages)

    def fill(self) -> None:
        """Large packets to the first host, which at times reports how full its port is."""
        chance = self.chance
        self.at(1, self.fill)
        port = self.host_ports[0]
        if not chance.happens(self.heavy):
            return
        fields = {"dst": 0, "fib_port": port, "is_local": 1, "bytes": MOST_BYTES}
        self.apply("data", in_port=chance.one_of(self.uplinks), hash=chance.below(2**32), **fields)
        if chance.happens(0.03):
            if self.model.dre[port] > 2**26 - 2**19:
                # With these shifts one can see whether the estimator stands at its end or has wrapped.
                self.apply("set_shift", port=port, shift=18 + chance.below(3))
            self.apply("ack", dst=0, in_port=port, len=0, ce=0, path=0, to_local=0)


def networks() -> list[Network]:
    """The traces."""
    small = {"destinations": 64, "ports": 16, "flows": 1024}
    return [
        Network("caver_small", 401, **small, flaps=False).run(7_000),
        Network("caver_default", 402, hosts=12).run(9_000),
        Network("caver_full", 403, **small, heavy=0.9).run(10_000),
        Network("caver_ages", 404, **small, tick=16, ages=(30, 8, 15, 30, 60)).run(6_000),
        Network("caver_hosts", 405, **small, hosts=6, advertise="round_robin").run(20_000),
        Network("caver_uplinks", 406, **small, table="per_port", tick=32, ages=(60, 30, 120, 200)).run(20_000),
        Network("caver_wide", 407, table="per_port", hosts=16, advertise="round_robin").run(4_000),
    ]


def table(traces: list[Network]) -> list[str]:
    """What the traces hold, as a table in Markdown."""
    lines = [
        f"| trace | ops; left out | data: {', '.join(DATA_KINDS)} | acks: {', '.join(ACK_KINDS)} | set_shifts |",
        "| --- | --- | --- | --- | --- |",
    ]
    for network in traces:
        c = network.trace.counts
        data, acks = (", ".join(str(c[kind]) for kind in kinds) for kinds in (DATA_KINDS, ACK_KINDS))
        lines.append(
            f"| `{network.trace.name}` | {len(network.trace.rows)}; {c['left out']} | {data} | {acks} | {c['set_shift']} |"
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

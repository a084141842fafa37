"""CAVER in one switch: the route of each data packet, and the least congested path that each ACK carries on.

Transcribed from the page `switch.md`, sections 2.2 and 2.3, and from the points that were settled beyond that page; 003
is the paper. The table has one path a destination (`single`) or one for each of sixteen uplinks (`per_port`), and an ACK
speaks of its source (`source`) or of the hosts of a list in turn (`round_robin`). Nothing here was taken from the core or its
golden model. An op is applied at once; the visits of the walker and the decay of the estimators come when they are called,
and so do the slots of the core's own.
"""

from typing import NamedTuple

from flowcut import Words

DELIVER, SAME, COLLIDED, NEW, ECMP, ROUTED, BAD_ROUTE = "deliver", "same", "collided", "new", "ecmp", "routed", "bad_route"
PASS, ADVERTISED, REFUSED, TOOK, KEPT = "pass", "advertised", "refused", "took", "kept"

TICKS = 2**8
# Congestion has 8 bits, an estimator of the bytes of a port 26.
MOST_CE = 2**8 - 1
MOST_DRE = 2**26 - 1
# An estimator is shown without this many of its lowest bits, unless `set_shift` says otherwise.
FIRST_SHIFT = 13
# A route has four ports, of which a path that is stored has three beside the port that it was heard from.
NO_PATH = 2**32 - 1
PATH_MASK = 2**24 - 1
LAST_HOP = 3
# The last ports of a switch have entries in a table of uplinks, whose ties a generator of this seed breaks.
UPLINKS = 16
SEED = 0x6B43


class Op(NamedTuple):
    """One op, with the settings that stand at the ports when it is taken. What its kind does not use may be anything."""

    # `data`, `ack`, `host` or `set_shift`; any other kind changes nothing and has no result.
    kind: str
    # The destination of data, the host that an ACK speaks of, or the one that joins the list.
    dst: int = 0
    in_port: int = 0
    # data: of the flow, 32 bits; the bytes; whether it has reached its last switch; and the port that the FIB says.
    hash: int = 0
    bytes: int = 0
    is_local: int = 0
    fib_port: int = 0
    # data: the shim that it came with. Byte i of `path` is the port of hop i. An ack has 24 bits of `path`.
    enable: int = 0
    hop: int = 0
    path: int = 0
    # ack: the congestion and the length of its path, and whether it has reached its last switch.
    ce: int = 0
    len: int = 0
    to_local: int = 0
    # host: where it is; set_shift: how much of the estimator of a port is not shown.
    port: int = 0
    shift: int = 0
    # Ticks modulo 2^8.
    now: int = 0
    path_age: int = 255
    flow_timeout: int = 255
    # Masks of ports: those of hosts, and those that are alive.
    is_host: int = 0
    up: int = 2**64 - 1
    # Cycles in which each estimator decays once by 2^-dre_alpha of itself. No op depends on them.
    dre_period: int = 2**24 - 1
    dre_alpha: int = 7


class Outcome(NamedTuple):
    """What an op gives; what is not said is None. `enable` says whether the packet leaves with a shim.

    The shim of data is `hop` and `path`, that of an ACK `ce`, `len` and `path`; `dst` is the host that an ACK begins to speak of.
    """

    kind: str | None = None
    port: int | None = None
    enable: int | None = None
    hop: int | None = None
    path: int | None = None
    ce: int | None = None
    len: int | None = None
    dst: int | None = None


class Flow(NamedTuple):
    """A valid entry of the flow table. A flow that went by the FIB has no route."""

    tag: int
    dst: int
    route: int | None
    t: int


class Path(NamedTuple):
    """A valid entry of the path table: the congestion behind `port`, not that of the port itself."""

    port: int
    ce: int
    len: int
    path: int
    t: int


class Caver:
    """A switch. The number of ports is a power of two."""

    def __init__(
        self, destinations: int, ports: int, flows: int, table: str = "single", advertise: str = "source"
    ) -> None:
        self.destinations = destinations
        self.ports = ports
        self.entries = flows
        self.has_rows = {"single": False, "per_port": True}[table]
        self.has_list = {"source": False, "round_robin": True}[advertise]
        self.reset()

    def reset(self) -> None:
        """`rst`: no entry is valid, no traffic was seen, and all shifts are as at first."""
        self.flows: list[Flow | None] = [None] * self.entries
        self.table: list[Path | None] = [None] * self.destinations
        self.dre = [0] * self.ports
        self.shift = [FIRST_SHIFT] * self.ports
        # What the walker visits next, and the port whose estimator decays next.
        self.next_entry = 0
        self.next_port = 0
        # The hosts of the list with their ports, and whose turn it is.
        self.hosts: list[tuple[int, int]] = []
        self.next_host = 0
        # `per_port`: what each uplink has reported, the congestion of the uplinks that choices see, and the uplink whose
        # congestion was read in the last slot of the core's own.
        self.rows: list[list[Path | None]] = [[None] * UPLINKS for _ in range(self.destinations * self.has_rows)]
        self.seen = [0] * UPLINKS
        self.read = (UPLINKS - 1, 0)
        self.words = Words(SEED, max(self.entries, self.destinations))

    # What is asked of the state ------------------------------------------------------------------------------------

    def q(self, port: int) -> int:
        """The congestion of a port."""
        return min(MOST_CE, self.dre[port] >> self.shift[port])

    def live_flow(self, index: int, op: Op) -> Flow | None:
        """The entry of the flow table, if it may be used."""
        flow = self.flows[index]
        if flow is None or (op.now - flow.t) % TICKS > op.flow_timeout:
            return None
        # A flow that goes by the FIB has no port to be alive.
        if flow.route is not None and not op.up >> flow.route % self.ports & 1:
            return None
        return flow

    def live_path(self, dst: int, op: Op) -> Path | None:
        """The entry of the path table, if it may be used."""
        return self.if_live(self.table[dst], op)

    def if_live(self, path: Path | None, op: Op) -> Path | None:
        """An entry, if it may be used."""
        if path is None or (op.now - path.t) % TICKS > op.path_age or not op.up >> path.port & 1:
            return None
        return path

    def best(self, op: Op, place: int) -> Path | None:
        """The path of a new flow, and the one that an ACK carries on."""
        if not self.has_rows:
            return self.live_path(op.dst, op)
        found = None
        least = MOST_CE + 1
        for turn in range(UPLINKS):
            uplink = (place + turn) % UPLINKS
            path = self.if_live(self.rows[op.dst][uplink], op)
            if path is not None and max(self.seen[uplink], path.ce) < least:
                found, least = path, max(self.seen[uplink], path.ce)
        return found

    # Ops -----------------------------------------------------------------------------------------------------------

    def apply(self, op: Op) -> Outcome:
        """Executes one op."""
        place = self.words.step() % UPLINKS if self.has_rows and op.kind in ("data", "ack") else 0
        if op.kind == "data":
            outcome = self.data(op, place)
            # What counts is where data leaves; ACKs do not count.
            self.dre[outcome.port] = min(MOST_DRE, self.dre[outcome.port] + op.bytes)
            return outcome
        if op.kind == "ack":
            return self.ack(op, place)
        if op.kind == "host" and self.has_list and len(self.hosts) < self.ports:
            self.hosts.append((op.dst, op.port))
        if op.kind == "set_shift":
            self.shift[op.port] = op.shift
        return Outcome()

    def data(self, op: Op, place: int) -> Outcome:
        """The port of a packet, and its shim."""
        if op.is_local:
            return Outcome(DELIVER, op.fib_port, 0)
        if op.is_host >> op.in_port & 1:
            return self.first_switch(op, place)
        if not op.enable:
            return Outcome(ECMP, op.fib_port, 0)
        if op.hop < LAST_HOP:
            port = op.path >> 8 * (op.hop + 1) & 0xFF
            if port < self.ports and not op.is_host >> port & 1:
                return Outcome(ROUTED, port, 1, op.hop + 1, op.path)
        return Outcome(BAD_ROUTE, op.fib_port, 0)

    def first_switch(self, op: Op, place: int) -> Outcome:
        """A packet comes from a host: it follows its flow, or it is the first of a new one."""
        index = op.hash % self.entries
        tag = op.hash >> 16
        flow = self.live_flow(index, op)
        if flow is not None:
            if (flow.tag, flow.dst) != (tag, op.dst):
                return Outcome(COLLIDED, op.fib_port, 0)
            self.flows[index] = flow._replace(t=op.now)
            if flow.route is None:
                return Outcome(SAME, op.fib_port, 0)
            return Outcome(SAME, flow.route % self.ports, 1, 0, flow.route)
        best = self.best(op, place)
        if best is None:
            self.flows[index] = Flow(tag, op.dst, None, op.now)
            return Outcome(ECMP, op.fib_port, 0)
        route = best.path << 8 | best.port
        self.flows[index] = Flow(tag, op.dst, route, op.now)
        return Outcome(NEW, best.port, 1, 0, route)

    def ack(self, op: Op, place: int) -> Outcome:
        """An ACK says of a path how congested it is, and carries on the best path that is known here."""
        if op.is_host >> op.in_port & 1:
            if op.to_local:
                return Outcome(PASS, enable=0)
            dst, port = op.dst, op.in_port
            if self.hosts:
                dst, port = self.hosts[self.next_host]
                self.next_host = (self.next_host + 1) % len(self.hosts)
            return Outcome(ADVERTISED, enable=1, ce=self.q(port), len=0, path=NO_PATH, dst=dst)
        if op.len == LAST_HOP and not op.to_local:
            return Outcome(REFUSED, enable=0)
        if self.has_rows:
            return self.report(op, place)
        path = op.path & PATH_MASK
        total = max(self.q(op.in_port), op.ce)
        best = self.live_path(op.dst, op)
        # A path that is not worse replaces the one that is stored, and so does any report of the same port.
        if best is None or best.port == op.in_port or total <= max(self.q(best.port), best.ce):
            best = Path(op.in_port, op.ce, op.len, path, op.now)
            self.table[op.dst] = best
            kind = TOOK
        else:
            kind = KEPT
        if op.to_local:
            return Outcome(kind, enable=0)
        if best.len == LAST_HOP:
            # One port more does not fit. The ACK passes as it is.
            return Outcome(REFUSED, enable=0)
        congestion = max(self.q(best.port), best.ce)
        return Outcome(kind, enable=1, ce=congestion, len=best.len + 1, path=best.path << 8 | best.port)

    def report(self, op: Op, place: int) -> Outcome:
        """An ACK of another switch, where each uplink has an entry, which it replaces in any case."""
        uplink = op.in_port - (self.ports - UPLINKS)
        if uplink < 0:
            return Outcome(REFUSED, enable=0)
        self.rows[op.dst][uplink] = Path(op.in_port, op.ce, op.len, op.path & PATH_MASK, op.now)
        best = self.best(op, place)
        kind = TOOK if best is None or best.port == op.in_port else KEPT
        if op.to_local:
            return Outcome(kind, enable=0)
        if best is None or best.len == LAST_HOP:
            return Outcome(REFUSED, enable=0)
        congestion = max(self.q(best.port), best.ce)
        return Outcome(kind, enable=1, ce=congestion, len=best.len + 1, path=best.path << 8 | best.port)

    # What the core does by itself ----------------------------------------------------------------------------------

    def visit(self, op: Op) -> None:
        """The walker comes to the next entry of both tables; what is not live by the settings of `op` is lost."""
        flow, dst = self.next_entry % self.entries, self.next_entry % self.destinations
        self.next_entry = (self.next_entry + 1) % max(self.entries, self.destinations)
        self.flows[flow] = self.live_flow(flow, op)
        self.table[dst] = self.live_path(dst, op)
        if self.has_rows and any(self.rows[dst]):
            self.rows[dst] = [self.if_live(path, op) for path in self.rows[dst]]

    def turn(self) -> None:
        """A slot of the core's own: what was read in the last one counts from now on, and the next uplink is read."""
        uplink, congestion = self.read
        self.seen[uplink] = congestion
        uplink = (uplink + 1) % UPLINKS
        self.read = (uplink, self.q(self.ports - UPLINKS + uplink))

    def decay(self, dre_alpha: int) -> None:
        """The estimator of the next port falls."""
        port = self.next_port
        self.next_port = (port + 1) % self.ports
        self.dre[port] -= self.dre[port] >> dre_alpha

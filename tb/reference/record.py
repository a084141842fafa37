"""Records the op traces: `python tb/reference/record.py [FOLDER]`, by default into `traces/` beside this file.

The same files come out on every machine: each trace draws from a generator of its own, whose seed stands here. The
tables of the README are printed.
"""

import gzip
import io
import random
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path

from networks import MTU, TICK_NS, Incast
from strack import LoadBalancer
from strack_cc import ONE, RealWindow, Result, Settings, Window, elapsed
from walks import delays

FOLDER = Path(__file__).parent / "traces"

# The window of a connection in packets at its next send.
WindowOf = Callable[[int], int]
# Whether the ACK of a connection for an EV has a mark.
MarkedOf = Callable[[int, int], bool]


class Trace:
    """Rows of one op trace, by column; what a row does not have is empty."""

    def __init__(self, name: str, columns: list[str], settings: dict[str, int]) -> None:
        self.name = name
        self.columns = columns
        self.settings = settings
        self.rows = []
        self.counts = Counter()

    def add(self, **row: int | str) -> None:
        self.rows.append(row)

    def files(self) -> dict[str, str]:
        """Texts by file name; what ends in `.gz` is to be packed."""
        line = ",".join
        rows = (line(str(row.get(column, "")) for column in self.columns) for row in self.rows)
        settings = (f"{name},{value}" for name, value in self.settings.items())
        return {
            f"{self.name}.csv.gz": text(line(self.columns), rows),
            f"{self.name}.settings.csv": text("name,value", settings),
        }


def packed(data: bytes) -> bytes:
    """The data in gzip's format, with neither time nor system in its head."""
    file = io.BytesIO()
    with gzip.GzipFile(filename="", mode="wb", compresslevel=9, fileobj=file, mtime=0) as archive:
        archive.write(data)
    return file.getvalue()


def text(head: str, lines: Iterable[str]) -> str:
    return "\n".join([head, *lines, ""])


class Chance(random.Random):
    """A generator of which only `random()` is used, whose numbers are the same in every version of Python."""

    def below(self, most: int) -> int:
        return int(self.random() * most)

    def happens(self, share: float) -> bool:
        return self.random() < share

    def one_of(self, values: Sequence[int]) -> int:
        return values[self.below(len(values))]

    def shuffled(self, values: Iterable[int]) -> list[int]:
        return [value for _, value in sorted((self.random(), value) for value in values)]


class Busy:
    """Which connection the next op is for: one in three that of the op before, else mostly one of four hot ones."""

    def __init__(self, chance: Chance, connections: int) -> None:
        self.chance = chance
        self.connections = connections
        self.hot = chance.shuffled(range(connections))[:4]
        self.last = 0

    def connection(self) -> int:
        if not self.chance.happens(1 / 3):
            is_hot = self.chance.happens(0.7)
            self.last = self.chance.one_of(self.hot) if is_hot else self.chance.below(self.connections)
        return self.last


# Path selection ----------------------------------------------------------------------------------------------------


class Spray:
    """Connections that send, and what comes back to them, recorded."""

    COLUMNS = ["time_ns", "op", "conn", "ev", "ecn", "cwnd", "expect", "expect_ev"]

    def __init__(self, name: str, seed: int, paths: int = 256, ev_base: int = 0, connections: int = 16) -> None:
        settings = {"connections": connections, "strack.paths": paths, "selector.ev_base": ev_base}
        self.trace = Trace(name, self.COLUMNS, settings)
        self.chance = Chance(seed)
        self.busy = Busy(self.chance, connections)
        self.balancers = [LoadBalancer(paths, ev_base) for _ in range(connections)]
        self.flight = [[] for _ in range(connections)]
        self.paths = paths
        self.ev_base = ev_base
        self.time_ns = 0
        self.most_words = 0

    def add(self, op: str, conn: int, **row: int | str) -> None:
        self.time_ns += 50 * self.chance.below(4)
        self.trace.add(time_ns=self.time_ns, op=op, conn=conn, **row)

    def send(self, conn: int, window: int) -> None:
        choice = self.balancers[conn].send(window)
        self.flight[conn].append(choice.ev)
        self.add("send", conn, cwnd=window, expect=choice.kind, expect_ev=choice.ev)
        self.trace.counts[choice.kind] += 1
        self.trace.counts["came back"] += choice.is_all_marked
        self.most_words = max(self.most_words, choice.words)

    def ack(self, conn: int, ev: int, ecn: bool) -> None:
        self.balancers[conn].ack(ev, ecn)
        self.add("ack", conn, ev=ev, ecn=int(ecn))
        self.trace.counts["marked" if ecn else "good"] += 1
        self.count_foreign(ev)

    def nack(self, conn: int, ev: int) -> None:
        self.balancers[conn].nack(ev)
        self.add("nack", conn, ev=ev)
        self.trace.counts["nack"] += 1
        self.count_foreign(ev)

    def timeout(self, conn: int) -> None:
        self.balancers[conn].timeout()
        self.add("timeout", conn)
        self.trace.counts["timeout"] += 1

    def init(self, conn: int) -> None:
        self.balancers[conn].init()
        self.add("init", conn)
        self.trace.counts["init"] += 1

    def files(self) -> dict[str, str]:
        return self.trace.files()

    def count_foreign(self, ev: int) -> None:
        self.trace.counts["foreign"] += not 0 <= ev - self.ev_base < self.paths

    def foreign_ev(self) -> int:
        """An EV outside of the set, often just outside."""
        near = [self.ev_base - 1, self.ev_base + self.paths, self.ev_base + self.paths + 1, 65535]
        while True:
            ev = self.chance.one_of(near) if self.chance.happens(0.3) else self.chance.below(65536)
            if ev >= 0 and not 0 <= ev - self.ev_base < self.paths:
                return ev

    def returned(self, conn: int) -> int:
        """The EV of a packet in flight, mostly the oldest; the packet leaves the flight."""
        flight = self.flight[conn]
        at = 0 if self.chance.happens(0.8) else self.chance.below(len(flight))
        return flight.pop(at)

    def storm(self, conn: int) -> None:
        """Marks come back for all or nearly all paths that a window goes over, and then packets are sent."""
        window = self.chance.one_of([4, 8, 20, 64, 127, 128, 150, 300, 1023, 2048, 4095])
        n = max(8, min(self.paths, 2 * window))
        left_out = self.chance.one_of([0, 0, 1, n // 16])
        for path in self.chance.shuffled(range(n))[left_out:]:
            ev = self.ev_base + path
            if self.chance.happens(0.1):
                self.nack(conn, ev)
            else:
                self.ack(conn, ev, True)
        for _ in range(self.chance.below(n) + 4):
            self.send(conn, window)
            if self.chance.happens(0.02):
                self.ack(conn, self.returned(conn), False)

    def run(self, ops: int, window: WindowOf, marked: MarkedOf, shares: dict[str, float]) -> "Spray":
        """Ops of all kinds. `shares` are those of `init`, `timeout`, `storm` and `foreign` among all ops, of `send`
        among the others, and of `nack` among what comes back then. Of `coalesced` packets that come back the last has
        an ACK."""
        rare = {"nack": 0, "timeout": 0, "init": 0, "foreign": 0, "storm": 0, "send": 0.52, "coalesced": 1} | shares
        arrived = [0] * len(self.flight)
        while len(self.trace.rows) < ops:
            conn = self.busy.connection()
            draw = self.chance.random()
            if draw < rare["init"]:
                self.init(conn)
            elif (draw := draw - rare["init"]) < rare["timeout"]:
                self.timeout(conn)
            elif (draw := draw - rare["timeout"]) < rare["storm"]:
                self.storm(conn)
            elif (draw := draw - rare["storm"]) < rare["foreign"]:
                ev = self.foreign_ev()
                if self.chance.happens(0.2):
                    self.nack(conn, ev)
                else:
                    self.ack(conn, ev, self.chance.happens(0.5))
            elif not self.flight[conn] or self.chance.happens(rare["send"]):
                self.send(conn, window(conn))
            elif self.chance.happens(rare["nack"]):
                self.nack(conn, self.returned(conn))
            else:
                ev = self.returned(conn)
                arrived[conn] += 1
                if arrived[conn] % rare["coalesced"] == 0:
                    self.ack(conn, ev, marked(conn, ev))
        del self.trace.rows[ops:]
        return self


def marks_of_bad_paths(spray: Spray, bad: float, chance: float) -> MarkedOf:
    """`marked` where a share `bad` of the paths of each connection always marks and the others mark by chance."""
    connections = len(spray.flight)
    count = int(bad * spray.paths)
    bad_paths = [set(spray.chance.shuffled(range(spray.paths))[:count]) for _ in range(connections)]

    def marked(conn: int, ev: int) -> bool:
        return ev - spray.ev_base in bad_paths[conn] or spray.chance.happens(chance)

    return marked


def wandering(spray: Spray, least: int, most: int) -> WindowOf:
    """`window` where each connection has a window of its own that is now and then drawn anew."""
    windows = [least + spray.chance.below(most - least + 1) for _ in spray.flight]

    def window(conn: int) -> int:
        if spray.chance.happens(0.01):
            windows[conn] = least + spray.chance.below(most - least + 1)
        return windows[conn]

    return window


def falling(spray: Spray) -> WindowOf:
    """`window` that stands at 128 for a while and then falls to 1, packet by packet, so that it is often below `rr`."""
    at = [0] * len(spray.flight)

    def window(conn: int) -> int:
        at[conn] = (at[conn] + 1) % 160
        return max(1, min(128, 160 - at[conn] * (1 if at[conn] < 80 else 2)))

    return window


def spray_traces() -> Iterator[Spray]:
    """The traces of `strack`."""
    rare = {"nack": 0.04, "timeout": 0.003, "init": 0.002, "foreign": 0.01}
    spray = Spray("strack_91", 91)
    yield spray.run(20_000, wandering(spray, 1, 300), marks_of_bad_paths(spray, 0.25, 0.1), rare)
    spray = Spray("strack_92", 92)
    yield spray.run(20_000, falling(spray), marks_of_bad_paths(spray, 0.5, 0.5), rare)
    spray = Spray("strack_93", 93)
    coalesced = rare | {"coalesced": 4, "send": 0.5}
    yield spray.run(20_000, wandering(spray, 1, 300), marks_of_bad_paths(spray, 0.25, 0.1), coalesced)
    spray = Spray("strack_94", 94)
    storms = rare | {"storm": 0.008, "foreign": 0.06, "timeout": 0.03, "init": 0.005, "nack": 0.15}
    yield spray.run(20_000, wandering(spray, 0, 300), marks_of_bad_paths(spray, 0.25, 0.3), storms)
    # An EV set that is no power of two from 0: 40,016 is a multiple of 16 and of no higher power of two.
    spray = Spray("strack_95p16", 95, paths=16, ev_base=40_016)
    mixed = rare | {"storm": 0.01, "foreign": 0.06}
    yield spray.run(20_000, wandering(spray, 1, 20), marks_of_bad_paths(spray, 0.5, 0.3), mixed)


# The window --------------------------------------------------------------------------------------------------------


class Windows:
    """Connections' windows and what drives them, recorded. Beside each stands one in doubles with the same ops."""

    COLUMNS = ["time_ns", "op", "conn", "now", "ecn", "probe", "bytes", "timestamp"]
    EXPECTED = ["expect_status", "expect_cwnd", "expect_cwnd_packets", "expect_delay", "expect_action", "expect_fair"]

    def __init__(self, name: str, settings: Settings, connections: int = 16) -> None:
        ports = {port: getattr(settings, port) for port in settings.__dataclass_fields__}
        self.trace = Trace(name, self.COLUMNS + self.EXPECTED, {"connections": connections} | ports)
        self.settings = settings
        self.windows = [Window(settings) for _ in range(connections)]
        self.real_windows = [RealWindow(settings) for _ in range(connections)]
        self.real_rows = []
        # Distance of the windows after each ACK, as a share of the real one, and ACKs that branch otherwise.
        self.distances = []
        self.others = 0

    def add(self, op: str, conn: int, ticks: int, fields: dict[str, int], result: Result | None = None) -> None:
        row = {"time_ns": int(ticks * TICK_NS), "op": op, "conn": conn, "now": ticks & 0xFFFF} | fields
        self.trace.add(**row, **(dict(zip(self.EXPECTED, result)) if result else {}))
        self.trace.counts[op] += 1

    def init(self, conn: int, ticks: int) -> None:
        for window in self.windows[conn], self.real_windows[conn]:
            window.init(ticks & 0xFFFF)
        self.add("init", conn, ticks, {})

    def read(self, conn: int, ticks: int) -> None:
        result = self.windows[conn].read()
        self.add_real(result, self.real_windows[conn].read())
        self.add("read", conn, ticks, {}, result)
        self.trace.counts["refused"] += result.status != 0

    def ack(self, conn: int, ticks: int, ecn: int, probe: int, newly_acked: int, timestamp: int) -> Result:
        fields = {"ecn": ecn, "probe": probe, "bytes": newly_acked, "timestamp": timestamp & 0xFFFF}
        inputs = (ticks & 0xFFFF, ecn, probe, newly_acked, timestamp & 0xFFFF)
        result = self.windows[conn].ack(*inputs)
        real = self.real_windows[conn].ack(*inputs)
        self.add_real(result, real)
        if result.status == 0:
            self.distances.append(abs(result.cwnd / ONE - real.cwnd) / real.cwnd)
            self.others += (result.action, result.fair) != (real.action, real.fair)
            self.trace.counts[result.action] += 1
            self.trace.counts["fair"] += result.fair
        self.trace.counts["refused"] += result.status != 0
        self.add("ack", conn, ticks, fields, result)
        return result

    def add_real(self, result: Result, real: Result) -> None:
        assert result.status == real.status
        if result.status == 0:
            self.real_rows.append(f"{len(self.trace.rows)},{real.cwnd:.5f}")

    def files(self) -> dict[str, str]:
        return self.trace.files() | {f"{self.trace.name}.real.csv.gz": text("row,cwnd", self.real_rows)}


class Recorded:
    """One connection of a recorded incast, behind the interface of `networks.Incast`."""

    def __init__(self, windows: Windows, conn: int) -> None:
        self.windows = windows
        self.conn = conn
        # Of reads and of timeouts, which change nothing, a few are enough.
        self.acks = self.losses = 0

    def init(self, time_ns: float) -> int:
        self.windows.init(self.conn, int(time_ns / TICK_NS))
        return self.windows.windows[self.conn].read().cwnd_packets

    def ack(self, time_ns: float, sent_ns: float, is_marked: bool) -> int:
        ticks = int(time_ns / TICK_NS)
        result = self.windows.ack(self.conn, ticks, int(is_marked), 0, MTU, int(sent_ns / TICK_NS))
        self.acks += 1
        if self.acks % 64 == 0:
            self.windows.read(self.conn, ticks)
        return result.cwnd_packets

    def lost(self, time_ns: float) -> None:
        self.losses += 1
        if self.losses % 32 == 0:
            self.windows.add("timeout", self.conn, int(time_ns / TICK_NS), {})


def incast_trace(name: str, seed: int, senders: int, until_ns: float) -> Windows:
    """All ops of an incast from its start."""
    windows = Windows(name, Settings(), connections=64)
    Incast([Recorded(windows, conn) for conn in range(senders)], seed).run(until_ns)
    return windows


def walk_trace(
    name: str,
    seed: int,
    ops: int,
    settings: Settings,
    *,
    most: int | None = None,
    marks_at: int | None = None,
    steered: float = 0.0,
    steered_average: float = 0.0,
    rare: dict[str, float] | None = None,
    gap: int = 20,
    sizes: Sequence[int] = (MTU,),
    late_inits: bool = False,
) -> Windows:
    """Random walks of delays, one a connection.

    `most` is the longest delay in ticks, and `marks_at` is what its marks are measured against. `steered` is the share
    of ACKs whose time, delay or bytes are chosen so that a comparison of the algorithm is equal or off by one, and
    `steered_average` that of ACKs which do so to the average delay. Averages in doubles lie elsewhere by up to 7/8 of a
    tick, so the latter throw the two kinds of windows apart. `rare` are shares of `read`, `init`, `nack`, `timeout`,
    `probe`, `idle` (a long time passes) and `stale` (an ACK of any age). ACKs are up to `gap` ticks apart, and `sizes`
    are the bytes that they acknowledge. With `late_inits` a third of the connections has no `init` for the first third
    of the trace.
    """
    chance = Chance(seed)
    rare = dict.fromkeys(["read", "init", "nack", "timeout", "probe", "idle", "stale"], 0.0) | (rare or {})
    windows = Windows(name, settings)
    connections = len(windows.windows)
    busy = Busy(chance, connections)
    most = 5 * settings.target_qdelay if most is None else most
    marks_at = max(1, settings.net_base_rtt) if marks_at is None else marks_at
    walks = [delays(chance, marks_at, most) for _ in range(connections)]
    # A connection's route is some ticks shorter or longer than `net_base_rtt` says.
    routes = [max(0, settings.net_base_rtt - 50 + chance.below(100)) for _ in range(connections)]
    ticks = 1000 + chance.below(60_000)
    for conn in range(connections):
        if not late_inits or conn % 3:
            windows.init(conn, ticks)
            ticks += chance.below(10)
    while len(windows.trace.rows) < ops:
        conn = busy.connection()
        window = windows.windows[conn]
        is_early = late_inits and len(windows.trace.rows) < ops // 3
        # After a third those connections that had no init get it in their next op.
        if not window.is_initialised and not is_early or window.is_initialised and chance.happens(rare["init"]):
            windows.init(conn, ticks)
            continue
        ticks += chance.below(gap)
        if chance.happens(rare["idle"]):
            ticks += chance.one_of([20_000, 65_000, 65_536, 66_000, 131_072])
        draw = chance.random()
        if draw < rare["read"]:
            windows.read(conn, ticks)
        elif (draw := draw - rare["read"]) < rare["nack"]:
            windows.add("nack", conn, ticks, {})
        elif (draw := draw - rare["nack"]) < rare["timeout"]:
            windows.add("timeout", conn, ticks, {})
        else:
            ecn, delay = next(walks[conn])
            newly_acked = chance.one_of(sizes)
            rtt = routes[conn] + delay
            if chance.happens(rare["stale"]):
                rtt = chance.below(65_536)
            elif window.is_initialised and chance.happens(steered):
                ticks, rtt, ecn, newly_acked = steer(chance, window, ticks, rtt, ecn, newly_acked)
            elif window.is_initialised and chance.happens(steered_average):
                ticks, rtt, ecn = steer_average(chance, window, ticks, rtt, ecn)
            probe = int(chance.happens(rare["probe"]))
            windows.ack(conn, ticks, ecn, probe, newly_acked, ticks - rtt)
    return windows


def steer(
    chance: Chance, window: Window, ticks: int, rtt: int, ecn: int, newly_acked: int
) -> tuple[int, int, int, int]:
    """An ACK for which one comparison is equal or off by one: time, RTT, mark and bytes."""
    s = window.settings
    off = chance.below(3) - 1
    period = window.base_rtt + s.target_qdelay
    kind = chance.below(7)
    if kind < 4:
        then, span = [
            (window.cut_at, window.base_rtt),
            (window.fair_at, window.base_rtt),
            (window.since, period),
            (window.since, period),
        ][kind]
        ahead = elapsed(then + span + off, ticks)
        if ahead < 4000:
            ticks += ahead
        if kind == 3:
            # The period that ends with this ACK has just the bytes at which 4:11 turns, or one more or less.
            wanted = (s.most_packets() << s.mtu_log2) // 8 + chance.below(3) - 1 - window.rx
            newly_acked = wanted if 0 <= wanted < 2**20 else newly_acked
    elif kind == 4:
        rtt = window.base_rtt + s.target_qdelay + off
    elif kind == 5:
        rtt = window.base_rtt + s.target_qhigh + off
    else:
        rtt = window.base_rtt + off if window.base_rtt else rtt
    return ticks, max(0, min(65_535, rtt)), ecn, newly_acked


def steer_average(chance: Chance, window: Window, ticks: int, rtt: int, ecn: int) -> tuple[int, int, int]:
    """An ACK that brings 8 times the average to 8 times the target or one off. It has a mark and comes when a cut is
    allowed, so that 4:10 decides."""
    target = window.settings.target_qdelay
    delay = 8 * target - window.avg8 + (window.avg8 >> 3) + chance.below(3) - 1
    if not target < delay < 60_000 - window.base_rtt:
        return ticks, rtt, ecn
    ahead = elapsed(window.cut_at + window.base_rtt + 1, ticks)
    return ticks + (ahead if ahead < 4000 else 0), window.base_rtt + delay, 1


def window_traces() -> Iterator[Windows]:
    """The traces of `strack_cc`."""
    yield incast_trace("strack_cc_95", 95, 32, 1.2e6)
    rare = {"read": 0.03, "nack": 0.005, "timeout": 0.005, "init": 0.001}
    some = (MTU, MTU, MTU, 2 * MTU, 0)
    yield walk_trace("strack_cc_96", 96, 11_000, Settings(), rare=rare, gap=40, sizes=some)
    probes = rare | {"probe": 0.1, "idle": 0.004, "init": 0.004}
    times = dict(steered=0.4, late_inits=True, rare=probes, sizes=some)
    yield walk_trace("strack_cc_97", 97, 5_000, Settings(), **times)
    yield walk_trace("strack_cc_97_average", 976, 1_500, Settings(), steered_average=0.3, rare=rare)
    stale = times | {"rare": probes | {"stale": 0.01}}
    yield walk_trace("strack_cc_97_stale", 971, 2_000, Settings(), **stale)
    yield walk_trace("strack_cc_97_min_base_rtt", 972, 2_000, Settings(min_base_rtt=940), **stale)
    yield walk_trace("strack_cc_97_mtu7", 973, 300, Settings(mtu_log2=7), rare=rare)
    yield walk_trace("strack_cc_97_mtu14", 974, 300, Settings(mtu_log2=14), rare=rare)
    yield walk_trace("strack_cc_97_max0", 975, 500, Settings(max_cwnd=0), **times)

    extreme = dict(steered=0.3, rare=rare, gap=100)
    # Gains as large as they can be, at the largest window: sums pass 1024 packets, and bytes pass 2^20.
    large = Settings(alpha=65535, beta=65535, eta=65535, gamma=65535, max_cwnd=1023, mtu_log2=13)
    bytes_of_large = (8192, 65536, 2**20 - 1)
    yield walk_trace("strack_cc_98_gains", 98, 1_500, large, sizes=bytes_of_large, **extreme)
    # alpha * (target_qdelay - delay) is above 256 packets squared most of the time.
    steep = Settings(target_qdelay=3000, target_qhigh=9000, alpha=65535, eta=100, max_cwnd=1023)
    yield walk_trace("strack_cc_98_alpha", 987, 1_500, steep, **extreme)
    # Small gains at the largest window, so that cuts are seen at windows of all sizes.
    deep = Settings(alpha=3, beta=7, eta=40, gamma=65535, max_cwnd=1023, mtu_log2=8)
    yield walk_trace("strack_cc_98_max1023", 981, 1_500, deep, sizes=(256, 2048, 2**20 - 1), **extreme)
    yield walk_trace("strack_cc_98_max1", 982, 500, Settings(max_cwnd=1), **extreme)
    no_target = Settings(target_qdelay=0, target_qhigh=300, gamma=20000)
    yield walk_trace("strack_cc_98_target0", 983, 2_000, no_target, most=1000, **extreme)
    both = Settings(target_qdelay=0, target_qhigh=0, net_base_rtt=0, eta=65535)
    yield walk_trace("strack_cc_98_zeros", 984, 1_000, both, most=60, steered=0.3, rare=rare, gap=4)
    # base_rtt + target_qdelay has 17 bits, so that no period closes until an ACK lowers the base RTT.
    far = Settings(net_base_rtt=40_000, target_qdelay=26_000, target_qhigh=27_000, max_cwnd=500)
    often = rare | {"init": 0.02, "stale": 0.1}
    yield walk_trace("strack_cc_98_far", 985, 2_500, far, most=25_000, marks_at=100, rare=often, gap=300)
    none = Settings(alpha=0, beta=0, eta=0, gamma=0)
    yield walk_trace("strack_cc_98_no_gains", 986, 500, none, **extreme)


# Tables of the README ----------------------------------------------------------------------------------------------


def spray_table(traces: list[Spray]) -> list[str]:
    """What the traces of `strack` hold, as a table in Markdown."""
    lines = [
        "| trace | ops | sends: explore, recycle | acks good, marked; nacks, timeouts, inits | with a foreign EV "
        "| searches that came back | most words |",
        "| --- | --- | --- | --- | --- | --- | --- |",
    ]
    for spray in traces:
        c = spray.trace.counts
        lines.append(
            f"| `{spray.trace.name}` | {len(spray.trace.rows)} | {c['explore']}, {c['recycle']} "
            f"| {c['good']}, {c['marked']}; {c['nack']}, {c['timeout']}, {c['init']} | {c['foreign']} "
            f"| {c['came back']} | {spray.most_words} |"
        )
    return lines


def window_table(traces: list[Windows]) -> list[str]:
    """The same of `strack_cc`, and how far the windows in doubles are from those in integers."""
    lines = [
        "| trace | ops | acks: hold, proportional, additive, multiplicative, achieved; fair "
        "| reads, inits, nacks, timeouts; refused | windows apart: mean, most | ACKs that branch otherwise |",
        "| --- | --- | --- | --- | --- | --- |",
    ]
    for windows in traces:
        c = windows.trace.counts
        count = len(windows.distances)
        apart = "- | -"
        if count:
            average = sum(windows.distances) / count
            apart = f"{average:.3%}, {max(windows.distances):.2%} | {windows.others / count:.2%}"
        actions = ", ".join(str(c[action]) for action in range(5))
        lines.append(
            f"| `{windows.trace.name}` | {len(windows.trace.rows)} | {actions}; {c['fair']} "
            f"| {c['read']}, {c['init']}, {c['nack']}, {c['timeout']}; {c['refused']} | {apart} |"
        )
    return lines


def main() -> None:
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else FOLDER
    if len(sys.argv) > 2 or not folder.is_dir():
        print(f"record: `{' '.join(sys.argv[1:])}` is not one folder that is there", file=sys.stderr)
        sys.exit(2)
    sprays, windows = list(spray_traces()), list(window_traces())
    for recorded in [*sprays, *windows]:
        for name, contents in recorded.files().items():
            data = contents.encode()
            (folder / name).write_bytes(packed(data) if name.endswith(".gz") else data)
    print("\n".join([*spray_table(sprays), "", *window_table(windows)]))


if __name__ == "__main__":
    main()

"""Traffic in both directions through the block, with everything that comes out checked as it comes."""

import random
from collections import Counter, deque
from collections.abc import Iterator
from dataclasses import dataclass, field

import cocotb
from cocotb.queue import Queue
from cocotb.triggers import Event
from cocotbext.axi import AxiStreamFrame
from scapy.layers.inet import UDP

import frames
from bench import Bench, Cycles
from frames import HOST, PEER
from headers import Data
from model import DUPLICATE, NEW, NOT_OPEN, OUTSIDE, PSNS, Answer, Arrival, Cache, Receiver, Scoreboard

# Events of sack_rx and of the MAC's side, and of what the host sends; all others are a connection's of the sender.
UNSOLICITED = {"duplicate": "arrivals", "stray": "arrivals", "malformed": "malformed", "refused": "refused"}

# What the counter of a status of sack_rx is.
STATUS = {NEW: "rx_new", DUPLICATE: "rx_duplicate", OUTSIDE: "rx_outside", NOT_OPEN: "rx_not_open"}

# ACKs that may be under way at once: so few that the block has room for all and drops none.
MOST_ACKS = 8


@dataclass
class Sent:
    """A frame of the host that has to leave; without a connection it is a foreign one."""

    frame: bytes
    tuser: int
    conn: int | None = None
    psn: int = 0
    began: int = 0


@dataclass
class Sender:
    """A connection on which the host sends, and its peer."""

    scoreboard: Scoreboard
    cache: Cache
    peer: Receiver
    events: Queue = field(default_factory=Queue)
    on_the_way: set[int] = field(default_factory=set)
    arrived: list[bytes] = field(default_factory=list)
    under_way: deque[tuple[int, Answer]] = field(default_factory=deque)
    all_left: Event = field(default_factory=Event)


class Traffic:
    """Host and network of a block whose registers are as after a reset, but for those that `begin` writes."""

    def __init__(self, bench: Bench) -> None:
        self.bench = bench
        self.rng = random.Random(bench.rng.random())
        self.counts: Counter[str] = Counter()
        self.senders: dict[int, Sender] = {}
        self.receivers: dict[int, Receiver] = {}
        self.host_frames: deque[Sent] = deque()
        self.network_frames: deque[tuple[bytes, dict[str, int]]] = deque()
        self.sacks: deque[bytes] = deque()
        self.acks_under_way = 0
        self.expected_events: dict[str, deque[dict[str, int | str]]] = {
            name: deque() for name in set(UNSOLICITED.values())
        }

    async def begin(self, connections: int) -> None:
        """Writes the settings, and opens connections whose PSNs wrap soon."""
        driver = self.bench.driver
        self.window = await driver.read("window")
        self.threshold = self.rng.choice([0, 500, 4096])
        self.flow_label_enable = bool(self.rng.randrange(2))
        self.prescale = await driver.read("wire_prescale")
        cwnd_packets = 6
        settings = {
            "sack_threshold": self.threshold,
            "flow_label_enable": int(self.flow_label_enable),
            "cwnd_packets": cwnd_packets,
            # Nothing here is found by time.
            "probe_timeout": 0xFFFF,
            "rto": 0xFFFF,
            "seed": self.rng.randrange(1 << 16),
        }
        for name, value in settings.items():
            await driver.write(name, value)
        await driver.command("reset")
        depth = self.bench.manifest["config"]["reps"]["depth"]
        total = await driver.read("connections")
        for conn in self.rng.sample(range(total), connections):
            first, awaited = (PSNS - self.rng.randrange(40)) % PSNS, (PSNS - self.rng.randrange(40)) % PSNS
            await driver.command("open_tx", conn=conn, psn=first)
            await driver.command("open_rx", conn=conn, psn=awaited)
            peer = Receiver(first, self.window, threshold=0)
            self.senders[conn] = Sender(Scoreboard(first, cwnd_packets), Cache(depth), peer)
            self.receivers[conn] = Receiver(awaited, self.window, self.threshold)
        self.closed = [conn for conn in range(total) if conn not in self.senders]
        for watch in [self.watch_tx_out, self.watch_rx_out, self.watch_events]:
            cocotb.start_soon(watch())

    # What comes out of the block.

    async def watch_tx_out(self) -> None:
        while True:
            got = await self.bench.tx_out.recv()
            frame, tuser = bytes(got.tdata), got.tuser
            if self.sacks and frame == self.sacks[0]:
                assert tuser == 0, "tuser of a SACK"
                self.sacks.popleft()
                self.counts["tx_sacks"] += 1
                continue
            assert self.host_frames, f"tx_out has {frames.read(frame)!r}, but the SACK due is {self.due()}"
            sent = self.host_frames.popleft()
            if sent.conn is None:
                assert frame == sent.frame, f"of the host: {sent.frame.hex()}, sent: {frame.hex()}; due: {self.due()}"
            else:
                self.data_left(sent, frame)
            assert tuser == sent.tuser, "tuser goes with its frame"

    def due(self) -> str:
        return repr(frames.read(self.sacks[0])) if self.sacks else "none"

    def data_left(self, sent: Sent, frame: bytes) -> None:
        sender = self.senders[sent.conn]
        packet = frames.read(frame)
        assert Data in packet and UDP in packet, f"for {frames.read(sent.frame)!r} came {packet!r}; SACK due: {self.due()}"
        ev, timestamp = packet[UDP].sport, packet[Data].timestamp
        wanted = frames.rewritten(sent.frame, ev, timestamp, self.flow_label_enable)
        assert frame == wanted, f"{packet!r} is not {frames.read(wanted)!r}; SACK due: {self.due()}"
        cached = sender.cache.sends()
        assert cached in (None, ev), f"connection {sent.conn} has EV {ev}, but the oldest that is cached is {cached}"
        self.counts["selector_explore" if cached is None else "selector_recycle"] += 1
        self.is_between(timestamp, sent.began, "the timestamp")
        assert sent.psn in sender.on_the_way, f"PSN {sent.psn} of connection {sent.conn} left twice"
        sender.on_the_way.remove(sent.psn)
        sender.arrived.append(frame)
        if not sender.on_the_way:
            sender.all_left.set()

    def is_between(self, ticks: int, began: int, what: str, since: int = 0) -> None:
        """Ticks of the wire from `since` on are of a cycle from `began` until now; a cycle more or less is allowed."""
        first = (began - 1 >> self.prescale) - since
        last = (Cycles.count + 1 >> self.prescale) - since
        assert (ticks - first) % (1 << 16) <= last - first, f"{what} is {ticks}, not {first} to {last}"

    async def watch_rx_out(self) -> None:
        while True:
            frame, beside = await self.bench.received()
            assert self.network_frames, f"nothing is due on rx_out, but it has {frames.read(frame)!r}"
            wanted, metadata = self.network_frames.popleft()
            assert frame == wanted, f"{frames.read(frame)!r} came as {frames.read(wanted)!r}"
            seen = {name: beside[name] for name in metadata}
            assert seen == metadata, f"beside {frames.read(frame)!r} stands {seen}, not {metadata}"

    async def watch_events(self) -> None:
        while True:
            event = await self.bench.event()
            assert event["after_loss"] == 0 and event["reserved"] == 0, event
            kind = event["kind"]
            self.acks_under_way -= kind == "rtt"
            if kind not in UNSOLICITED:
                self.senders[event["conn"]].events.put_nowait(event)
                continue
            queue = self.expected_events[UNSOLICITED[kind]]
            assert queue, f"no event {event} is due"
            expects(event, queue.popleft())

    # What goes into it.

    async def host_sends(self, conn: int, psn: int, size: int) -> None:
        packet = Arrival(psn, size, False, self.rng.randrange(1 << 16), self.rng.randrange(1 << 16))
        frame = frames.data(self.rng, HOST, PEER, conn, packet)
        tuser = self.rng.randrange(2)
        sender = self.senders[conn]
        self.counts["tx_data" if psn == sender.scoreboard.next else "tx_again"] += 1
        sender.scoreboard.sends(psn, size)
        sender.on_the_way.add(psn)
        sender.all_left.clear()
        await self.host_offers(Sent(frame, tuser, conn, psn))

    async def host_offers(self, sent: Sent) -> None:
        while self.bench.tx_in.count() > 3:
            await self.bench.cycles(8)
        sent.began = Cycles.count
        self.host_frames.append(sent)
        self.bench.tx_in.send_nowait(AxiStreamFrame(sent.frame, tuser=sent.tuser))

    async def host_sends_foreign(self) -> None:
        """A frame that must pass: not the profile's, malformed, or an ACK of the host's own."""
        self.counts["tx_other"] += 1
        if self.rng.random() < 0.1:
            trigger = frames.data(self.rng, PEER, HOST, 1, Arrival(5, 0, False, 7, 7))
            frame = frames.sack(trigger, 1, Receiver(5, self.window, 0).arrives(frames.arrival(trigger))[1])
        else:
            made = frames.foreign(self.rng, HOST, PEER)
            self.counts["tx_malformed"] += made.is_malformed
            frame = made.frame
        await self.host_offers(Sent(frame, self.rng.randrange(2)))

    async def host_is_refused(self, conn: int) -> None:
        """Data on a connection that is not open, or with a PSN left out."""
        scoreboard = self.senders[conn].scoreboard
        if self.rng.random() < 0.5:
            conn, psn, detail = self.rng.choice(self.closed), self.rng.randrange(PSNS), 7
        else:
            psn, detail = (scoreboard.next + self.rng.randrange(1, 99)) % PSNS, 2
        frame = frames.data(self.rng, HOST, PEER, conn, Arrival(psn, 40, False, 1, 1))
        self.counts["tx_refused"] += 1
        while self.bench.tx_in.count() > 3:
            await self.bench.cycles(8)
        refused = {"kind": "refused", "conn": conn, "psn": psn, "detail": detail, "value": 0}
        self.expected_events["refused"].append(refused)
        self.bench.tx_in.send_nowait(AxiStreamFrame(frame))

    async def network_has_room(self) -> None:
        """Few frames and few SACKs wait, so that none has to be dropped."""
        while self.bench.rx_in.count() > 3 or len(self.sacks) > 20 or len(self.network_frames) > 20:
            await self.bench.cycles(8)

    def network_sends(self, frame: bytes, is_bad: bool = False) -> None:
        self.counts["rx_bad"] += is_bad
        # The MAC says so in the last beat; in those before it tuser has no meaning.
        tuser = [self.rng.randrange(2) for _ in frame]
        last = (len(frame) - 1) // self.bench.rx_in.byte_lanes * self.bench.rx_in.byte_lanes
        tuser[last:] = [int(is_bad)] * (len(frame) - last)
        self.bench.rx_in.send_nowait(AxiStreamFrame(frame, tuser=tuser))

    # A conversation: the host sends on a connection, and its peer answers over a network that loses some.

    async def talk(self, conn: int, packets: int) -> None:
        sender = self.senders[conn]
        scoreboard = sender.scoreboard
        again: list[int] = []
        delayed: list[bytes] = []
        while packets > 0 or again or delayed or scoreboard.outstanding():
            room = self.window - ahead_of(scoreboard)
            burst = min(packets, self.rng.randint(1, 14), room)
            for psn in again:
                await self.host_sends(conn, psn, scoreboard.sizes[psn])
            for _ in range(burst):
                size = self.rng.choice([0, 1, 64, self.rng.randrange(200), self.rng.randrange(1200)])
                await self.host_sends(conn, scoreboard.next, size)
                if self.rng.random() < 0.2:
                    await self.host_sends_foreign()
                if self.rng.random() < 0.05:
                    await self.host_is_refused(conn)
            packets -= burst
            # A full window moves on only when the late ones come, too, and the sender hears of it.
            all_come = packets == 0 or burst == room
            if sender.on_the_way:
                await sender.all_left.wait()
            arrived, sender.arrived = sender.arrived, []
            # Paths are of different length; a few packets come much later than all others.
            self.rng.shuffle(arrived)
            late = [] if all_come else [frame for frame in arrived if self.rng.random() < 0.08]
            arrived = [frame for frame in arrived if frame not in late]
            if all_come:
                arrived, delayed = arrived + delayed, []
            delayed += late
            for number, frame in enumerate(arrived):
                must_come = all_come and number + 1 == len(arrived)
                await self.peer_receives(conn, frame, must_come)
            again = await self.settles(conn)

    async def peer_receives(self, conn: int, frame: bytes, must_come: bool) -> None:
        """The peer answers a packet; the SACK may be lost."""
        sender = self.senders[conn]
        packet = frames.arrival(frame)
        packet.is_marked = self.rng.random() < 0.3
        _, answer = sender.peer.arrives(packet)
        assert answer is not None, "a threshold of 0 makes each packet's SACK due"
        if not must_come and self.rng.random() < 0.05:
            return
        while self.bench.rx_in.count() > 3 or self.acks_under_way > MOST_ACKS:
            await self.bench.cycles(8)
        self.acks_under_way += 1
        sender.under_way.append((Cycles.count, answer))
        self.network_sends(frames.sack(frame, conn, answer))

    async def settles(self, conn: int) -> list[int]:
        """Waits until the block has told what the SACKs say, and gives the PSNs that it wants to be sent again."""
        sender = self.senders[conn]
        scoreboard = sender.scoreboard
        again = []
        while sender.under_way or scoreboard.lost and scoreboard.in_flight() < scoreboard.cwnd_packets:
            event = await sender.events.get()
            if event["kind"] == "retransmit":
                assert scoreboard.lost, f"nothing is to be sent again, but there is {event}"
                expects(event, scoreboard.hands_out())
                self.counts["handed_out"] += 1
                again.append(event["psn"])
                continue
            assert sender.under_way, f"no SACK is under way, but there is {event}"
            began, answer = sender.under_way.popleft()
            self.counts["rx_acks"] += 1
            self.counts["ev_dropped" if answer.of.is_marked else "ev_cached"] += 1
            sender.cache.hears(answer.of.ev, answer.of.is_marked)
            for wanted in scoreboard.hears(answer):
                expects(event, wanted)
                self.counts["loss_ooo"] += wanted["kind"] == "loss"
                self.counts["recovery_left"] += wanted["kind"] == "recovery_left"
                event = await sender.events.get()
            expects(event, {"kind": "rtt", "psn": 0, "in_flight": 0, "value": 0})
            self.is_between(event["detail"], began, "the RTT", since=answer.of.timestamp)
        return again

    # The other direction: a peer sends, and the block receives.

    async def receive(self, packets: int) -> None:
        """Data packets of all connections, reordered, some twice, marked or outside of the window, and other frames."""
        streams = {conn: self.reordered(receiver.epsn) for conn, receiver in self.receivers.items()}
        while packets > 0:
            await self.network_has_room()
            choice = self.rng.random()
            if choice < 0.1:
                self.network_sends_foreign()
                continue
            conn = self.rng.choice(list(self.receivers))
            packet = self.packet(next(streams[conn]))
            if choice < 0.13:
                packet.psn = (packet.psn + self.rng.randrange(2 * self.window, PSNS // 4)) % PSNS
            elif choice < 0.16:
                packet.psn = (packet.psn - self.rng.randrange(PSNS // 4)) % PSNS
            elif choice < 0.19:
                conn = self.rng.choice(self.closed)
            elif choice < 0.22:
                packet.probe, packet.size, packet.ack_request = True, 0, False
            frame = frames.data(self.rng, PEER, HOST, conn, packet)
            if choice > 0.98:
                self.network_sends(frame, is_bad=True)
                continue
            self.arrives(conn, packet, frame)
            self.network_sends(frame)
            packets -= 1

    def reordered(self, psn: int) -> Iterator[int]:
        """PSNs from this one on, each near its place."""
        while True:
            group = [(psn + offset) % PSNS for offset in range(self.rng.randint(1, 24))]
            psn = (psn + len(group)) % PSNS
            self.rng.shuffle(group)
            # What a probe or a bad frame stood for comes with the rest, for nothing fills a gap that stays.
            yield from group + [number for number in group if self.rng.random() < 0.1] + group[:1]

    def packet(self, psn: int) -> Arrival:
        size = self.rng.choice([0, 1, 64, self.rng.randrange(200), self.rng.randrange(1200)])
        ev, timestamp = self.rng.randrange(1 << 16), self.rng.randrange(1 << 16)
        return Arrival(psn, size, self.rng.random() < 0.2, ev, timestamp, self.rng.random() < 0.1)

    def network_sends_foreign(self) -> None:
        made = frames.foreign(self.rng, PEER, HOST)
        self.counts["rx_malformed" if made.is_malformed else "rx_other"] += 1
        metadata = {"kind": 3, "error": made.error, "conn": 0, "status": 4}
        self.network_frames.append((made.frame, metadata))
        if made.is_malformed:
            self.expected_events["malformed"].append({"kind": "malformed", "conn": 0, "psn": 0, "detail": made.error})
        self.network_sends(made.frame)

    def arrives(self, conn: int, packet: Arrival, frame: bytes) -> None:
        """Notes what must come of a data packet or a probe."""
        receiver = self.receivers.get(conn)
        status, answer = receiver.arrives(packet) if receiver else (NOT_OPEN, None)
        self.counts["rx_marked"] += packet.is_marked
        self.counts["rx_probes"] += packet.probe and status != NOT_OPEN
        if status in STATUS:
            self.counts[STATUS[status]] += 1
        if answer is not None:
            self.sacks.append(frames.sack(frame, conn, answer))
        told = {"conn": conn, "psn": packet.psn}
        if status == DUPLICATE:
            self.expected_events["arrivals"].append({"kind": "duplicate", "detail": 0} | told)
        elif status in (OUTSIDE, NOT_OPEN):
            self.expected_events["arrivals"].append({"kind": "stray", "detail": status} | told)
        if packet.probe:
            return
        ecn = frames.ecn(frame)
        metadata = {
            "kind": 0,
            "error": 0,
            "conn": conn,
            "psn": packet.psn,
            "bytes": packet.size,
            "ecn": ecn,
            "ev": packet.ev,
            "timestamp": packet.timestamp,
            "ack_request": int(packet.ack_request),
            "status": status,
        }
        self.network_frames.append((frame, metadata))

    # The end.

    async def ends(self) -> None:
        """All that was due has come, nothing else, and the counters of the block say the same."""
        for _ in range(2000):
            waiting = [self.host_frames, self.network_frames, self.sacks, *self.expected_events.values()]
            if not any(waiting):
                break
            await self.bench.cycles(10)
        assert not self.host_frames, f"{len(self.host_frames)} frames of the host did not leave"
        assert not self.network_frames, f"{len(self.network_frames)} frames did not come to the host"
        assert not self.sacks, f"{len(self.sacks)} SACKs did not leave; the next is {self.due()}"
        assert not any(self.expected_events.values()), f"events did not come: {self.expected_events}"
        # What is not due would come by now.
        await self.bench.cycles(500)
        driver = self.bench.driver
        for name in driver.counters():
            counted = await driver.read(f"{name}_low")
            assert counted == self.counts[name], f"{name} is {counted}, and the bench counted {self.counts[name]}"
        for conn, sender in list(self.senders.items())[:3]:
            await driver.command("read", conn=conn)
            names = ["status", "snd_una", "snd_nxt", "in_flight"]
            results = {name: await driver.read(f"result_{name}") for name in names}
            psn = sender.scoreboard.next
            assert results == {"status": 0, "snd_una": psn, "snd_nxt": psn, "in_flight": 0}, results


def expects(event: dict[str, int | str], wanted: dict[str, int | str]) -> None:
    seen = {name: event[name] for name in wanted}
    assert seen == wanted, f"the event is {event}, not {wanted}"


def ahead_of(scoreboard: Scoreboard) -> int:
    """PSNs from the lowest that is not acknowledged to the next one."""
    return (scoreboard.next - scoreboard.una) % PSNS

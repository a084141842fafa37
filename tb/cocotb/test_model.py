"""The block against its golden model: the scoreboard of these tests is the package `respray` of docs/models.md, and so is the
peer of the block. Start from this file if you would rather not write a model of your own."""

import cocotb
import respray
from cocotb.handle import SimHandleBase
from cocotbext.axi import AxiStreamFrame

import frames
from bench import PACKETS, Bench, Cycles
from frames import HOST, PEER
from model import PSNS, Arrival

# A tick of the wire, as long as it can be, and a margin around its end: no time passes while a frame is in the block.
TICK_SHIFT = 16
TICK = 1 << TICK_SHIFT
MARGIN = 1000

# Cycles in which the block ends all that one frame brings about.
SETTLED = 100

CONNECTIONS = 4
LONGEST_US = 2000

# Data packets of the host: each waits until the block has ended what it brings about, so there are fewer than elsewhere.
OF_HOST = max(20, PACKETS // 10)


class Golden:
    """The golden model beside the block: both are given the same, one thing at a time, and have to show the same."""

    def __init__(self, bench: Bench) -> None:
        self.bench = bench
        self.model = respray.Model("nic", **bench.manifest["config"])
        self.kinds: list[str] = self.model.description["events"]

    async def begins(self) -> None:
        """Waits until no tick ends while the next thing happens, and tells the model the time."""
        while not MARGIN < Cycles.count % TICK < TICK - MARGIN:
            await self.bench.cycles(MARGIN)
        self.model.advance(Cycles.count)

    async def write(self, name: str, value: int) -> None:
        await self.begins()
        await self.bench.driver.write(name, value)
        self.model.set(name, value)
        await self.shows_the_same()

    async def opens(self, command: str, conn: int, psn: int) -> None:
        for name, value in {"command_conn": conn, "command_psn": psn, "command": self.bench.driver.commands[command]}.items():
            await self.write(name, value)

    async def sends(self, frame: bytes) -> tuple[list[bytes], list[int]]:
        """The host sends a frame; what leaves for the network, and the PSNs that are to be sent again."""
        await self.begins()
        assert self.model.push("tx_in", frame)
        self.bench.tx_in.send_nowait(AxiStreamFrame(frame))
        return await self.shows_the_same()

    async def receives(self, frame: bytes) -> tuple[list[bytes], list[int]]:
        """A frame comes from the network; what leaves for it, and the PSNs that are to be sent again."""
        await self.begins()
        self.model.push("rx_in", frame)
        self.bench.rx_in.send_nowait(AxiStreamFrame(frame))
        return await self.shows_the_same()

    async def shows_the_same(self) -> tuple[list[bytes], list[int]]:
        """Compares all that the block shows with what the model has."""
        left, again = [], []
        for wanted in self.model.received("tx_out"):
            got = await self.bench.tx_out.recv()
            assert bytes(got.tdata) == wanted.frame, f"{frames.read(bytes(got.tdata))!r} is not {frames.read(wanted.frame)!r}"
            assert got.tuser == wanted.fields["user"], "tuser goes with its frame"
            left.append(wanted.frame)
        for wanted in self.model.received("rx_out"):
            frame, beside = await self.bench.received()
            assert (frame, beside) == (wanted.frame, wanted.fields), f"beside the frame stands {beside}, not {wanted.fields}"
        for wanted in self.model.received("event"):
            event = await self.bench.event()
            told = wanted.fields | {"kind": self.kinds[wanted.fields["kind"]]}
            assert {name: event[name] for name in told} == told, f"the event is {event}, not {told}"
            if told["kind"] == "retransmit":
                again.append(int(told["psn"]))
        await self.bench.cycles(SETTLED)
        bench = self.bench
        assert bench.tx_out.empty() and bench.rx_out.empty() and bench.events.empty(), "the block shows more than the model"
        return left, again


@cocotb.test(timeout_time=LONGEST_US + 20 * OF_HOST, timeout_unit="us")
async def the_golden_model_has_the_same(dut: SimHandleBase) -> None:
    """Data goes both ways over a network that loses and marks packets, and what is lost is sent again."""
    bench = Bench(dut)
    await bench.begin()
    bench.pause(0.25)
    golden, rng = Golden(bench), bench.rng
    peer = respray.Model("nic", **bench.manifest["config"])
    for name, value in {"sack_prescale": TICK_SHIFT, "wire_prescale": TICK_SHIFT, "cwnd_packets": 6, "sack_threshold": 200}.items():
        await golden.write(name, value)
        peer.set(name, value)
    first = {conn: PSNS - 1 - rng.randrange(20) for conn in range(CONNECTIONS)}
    for conn, psn in first.items():
        for command in ["open_tx", "open_rx"]:
            await golden.opens(command, conn, psn)
            peer.set("command_conn", conn)
            peer.set("command_psn", psn)
            peer.set("command", bench.driver.commands[command])
    sent = {conn: {} for conn in first}
    for _ in range(OF_HOST):
        conn = rng.randrange(CONNECTIONS)
        psn = (first[conn] + len(sent[conn])) % PSNS
        packet = Arrival(psn, rng.choice([1, 64, 500]), False, rng.randrange(1 << 16), 0, bool(rng.randrange(2)))
        frame = sent[conn][psn] = frames.data(rng, HOST, PEER, conn, packet)
        await passes(golden, peer, conn, sent, await golden.sends(frame))
        # the peer sends, too: what leaves it comes to the block
        assert peer.push("tx_in", frames.data(rng, PEER, HOST, conn, packet))
        for found in list(peer.received("tx_out")):
            if rng.random() < 0.9:
                await passes(golden, peer, conn, sent, await golden.receives(found.frame))
        list(peer.received("rx_out")), list(peer.received("event"))
    counter = await bench.driver.counter("tx_data")
    assert counter > OF_HOST // 4, f"only {counter} packets were sent"


async def passes(
    golden: Golden, peer: respray.Model, conn: int, sent: dict[int, dict[int, bytes]], shown: tuple[list[bytes], list[int]]
) -> None:
    """What leaves the block comes to the peer, but for what the network loses; its SACKs come back, and what they show as lost is sent
    again."""
    left, again = shown
    for frame in left:
        if golden.bench.rng.random() < 0.1:
            continue
        peer.push("rx_in", frame)
        for answer in list(peer.received("tx_out")):
            lost = (await golden.receives(answer.frame))[1]
            again += lost
        list(peer.received("rx_out")), list(peer.received("event"))
    for psn in again:
        if psn in sent[conn]:
            await passes(golden, peer, conn, sent, await golden.sends(sent[conn][psn]))

"""The bench: clock, reset, the streams of the block and its registers."""

import itertools
import json
import logging
import os
import random
from collections.abc import Iterator
from pathlib import Path

import cocotb
from cocotb.clock import Clock
from cocotb.handle import SimHandleBase
from cocotb.triggers import RisingEdge, Timer
from cocotb.utils import get_sim_time
from cocotbext.axi import AxiStreamBus, AxiStreamSink, AxiStreamSource

from driver import Driver

PERIOD_NS = 4

# Data packets each way.
PACKETS = int(os.environ["NIC_PACKETS"])

# The ports beside rx_out that say what its frame is.
METADATA = ["kind", "error", "conn", "psn", "bytes", "ecn", "ev", "timestamp", "ack_request", "status"]


class Cycles:
    """Counts the edges of the clock from the start of the simulation on, through all tests."""

    count = 0

    @classmethod
    async def run(cls, clk: SimHandleBase) -> None:
        edge = RisingEdge(clk)
        while True:
            await edge
            cls.count += 1


def pauses(rng: random.Random, share: float) -> Iterator[bool]:
    """For each cycle whether a stream pauses, in runs of one to eight cycles; `share` of them are pauses."""
    while True:
        yield from itertools.repeat(rng.random() < share, rng.randint(1, 8))


class Ports:
    """The ports of the block by their names. With Verilator 5.006 a handle found by going through the signals of
    `dut`, as buses do, is one of a copy of the port: what is written there does not reach the block."""

    def __init__(self, dut: SimHandleBase, manifest: dict) -> None:
        self._name = dut._name
        self._log = dut._log
        for port in manifest["ports"]:
            setattr(self, port["name"], getattr(dut, port["name"]))


class Sampled:
    """A signal that is read once a cycle. `AxiStreamSink` reads the bus anew for each byte, which takes longer
    than all else that happens in a cycle."""

    def __init__(self, signal: SimHandleBase) -> None:
        self.signal = signal
        self.read_at = -1
        self.number = 0

    def __len__(self) -> int:
        return len(self.signal)

    @property
    def value(self) -> int:
        now = get_sim_time("step")
        if now != self.read_at:
            self.read_at, self.number = now, int(self.signal.value)
        return self.number


def sink(dut: Ports, prefix: str, **options: int) -> AxiStreamSink:
    bus = AxiStreamBus.from_prefix(dut, prefix)
    for name in ["tdata", "tkeep", "tuser"]:
        if hasattr(bus, name):
            setattr(bus, name, Sampled(getattr(bus, name)))
    return AxiStreamSink(bus, dut.clk, dut.rst, **options)


class Bench:
    """The block between its host and its MAC."""

    def __init__(self, dut: SimHandleBase) -> None:
        logging.getLogger("cocotb.nic").setLevel(logging.WARNING)
        verilog = Path(os.environ["NIC_VERILOG"])
        self.manifest = json.loads((verilog / "nic.json").read_text())
        self.dut = dut = Ports(dut, self.manifest)
        self.rng = random.Random(cocotb.RANDOM_SEED)
        self.driver = Driver(dut, verilog / "nic_registers.json")
        self.tx_in = AxiStreamSource(AxiStreamBus.from_prefix(dut, "tx_in"), dut.clk, dut.rst)
        self.rx_in = AxiStreamSource(AxiStreamBus.from_prefix(dut, "rx_in"), dut.clk, dut.rst)
        self.tx_out = sink(dut, "tx_out")
        self.rx_out = sink(dut, "rx_out")
        self.events = sink(dut, "event", byte_size=len(dut.event_tdata))
        self.metadata: list[dict[str, int]] = []

    async def begin(self) -> None:
        """Starts the clock, resets the block and waits until it answers."""
        cocotb.start_soon(Cycles.run(self.dut.clk))
        cocotb.start_soon(Clock(self.dut.clk, PERIOD_NS, units="ns").start())
        self.dut.rst.value = 1
        await self.cycles(4)
        self.dut.rst.value = 0
        await self.cycles(4)
        cocotb.start_soon(self.watch_metadata())
        await self.driver.read("identity")

    @staticmethod
    async def cycles(count: int) -> None:
        """Waits as long as so many cycles take."""
        await Timer(count * PERIOD_NS, units="ns")

    async def watch_metadata(self) -> None:
        """Notes what stands beside each frame of rx_out, and that it stays as it is during the frame."""
        dut = self.dut
        ports = {name: getattr(dut, f"rx_{name}") for name in METADATA}
        beside: dict[str, int] | None = None
        while True:
            if not dut.rx_out_tvalid.value:
                await RisingEdge(dut.rx_out_tvalid)
            await RisingEdge(dut.clk)
            if not dut.rx_out_tvalid.value:
                continue
            now = {name: int(port.value) for name, port in ports.items()}
            assert beside in (None, now), f"the ports beside rx_out change from {beside} to {now} in a frame"
            beside = now
            if dut.rx_out_tready.value and dut.rx_out_tlast.value:
                self.metadata.append(now)
                beside = None

    async def received(self) -> tuple[bytes, dict[str, int]]:
        """The next frame of rx_out, with what stood beside it."""
        frame = await self.rx_out.recv()
        while not self.metadata:
            await RisingEdge(self.dut.clk)
        return bytes(frame.tdata), self.metadata.pop(0)

    async def event(self) -> dict[str, int | str]:
        """The next event."""
        return self.driver.event((await self.events.recv()).tdata[0])

    def pause(self, share: float) -> None:
        """Lets every stream pause at random."""
        for stream in [self.tx_in, self.rx_in, self.tx_out, self.rx_out, self.events]:
            stream.set_pause_generator(pauses(random.Random(self.rng.random()), share))

    def pause_registers(self, share: float) -> None:
        """Lets every channel of the registers pause at random."""
        registers = self.driver.bus
        channels = [registers.write_if.aw_channel, registers.write_if.w_channel, registers.write_if.b_channel]
        channels += [registers.read_if.ar_channel, registers.read_if.r_channel]
        for channel in channels:
            channel.set_pause_generator(pauses(random.Random(self.rng.random()), share))

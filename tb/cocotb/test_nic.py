"""The block `nic` as its users meet it."""

import cocotb
from cocotb.handle import SimHandleBase

from bench import Bench
from traffic import Traffic


@cocotb.test(timeout_time=20, timeout_unit="ms")
async def traffic_in_both_directions(dut: SimHandleBase) -> None:
    """Every stream pauses at random, and every frame, SACK, event, EV and counter is as it must be."""
    bench = Bench(dut)
    await bench.begin()
    traffic = Traffic(bench)
    await traffic.begin(connections=12)
    bench.pause(0.3)
    share = -(-bench.packets // len(traffic.senders))
    tasks = [cocotb.start_soon(traffic.talk(conn, share)) for conn in traffic.senders]
    tasks.append(cocotb.start_soon(traffic.receive(bench.packets)))
    for task in tasks:
        await task
    await traffic.ends()

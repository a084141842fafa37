"""The block `nic` as its users meet it."""

from dataclasses import replace

import cocotb
from cocotb.handle import SimHandleBase
from cocotbext.axi import AxiResp, AxiStreamFrame

import frames
from bench import PACKETS, Bench, Cycles
from frames import HOST, PEER
from model import PSNS, Answer, Arrival, Cache, Receiver
from traffic import Traffic


# A stream that stops would otherwise be simulated for minutes before the test fails.
LONGEST_US = 1000


@cocotb.test(timeout_time=LONGEST_US + 2 * PACKETS, timeout_unit="us")
async def traffic_in_both_directions(dut: SimHandleBase) -> None:
    """Every stream pauses at random, and every frame, SACK, event, EV and counter is as it must be."""
    bench = Bench(dut)
    await bench.begin()
    traffic = Traffic(bench)
    await traffic.begin(connections=16)
    bench.pause(0.25)
    share = -(-PACKETS // len(traffic.senders))
    tasks = [cocotb.start_soon(traffic.talk(conn, share)) for conn in traffic.senders]
    tasks.append(cocotb.start_soon(traffic.receive(PACKETS)))
    for task in tasks:
        await task
    await traffic.ends()


@cocotb.test(timeout_time=LONGEST_US, timeout_unit="us")
async def registers_read_back_and_refuse(dut: SimHandleBase) -> None:
    """Every register has its value after a reset, takes what is allowed and refuses the rest, with SLVERR."""
    bench = Bench(dut)
    await bench.begin()
    bench.pause_registers(0.25)
    driver, rng, refused = bench.driver, bench.rng, 0
    assert await driver.read("identity") == int.from_bytes(b"RSPN", "big")
    assert await driver.read("profile") == 0, "the bench speaks strack"
    readable = {name: entry for name, entry in driver.registers.items() if entry["access"] != "write-only"}
    for name, register in readable.items():
        assert name.startswith("time_") or await driver.read(name) == register["reset"], name
    read_only = [entry["address"] for entry in readable.values() if entry["access"] == "read-only"]
    for address in rng.sample(read_only, 10):
        assert await driver.write_address(address, bytes(4)) == AxiResp.SLVERR, hex(address)
        refused += 1
    for name in driver.registers.keys() - readable.keys():
        assert (await driver.read_address(driver.registers[name]["address"]))[0] == AxiResp.SLVERR, name
        refused += 1
    for name, register in readable.items():
        if register["access"] != "read-write" or register["is_cleared_by_write"]:
            continue
        low, high = register["allowed"]
        # Of the two prescalers, that of the wire is the smaller one, and it stays as it is meanwhile.
        least = max(low, register["reset"]) if name == "sack_prescale" else low
        most = min(high, register["reset"]) if name == "wire_prescale" else high
        for value in [least, most, rng.randint(least, most), register["reset"]]:
            await driver.write(name, value)
            assert await driver.read(name) == value, name
        wrong = [value.to_bytes(4, "little") for value in [low - 1, high + 1] if 0 <= value < 1 << 32]
        wrong.append(bytes([least & 0xFF, 0, 0, 0])[: rng.randrange(1, 4)])
        for data in wrong:
            assert await driver.write_address(register["address"], data) == AxiResp.SLVERR, (name, data)
        refused += len(wrong)
        assert await driver.read(name) == register["reset"], f"what was refused changed {name}"
    known = {register["address"] for register in driver.registers.values()}
    for address in rng.sample([address for address in range(0, 0x1000, 4) if address not in known], 10):
        assert (await driver.read_address(address))[0] == AxiResp.SLVERR, hex(address)
        assert await driver.write_address(address, bytes(4)) == AxiResp.SLVERR, hex(address)
        refused += 2
    # A tick of sack_tx is no shorter than one of the wire, and commands have codes from 1 on.
    for name, value in [("wire_prescale", 16), ("command", 0), ("command", max(driver.commands.values()) + 1)]:
        address = driver.registers[name]["address"]
        assert await driver.write_address(address, value.to_bytes(4, "little")) == AxiResp.SLVERR, (name, value)
        refused += 1
    assert await driver.counter("accesses_refused") == refused
    await driver.write("accesses_refused_low", 1)
    assert await driver.counter("accesses_refused") == 0, "a write of any value clears a counter"
    earlier = await driver.counter("time")
    assert earlier < await driver.counter("time") <= Cycles.count + 1


@cocotb.test(timeout_time=LONGEST_US, timeout_unit="us")
async def lost_packets_are_named(dut: SimHandleBase) -> None:
    """Without a SACK comes a probe, whose answer proves a loss; without any answer a timeout, and EVs are replayed."""
    bench = Bench(dut)
    await bench.begin()
    driver = bench.driver
    for name, value in {"probe_timeout": 20, "rto": 80, "probe_rtt": 50, "wire_prescale": 5}.items():
        await driver.write(name, value)
    conn, first = 3, PSNS - 2
    await driver.command("open_tx", conn=conn, psn=first)
    peer = Receiver(first, await driver.read("window"), threshold=0)
    sent = [Arrival((first + number) % PSNS, 100, False, 1, 1) for number in range(4)]
    offered = {packet.psn: frames.data(bench.rng, HOST, PEER, conn, packet) for packet in sent}
    left = []
    for frame in offered.values():
        bench.tx_in.send_nowait(AxiStreamFrame(frame))
        left.append(bytes((await bench.tx_out.recv()).tdata))
    # The network loses the last two.
    cache = Cache(bench.manifest["config"]["reps"]["depth"])
    for frame in left[:2]:
        packet = frames.arrival(frame)
        cache.hears(packet.ev, packet.is_marked)
        bench.rx_in.send_nowait(AxiStreamFrame(frames.sack(frame, conn, peer.arrives(packet)[1])))
        for kind in ["acknowledged", "rtt"]:
            assert (await bench.event())["kind"] == kind
    frame = bytes((await bench.tx_out.recv()).tdata)
    probe = frames.arrival(frame)
    await driver.write("probe_timeout", 0xFFFF)
    assert (probe.probe, probe.psn, probe.ev) == (True, sent[2].psn, cache.sends()), probe
    wanted = frames.probe(left[-1], conn, probe)
    assert frame == wanted, f"the probe is {frames.read(frame)!r}, not {frames.read(wanted)!r}"
    bench.rx_in.send_nowait(AxiStreamFrame(frames.sack(frame, conn, peer.arrives(probe)[1])))
    cache.hears(probe.ev, probe.is_marked)
    known = [frames.arrival(frame).ev for frame in left[:2]] + [probe.ev]
    lost = [packet.psn for packet in sent[2:]]
    events = [await bench.event() for _ in range(5)]
    kinds = [event["kind"] for event in events]
    assert sorted(kinds) == sorted(["acknowledged", "loss", "rtt", "retransmit", "retransmit"]), events
    assert [event["detail"] for event in events if event["kind"] == "loss"] == [2], events
    assert [event["psn"] for event in events if event["kind"] == "retransmit"] == lost, events
    # The host sends both again, with the EVs that came back, oldest first, and the network is silent.
    for psn in lost:
        bench.tx_in.send_nowait(AxiStreamFrame(offered[psn]))
    again = [frames.arrival(bytes((await bench.tx_out.recv()).tdata)) for _ in lost]
    assert [(packet.psn, packet.ev) for packet in again] == [(psn, cache.sends()) for psn in lost]
    kinds = []
    while kinds.count("retransmit") < 2:
        event = await bench.event()
        kinds.append(event["kind"])
        assert event["kind"] != "loss" or event["detail"] == 3, event
    assert kinds.count("loss") == 1 and kinds.count("freeze_entered") == 1, kinds
    # Freezing, it knows no other EVs than those that came back, and goes through them again.
    for psn in lost * 2:
        bench.tx_in.send_nowait(AxiStreamFrame(offered[psn]))
    replayed = [frames.arrival(bytes((await bench.tx_out.recv()).tdata)).ev for _ in lost * 2]
    assert replayed == (known * 2)[:4], f"{replayed} are not {known} again"
    counts = {"selector_explore": 4, "selector_recycle": 3, "selector_replay": 4, "freeze_entered": 1}
    counts |= {"loss_probe": 1, "loss_timeout": 1, "tx_data": 4, "tx_again": 6, "handed_out": 4}
    for name, count in counts.items():
        assert await driver.counter(name) == count, name


@cocotb.test(timeout_time=LONGEST_US, timeout_unit="us")
async def acks_that_cannot_be_true_are_refused(dut: SimHandleBase) -> None:
    """Of each kind one, and one that is merely old; none of them changes anything."""
    bench = Bench(dut)
    await bench.begin()
    driver = bench.driver
    conn, first = 9, 130
    await driver.command("open_tx", conn=conn, psn=first)
    packet = Arrival(first, 10, False, 1, 1)
    for psn in [first, first + 1]:
        packet.psn = psn
        bench.tx_in.send_nowait(AxiStreamFrame(frames.data(bench.rng, HOST, PEER, conn, packet)))
    left = [bytes((await bench.tx_out.recv()).tdata) for _ in range(2)]
    of = frames.arrival(left[0])
    base, below = first // 64 * 64, (1 << first % 64) - 1
    honest = Answer(of, first + 1, base, below << 1 | 1, 0, 10)
    bad = {
        2: replace(honest, epsn=first + 3, bitmap=below << 3 | 7),
        3: replace(honest, base=base + 1),
        4: replace(honest, bitmap=honest.bitmap | 1 << 63),
        5: replace(honest, bitmap=honest.bitmap | 2 << first % 64),
    }
    other = conn + 1
    for status, answer in bad.items():
        bench.rx_in.send_nowait(AxiStreamFrame(frames.sack(left[0], conn, answer)))
        event = await bench.event()
        told = [event[name] for name in ["kind", "conn", "psn", "detail"]]
        assert told == ["bad_ack", conn, answer.epsn, status], event
    bench.rx_in.send_nowait(AxiStreamFrame(frames.sack(left[0], other, honest)))
    event = await bench.event()
    assert [event[name] for name in ["kind", "conn", "detail"]] == ["bad_ack", other, 7], event
    for kinds, answer in [(["acknowledged", "rtt"], honest), (["rtt"], replace(honest, epsn=first, bitmap=below))]:
        bench.rx_in.send_nowait(AxiStreamFrame(frames.sack(left[0], conn, answer)))
        assert [(await bench.event())["kind"] for _ in kinds] == kinds
    counts = {"rx_acks": 1, "rx_acks_old": 1, "rx_acks_bad": len(bad) + 1, "acks_dropped": 0}
    for name, count in counts.items():
        assert await driver.counter(name) == count, name
    assert bench.rx_out.empty() and bench.events.empty(), "an ACK is not for the host, and there is no other event"
    await driver.command("read", conn=conn)
    results = [await driver.read(f"result_{name}") for name in ["snd_una", "snd_nxt", "in_flight"]]
    assert results == [first + 1, first + 2, 1], results


@cocotb.test(timeout_time=LONGEST_US, timeout_unit="us")
async def a_connection_that_is_closed_ends(dut: SimHandleBase) -> None:
    """Its packets are not open, its ACKs are not believed, its timers do not run, and it is opened anew with another PSN."""
    bench = Bench(dut)
    await bench.begin()
    driver = bench.driver
    await driver.write("sack_threshold", 0)
    conn, first = 6, 500
    packet = Arrival(first, 10, False, 1, 1)
    for command in ["open_tx", "open_rx"]:
        await driver.command(command, conn=conn, psn=first)
    bench.tx_in.send_nowait(AxiStreamFrame(frames.data(bench.rng, HOST, PEER, conn, packet)))
    left = bytes((await bench.tx_out.recv()).tdata)
    await driver.command("close_rx", conn=conn)
    await driver.command("close_tx", conn=conn)
    names = ["status", "snd_una", "snd_nxt", "in_flight", "bytes_in_flight", "in_recovery"]
    results = [await driver.read(f"result_{name}") for name in names]
    assert results == [0, first, first + 1, 1, 10, 0], results
    for name, value in {"probe_timeout": 20, "rto": 80}.items():
        await driver.write(name, value)
    arriving = frames.data(bench.rng, PEER, HOST, conn, packet)
    bench.rx_in.send_nowait(AxiStreamFrame(arriving))
    frame, beside = await bench.received()
    assert (frame, beside["status"]) == (arriving, 7), beside
    honest = Answer(frames.arrival(left), first + 1, first // 64 * 64, (2 << first % 64) - 1, 0, 10)
    bench.rx_in.send_nowait(AxiStreamFrame(frames.sack(left, conn, honest)))
    packet.psn = first + 1
    told = [await bench.event() for _ in range(2)]
    bench.tx_in.send_nowait(AxiStreamFrame(frames.data(bench.rng, HOST, PEER, conn, packet)))
    told.append(await bench.event())
    told = [tuple(event[name] for name in ["kind", "conn", "psn", "detail"]) for event in told]
    wanted = [("stray", conn, first, 7), ("bad_ack", conn, first + 1, 7), ("refused", conn, first + 1, 7)]
    assert sorted(told) == sorted(wanted), told
    await bench.cycles(200 << await driver.read("sack_prescale"))
    assert bench.tx_out.empty() and bench.events.empty(), "nothing comes of it any more"
    packet.psn = first = 9000
    for command in ["open_tx", "open_rx"]:
        await driver.command(command, conn=conn, psn=first)
    receiver = Receiver(first, await driver.read("window"), threshold=0)
    arriving = frames.data(bench.rng, PEER, HOST, conn, packet)
    bench.rx_in.send_nowait(AxiStreamFrame(arriving))
    assert (await bench.received())[1]["status"] == 0
    answer = bytes((await bench.tx_out.recv()).tdata)
    assert answer == frames.sack(arriving, conn, receiver.arrives(frames.arrival(arriving))[1])
    bench.tx_in.send_nowait(AxiStreamFrame(frames.data(bench.rng, HOST, PEER, conn, packet)))
    assert frames.arrival(bytes((await bench.tx_out.recv()).tdata)).psn == first


@cocotb.test(timeout_time=LONGEST_US, timeout_unit="us")
async def what_a_slow_host_loses_is_not_acknowledged(dut: SimHandleBase) -> None:
    """The MAC never waits: frames that find no place are dropped whole, counted, and not told to the sender."""
    bench = Bench(dut)
    await bench.begin()
    driver = bench.driver
    await driver.write("sack_threshold", 0)
    conn, first = 1, 77
    await driver.command("open_rx", conn=conn, psn=first)
    receiver = Receiver(first, await driver.read("window"), threshold=0)
    bench.rx_out.pause = True
    offered = []
    # More than the block holds: 512 beats.
    size = 16 * len(dut.rx_in_tdata) // 8
    for number in range(50):
        packet = Arrival(first + number, size, False, number, number)
        offered.append(frames.data(bench.rng, PEER, HOST, conn, packet))
        bench.rx_in.send_nowait(AxiStreamFrame(offered[-1]))
    await bench.rx_in.wait()
    await bench.cycles(200)
    assert bench.rx_out.empty()
    bench.rx_out.pause = False
    dropped = await driver.counter("rx_dropped_host")
    assert 0 < dropped < len(offered)
    taken = []
    for _ in range(len(offered) - dropped):
        frame, beside = await bench.received()
        assert frame in offered, f"{frames.read(frame)!r} was not sent"
        assert beside["status"] == 0, beside
        taken.append(offered.index(frame))
    assert taken == sorted(set(taken)), "the order is kept"
    for number in taken:
        frame = offered[number]
        _, answer = receiver.arrives(frames.arrival(frame))
        got = bytes((await bench.tx_out.recv()).tdata)
        assert got == frames.sack(frame, conn, answer), f"{frames.read(got)!r} answers {frames.read(frame)!r}"
    await bench.cycles(1000)
    assert bench.rx_out.empty() and bench.tx_out.empty(), "nothing else comes"
    for name, count in {"rx_new": len(taken), "tx_sacks": len(taken), "sacks_dropped": 0}.items():
        assert await driver.counter(name) == count, name

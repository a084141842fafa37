"""Flowcut: what the page says of it op by op, its properties over random ops, and faults that the traces must see."""

import copy
import csv
import gzip
import random
import unittest
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import flowcut
import record_flowcut
import replay
from flowcut import BYTES_MASK, HALF_CIRCLE, NEW, PAPER, SAME, STICKY, WAIT, Flowcut, Op, Outcome, Words, averaged
from record_flowcut import EVENTS, Network, expected, op_of

def changed(*changes: tuple[str, str]) -> ModuleType:
    """flowcut.py with each of these changes to its source."""
    module = replay.changed("flowcut", *changes[0])
    source = Path(flowcut.__file__).read_text()
    for before, after in changes:
        if before not in source:
            raise ValueError(f"flowcut.py no longer has {before!r}")
        source = source.replace(before, after, 1)
    exec(compile(source, module.__name__, "exec"), module.__dict__)
    return module


VARIANTS = (PAPER, STICKY)
SETUPS = [(variant, time_bits) for variant in VARIANTS for time_bits in (16, 24)]

# What stands in flowcut.py, and what is put there.
FAULTS = [
    ("HALF_CIRCLE = 2**23", "HALF_CIRCLE = 2**23 + 1"),
    ("HALF_CIRCLE = 2**23", "HALF_CIRCLE = 2**23 - 1"),
    ("BYTES_MASK = 2**24 - 1", "BYTES_MASK = 2**25 - 1"),
    ("(seed)\n", "(seed ^ 1)\n"),
    ("61 - 47", "61 - 46"),
    ("if flow.placed and (op.rtx or is_empty):", "if flow.placed and is_empty:"),
    ("if flow.placed and (op.rtx or is_empty):", "if op.rtx and flow.ev or flow.placed and is_empty:"),
    ("flow.draining and op.hold or", "flow.draining or"),
    ("flow.draining and op.hold or", "op.hold and False or"),
    ("elif not op.rtx and not is_empty and", "elif not is_empty and"),
    ("self.variant == PAPER and in_flight == 0", "in_flight == 0"),
    ("self.variant == PAPER and in_flight == 0", "self.variant == PAPER"),
    ("self.variant == PAPER and in_flight == 0", "False"),
    ("order_risk = int(in_flight != 0)", "order_risk = 0"),
    ("            flow.placed = True\n", ""),
    ("if self.variant == PAPER:\n                flow.has_avg", "if True:\n                flow.has_avg"),
    ("if self.variant == PAPER:\n                flow.has_avg", "if False:\n                flow.has_avg"),
    ("kind != WAIT and not op.rtx", "kind != WAIT"),
    ("kind != WAIT and not op.rtx", "not op.rtx"),
    ("newly_received == 0 or ", ""),
    ("newly_received > flow", "newly_received >= flow"),
    (" or newly_received > flow.in_flight()", ""),
    ("return Outcome(0, op.conn, ack", "flow.recvd = op.recvd; return Outcome(0, op.conn, ack"),
    ("rtt >= op.rtt_floor + op.serial", "rtt > op.rtt_floor + op.serial"),
    ("rtt >= op.rtt_floor + op.serial", "rtt >= op.rtt_floor"),
    ("rtt >= op.rtt_floor + op.serial", "rtt >= (op.rtt_floor + op.serial & self.time_mask)"),
    ("rtt >= op.rtt_floor + op.serial", "True"),
    ("max(rtt - op.serial, 0)", "rtt"),
    ("            self.rtt_min[op.group] = min", "            self.rtt_min[0] = min"),
    ("if flow.has_avg else ONE_TICK * rtt", "if flow.avg else ONE_TICK * rtt"),
    ("if flow.has_avg else ONE_TICK * rtt", "if True else 0"),
    ("is_hot = flow.has_avg and 2", "is_hot = 2"),
    ("2 * flow.avg > ONE", "2 * flow.avg >= ONE"),
    ("(self.rtt_min[op.group] + op.serial)\n", "self.rtt_min[op.group]\n"),
    ("(self.rtt_min[op.group] + op.serial)\n", "(self.rtt_min[op.group] + op.serial & self.time_mask)\n"),
    ("if flow.draining or self.variant == STICKY and is_hot:", "if flow.draining:"),
    ("if flow.draining or self.variant == STICKY and is_hot:", "if self.variant == STICKY and is_hot:"),
    ("if flow.draining or self.variant == STICKY and is_hot:", "if flow.draining or self.variant == STICKY:"),
    ("    flow.placed = False\n            flow.draining = False\n", "    flow.placed = False\n"),
    ("elif is_hot and not flow.draining:", "elif is_hot:"),
    ("        flow.draining = False\n        if op.timeout", "        if op.timeout"),
    ("if op.timeout_reroutes and", "if"),
    ("op.timeout_reroutes and flow.in_flight() != 0", "op.timeout_reroutes"),
    ("op.timeout_reroutes and flow.in_flight() != 0", "False"),
    ("order_risk = int(flow.in_flight() != 0)", "order_risk = 0"),
    ("flow.sent = flow.recvd = op.recvd", "flow.sent = flow.recvd = 0"),
    ("flow.avg = ONE_TICK * op.timestamp", "flow.avg = op.timestamp"),
    ("flow.has_avg = flow.avg != 0", "flow.has_avg = True"),
    ("flow.has_avg = flow.avg != 0", "flow.has_avg = False"),
    ("flow.draining = flow.placed = False", "flow.draining = False"),
    ("flow.draining = flow.placed = False", "flow.placed = False"),
    ("self.rtt_min[op.group] = op.timestamp", "self.rtt_min[op.group] = min(self.rtt_min[op.group], op.timestamp)"),
    ("(ONE_TICK * rtt - avg >> alpha)", "-(avg - ONE_TICK * rtt >> alpha)"),
    ("(ONE_TICK * rtt - avg >> alpha)", "(rtt - avg >> alpha)"),
    ("(ONE_TICK * rtt - avg >> alpha)", "(ONE_TICK * rtt >> alpha) - (avg >> alpha)"),
]


def core(variant: str = PAPER, time_bits: int = 16, connections: int = 4, **more: int) -> Flowcut:
    return Flowcut(connections, variant, time_bits, seed=1, **more)


class Driver:
    """Connection 0 of a core, whose settings are those of an op that names none."""

    def __init__(self, variant: str = PAPER, **more: int) -> None:
        self.core = core(variant, **more)

    def apply(self, kind: str, **fields: int) -> Outcome:
        return self.core.apply(Op(kind, 0, **fields))

    def send(self, size: int, **fields: int) -> Outcome:
        return self.apply("send", bytes=size, **fields)

    def ack(self, recvd: int, rtt: int, **fields: int) -> list[str]:
        """The names of the events of an ACK that says this RTT."""
        mask = self.core.time_mask
        outcome = self.apply("ack", recvd=recvd & BYTES_MASK, now=500, timestamp=(500 - rtt) & mask, **fields)
        return [event for event in EVENTS if getattr(outcome, event)]

    def flow(self):
        return self.core.flows[0]


def differences(module: ModuleType, name: str, settings: dict[str, int | str], rows: list[replay.Row]) -> Iterator[int]:
    """The rows of a trace, counted from 0, whose results a model does not give."""
    variant, time_bits = settings["flowcut.variant"], int(settings["flowcut.time_bits"])
    evs = {key: int(settings[f"selector.{key}"]) for key in ("ev_base", "ev_bits")}
    model = module.Flowcut(int(settings["connections"]), variant, time_bits, seed=int(settings["seed"]), **evs)
    for number, row in enumerate(rows):
        result = expected(model.apply(op_of(row)))
        if any(row[column] != value for column, value in result.items()):
            yield number


def any_op(chance: random.Random, model: Flowcut) -> Op:
    """An op of any kind with fields of any value, whose counts are often near those of the connection."""
    conn = chance.randrange(model.connections)
    flow = model.flows[conn]
    kind = chance.choice(["send"] * 8 + ["ack"] * 8 + ["nack", "timeout", "init", "set_min", "reserved6"])
    most = model.time_mask
    near = [flow.recvd, flow.sent, flow.recvd + 1, flow.sent + 1, flow.recvd - 1, chance.randrange(2**24)]
    size = chance.choice([0, 1, 1000, 16383, chance.randrange(16384)])
    if kind == "ack" and chance.random() < 0.5 and flow.in_flight():
        near = [flow.recvd + 1 + chance.randrange(flow.in_flight())]
    return Op(
        kind,
        conn,
        size,
        int(chance.random() < 0.1),
        chance.choice(near) & BYTES_MASK,
        chance.choice([0, 1, most, chance.randrange(most)]),
        chance.randrange(16),
        chance.choice([0, 0, 5, most, chance.randrange(most)]),
        chance.randrange(most + 1),
        chance.choice([0, 0, 0, 100, most]),
        chance.choice([0, 1, 2, 8, 63]),
        chance.randrange(1, 6),
        chance.randrange(2),
        chance.randrange(2),
    )


def any_runs(ops: int = 2_000) -> Iterator[tuple[Flowcut, Iterator[tuple[Op, Flowcut, Outcome]]]]:
    """A core of each kind, and its ops, each with the core as it was before and with the outcome."""

    def steps(model: Flowcut, chance: random.Random) -> Iterator[tuple[Op, Flowcut, Outcome]]:
        for _ in range(ops):
            op = any_op(chance, model)
            before = copy.deepcopy(model)
            yield op, before, model.apply(op)

    for seed, (variant, time_bits) in enumerate(SETUPS):
        model = core(variant, time_bits)
        yield model, steps(model, random.Random(seed))


class Random(unittest.TestCase):
    def test_words_follow_the_recurrence_bit_by_bit_from_the_seed_on(self):
        # 16 words before the first that is drawn, each with the bits of the seed in it, behind a 1 and 60 zeros.
        bits = [1] + [0] * 60
        for number in range(16 * 50):
            added = 0xBEEF >> number % 16 & 1 if number < 16 * 16 else 0
            bits.append(bits[-61] ^ bits[-47] ^ bits[-35] ^ bits[-19] ^ added)
        words = Words(0xBEEF, 16)
        for first in range(61 + 16 * 16, len(bits), 16):
            self.assertEqual(words.step(), sum(bit << at for at, bit in enumerate(bits[first : first + 16])))

    def test_the_first_ev_is_that_of_the_waveform_on_the_page_of_reps(self):
        self.assertEqual(core(connections=256).apply(Op("send", 5, 1)).res_ev, 6486)

    def test_evs_are_of_the_set_and_new_alone_draws_them(self):
        model, words = core(ev_base=48, ev_bits=4), Words(1, 4)
        for number in range(200):
            outcome = model.apply(Op("send", 0, 100, rtx=number % 2))
            model.apply(Op("ack", 0, recvd=100 * (number + 1)))
            if number % 2 == 0:
                self.assertEqual((outcome.res_kind, outcome.res_ev), (NEW, 48 | words.step() % 16))
                model.apply(Op("init", 0, recvd=100 * (number + 1)))
            else:
                self.assertIn(outcome.res_kind, (NEW, SAME))
                if outcome.res_kind == NEW:
                    words.step()


class Page(unittest.TestCase):
    """One rule of the page each, in ops made by hand."""

    def test_a_flow_keeps_its_ev_while_anything_is_in_flight_and_paper_takes_a_new_one_then(self):
        for variant, kind in ((PAPER, NEW), (STICKY, SAME)):
            flow = Driver(variant)
            first = flow.send(1000)
            self.assertEqual((first.res_kind, first.order_risk, first.res_draining), (NEW, 0, 0))
            self.assertEqual(flow.send(500)[2:4], (SAME, first.res_ev))
            self.assertEqual(flow.ack(1000, 100), [])
            self.assertEqual(flow.send(1)[2:4], (SAME, first.res_ev))
            self.assertEqual(flow.ack(1501, 100), [])
            self.assertEqual(flow.send(1).res_kind, kind)

    def test_a_drain_begins_when_the_average_is_above_the_ratio_and_ends_when_nothing_is_in_flight(self):
        for variant in VARIANTS:
            flow = Driver(variant)
            for _ in range(4):
                flow.send(1000)
            # The first sample is the average, and 8 halves of the minimum are not yet above it.
            flow.ack(1000, 100)
            self.assertEqual(flow.ack(2000, 2500), [])
            self.assertEqual(flow.flow().avg, 32 * 400)
            self.assertEqual(flow.ack(3000, 408), ["drain_started"])
            waits = flow.send(1000)
            self.assertEqual((waits.res_kind, waits.res_ev, waits.res_draining), (WAIT, None, 1))
            # Without `hold` they go on, and the drain lasts until they are acknowledged.
            self.assertEqual(flow.send(1000, hold=0)[2:5], (SAME, flow.flow().ev, 1))
            self.assertEqual(flow.ack(4000, 9000), [])
            self.assertEqual(flow.ack(5000, 100), ["drain_done"])
            self.assertEqual((flow.send(1).res_kind, flow.flow().draining), (NEW, False))
            # `sticky` keeps its average over the drain, `paper` forgets it with the flowcut.
            self.assertEqual(flow.flow().has_avg, variant == STICKY)

    def test_a_hot_flow_that_empties_without_a_drain_gets_a_new_ev_in_both_variants(self):
        for variant in VARIANTS:
            flow = Driver(variant)
            flow.apply("set_min", timestamp=100)
            flow.send(1000)
            self.assertEqual(flow.ack(1000, 500), [])
            self.assertEqual(flow.send(1).res_kind, NEW)

    def test_an_ack_that_repeats_or_is_stale_or_counts_what_was_never_sent_is_refused(self):
        flow = Driver()
        flow.apply("init", recvd=2**24 - 500)
        flow.send(1000)
        self.assertEqual(flow.ack(2**24 - 100, 50), [])
        for recvd in (-100, -101, -500, 501, HALF_CIRCLE, -101 - HALF_CIRCLE):
            before = copy.deepcopy(flow.flow())
            self.assertEqual(flow.ack(recvd, 7), ["ack_refused"])
            self.assertEqual((flow.flow(), flow.core.rtt_min[0]), (before, 50))
        self.assertEqual(flow.ack(500, 50), [])
        self.assertEqual(flow.flow().in_flight(), 0)

    def test_one_ack_repairs_all_that_were_lost(self):
        flow = Driver()
        for _ in range(9):
            flow.send(1000)
        flow.ack(9000, 100)
        self.assertEqual(flow.flow().in_flight(), 0)

    def test_in_flight_bytes_stay_below_the_half_circle(self):
        flow = Driver()
        for _ in range(512):
            self.assertNotEqual(flow.send(16383).res_kind, WAIT)
        room = HALF_CIRCLE - 512 * 16383
        waits = flow.send(room)
        self.assertEqual((waits.res_kind, waits.res_draining), (WAIT, 0))
        self.assertEqual(flow.send(room - 1).res_kind, SAME)
        self.assertEqual(flow.send(1).res_kind, WAIT)
        self.assertEqual([flow.send(16383, rtx=1).res_kind, flow.send(0).res_kind], [SAME, SAME])
        flow.ack(1, 100)
        self.assertEqual([flow.send(1).res_kind, flow.send(1).res_kind], [SAME, WAIT])

    def test_a_retransmission_keeps_the_ev_counts_nothing_and_waits_for_nothing(self):
        for variant in VARIANTS:
            flow = Driver(variant)
            ev = flow.send(1000).res_ev
            flow.flow().draining = True
            self.assertEqual(flow.send(1000, rtx=1)[2:5], (SAME, ev, 1))
            flow.flow().draining = False
            flow.ack(1000, 100)
            self.assertEqual(flow.send(1000, rtx=1)[2:4], (SAME, ev))
            self.assertEqual(flow.flow().in_flight(), 0)
            # Where no EV is placed, it draws one.
            flow.apply("init")
            self.assertEqual((flow.send(1000, rtx=1).res_kind, flow.flow().in_flight()), (NEW, 0))

    def test_0_bytes_take_the_ev_that_is_placed_and_draw_one_where_none_is(self):
        for variant in VARIANTS:
            flow = Driver(variant)
            self.assertEqual([flow.send(0).res_kind, flow.send(0).res_kind], [NEW, SAME])
            flow.flow().draining = True
            self.assertEqual((flow.send(0).res_kind, flow.send(1).res_kind), (SAME, WAIT))
            self.assertEqual(flow.flow().in_flight(), 0)

    def test_a_timeout_gives_a_drain_up_and_reroutes_at_the_risk_of_order_if_told_so(self):
        for variant in VARIANTS:
            for reroutes in (0, 1):
                flow = Driver(variant)
                flow.send(1000)
                flow.flow().draining = True
                self.assertEqual(flow.apply("timeout", timeout_reroutes=reroutes).drain_given_up, 1)
                self.assertEqual(flow.apply("timeout", timeout_reroutes=reroutes).drain_given_up, 0)
                after = flow.send(1000)
                self.assertEqual((after.res_kind, after.order_risk), (NEW, 1) if reroutes else (SAME, 0))
            # With nothing in flight the EV stays: `paper` takes a new one anyway.
            flow = Driver(variant)
            flow.send(1000)
            flow.ack(1000, 100)
            flow.apply("timeout", timeout_reroutes=1)
            self.assertTrue(flow.flow().placed)

    def test_init_ends_all_and_says_if_anything_was_in_flight(self):
        for variant in VARIANTS:
            flow = Driver(variant)
            self.assertEqual(flow.apply("init", recvd=77, timestamp=9).order_risk, 0)
            self.assertEqual(flow.send(10)[2], NEW)
            self.assertEqual((flow.flow().has_avg, flow.flow().avg), (variant == STICKY, 32 * 9))
            self.assertEqual(flow.apply("init", recvd=5).order_risk, 1)
            self.assertEqual((flow.send(10)[2], flow.flow().has_avg, flow.flow().in_flight()), (NEW, False, 10))

    def test_the_minimum_is_of_a_class_without_serialisation_and_set_min_replaces_it(self):
        flow = Driver()
        for number, (group, rtt, serial, least) in enumerate(
            [(3, 700, 100, 600), (3, 800, 100, 600), (3, 500, 0, 500), (4, 900, 0, 900), (15, 90, 90, 0)]
        ):
            flow.send(10)
            flow.ack(10 * (number + 1), rtt, group=group, serial=serial)
            self.assertEqual(flow.core.rtt_min[group], least)
        self.assertEqual(flow.core.rtt_min[0], 2**16 - 1)
        flow.apply("set_min", group=3, timestamp=60_000)
        self.assertEqual(flow.core.rtt_min[3], 60_000)

    def test_an_rtt_below_the_floor_is_no_sample_but_its_bytes_count(self):
        flow = Driver(STICKY)
        for number, (rtt, floor, serial, is_sample) in enumerate(
            [(99, 100, 0, False), (129, 100, 30, False), (130, 100, 30, True), (65535, 65535, 1, False)]
        ):
            flow.apply("init")
            flow.send(10)
            self.assertEqual(flow.ack(10, rtt, rtt_floor=floor, serial=serial), [])
            self.assertEqual((flow.flow().has_avg, flow.flow().in_flight()), (is_sample, 0), number)

    def test_the_threshold_is_not_reached_at_equality_and_moves_with_ratio_and_serialisation(self):
        for ratio, serial, rtt, events in [
            (8, 0, 400, []),
            (8, 0, 401, ["drain_started"]),
            (7, 0, 350, []),
            (7, 0, 351, ["drain_started"]),
            (8, 20, 480, []),
            (8, 20, 481, ["drain_started"]),
            (63, 0, 3150, []),
            (0, 0, 1, ["drain_started"]),
        ]:
            flow = Driver()
            flow.apply("set_min", timestamp=100 if ratio else 0)
            flow.send(1000)
            self.assertEqual(flow.ack(1, rtt, ratio=ratio, serial=serial), events, (ratio, serial, rtt))

    def test_times_wrap_at_their_width(self):
        for time_bits in (16, 24):
            flow = Driver(time_bits=time_bits)
            flow.send(10)
            flow.apply("ack", recvd=10, now=5, timestamp=2**time_bits - 10)
            self.assertEqual(flow.core.rtt_min[0], 15)

    def test_averages_round_down_and_stay_between_their_samples(self):
        self.assertEqual([averaged(32 * 10, rtt, 3) for rtt in (10, 11, 9)], [320, 324, 316])
        self.assertEqual([averaged(avg, 0, 3) for avg in (1, 7, 8, 9)], [0, 6, 7, 7])
        self.assertEqual([averaged(31, 1, 5), averaged(0, 1, 5), averaged(33, 1, 1)], [31, 1, 32])

    def test_nacks_and_unknown_kinds_change_nothing(self):
        flow = Driver()
        flow.send(10)
        before = copy.deepcopy(flow.core.__dict__ | {"words": flow.core.words.last})
        for kind in ("nack", "reserved6", "reserved7"):
            self.assertEqual(flow.apply(kind, recvd=10, timestamp=9), Outcome(0, 0))
        self.assertEqual(flow.core.__dict__ | {"words": flow.core.words.last}, before)

    def test_reset_forgets_all_and_begins_the_words_anew(self):
        flow = Driver()
        evs = []
        for _ in range(2):
            evs.append(flow.send(10).res_ev)
            flow.ack(10, 100)
            flow.core.reset()
        self.assertEqual((evs[0], flow.core.rtt_min), (evs[1], [65535] * 16))

    def test_what_is_not_transcribed_is_refused(self):
        for arguments in [("uet", 16), (PAPER, 32), (PAPER, 16, True)]:
            with self.assertRaises(ValueError):
                Flowcut(4, *arguments, seed=1)


class Properties(unittest.TestCase):
    """Section 1.5 over ops of any kind and value; F3 and F5 over a network without forged ACKs."""

    def test_f1_new_without_order_risk_means_that_nothing_is_in_flight(self):
        for _, steps in any_runs():
            for op, before, outcome in steps:
                if outcome.res_kind == NEW:
                    self.assertEqual(outcome.order_risk, int(before.flows[op.conn].in_flight() != 0))

    def test_f2_between_two_new_the_ev_of_a_flow_is_one(self):
        for model, steps in any_runs():
            evs = [None] * model.connections
            for op, _, outcome in steps:
                if outcome.res_kind == NEW:
                    evs[op.conn] = outcome.res_ev
                elif outcome.res_kind == SAME:
                    self.assertEqual(outcome.res_ev, evs[op.conn])

    def test_f4_in_flight_is_what_was_sent_less_what_was_acknowledged_and_below_the_half_circle(self):
        for model, steps in any_runs():
            in_flight = [0] * model.connections
            for op, before, outcome in steps:
                if outcome.res_valid and outcome.res_kind != WAIT and not op.rtx:
                    in_flight[op.conn] += op.bytes
                elif op.kind == "ack" and not outcome.ack_refused:
                    in_flight[op.conn] -= (op.recvd - before.flows[op.conn].recvd) % 2**24
                elif op.kind == "init":
                    in_flight[op.conn] = 0
                self.assertEqual(model.flows[op.conn].in_flight(), in_flight[op.conn])
                self.assertTrue(0 <= in_flight[op.conn] < HALF_CIRCLE)

    def test_f6_a_drain_ends_before_the_next_begins_and_sends_no_new_bytes_while_it_holds(self):
        for model, steps in any_runs():
            draining = [0] * model.connections
            for op, _, outcome in steps:
                if outcome.res_valid:
                    self.assertEqual(outcome.res_draining, draining[op.conn])
                    if draining[op.conn] and op.hold and op.bytes and not op.rtx:
                        self.assertEqual(outcome.res_kind, WAIT)
                ends = outcome.drain_done + outcome.drain_given_up
                self.assertLessEqual(outcome.drain_started + ends, 1)
                if outcome.drain_started:
                    self.assertEqual(draining[op.conn], 0)
                    draining[op.conn] = 1
                elif ends:
                    self.assertEqual(draining[op.conn], 1)
                if ends or op.kind == "init":
                    draining[op.conn] = 0

    def test_f7_wait_what_is_refused_and_nack_change_nothing(self):
        for model, steps in any_runs():
            for op, before, outcome in steps:
                if outcome.res_kind == WAIT or outcome.ack_refused or op.kind in ("nack", "reserved6"):
                    self.assertEqual((model.flows, model.rtt_min), (before.flows, before.rtt_min))
                    self.assertEqual(model.words.last, before.words.last)

    def test_f8_the_minimum_falls_only_unless_it_is_set(self):
        for model, steps in any_runs():
            for op, before, _ in steps:
                if op.kind == "set_min":
                    self.assertEqual(model.rtt_min[op.group], op.timestamp)
                    before.rtt_min[op.group] = op.timestamp
                self.assertTrue(all(a <= b for a, b in zip(model.rtt_min, before.rtt_min)))

    def test_f9_an_op_changes_no_other_connection(self):
        for model, steps in any_runs(1_000):
            for op, before, _ in steps:
                before.flows[op.conn] = model.flows[op.conn]
                self.assertEqual(before.flows, model.flows)

    def test_averages_are_times_of_the_width(self):
        for model, steps in any_runs():
            for op, _, _ in steps:
                self.assertTrue(0 <= model.flows[op.conn].avg <= 32 * model.time_mask)

    def test_f3_first_transmissions_arrive_in_order_but_not_if_paper_changes_its_path_with_bytes_in_flight(self):
        # The guard of `new` is taken out, and so is the event that would excuse it.
        careless = changed(
            ("self.variant == PAPER and in_flight == 0", "self.variant == PAPER"),
            ("order_risk = int(in_flight != 0)", "order_risk = 0"),
        )
        for seed, (variant, time_bits) in enumerate(SETUPS):
            network = Network("clean", seed, variant, time_bits, faulty=False).run(6_000)
            self.assertEqual(network.out_of_order, 0)
            self.assertGreater(network.trace.counts["drain_done"], 5)
        self.assertGreater(Network("careless", 0, PAPER, 16, faulty=False, module=careless).run(6_000).out_of_order, 50)

    def test_f5_one_ack_that_counts_all_leaves_nothing_in_flight(self):
        network = Network("clean", 9, PAPER, 16, faulty=False).run(3_000)
        for conn, flow in enumerate(network.model.flows):
            if flow.in_flight():
                network.apply("ack", conn, recvd=flow.sent)
            self.assertEqual(flow.in_flight(), 0)


class Traces(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.made = []
        cls.networks = record_flowcut.networks()
        for network in cls.networks:
            files = network.trace.files()
            name = network.trace.name
            rows = list(csv.DictReader(files[f"{name}.csv.gz"].splitlines()))
            settings = {row["name"]: row["value"] for row in csv.DictReader(files[f"{name}.settings.csv"].splitlines())}
            cls.made.append((name, settings, rows))

    def test_traces_have_all_kinds_of_results_and_none_that_the_page_leaves_open(self):
        for network in self.networks:
            counts = network.trace.counts
            kinds = ["send", "ack", "nack", "timeout", "init", "set_min"]
            for what in [*EVENTS, NEW, SAME, WAIT, "zero", "rtx", "full", *kinds]:
                self.assertGreater(counts[what], 10, (network.trace.name, what))
            self.assertEqual(counts["disputed"], 0)
            times = [row["time_ns"] for row in network.trace.rows]
            self.assertEqual(times, sorted(times))

    def test_what_is_recorded_now_is_what_stands_here_and_in_the_readme(self):
        all_networks = self.networks + record_flowcut.networks_of_empty_packets()
        made = {name: text for network in all_networks for name, text in network.trace.files().items()}
        self.assertEqual(sorted(made), sorted(path.name for path in record_flowcut.FOLDER.iterdir()))
        for name, text in made.items():
            contents = (record_flowcut.FOLDER / name).read_bytes()
            stored = gzip.decompress(contents) if name.endswith(".gz") else contents
            self.assertTrue(text == stored.decode(), f"{name} is another; `python tb/reference/record_flowcut.py`")
        readme = (record_flowcut.FOLDER.parent / "README.md").read_text()
        for line in record_flowcut.table(all_networks):
            self.assertIn(line + "\n", readme)

    def test_fields_fit_their_ports(self):
        for name, settings, rows in self.made:
            ticks = 2 ** int(settings["flowcut.time_bits"])
            ends = dict.fromkeys(["timestamp", "serial", "now", "rtt_floor"], ticks)
            ends |= {"conn": 16, "bytes": 2**14, "rtx": 2, "recvd": 2**24, "class": 16, "ratio": 64, "alpha": 6}
            for row in rows:
                for column, end in ends.items():
                    self.assertTrue(row[column] == "" or 0 <= int(row[column]) < end, (name, column, row))
                self.assertEqual(int(row["now"]), int(row["time_ns"]) % ticks)

    def test_a_trace_that_is_read_back_is_what_the_model_gives(self):
        for name, settings, rows in self.made:
            self.assertEqual(list(differences(replay.changed("flowcut"), name, settings, rows)), [])

    def test_each_fault_in_the_source_is_seen_on_some_trace(self):
        for before, after in replay.some(FAULTS):
            with self.subTest(before=before, after=after):
                module = replay.changed("flowcut", before, after)
                found = (next(differences(module, *trace), None) for trace in self.made)
                self.assertTrue(any(number is not None for number in found))


if __name__ == "__main__":
    unittest.main()

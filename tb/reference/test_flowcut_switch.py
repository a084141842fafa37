"""Flowcut in the switch: what the page says of it, its properties over random ops, and faults that traces must see."""

import copy
import csv
import gzip
import random
import unittest
from collections.abc import Iterator
from types import ModuleType, SimpleNamespace

import flowcut_switch
import record_flowcut_switch
import replay
from columns import op_of, results_of
from flowcut import Words
from flowcut_switch import ALL, FORCED, MOST_IN_FLIGHT, NEW, NO_ROUTE, SAME, TIME_MASK, TWO, Op, Outcome, Switch
from record_flowcut_switch import EVENTS, INPUTS, KINDS, RESULTS, VISITS, Network

# What stands in flowcut_switch.py, and what is put there.
FAULTS = [
    ("MOST_IN_FLIGHT = 2**24 - 1", "MOST_IN_FLIGHT = 2**24"),
    ("MOST_IN_FLIGHT = 2**24 - 1", "MOST_IN_FLIGHT = 2**24 - 2"),
    ("EPOCHS = 16", "EPOCHS = 8"),
    ("self.seed, self.count", "self.seed ^ 1, self.count"),
    ("self.seed, self.count", "self.seed, self.uplinks"),
    ("self.edge == EDGES - 1", "self.edge == EDGES"),
    ("if number == 0:", "if True:"),
    ("clock >> 4 != self.last", "True"),
    ("            self.last = clock >> 4\n", ""),
    ("- bucket.heard & CLOCK_MASK) > entry", "- bucket.heard & CLOCK_MASK) >= entry"),
    ("- bucket.heard & CLOCK_MASK) > entry", "- bucket.heard) > entry"),
    ("bucket.draining = bucket.saturated = False", "bucket.saturated = False"),
    ("bucket.draining = bucket.saturated = False", "bucket.draining = False"),
    ("if self.aging:", "if False:"),
    ("drain_after != 0 and bucket.age == drain_after", "bucket.age >= drain_after"),
    ("drain_after != 0 and bucket.age == drain_after", "bucket.age > drain_after > 0"),
    ("if op.up == 0:", "if False:"),
    (
        "if bucket.in_flight == 0:\n            kind",
        "if bucket.in_flight == 0 and not bucket.draining or True:\n            kind",
    ),
    ("bucket.epoch = (bucket.epoch + 1) % EPOCHS", "bucket.epoch = bucket.epoch"),
    ("            bucket.has_avg = False\n            bucket.age = 0\n", "            bucket.age = 0\n"),
    ("            bucket.age = 0\n", ""),
    ("elif not op.up >> bucket.port & 1:", "elif False:"),
    ("            bucket.has_avg = False\n            order_risk", "            order_risk"),
    ("order_risk = 1", "bucket.epoch = (bucket.epoch + 1) % EPOCHS"),
    ("order_risk = 1", "order_risk = 1; bucket.draining = False"),
    (
        "> MOST_IN_FLIGHT or bucket.saturated:",
        "> MOST_IN_FLIGHT:\n            bucket.in_flight &= MOST_IN_FLIGHT\n        if False:",
    ),
    ("            bucket.saturated = True\n", ""),
    ("        bucket.heard = op.clock\n        return", "        return"),
    ("op.bytes > bucket.in_flight and not", "op.bytes >= bucket.in_flight and not"),
    ("op.bytes > bucket.in_flight and not bucket.saturated", "False"),
    ("bucket.in_flight == 0 or op.epoch", "op.epoch"),
    ("or op.epoch != bucket.epoch ", ""),
    ("        bucket.heard = op.clock\n        is_hot", "        is_hot"),
    (
        "        if bucket.in_flight == 0 or op.epoch",
        "        bucket.heard = op.clock\n        if bucket.in_flight == 0 or op.epoch",
    ),
    ("if not bucket.saturated:", "if True:"),
    ("            bucket.draining = False\n        elif", "        elif"),
    ("(is_hot or bucket.saturated) and not bucket.draining", "is_hot and not bucket.draining"),
    ("(is_hot or bucket.saturated) and not bucket.draining", "is_hot or bucket.saturated"),
    ("rtt >= op.rtt_floor + op.serial", "rtt > op.rtt_floor + op.serial"),
    ("rtt >= op.rtt_floor + op.serial", "rtt >= op.rtt_floor"),
    ("rtt >= op.rtt_floor + op.serial", "rtt >= (op.rtt_floor + op.serial & TIME_MASK)"),
    ("min(self.rtt_min[op.group], rtt - op.serial)", "min(self.rtt_min[op.group], rtt)"),
    ("min(max(op.alpha, 1), 5)", "min(op.alpha, 5)"),
    ("min(max(op.alpha, 1), 5)", "max(op.alpha, 1)"),
    ("if bucket.has_avg else ONE", "if bucket.avg else ONE"),
    ("return bucket.has_avg and 2", "return 2"),
    ("2 * bucket.avg > ONE", "2 * bucket.avg >= ONE"),
    ("(self.rtt_min[op.group] + op.serial)\n", "self.rtt_min[op.group]\n"),
    ("self.rtt_min[op.group] = op.timestamp", "self.rtt_min[op.group] = min(self.rtt_min[op.group], op.timestamp)"),
    ("self.loads[op.port] = op.load", "self.loads[op.port] = op.load & 15"),
    ("(word & 0xFF, word >> 8)", "(word >> 8, word & 0xFF)"),
    ("(word & 0xFF, word >> 8)", "(word, word)"),
    ("self.loads[second] < ", "self.loads[second] <= "),
    ("self.members(up, word), key", "self.members(up, 0), key"),
    ("self.members(up, word), key", "self.members(up, word >> 8), key"),
]

ALL_UP = 0xFF


class Driver:
    """Bucket 0 of a core of 4 buckets and 8 uplinks, whose fields and settings are those of an op that names none."""

    def __init__(self, pick: str = ALL, seed: int = 1) -> None:
        self.core = Switch(4, 8, pick, seed=seed)

    def apply(self, kind: str, **fields: int) -> Outcome:
        return self.core.apply(Op(kind, **fields))

    def data(self, size: int, up: int = ALL_UP, **fields: int) -> Outcome:
        return self.apply("data", bytes=size, up=up, **fields)

    def ack(self, size: int, rtt: int = 100, **fields: int) -> list[str]:
        """The names of the events of an ACK of the present epoch that says this RTT."""
        fields = {"epoch": self.bucket().epoch, "now": 500, "timestamp": (500 - rtt) & TIME_MASK} | fields
        outcome = self.apply("ack", bytes=size, **fields)
        return [event for event in EVENTS if getattr(outcome, event)]

    def visit(self, bucket: int = 0, clock: int = 0, entry_timeout: int = 64, drain_after: int = 0) -> list[str]:
        """The names of the events of a visit of a bucket."""
        self.core.next_bucket = bucket
        outcome = self.core.visit(clock, entry_timeout, drain_after)
        return [event for event in ("xoff", "xon", "entry_cleared") if getattr(outcome, event)]

    def fill(self, size: int) -> None:
        for _ in range(size // 16383):
            self.data(16383)
        self.data(size % 16383)

    def bucket(self, number: int = 0) -> flowcut_switch.Bucket:
        return self.core.buckets[number]


class Page(unittest.TestCase):
    """One rule of the page each, in ops made by hand."""

    def test_a_bucket_keeps_its_uplink_until_nothing_is_in_flight(self):
        switch = Driver()
        first = switch.data(1000)
        self.assertEqual((first.kind, first.epoch, first.xoff_state), (NEW, 1, 0))
        for port in range(8):
            switch.apply("load", port=port, load=200 if port == first.port else 0)
        self.assertEqual(switch.data(500)[1:4], (SAME, first.port, 1))
        self.assertEqual(switch.ack(1499), [])
        self.assertEqual(switch.data(1)[1:4], (SAME, first.port, 1))
        self.assertEqual(switch.ack(2), [])
        again = switch.data(1)
        self.assertEqual((again.kind, again.epoch), (NEW, 2))
        self.assertNotEqual(again.port, first.port)

    def test_without_an_uplink_there_is_no_route_and_nothing_changes(self):
        switch = Driver()
        switch.data(10)
        before = copy.deepcopy(switch.core)
        self.assertEqual(switch.data(10, up=0, clock=9), Outcome(0, NO_ROUTE))
        before.words.step()
        self.assertEqual((switch.core.buckets, switch.core.words.last), (before.buckets, before.words.last))

    def test_a_dead_uplink_forces_another_at_the_risk_of_order_and_epoch_and_age_stay(self):
        switch = Driver()
        first = switch.data(10)
        switch.bucket().age = 7
        switch.bucket().has_avg = switch.bucket().draining = True
        forced = switch.data(10, up=ALL_UP & ~(1 << first.port))
        self.assertEqual((forced.kind, forced.epoch, forced.xoff_state, forced.order_risk), (FORCED, 1, 1, 1))
        self.assertNotEqual(forced.port, first.port)
        self.assertEqual((switch.bucket().age, switch.bucket().has_avg, switch.bucket().in_flight), (7, False, 20))

    def test_an_ack_is_refused_of_an_empty_bucket_of_another_epoch_or_of_more_than_is_in_flight(self):
        switch = Driver()
        self.assertEqual(switch.ack(0), ["ack_refused"])
        switch.data(1000)
        for fields in ({"size": 1001}, {"size": 1, "epoch": 0}, {"size": 1, "epoch": 2}, {"size": MOST_IN_FLIGHT}):
            before = copy.deepcopy((switch.bucket(), switch.core.rtt_min))
            self.assertEqual(switch.ack(**fields, clock=99), ["ack_refused"])
            self.assertEqual((switch.bucket(), switch.core.rtt_min), before)
        self.assertEqual((switch.ack(1000), switch.bucket().in_flight), ([], 0))

    def test_a_late_ack_does_not_empty_the_next_flowcut(self):
        switch = Driver()
        for number in range(17):
            epoch = switch.data(100).epoch
            self.assertEqual(epoch, (number + 1) % 16)
            self.assertEqual(switch.ack(100, epoch=(epoch - 1) % 16), ["ack_refused"])
            self.assertEqual(switch.ack(100, epoch=epoch), [])

    def test_a_hot_bucket_drains_once_and_is_released_when_it_is_empty(self):
        switch = Driver()
        for _ in range(4):
            switch.data(1000)
        switch.ack(1000, 100)
        self.assertEqual(switch.ack(1000, 2500), [])
        self.assertEqual(switch.bucket().avg, 32 * 400)
        self.assertEqual(switch.ack(1000, 408), ["xoff"])
        # A host that does not stop is served on along the old port.
        ignored = switch.data(1000)
        self.assertEqual((ignored.kind, ignored.xoff_state), (SAME, 1))
        self.assertEqual(switch.ack(1000, 9000), [])
        self.assertEqual(switch.ack(1000, 100), ["xon"])
        self.assertEqual((switch.data(1).kind, switch.bucket().has_avg, switch.bucket().draining), (NEW, False, False))

    def test_an_ack_that_empties_a_hot_bucket_does_not_stop_its_host(self):
        switch = Driver()
        switch.apply("set_min", timestamp=10)
        switch.data(1000)
        self.assertEqual(switch.ack(1000, 5000), [])

    def test_the_threshold_is_not_reached_at_equality_and_moves_with_ratio_and_serialisation(self):
        for ratio, serial, rtt, events in [
            (8, 0, 400, []),
            (8, 0, 401, ["xoff"]),
            (7, 0, 350, []),
            (7, 0, 351, ["xoff"]),
            (8, 20, 480, []),
            (8, 20, 481, ["xoff"]),
            (63, 0, 3150, []),
        ]:
            switch = Driver()
            switch.apply("set_min", timestamp=100)
            switch.data(1000)
            self.assertEqual(switch.ack(1, rtt, ratio=ratio, serial=serial), events, (ratio, serial, rtt))

    def test_alpha_0_is_1_and_alpha_above_5_is_5(self):
        half, eighth, least = 32 * 150, 32 * 112 + 16, 32 * 103 + 4
        for alpha, average in ((0, half), (1, half), (3, eighth), (5, least), (6, least), (7, least)):
            switch = Driver()
            switch.data(1000)
            switch.ack(1, 100)
            switch.ack(1, 200, alpha=alpha)
            self.assertEqual(switch.bucket().avg, average, alpha)

    def test_an_rtt_below_the_floor_is_no_sample_but_its_bytes_count(self):
        for rtt, floor, serial, is_sample in [(99, 100, 0, False), (129, 100, 30, False), (130, 100, 30, True)]:
            switch = Driver()
            switch.data(10)
            switch.ack(4, rtt, rtt_floor=floor, serial=serial)
            self.assertEqual((switch.bucket().has_avg, switch.bucket().in_flight), (is_sample, 6))

    def test_minima_are_of_a_class_without_serialisation_and_times_wrap(self):
        switch = Driver()
        switch.data(1000)
        for group, now, timestamp, serial, least in [(3, 700, 0, 100, 600), (3, 5, 65526, 0, 15), (15, 90, 0, 90, 0)]:
            switch.ack(1, now=now, timestamp=timestamp, group=group, serial=serial)
            self.assertEqual(switch.core.rtt_min[group], least)
        switch.apply("set_min", group=3, timestamp=60_000)
        self.assertEqual((switch.core.rtt_min[3], switch.core.rtt_min[0]), (60_000, TIME_MASK))

    def test_a_bucket_holds_2_to_the_24_less_1_bytes_and_counts_no_more_beyond_that(self):
        switch = Driver()
        switch.fill(MOST_IN_FLIGHT)
        self.assertEqual((switch.bucket().in_flight, switch.bucket().saturated), (MOST_IN_FLIGHT, False))
        self.assertEqual((switch.ack(1), switch.data(1).kind, switch.bucket().saturated), ([], SAME, False))
        switch.data(1)
        self.assertEqual((switch.bucket().in_flight, switch.bucket().saturated), (MOST_IN_FLIGHT, True))
        # Its count is not known any more, so its host has to stop, and only silence ends that.
        self.assertEqual(switch.ack(MOST_IN_FLIGHT), ["xoff"])
        self.assertEqual(switch.ack(5), [])
        self.assertEqual((switch.bucket().in_flight, switch.data(1).xoff_state), (MOST_IN_FLIGHT, 1))
        self.assertEqual(switch.visit(clock=65), ["xon", "entry_cleared"])
        self.assertEqual((switch.bucket().saturated, switch.data(1).kind), (False, NEW))

    def test_of_a_packet_14_bits_of_bytes_count(self):
        switch = Driver()
        switch.data(2**14 + 5)
        self.assertEqual(switch.bucket().in_flight, 5)

    def test_the_walker_clears_a_bucket_that_is_silent_for_longer_than_the_timeout(self):
        for hears in ("data", "ack"):
            switch = Driver()
            switch.data(10, clock=250 if hears == "data" else 0)
            if hears == "ack":
                switch.ack(1, clock=250)
            self.assertEqual(switch.visit(clock=250 + 64 - 256), [])
            self.assertEqual(switch.visit(clock=250 + 65 - 256), ["entry_cleared"])
            self.assertEqual(switch.visit(clock=250 + 66 - 256), [])
            self.assertEqual(switch.data(1).epoch, 2)

    def test_buckets_grow_older_in_rounds_in_which_the_clock_has_moved_by_16_and_drain_at_an_age(self):
        switch = Driver()
        switch.data(10)
        switch.data(10, bucket=3)
        events = [(switch.visit(0, clock, 255, 2), switch.visit(3, clock + 16, 255, 2)) for clock in (0, 15, 16, 31, 32, 60)]
        # The round decides, not the clock at the visit of the bucket itself.
        self.assertEqual(events, [([], []), ([], []), ([], []), ([], []), (["xoff"], ["xoff"]), ([], [])])
        self.assertEqual((switch.bucket().age, switch.bucket(3).age, switch.bucket(1).age), (3, 3, 0))
        self.assertEqual(switch.data(1).xoff_state, 1)

    def test_age_stops_at_15_and_drain_after_0_is_never(self):
        switch = Driver()
        switch.data(10)
        for number in range(1, 20):
            self.assertEqual(switch.visit(clock=16 * number % 256, entry_timeout=255, drain_after=0), [])
            self.assertEqual(switch.bucket().age, min(number, 15))

    def test_an_edge_in_16_is_the_walkers_and_samples_the_settings_of_the_op_that_waits(self):
        core = Switch(4, 8, seed=1)
        core.apply(Op("data", 0, 10, ALL_UP))
        for number in range(91):
            visit, outcome = core.offer(Op("load", clock=100 if number == 15 else 0))
            self.assertEqual(visit is not None, number > 0 and number % 15 == 0)
            self.assertEqual(outcome.entry_cleared, 0)
            if visit:
                self.assertEqual((visit.bucket, visit.entry_cleared), ((number // 15 - 1) % 4, int(number == 15)))

    def test_the_least_loaded_uplink_is_taken_and_equal_ones_from_a_random_place_on(self):
        switch, words = Driver(), Words(1, 4)
        for port, load in enumerate((9, 7, 7, 8, 7, 9, 9, 7)):
            switch.apply("load", port=port, load=load)
        for _ in range(100):
            place = words.step() % 8
            expected = next(port % 8 for port in range(place, place + 8) if port % 8 in (1, 2, 4))
            self.assertEqual(switch.data(10, up=0b0111_1111).port, expected)
            switch.ack(10)

    def test_of_two_random_uplinks_the_less_loaded_is_taken_and_the_first_of_equals(self):
        switch, words = Driver(TWO), Words(1, 4)
        loads, up = (3, 1, 2, 1, 5, 0, 2, 4), 0b1101_1011
        for port, load in enumerate(loads):
            switch.apply("load", port=port, load=load)
        for _ in range(100):
            word = words.step()
            first, second = (
                next(port % 8 for port in range(place % 8, 16) if up >> port % 8 & 1) for place in (word & 255, word >> 8)
            )
            self.assertEqual(switch.data(10, up=up).port, second if loads[second] < loads[first] else first)
            switch.ack(10)

    def test_each_data_packet_draws_a_word_and_no_ack_does(self):
        switch, words = Driver(), Words(1, 4)
        for size, up in [(10, 1), (10, 1), (10, 0), (10, 2), (10, 2)]:
            switch.data(size, up=up)
            words.step()
            switch.ack(1)
            self.assertEqual(switch.core.words.last, words.last)

    def test_reset_forgets_all(self):
        switch = Driver()
        switch.fill(5000)
        switch.apply("load", port=3, load=9)
        switch.core.reset()
        self.assertEqual(vars(switch.core) | {"words": 0}, vars(Driver().core) | {"words": 0})
        self.assertEqual(switch.core.words.last, Words(1, 4).last)

    def test_what_is_not_transcribed_is_refused(self):
        with self.assertRaises(ValueError):
            Switch(4, 8, "three", seed=1)


# An op, or none for a visit, the state before it, and what it gave.
Step = tuple[Op | None, SimpleNamespace, Outcome]


def snapshot(model: Switch) -> SimpleNamespace:
    """The state of a core of few buckets, apart from the walker's."""
    buckets = [copy.copy(bucket) for bucket in model.buckets]
    return SimpleNamespace(buckets=buckets, rtt_min=model.rtt_min[:], last_word=model.words.last)


def any_op(chance: random.Random, model: Switch) -> Op:
    """An op of any kind with fields of any value, whose counts are often near those of the bucket."""
    number = chance.randrange(len(model.buckets))
    bucket = model.buckets[number]
    kind = chance.choice(["data"] * 8 + ["ack"] * 8 + ["load", "set_min"])
    near = [0, 1, bucket.in_flight, bucket.in_flight - 1, bucket.in_flight + 1, chance.randrange(2**24)]
    size = min(MOST_IN_FLIGHT, max(0, chance.choice(near))) if kind == "ack" else chance.randrange(1, 2**14)
    up = 2**model.uplinks - 1
    return Op(
        kind,
        number,
        size,
        chance.choice([0, up, up, up, up, chance.randrange(up)]),
        (bucket.epoch + chance.choice([0, 0, 0, 0, 1, 15])) % 16,
        chance.choice([0, 1, TIME_MASK, chance.randrange(TIME_MASK)]),
        chance.randrange(16),
        chance.choice([0, 0, 5, TIME_MASK, chance.randrange(TIME_MASK)]),
        chance.randrange(model.uplinks),
        chance.randrange(256),
        chance.randrange(TIME_MASK + 1),
        chance.randrange(256),
        chance.choice([0, 0, 0, 100, TIME_MASK]),
        chance.choice([0, 1, 2, 8, 63]),
        chance.randrange(8),
        chance.randrange(256),
        chance.randrange(16),
    )


def any_runs(module: ModuleType = flowcut_switch, ops: int = 2_000) -> Iterator[tuple[Switch, Iterator[Step]]]:
    """A core of each pick, and its ops and visits, each with the core as it was before; a visit has no op."""

    def steps(model: Switch, chance: random.Random) -> Iterator[Step]:
        for number in range(ops):
            if number == ops // 2:
                # A bucket that is nearly full.
                model.buckets[1].in_flight = MOST_IN_FLIGHT - 5
            before = snapshot(model)
            if chance.random() < 0.1:
                yield None, before, model.visit(chance.randrange(256), chance.choice([64, 200, 255]), chance.randrange(4))
            else:
                op = any_op(chance, model)
                yield op, before, model.apply(op)

    for seed, (pick, uplinks) in enumerate([(ALL, 8), (TWO, 16)]):
        model = module.Switch(4, uplinks, pick, seed=seed)
        yield model, steps(model, random.Random(seed))


class Properties(unittest.TestCase):
    """Section 1.5 over ops of any kind and value; F3 and F5 over a network without forged ACKs."""

    def check_f1(self, module: ModuleType) -> None:
        for _, steps in any_runs(module):
            for op, before, outcome in steps:
                in_flight = before.buckets[outcome.bucket].in_flight
                if outcome.kind == NEW:
                    self.assertEqual((in_flight, outcome.order_risk), (0, 0))
                self.assertEqual(outcome.order_risk, int(outcome.kind == FORCED))

    def check_f2(self, module: ModuleType) -> None:
        for _, steps in any_runs(module):
            ports = {}
            for op, _, outcome in steps:
                if outcome.kind in (NEW, FORCED):
                    ports[outcome.bucket] = outcome.port
                elif outcome.kind == SAME:
                    self.assertEqual(outcome.port, ports[outcome.bucket])
                if outcome.port is not None:
                    self.assertTrue(op.up >> outcome.port & 1)

    def check_f4(self, module: ModuleType) -> None:
        for model, steps in any_runs(module):
            for op, before, outcome in steps:
                was, bucket = before.buckets[outcome.bucket], model.buckets[outcome.bucket]
                if bucket.saturated:
                    self.assertEqual(bucket.in_flight, MOST_IN_FLIGHT)
                    continue
                expected = was.in_flight
                if op is None:
                    expected *= 1 - outcome.entry_cleared
                elif outcome.kind in (NEW, SAME, FORCED):
                    expected += op.bytes
                elif op.kind == "ack" and not outcome.ack_refused:
                    expected -= op.bytes
                self.assertEqual(bucket.in_flight, expected)
                self.assertTrue(0 <= expected <= MOST_IN_FLIGHT)

    def check_f6(self, module: ModuleType) -> None:
        for _, steps in any_runs(module):
            draining = [0] * 4
            for _, _, outcome in steps:
                if outcome.xoff_state is not None:
                    self.assertEqual(outcome.xoff_state, draining[outcome.bucket])
                self.assertLessEqual(outcome.xoff + outcome.xon, 1)
                if outcome.xoff or outcome.xon:
                    self.assertEqual(draining[outcome.bucket], outcome.xon)
                    draining[outcome.bucket] = outcome.xoff

    def check_f7(self, module: ModuleType) -> None:
        for model, steps in any_runs(module):
            for _, before, outcome in steps:
                if outcome.ack_refused or outcome.kind == NO_ROUTE:
                    self.assertEqual((model.buckets, model.rtt_min), (before.buckets, before.rtt_min))
                if outcome.kind is None:
                    self.assertEqual(model.words.last, before.last_word)

    def check_f8(self, module: ModuleType) -> None:
        for model, steps in any_runs(module):
            for op, before, _ in steps:
                if op is not None and op.kind == "set_min":
                    self.assertEqual(model.rtt_min[op.group], op.timestamp)
                    before.rtt_min[op.group] = op.timestamp
                self.assertTrue(all(a <= b for a, b in zip(model.rtt_min, before.rtt_min)))

    def check_f9(self, module: ModuleType) -> None:
        for model, steps in any_runs(module):
            for op, before, outcome in steps:
                if op is not None and op.kind in ("load", "set_min"):
                    self.assertEqual(before.buckets, model.buckets)
                before.buckets[outcome.bucket] = model.buckets[outcome.bucket]
                self.assertEqual(before.buckets, model.buckets)

    def test_f1_new_means_that_nothing_is_in_flight_and_forced_alone_risks_order(self):
        self.check_f1(flowcut_switch)

    def test_f2_between_two_new_or_forced_the_uplink_is_one_and_alive(self):
        self.check_f2(flowcut_switch)

    def test_f4_in_flight_is_what_was_sent_less_what_was_acknowledged(self):
        self.check_f4(flowcut_switch)

    def test_f6_between_two_xoff_stands_an_xon(self):
        self.check_f6(flowcut_switch)

    def test_f7_what_is_refused_or_has_no_route_changes_nothing(self):
        self.check_f7(flowcut_switch)

    def test_f8_the_minimum_falls_only_unless_it_is_set(self):
        self.check_f8(flowcut_switch)

    def test_f9_an_op_changes_no_other_bucket(self):
        self.check_f9(flowcut_switch)

    def test_each_property_fails_on_a_broken_model(self):
        for check, before, after in [
            (self.check_f1, "if bucket.in_flight == 0:\n            kind", "if bucket.in_flight < 9000:\n            kind"),
            (self.check_f2, "kind = SAME", "kind = SAME; bucket.port = self.least(op.up, word)"),
            (self.check_f2, "elif not op.up >> bucket.port & 1:", "elif False:"),
            (self.check_f4, "op.bytes > bucket.in_flight and not bucket.saturated", "False"),
            (self.check_f6, "            bucket.draining = False\n        elif", "        elif"),
            (self.check_f7, "if bucket.in_flight == 0 or op", "bucket.heard = op.clock\n        if bucket.in_flight == 0 or op"),
            (self.check_f8, "min(self.rtt_min[op.group], rtt - op.serial)", "rtt - op.serial"),
            (self.check_f9, "bucket.age = 0", "self.buckets[op.bucket ^ 1].age = 0; self.buckets[op.bucket ^ 1].heard += 1"),
        ]:
            with self.subTest(check=check.__name__, after=after), self.assertRaises(AssertionError):
                check(replay.changed("flowcut_switch", before, after))

    def network(self, module: ModuleType = flowcut_switch, seed: int = 7) -> Network:
        # A round of 64 buckets is short, and the timeout is far longer than a packet lives.
        return Network("clean", seed, 64, 8, ALL, 1024, (200,), 60, 24, faulty=False, module=module).run(12_000)

    def test_f3_packets_of_a_bucket_arrive_in_order_but_not_if_it_moves_with_bytes_in_flight(self):
        network = self.network()
        self.assertEqual(network.out_of_order, 0)
        self.assertGreater(network.trace.counts[NEW], 500)
        self.assertGreater(network.trace.counts["xon"], 50)
        careless = replay.changed(
            "flowcut_switch", "if bucket.in_flight == 0:\n            kind", "if bucket.in_flight < 9000:\n            kind"
        )
        self.assertGreater(self.network(careless).out_of_order, 20)

    def test_f5_a_bucket_that_is_silent_for_the_timeout_and_a_round_is_empty(self):
        network = self.network()
        clock = network.time // network.clock_ns
        for _ in range(64):
            network.model.visit((clock + 30) % 256, 20, 0)
        self.assertEqual([bucket.in_flight for bucket in network.model.buckets], [0] * 64)


def differences(module: ModuleType, settings: dict[str, str], rows: list[replay.Row], ops: list[Op]) -> Iterator[int]:
    """The rows of a trace, counted from 0, whose results a model does not give."""
    sizes = [int(settings[f"flowcut_switch.{key}"]) for key in ("buckets", "uplinks")]
    model = module.Switch(*sizes, settings["flowcut_switch.pick"], seed=int(settings["seed"]))
    for number, (row, op) in enumerate(zip(rows, ops)):
        result = results_of(model.offer(op)[1], RESULTS)
        if any(row[column] != value for column, value in result.items()):
            yield number


class Traces(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.networks = record_flowcut_switch.networks()
        cls.made = []
        for network in cls.networks:
            files = network.trace.files()
            name = network.trace.name
            rows = list(csv.DictReader(files[f"{name}.csv.gz"].splitlines()))
            settings = {row["name"]: row["value"] for row in csv.DictReader(files[f"{name}.settings.csv"].splitlines())}
            cls.made.append((settings, rows, [op_of(row, Op, INPUTS) for row in rows]))

    def test_traces_have_all_kinds_of_results(self):
        for network in self.networks:
            counts = network.trace.counts
            for what in [*EVENTS, *KINDS, "data", "ack", "load", "set_min"]:
                self.assertGreater(counts[what], 5, (network.trace.name, what))
            self.assertEqual(sum(counts[kind] for kind in ("data", "ack", "load", "set_min")), len(network.trace.rows))
        for network in self.networks[:2]:
            for what in [*VISITS, "saturated"]:
                self.assertGreater(network.trace.counts[what], 3, (network.trace.name, what))

    def test_what_is_recorded_now_is_what_stands_here_and_in_the_readme(self):
        made = {name: text for network in self.networks for name, text in network.trace.files().items()}
        folder = record_flowcut_switch.FOLDER
        self.assertEqual(sorted(made), sorted(path.name for path in folder.iterdir()))
        for name, text in made.items():
            contents = (folder / name).read_bytes()
            stored = gzip.decompress(contents) if name.endswith(".gz") else contents
            self.assertTrue(text == stored.decode(), f"{name} is another; `python tb/reference/record_flowcut_switch.py`")
        readme = (folder.parent / "README.md").read_text()
        for line in record_flowcut_switch.table(self.networks):
            self.assertIn(line + "\n", readme)

    def test_fields_fit_their_ports(self):
        for settings, _, ops in self.made:
            uplinks = int(settings["flowcut_switch.uplinks"])
            ends = dict.fromkeys(["timestamp", "serial", "now", "rtt_floor"], 2**16)
            ends |= {"bucket": int(settings["flowcut_switch.buckets"]), "up": 2**uplinks, "port": uplinks, "load": 256}
            ends |= {"bytes": 2**24, "epoch": 16, "group": 16, "clock": 256, "ratio": 64, "alpha": 8}
            ends |= {"entry_timeout": 256, "drain_after": 16}
            for op in ops:
                self.assertTrue(all(0 <= getattr(op, name) < end for name, end in ends.items()), op)
                self.assertTrue(op.kind != "data" or 0 < op.bytes < 2**14, op)

    def test_settings_change_so_slowly_that_a_visit_seldom_stands_between_two_values(self):
        # The visit has the settings of the line behind it, but those of the line before it are the same in most cases.
        for _, _, ops in self.made:
            values = [(op.clock, op.entry_timeout, op.drain_after) for op in ops]
            visits = range(15, len(ops), 15)
            self.assertLess(sum(values[number] != values[number - 1] for number in visits), 0.05 * len(visits))

    def test_a_trace_that_is_read_back_is_what_the_model_gives(self):
        for trace in self.made:
            self.assertEqual(list(differences(replay.changed("flowcut_switch"), *trace)), [])

    def test_each_fault_in_the_source_is_seen_on_some_trace(self):
        for before, after in replay.some(FAULTS):
            with self.subTest(before=before, after=after):
                module = replay.changed("flowcut_switch", before, after)
                self.assertTrue(any(self.differs(module, *trace) for trace in self.made))

    def differs(self, module: ModuleType, *trace: object) -> bool:
        """Whether a trace shows that a model is another; one that breaks down is."""
        try:
            return next(differences(module, *trace), None) is not None
        except (IndexError, ValueError):
            return True


if __name__ == "__main__":
    unittest.main()

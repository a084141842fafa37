"""The window: the error of each rounding in exact arithmetic, widths, and both kinds of windows side by side."""

import random
import unittest
from collections.abc import Callable
from fractions import Fraction

import replay
import strack_cc
from figures import incast, random_walk
from networks import BASE_RTT_NS, TICK_NS
from strack_cc import ACHIEVED, HOLD, MULTIPLICATIVE, NOTHING, ONE, RealWindow, Settings, Window

# 2^-16 packets, or a share of 2^-16.
UNIT = Fraction(1, 2**16)
TRIALS = 3_000


def any_of(chance: random.Random, bits: int) -> int:
    """A number of up to this many bits, of any size, often an end of the range."""
    if chance.random() < 0.1:
        return chance.choice([0, 1, 2**bits - 2, 2**bits - 1])
    return chance.getrandbits(bits) >> chance.randrange(bits)


def any_cwnd(chance: random.Random) -> int:
    return max(ONE, min(1023 * ONE, any_of(chance, 26)))


def averages(chance: random.Random, averaged: Callable[[int, int], int]) -> bool:
    """Whether the average is too high by 0 to 7/8 tick at any time, on any delays, and fits 19 bits."""
    # The exact average is `exact / scale`, two whole numbers that get longer with each sample.
    avg8, exact, scale = 0, 0, 1
    for number in range(1_000):
        # Delays of all sizes, and between them stretches of none and of the longest.
        delay = any_of(chance, 16) if number % 100 < 50 else number // 100 % 2 * 65535
        avg8, exact, scale = averaged(avg8, delay), 7 * exact + delay * scale, 8 * scale
        if not 0 <= avg8 * scale - 8 * exact <= 7 * scale or avg8 >= 2**19:
            return False
    return True


def additive_steps(chance: random.Random, additive_step: Callable[[int, int], int]) -> bool:
    """Whether beta's step is too small by less than 2^-16 packets."""
    for _ in range(TRIALS):
        beta, cwnd = any_of(chance, 16), any_cwnd(chance)
        exact = Fraction(beta, 2**8) / Fraction(cwnd, ONE)
        if not 0 <= exact - additive_step(beta, cwnd) * UNIT < UNIT:
            return False
    return True


def proportional_steps(chance: random.Random, proportional_step: Callable[[int, int, int], int]) -> bool:
    """Whether alpha's step is too small by less than 2^-15 packets, or as if the product were just below 256."""
    for _ in range(TRIALS):
        alpha, below, cwnd = any_of(chance, 16), any_of(chance, 16), any_cwnd(chance)
        product = Fraction(alpha * below, 2**18)
        exact = min(product, 256) / Fraction(cwnd, ONE)
        if not 0 <= exact - proportional_step(alpha, below, cwnd) * UNIT < 2 * UNIT:
            return False
    return True


def excesses(chance: random.Random, excess: Callable[[int, int], int]) -> bool:
    """Whether the share of the delay above the target is too small by less than 2^-16; by that for a target of 0."""
    for _ in range(TRIALS):
        target = any_of(chance, 16) % 65535
        avg8 = min(2**19 - 1, 8 * target + 1 + any_of(chance, 19))
        error = Fraction(avg8 - 8 * target, avg8) - excess(avg8, target) * UNIT
        if not (0 <= error < UNIT or target == 0 and error == UNIT):
            return False
    return True


def cut_shares(chance: random.Random, cut_share: Callable[[int, int], int]) -> bool:
    """Whether the share that is cut is too small by less than 2^-15, and one half at most."""
    for _ in range(TRIALS):
        target = any_of(chance, 16) % 65535
        avg8 = min(2**19 - 1, 8 * target + 1 + any_of(chance, 19))
        gamma = any_of(chance, 16)
        exact = min(gamma * UNIT * Fraction(avg8 - 8 * target, avg8), Fraction(1, 2))
        if not 0 <= exact - cut_share(gamma, strack_cc.excess(avg8, target)) * UNIT < 2 * UNIT:
            return False
    return True


def cuts(chance: random.Random, cut: Callable[[int, int], int]) -> bool:
    """Whether the whole cut is too small by less than (1 + gamma) cwnd 2^-16 + 2^-16 packets."""
    for _ in range(TRIALS):
        target = any_of(chance, 16) % 65535
        avg8 = min(2**19 - 1, 8 * target + 1 + any_of(chance, 19))
        gamma, cwnd = any_of(chance, 16), any_cwnd(chance)
        packets = Fraction(cwnd, ONE)
        exact = packets * min(gamma * UNIT * Fraction(avg8 - 8 * target, avg8), Fraction(1, 2))
        share = strack_cc.cut_share(gamma, strack_cc.excess(avg8, target))
        if not 0 <= exact - cut(cwnd, share) * UNIT < (1 + gamma * UNIT) * packets * UNIT + UNIT:
            return False
    return True


class Roundings(unittest.TestCase):
    # Each bound with the function that it is of, and with faults, of which each must break it.
    BOUNDS = [
        (
            averages,
            strack_cc.averaged,
            [
                lambda avg8, delay: avg8 + delay - ((avg8 + 7) >> 3),
                lambda avg8, delay: avg8 + delay - (avg8 >> 4),
                lambda avg8, delay: avg8 + (delay & ~1) - (avg8 >> 3),
            ],
        ),
        (
            additive_steps,
            strack_cc.additive_step,
            [
                lambda beta, cwnd: -(-(beta << 24) // cwnd),
                lambda beta, cwnd: (beta << 24) // cwnd & ~1,
                lambda beta, cwnd: (beta << 24) // (cwnd + 1),
            ],
        ),
        (
            proportional_steps,
            strack_cc.proportional_step,
            [
                lambda alpha, below, cwnd: ((alpha >> 2) * below << 16) // cwnd,
                lambda alpha, below, cwnd: (min(alpha * below >> 2, 2**23) << 16) // cwnd,
                lambda alpha, below, cwnd: ((alpha * below >> 2) << 16) // cwnd,
                lambda alpha, below, cwnd: (min(alpha * below >> 2, 2**24 - 1) << 16) // cwnd + 1,
            ],
        ),
        (
            excesses,
            strack_cc.excess,
            [
                lambda avg8, target: min(((avg8 - 8 * target) << 15) // avg8 << 1, 2**16 - 1),
                lambda avg8, target: -(-((avg8 - 8 * target) << 16) // avg8),
                lambda avg8, target: min(((avg8 - 8 * target) << 16) // avg8, 2**15 - 1),
            ],
        ),
        (
            cut_shares,
            strack_cc.cut_share,
            [
                lambda gamma, share: gamma * share >> 16,
                lambda gamma, share: min((gamma * share >> 16) + 1, 2**15),
                lambda gamma, share: min((gamma >> 2) * share >> 14, 2**15),
            ],
        ),
        (
            cuts,
            strack_cc.cut,
            [
                lambda cwnd, share: -(-cwnd * share >> 16),
                lambda cwnd, share: (cwnd >> 4) * share >> 12,
                lambda cwnd, share: cwnd * (share >> 3) >> 13,
            ],
        ),
    ]

    def test_each_is_within_its_bound(self):
        for bound, function, _ in self.BOUNDS:
            with self.subTest(bound.__name__):
                self.assertTrue(bound(random.Random(1), function))

    def test_each_bound_is_broken_by_faults(self):
        for bound, _, faults in self.BOUNDS:
            for number, fault in enumerate(faults):
                with self.subTest(bound.__name__, fault=number):
                    self.assertFalse(bound(random.Random(1), fault))

    def test_widths_hold_at_the_ends_of_all_ranges(self):
        most = 2**16 - 1
        for cwnd in (ONE, 2 * ONE - 1, 1023 * ONE):
            for step in (strack_cc.additive_step(most, cwnd), strack_cc.proportional_step(most, most, cwnd)):
                self.assertLess(step, 2**24)
                self.assertLess(cwnd + step + (most << 4), 2**27)
        self.assertGreaterEqual(1023 * ONE + (most << 4), 2**26, "26 bits would not do")
        self.assertLess(strack_cc.cut(1023 * ONE, 2**15), 2**26)


class Rules(unittest.TestCase):
    def window(self, **values: int) -> Window:
        window = Window(Settings(**values))
        window.init(0)
        return window

    def test_defaults_are_those_of_table_1(self):
        s = Settings()
        base_rtt, bdp_sf = BASE_RTT_NS / TICK_NS, 400e9 / 100e9
        for port, value in [
            (s.net_base_rtt, base_rtt),
            (s.target_qdelay, base_rtt),
            (s.target_qhigh, 3 * s.target_qdelay),
            (s.alpha, 4.0 * bdp_sf / base_rtt * 2**18),
            (s.beta, 5 * bdp_sf * 2**8),
            (s.eta, 0.15 * bdp_sf * 2**12),
            (s.gamma, 0.8 * 2**16),
        ]:
            self.assertEqual(port, round(value))
        self.assertEqual(s.max_cwnd, int(12e-6 * 400e9 / 8 / 4096))

    def test_before_init_and_with_an_mtu_that_is_none_all_is_refused(self):
        for window in (Window(Settings()), self.window(mtu_log2=7), self.window(mtu_log2=14)):
            self.assertEqual((window.read(), window.ack(9, 0, 0, 4096, 0)), (NOTHING, NOTHING))

    def test_one_cut_a_base_rtt_and_one_step_of_fairness(self):
        window = self.window()
        # 20 ACKs a base RTT, all marked and two targets late.
        results = [window.ack(time, 1, 0, 4096, time - 3000) for time in range(0, 967 * 20, 50)]
        cut_at = [number * 50 for number, result in enumerate(results) if result.action == MULTIPLICATIVE]
        self.assertGreater(len(cut_at), 10)
        self.assertTrue(all(later - earlier > 967 for earlier, later in zip(cut_at, cut_at[1:])))
        self.assertEqual(sum(result.fair for result in results), len(cut_at))

    def test_the_window_falls_to_what_arrived_only_after_a_whole_period(self):
        window = self.window()
        # The delay is 4000 ticks, above target_qhigh; a period is longer than 967 + 967 ticks.
        actions = [window.ack(time, 1, 0, 4096, time - 4967).action for time in (0, 1, 968, 1934)]
        self.assertEqual((actions, window.is_measured), ([HOLD, HOLD, MULTIPLICATIVE, HOLD], False))
        result = window.ack(1936, 1, 0, 4096, 1936 - 4967)
        self.assertEqual(window.achieved, 5 * 4096, "the first period holds the bytes of its first ACK and its last")
        self.assertEqual((result.action, result.fair, result.cwnd), (ACHIEVED, 1, 5 * ONE + (2458 << 4)))

    def test_bytes_of_a_probe_count_nothing(self):
        windows = [self.window(), self.window()]
        for window, newly_acked in zip(windows, (0, 2**20 - 1)):
            for time in range(0, 3000, 100):
                window.ack(time, 0, 1, newly_acked, time - 967)
        self.assertEqual(windows[0].achieved, 0)
        self.assertEqual(vars(windows[0]), vars(windows[1]))

    def test_a_late_ack_that_reads_as_a_short_rtt_does_not_lower_the_base_below_its_least(self):
        for least, base_rtt in ((0, 5), (900, 967)):
            window = self.window(min_base_rtt=least)
            window.ack(40_000, 0, 0, 4096, 39_995)
            self.assertEqual(window.base_rtt, base_rtt)

    def test_both_kinds_of_windows_stay_within_the_limits_on_a_random_walk(self):
        average, _, others = random_walk(60_000, 1)
        self.assertLess(average, 0.002)
        self.assertLess(others, 0.001)
        self.assertGreater(average, 0, "the integers do round")

    def test_a_fault_throws_the_window_out_of_the_limits_on_a_random_walk(self):
        for before, after in [
            ("alpha * below_target >> 2", "alpha * below_target >> 3"),
            ("delay - (avg8 >> 3)", "delay - (avg8 >> 4)"),
            ("share >> 16", "share * 65 >> 22"),
        ]:
            faulty = replay.changed("strack_cc", before, after)
            self.assertGreater(random_walk(20_000, 1, faulty.Window)[0], 0.002, after)

    def test_an_incast_comes_to_rest_near_the_target(self):
        delay, _ = incast(32, Window, ONE, until_ns=5e6)
        real_delay, _ = incast(32, RealWindow, 1, until_ns=5e6)
        self.assertAlmostEqual(delay, 13.1, delta=0.5)
        self.assertAlmostEqual(real_delay, delay, delta=0.2)


if __name__ == "__main__":
    unittest.main()

"""Faults put into the sources by hand: each must be seen on some trace, so that no line of the models is idle."""

import unittest
from types import ModuleType

import replay

# What stands in strack.py, and what is put there.
SPRAY_FAULTS = [
    ("if not 0 <= path < self.paths:", "if not 0 <= path <= self.paths - 2:"),
    ("path = ev - self.ev_base", "path = ev % self.paths"),
    ("        if ecn:\n", "        if not ecn:\n"),
    ("            self.has_next = False\n            self.marked[path] = True", "            self.marked[path] = True"),
    ("self.has_next = False\n            self.marked[path] = True", "self.has_next = False"),
    ("            self.marked[path] = False\n\n", "\n"),
    ("            self.next = path\n", "            self.next = self.next if self.has_next else path\n"),
    ("            self.has_next = True", "            self.has_next = path > 0"),
    ("self.ack(ev, True)", "pass"),
    ("self.ack(ev, True)", "self.ack(ev, False)"),
    ("so it changes nothing.\"\"\"", "\"\"\"; self.has_next = False"),
    ("            self.rr = self.next\n", "            self.rr, first = self.rr, self.next\n"),
    ("            self.has_next = False\n            return", "            return"),
    ("FEWEST_PATHS = 8", "FEWEST_PATHS = 7"),
    ("FEWEST_PATHS = 8", "FEWEST_PATHS = 9"),
    ("2 * window", "2 * window + 1"),
    ("2 * window", "(2 * window & 0xFFF)"),
    ("min(self.paths, 2 * window)", "min(self.paths - 1, 2 * window)"),
    ("first = (self.rr + 1) % n", "first = self.rr + 1 if self.rr + 1 < n else 0"),
    ("first = (self.rr + 1) % n", "first = self.rr % n"),
    ("            if not has_forgiven:\n", "            if True:\n"),
    ("                self.marked[self.rr] = False\n                has", "                has"),
    ("self.rr = (self.rr + 1) % n\n            if", "self.rr = (self.rr + 1) % self.paths\n            if"),
    ("        self.marked = [False] * self.paths", "        self.marked = getattr(self, 'marked', [False] * self.paths)"),
    ("        self.rr = 0\n", "        self.rr = getattr(self, 'rr', 0)\n"),
    ("        self.rr = 0\n", "        self.rr = -1\n"),
    ("        self.has_next = False\n\n", "        self.has_next = getattr(self, 'has_next', False)\n\n"),
]

# The same of strack_cc.py.
WINDOW_FAULTS = [
    ("TIME_MASK = 2**16 - 1", "TIME_MASK = 2**17 - 1"),
    ("MOST_BYTES = 2**20 - 1", "MOST_BYTES = 2**19 - 1"),
    ("min(self.rx + newly_acked, MOST_BYTES)", "(self.rx + newly_acked) & MOST_BYTES"),
    ("self.rx + newly_acked", "newly_acked"),
    ("max(1, self.max_cwnd)", "self.max_cwnd"),
    ("8 <= self.mtu_log2 <= 13", "8 <= self.mtu_log2 <= 14"),
    ("8 <= self.mtu_log2 <= 13", "7 <= self.mtu_log2 <= 13"),
    ("avg8 + delay - (avg8 >> 3)", "avg8 + delay - (avg8 >> 4)"),
    ("avg8 + delay - (avg8 >> 3)", "avg8 + delay - ((avg8 + 7) >> 3)"),
    ("avg8 + delay - (avg8 >> 3)", "avg8 + delay - (avg8 >> 3) & 2**18 - 1"),
    ("((beta << 8) << 16) // cwnd", "(beta << 16) // cwnd"),
    ("((beta << 8) << 16) // cwnd", "(beta << 24 & 2**39 - 1) // cwnd"),
    ("((beta << 8) << 16) // cwnd", "-(-(beta << 24) // cwnd)"),
    ("alpha * below_target >> 2", "(alpha >> 2) * below_target"),
    ("2**24 - 1) << 16", "2**25 - 1) << 16"),
    ("min(alpha * below_target >> 2, 2**24 - 1)", "(alpha * below_target >> 2 & 2**24 - 1)"),
    ("2**24 - 1) << 16) // cwnd", "2**24 - 1) << 16) // (cwnd + 1)"),
    ("// avg8, 2**16 - 1)", "// avg8, 2**16)"),
    ("<< 16) // avg8, 2**16 - 1)", "<< 16) // avg8, 2**15 - 1)"),
    ("gamma * excess_share >> 16, 2**15)", "gamma * excess_share >> 16, 2**16)"),
    ("gamma * excess_share >> 16, 2**15)", "gamma * excess_share + 2**15 >> 16, 2**15)"),
    ("return cwnd * share >> 16", "return -(-cwnd * share >> 16)"),
    ("return cwnd * share >> 16", "return (cwnd * share & 2**40 - 1) >> 16"),
    ("return cwnd * share >> 16", "return (cwnd >> 16) * share + ((cwnd & 2**15 - 1) * share >> 16)"),
    ("        self.cwnd = self.settings.most_packets() * ONE\n", "        self.cwnd = ONE\n"),
    ("        self.base_rtt = self.settings.net_base_rtt\n        self.avg8", "        self.base_rtt = TIME_MASK\n        self.avg8"),
    ("        self.avg8 = 0\n", "        self.avg8 = getattr(self, 'avg8', 0)\n"),
    ("        self.cut_at = now\n        self.fair_at", "        self.cut_at = 0\n        self.fair_at"),
    ("        self.fair_at = now\n        self.since", "        self.fair_at = 0\n        self.since"),
    ("        self.rx = 0\n        self.achieved", "        self.rx = getattr(self, 'rx', 0)\n        self.achieved"),
    ("        self.is_counting = False\n", "        self.is_counting = True\n"),
    ("        self.is_measured = False\n", "        self.is_measured = getattr(self, 'is_measured', False)\n"),
    ("        self.is_measured = False\n", "        self.is_measured = True\n"),
    ("if rtt >= s.min_base_rtt:", "if rtt > s.min_base_rtt:"),
    ("if rtt >= s.min_base_rtt:", "if True:"),
    ("self.base_rtt = min(self.base_rtt, rtt)  # 1:5-7", "pass"),
    ("delay = elapsed(rtt, self.base_rtt)", "delay = max(0, rtt - self.base_rtt)"),
    ("delay = elapsed(rtt, self.base_rtt)", "delay = elapsed(rtt, s.net_base_rtt)"),
    ("0 if probe else newly_acked", "newly_acked"),
    ("elapsed(now, self.cut_at) > self.base_rtt", "elapsed(now, self.cut_at) >= self.base_rtt"),
    ("elapsed(now, self.fair_at) > self.base_rtt", "elapsed(now, self.fair_at) >= self.base_rtt"),
    ("elapsed(now, self.cut_at) > self.base_rtt", "True"),
    ("if not ecn and delay > s.target_qhigh:  # 4:6", "if not ecn and delay >= s.target_qhigh:"),
    ("if not ecn and delay > s.target_qhigh:  # 4:6", "if delay > s.target_qhigh:"),
    ("elif not ecn and delay < s.target_qdelay:  # 4:8", "elif not ecn and delay <= s.target_qdelay:"),
    ("elif not ecn and delay < s.target_qdelay:  # 4:8", "elif delay < s.target_qdelay:"),
    ("self.avg8 > 8 * s.target_qdelay", "self.avg8 >= 8 * s.target_qdelay"),
    ("elif can_cut and self.avg8", "elif self.avg8"),
    ("8 * self.achieved < s.most_packets() << s.mtu_log2", "8 * self.achieved <= s.most_packets() << s.mtu_log2"),
    ("8 * self.achieved < s.most_packets()", "self.achieved < s.most_packets()"),
    ("if delay > s.target_qhigh and self.is_measured", "if delay >= s.target_qhigh and self.is_measured"),
    ("and self.is_measured and is_low", "and is_low"),
    ("and self.is_measured and is_low", "and self.is_measured"),
    ("min(self.cwnd, self.achieved << (16 - s.mtu_log2))", "(self.achieved << (16 - s.mtu_log2))"),
    ("self.achieved << (16 - s.mtu_log2)", "self.achieved << 4"),
    ("                self.cut_at = now\n                action = ACHIEVED", "                action = ACHIEVED"),
    ("            elif delay > s.target_qdelay:  # 4:14", "            elif delay >= s.target_qdelay:"),
    ("                self.cut_at = now\n                action = MULTIPLICATIVE", "                action = MULTIPLICATIVE"),
    ("self.cwnd += s.eta << 4", "self.cwnd += s.eta << 3"),
    ("            self.fair_at = now\n        self.cwnd = max", "        self.cwnd = max"),
    ("max(min(self.cwnd, s.most_packets() * ONE), ONE)", "max(min(self.cwnd & 2**26 - 1, s.most_packets() * ONE), ONE)"),
    ("max(min(self.cwnd, s.most_packets() * ONE), ONE)", "max(self.cwnd, ONE)"),
    ("max(min(self.cwnd, s.most_packets() * ONE), ONE)", "min(self.cwnd, s.most_packets() * ONE)"),
    ("            self.since = now\n        elif", "            self.since = now\n            self.rx = 0\n        elif"),
    ("elapsed(now, self.since) > self.base_rtt + self", "elapsed(now, self.since) >= self.base_rtt + self"),
    ("> self.base_rtt + self.settings.target_qdelay:", "> elapsed(self.base_rtt + self.settings.target_qdelay, 0):"),
    ("> self.base_rtt + self.settings.target_qdelay:", "> self.base_rtt:"),
    ("            self.rx = 0\n            self.since = now", "            self.since = now"),
    ("            self.rx = 0\n            self.since = now\n\n", "            self.rx = 0\n\n"),
]


class Faults(unittest.TestCase):
    def check(self, module: str, faults: list[tuple[str, str]]) -> None:
        traces = {name: replay.rows(name) for name in replay.names(module)}

        def is_seen(model: ModuleType, name: str) -> bool:
            try:
                return next(replay.differences(module, model, name, traces[name]), None) is not None
            # A fault may also leave the range of a memory.
            except (IndexError, ZeroDivisionError):
                return True

        for name in traces:
            self.assertFalse(is_seen(replay.changed(module), name), f"the model without a fault differs from {name}")
        for before, after in replay.some(faults):
            faulty = replay.changed(module, before, after)
            self.assertTrue(any(is_seen(faulty, name) for name in traces), f"no trace shows {after!r} for {before!r}")

    def test_each_fault_of_the_load_balancing_is_seen(self):
        self.check("strack", SPRAY_FAULTS)

    def test_each_fault_of_the_window_is_seen(self):
        self.check("strack_cc", WINDOW_FAULTS)

    def test_a_fault_in_what_the_source_does_not_have_is_refused(self):
        with self.assertRaises(ValueError):
            replay.changed("strack", "no such line", "")


if __name__ == "__main__":
    unittest.main()

"""CAVER: what the page says of it op by op, its properties over random ops, and faults that the traces must see."""

import copy
import csv
import gzip
import random
import unittest
from collections.abc import Iterator
from types import ModuleType, SimpleNamespace

import caver
import record_caver
import replay
from caver import (
    ADVERTISED,
    BAD_ROUTE,
    COLLIDED,
    DELIVER,
    ECMP,
    KEPT,
    MOST_DRE,
    NEW,
    NO_PATH,
    PASS,
    REFUSED,
    ROUTED,
    SAME,
    TOOK,
    Caver,
    Flow,
    Op,
    Outcome,
    Path,
)
from columns import op_of, results_of
from record_caver import ACK_KINDS, DATA_KINDS, INPUTS, OPS_A_TURN, RESULTS, Network

# What stands in caver.py, and what is put there.
FAULTS = [
    ("TICKS = 2**8", "TICKS = 2**9"),
    ("MOST_CE = 2**8 - 1", "MOST_CE = 2**8"),
    ("MOST_DRE = 2**26 - 1", "MOST_DRE = 2**26"),
    ("MOST_DRE = 2**26 - 1", "MOST_DRE = 2**32"),
    ("FIRST_SHIFT = 13", "FIRST_SHIFT = 12"),
    ("NO_PATH = 2**32 - 1", "NO_PATH = 2**24 - 1"),
    ("LAST_HOP = 3", "LAST_HOP = 4"),
    ("% TICKS > op.flow_timeout", "% TICKS >= op.flow_timeout"),
    ("(op.now - flow.t) % TICKS > op.flow_timeout", "False"),
    ("flow.route is not None and not op.up >> flow.route % self.ports", "not op.up >> (flow.route or 0) % self.ports"),
    ("if flow.route is not None and not op.up >> flow.route % self.ports & 1:", "if False:"),
    ("% TICKS > op.path_age", "% TICKS >= op.path_age"),
    ("(op.now - path.t) % TICKS > op.path_age", "False"),
    ("or not op.up >> path.port & 1", ""),
    (
        "self.dre[outcome.port] = min(MOST_DRE, self.dre[outcome.port]",
        "self.dre[op.in_port] = min(MOST_DRE, self.dre[op.in_port]",
    ),
    ("        if op.is_local:", "        if op.is_local and not op.is_host >> op.in_port & 1:"),
    ("        if op.is_local:", "        if op.is_local and not op.enable:"),
    (
        "        if op.is_host >> op.in_port & 1:\n            return self.first",
        "        if not op.enable:\n            return self.first",
    ),
    (
        "        if op.is_host >> op.in_port & 1:\n            return self.first",
        "        if not op.enable and op.is_host >> op.in_port & 1:\n            return self.first",
    ),
    ("if not op.enable:", "if False:"),
    ("if op.hop < LAST_HOP:", "if op.hop < LAST_HOP - 1:"),
    ("8 * (op.hop + 1) & 0xFF", "8 * op.hop & 0xFF"),
    ("8 * (op.hop + 1) & 0xFF", "8 * (op.hop + 1) & self.ports - 1"),
    ("and not op.is_host >> port & 1:\n", "and True:\n"),
    ("op.hop + 1, op.path)", "op.hop, op.path)"),
    ("return Outcome(BAD_ROUTE, op.fib_port, 0)", "return Outcome(BAD_ROUTE, op.fib_port, 1, op.hop, op.path)"),
    ("op.hash % self.entries", "op.hash % (self.entries // 2)"),
    ("tag = op.hash >> 16", "tag = op.hash >> 16 & 0xFF"),
    ("(flow.tag, flow.dst) != (tag, op.dst)", "flow.tag != tag"),
    ("(flow.tag, flow.dst) != (tag, op.dst)", "flow.dst != op.dst"),
    (
        "                return Outcome(COLLIDED",
        "                self.flows[index] = Flow(tag, op.dst, None, op.now)\n                return Outcome(COLLIDED",
    ),
    ("self.flows[index] = flow._replace(t=op.now)", "pass"),
    ("            self.flows[index] = Flow(tag, op.dst, None, op.now)\n", ""),
    ("route = best.path << 8 | best.port", "route = best.path << 8 | best.port ^ 1"),
    ("route = best.path << 8 | best.port", "route = best.path << 8 & 0xFFFF00 | best.port"),
    (
        "            if op.to_local:\n                return Outcome(PASS",
        "            if False:\n                return Outcome(PASS",
    ),
    ("ce=self.q(port), len=0", "ce=0, len=0"),
    ("if op.len == LAST_HOP and not op.to_local:", "if op.len == LAST_HOP:"),
    ("if op.len == LAST_HOP and not op.to_local:", "if False:"),
    ("total = max(self.q(op.in_port), op.ce)", "total = op.ce"),
    ("total = max(self.q(op.in_port), op.ce)", "total = self.q(op.in_port)"),
    ("best.port == op.in_port or total", "total"),
    ("or total <= max(self.q(best.port), best.ce)", "or total < max(self.q(best.port), best.ce)"),
    ("or total <= max(self.q(best.port), best.ce)", "or total <= best.ce"),
    ("or total <= max(self.q(best.port), best.ce)", "or total <= self.q(best.port)"),
    ("Path(op.in_port, op.ce,", "Path(op.in_port, total,"),
    ("            kind = KEPT\n", "            kind = KEPT\n            self.table[op.dst] = best._replace(t=op.now)\n"),
    ("        if op.to_local:\n            return Outcome(kind", "        if False:\n            return Outcome(kind"),
    ("        if best.len == LAST_HOP:", "        if False:"),
    ("return Outcome(kind, enable=1, ce=congestion", "return Outcome(kind, enable=1, ce=total"),
    ("len=best.len + 1", "len=op.len + 1"),
    ("self.shift[op.port] = op.shift", "self.shift[op.port] = op.shift & 15"),
]

# The same of what the traces behind the first ones alone have: a list of hosts, and an entry for each uplink.
LATER_FAULTS = [
    ("len(self.hosts) < self.ports", "True"),
    ("self.hosts.append((op.dst, op.port))", "self.hosts.append((op.dst, op.in_port))"),
    ("self.next_host = (self.next_host + 1) % len(self.hosts)", "self.next_host = 0"),
    ("ce=self.q(port), len=0", "ce=self.q(op.in_port), len=0"),
    ("path=NO_PATH, dst=dst)", "path=NO_PATH, dst=op.dst)"),
    ("max(self.seen[uplink], path.ce) < least", "max(self.seen[uplink], path.ce) <= least"),
    ("max(self.seen[uplink], path.ce) < least", "max(self.q(path.port), path.ce) < least"),
    ("uplink = (place + turn) % UPLINKS", "uplink = turn"),
    ("path = self.if_live(self.rows[op.dst][uplink], op)", "path = self.rows[op.dst][uplink]"),
    ('and op.kind in ("data", "ack") else 0', 'and op.kind == "ack" else 0'),
    ("        if uplink < 0:\n", "        if uplink < -4:\n"),
    ("op.in_port - (self.ports - UPLINKS)", "op.in_port % UPLINKS"),
    ("Path(op.in_port, op.ce, op.len, op.path & PATH_MASK, op.now)", "Path(op.in_port, op.ce, op.len, op.path, 0)"),
    ("best is None or best.port == op.in_port else KEPT", "best is not None and best.port == op.in_port else KEPT"),
    ("if best is None or best.len == LAST_HOP:", "if best is None or best.len > LAST_HOP:"),
    ("        self.seen[uplink] = congestion\n", ""),
    ("self.read = (uplink, self.q(self.ports - UPLINKS + uplink))", "self.read = (uplink, self.q(uplink))"),
]

# Ports 0 and 1 are those of hosts.
HOSTS = 0b11


class Driver:
    """A core of 8 destinations, 16 ports and 32 flows; ports 0 and 1 have hosts, and an op that names none has port 2."""

    def __init__(self, **words: str) -> None:
        self.core = Caver(8, 16, 32, **words)

    def apply(self, kind: str, **fields: int) -> Outcome:
        return self.core.apply(Op(kind, **{"in_port": 2, "is_host": HOSTS} | fields))

    def data(self, **fields: int) -> Outcome:
        return self.apply("data", **{"fib_port": 9} | fields)

    def host_data(self, **fields: int) -> Outcome:
        """Data from the host at port 0."""
        return self.data(in_port=0, **fields)

    def ack(self, in_port: int, ce: int = 0, length: int = 1, path: int = 0xFFFF05, **fields: int) -> Outcome:
        return self.apply("ack", in_port=in_port, ce=ce, len=length, path=path, **fields)

    def load(self, port: int, q: int) -> None:
        self.core.dre[port] = q << 13


class Page(unittest.TestCase):
    """One rule of the page each, in ops made by hand."""

    def test_data_for_a_host_of_this_switch_is_delivered_whatever_else_it_says(self):
        switch = Driver()
        for fields in ({}, {"in_port": 0}, {"enable": 1, "path": 0x030303}, {"in_port": 1, "enable": 1}):
            self.assertEqual(switch.data(is_local=1, **fields), Outcome(DELIVER, 9, 0))
        self.assertEqual(switch.core.flows, [None] * 32)

    def test_the_first_packet_takes_the_best_path_and_the_others_of_its_flow_follow(self):
        switch = Driver()
        switch.ack(4, dst=3, path=0x070605)
        first = switch.host_data(dst=3, hash=0xABCD_0021)
        self.assertEqual(first, Outcome(NEW, 4, 1, 0, 0x07060504))
        switch.ack(6, dst=3, path=0x010101)
        self.assertEqual(switch.host_data(dst=3, hash=0xABCD_0021), first._replace(kind=SAME))
        self.assertEqual(switch.core.flows[1], Flow(0xABCD, 3, 0x07060504, 0))
        # Another flow takes what is known now.
        self.assertEqual(switch.host_data(dst=3, hash=0xABCD_0022), Outcome(NEW, 6, 1, 0, 0x01010106))

    def test_a_flow_without_a_known_path_goes_by_ecmp_and_stays_there(self):
        switch = Driver()
        self.assertEqual(switch.host_data(dst=3, hash=1), Outcome(ECMP, 9, 0))
        switch.ack(4, dst=3)
        self.assertEqual(switch.host_data(dst=3, hash=1, fib_port=8), Outcome(SAME, 8, 0))
        self.assertEqual(switch.core.flows[1].route, None)

    def test_a_flow_that_shares_an_entry_with_another_tag_or_destination_goes_by_ecmp(self):
        switch = Driver()
        switch.ack(4, dst=3)
        switch.host_data(dst=3, hash=0x0001_0001, now=5)
        stored = switch.core.flows[1]
        for fields in ({"hash": 0x0002_0001, "dst": 3}, {"hash": 0x0001_0001, "dst": 2}, {"hash": 0x0002_0021, "dst": 1}):
            self.assertEqual(switch.host_data(**fields, now=9), Outcome(COLLIDED, 9, 0))
            self.assertEqual(switch.core.flows[1], stored)
        # Of the bits between the tag and the index nobody knows, so these two are one flow.
        self.assertEqual(switch.host_data(hash=0x0001_0021, dst=3).kind, SAME)

    def test_a_shim_is_followed_to_its_next_port_unless_that_is_beyond_its_end_or_of_a_host(self):
        switch = Driver()
        for hop, path, expected in [
            (0, 0x0908_0700, Outcome(ROUTED, 7, 1, 1, 0x0908_0700)),
            (1, 0x0908_0700, Outcome(ROUTED, 8, 1, 2, 0x0908_0700)),
            (2, 0x0908_0700, Outcome(ROUTED, 9, 1, 3, 0x0908_0700)),
            (3, 0x0908_0700, Outcome(BAD_ROUTE, 5, 0)),
            (0, 0x0F00, Outcome(ROUTED, 15, 1, 1, 0x0F00)),
            (0, 0x1000, Outcome(BAD_ROUTE, 5, 0)),
            (0, 0x8700, Outcome(BAD_ROUTE, 5, 0)),
            (0, 0xFFFF_FF07, Outcome(BAD_ROUTE, 5, 0)),
            (1, 0x0000_0700, Outcome(BAD_ROUTE, 5, 0)),
            (1, 0x0001_0700, Outcome(BAD_ROUTE, 5, 0)),
        ]:
            self.assertEqual(switch.data(enable=1, hop=hop, path=path, fib_port=5), expected)
        self.assertEqual(switch.data(path=0x0700), Outcome(ECMP, 9, 0))
        # A host is not believed.
        self.assertEqual(switch.host_data(enable=1, path=0x0700), Outcome(ECMP, 9, 0))
        self.assertEqual([flow for flow in switch.core.flows if flow], [Flow(0, 0, None, 0)])

    def test_data_counts_at_the_port_where_it_leaves_and_acks_do_not(self):
        switch = Driver()
        switch.data(bytes=100)
        switch.data(bytes=10, is_local=1, fib_port=1)
        switch.data(bytes=7, enable=1, path=0x0800)
        switch.ack(4, dst=3)
        switch.host_data(dst=3, bytes=16383)
        self.assertEqual(switch.core.dre, [0, 10, 0, 0, 16383, 0, 0, 0, 7, 100] + [0] * 6)
        switch.core.dre[9] = MOST_DRE - 5
        switch.data(bytes=6)
        self.assertEqual(switch.core.dre[9], MOST_DRE)

    def test_congestion_is_the_estimator_without_its_lowest_bits_and_at_most_255(self):
        core = Driver().core
        values = [(8191, 13, 0), (8192, 13, 1), (2**21 - 1, 13, 255), (2**21, 13, 255), (300, 0, 255), (300, 1, 150)]
        for dre, shift, q in [*values, (MOST_DRE, 31, 0)]:
            core.dre[3] = dre
            core.apply(Op("set_shift", port=3, shift=shift))
            self.assertEqual(core.q(3), q)

    def test_an_ack_from_a_host_starts_the_path_at_its_port(self):
        switch = Driver()
        switch.load(0, 77)
        self.assertEqual(switch.ack(0, ce=9, length=3, path=5), Outcome(ADVERTISED, enable=1, ce=77, len=0, path=NO_PATH, dst=0))
        self.assertEqual(switch.ack(0, to_local=1), Outcome(PASS, enable=0))
        self.assertEqual(switch.core.table, [None] * 8)

    def test_a_report_that_is_not_worse_is_taken_and_carried_on_with_this_port_in_front(self):
        switch = Driver()
        switch.load(4, 30)
        self.assertEqual(switch.ack(4, 20, 1, 0xFFFF05, dst=3, now=9), Outcome(TOOK, enable=1, ce=30, len=2, path=0xFFFF0504))
        # What is stored is the congestion behind the port.
        self.assertEqual(switch.core.table[3], Path(4, 20, 1, 0xFFFF05, 9))
        kept = Outcome(KEPT, enable=1, ce=30, len=2, path=0xFFFF0504)
        self.assertEqual(switch.ack(5, 31, 2, 0xFF0101, dst=3), kept)
        self.assertEqual(switch.core.table[3], Path(4, 20, 1, 0xFFFF05, 9))
        self.assertEqual(switch.ack(5, 30, 2, 0xFF0101, dst=3), Outcome(TOOK, enable=1, ce=30, len=3, path=0xFF010105))
        # A worse report of the port that is stored is believed.
        self.assertEqual(switch.ack(5, 200, 0, 0xFFFFFF, dst=3), Outcome(TOOK, enable=1, ce=200, len=1, path=0xFFFFFF05))

    def test_congestion_of_the_own_ports_is_read_anew(self):
        switch = Driver()
        switch.ack(4, 20, dst=3)
        switch.load(4, 60)
        self.assertEqual(switch.ack(5, 61, dst=3)[2:6], (1, None, 0xFFFF0504, 60)[:4])
        self.assertEqual(switch.ack(5, 60, dst=3).kind, TOOK)
        switch.load(5, 99)
        self.assertEqual(switch.ack(4, 99, dst=3).kind, TOOK)

    def test_acks_speak_of_the_hosts_of_the_list_in_turn(self):
        switch = Driver(advertise="round_robin")
        self.assertEqual(switch.ack(0, dst=3).dst, 3)
        switch.load(1, 50)
        for dst, port in [(6, 1), (7, 0)]:
            self.assertEqual(switch.apply("host", dst=dst, port=port), Outcome())
        of_6 = Outcome(ADVERTISED, enable=1, ce=50, len=0, path=NO_PATH, dst=6)
        self.assertEqual([switch.ack(0, dst=3) for _ in range(3)], [of_6, of_6._replace(dst=7, ce=0), of_6])
        # One that does not leave the switch takes nobody's turn.
        self.assertEqual(switch.ack(0, to_local=1), Outcome(PASS, enable=0))
        self.assertEqual(switch.ack(0, dst=3).dst, 7)
        for dst in range(30):
            switch.apply("host", dst=dst % 8, port=1)
        self.assertEqual(len(switch.core.hosts), 16)
        without = Driver()
        without.apply("host", dst=6, port=1)
        self.assertEqual(without.ack(0, dst=3).dst, 3)

    def test_each_uplink_has_an_entry_and_the_least_congested_is_carried_on(self):
        switch = Driver(table="per_port")
        self.assertEqual(switch.ack(4, 20, dst=3), Outcome(TOOK, enable=1, ce=20, len=2, path=0xFFFF0504))
        self.assertEqual(switch.ack(5, 30, dst=3), Outcome(KEPT, enable=1, ce=20, len=2, path=0xFFFF0504))
        # The path that was carried on becomes worse, and the other one is still known.
        self.assertEqual(switch.ack(4, 40, dst=3), Outcome(KEPT, enable=1, ce=30, len=2, path=0xFFFF0505))
        self.assertEqual(switch.host_data(dst=3, hash=1).port, 5)
        without = 0xFFFF & ~(1 << 5)
        self.assertEqual(switch.host_data(dst=3, hash=2, up=without).port, 4)
        self.assertEqual(switch.ack(4, 40, dst=3, up=0), Outcome(REFUSED, enable=0))
        self.assertEqual(switch.ack(4, 40, dst=3, up=0, to_local=1), Outcome(TOOK, enable=0))

    def test_congestion_of_the_uplinks_is_known_to_choices_two_turns_later_and_exact_in_acks(self):
        switch = Driver(table="per_port")
        switch.ack(4, 20, dst=3)
        switch.ack(5, 30, dst=3)
        switch.load(4, 99)
        self.assertEqual(switch.ack(6, 200, dst=3), Outcome(KEPT, enable=1, ce=99, len=2, path=0xFFFF0504))
        for turns, port in [(5, 4), (1, 5)]:
            for _ in range(turns):
                switch.core.turn()
            self.assertEqual(switch.ack(6, 200, dst=3).path & 0xFF, port)

    def test_of_equal_paths_each_is_chosen_at_times(self):
        switch = Driver(table="per_port")
        for port in (4, 9, 12):
            switch.ack(port, 20, dst=3)
        ports = [switch.host_data(dst=3, hash=number, now=number * 100, flow_timeout=0).port for number in range(300)]
        self.assertEqual({port for port in ports if ports.count(port) > 40}, {4, 9, 12})

    def test_of_more_ports_than_sixteen_the_last_are_uplinks(self):
        core = Caver(8, 32, 32, "per_port")
        self.assertEqual(core.apply(Op("ack", in_port=15, len=1)), Outcome(REFUSED, enable=0))
        self.assertEqual(core.apply(Op("ack", in_port=15, len=1, to_local=1)), Outcome(REFUSED, enable=0))
        self.assertEqual(core.apply(Op("ack", in_port=16, len=1)).kind, TOOK)

    def test_an_ack_at_its_last_switch_stores_but_has_no_shim(self):
        switch = Driver()
        self.assertEqual(switch.ack(4, 20, 3, 7, dst=3, to_local=1), Outcome(TOOK, enable=0))
        self.assertEqual(switch.ack(5, 21, 3, 7, dst=3, to_local=1), Outcome(KEPT, enable=0))
        self.assertEqual(switch.core.table[3], Path(4, 20, 3, 7, 0))

    def test_a_path_of_full_length_is_refused_and_the_table_keeps_what_it_has(self):
        switch = Driver()
        self.assertEqual(switch.ack(4, 0, 3, dst=3), Outcome(REFUSED, enable=0))
        self.assertEqual(switch.core.table[3], None)
        switch.ack(4, 20, 3, 7, dst=3, to_local=1)
        # The better path that would be carried on has no room for this switch.
        self.assertEqual(switch.ack(5, 21, 1, dst=3), Outcome(REFUSED, enable=0))
        self.assertEqual(switch.core.table[3], Path(4, 20, 3, 7, 0))
        self.assertEqual(switch.ack(5, 20, 1, dst=3).kind, TOOK)
        # A route of full length is four ports.
        switch.ack(4, 0, 3, 0x070605, dst=3, to_local=1)
        self.assertEqual(switch.host_data(dst=3).path, 0x07060504)

    def test_of_the_path_of_an_ack_24_bits_count(self):
        self.assertEqual(Driver().ack(4, path=0xAA11_2233).path, 0x1122_3304)

    def test_entries_die_by_age_but_not_while_they_are_used(self):
        switch = Driver()
        for now, kind in [(250, ECMP), (4, SAME), (14, SAME), (25, ECMP), (36, ECMP)]:
            self.assertEqual(switch.host_data(dst=3, hash=1, now=now, flow_timeout=10).kind, kind, now)
        switch.ack(4, 0, dst=3, now=250)
        for now, kind in [(4, KEPT), (5, TOOK)]:
            self.assertEqual(switch.ack(5, 9, dst=3, now=now, path_age=10).kind, kind)
        for number, now, kind in [(2, 15, NEW), (3, 16, ECMP)]:
            self.assertEqual(switch.host_data(dst=3, hash=number, now=now, path_age=10).kind, kind)
        # A path that was kept is not younger for it.
        switch.ack(6, 99, dst=3, now=14, path_age=10)
        self.assertEqual(switch.core.table[3].t, 5)

    def test_entries_of_a_dead_port_are_not_used_but_ecmp_flows_have_none(self):
        switch = Driver()
        switch.host_data(dst=2, hash=2)
        switch.ack(4, 0, dst=3)
        switch.host_data(dst=3, hash=1)
        without = 0xFFFF & ~(1 << 4)
        self.assertEqual(switch.host_data(dst=2, hash=2, up=0).kind, SAME)
        self.assertEqual(switch.host_data(dst=5, hash=1, up=without).kind, ECMP)
        self.assertEqual(switch.ack(5, 99, dst=3, up=without).kind, TOOK)
        # The port of a shim, and that of the FIB, are the network's affair.
        self.assertEqual(switch.data(enable=1, path=0x0400, up=without).kind, ROUTED)

    def test_the_walker_clears_what_is_not_live_and_decay_goes_round_the_ports(self):
        core = Driver().core
        core.flows[9], core.flows[10] = Flow(0, 1, 0x0704, 0), Flow(0, 1, None, 0)
        core.table[1], core.table[2] = Path(4, 0, 0, 0, 0), Path(5, 0, 0, 0, 0)
        for _ in range(11):
            core.visit(Op("", up=~(1 << 4)))
        self.assertEqual((core.flows[9], core.flows[10] is None, core.table[1], core.table[2] is None), (None, False, None, False))
        core.visit(Op("", now=101, path_age=100, flow_timeout=100))
        for _ in range(64 - 12):
            core.visit(Op("", now=101, path_age=100, flow_timeout=100))
        self.assertEqual((core.flows, core.table), ([None] * 32, [None] * 8))
        core.dre = [1000] * 16
        for _ in range(18):
            core.decay(2)
        self.assertEqual(core.dre, [563, 563] + [750] * 14)

    def test_other_kinds_of_ops_change_nothing_and_set_shift_has_no_result(self):
        switch = Driver()
        before = copy.deepcopy(vars(switch.core) | {"words": switch.core.words.last})
        self.assertEqual(switch.apply("host", port=3, dst=2, shift=3), Outcome())
        self.assertEqual(vars(switch.core) | {"words": switch.core.words.last}, before)
        self.assertEqual(switch.apply("set_shift", port=3, shift=3), Outcome())
        self.assertEqual(switch.core.shift[3], 3)
        switch.core.reset()
        self.assertEqual(vars(switch.core) | {"words": switch.core.words.last}, before)

    def test_the_example_of_figure_1(self):
        # Port 0 of a ToR has the host H3; L2 has the ToRs T5 and T6 at its ports 5 and 6; T1 has L2 at its port 2.
        tors, l2, t1 = {5: Driver(), 6: Driver()}, Driver(), Driver()

        def acknowledge(tor: int) -> Outcome:
            at_tor = tors[tor].ack(0, dst=3)
            at_l2 = l2.ack(tor, at_tor.ce, at_tor.len, at_tor.path & 0xFFFFFF, dst=3)
            t1.ack(2, at_l2.ce, at_l2.len, at_l2.path & 0xFFFFFF, dst=3, to_local=1)
            return at_l2

        tors[6].load(0, 3)
        tors[5].load(0, 1)
        self.assertEqual(acknowledge(6)[4:7], (0xFFFFFF06, 3, 1))
        self.assertEqual(t1.host_data(dst=3, hash=1).path, 0xFFFF0602)
        self.assertEqual(acknowledge(5)[4:7], (0xFFFFFF05, 1, 1))
        # The ACK by way of T6 carries the path by way of T5 on.
        self.assertEqual((acknowledge(6).kind, acknowledge(6)[4:7]), (KEPT, (0xFFFFFF05, 1, 1)))
        self.assertEqual(t1.host_data(dst=3, hash=1).path, 0xFFFF0602)
        self.assertEqual(t1.host_data(dst=3, hash=2).path, 0xFFFF0502)


Step = tuple[Op, SimpleNamespace, Outcome]


def any_op(chance: random.Random, model: Caver) -> Op:
    """An op of any kind with fields of any value, many of them on the same entries."""
    up = chance.choice([0xFFFF, 0xFFFF, 0xFFFF, chance.randrange(2**16)])
    return Op(
        chance.choice(["data"] * 8 + ["ack"] * 8 + ["set_shift", "host"]),
        dst=chance.randrange(model.destinations),
        in_port=chance.randrange(model.ports),
        hash=chance.choice([0, 0x1_0000, 1, chance.randrange(2**32)]),
        bytes=chance.choice([0, 16383, chance.randrange(2**14)]),
        is_local=int(chance.random() < 0.1),
        fib_port=chance.randrange(model.ports),
        enable=int(chance.random() < 0.6),
        hop=chance.randrange(4),
        path=chance.choice([chance.randrange(2**32), chance.randrange(2**32) & 0x0F0F0F0F]),
        ce=chance.choice([0, 255, 20, chance.randrange(256)]),
        len=chance.randrange(4),
        to_local=chance.randrange(2),
        port=chance.randrange(model.ports),
        shift=chance.choice([8, 10, 13, chance.randrange(32)]),
        now=chance.randrange(256),
        path_age=chance.choice([255, 255, 128, 20]),
        flow_timeout=chance.choice([255, 255, 128, 20]),
        is_host=0b0000_0110_0000_1101,
        up=up,
    )


def any_steps(module: ModuleType = caver, ops: int = 6_000, table: str = "single") -> Iterator[tuple[Caver, Iterator[Step]]]:
    """A core and its ops, each with the core as it was before; between them visits and decays come."""
    model = module.Caver(4, 16, 8, table)
    chance = random.Random(5)

    def steps() -> Iterator[Step]:
        for number in range(ops):
            op = any_op(chance, model)
            if number == ops // 2:
                model.dre = [MOST_DRE - 20_000] * 16
            if chance.random() < 0.05:
                model.visit(op)
            if chance.random() < 0.05:
                model.decay(3)
            if chance.random() < 0.05:
                model.turn()
            rows = [row[:] for row in model.rows]
            before = SimpleNamespace(flows=model.flows[:], table=model.table[:], dre=model.dre[:], rows=rows)
            yield op, before, model.apply(op)

    return model, steps()


def live(op: Op, t: int, age: int, port: int | None) -> bool:
    """The sentence of the page about what may be used, in other words than in the model."""
    return op.now in [(t + ticks) % 256 for ticks in range(age + 1)] and (port is None or bool(op.up & 1 << port))


class Properties(unittest.TestCase):
    """Section 1.5 over ops of any kind and value."""

    def check_c1(self, module: ModuleType) -> None:
        model, steps = any_steps(module)
        for op, before, outcome in steps:
            if op.kind != "data" or outcome.kind not in (SAME, NEW, ECMP, COLLIDED) or not op.is_host >> op.in_port & 1:
                self.assertEqual(model.flows, before.flows)
                continue
            was, flow = before.flows[op.hash % 8], model.flows[op.hash % 8]
            if was and live(op, was.t, op.flow_timeout, None if was.route is None else was.route & 15):
                self.assertEqual((flow.tag, flow.dst, flow.route), (was.tag, was.dst, was.route))

    def check_c2(self, module: ModuleType) -> None:
        model, steps = any_steps(module)
        reported = set()
        for op, _, _ in steps:
            if op.kind == "ack":
                reported.add((op.dst, (op.path & 0xFFFFFF) << 8 | op.in_port))
            for dst, path in enumerate(model.table):
                self.assertTrue(path is None or (dst, path.path << 8 | path.port) in reported)
            for flow in model.flows:
                self.assertTrue(flow is None or flow.route is None or (flow.dst, flow.route) in reported)

    def check_c3(self, module: ModuleType) -> None:
        _, steps = any_steps(module)
        for op, _, outcome in steps:
            self.assertIn(outcome.hop, (None, 0, 1, 2, 3))
            self.assertIn(outcome.len, (None, 0, 1, 2, 3))
            if outcome.kind == ROUTED:
                self.assertFalse(op.is_host >> outcome.port & 1)

    def check_c4(self, module: ModuleType) -> None:
        model, steps = any_steps(module)
        for op, _, outcome in steps:
            if outcome.ce is None:
                continue
            first = op.in_port if outcome.kind == ADVERTISED else outcome.path & 0xFF
            stored = 0 if outcome.kind == ADVERTISED else model.table[op.dst].ce
            self.assertTrue(max(min(255, model.dre[first] >> model.shift[first]), stored) <= outcome.ce <= 255)

    def check_c5(self, module: ModuleType) -> None:
        model, steps = any_steps(module)
        for op, before, outcome in steps:
            for port, (was, now) in enumerate(zip(before.dre, model.dre)):
                more = op.bytes if op.kind == "data" and port == outcome.port else 0
                self.assertEqual(now, min(was + more, 2**26 - 1))
        for alpha in range(8):
            model.dre = [2**26 - 1] * 16
            for _ in range(16 * 2000):
                model.decay(alpha)
            self.assertTrue(all(0 <= dre < 2**alpha for dre in model.dre), (alpha, model.dre))

    def check_c6(self, module: ModuleType) -> None:
        _, steps = any_steps(module)
        for op, before, outcome in steps:
            if outcome.kind in (SAME, COLLIDED):
                flow = before.flows[op.hash % 8]
                self.assertTrue(live(op, flow.t, op.flow_timeout, None if flow.route is None else flow.route & 15))
            if outcome.kind in (NEW, KEPT):
                path = before.table[op.dst]
                self.assertTrue(live(op, path.t, op.path_age, path.port))

    def check_c7(self, module: ModuleType) -> None:
        model, steps = any_steps(module)
        for _, before, outcome in steps:
            if outcome.kind in (BAD_ROUTE, REFUSED, COLLIDED):
                self.assertEqual((model.flows, model.table), (before.flows, before.table))

    def check_c8(self, module: ModuleType) -> None:
        model, steps = any_steps(module)
        for op, before, outcome in steps:
            flows = {index for index in range(8) if model.flows[index] != before.flows[index]}
            paths = {index for index in range(4) if model.table[index] != before.table[index]}
            ports = {port for port in range(16) if model.dre[port] != before.dre[port]}
            is_data = op.kind == "data"
            self.assertLessEqual(flows, {op.hash % 8} if is_data else set())
            self.assertLessEqual(ports, {outcome.port} if is_data else set())
            self.assertLessEqual(paths, {op.dst} if op.kind == "ack" else set())

    def check_rows(self, module: ModuleType) -> None:
        """C1 to C8 where each uplink has an entry, as far as they say anything else there."""
        model, steps = any_steps(module, table="per_port")
        reported = set()
        for op, before, outcome in steps:
            changed = {
                (dst, uplink)
                for dst in range(4)
                for uplink in range(16)
                if model.rows[dst][uplink] != before.rows[dst][uplink]
            }
            is_stored = op.kind == "ack" and not op.is_host >> op.in_port & 1 and (op.len < 3 or op.to_local)
            self.assertLessEqual(changed, {(op.dst, op.in_port)} if is_stored else set())
            if is_stored:
                reported.add((op.dst, (op.path & 0xFFFFFF) << 8 | op.in_port))
            if outcome.kind in (NEW, TOOK, KEPT) and outcome.enable:
                self.assertIn((op.dst, outcome.path), reported)
                path = model.rows[op.dst][outcome.path & 15]
                self.assertTrue(live(op, path.t, op.path_age, path.port))
            if outcome.kind in (TOOK, KEPT) and outcome.enable:
                own = min(255, model.dre[path.port] >> model.shift[path.port])
                self.assertEqual((outcome.ce, outcome.len), (max(own, path.ce), path.len + 1))

    def test_with_an_entry_for_each_uplink_a_report_changes_one_and_what_is_used_lives(self):
        self.check_rows(caver)
        for before, after in [
            ("self.rows[op.dst][uplink] = Path", "self.rows[op.dst][uplink ^ 1] = Path"),
            ("path = self.if_live(self.rows[op.dst][uplink], op)", "path = self.rows[op.dst][uplink]"),
        ]:
            with self.subTest(after=after), self.assertRaises((AssertionError, AttributeError)):
                self.check_rows(replay.changed("caver", before, after))

    def test_c1_the_route_of_a_flow_entry_is_one_while_it_lives(self):
        self.check_c1(caver)

    def test_c2_a_route_was_reported_for_its_destination(self):
        self.check_c2(caver)

    def test_c3_hops_and_lengths_are_below_4_and_no_route_ends_at_a_host(self):
        self.check_c3(caver)

    def test_c4_congestion_is_at_least_that_of_the_first_port_and_that_which_is_stored(self):
        self.check_c4(caver)

    def test_c5_an_estimator_never_wraps_and_falls_without_traffic(self):
        self.check_c5(caver)

    def test_c6_nothing_is_used_that_is_not_live(self):
        self.check_c6(caver)

    def test_c7_bad_routes_refusals_and_collisions_store_nothing(self):
        self.check_c7(caver)

    def test_c8_data_changes_one_flow_entry_and_one_estimator_and_an_ack_one_path(self):
        self.check_c8(caver)

    def test_each_property_fails_on_a_broken_model(self):
        kept = "            kind = KEPT\n"
        for check, before, after in [
            (self.check_c1, "flow._replace(t=op.now)", "flow._replace(t=op.now, route=None)"),
            (self.check_c2, "self.table[op.dst] = best", "self.table[op.dst ^ 1] = best"),
            (self.check_c3, "and not op.is_host >> port & 1:\n", "and True:\n"),
            (self.check_c3, "        if best.len == LAST_HOP:", "        if False:"),
            (self.check_c4, "congestion = max(self.q(best.port), best.ce)", "congestion = best.ce"),
            (self.check_c5, "MOST_DRE = 2**26 - 1", "MOST_DRE = 2**26"),
            (self.check_c5, "self.dre[port] >> dre_alpha", "self.dre[port] >> dre_alpha + 1"),
            (self.check_c6, "(op.now - flow.t) % TICKS > op.flow_timeout", "False"),
            (self.check_c6, "or not op.up >> path.port & 1", ""),
            (self.check_c7, "if op.len == LAST_HOP and", "self.table[op.dst] = None\n        if op.len == LAST_HOP and"),
            (self.check_c8, kept, kept + "            self.dre[op.in_port] = 0\n"),
        ]:
            with self.subTest(check=check.__name__, after=after), self.assertRaises((AssertionError, AttributeError)):
                check(replay.changed("caver", before, after))


def model_of(module: ModuleType, settings: dict[str, str]) -> Caver:
    """The model that a trace is for, as after a reset."""
    sizes = (int(settings[f"caver.{key}"]) for key in ("destinations", "ports", "flows"))
    return module.Caver(*sizes, settings.get("caver.table", "single"), settings.get("caver.advertise", "source"))


def differences(module: ModuleType, settings: dict[str, str], rows: list[replay.Row], ops: list[Op]) -> Iterator[int]:
    """The rows of a trace, counted from 0, whose results a model does not give."""
    model = model_of(module, settings)
    for number, (row, op) in enumerate(zip(rows, ops)):
        result = results_of(model.apply(op), RESULTS)
        if any(row[column] != value for column, value in result.items()):
            yield number
        if number % OPS_A_TURN == OPS_A_TURN - 1:
            model.turn()


class Traces(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.networks = record_caver.networks()
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
            for what in [*DATA_KINDS, *ACK_KINDS, "set_shift"]:
                self.assertGreater(counts[what], 10, (network.trace.name, what))
            kinds = ("data", "ack", "host", "set_shift")
            self.assertEqual(sum(counts[kind] for kind in kinds), len(network.trace.rows))
            self.assertEqual(counts["host"] > 10, network.advertise == "round_robin")

    def test_what_is_recorded_now_is_what_stands_here_and_in_the_readme(self):
        made = {name: text for network in self.networks for name, text in network.trace.files().items()}
        self.assertEqual(sorted(made), sorted(path.name for path in record_caver.FOLDER.iterdir()))
        for name, text in made.items():
            contents = (record_caver.FOLDER / name).read_bytes()
            stored = gzip.decompress(contents) if name.endswith(".gz") else contents
            self.assertTrue(text == stored.decode(), f"{name} is another; `python tb/reference/record_caver.py`")
        readme = (record_caver.FOLDER.parent / "README.md").read_text()
        for line in record_caver.table(self.networks):
            self.assertIn(line + "\n", readme)

    def test_fields_fit_their_ports(self):
        for settings, _, ops in self.made:
            ports = int(settings["caver.ports"])
            ends = dict.fromkeys(["in_port", "fib_port", "port"], ports) | dict.fromkeys(["is_host", "up"], 2**ports)
            ends |= {"dst": int(settings["caver.destinations"]), "hash": 2**32, "bytes": 2**14, "path": 2**32, "hop": 4}
            ends |= {"ce": 256, "len": 4, "shift": 32, "is_local": 2, "enable": 2, "to_local": 2, "now": 256}
            ends |= {"path_age": 256, "flow_timeout": 256, "dre_period": 2**24, "dre_alpha": 8}
            for op in ops:
                self.assertTrue(all(0 <= getattr(op, name) < end for name, end in ends.items()), op)
                self.assertTrue(op.kind != "ack" or op.path < 2**24, op)

    def test_no_estimator_decays_before_a_trace_is_over(self):
        # An op waits 16 edges at most for those before it, and the memories are cleared at one entry a cycle.
        for settings, _, ops in self.made:
            cycles = int(settings["caver.flows"]) + int(settings["caver.destinations"]) + 16 * len(ops)
            self.assertTrue(all(cycles < op.dre_period // int(settings["caver.ports"]) for op in ops))

    def test_a_walker_that_comes_anywhere_between_never_and_always_changes_no_result(self):
        for seed, (settings, rows, ops) in enumerate(self.made):
            chance = random.Random(seed)
            model = model_of(caver, settings)
            for number, (row, op) in enumerate(zip(rows, ops)):
                for _ in range(chance.choice([0, 0, 0, 1, 5])):
                    model.next_entry = chance.randrange(64) if chance.random() < 0.5 else model.next_entry
                    model.visit(op)
                result = results_of(model.apply(op), RESULTS)
                self.assertTrue(all(row[column] == value for column, value in result.items()), row)
                if number % OPS_A_TURN == OPS_A_TURN - 1:
                    model.turn()

    def test_a_trace_that_is_read_back_is_what_the_model_gives(self):
        for trace in self.made:
            self.assertEqual(list(differences(replay.changed("caver"), *trace)), [])

    def test_each_fault_in_the_source_is_seen_on_some_trace(self):
        for before, after in replay.some(FAULTS):
            self.check_is_seen(before, after, self.made)
        for before, after in replay.some(LATER_FAULTS):
            self.check_is_seen(before, after, self.made[4:])

    def check_is_seen(self, before: str, after: str, traces: list) -> None:
        with self.subTest(before=before, after=after):
            module = replay.changed("caver", before, after)
            self.assertTrue(any(next(differences(module, *trace), None) is not None for trace in traces))


if __name__ == "__main__":
    unittest.main()

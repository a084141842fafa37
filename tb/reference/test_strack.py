"""The load balancing: what 004 says of it, and its choice beside one that is written without a search."""

import random
import unittest

from figures import AsPrinted, sprayed
from strack import EXPLORE, FEWEST_PATHS, RECYCLE, WORD, LoadBalancer


def chosen(balancer: LoadBalancer, window: int) -> tuple[str, int, set[int]]:
    """Kind and path of the next send, and the paths that are marked after it, from sets alone."""
    marked = {path for path, is_marked in enumerate(balancer.marked) if is_marked}
    if balancer.has_next:
        return RECYCLE, balancer.next, marked
    n = max(FEWEST_PATHS, min(balancer.paths, 2 * window))
    first = (balancer.rr + 1) % n
    if first not in marked:
        return EXPLORE, first, marked
    marked -= {first}
    return EXPLORE, min(set(range(n)) - marked, key=lambda path: (path - first - 1) % n), marked


class Paths(unittest.TestCase):
    def test_a_new_connection_goes_round_eight_paths_from_path_1(self):
        balancer = LoadBalancer(256, 512)
        self.assertEqual([balancer.send(4).ev for _ in range(9)], [513, 514, 515, 516, 517, 518, 519, 512, 513])

    def test_a_path_without_a_mark_is_used_once_more_even_path_0(self):
        balancer = LoadBalancer(16)
        balancer.ack(0, False)
        self.assertEqual([balancer.send(8)[:2] for _ in range(2)], [(RECYCLE, 0), (EXPLORE, 1)])

    def test_the_last_ack_alone_counts(self):
        for feedback, expected in [([(9, False), (5, False)], (RECYCLE, 5)), ([(9, False), (5, True)], (EXPLORE, 1))]:
            balancer = LoadBalancer(16)
            for ev, ecn in feedback:
                balancer.ack(ev, ecn)
            self.assertEqual(balancer.send(8)[:2], expected)

    def test_a_send_forgives_the_first_mark_that_it_meets_and_no_other(self):
        balancer = LoadBalancer(16)
        for ev in (1, 2, 4):
            balancer.nack(ev)
        self.assertEqual(balancer.send(8).ev, 3)
        self.assertEqual([path for path in range(16) if balancer.marked[path]], [2, 4])

    def test_where_all_paths_are_marked_the_first_is_forgiven_and_taken_last(self):
        balancer = LoadBalancer(256)
        for ev in range(256):
            balancer.ack(ev, True)
        self.assertEqual(balancer.send(128), (EXPLORE, 1, 256 // WORD + 1, True))

    def test_a_window_that_falls_below_the_last_path_folds_it(self):
        balancer = LoadBalancer(256)
        balancer.ack(203, False)
        self.assertEqual([balancer.send(128).ev, balancer.send(5).ev], [203, 204 % 10])

    def test_evs_outside_of_the_set_and_timeouts_change_nothing(self):
        balancer = LoadBalancer(16, 32)
        balancer.ack(40, False)
        for ev in (0, 8, 31, 48, 56, 65535):
            balancer.ack(ev, True)
            balancer.nack(ev)
        balancer.timeout()
        self.assertEqual((balancer.send(8)[:2], any(balancer.marked)), ((RECYCLE, 40), False))

    def test_any_ops_choose_as_sets_do_below_n_and_change_one_mark_at_most(self):
        chance = random.Random(1)
        for paths in (16, 32, 64, 128, 256):
            balancer = LoadBalancer(paths, 3 * paths)
            for number in range(6_000):
                before = list(balancer.marked)
                # Storms of marks, and calms between them.
                share = 0.98 if number // 1000 % 2 else 0.3
                if chance.random() < 0.6:
                    path = chance.randrange(paths)
                    balancer.ack(3 * paths + path, chance.random() < share)
                else:
                    window = chance.choice([0, 1, 5, chance.randrange(300), 4095])
                    kind, path, marked = chosen(balancer, window)
                    choice = balancer.send(window)
                    self.assertEqual((choice.kind, choice.ev), (kind, 3 * paths + path))
                    self.assertEqual({path for path in range(paths) if balancer.marked[path]}, marked)
                    self.assertFalse(balancer.marked[path])
                    self.assertTrue(kind == RECYCLE or path < max(8, min(paths, 2 * window)))
                    self.assertLessEqual(choice.words, -(-paths // WORD) + 1)
                self.assertLessEqual(sum(a != b for a, b in zip(before, balancer.marked)), 1)

    def test_few_packets_go_onto_bad_paths_but_with_the_polarity_as_printed_as_many_as_by_chance(self):
        onto_bad, _, long_searches = sprayed(seeds=[1], sends=60_000)
        self.assertLess(onto_bad, 0.05)
        self.assertLess(long_searches, 0.01)
        self.assertGreater(sprayed(AsPrinted, seeds=[1], sends=60_000)[0], 0.2)


if __name__ == "__main__":
    unittest.main()

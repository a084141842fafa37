"""Models of a network around the two halves of STrack: what the traces and the figures are taken from."""

import heapq
import random
from collections import deque
from math import inf
from typing import Protocol

from strack import RECYCLE, LoadBalancer

# 400 Gb/s, packets of 4 KiB, a base RTT of 12 us, a tick of 4 clocks at 322.265625 MHz: times in ns.
TICK_NS = 4 / 0.322265625
BASE_RTT_NS = 12_000.0
PACKET_NS = 4096 * 8 / 400
MTU = 4096
# What the queue holds at most, as the time that it takes to drain.
MOST_QUEUE_NS = 5 * BASE_RTT_NS


def tick(time_ns: float) -> int:
    """The clock of the cores at a time, modulo 2^16."""
    return int(time_ns / TICK_NS) & 0xFFFF


class Sender(Protocol):
    """A window as the incast asks it, at times in ns."""

    def init(self, time_ns: float) -> int:
        """The sender starts; gives the whole packets that may be in flight."""

    def ack(self, time_ns: float, sent_ns: float, is_marked: bool) -> int:
        """An ACK of a packet that was sent at `sent_ns`; gives the same."""

    def lost(self, time_ns: float) -> None:
        """A packet that was dropped leaves the flight."""


class Incast:
    """Senders that share one queue, each behind a window.

    Sources are paced at line rate and start within one RTT. All propagation is on the way back, which changes no
    interval, as it is the same for all senders. The queue marks by what stands behind a packet when it leaves, never at
    a quarter and always at three quarters of the BDP (bandwidth-delay product), and drops beyond 5 BDP. A lost packet
    leaves the flight after two RTTs. Each packet is acknowledged.
    """

    def __init__(self, windows: list[Sender], seed: int) -> None:
        self.windows = windows
        self.random = random.Random(seed)
        # (time in ns, delay in the queue in ns) of each packet that left the queue.
        self.delays = []
        self.drops = 0

    def run(self, until_ns: float) -> None:
        """Runs the network from its start to this time."""
        sends = [(self.random.random() * BASE_RTT_NS, sender) for sender in range(len(self.windows))]
        heapq.heapify(sends)
        allowed = [None] * len(sends)
        flight = [0] * len(sends)
        is_waiting = [True] * len(sends)
        free_at = [0.0] * len(sends)
        leaving, returning, losses = deque(), deque(), deque()
        queue_free = 0.0

        def wake(sender: int, now: float) -> None:
            if not is_waiting[sender] and flight[sender] < allowed[sender]:
                is_waiting[sender] = True
                heapq.heappush(sends, (max(now, free_at[sender]), sender))

        while True:
            times = (
                leaving[0][0] if leaving else inf,
                returning[0][0] if returning else inf,
                losses[0][0] if losses else inf,
                sends[0][0] if sends else inf,
            )
            now = min(times)
            if now > until_ns:
                return
            event = times.index(now)
            if event == 0:
                _, sender, sent = leaving.popleft()
                behind = (queue_free - now) / BASE_RTT_NS
                is_marked = self.random.random() < (behind - 0.25) / 0.5
                returning.append((now + BASE_RTT_NS - PACKET_NS, sender, sent, is_marked))
                self.delays.append((now, now - sent - PACKET_NS))
            elif event == 1:
                _, sender, sent, is_marked = returning.popleft()
                flight[sender] -= 1
                allowed[sender] = self.windows[sender].ack(now, sent, is_marked)
                wake(sender, now)
            elif event == 2:
                _, sender = losses.popleft()
                flight[sender] -= 1
                self.windows[sender].lost(now)
                wake(sender, now)
            else:
                _, sender = heapq.heappop(sends)
                is_waiting[sender] = False
                if allowed[sender] is None:
                    allowed[sender] = self.windows[sender].init(now)
                if flight[sender] >= allowed[sender]:
                    continue
                flight[sender] += 1
                free_at[sender] = now + PACKET_NS
                if queue_free - now > MOST_QUEUE_NS:
                    self.drops += 1
                    losses.append((now + 2 * BASE_RTT_NS, sender))
                else:
                    queue_free = max(now, queue_free) + PACKET_NS
                    leaving.append((queue_free, sender, now))
                wake(sender, now)


class Sprayed:
    """A connection with a constant window whose packets take paths of which some are always marked.

    `bad` is the share of paths that always mark, drawn at random, and `chance` that of the others' packets which are
    marked. `coalesced` packets have one ACK, which echoes the last of them. `spread` is by how much the RTT of each
    packet varies, as a share of a window.
    """

    def __init__(
        self,
        balancer: LoadBalancer,
        seed: int,
        window: int = 128,
        bad: float = 0.25,
        chance: float = 0.1,
        coalesced: int = 1,
        spread: float = 0.0,
    ) -> None:
        self.balancer = balancer
        self.random = random.Random(seed)
        self.window = window
        self.coalesced = coalesced
        self.spread = spread
        self.chance = chance
        paths = list(range(balancer.paths))
        self.random.shuffle(paths)
        self.bad = frozenset(paths[: int(bad * balancer.paths)])
        self.sends_onto_bad = self.recycled = self.long_searches = 0

    def run(self, sends: int) -> None:
        """Sends this many packets, and counts."""
        # (time at which it comes back, number, path); a time unit is one packet at line rate
        flight = []
        arrived = 0
        now = 0.0
        for number in range(sends):
            # The window is full: the packet waits until it is not.
            while len(flight) >= self.window or (flight and flight[0][0] <= now):
                back, _, path = heapq.heappop(flight)
                now = max(now, back)
                arrived += 1
                if arrived % self.coalesced == 0:
                    is_marked = path in self.bad or self.random.random() < self.chance
                    self.balancer.ack(path, is_marked)
            kind, path, words, _ = self.balancer.send(self.window)
            self.sends_onto_bad += path in self.bad
            self.recycled += kind == RECYCLE
            self.long_searches += words > 2
            jitter = self.spread * (2 * self.random.random() - 1)
            heapq.heappush(flight, (now + self.window * (1 + jitter), number, path))
            now += 1

"""STrack's adaptive load balancing: 004 Algorithm 3, one object a connection.

A path is a number below `paths`; the EV (entropy value) that a packet carries is `ev_base` plus its path. A mark on a
path says that the network marked (ECN) or trimmed what last came back from it. 3:12 in a comment is Algorithm 3 line
12.
"""

from typing import NamedTuple

EXPLORE = "explore"
RECYCLE = "recycle"

# The fewest paths that a rotation goes over, 3:18.
FEWEST_PATHS = 8
# Marks are kept in words of this many paths, which is what a search is counted in.
WORD = 32


class Choice(NamedTuple):
    """What a send gave: its EV, how it was chosen, and what the search for it cost."""

    kind: str
    ev: int
    # Words of marks that were looked at: 0 for a recycled EV, else 1 for the word of the first path, and 1 more
    # whenever the search enters another word or wraps to path 0.
    words: int
    # The search came back to the path that it began with, as all others of the rotation are marked.
    is_all_marked: bool


class LoadBalancer:
    """The paths of one connection. `paths` is 16 to 256, `ev_base` a multiple of it."""

    def __init__(self, paths: int, ev_base: int = 0) -> None:
        self.paths = paths
        self.ev_base = ev_base
        self.init()

    def init(self) -> None:
        """The connection has no past, 3:1."""
        self.marked = [False] * self.paths
        self.rr = 0
        # The path of the last ACK without a mark until a packet takes it. A valid bit of its own stands for the sign
        # of 3:12, under which path 0 would never be recycled.
        self.next = 0
        self.has_next = False

    def ack(self, ev: int, ecn: bool) -> None:
        """An ACK brings `ev` back, marked or not, 3:2 to 3:10. An EV that is not of the set changes nothing."""
        path = ev - self.ev_base
        if not 0 <= path < self.paths:
            return
        if ecn:
            self.has_next = False
            self.marked[path] = True
        else:
            self.next = path
            self.has_next = True
            self.marked[path] = False

    def nack(self, ev: int) -> None:
        """A trimmed packet brings `ev` back, which counts as a mark. 004 does not know trimming."""
        self.ack(ev, True)

    def timeout(self) -> None:
        """A timeout names no path, so it changes nothing."""

    def send(self, window: int) -> Choice:
        """The choice for a packet, 3:11 to 3:29. `window` is in whole packets, 0 to 4095."""
        if self.has_next:
            self.rr = self.next
            self.has_next = False
            return Choice(RECYCLE, self.ev_base + self.rr, 0, False)
        n = max(FEWEST_PATHS, min(self.paths, 2 * window))
        words = 1
        has_forgiven = False
        self.rr = first = (self.rr + 1) % n
        while self.marked[self.rr]:
            if not has_forgiven:
                self.marked[self.rr] = False
                has_forgiven = True
            before = self.rr
            self.rr = (self.rr + 1) % n
            if self.rr == 0 or self.rr // WORD != before // WORD:
                words += 1
        return Choice(EXPLORE, self.ev_base + self.rr, words, has_forgiven and self.rr == first)

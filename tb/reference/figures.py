"""Prints what STrack does on model networks: `python tb/reference/figures.py`, a minute or two."""

import random
from collections.abc import Iterable
from itertools import islice

from networks import BASE_RTT_NS, MTU, TICK_NS, Incast, Sprayed, tick
from strack import Choice, LoadBalancer
from strack_cc import ONE, RealWindow, Settings, Window
from walks import delays


class Counted:
    """A window behind the network's interface. `in_packets` is what one packet is in its unit."""

    def __init__(self, window: Window | RealWindow, in_packets: float) -> None:
        self.window = window
        self.in_packets = in_packets
        # (time in ns, window in packets) after each ACK
        self.seen = []

    def init(self, time_ns: float) -> int:
        self.window.init(tick(time_ns))
        return self.window.read().cwnd_packets

    def ack(self, time_ns: float, sent_ns: float, is_marked: bool) -> int:
        result = self.window.ack(tick(time_ns), int(is_marked), 0, MTU, tick(sent_ns))
        self.seen.append((time_ns, result.cwnd / self.in_packets))
        return result.cwnd_packets

    def lost(self, time_ns: float) -> None:
        """Losses do not touch the window."""


def mean(values: Iterable[float]) -> float:
    values = list(values)
    return sum(values) / len(values)


def incast(
    senders: int,
    model: type[Window] | type[RealWindow],
    in_packets: float,
    until_ns: float = 20e6,
    from_ns: float = 2e6,
    seed: int = 1,
) -> tuple[float, float]:
    """Mean delay in the queue in us from `from_ns` on, and the mean window in packets over the last half."""
    windows = [Counted(model(Settings()), in_packets) for _ in range(senders)]
    network = Incast(windows, seed)
    network.run(until_ns)
    delay = mean(delay for time, delay in network.delays if time >= from_ns) / 1000
    window = mean(mean(cwnd for time, cwnd in one.seen if time >= until_ns / 2) for one in windows)
    return delay, window


def random_walk(acks: int, seed: int, model: type[Window] = Window) -> tuple[float, float, float]:
    """How far the integer window is from the real one after each ACK, as a share of it, on average and at most, and the
    share of ACKs that branch otherwise."""
    settings = Settings()
    whole, real = model(settings), RealWindow(settings)
    whole.init(0)
    real.init(0)
    distances, others = [], 0
    chance = random.Random(seed)
    now = 0
    walk = delays(chance, settings.net_base_rtt, 5 * settings.target_qdelay)
    for ecn, delay in islice(walk, acks):
        now = (now + 1 + int(chance.random() * 80)) & 0xFFFF
        timestamp = (now - settings.net_base_rtt - delay) & 0xFFFF
        one = whole.ack(now, ecn, 0, MTU, timestamp)
        other = real.ack(now, ecn, 0, MTU, timestamp)
        distances.append(abs(one.cwnd / ONE - other.cwnd) / other.cwnd)
        others += one[3:] != other[3:]
    return mean(distances), max(distances), others / acks


class AsPrinted(LoadBalancer):
    """Algorithm 3 with the polarity of lines 5 and 8, where 0 is marked and 1 is good, and a search that skips 1."""

    def ack(self, ev: int, ecn: bool) -> None:
        super().ack(ev, ecn)
        self.marked[ev - self.ev_base] = not ecn


class Cleared(LoadBalancer):
    """Algorithm 3 with all marks cleared every 256 sends."""

    sent = 0

    def send(self, window: int) -> Choice:
        self.sent += 1
        if self.sent % 256 == 0:
            self.marked = [False] * self.paths
        return super().send(window)


def sprayed(
    model: type[LoadBalancer] = LoadBalancer, seeds: Iterable[int] = range(1, 9), sends: int = 200_000, **network
) -> tuple[float, float, float]:
    """Shares of the sends: onto bad paths, recycled, with more than two words searched. The mean of some seeds."""
    runs = []
    for seed in seeds:
        run = Sprayed(model(256), seed, **network)
        run.run(sends)
        runs.append((run.sends_onto_bad / sends, run.recycled / sends, run.long_searches / sends))
    return tuple(map(mean, zip(*runs)))


def main() -> None:
    print(f"incast: base RTT {BASE_RTT_NS / 1000:.0f} us, tick {TICK_NS:.3f} ns, 20 ms; delays from 2 ms on,")
    print("and windows over the last half, in integers and in doubles")
    for senders in (8, 32, 128):
        delay, window = incast(senders, Window, ONE)
        real_delay, real_window = incast(senders, RealWindow, 1)
        distance = abs(window - real_window) / real_window
        delays_of_both = f"{delay:.2f} and {real_delay:.2f} us"
        print(f"  {senders:3} to 1: {delays_of_both}; {window:.3f} and {real_window:.3f} packets, {distance:.2%} apart")
    average, most, others = random_walk(300_000, 96)
    print(f"random walk of 300,000 delays: windows {average:.3%} apart on average, {most:.1%} at most;")
    print(f"  {others:.3%} of the ACKs branch otherwise")
    print("spraying: 256 paths, a quarter always marked, window 128, 8 seeds of 200,000 sends;")
    print("long searches look at more than two words")
    for name, arguments in [
        ("an ACK for each packet", {}),
        ("an ACK for 2", {"coalesced": 2}),
        ("an ACK for 4", {"coalesced": 4}),
        ("RTTs spread by 10%", {"spread": 0.1}),
        ("polarity as printed", {"model": AsPrinted}),
        ("marks cleared every 256 sends", {"model": Cleared}),
    ]:
        onto_bad, recycled, searches = sprayed(**arguments)
        print(f"  {name:30} {onto_bad:6.1%} onto bad paths, {recycled:5.1%} recycled, {searches:.2%} long searches")


if __name__ == "__main__":
    main()

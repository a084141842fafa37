"""Prints what STrack does on model networks: `python tb/reference/figures.py`, a minute or two."""

import random
from itertools import islice

from networks import BASE_RTT_NS, TICK_NS, Incast, Sprayed, tick
from strack import Choice, LoadBalancer
from strack_cc import ONE, RealWindow, Settings, Window
from walks import delays


class Sender:
    """A window behind the network's interface. `in_packets` is what one packet is in its unit."""

    def __init__(self, window, in_packets):
        self.window = window
        self.in_packets = in_packets
        # (time in ns, window in packets) after each ACK
        self.seen = []

    def init(self, time_ns):
        self.window.init(tick(time_ns))
        return self.window.read().cwnd_packets

    def ack(self, time_ns, sent_ns, is_marked):
        result = self.window.ack(tick(time_ns), int(is_marked), 0, 4096, tick(sent_ns))
        self.seen.append((time_ns, result.cwnd / self.in_packets))
        return result.cwnd_packets

    def lost(self, time_ns):
        pass


def mean(values):
    values = list(values)
    return sum(values) / len(values)


def incast(senders, model, in_packets, until_ns=20e6, from_ns=2e6, seed=1):
    """Mean delay in the queue in us from `from_ns` on, and the mean window in packets over the last half."""
    windows = [Sender(model(Settings()), in_packets) for _ in range(senders)]
    network = Incast(windows, seed)
    network.run(until_ns)
    delay = mean(delay for time, delay in network.delays if time >= from_ns) / 1000
    window = mean(mean(cwnd for time, cwnd in one.seen if time >= until_ns / 2) for one in windows)
    return delay, window


def random_walk(acks, seed):
    """How far the integer window is from the real one after each ACK (mean, most), and the share of ACKs that branch otherwise."""
    settings = Settings()
    whole, real = Window(settings), RealWindow(settings)
    whole.init(0)
    real.init(0)
    distances, others = [], 0
    chance = random.Random(seed)
    now = 0
    walk = delays(chance, settings.net_base_rtt, 5 * settings.target_qdelay)
    for ecn, delay in islice(walk, acks):
        now = (now + 1 + int(chance.random() * 80)) & 0xFFFF
        timestamp = (now - settings.net_base_rtt - delay) & 0xFFFF
        one = whole.ack(now, ecn, 0, 4096, timestamp)
        other = real.ack(now, ecn, 0, 4096, timestamp)
        distances.append(abs(one.cwnd / ONE - other.cwnd) / other.cwnd)
        others += one[3:] != other[3:]
    return mean(distances), max(distances), others / acks


class AsPrinted(LoadBalancer):
    """Algorithm 3 with the polarity of lines 5 and 8, where 0 is marked and 1 is good, and a search that skips 1."""

    def ack(self, ev, ecn):
        super().ack(ev, ecn)
        self.marked[ev - self.ev_base] = not ecn


class Cleared(LoadBalancer):
    """Algorithm 3 with all marks cleared every 256 sends."""

    sent = 0

    def send(self, window) -> Choice:
        self.sent += 1
        if self.sent % 256 == 0:
            self.marked = [False] * self.paths
        return super().send(window)


def sprayed(model=LoadBalancer, seeds=range(1, 9), sends=200_000, **network):
    """Shares of the sends: onto bad paths, recycled, with more than two words searched. The mean of some seeds."""
    runs = []
    for seed in seeds:
        run = Sprayed(model(256), seed, **network)
        run.run(sends)
        runs.append((run.sends_onto_bad / sends, run.recycled / sends, run.long_searches / sends))
    return tuple(map(mean, zip(*runs)))


def main():
    print(f"incast: base RTT {BASE_RTT_NS / 1000:.0f} us, tick {TICK_NS:.3f} ns, 20 ms, delays from 2 ms on, windows of the last half")
    for senders in (8, 32, 128):
        delay, window = incast(senders, Window, ONE)
        real_delay, real_window = incast(senders, RealWindow, 1)
        distance = abs(window - real_window) / real_window
        print(f"  {senders:3} to 1: {delay:.2f} us and {window:.3f} packets; in doubles {real_delay:.2f} us and {real_window:.3f} packets, {distance:.2%} apart")
    average, most, others = random_walk(300_000, 96)
    print(f"random walk of 300,000 delays: windows {average:.4%} apart on average, {most:.2%} at most; {others:.3%} of the ACKs branch otherwise")
    print("spraying: 256 paths, a quarter always marked, window 128, 8 seeds of 200,000 sends")
    for name, arguments in [
        ("an ACK for each packet", {}),
        ("an ACK for 2", {"coalesced": 2}),
        ("an ACK for 4", {"coalesced": 4}),
        ("RTTs spread by 10%", {"spread": 0.1}),
        ("polarity as printed", {"model": AsPrinted}),
        ("marks cleared every 256 sends", {"model": Cleared}),
    ]:
        onto_bad, recycled, searches = sprayed(**arguments)
        print(f"  {name:30} {onto_bad:6.1%} onto bad paths, {recycled:5.1%} recycled, {searches:.2%} look at more than two words")


if __name__ == "__main__":
    main()

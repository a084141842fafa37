"""STrack's window: 004 Algorithms 1, 2 and 4 with Table 1, once in integers and once in real numbers.

Times are ticks modulo 2^16, without sign. 4:15 in a comment is Algorithm 4 line 15. `Window` is the contract of the
core: each of its roundings is a function of its own below, so that each can be held to real arithmetic. `RealWindow` is
the paper in doubles, with the same inputs and the same settings.
"""

from dataclasses import dataclass
from typing import NamedTuple

TIME_MASK = 2**16 - 1
# 1 packet in the unit of the integer window, 2^-16 packets.
ONE = 2**16
# What `rx` counts at most, in bytes; it lies above every threshold of 4:11.
MOST_BYTES = 2**20 - 1

HOLD, PROPORTIONAL, ADDITIVE, MULTIPLICATIVE, ACHIEVED = range(5)
# The status of what is refused.
REFUSED = 7


@dataclass(frozen=True)
class Settings:
    """The ports of settings. Defaults are 004 Table 1 for 400 Gb/s, 12 us, 4 KiB and a tick of 12.412 ns."""

    # Times in ticks, 0 to 65535.
    net_base_rtt: int = 967
    target_qdelay: int = 967
    target_qhigh: int = 2901
    # RTTs below it do not lower the base RTT.
    min_base_rtt: int = 0
    # 2^-18 packets squared a tick, 0 to 65535.
    alpha: int = 4338
    # 2^-8 packets squared, 0 to 65535.
    beta: int = 5120
    # 2^-12 packets, 0 to 65535.
    eta: int = 2458
    # 2^-16, 0 to 65535.
    gamma: int = 52429
    # Packets, 0 to 1023; 0 reads as 1.
    max_cwnd: int = 146
    # A packet has 2^mtu_log2 bytes, 8 to 13; any other value is refused by read and ack.
    mtu_log2: int = 12

    def most_packets(self) -> int:
        return max(1, self.max_cwnd)

    def has_mtu(self) -> bool:
        return 8 <= self.mtu_log2 <= 13


class Result(NamedTuple):
    """What a read or an ack gives. `cwnd` is a whole number of 2^-16 packets, but of `RealWindow` in packets; `delay`
    is in ticks."""

    status: int
    cwnd: float
    cwnd_packets: int
    delay: int
    action: int
    fair: int


NOTHING = Result(REFUSED, 0, 0, 0, 0, 0)


def elapsed(now: int, then: int) -> int:
    """Ticks since `then`, modulo 2^16."""
    return (now - then) & TIME_MASK


def averaged(avg8: int, delay: int) -> int:
    """8 times the average queuing delay after one more sample, which weighs 1/8, 4:5."""
    return avg8 + delay - (avg8 >> 3)


def additive_step(beta: int, cwnd: int) -> int:
    """beta / cwnd, 4:7."""
    return ((beta << 8) << 16) // cwnd


def proportional_step(alpha: int, below_target: int, cwnd: int) -> int:
    """alpha * (target_Qdelay - delay) / cwnd, 4:9. The product holds at most 256 packets squared."""
    return (min(alpha * below_target >> 2, 2**24 - 1) << 16) // cwnd


def excess(avg8: int, target_qdelay: int) -> int:
    """(avg_delay - target_Qdelay) / avg_delay in 2^-16, 4:15; below 1 even for a target of 0."""
    return min(((avg8 - 8 * target_qdelay) << 16) // avg8, 2**16 - 1)


def cut_share(gamma: int, excess_share: int) -> int:
    """The share of the window that is cut in 2^-16, one half at most, 4:15."""
    return min(gamma * excess_share >> 16, 2**15)


def cut(cwnd: int, share: int) -> int:
    """What is cut of the window, 4:15."""
    return cwnd * share >> 16


class Window:
    """The window of one connection in integers. `settings` may be of any values that their ports hold."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.is_initialised = False

    def init(self, now: int) -> None:
        self.is_initialised = True
        self.cwnd = self.settings.most_packets() * ONE
        self.base_rtt = self.settings.net_base_rtt
        self.avg8 = 0
        self.cut_at = now
        self.fair_at = now
        self.since = 0
        self.rx = 0
        self.achieved = 0
        # An ACK was seen since init; `achieved` holds a whole period.
        self.is_counting = False
        self.is_measured = False

    def is_refused(self) -> bool:
        return not self.is_initialised or not self.settings.has_mtu()

    def read(self) -> Result:
        if self.is_refused():
            return NOTHING
        return Result(0, self.cwnd, self.cwnd // ONE, 0, HOLD, 0)

    def ack(self, now: int, ecn: int, probe: int, newly_acked: int, timestamp: int) -> Result:
        """An ACK of `newly_acked` bytes, 0 to 2^20 - 1, that echoes `timestamp`. Of a probe the bytes count nothing."""
        if self.is_refused():
            return NOTHING
        s = self.settings
        rtt = elapsed(now, timestamp)
        if rtt >= s.min_base_rtt:
            self.base_rtt = min(self.base_rtt, rtt)  # 1:5-7
        delay = elapsed(rtt, self.base_rtt)  # 1:8
        self.update_achieved(now, 0 if probe else newly_acked)

        can_cut = elapsed(now, self.cut_at) > self.base_rtt  # 4:3
        can_fair = elapsed(now, self.fair_at) > self.base_rtt  # 4:4
        self.avg8 = averaged(self.avg8, delay)
        action = HOLD
        if not ecn and delay > s.target_qhigh:  # 4:6
            self.cwnd += additive_step(s.beta, self.cwnd)
            action = ADDITIVE
        elif not ecn and delay < s.target_qdelay:  # 4:8
            self.cwnd += proportional_step(s.alpha, s.target_qdelay - delay, self.cwnd)
            action = PROPORTIONAL
        elif can_cut and self.avg8 > 8 * s.target_qdelay:  # 4:10
            is_low = 8 * self.achieved < s.most_packets() << s.mtu_log2
            if delay > s.target_qhigh and self.is_measured and is_low:  # 4:11
                self.cwnd = min(self.cwnd, self.achieved << (16 - s.mtu_log2))
                self.cut_at = now
                action = ACHIEVED
            elif delay > s.target_qdelay:  # 4:14
                self.cwnd -= cut(self.cwnd, cut_share(s.gamma, excess(self.avg8, s.target_qdelay)))
                self.cut_at = now
                action = MULTIPLICATIVE
        if can_fair:  # 4:19
            self.cwnd += s.eta << 4
            self.fair_at = now
        self.cwnd = max(min(self.cwnd, s.most_packets() * ONE), ONE)
        return Result(0, self.cwnd, self.cwnd // ONE, delay, action, int(can_fair))

    def update_achieved(self, now: int, newly_acked: int) -> None:
        """Algorithm 2. The period begins at the first ACK since init, whose bytes belong to it."""
        self.rx = min(self.rx + newly_acked, MOST_BYTES)  # 2:3
        if not self.is_counting:
            self.is_counting = True
            self.since = now
        elif elapsed(now, self.since) > self.base_rtt + self.settings.target_qdelay:  # 2:2
            self.achieved = self.rx
            self.is_measured = True
            self.rx = 0
            self.since = now


class RealWindow:
    """The same in doubles: no rounding, no widths, no saturation. Times alone are ticks modulo 2^16, as they arrive."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.is_initialised = False
        self.alpha = settings.alpha / 2**18
        self.beta = settings.beta / 2**8
        self.eta = settings.eta / 2**12
        self.gamma = settings.gamma / 2**16
        self.max_cwnd = float(settings.most_packets())
        self.mtu = float(2**settings.mtu_log2)

    def init(self, now: int) -> None:
        self.is_initialised = True
        self.cwnd = self.max_cwnd
        self.base_rtt = self.settings.net_base_rtt
        self.avg_delay = 0.0
        self.last_decrease_ts = now
        self.last_selfai_ts = now
        self.rx_count = 0
        # None until the first ACK since init, and until the first period is over.
        self.rxcount_clear_ts = None
        self.achieved_bdp = None

    def is_refused(self) -> bool:
        return not self.is_initialised or not self.settings.has_mtu()

    def read(self) -> Result:
        if self.is_refused():
            return NOTHING
        return Result(0, self.cwnd, int(self.cwnd), 0, HOLD, 0)

    def ack(self, now: int, ecn: int, probe: int, newly_acked: int, timestamp: int) -> Result:
        if self.is_refused():
            return NOTHING
        s = self.settings
        measured_rtt = elapsed(now, timestamp)
        if s.min_base_rtt <= measured_rtt < self.base_rtt:
            self.base_rtt = measured_rtt
        delay = elapsed(measured_rtt, self.base_rtt)

        if not probe:
            self.rx_count += newly_acked
        if self.rxcount_clear_ts is None:
            self.rxcount_clear_ts = now
        elif elapsed(now, self.rxcount_clear_ts) > self.base_rtt + s.target_qdelay:
            # in packets, as the window is
            self.achieved_bdp = self.rx_count / self.mtu
            self.rx_count = 0
            self.rxcount_clear_ts = now

        can_decrease = elapsed(now, self.last_decrease_ts) > self.base_rtt
        can_fairness_shuffle = elapsed(now, self.last_selfai_ts) > self.base_rtt
        self.avg_delay = self.avg_delay * (1 - 0.125) + 0.125 * delay
        action = HOLD
        if not ecn and delay > s.target_qhigh:
            self.cwnd += self.beta / self.cwnd
            action = ADDITIVE
        elif not ecn and delay < s.target_qdelay:
            self.cwnd += self.alpha * (s.target_qdelay - delay) / self.cwnd
            action = PROPORTIONAL
        elif can_decrease and self.avg_delay > s.target_qdelay:
            has_low_rate = self.achieved_bdp is not None and self.achieved_bdp < self.max_cwnd / 8
            if delay > s.target_qhigh and has_low_rate:
                self.cwnd = min(self.cwnd, self.achieved_bdp)
                self.last_decrease_ts = now
                action = ACHIEVED
            elif delay > s.target_qdelay:
                over = (self.avg_delay - s.target_qdelay) / self.avg_delay
                self.cwnd *= max(1 - self.gamma * over, 0.5)
                self.last_decrease_ts = now
                action = MULTIPLICATIVE
        if can_fairness_shuffle:
            self.cwnd += self.eta
            self.last_selfai_ts = now
        self.cwnd = max(min(self.cwnd, self.max_cwnd), 1.0)
        return Result(0, self.cwnd, int(self.cwnd), delay, action, int(can_fairness_shuffle))

"""Delays that wander, as a network's do: what the window is driven with where there is no network."""


import random
from collections.abc import Iterator


def delays(chance: random.Random, marks_at: int, most: int) -> Iterator[tuple[int, int]]:
    """Pairs of a mark and a queuing delay in ticks, without end, from the generator `chance`.

    The delay is a random walk between 0 and `most`, from anywhere there, with a drift that changes now and then. The
    mark is the likelier the longer the delay is, never at a quarter and always at three quarters of `marks_at`; but at
    times, as when a queue has just emptied, there is none.
    """
    step = max(1, most // 100)
    delay = int(chance.random() * most)
    drift = 0.0
    is_emptied = False
    number = 0
    while True:
        if number % 64 == 0:
            drift = (chance.random() - 0.5) * step
            is_emptied = chance.random() < 0.2
        number += 1
        delay += int(drift + (2 * chance.random() - 1) * step)
        delay = max(0, min(most, delay))
        share = 0.0 if is_emptied else (delay / marks_at - 0.25) / 0.5
        yield int(chance.random() < share), delay

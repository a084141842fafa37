"""The golden models of respray: what each core must do, op by op and frame by frame.

    import respray

    reps = respray.Model("reps", connections=256)
    ops = reps.random(seed=1, count=100_000)    # a structured array, a field for each word of an op
    results = reps.apply(ops)                   # the same for results

A model of a core that takes ops has `apply`; one of a core that packets stream through, and `nic`, has `push` and `pop`.
`Model.description` says what the fields are.
"""

from respray._library import ModelError, version
from respray._model import Model, Received, Reset, Trace

__version__ = version()
__all__ = ["Model", "ModelError", "Received", "Reset", "Trace", "__version__"]

"""Frames with shims, made with scapy, and what shim_push and shim_pop must make of them.

    .venv/bin/python tb/shims/frames.py COUNT SEED

It prints COUNT lines for each core. A line has, separated by blanks: the core, what is asked, the frame that comes, the frame that
leaves, the event, and of shim_pop the record. What is asked and the record are numbers separated by commas, in the order of the ports.
The shim is written here from its description alone, as a scapy layer that ends with the EtherType of what it carries.
"""

import random
import sys

from scapy.fields import BitField, ConditionalField, XShortField
from scapy.layers.inet import IP, UDP, TCP
from scapy.layers.inet6 import IPv6
from scapy.layers.l2 import ARP, Dot1AD, Dot1Q, Ether
from scapy.packet import Packet, Raw, bind_layers

ETHERTYPE = 0x88B5
FLOWCUT_DATA, FLOWCUT_ACK, CAVER_DATA, CAVER_ACK, CAVER_ACK_OF = range(5)
# Names and bits of the fields, in the order of the ports.
FIELDS = [("hops", 4), ("epoch", 4), ("timestamp", 16), ("hash", 16), ("bytes", 24), ("enable", 1), ("hop", 2), ("path", 32), ("len", 2),
          ("ce", 8), ("dst", 16)]


def of(*kinds):
    return lambda shim: shim.kind in kinds


class Shim(Packet):
    """Behind its own EtherType, which is that of the layer before."""

    name = "shim"
    fields_desc = [
        BitField("kind", 0, 4),
        ConditionalField(BitField("hops", 0, 4), of(FLOWCUT_DATA, FLOWCUT_ACK)),
        ConditionalField(BitField("epoch", 0, 4), of(FLOWCUT_DATA, FLOWCUT_ACK)),
        ConditionalField(BitField("spare_flowcut", 0, 4), of(FLOWCUT_DATA, FLOWCUT_ACK)),
        ConditionalField(BitField("timestamp", 0, 16), of(FLOWCUT_DATA, FLOWCUT_ACK)),
        ConditionalField(BitField("hash", 0, 16), of(FLOWCUT_DATA, FLOWCUT_ACK)),
        ConditionalField(BitField("bytes", 0, 24), of(FLOWCUT_ACK)),
        ConditionalField(BitField("spare_bytes", 0, 8), of(FLOWCUT_ACK)),
        ConditionalField(BitField("enable", 0, 1), of(CAVER_DATA)),
        ConditionalField(BitField("hop", 0, 3), of(CAVER_DATA)),
        ConditionalField(BitField("spare_data", 0, 8), of(CAVER_DATA)),
        ConditionalField(BitField("len", 0, 3), of(CAVER_ACK, CAVER_ACK_OF)),
        ConditionalField(BitField("spare_ack", 0, 1), of(CAVER_ACK, CAVER_ACK_OF)),
        ConditionalField(BitField("ce", 0, 8), of(CAVER_ACK, CAVER_ACK_OF)),
        ConditionalField(BitField("path", 0, 32), of(CAVER_DATA, CAVER_ACK, CAVER_ACK_OF)),
        ConditionalField(BitField("dst", 0, 16), of(CAVER_ACK_OF)),
        ConditionalField(BitField("spare_dst", 0, 16), of(CAVER_ACK_OF)),
        XShortField("type", 0x0800),
    ]


bind_layers(Ether, Shim, type=ETHERTYPE)
bind_layers(Dot1Q, Shim, type=ETHERTYPE)
bind_layers(Dot1AD, Shim, type=ETHERTYPE)


def word(rng, bits):
    return rng.getrandbits(bits)


def drawn(rng):
    """A value for each field."""
    return {name: word(rng, bits) for name, bits in FIELDS}


def shim(kind, values, type_behind):
    layer = Shim(kind=kind, type=type_behind)
    for field in layer.fields_desc:
        name = field.name
        if name in values and field.cond(layer) if isinstance(field, ConditionalField) else False:
            layer.setfieldval(name, values[name])
    return layer


def tags(rng):
    """0 to 2 tags, each as a class and its fields."""
    return [(rng.choice([Dot1Q, Dot1AD]), dict(vlan=word(rng, 12), prio=word(rng, 3))) for _ in range(rng.choice([0, 0, 1, 2]))]


def network(rng):
    """What a frame carries, and its EtherType."""
    body = Raw(rng.randbytes(rng.choice([0, rng.randrange(64), rng.randrange(64), rng.randrange(256)])))
    transport = rng.choice([UDP, TCP])(sport=word(rng, 16), dport=word(rng, 16))
    draw = rng.random()
    if draw < 0.55:
        return 0x0800, IP(src="10.0.0.%d" % rng.randrange(256), dst="10.1.2.3", tos=word(rng, 8)) / transport / body
    if draw < 0.9:
        return 0x86DD, IPv6(src="fd00::%x" % rng.randrange(1, 65535), dst="fd00::1") / transport / body
    if draw < 0.95:
        return 0x0806, ARP(psrc="10.0.0.1", pdst="10.0.0.2")
    return 0x88CC, body


def frame(rng, stack, ethertype, payload):
    """Ethernet and its tags, with the EtherTypes linked by hand, before what they carry."""
    layers = [Ether(dst="02:00:00:00:00:01", src="02:00:00:00:00:02")] + [tag(**fields) for tag, fields in stack]
    types = [{Dot1Q: 0x8100, Dot1AD: 0x88A8}[tag] for tag, _ in stack] + [ethertype]
    packet = None
    for layer, layer_type in zip(layers, types):
        layer.type = layer_type
        packet = layer if packet is None else packet / layer
    return packet / payload


def numbers(values):
    return ",".join(str(value) for value in values)


def push_case(rng):
    """One line of shim_push."""
    stack, (ethertype, payload) = tags(rng), network(rng)
    plain = bytes(frame(rng, stack, ethertype, payload))
    kind, values, asked = rng.randrange(5), drawn(rng), rng.choice([0, 1, 1, 2, 2])
    own = rng.choice([kind, kind, kind, rng.randrange(16)])
    at = 12 + 4 * len(stack)
    if asked == 1:
        comes, event = plain, "refused"
        leaves = comes
        if ethertype in (0x0800, 0x86DD):
            leaves, event = bytes(frame(rng, stack, ETHERTYPE, shim(kind, values, ethertype) / payload)), "inserted"
        if rng.random() < 0.1:
            comes = leaves = comes[: rng.randrange(1, at + 2)]
            event = "malformed"
    else:
        before = shim(own if own < 5 else 0, drawn(rng), ethertype)
        comes = bytearray(bytes(frame(rng, stack, ETHERTYPE, before / payload)))
        comes[at + 2] = own << 4 | comes[at + 2] & 15
        comes = bytes(comes)
        leaves, event = comes, "passed" if asked == 0 else "refused"
        if asked == 2 and own == kind:
            leaves, event = bytes(frame(rng, stack, ETHERTYPE, shim(kind, values, ethertype) / payload)), "patched"
        if asked == 2 and rng.random() < 0.15:
            comes = leaves = comes[: at + rng.randrange(2, 10)]
            event = "malformed"
    return ["shim_push", numbers([0, asked, kind] + [values[name] for name, _ in FIELDS]), comes.hex(), leaves.hex(), event]


def pop_case(rng):
    """One line of shim_pop."""
    stack, (ethertype, payload) = tags(rng), network(rng)
    plain = bytes(frame(rng, stack, ethertype, payload))
    kind, values, mask = rng.randrange(5), drawn(rng), word(rng, 5)
    at, draw = 12 + 4 * len(stack), rng.random()
    comes, leaves, event, record = plain, plain, "plain", [7, 0, len(plain)] + [0] * len(FIELDS)
    if draw < 0.85:
        layer = shim(kind, values, ethertype)
        comes = leaves = bytes(frame(rng, stack, ETHERTYPE, layer / payload))
        said = [values[name] if name in layer.fields else 0 for name, _ in FIELDS]
        event, record = "kept", [kind, 0, len(plain)] + said
        if mask >> kind & 1:
            leaves, event = plain, "popped"
        if draw < 0.1:
            comes = leaves = comes[: at + rng.randrange(2, 10)]
            event, record = "malformed", [7, 1, len(comes)] + [0] * len(FIELDS)
        elif draw < 0.2:
            comes = bytearray(comes)
            comes[at + 2] = rng.randrange(5, 16) << 4 | comes[at + 2] & 15
            comes = leaves = bytes(comes)
            event, record = "unknown", [7, 2, len(comes)] + [0] * len(FIELDS)
    elif draw < 0.9:
        comes = leaves = comes[: rng.randrange(1, at + 2)]
        event, record = "malformed", [7, 1, len(comes)] + [0] * len(FIELDS)
    return ["shim_pop", numbers([mask] + [0] * (2 + len(FIELDS))), comes.hex(), leaves.hex(), event, numbers(record)]


def main():
    count, seed = int(sys.argv[1]), int(sys.argv[2])
    rng = random.Random(seed)
    for case in (push_case, pop_case):
        for _ in range(count):
            print(" ".join(case(rng)))


if __name__ == "__main__":
    main()

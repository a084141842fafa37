"""Frames of the profile and others, and what the block makes of them; checksums are scapy's."""

import random
from dataclasses import dataclass
from functools import lru_cache

from scapy.layers.inet import ICMP, IP, TCP, UDP, IPOption_NOP
from scapy.layers.inet6 import IPv6
from scapy.layers.l2 import ARP, Dot1AD, Dot1Q, Ether
from scapy.packet import Packet, Raw

from headers import ACK, UDP_PORT, BaseTransport, Data, Sack
from model import Answer, Arrival

NOT_ECT, ECT_0, CE = 0, 2, 3

# Errors of a frame, as rx_error says them.
TRUNCATED, BAD_CHECKSUM, LENGTH_MISMATCH, UNSUPPORTED = 1, 2, 3, 4

HOST = ("02:00:00:00:00:01", "10.0.0.1", "fd00::1")
PEER = ("02:00:00:00:00:02", "10.0.0.2", "fd00::2")


def stack(frame: Packet, *layers: Packet) -> Packet:
    """As `frame / layer / layer`, which copies all of it at each step and would take a third of a run."""
    for layer in layers:
        frame.add_payload(layer)
    return frame


def below_udp(rng: random.Random, source: tuple[str, str, str], to: tuple[str, str, str], ecn: int) -> Packet:
    """Ethernet with up to two tags, and IPv4 with or without options or IPv6."""
    frame = Ether(src=source[0], dst=to[0])
    for tag in rng.choice([[], [], [Dot1Q], [Dot1AD, Dot1Q]]):
        stack(frame, tag(prio=rng.randrange(8), vlan=rng.randrange(1, 4095)))
    traffic_class = rng.randrange(64) << 2 | ecn
    if rng.random() < 0.5:
        label, hops = rng.randrange(1 << 20), rng.randrange(1, 256)
        return stack(frame, IPv6(src=source[2], dst=to[2], tc=traffic_class, fl=label, hlim=hops))
    options = [IPOption_NOP()] * (4 * rng.choice([0, 0, 1, 10]))
    number, hops = rng.randrange(1 << 16), rng.randrange(1, 256)
    ends = {"src": source[1], "dst": to[1]}
    return stack(frame, IP(**ends, tos=traffic_class, id=number, ttl=hops, flags="DF", options=options))


def on_the_wire(frame: Packet) -> bytes:
    """With the padding that Ethernet's smallest frame needs."""
    return bytes(frame).ljust(60, b"\0")


def data(
    rng: random.Random, source: tuple[str, str, str], to: tuple[str, str, str], conn: int, packet: Arrival
) -> bytes:
    """A data packet or a probe."""
    frame = below_udp(rng, source, to, CE if packet.is_marked else rng.choice([NOT_ECT, 1, ECT_0]))
    udp = UDP(sport=packet.ev, dport=UDP_PORT)
    if IP in frame and rng.random() < 0.2:
        udp.chksum = 0
    transport = BaseTransport(dest_qp=conn, psn=packet.psn, ack_request=int(packet.ack_request))
    header = Data(timestamp=packet.timestamp, probe=int(packet.probe))
    return on_the_wire(stack(frame, udp, transport, header, Raw(rng.randbytes(packet.size))))


@lru_cache(maxsize=1024)
def read(frame: bytes) -> Packet:
    """The layers of a frame, which are not to be changed."""
    return Ether(frame)


def rewritten(frame: bytes, ev: int, timestamp: int, flow_label_enable: bool) -> bytes:
    """What must leave for a data packet of the host."""
    packet = Ether(frame)
    packet[UDP].sport = ev
    packet[Data].timestamp = timestamp
    if IP in packet:
        packet[IP].tos = packet[IP].tos & 0xFC | ECT_0
        packet[IP].chksum = None
    else:
        packet[IPv6].tc = packet[IPv6].tc & 0xFC | ECT_0
        if flow_label_enable:
            packet[IPv6].fl = packet[IPv6].fl & 0xF0000 | ev
    if packet[UDP].chksum != 0:
        packet[UDP].chksum = None
    return bytes(packet)


def of_the_block(last: bytes, is_returned: bool, ecn: int) -> Packet:
    """Ethernet and IP of a frame that the block makes: tags, class of traffic and flow label of a packet, addresses of
    the same or swapped, and the rest as an end of a connection without state sends it (RFC 6864)."""
    packet = read(last)
    layer = packet.payload
    ends = {"src": packet.dst, "dst": packet.src} if is_returned else {"src": packet.src, "dst": packet.dst}
    frame = Ether(**ends)
    while isinstance(layer, Dot1Q):
        tag = layer.copy()
        tag.remove_payload()
        stack(frame, tag)
        layer = layer.payload
    ends = {"src": layer.dst, "dst": layer.src} if is_returned else {"src": layer.src, "dst": layer.dst}
    if isinstance(layer, IP):
        return stack(frame, IP(**ends, tos=layer.tos & 0xFC | ecn, id=0, ttl=64, flags="DF"))
    return stack(frame, IPv6(**ends, tc=layer.tc & 0xFC | ecn, fl=layer.fl, hlim=64))


def probe(last: bytes, conn: int, packet: Arrival) -> bytes:
    """The probe of a connection whose last data packet is given: it asks for an ACK."""
    transport = BaseTransport(dest_qp=conn, psn=packet.psn, ack_request=1)
    header = Data(timestamp=packet.timestamp, probe=1)
    frame = of_the_block(last, is_returned=False, ecn=ECT_0)
    return on_the_wire(stack(frame, UDP(sport=packet.ev, dport=UDP_PORT), transport, header))


def sack(trigger: bytes, conn: int, answer: Answer) -> bytes:
    """The SACK for a packet: back to where it came from, with its EV."""
    frame = of_the_block(trigger, is_returned=True, ecn=NOT_ECT)
    of = answer.of
    header = Sack(
        echo_entropy=of.ev,
        echo_timestamp=of.timestamp,
        recv_bytes=answer.bytes,
        expected_psn=answer.epsn,
        ooo_low=answer.ooo & 0xFF,
        ooo_high=answer.ooo >> 8,
        ecn_echo=int(of.is_marked),
        probe=int(of.probe),
        sack_base=answer.base,
        sack_bitmap=answer.bitmap,
    )
    transport = BaseTransport(opcode=ACK, dest_qp=conn, psn=of.psn)
    return on_the_wire(stack(frame, UDP(sport=of.ev, dport=UDP_PORT), transport, header))


def ecn(frame: bytes) -> int:
    """The ECN codepoint of a packet over IP."""
    packet = read(frame)
    return (packet[IP].tos if IP in packet else packet[IPv6].tc) & 3


def arrival(frame: bytes) -> Arrival:
    """What a receiver reads from a data packet or a probe."""
    packet = read(frame)
    size = packet[UDP].len - 8 - 16
    transport, header = packet[BaseTransport], packet[Data]
    is_marked, is_probe = ecn(frame) == CE, bool(header.probe)
    return Arrival(
        transport.psn, size, is_marked, packet[UDP].sport, header.timestamp, bool(transport.ack_request), is_probe
    )


@dataclass
class Foreign:
    """A frame that is not the profile's, or malformed, and its error."""

    frame: bytes
    error: int

    @property
    def is_malformed(self) -> bool:
        return self.error in (TRUNCATED, BAD_CHECKSUM, LENGTH_MISMATCH)


def foreign(rng: random.Random, source: tuple[str, str, str], to: tuple[str, str, str]) -> Foreign:
    """One of many frames that the block must leave as they are."""
    link = Ether(src=source[0], dst=to[0])
    below = below_udp(rng, source, to, rng.randrange(4))
    load = Raw(rng.randbytes(rng.randrange(200)))
    profile = below / UDP(sport=rng.randrange(1 << 16), dport=UDP_PORT) / BaseTransport() / Data() / load
    kind = rng.randrange(10)
    if kind == 0:
        return Foreign(on_the_wire(link / ARP(psrc=source[1], pdst=to[1])), UNSUPPORTED)
    if kind == 1:
        return Foreign(on_the_wire(Ether(src=source[0], dst=to[0], type=0x88CC) / load), UNSUPPORTED)
    if kind == 2:
        return Foreign(on_the_wire(below / TCP(sport=UDP_PORT, dport=UDP_PORT) / load), UNSUPPORTED)
    if kind == 3:
        return Foreign(on_the_wire(link / IP(src=source[1], dst=to[1]) / ICMP() / load), UNSUPPORTED)
    if kind == 4:
        fragment = IP(src=source[1], dst=to[1], frag=rng.randrange(1, 1 << 13), proto=17)
        return Foreign(on_the_wire(link / fragment / load), UNSUPPORTED)
    if kind == 5:
        return Foreign(on_the_wire(below / UDP(sport=UDP_PORT, dport=UDP_PORT + 1) / load), 0)
    if kind == 6:
        profile[BaseTransport].opcode = rng.choice([0x04, 0x0A, 0xBF, 0xC2])
        return Foreign(on_the_wire(profile), 0)
    if kind == 7 and IP in profile:
        whole = Ether(bytes(profile))
        whole[IP].chksum ^= 1 << rng.randrange(16)
        return Foreign(on_the_wire(whole), BAD_CHECKSUM)
    if kind == 8:
        profile[UDP].len = rng.choice([8, 23, 9999])
        return Foreign(on_the_wire(profile), LENGTH_MISMATCH)
    header = len(profile) - len(profile[BaseTransport])
    return Foreign(bytes(profile)[: rng.randrange(14, header + 16)], TRUNCATED)

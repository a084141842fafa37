"""The headers of the profile `strack` as layers of scapy, from paper 004 (Figure 7) and docs/headers.md."""

from scapy.fields import BitField, LongField, ShortField, XByteField, XShortField
from scapy.layers.inet import UDP
from scapy.packet import Packet, bind_layers

UDP_PORT = 4791
DATA = 0xC0
ACK = 0xC1


class BaseTransport(Packet):
    """The base transport header of RoCEv2, which every packet of the profile begins with."""

    name = "strack base transport header"
    fields_desc = [
        XByteField("opcode", DATA),
        BitField("solicited", 0, 1),
        BitField("migration", 0, 1),
        BitField("pad", 0, 2),
        BitField("version", 0, 4),
        XShortField("partition", 0xFFFF),
        BitField("reserved_1", 0, 8),
        BitField("dest_qp", 0, 24),
        BitField("ack_request", 0, 1),
        BitField("reserved_2", 0, 7),
        BitField("psn", 0, 24),
    ]


class Data(Packet):
    """What data and probes have behind the base transport header."""

    name = "strack data"
    fields_desc = [
        ShortField("timestamp", 0),
        BitField("probe", 0, 1),
        BitField("flags", 0, 7),
        BitField("hops", 0, 8),
    ]


class Sack(Packet):
    """What a SACK has behind the base transport header."""

    name = "strack SACK"
    fields_desc = [
        ShortField("echo_entropy", 0),
        ShortField("echo_timestamp", 0),
        BitField("recv_bytes", 0, 32),
        BitField("expected_psn", 0, 24),
        BitField("ooo_low", 0, 8),
        BitField("ooo_high", 0, 4),
        BitField("ecn_echo", 0, 1),
        BitField("probe", 0, 1),
        BitField("reserved", 0, 2),
        BitField("sack_base", 0, 24),
        LongField("sack_bitmap", 0),
    ]


bind_layers(UDP, BaseTransport, dport=UDP_PORT)
bind_layers(BaseTransport, Data, opcode=DATA)
bind_layers(BaseTransport, Sack, opcode=ACK)

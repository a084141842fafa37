//! Headers of Ultra Ethernet worked out by hand, with what they say. The first nineteen are samples of a public generator of packets.

/// Standard request of the generator, its response; a standard request with message ID 0x11, and the response to it.
pub const S1: &str =
    "022b123477abcdef067809abfedcba9876543210fedcba981122334455667788aabbddddeeff001199887766";
pub const R1: &str = "c10912349965432109abcdef";
pub const S2: &str =
    "0503001100000001000000000000000000000000000000000000000000000000000000000000000000000000";
pub const D0: &str = "000000110000000000000000";

/// Number, bytes behind UDP (what follows a header by its name), and what they say.
pub const VECTORS: &[(&str, &str, &str)] = &[
    ("1", "119012349876543234569abc S1", "data 98765432 3456>9abc clear 4660 retx message 1234 +44"),
    (
        "2",
        "119412349876543234568876 S1",
        "data 98765432 3456>8876 clear 4660 retx syn 98764bbc reserved message 1234 +44",
    ),
    (
        "3",
        "69901234987654323456 9abc 77887766 S1",
        "data 98765432 3456>9abc clear 4660 retx message 1234 +44",
    ),
    (
        "4",
        "69941234987654323456 8876 77887766 S1",
        "data 98765432 3456>8876 clear 4660 retx syn 98764bbc reserved message 1234 +44",
    ),
    ("5", "199012349876543234569abc S1", "rod data 98765432 3456>9abc clear 4660 retx message 1234 +44"),
    (
        "6",
        "199412349876543234568876 S1",
        "rod data 98765432 3456>8876 clear 4660 retx syn 98764bbc reserved message 1234 +44",
    ),
    (
        "7",
        "71901234987654323456 9abc 77887766 S1",
        "rod data 98765432 3456>9abc clear 4660 retx message 1234 +44",
    ),
    (
        "8",
        "71941234987654323456 8876 77887766 S1",
        "rod data 98765432 3456>8876 clear 4660 retx syn 98764bbc reserved message 1234 +44",
    ),
    ("9", "3a3286422468ace03456789a R1", "ack 24683322 cack 2468ace0 3456>789a marked retx clear +12"),
    (
        "10",
        "423221212468ace03456789a0f876789123456789abcdef099aaff8877668765 R1",
        "ack 2468ce01 cack 2468ace0 3456>789a marked retx clear base 24691469 123456789abcdef0 mpr 135 cc 0 \
         service 39338 pend 255 rcvd 887766 ooo 34661 +12",
    ),
    (
        "11",
        "423298762468ace03456789a1f879988123456789abcdef01234560000008765 R1",
        "ack 24684556 cack 2468ace0 3456>789a marked retx clear base 24684668 123456789abcdef0 mpr 135 cc 1 +12",
    ),
    (
        "12",
        "4a3298762468ace03456789ae0879988123456789abcdef01122334455667788 R1",
        "ack 24684556 cack 2468ace0 3456>789a marked retx clear base 24684668 123456789abcdef0 mpr 135 cc 14 +20",
    ),
    ("13", "52381687998877663456789a56789abc R1", "other"),
    (
        "14",
        "62101587998877663456789a56789abc3fdcba9876543210 R1",
        "nack 15 99887766 3456>789a payload 56789abc retx +20",
    ),
    (
        "15",
        "5c309876cdef0123cdeffedc R1",
        "control 8 cdef0123 cdef>fedc opaque 9876 payload c1091234 rod retx +12",
    ),
    (
        "16",
        "5c941234cdef0123cdef8876 R1",
        "control 9 cdef0123 cdef>8876 opaque 1234 payload c1091234 retx syn cdeef8ad reserved +12",
    ),
    ("17", "31800000 S1", "other"),
    ("18", "21a0000099887766 S1", "other"),
    ("19", "2a20000099887766 R1", "other"),
    (
        "20",
        "42000000000003e8000900070001000000000000000000010000000000050000",
        "ack 3e8 cack 3e8 9>7 base 3e8 1 mpr 1 cc 0 service 0 pend 0 rcvd 5 ooo 0 +0",
    ),
    (
        "21",
        "42000002000003e9000900070001ffd700000bffffffffff00000000000effff",
        "ack 3eb cack 3e9 9>7 base 3c0 bffffffffff mpr 1 cc 0 service 0 pend 0 rcvd e ooo 65535 +0",
    ),
    (
        "22",
        "42000002000003e9000900070001ffff000000000000000b00000000000e0001",
        "ack 3eb cack 3e9 9>7 base 3e8 b mpr 1 cc 0 service 0 pend 0 rcvd e ooo 1 +0",
    ),
    (
        "23",
        "42000002000003e90009000700010002000000000000000100000000000e0001",
        "ack 3eb cack 3e9 9>7 base 3eb 1 mpr 1 cc 0 service 0 pend 0 rcvd e ooo 1 +0",
    ),
    (
        "24",
        "42000006000003e90009000700010002000000000000001f00000000001f0005",
        "ack 3ef cack 3e9 9>7 base 3eb 1f mpr 1 cc 0 service 0 pend 0 rcvd 1f ooo 5 +0",
    ),
    (
        "25",
        "42020001000003e7000900070002ffd9000003ffffffffff0000000000090002",
        "ack 3e8 cack 3e7 9>7 clear base 3c0 3ffffffffff mpr 2 cc 0 service 0 pend 0 rcvd 9 ooo 2 +0",
    ),
    ("26", "3a000002000003e700090007", "ack 3e9 cack 3e7 9>7 +0"),
    (
        "27",
        "4200000e000003de000900070001000e00000000000000010000000000010001",
        "ack 3ec cack 3de 9>7 base 3ec 1 mpr 1 cc 0 service 0 pend 0 rcvd 1 ooo 1 +0",
    ),
    (
        "28",
        "42000000000003e80009000700018000ffffffffffffffff0000000000050000",
        "ack 3e8 cack 3e8 9>7 base ffff83e8 ffffffffffffffff mpr 1 cc 0 service 0 pend 0 rcvd 5 ooo 0 +0",
    ),
    (
        "29",
        "42200000000003e9000900070004ffff000000000000000301238500000a0000",
        "ack 3e9 cack 3e9 9>7 marked base 3e8 3 mpr 4 cc 0 service 291 pend 133 rcvd a ooo 0 +0",
    ),
    (
        "22, other offset",
        "42000002000003e90009000700010000000000000000000b00000000000e0001",
        "ack 3eb cack 3e9 9>7 base 3e9 b mpr 1 cc 0 service 0 pend 0 rcvd e ooo 1 +0",
    ),
    (
        "30",
        "42000000000003e8000900070001000000000000000001010000000000050000",
        "ack 3e8 cack 3e8 9>7 base 3e8 101 mpr 1 cc 0 service 0 pend 0 rcvd 5 ooo 0 +0",
    ),
    ("31", "3a000000000003f000090007", "ack 3f0 cack 3f0 9>7 +0"),
    ("32", "38081234000003eb00090007", "ack probe 1234 cack 3eb 9>7 +0"),
    ("33", "3a040000000003eb00090007", "ack 3eb cack 3eb 9>7 close +0"),
    ("34", "38400000000003ef0009000700020010", "ack 3ef cack 3ef 9>7 expected +4"),
    (
        "35",
        "40000000000003e8000900070000ffd8000001ffffffffff00000000042c0000",
        "ack 3e8 cack 3e8 9>7 base 3c0 1ffffffffff mpr 0 cc 0 service 0 pend 0 rcvd 42c ooo 0 +0",
    ),
    ("36", "42000000000003e80009000700010000000000000000000100000000", "length mismatch"),
    (
        "37",
        "4a000000000003e800090007e0020000 0000000000000001 00000000000000000000000000000000",
        "ack 3e8 cack 3e8 9>7 base 3e8 1 mpr 2 cc 14 +16",
    ),
    ("38", "3a0000246223112000090007", "ack 62231144 cack 62231120 9>7 +0"),
    ("38, before", "3a00ffdc6223112000090007", "ack 622310fc cack 62231120 9>7 +0"),
    ("39", "3a000010fffffff300090007", "ack 3 cack fffffff3 9>7 +0"),
    ("40", "50000100000003ea0009000700000000", "nack 1 3ea 9>7 payload 0 +0"),
    ("41", "50200200000003eb0009000700000000", "nack 2 3eb 9>7 payload 0 marked +0"),
    ("42", "50000b00000003ef0009000700000000", "nack b 3ef 9>7 payload 0 +0"),
    ("42, waits", "50101800000003ea0009000700000000", "nack 18 3ea 9>7 payload 0 retx +0"),
    ("43", "50000100000003f00009000700000000", "nack 1 3f0 9>7 payload 0 +0"),
    ("43, RUDI", "50080100deadbeef0000000000000000", "other"),
    ("44", "50000e00000003ea0000000700000000", "nack e 3ea 0>7 payload 0 +0"),
    ("44, Start_PSN", "50001700000003e8000000075a5a0000", "nack 17 3e8 0>7 payload 5a5a0000 +0"),
    (
        "45",
        "4200000000012346000900071001000200000000000000030012340000000005",
        "ack 12346 cack 12346 9>7 base 12348 3 mpr 1 cc 1 +0",
    ),
    ("45, credit", "5b800000000000000009000700001000", "control 7 0 9>7 opaque 0 payload 1000 +4"),
    ("46", "118cffff0001234500070000 S2", "data 12345 7>0 clear -1 asks syn 12345 message 11 +44"),
    ("46, second", "1184fffe0001234600070001 S2", "data 12346 7>1 clear -2 syn 12345 message 11 +44"),
    (
        "46, third",
        "1184fffd0001234700071002 S2",
        "data 12347 7>1002 clear -3 syn 12345 reserved message 11 +44",
    ),
    ("47", "1980ffff000005000008000a S2", "rod data 500 8>a clear -1 message 11 +44"),
    ("48", "10080000000003e800070009", "data 3e8 7>9 clear 0 asks +0"),
    (
        "49",
        "42000000000003e8000900070002ffd8000001ffffffffff0001000000050000 D0",
        "ack 3e8 cack 3e8 9>7 base 3c0 1ffffffffff mpr 2 cc 0 service 1 pend 0 rcvd 5 ooo 0 +12",
    ),
    ("51", "58800000000123460007000900000011", "control 1 12346 7>9 opaque 0 payload 11 +4"),
    ("51, answer", "50001200000123460009000700000000", "nack 12 12346 9>7 payload 0 +0"),
    ("52", "59000000000000000007000900012346", "control 2 0 7>9 opaque 0 payload 12346 +4"),
    ("52, other form", "59000000000123460007000900000000", "control 2 12346 7>9 opaque 0 payload 0 +4"),
    ("53", "5a080000000123490007000900000000", "control 4 12349 7>9 opaque 0 payload 0 asks +4"),
    ("54", "582c0000000007000008000000000000", "control 0 700 8>0 opaque 0 payload 0 rod asks syn 700 +4"),
    ("55", "5b08beef000123490007000900012346", "control 6 12349 7>9 opaque beef payload 12346 asks +4"),
    ("56", "0c000001000000050000000000000001", "other"),
    ("56, type 0", "018000000000000000000000", "other"),
    ("56, type 15", "798000000000000000000000", "other"),
    // what the page says of bad input, and of what is not read
    (
        "CP that stops at 12",
        "5c309876cdef0123cdeffedc",
        "control 8 cdef0123 cdef>fedc opaque 9876 payload 0 rod retx +0",
    ),
    (
        "CP that stops at 15",
        "5c309876cdef0123cdeffedcc10912",
        "control 8 cdef0123 cdef>fedc opaque 9876 payload 0 rod retx +3",
    ),
    ("CP that stops at 11", "5c309876cdef0123cdeffe", "length mismatch"),
    ("ACK_CC of 31", "42000000000003e80009000700010000000000000000000100000000000500", "length mismatch"),
    ("ACK_CCX of 23", "4a000000000003e800090007e002000000000000000000", "length mismatch"),
    ("NACK of 15", "50000100000003ea00090007000000", "length mismatch"),
    ("request with credits of 15", "69901234987654323456 9abc 778877", "length mismatch"),
    ("SYN in a Clear", "5904000000000000000700090001234600", "contradiction"),
    ("SYN in a Credit Request", "5c040000000000000007000900012346", "contradiction"),
    (
        "a message ID that is cut",
        "119012349876543234569abc 022b12",
        "data 98765432 3456>9abc clear 4660 retx +3",
    ),
    ("no standard request", "111012349876543234569abc S1", "data 98765432 3456>9abc clear 4660 retx +44"),
    (
        "reserved flags of a request",
        "11e312349876543234569abc S1",
        "data 98765432 3456>9abc clear 4660 message 1234 +44",
    ),
    ("a reserved ctl", "5f800000000003e80009000700000005", "control 15 3e8 9>7 opaque 0 payload 5 +4"),
];

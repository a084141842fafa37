-- Dissector of the profile `strack`: UDP 4791, base transport header, then the fields of STrack.
--   wireshark -X lua_script:tb/wireshark/strack.lua -o udp.try_heuristic_first:TRUE capture.pcap
-- An EV is any source port, also one that Wireshark knows a protocol of and would ask first; the option turns that around.
-- The layout is that of golden/src/wire/strack.rs. Opcodes of RoCE itself are left to its own dissector.

local strack = Proto("strack", "STrack packet spraying")
local f = strack.fields

f.opcode = ProtoField.uint8("strack.opcode", "Opcode", base.HEX, { [0xc0] = "Data", [0xc1] = "ACK" })
f.partition = ProtoField.uint16("strack.partition", "Partition", base.HEX)
f.connection = ProtoField.uint24("strack.connection", "Connection (destination QP)")
f.ack_request = ProtoField.bool("strack.ack_request", "ACK request", 8, nil, 0x80)
f.psn = ProtoField.uint24("strack.psn", "PSN")
f.timestamp = ProtoField.uint16("strack.timestamp", "Timestamp")
f.probe = ProtoField.bool("strack.probe", "Probe", 8, nil, 0x80)
f.hops = ProtoField.uint8("strack.hops", "Hops")
f.echo_entropy = ProtoField.uint16("strack.echo_entropy", "Echoed EV")
f.echo_timestamp = ProtoField.uint16("strack.echo_timestamp", "Echoed timestamp")
f.recv_bytes = ProtoField.uint32("strack.recv_bytes", "Bytes received")
f.expected_psn = ProtoField.uint24("strack.expected_psn", "Expected PSN")
f.ooo = ProtoField.uint16("strack.ooo", "Packets out of order")
f.ecn_echo = ProtoField.bool("strack.ecn_echo", "Echoed ECN mark", 8, nil, 0x08)
f.probe_echo = ProtoField.bool("strack.probe_echo", "Answers a probe", 8, nil, 0x04)
f.sack_base = ProtoField.uint24("strack.sack_base", "PSN of the bitmap's bit 0")
f.sack_bitmap = ProtoField.uint64("strack.sack_bitmap", "SACK bitmap", base.HEX)

local DATA, ACK = 0xc0, 0xc1
local BYTES = { [DATA] = 16, [ACK] = 36 }

-- Tells frames of the profile from RoCE on the same port.
local function is_strack(buffer)
    local bytes = buffer:len() > 0 and BYTES[buffer(0, 1):uint()]
    return bytes and buffer:len() >= bytes
end

local function dissect(buffer, pinfo, root)
    local opcode = buffer(0, 1):uint()
    local tree = root:add(strack, buffer(0, BYTES[opcode]))
    pinfo.cols.protocol = "STrack"
    tree:add(f.opcode, buffer(0, 1))
    tree:add(f.partition, buffer(2, 2))
    tree:add(f.connection, buffer(5, 3))
    tree:add(f.ack_request, buffer(8, 1))
    tree:add(f.psn, buffer(9, 3))
    local info = string.format("connection %d, PSN %d", buffer(5, 3):uint(), buffer(9, 3):uint())
    if opcode == DATA then
        tree:add(f.timestamp, buffer(12, 2))
        tree:add(f.probe, buffer(14, 1))
        tree:add(f.hops, buffer(15, 1))
        local name = buffer(14, 1):bitfield(0, 1) == 1 and "Probe" or "Data"
        pinfo.cols.info = string.format("%s, %s, EV %d", name, info, pinfo.src_port)
    else
        tree:add(f.echo_entropy, buffer(12, 2))
        tree:add(f.echo_timestamp, buffer(14, 2))
        tree:add(f.recv_bytes, buffer(16, 4))
        tree:add(f.expected_psn, buffer(20, 3))
        -- bits 7:0 come first, then bits 11:8
        tree:add(f.ooo, buffer(23, 2), buffer(23, 1):uint() + 256 * buffer(24, 1):bitfield(0, 4))
        tree:add(f.ecn_echo, buffer(24, 1))
        tree:add(f.probe_echo, buffer(24, 1))
        tree:add(f.sack_base, buffer(25, 3))
        tree:add(f.sack_bitmap, buffer(28, 8))
        pinfo.cols.info = string.format("ACK, %s, expected %d", info, buffer(20, 3):uint())
    end
end

local roce = DissectorTable.get("udp.port"):get_dissector(4791)

function strack.dissector(buffer, pinfo, root)
    if is_strack(buffer) then
        dissect(buffer, pinfo, root)
        return buffer:len()
    end
    return roce and roce:call(buffer, pinfo, root) or 0
end

DissectorTable.get("udp.port"):add(4791, strack)

strack:register_heuristic("udp", function(buffer, pinfo, root)
    if pinfo.dst_port ~= 4791 or not is_strack(buffer) then
        return false
    end
    dissect(buffer, pinfo, root)
    return true
end)

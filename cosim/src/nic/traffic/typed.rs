//! What a block of Ultra Ethernet has besides: its settings, requests with SYN, NACKs, control packets, and trimmed packets.

use rand::RngExt;
use respray_golden::paths::frame::set_dscp;
use respray_golden::wire::{Packet, uet};

use super::Traffic;
use crate::nic::difference::Difference;

/// DSCPs of trimmed packets, and of those that were trimmed at the last hop.
const TRIMMED: [u8; 2] = [16, 18];
/// Codes of NACKs: those that the scoreboard acts on, and others.
const CODES: [u8; 8] = [0x01, 0x01, 0x02, 0x0d, 0x1a, 0x0b, 0x0e, 0xff];

/// Whether a connection delivers in order, both ways.
fn is_ordered(conn: u32) -> bool {
    conn % 4 == 1
}

impl Traffic<'_> {
    pub(super) fn is_typed(&self) -> bool {
        self.peer.config().uet.is_some()
    }

    /// Lowest PSN of a connection that is not acknowledged, and the next one.
    pub(super) fn stands(&self, number: u16) -> (u32, u32) {
        let golden = self.end.golden();
        match golden.uet_scoreboard() {
            Some(scoreboard) => {
                let connection = scoreboard.connection(number);
                (connection.snd_una, connection.snd_nxt)
            }
            None => {
                let connection = golden.scoreboard().connection(number);
                (connection.snd_una, connection.snd_nxt)
            }
        }
    }

    /// Random settings, at both ends.
    pub(super) fn set_typed(&mut self) -> Result<(), Difference> {
        if !self.is_typed() {
            return Ok(());
        }
        let random = &mut self.random;
        let has_trimmed = random.random_ratio(3, 4);
        let settings = [
            ("ack_type", random.random_range(7..=9)),
            ("ack_response", random.random_range(0..2)),
            ("ack_gen_trigger", [0, 0, 500, 4096, 16_384][random.random_range(0..5)]),
            ("ack_gen_min", [0, 1024, random.random_range(0..=2048)][random.random_range(0..3)]),
            ("ack_on_ecn", random.random_range(0..2)),
            ("nominal_extra", [60, random.random_range(0..=0xff)][random.random_range(0..2)]),
            ("dscp_control", random.random_range(0..64)),
            ("dscp_trimmed", if has_trimmed { TRIMMED[0].into() } else { 0 }),
            ("dscp_trimmed_last", if has_trimmed { TRIMMED[1].into() } else { 0 }),
            ("probe", random.random_range(0..2)),
            ("default_mpr", [0, 1, 1, 255][random.random_range(0..4)]),
            ("rx_acks", random.random_range(0..3)),
            ("loss_rules", random.random_range(0..4)),
            ("max_rto_retx", [0, 1, 5, 15][random.random_range(0..4)]),
            ("sack_cack_align", [0, 0, random.random_range(0..4)][random.random_range(0..3)]),
        ];
        settings.into_iter().try_for_each(|(name, value)| self.write(name, value))
    }

    /// Who the peer of the connection is that is opened next, unless an ACK is to say so. The other end knows it, and so it answers.
    pub(super) fn write_peer(&mut self, number: u16) -> Result<(), Difference> {
        if !self.is_typed() {
            return Ok(());
        }
        let peer = match self.random.random_range(0..8) {
            0 | 1 => 0,
            2 => self.random.random_range(0..1 << 16),
            // a PDC of 0 has nobody
            _ => u32::from(number),
        };
        self.end.write("command_peer", peer)?;
        self.write("command_mode", is_ordered(number.into()).into())?;
        let address = self.peer.address("command_peer").expect("there is such a register");
        self.peer.write(address, number.into()).expect("a value of the register");
        Ok(())
    }

    /// The host has a packet with SYN taken in, which may be of any PSN near.
    pub(super) fn accept(&mut self, number: u16, theirs: u32) -> Result<(), Difference> {
        let random = &mut self.random;
        let near = theirs.wrapping_add(random.random_range(0..6)).wrapping_sub(3);
        let psn = if random.random_ratio(1, 4) { random.random() } else { near };
        let (bytes, flags) = (random.random_range(0..1 << 16), random.random_range(0..8));
        let operands = [("command_psn", psn), ("command_bytes", bytes), ("command_flags", flags)];
        operands.into_iter().try_for_each(|(name, value)| self.end.write(name, value))?;
        self.end.write("accept", number.into())?;
        ["result_status", "result_nack", "result_snd_una"]
            .into_iter()
            .try_for_each(|name| self.end.check_register(name))
    }

    /// The header of a packet, or of a probe.
    pub(super) fn typed_data(&mut self, conn: u32, psn: u32, again: bool, is_probe: bool) -> Vec<u8> {
        let random = &mut self.random;
        let source_pdc = if random.random_ratio(1, 32) { random.random() } else { conn as u16 };
        let destination_pdc = if conn >> 16 == 0 { conn as u16 } else { random.random() };
        if is_probe {
            return Packet::UetControl(uet::Control {
                ctl: uet::CTL_PROBE,
                ack_request: true,
                probe_opaque: random.random(),
                psn,
                source_pdc,
                destination_pdc,
                payload: Some(psn.wrapping_sub(random.random_range(0..200))),
                ..uet::Control::default()
            })
            .to_bytes();
        }
        Packet::UetRequest(uet::Request {
            ordered: is_ordered(conn) ^ random.random_ratio(1, 48),
            next_header: random.random_range(0..16),
            retransmit: again || random.random_ratio(1, 16),
            ack_request: random.random_ratio(1, 4),
            syn: random.random_ratio(1, 32),
            clear_psn_offset: random.random(),
            psn,
            source_pdc,
            destination_pdc,
            credit: random.random_ratio(1, 8).then(uet::Credit::default),
        })
        .to_bytes()
    }

    /// Now and then a NACK or a control packet comes.
    pub(super) fn typed(&mut self, number: u16, theirs: u32) -> Option<Vec<u8>> {
        if !self.is_typed() || !self.random.random_ratio(1, 8) {
            return None;
        }
        let (una, nxt) = self.stands(number);
        let random = &mut self.random;
        let source_pdc = if random.random_ratio(1, 16) { random.random() } else { number };
        let header = if random.random() {
            let outstanding = nxt.wrapping_sub(una).min(1 << 12);
            let at = random.random_range(0..=outstanding + 1);
            Packet::UetNack(uet::Nack {
                is_ccx: false,
                next_header: random.random_range(0..16),
                ecn_echo: random.random(),
                retransmit: random.random(),
                of_rudi: random.random_ratio(1, 32),
                nack_code: CODES[random.random_range(0..CODES.len())],
                vendor_code: random.random(),
                psn: una.wrapping_add(at).wrapping_sub(u32::from(random.random_ratio(1, 16))),
                source_pdc: if random.random_ratio(1, 8) { 0 } else { source_pdc },
                destination_pdc: number,
                payload: random.random(),
            })
        } else {
            let near = theirs.wrapping_add(random.random_range(0..8)).wrapping_sub(5);
            Packet::UetControl(uet::Control {
                ctl: [0, 1, 1, 2, 4, 5, 6, 9, random.random_range(0..16)][random.random_range(0..9)],
                ordered: is_ordered(number.into()) ^ random.random_ratio(1, 16),
                retransmit: random.random_ratio(1, 4),
                ack_request: random.random(),
                syn: random.random_ratio(1, 16),
                probe_opaque: random.random(),
                psn: near,
                source_pdc,
                destination_pdc: if random.random_ratio(1, 32) { random.random() } else { number },
                payload: random.random_ratio(7, 8).then_some(near),
            })
        };
        Some(self.around(header.to_bytes()))
    }

    /// An ACK as another receiver may put it: its cumulative PSN is held back, it says more or less, or it asks for something.
    pub(super) fn retold(&mut self, header: Vec<u8>) -> Vec<u8> {
        if !self.is_typed() || !self.random.random_ratio(1, 3) {
            return header;
        }
        let Ok(Packet::UetAck(mut ack)) = uet::parse(&header) else { return header };
        let random = &mut self.random;
        let back = if ack.probe { 0 } else { random.random_range(0..4) };
        ack.cack_psn = ack.cack_psn.wrapping_sub(back);
        ack.ack_psn_offset = ack.ack_psn_offset.wrapping_add(back as i16);
        ack.request = [0, 0, random.random_range(0..4)][random.random_range(0..3)];
        if let Some(cc) = &mut ack.cc {
            cc.sack_psn_offset = cc.sack_psn_offset.wrapping_add(back as i16);
            cc.mpr = [cc.mpr, cc.mpr, 0, 1, random.random()][random.random_range(0..5)];
            if random.random_ratio(1, 4) {
                cc.rcvd_bytes = cc.rcvd_bytes.wrapping_add(random.random_range(0..1 << 23)) & 0xff_ffff;
            }
            cc.cc_type = [cc.cc_type, cc.cc_type, random.random_range(0..16)][random.random_range(0..3)];
        }
        if random.random_ratio(1, 4) {
            ack.cc = None;
        }
        ack.next_header = [0, 4, 4, 5, random.random_range(0..16)][random.random_range(0..5)];
        let state = if ack.cc.is_some_and(|cc| cc.is_ccx) { 16 } else { 0 };
        let mut header = Packet::UetAck(ack).to_bytes();
        // the response, of which the first byte says what it is, may be missing
        header.extend((0..state).map(|_| random.random::<u8>()));
        if random.random_ratio(3, 4) {
            header.push([0xc0, 0x01, 0x40, 0x80][random.random_range(0..4)]);
        }
        header
    }

    /// Whether the host sends a control packet next.
    pub(super) fn host_controls(&mut self) -> bool {
        self.is_typed() && self.random.random_ratio(1, 12)
    }

    /// A control packet of the host. Some take a PSN.
    pub(super) fn host_control(&mut self, number: u16, next: u32) -> Vec<u8> {
        let random = &mut self.random;
        let ctl = [0, 4, 5, 9, random.random_range(0..10)][random.random_range(0..5)];
        let takes_psn = matches!(ctl, 0 | 4 | 5 | 9);
        let psn = if random.random_ratio(1, 16) { random.random() } else { next };
        let control = uet::Control {
            ctl,
            ordered: random.random(),
            retransmit: random.random(),
            ack_request: random.random(),
            syn: matches!(ctl, 0 | 9) && random.random(),
            probe_opaque: random.random(),
            psn,
            source_pdc: if random.random_ratio(1, 32) { random.random() } else { number },
            destination_pdc: number,
            payload: random.random_ratio(3, 4).then(|| random.random()),
        };
        if takes_psn && control.psn == next && control.source_pdc == number {
            let at = self.connections.iter_mut().find(|connection| connection.number == number);
            at.expect("it is one of them").next = next.wrapping_add(1);
        }
        self.around(Packet::UetControl(control).to_bytes())
    }

    /// Now and then a packet was trimmed on its way, or says so.
    pub(super) fn trim(&mut self, bytes: &mut Vec<u8>) {
        if !self.is_typed() || !self.random.random_ratio(1, 16) {
            return;
        }
        set_dscp(bytes, TRIMMED[self.random.random_range(0..2)]);
        if self.random.random() {
            bytes.truncate(self.random.random_range(60..=bytes.len().max(60)).min(bytes.len()));
        }
    }
}

//! What is said once of settings, operands and counters: the table of registers and the RTL's ports both come from here.

/// Gives the rows to the macro `$then`, behind what it is called with.
///
/// Settings and operands: name, bits, value after `rst`, values that may be written, meaning; what follows from the configuration
/// is put right in [`table`](super::table). Counters: number, name, meaning;
/// that of the refused accesses has no port.
macro_rules! rows {
    ($then:ident! $($with:tt)*) => {
        $then! {
            [$($with)*]
            settings {
                udp_port 16 0 (0..=0xffff) "UDP destination port of the profile";
                flow_label_enable 1 0 (0..=1) "EV also into the low 16 bits of an IPv6 flow label";
                wire_prescale 5 3 (0..=16) "a tick of the wire is 2^n clock cycles; at most sack_prescale";
                sack_prescale 5 5 (0..=16) "a tick of sack_tx is 2^n clock cycles; at least wire_prescale, and as much as its walker needs";
                selector_prescale 5 0 (0..=16) "a tick of a selector with times of 32 bits is 2^n clock cycles";
                sack_threshold 16 4096 (0..=0xffff) "bytes of new packets that make a SACK due; 0: every packet does";
                cwnd_packets 12 64 (1..=0xfff) "window in packets: for retransmissions, and for rule 1";
                probe_timeout 16 300 (1..=0xffff) "ticks of sack_tx without a SACK until a probe is sent";
                probe_rtt 16 150 (0..=0xffff) "ticks of sack_tx up to which a probe's answer proves a loss; below probe_timeout";
                rto 16 20_000 (1..=0xffff) "ticks of sack_tx without progress until everything is lost";
                rto_backoff_max 3 0 (0..=7) "times that timeouts in a row may double rto";
                seed 16 0 (0..=0xffff) "seed of the random EVs, from the next command reset on";
                event_enable 15 0x7fff (0..=0x7fff) "bit i: events of kind i are made; without bit 2 nothing is handed out for retransmission";
            }
            operands {
                command_conn 24 0 (0..=0) "connection of the next command";
                command_psn 32 0 (0..=0) "PSN of the next command";
                command_ev 16 0 (0..=0xffff) "EV of the next command";
            }
            counters {
                0 tx_data "Data packets sent for the first time";
                1 tx_again "Data packets sent again";
                2 tx_probes "Probes sent";
                3 tx_sacks "SACKs sent";
                4 tx_other "Frames of the host that passed unchanged";
                5 tx_malformed "Those of them that are malformed";
                6 tx_refused "Data packets of the host that were not sent: gap, window full, or connection not open";
                7 selector_explore "Packets with a random or next EV";
                8 selector_recycle "Packets with an EV that feedback named";
                9 selector_replay "Packets with an EV used before";
                10 rx_new "New data packets";
                11 rx_duplicate "Data packets that came again";
                12 rx_outside "Data packets beyond the window";
                13 rx_not_open "Data packets and probes of connections that are not open";
                14 rx_marked "Data packets and probes with a CE mark";
                15 rx_probes "Probes that came";
                16 rx_acks "ACKs that the scoreboard took";
                17 rx_acks_old "ACKs older than one that it had taken";
                18 rx_acks_bad "ACKs that cannot be true, or of connections that are not open";
                19 rx_other "Frames that are not the profile's";
                20 rx_malformed "Truncated, bad IPv4 checksum or length mismatch";
                21 rx_bad "Frames that the MAC marked as bad, dropped";
                22 rx_dropped_host "Frames dropped because the host did not take those before";
                23 rx_dropped_engine "Data packets and probes dropped because too many waited for sack_rx";
                24 acks_dropped "ACKs dropped because too many waited for sack_tx";
                25 sacks_dropped "SACKs dropped because too many waited for tx_out";
                26 loss_ooo "Losses by the out-of-order count";
                27 loss_probe "Losses by a probe";
                28 loss_timeout "Losses by timeout";
                29 recovery_left "Recoveries that ended";
                30 handed_out "PSNs handed out to be sent again";
                31 events_lost "Events that found the queue full";
            }
            refused {
                32 accesses_refused "Register accesses that were refused";
            }
        }
    };
}
pub(super) use rows;

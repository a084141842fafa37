//! The run-time settings: inputs of the cores, and of the `nic` itself.

use std::ops::RangeInclusive;

use super::{Config, Kind};
use crate::sack_tx::Inputs;
use crate::strack_cc;

/// Where a setting stands among the registers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Block {
    Settings,
    /// What the next command is about.
    Operands,
    /// Of STrack's window.
    Window,
}

/// What is said of a setting, its name apart.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    pub setting: Setting,
    pub block: Block,
    pub name: &'static str,
    /// Bits.
    pub width: u8,
    pub reset: u32,
    pub allowed: RangeInclusive<u32>,
    pub meaning: &'static str,
}

macro_rules! settings {
    ($($block:ident { $($setting:ident $name:literal $width:literal $reset:literal $allowed:expr, $meaning:literal;)* })*) => {
        /// A run-time setting.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum Setting {
            $($(#[doc = $meaning] $setting,)*)*
            /// UDP source port of connection 0 on the way to the host, where the ports are those of the connections.
            RssPortBase,
            /// Where events go in frames: bytes 0 and 1 of their destination.
            EventMacHigh,
            /// Bytes 2 to 5 of it.
            EventMacLow,
            /// Their EtherType.
            EventType,
            /// Events of a frame, at most.
            EventBatch,
            /// Ticks of the wire that events wait until a frame is begun.
            EventTicks,
            /// Of the peer that is entered next: the number by which it knows the connection.
            PeerNumber,
            /// What it has: number, address, address of IPv6.
            PeerFlags,
            /// The first four bytes of its address.
            PeerAddress0,
            /// The next four.
            PeerAddress1,
            /// The next four.
            PeerAddress2,
            /// The last four, and all of an address of IPv4.
            PeerAddress3,
            /// Where the host hears of closes: whether the next `close_tx` drains first.
            CloseDrains,
            /// Of Ultra Ethernet, as all up to those of the selector: type of ACKs.
            AckType,
            /// ACKs carry a default response.
            AckResponse,
            /// Bytes that make an ACK due.
            AckGenTrigger,
            /// Bytes for which a packet counts at least.
            AckGenMin,
            /// A mark makes an ACK due.
            AckOnEcn,
            /// Bytes that a packet counts beside those behind its header.
            NominalExtra,
            /// DSCP of what the block makes.
            DscpControl,
            /// DSCP of trimmed packets.
            DscpTrimmed,
            /// The same of those of the last hop.
            DscpTrimmedLast,
            /// MPR before an ACK says one.
            DefaultMpr,
            /// The block sends probes.
            OwnProbes,
            /// Rules 1 and 2 of loss.
            LossRules,
            /// Timeouts in a row that are borne.
            MaxRtoRetx,
            /// Which ACKs go to the host.
            RxAcks,
            /// What the offset of a bitmap counts from.
            SackCackAlign,
            /// Mode of a connection that is opened.
            CommandMode,
            /// The peer's number of it.
            CommandPeer,
            /// Bytes of a packet that is accepted.
            CommandBytes,
            /// Its flags.
            CommandFlags,
            /// First one of the selector's own, in the order of its list.
            Selector0,
            /// Its second.
            Selector1,
            /// Its third.
            Selector2,
            /// Its fourth.
            Selector3,
            /// Its fifth.
            Selector4,
            /// Its sixth.
            Selector5,
            /// Its seventh.
            Selector6,
            /// Its eighth.
            Selector7,
        }

        /// What is said of every setting but the selector's, in the order of their registers.
        fn rows() -> Vec<Row> {
            vec![$($(Row {
                setting: Setting::$setting,
                block: Block::$block,
                name: $name,
                width: $width,
                reset: $reset,
                allowed: $allowed,
                meaning: $meaning,
            },)*)*]
        }
    };
}

// Name, bits, reset value, values allowed, meaning. What depends on the configuration is put right in `table`.
settings! {
    Settings {
        UdpPort "udp_port" 16 0 0..=0xffff, "UDP destination port of the profile";
        FlowLabelEnable "flow_label_enable" 1 0 0..=1, "EV also into the low 16 bits of an IPv6 flow label";
        WirePrescale "wire_prescale" 5 3 0..=16, "a tick of the wire is 2^n clock cycles; at most sack_prescale";
        SackPrescale "sack_prescale" 5 5 0..=16, "a tick of sack_tx is 2^n clock cycles; at least wire_prescale, and as much as its walker needs";
        SelectorPrescale "selector_prescale" 5 0 0..=16, "a tick of a selector with times of 32 bits is 2^n clock cycles";
        SackThreshold "sack_threshold" 16 4096 0..=0xffff, "bytes of new packets that make a SACK due; 0: every packet does";
        CwndPackets "cwnd_packets" 12 64 1..=0xfff, "window in packets: for retransmissions, and for rule 1";
        ProbeTimeout "probe_timeout" 16 300 1..=0xffff, "ticks of sack_tx without a SACK until a probe is sent";
        ProbeRtt "probe_rtt" 16 150 0..=0xffff, "ticks of sack_tx up to which a probe's answer proves a loss";
        Rto "rto" 16 20_000 1..=0xffff, "ticks of sack_tx without progress until everything is lost";
        RtoBackoffMax "rto_backoff_max" 3 0 0..=7, "times that timeouts in a row may double rto";
        Seed "seed" 16 0 0..=0xffff, "seed of the random EVs, from the next command reset on";
        EventEnable "event_enable" 0 0 0..=0, "bit i: events of kind i are made; without bit 2 nothing is handed out for retransmission";
    }
    Operands {
        CommandConn "command_conn" 24 0 0..=0, "connection of the next command";
        CommandPsn "command_psn" 32 0 0..=0xff_ffff, "PSN of the next command";
        CommandEv "command_ev" 16 0 0..=0xffff, "EV of the next command";
    }
    Window {
        NetBaseRtt "net_base_rtt" 16 967 0..=0xffff, "ticks of the wire of the RTT of an idle network: base_rtt of a connection that is opened";
        MinBaseRtt "min_base_rtt" 16 0 0..=0xffff, "ticks of the wire: RTTs below this do not lower base_rtt";
        TargetQdelay "target_qdelay" 16 967 0..=0xffff, "ticks of the wire of the queuing delay that is aimed at";
        TargetQhigh "target_qhigh" 16 2901 0..=0xffff, "ticks of the wire of the queuing delay above which it is high";
        Alpha "alpha" 16 4338 0..=0xffff, "proportional increase, 2^-18 packets^2 per tick";
        Beta "beta" 16 5120 0..=0xffff, "additive increase, 2^-8 packets^2";
        Eta "eta" 16 2458 0..=0xffff, "increase for fairness, 2^-12 packets a base_rtt";
        Gamma "gamma" 16 52_429 0..=0xffff, "multiplicative decrease, 2^-16";
        MaxCwnd "max_cwnd" 10 146 0..=0x3ff, "largest window in packets; 0 is taken as 1";
        MtuLog2 "mtu_log2" 4 12 0..=0xf, "logarithm of the bytes of a packet, 8 to 13; with others windows stay as they are";
    }
}

impl Setting {
    /// Those of the selector.
    pub const SELECTOR: [Setting; 8] = [
        Setting::Selector0,
        Setting::Selector1,
        Setting::Selector2,
        Setting::Selector3,
        Setting::Selector4,
        Setting::Selector5,
        Setting::Selector6,
        Setting::Selector7,
    ];
}

/// What is said of every setting in a configuration, but for the selector's own.
pub fn table(config: &Config) -> Vec<Row> {
    let mut rows = rows();
    for row in &mut rows {
        match row.setting {
            Setting::UdpPort => row.reset = config.profile.udp_port().into(),
            Setting::SackPrescale => {
                let least = config.least_sack_prescale();
                row.reset = row.reset.max(least);
                row.allowed = least..=*row.allowed.end();
            }
            Setting::EventEnable => {
                row.width = Kind::ENABLE_BITS as u8;
                row.reset = (1 << row.width) - 1;
                row.allowed = 0..=row.reset;
            }
            Setting::CommandConn => row.allowed = 0..=config.connections - 1,
            _ => {}
        }
    }
    rows
}

/// A value for each setting; 0 for those that the selector has not got.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Settings {
    values: [u32; Setting::Selector7 as usize + 1],
}

impl Settings {
    /// These values, 0 elsewhere.
    pub fn of(values: impl Iterator<Item = (Setting, u32)>) -> Self {
        let mut settings = Settings { values: [0; Setting::Selector7 as usize + 1] };
        values.for_each(|(setting, value)| settings.set(setting, value));
        settings
    }

    pub fn get(&self, setting: Setting) -> u32 {
        self.values[setting as usize]
    }

    pub fn set(&mut self, setting: Setting, value: u32) {
        self.values[setting as usize] = value;
    }

    /// Settings of the selector, in the order of its list.
    pub fn selector(&self) -> [u32; 8] {
        Setting::SELECTOR.map(|setting| self.get(setting))
    }

    /// Settings of STrack's window.
    pub fn window(&self) -> strack_cc::Settings {
        let of = |setting| self.get(setting) as u16;
        strack_cc::Settings {
            net_base_rtt: of(Setting::NetBaseRtt),
            min_base_rtt: of(Setting::MinBaseRtt),
            target_qdelay: of(Setting::TargetQdelay),
            target_qhigh: of(Setting::TargetQhigh),
            alpha: of(Setting::Alpha),
            beta: of(Setting::Beta),
            eta: of(Setting::Eta),
            gamma: of(Setting::Gamma),
            max_cwnd: of(Setting::MaxCwnd),
            mtu_log2: self.get(Setting::MtuLog2) as u8,
        }
    }

    /// Inputs of `sack_tx` at a time, with a window in packets.
    pub fn sack_tx(&self, now: u16, cwnd_packets: u16) -> Inputs {
        Inputs {
            now,
            cwnd_packets,
            probe_timeout: self.get(Setting::ProbeTimeout) as u16,
            probe_rtt: self.get(Setting::ProbeRtt) as u16,
            rto: self.get(Setting::Rto) as u16,
            rto_backoff_max: self.get(Setting::RtoBackoffMax) as u8,
        }
    }
}

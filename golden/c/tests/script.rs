//! A run of golden blocks with hosts and a bad network between them: what the block of one end is asked, and what it answers.

use std::cell::RefCell;
use std::rc::Rc;

use respray_golden::hosts::{Device, Hooks, Message, Port, Setup, run_with};
use respray_golden::nic::{Counter, Delivery, Event, Nic, Sent, Transmitted};
use respray_golden::paths::{self, Path};

/// A line for each thing that the block was asked, and for each answer.
#[derive(Clone, Debug, Default)]
pub struct Script {
    pub asked: Vec<String>,
    pub answers: Vec<String>,
    /// Frames that went in.
    pub frames: usize,
}

/// A block that notes what it is asked.
struct Noted {
    nic: Nic,
    script: Rc<RefCell<Script>>,
}

impl Noted {
    fn note(&self, asked: String, answer: Option<String>) {
        let mut script = self.script.borrow_mut();
        script.asked.push(asked);
        script.answers.extend(answer);
    }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// A frame and what stands beside it, or that there is none.
fn shown(name: &str, found: Option<(&[u8], Vec<u64>)>) -> String {
    match found {
        None => format!("{name} -"),
        Some((frame, words)) => {
            let words: String = words.iter().map(|word| format!(" {word}")).collect();
            format!("{name} {}{words}", hex(frame))
        }
    }
}

fn beside_sent(transmitted: &Transmitted) -> Vec<u64> {
    let [sent, kind] = match transmitted.sent {
        Sent::Other => [0, 3],
        Sent::Data { again: false, kind } => [1, kind.code()],
        Sent::Data { again: true, kind } => [2, kind.code()],
        Sent::Probe { kind } => [3, kind.code()],
        Sent::Sack => [4, 3],
    };
    vec![transmitted.user.into(), sent.into(), kind.into()]
}

fn beside_delivered(delivery: &Delivery) -> Vec<u64> {
    let record = &delivery.record;
    vec![
        record.kind_code().into(),
        record.error_code().into(),
        record.connection.into(),
        record.psn.into(),
        record.bytes.into(),
        record.ecn.into(),
        record.ev.into(),
        record.timestamp.into(),
        record.ack_request.into(),
        delivery.status_code().into(),
    ]
}

fn told(event: &Event) -> Vec<u64> {
    let bits = event.to_bits();
    [(0, 4), (4, 1), (8, 24), (32, 32), (64, 16), (80, 16), (96, 32)]
        .map(|(low, width)| (bits >> low) as u64 & ((1 << width) - 1))
        .to_vec()
}

impl Port for Noted {
    fn offer(&mut self, frame: Vec<u8>) -> Result<(), Vec<u8>> {
        let asked = format!("tx {}", hex(&frame));
        let done = self.nic.offer(frame);
        self.note(asked, Some(format!("tx {}", u8::from(done.is_ok()))));
        self.script.borrow_mut().frames += usize::from(done.is_ok());
        done
    }

    fn deliver(&mut self) -> Option<Delivery> {
        let delivery = self.nic.deliver();
        let found = delivery.as_ref().map(|delivery| (&delivery.frame[..], beside_delivered(delivery)));
        self.note("rx_out".into(), Some(shown("rx_out", found)));
        delivery
    }

    fn event(&mut self) -> Option<Event> {
        let event = self.nic.event();
        let found = event.as_ref().map(|event| (&[][..], told(event)));
        self.note("event".into(), Some(shown("event", found)));
        event
    }

    fn events_lost(&mut self) -> u64 {
        self.nic.counter(Counter::EventsLost)
    }

    fn read_register(&mut self, name: &str) -> u32 {
        let address = self.nic.address(name).unwrap();
        let value = self.nic.read(address).unwrap();
        self.note(format!("read {address}"), Some(format!("read {value}")));
        value
    }

    fn write_register(&mut self, name: &str, value: u32) {
        let address = self.nic.address(name).unwrap();
        self.nic.write(address, value).unwrap();
        self.note(format!("write {address} {value}"), None);
    }
}

impl Device for Noted {
    fn advance(&mut self, cycles: u64) {
        self.nic.advance(cycles);
        self.note(format!("advance {cycles}"), None);
    }

    fn receive(&mut self, frame: Vec<u8>) {
        self.note(format!("rx {}", hex(&frame)), Some("rx 1".into()));
        self.script.borrow_mut().frames += 1;
        self.nic.receive(frame, false);
    }

    fn transmit(&mut self) -> Option<Transmitted> {
        let transmitted = self.nic.transmit();
        let found = transmitted.as_ref().map(|sent| (&sent.frame[..], beside_sent(sent)));
        self.note("tx_out".into(), Some(shown("tx_out", found)));
        transmitted
    }
}

/// What the block of one end is asked while so many packets of each of four connections go each way over paths that lose one packet in
/// twenty, and what it answers.
pub fn script(packets: u32) -> Script {
    let path = Path { loss_ppm: 50_000, ..Path::default() };
    let messages = || (0..4).map(|conn| Message { conn, bytes: packets * 64 }).collect();
    let setup = Setup {
        settings: vec![
            ("cwnd_packets", 16),
            ("sack_threshold", 128),
            ("rto", 2000),
            ("freeze_timeout", 5000),
        ],
        network: paths::Config { paths: vec![path; 4], ..Setup::default().network },
        connections: 4,
        messages: [messages(), messages()],
        payload: 64,
        first_psn: (1 << 24) - 1010,
        ..Setup::default()
    };
    let script = Rc::new(RefCell::new(Script::default()));
    let unheard = Rc::new(RefCell::new(Script::default()));
    let end = |script: &Rc<_>| Noted { nic: Nic::new(setup.nic.clone()), script: Rc::clone(script) };
    let report = run_with(&setup, Hooks::default(), [end(&script), end(&unheard)]);
    report.unwrap_or_else(|broken| panic!("{broken}"));
    script.take()
}

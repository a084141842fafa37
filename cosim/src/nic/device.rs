//! The `nic` in a simulator, cycle by cycle.

use respray_hdl::nic::top::{SEEN, SEEN_NUMBERS, Seen};

use crate::noise::Noise;
use crate::simulators::Process;
use crate::verilator::{Model, ModelError};

/// Where a stream of frames is in the rows.
#[derive(Clone, Copy, Debug)]
pub(super) struct Stream {
    pub data: usize,
    pub keep: usize,
    pub valid: usize,
    pub last: usize,
    pub user: Option<usize>,
    pub ready: usize,
}

/// Names of what stands beside a frame on `rx_out`, and where each is in the rows, in the order of [`super::beside::Beside`].
pub(super) const BESIDE: [&str; 10] = [
    "rx_kind",
    "rx_error",
    "rx_conn",
    "rx_psn",
    "rx_bytes",
    "rx_ecn",
    "rx_ev",
    "rx_timestamp",
    "rx_ack_request",
    "rx_status",
];

/// Inputs that the block must not look at while another one is low.
const UNSEEN: [(&str, &[&str]); 5] = [
    ("tx_in_tvalid", &["tx_in_tdata", "tx_in_tkeep", "tx_in_tlast", "tx_in_tuser"]),
    ("rx_in_tvalid", &["rx_in_tdata", "rx_in_tkeep", "rx_in_tlast", "rx_in_tuser"]),
    ("s_axil_awvalid", &["s_axil_awaddr"]),
    ("s_axil_wvalid", &["s_axil_wdata", "s_axil_wstrb"]),
    ("s_axil_arvalid", &["s_axil_araddr"]),
];
/// What they carry then is the same in each run.
const NOISE_SEED: u64 = 1;

/// The columns of a port and the bits of each.
fn words(model: &Model, name: &str) -> Result<Vec<(usize, u32)>, ModelError> {
    let port = model.port(name)?;
    let (first, width) = (port.column(), port.width());
    Ok((0..width.div_ceil(64)).map(|word| (first + word as usize, (width - 64 * word).min(64))).collect())
}

/// Where the register bus is in the rows.
#[derive(Clone, Copy, Debug)]
pub(super) struct Bus {
    pub awaddr: usize,
    pub awvalid: usize,
    pub awready: usize,
    pub wdata: usize,
    pub wstrb: usize,
    pub wvalid: usize,
    pub wready: usize,
    pub bresp: usize,
    pub bvalid: usize,
    pub bready: usize,
    pub araddr: usize,
    pub arvalid: usize,
    pub arready: usize,
    pub rdata: usize,
    pub rresp: usize,
    pub rvalid: usize,
    pub rready: usize,
}

/// Where the stream of events is in the rows.
#[derive(Clone, Copy, Debug)]
pub(super) struct EventPort {
    valid: usize,
    data: usize,
    ready: usize,
}

/// Where everything is in the rows.
#[derive(Clone, Copy, Debug)]
pub(super) struct Columns {
    pub rst: usize,
    pub tx_in: Stream,
    pub rx_in: Stream,
    pub tx_out: Stream,
    pub rx_out: Stream,
    pub beside: [usize; BESIDE.len()],
    /// Where events have a stream of their own.
    pub event: Option<EventPort>,
    pub bus: Bus,
    seen: usize,
    numbers: [usize; SEEN_NUMBERS.len()],
}

/// Numbers that show beside [`Seen`], in the order of [`SEEN_NUMBERS`].
#[derive(Clone, Copy, Debug)]
pub(super) struct Numbers {
    pub op_kind: u64,
    pub op_conn: u64,
    pub spray_kind: u64,
    /// Where packets may have to wait: whose op it is.
    pub spray_from: u64,
    /// Ticks of the wire, of `sack_tx` and of the selector.
    pub times: [u64; 3],
    /// Connection of the event that the receiver offers.
    pub receiver_event_conn: u64,
}

/// The block, its inputs in the coming cycle and its outputs in the last one.
pub(super) struct Device {
    model: Model,
    /// What runs in the place of the model, with the ports of the model, which then stands still.
    beside: Option<Process>,
    pub inputs: Vec<u64>,
    pub outputs: Vec<u64>,
    pub at: Columns,
    /// Bytes of a beat.
    pub beat_bytes: usize,
    /// Inputs that carry noise as long as the first of each is low: columns and widths.
    unseen: Vec<(usize, Vec<(usize, u32)>)>,
    /// Clock cycles so far.
    cycle: u64,
    /// The inputs of all cycles, if they are kept.
    rows: Option<Vec<u64>>,
}

impl Device {
    /// # Errors
    /// If the model has not the ports of the block, or none to watch it by.
    pub fn new(model: Model, beside: Option<Process>) -> Result<Device, ModelError> {
        let (inputs, outputs) = model.design().row_words();
        let at = columns(&model)?;
        let beat_bytes = model.port("tx_in_tkeep")?.width() as usize;
        let unseen = UNSEEN.iter().map(|(valid, names)| {
            let columns = names.iter().map(|name| words(&model, name));
            Ok((model.port(valid)?.column(), columns.collect::<Result<Vec<_>, ModelError>>()?.concat()))
        });
        let unseen = unseen.collect::<Result<_, ModelError>>()?;
        let (inputs, outputs) = (vec![0; inputs], vec![0; outputs]);
        Ok(Device { model, beside, inputs, outputs, at, beat_bytes, unseen, cycle: 0, rows: None })
    }

    /// One clock cycle: the outputs are then those of this cycle.
    #[inline]
    pub fn cycle(&mut self) {
        let noise = Noise::of(NOISE_SEED, self.cycle);
        for (valid, columns) in &self.unseen {
            if self.inputs[*valid] == 0 {
                columns.iter().for_each(|(column, width)| self.inputs[*column] = noise.bits(*column, *width));
            }
        }
        self.cycle += 1;
        if let Some(rows) = &mut self.rows {
            rows.extend_from_slice(&self.inputs);
        }
        match &mut self.beside {
            None => self.model.cycle(&self.inputs, &mut self.outputs),
            Some(process) => {
                process.cycles(&self.inputs, &mut self.outputs);
            }
        }
    }

    /// From now on keeps the inputs.
    pub fn keep_rows(&mut self) {
        self.rows = Some(Vec::new());
    }

    /// Those that were kept.
    pub fn rows(&self) -> &[u64] {
        self.rows.as_deref().unwrap_or_default()
    }

    /// Why the model ended its simulation, if it did.
    pub fn ended(&self) -> Option<String> {
        self.model.ended()
    }

    /// What runs in the place of the model, if something does.
    pub fn take_beside(&mut self) -> Option<Process> {
        self.beside.take()
    }

    pub fn model(&mut self) -> &mut Model {
        &mut self.model
    }

    /// Puts a write on the register bus, which is not offered yet.
    pub fn put_write(&mut self, address: u32, value: u32) {
        let Bus { awaddr, wdata, wstrb, .. } = self.at.bus;
        self.set(awaddr, address.into());
        self.set(wdata, value.into());
        self.set(wstrb, 0xf);
    }

    #[inline]
    pub fn set(&mut self, column: usize, value: u64) {
        self.inputs[column] = value;
    }

    #[inline]
    pub fn get(&self, column: usize) -> u64 {
        self.outputs[column]
    }

    #[inline]
    pub fn is(&self, column: usize) -> bool {
        self.outputs[column] == 1
    }

    #[inline]
    pub fn seen(&self) -> Seen {
        Seen::from_words(&self.outputs[self.at.seen..])
    }

    #[inline]
    pub fn numbers(&self) -> Numbers {
        let [op_kind, op_conn, spray_kind, spray_from, wire, sack, selector, receiver_event_conn] =
            self.at.numbers.map(|at| self.outputs[at]);
        let times = [wire, sack, selector];
        Numbers { op_kind, op_conn, spray_kind, spray_from, times, receiver_event_conn }
    }

    /// Whether the host takes what the event stream offers.
    pub fn set_event_ready(&mut self, is_ready: bool) {
        if let Some(event) = self.at.event {
            self.set(event.ready, is_ready.into());
        }
    }

    /// The record that the host takes from the event stream.
    pub fn event(&self) -> Option<u128> {
        let event = self.at.event.filter(|event| self.inputs[event.ready] == 1 && self.is(event.valid))?;
        let [low, high] = [0, 1].map(|word| u128::from(self.outputs[event.data + word]));
        Some(high << 64 | low)
    }
}

/// The stream of events, if the block has one.
fn event_port(model: &Model) -> Option<EventPort> {
    let at = |name: &str| model.port(name).map(|port| port.column()).ok();
    Some(EventPort { valid: at("event_tvalid")?, data: at("event_tdata")?, ready: at("event_tready")? })
}

fn columns(model: &Model) -> Result<Columns, ModelError> {
    let at = |name: &str| model.port(name).map(|port| port.column());
    let stream = |name: &str| {
        let field = |field: &str| at(&format!("{name}_{field}"));
        Ok::<Stream, ModelError>(Stream {
            data: field("tdata")?,
            keep: field("tkeep")?,
            valid: field("tvalid")?,
            last: field("tlast")?,
            user: field("tuser").ok(),
            ready: field("tready")?,
        })
    };
    let all = |names: &[&str]| names.iter().map(|name| at(name)).collect::<Result<Vec<usize>, ModelError>>();
    let bus = |field: &str| at(&format!("s_axil_{field}"));
    Ok(Columns {
        rst: at("rst")?,
        tx_in: stream("tx_in")?,
        rx_in: stream("rx_in")?,
        tx_out: stream("tx_out")?,
        rx_out: stream("rx_out")?,
        beside: all(&BESIDE)?.try_into().expect("one for each"),
        event: event_port(model),
        bus: Bus {
            awaddr: bus("awaddr")?,
            awvalid: bus("awvalid")?,
            awready: bus("awready")?,
            wdata: bus("wdata")?,
            wstrb: bus("wstrb")?,
            wvalid: bus("wvalid")?,
            wready: bus("wready")?,
            bresp: bus("bresp")?,
            bvalid: bus("bvalid")?,
            bready: bus("bready")?,
            araddr: bus("araddr")?,
            arvalid: bus("arvalid")?,
            arready: bus("arready")?,
            rdata: bus("rdata")?,
            rresp: bus("rresp")?,
            rvalid: bus("rvalid")?,
            rready: bus("rready")?,
        },
        seen: at(SEEN)?,
        numbers: all(&SEEN_NUMBERS.map(|(name, _)| name))?.try_into().expect("one for each"),
    })
}

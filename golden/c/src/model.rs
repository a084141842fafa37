//! A model of any kind, and what all kinds have.

use respray_cosim::stream::STREAM_CORES;
use respray_cosim::{cores, stream};
use respray_hdl::config::Config;
use serde_json::{Value, json};

use crate::describe::{Lane, checked};
use crate::error::{Code, Failure};
use crate::frames::StreamModel;
use crate::nic::NicModel;
use crate::ops::{self, OpModel};

/// Name of the block that joins the cores.
const NIC: &str = "nic";

/// Which rows of a model are meant.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rows {
    /// What goes in: ops, or what goes beside a frame.
    In = 0,
    /// What comes out: results, or what comes beside a frame.
    Out = 1,
}

/// A golden model.
pub enum Model {
    Ops(Box<dyn OpModel>),
    Frames(Box<StreamModel>),
    Nic(Box<NicModel>),
}

/// A model in a configuration of TOML, in which a key that is not given has its default.
///
/// # Errors
/// [`Code::Core`] and [`Code::Config`].
pub fn open(core: &str, config: &str) -> Result<Model, Failure> {
    let config = Config::of_text(config, "configuration")
        .map_err(|error| Failure::new(Code::Config, error.to_string()))?;
    if core == NIC {
        return Ok(Model::Nic(Box::new(NicModel::new(config))));
    }
    if STREAM_CORES.contains(&core) {
        return Ok(Model::Frames(Box::new(StreamModel::new(core, config))));
    }
    match ops::open(core, config) {
        Some(model) => Ok(Model::Ops(model)),
        None => {
            let known: Vec<&str> =
                cores::CORES.iter().chain(&stream::STREAM_CORES).chain(&[NIC]).copied().collect();
            let sentence = format!("there is no core `{core}`; the models are {}", known.join(", "));
            Err(Failure::new(Code::Core, sentence))
        }
    }
}

impl Model {
    /// Kinds of rows that go in or come out.
    pub fn lanes(&self, rows: Rows) -> &[Lane] {
        let [inputs, outputs] = match self {
            Model::Ops(model) => model.lanes(),
            Model::Frames(model) => model.lanes(),
            Model::Nic(model) => model.lanes(),
        };
        match rows {
            Rows::In => inputs,
            Rows::Out => outputs,
        }
    }

    /// One of them.
    ///
    /// # Errors
    /// [`Code::Missing`].
    pub fn lane(&self, rows: Rows, lane: u32) -> Result<&Lane, Failure> {
        let lanes = self.lanes(rows);
        lanes.get(lane as usize).ok_or_else(|| {
            let names: Vec<String> =
                lanes.iter().enumerate().map(|(at, lane)| format!("{at} {}", lane.name)).collect();
            let side = if rows == Rows::In { "inputs" } else { "outputs" };
            Failure::new(Code::Missing, format!("there is no {lane} among the {side}: {}", names.join(", ")))
        })
    }

    /// Place of a word in the rows of a lane.
    ///
    /// # Errors
    /// [`Code::Missing`].
    pub fn place(&self, rows: Rows, lane: u32, name: &str) -> Result<u32, Failure> {
        let lane = self.lane(rows, lane)?;
        let place = lane.words.iter().position(|word| word.name == name);
        place.map(|place| place as u32).ok_or_else(|| {
            let names: Vec<&str> = lane.words.iter().map(|word| word.name.as_str()).collect();
            let names = names.join(", ");
            Failure::new(Code::Missing, format!("`{}` has no word `{name}`; it has {names}", lane.name))
        })
    }

    /// All that is known of the model, as JSON.
    pub fn describe(&self) -> Value {
        let (core, config) = match self {
            Model::Ops(model) => (model.core(), model.config()),
            Model::Frames(model) => (model.core(), model.config()),
            Model::Nic(model) => (NIC, model.config()),
        };
        let lanes = |rows| self.lanes(rows).iter().map(Lane::json).collect::<Vec<_>>();
        let mut described = json!({
            "core": core,
            "version": env!("CARGO_PKG_VERSION"),
            "config": config,
            "inputs": lanes(Rows::In),
            "outputs": lanes(Rows::Out),
        });
        match self {
            Model::Ops(model) => described["kinds"] = model.kinds().into(),
            Model::Frames(model) => described["settings"] = model.settings().into(),
            Model::Nic(model) => {
                described["registers"] = model.registers();
                described["events"] = model.event_kinds();
            }
        }
        described
    }

    /// As after `rst`. `seed` is what the port `seed` carries; that of `nic` is a register.
    ///
    /// # Errors
    /// [`Code::Value`].
    pub fn reset(&mut self, seed: u32) -> Result<(), Failure> {
        match self {
            Model::Ops(model) => {
                let seed = u16::try_from(seed).map_err(|_| {
                    Failure::new(Code::Value, format!("`seed` is {seed}; allowed: 0 to {}", u16::MAX))
                })?;
                model.reset(seed);
            }
            Model::Frames(model) => model.reset(),
            Model::Nic(model) => model.reset(),
        }
        Ok(())
    }

    /// The model as one that takes ops.
    ///
    /// # Errors
    /// [`Code::Missing`].
    pub fn ops(&mut self) -> Result<&mut dyn OpModel, Failure> {
        match self {
            Model::Ops(model) => Ok(model.as_mut()),
            _ => Err(Failure::new(Code::Missing, "the model takes frames, and no ops")),
        }
    }

    /// The model as the block that joins the cores.
    ///
    /// # Errors
    /// [`Code::Missing`].
    pub fn nic(&mut self) -> Result<&mut NicModel, Failure> {
        match self {
            Model::Nic(model) => Ok(model),
            _ => Err(Failure::new(Code::Missing, "the model has no clock and no registers; `nic` has")),
        }
    }

    /// A frame goes in, with a row beside it. An op is a row beside an empty frame.
    ///
    /// # Errors
    /// [`Code::Missing`] without such an input, [`Code::Size`], [`Code::Value`], [`Code::Full`].
    pub fn push(&mut self, input: u32, frame: Vec<u8>, beside: &[u64]) -> Result<(), Failure> {
        checked(&self.lane(Rows::In, input)?.words, beside)?;
        let longest = match self {
            Model::Ops(_) => 0,
            _ => respray_cosim::traffic::frames::LONGEST_FRAME,
        };
        if !(longest.min(1)..=longest).contains(&frame.len()) {
            let allowed =
                if longest == 0 { "none, as the model takes ops".into() } else { format!("1 to {longest}") };
            let sentence = format!("the frame has {} bytes; allowed: {allowed}", frame.len());
            return Err(Failure::new(Code::Size, sentence));
        }
        match self {
            Model::Ops(model) => model.push(input, beside),
            Model::Frames(model) => {
                model.push(frame, beside);
                Ok(())
            }
            Model::Nic(model) => model.push(input, frame, beside),
        }
    }

    /// The next frame of an output with the row beside it, which stays until [`Model::drop_next`]. A result is a row beside an empty frame.
    ///
    /// # Errors
    /// [`Code::Missing`] without such an output, [`Code::Empty`].
    pub fn next(&mut self, output: u32) -> Result<&(Vec<u8>, Vec<u64>), Failure> {
        let name = self.lane(Rows::Out, output)?.name;
        let next = match self {
            Model::Ops(model) => model.kept().front(),
            Model::Frames(model) => model.next(output),
            Model::Nic(model) => model.next(output),
        };
        next.ok_or_else(|| Failure::new(Code::Empty, format!("nothing waits at `{name}`")))
    }

    /// How many frames, or results, wait at an output.
    ///
    /// # Errors
    /// [`Code::Missing`] without such an output.
    pub fn due(&mut self, output: u32) -> Result<usize, Failure> {
        self.lane(Rows::Out, output)?;
        Ok(match self {
            Model::Ops(model) => model.kept().len(),
            Model::Frames(model) => model.due(output),
            Model::Nic(model) => model.due(output),
        })
    }

    /// What [`Model::next`] gave was taken.
    pub fn drop_next(&mut self, output: u32) {
        match self {
            Model::Ops(model) => _ = model.kept().pop_front(),
            Model::Frames(model) => model.drop_next(output),
            Model::Nic(model) => model.drop_next(output),
        }
    }

    /// Sets what a driver sets, by its name: a setting of a core that frames stream through, or a register.
    ///
    /// # Errors
    /// [`Code::Missing`], [`Code::Value`], [`Code::Refused`].
    pub fn set(&mut self, name: &str, value: u64) -> Result<(), Failure> {
        match self {
            Model::Ops(_) => {
                Err(Failure::new(Code::Missing, "settings of a core that takes ops are words of an op"))
            }
            Model::Frames(model) => model.set(name, value),
            Model::Nic(model) => model.set(name, value),
        }
    }
}

//! What of a core may differ from the golden model after a bit of one of its memories flipped: the types of the table.
//!
//! A word of a memory belongs to an entry of a table, e.g. to a connection. A flip *spoils* its entry. An op that reads a spoilt entry is
//! answered, but not as the golden model says; what it changes is spoilt with it, until something writes the entry anew.

use respray_hdl::config::Config;

/// The rules of a core.
pub struct Rules {
    pub core: &'static str,
    pub tables: &'static [Table],
    pub memories: &'static [Memory],
    /// What ops touch: kinds of op, a bit for each code, and what all of these touch.
    pub ops: &'static [(u8, Touch)],
    /// What a visit of the core's own touches.
    pub visits: &'static [Touch],
    /// Where ops draw random numbers as the state of their entry says, how the generator shows that.
    pub draws: Option<Draws>,
    /// What the manifest's formulas of cycles count.
    pub counts: &'static [Count],
}

/// What a formula of cycles counts.
pub struct Count {
    pub name: &'static str,
    /// Its largest value.
    pub most: fn(&Config) -> u32,
}

/// How the state of the random generator follows the draws.
#[derive(Clone, Copy, Debug)]
pub struct Draws {
    /// Cycles from the edge that takes an op to the one before which the generator shows whether it drew. A core that works on one op at a
    /// time is looked at when the op is done.
    pub after: u32,
    /// It has made the step of the next draw already.
    pub is_ahead: bool,
}

/// Something of which there are many, each with a state of its own.
pub struct Table {
    /// What an entry is called, e.g. `connection`.
    pub entry: &'static str,
    pub entries: fn(&Config) -> u32,
}

/// To whom the words of a memory belong.
#[derive(Clone, Copy, Debug)]
pub struct Memory {
    /// Name of its module behind that of the core, e.g. `control_ram`.
    pub name: &'static str,
    /// Place of its table among [`Rules::tables`].
    pub table: usize,
    pub place: Place,
    /// With parity: when a word is read and written.
    pub at: At,
}

/// When ops read and write the words of a memory, counted in edges from the one that takes an op.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum At {
    /// Every op reads the word of its entry at the edge that takes it, unless an op of the entry has not `written` it yet, which is so many
    /// edges after it was taken, or does so at that edge. A word with a flipped bit starts the entry anew before the op.
    Taken { written: u32 },
    /// As the state says, an op reads or writes a word so many edges later. A word with a flipped bit lets the core take an op in the
    /// cycle behind the result that starts the entry anew.
    Later { after: u32 },
    /// If the state says that the word was ever written, an op reads it at the edge that takes the op, or what an earlier op has on its
    /// way to it. It is written so many edges after the op that does it was taken. A word with a flipped bit starts the entry anew before
    /// the op.
    Beside { written: u32 },
    /// The core works on one op at a time, which knows itself at which edges it reads the word, and writes it so many edges after the
    /// last one at which the core can do nothing else; `None`: it knows that, too. A state with a flipped bit starts the entry anew before
    /// the op, another word behind it.
    Alone { behind: Option<u32> },
    /// The memory has no parity in any configuration.
    Unguarded,
}

/// Where in the address of a word the number of its entry stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// In the upper bits: the words of an entry follow each other.
    Above,
    /// In the lower bits.
    Below,
}

/// An entry that an op touches.
#[derive(Clone, Copy, Debug)]
pub struct Touch {
    /// Place of the table among [`Rules::tables`].
    pub table: usize,
    pub by: By,
    /// What the outputs show of the op, or what it changes, depends on the entry.
    pub reads: bool,
    pub changes: Changes,
}

/// What names the entry: its number modulo the number of entries.
#[derive(Clone, Copy, Debug)]
pub enum By {
    /// A port of the op.
    Op(&'static str),
    /// A port of its result: what it shows, and what it had to show.
    Shown(&'static str),
    /// Another entry of the op, by what the golden model has stored there.
    State,
    /// What a visit is to.
    Visit,
}

/// What an op does to an entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Changes {
    Never,
    /// It changes it, by what it read.
    Always,
    /// It changes it in a way that the outputs tell: where they are as they must be, so is the change.
    AsShown,
    /// It writes all of it anew, whatever was there.
    Renews,
}

impl Rules {
    /// The memory whose module has this name.
    pub fn memory(&self, module: &str) -> Option<&'static Memory> {
        let name = module.strip_prefix(self.core)?.strip_prefix('_')?;
        self.memories.iter().find(|memory| memory.name == name)
    }

    /// The kind of op that writes an entry of a table anew, and the port that names the entry.
    pub fn renewal(&self, table: usize) -> Option<(u8, &'static str)> {
        self.ops.iter().find_map(|(kinds, touch)| match touch.by {
            By::Op(port) if touch.table == table && touch.changes == Changes::Renews => {
                Some((kinds.trailing_zeros() as u8, port))
            }
            _ => None,
        })
    }
}

impl Memory {
    /// The entry that a word of a memory of `words` belongs to.
    pub fn entry(&self, address: u32, words: u32, entries: u32) -> u32 {
        match self.place {
            Place::Above => address / (words / entries).max(1),
            Place::Below => address % entries,
        }
    }

    /// The number of a word among those of its entry.
    pub fn word(&self, address: u32, words: u32, entries: u32) -> u32 {
        match self.place {
            Place::Above => address % (words / entries).max(1),
            Place::Below => address / entries,
        }
    }

    /// A word of an entry, by a random number.
    pub fn address(&self, entry: u32, random: u32, words: u32, entries: u32) -> u32 {
        let each = (words / entries).max(1);
        match self.place {
            Place::Above => entry * each + random % each,
            Place::Below => random % each * entries + entry,
        }
    }
}

//! Ops on their way into a run: lines of an op trace, and the entries of a stimulus that they become.

use respray_hdl::contract::{Contract, Words};

/// One element of a run's stimulus.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Entry<O> {
    /// Clock edges without an op before this one. They show the coming op's fields with `op_valid` low, so that a
    /// core that does not look at `op_valid` is caught.
    pub idle: u32,
    /// What is done.
    pub event: Event<O>,
    /// What is expected of the result: 0 for nothing, else one more than the place in the run's list of expectations.
    pub expect: u32,
}

/// What one element of the stimulus does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Event<O> {
    /// Offers an op until the core takes it.
    Op(O),
    /// One clock edge with `rst` high; the seed port holds this value from here on, if it is given.
    Reset { seed: Option<u16> },
}

impl<O> Entry<O> {
    /// An op right behind the one before.
    pub fn op(op: O) -> Self {
        Entry::after(0, Event::Op(op))
    }

    /// An event behind so many idle edges.
    #[inline(always)]
    pub fn after(idle: u32, event: Event<O>) -> Self {
        Entry { idle, event, expect: 0 }
    }
}

impl<O> Event<O> {
    /// The op, if it is one.
    pub fn as_op(&self) -> Option<&O> {
        match self {
            Event::Op(op) => Some(op),
            Event::Reset { .. } => None,
        }
    }
}

/// Entries in order, from whatever makes them. Runs are compiled for this one type, and not for each thing that makes entries.
pub struct Entries<'a, O> {
    source: Box<dyn Source<O> + 'a>,
    /// Entries that the source has made, and how many of them were given out.
    made: Vec<Entry<O>>,
    given: usize,
}

/// Entries that a source makes at a time, so that the call through its table costs nothing.
const MADE_AT_A_TIME: usize = 64;

/// What makes entries.
trait Source<O>: Send {
    /// Makes the next entries; none where there are no more.
    fn fill(&mut self, made: &mut Vec<Entry<O>>);

    /// Another one that makes the same entries from here on.
    fn another<'s>(&self) -> Box<dyn Source<O> + 's>
    where
        Self: 's;
}

impl<O, I: Iterator<Item = Entry<O>> + Clone + Send> Source<O> for I {
    fn fill(&mut self, made: &mut Vec<Entry<O>>) {
        made.extend(self.by_ref().take(MADE_AT_A_TIME));
    }

    fn another<'s>(&self) -> Box<dyn Source<O> + 's>
    where
        Self: 's,
    {
        Box::new(self.clone())
    }
}

impl<'a, O> Entries<'a, O> {
    /// The entries of an iterator.
    pub fn new(entries: impl Iterator<Item = Entry<O>> + Clone + Send + 'a) -> Self {
        Entries { source: Box::new(entries), made: Vec::new(), given: 0 }
    }
}

impl<O: Copy> Iterator for Entries<'_, O> {
    type Item = Entry<O>;

    #[inline(always)]
    fn next(&mut self) -> Option<Entry<O>> {
        if self.given == self.made.len() {
            self.made.clear();
            self.given = 0;
            self.source.fill(&mut self.made);
        }
        let next = self.made.get(self.given).copied();
        self.given += usize::from(next.is_some());
        next
    }
}

impl<'a, O: Clone + 'a> Clone for Entries<'a, O> {
    fn clone(&self) -> Self {
        Entries { source: self.source.another(), made: self.made.clone(), given: self.given }
    }
}

/// What a line of a trace expects of the op's result.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Expectation {
    /// The word in the column `expect`, by its place in the contract's list.
    pub word: Option<usize>,
    /// Fields of the result, by their place in the contract, and the values that they must have.
    pub values: Vec<(usize, u64)>,
}

impl Expectation {
    /// A word of the contract's list, with values of fields by the names of their ports.
    ///
    /// # Panics
    /// On a word or a port that the contract does not have.
    pub fn of(contract: &Contract, word: &str, values: &[(&str, u64)]) -> Self {
        let place = |port: &str| contract.shown_fields().position(|field| field.port == port);
        Expectation {
            word: Some(contract.trace.words.iter().position(|known| known.word == word).expect("a word")),
            values: values.iter().map(|(port, value)| (place(port).expect("a port"), *value)).collect(),
        }
    }
}

/// One line of an op trace.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line<O> {
    /// Clock edges without an op before this one.
    pub idle: u32,
    /// Time of the op, of which its clock may hold the lower bits; 0 for a core without times.
    pub time: u64,
    /// What is done.
    pub event: Event<O>,
    /// Settings that the line itself gives, a bit for each of the contract's; the others are those of the run.
    pub own: u32,
    /// What is expected of the result.
    pub expect: Option<Box<Expectation>>,
}

impl<O: Words> Line<O> {
    /// An op at this time, with the settings of the run.
    pub fn op(time: u64, op: O) -> Self {
        Line { idle: 0, time, event: Event::Op(op), own: 0, expect: None }
    }

    /// A clock edge with `rst` high.
    pub fn reset(seed: Option<u16>) -> Self {
        Line { idle: 0, time: 0, event: Event::Reset { seed }, own: 0, expect: None }
    }
}

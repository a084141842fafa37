//! The frames of a capture as a stimulus, read from the file again whenever the run begins anew.

use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use super::options::StreamError;
use super::stream_core::{Answer, StreamCore};
use crate::traffic::capture::{
    Account, CaptureError, CaptureFile, CaptureSource, Cut, Fault, Found as Judged, Headers, Profile,
    RawFrame,
};
use crate::traffic::frames::{Frame, LONGEST_FRAME, mix};

/// LINKTYPE_ETHERNET.
const ETHERNET: i32 = 1;

/// What the first pass over a capture found.
struct Found {
    /// Frames that are sent.
    frames: u64,
    /// Frames that are not, and why.
    left: Account,
    /// Time of the first frame that has one.
    first_ns: Option<u64>,
    warning: Option<String>,
}

/// The frames of a capture. Memory holds one of them; a clone reads the file from its beginning up to where the original was.
pub struct CaptureFrames {
    source: CaptureSource,
    found: Arc<Found>,
    /// EVs and timestamps follow from it.
    seed: u64,
    /// Its frames must show whether they are of it.
    profile: Option<Profile>,
    /// Frames that were given.
    given: u64,
    /// Where it is in the file, once it has begun.
    reader: Option<Reader>,
    /// Why one of the clones ended too early, if one did.
    error: Arc<Mutex<Option<StreamError>>>,
}

impl CaptureFrames {
    /// Reads the whole capture once, so that what is wrong with it is said before anything runs.
    ///
    /// # Errors
    /// On a capture that cannot be read, has a frame that is not Ethernet, or has none that can be sent.
    pub fn open(path: &Path, cut: Cut, seed: u64) -> Result<CaptureFrames, StreamError> {
        CaptureFrames::of_profile(path, cut, seed, None)
    }

    /// The same for a core that looks for a profile: frames are left out of which the capture does not show whether
    /// they are of it.
    ///
    /// # Errors
    /// The same.
    pub fn of_profile(
        path: &Path,
        cut: Cut,
        seed: u64,
        profile: Option<Profile>,
    ) -> Result<CaptureFrames, StreamError> {
        let source = CaptureSource::open(path, cut)?;
        let mut reader = Reader::new(&source, profile)?;
        let mut frames = 0;
        while reader.next(|_, _| ())?.is_some() {
            frames += 1;
        }
        let Reader { file, left, first_ns, .. } = reader;
        let warning = file.into_warning();
        if frames == 0 {
            return Err(match warning {
                _ if left.frames > 0 => StreamError::NothingSent { path: path.to_path_buf(), left },
                Some(error) => error.into(),
                None => CaptureError::file(path, Fault::NoFrame).into(),
            });
        }
        let warning = warning.as_ref().map(CaptureError::as_warning);
        let found = Arc::new(Found { frames, left, first_ns, warning });
        Ok(CaptureFrames { source, found, seed, profile, given: 0, reader: None, error: Arc::default() })
    }

    /// Frames in all.
    pub fn frames(&self) -> u64 {
        self.found.frames
    }

    /// Frames of the capture that are not sent.
    pub fn skipped(&self) -> u64 {
        self.found.left.frames
    }

    /// What becomes of each frame of the capture: what the core counts it as, or why it is not sent.
    pub(super) fn account(&self, core: &dyn StreamCore) -> Result<Account, StreamError> {
        let mut reader = Reader::new(&self.source, self.profile)?;
        let mut account = Account::default();
        let (mut answer, mut counts) = (Answer::default(), vec![0; core.count_names().len()]);
        for _ in 0..self.found.frames {
            let made = reader.next(|frame, _| {
                let why = self.profile.and_then(|profile| why_not_of(frame, profile)).unwrap_or_default();
                (frame.number, why, stimulus_of(frame, self.seed))
            });
            let Some((number, why, mut frame)) = made? else { break };
            answer.clear();
            counts.fill(0);
            core.answer(&mut frame, &mut answer);
            core.count(frame.input.into(), &answer, &mut counts);
            let counted = core.count_names().iter().zip(&counts).filter(|(_, count)| **count > 0);
            let names: Vec<&str> = counted.map(|(name, _)| *name).collect();
            let behind = if why.is_empty() { "" } else { ": " };
            account.taken(number, format!("counted as {}{behind}{why}", names.join(", ")));
        }
        Ok(account.and(&self.found.left))
    }

    /// What was passed over beside them, in a sentence.
    pub fn warning(&self) -> Option<&String> {
        self.found.warning.as_ref()
    }

    /// Time of a frame in ns since 1970: its own, or that of the frame before, or that of the first that has one. Frames are
    /// counted from 0, and asked for in their order; `None` without a frame that has a time.
    pub fn time_of(&mut self, number: u64) -> Option<u64> {
        let mut time_ns = None;
        while self.given <= number {
            time_ns = self.advance(|_, time_ns| time_ns)?;
        }
        time_ns.or(self.found.first_ns)
    }

    /// Why this or a clone of it ended too early, if one did.
    pub fn take_error(&self) -> Option<StreamError> {
        self.error.lock().unwrap_or_else(PoisonError::into_inner).take()
    }

    /// Goes on by a frame, and makes something of it and its time.
    fn advance<T>(&mut self, make: impl FnOnce(&RawFrame<'_>, Option<u64>) -> T) -> Option<T> {
        if self.given == self.found.frames {
            return None;
        }
        let next = self.reader().and_then(|reader| reader.next(make));
        let changed = || CaptureError::file(self.source.path(), Fault::Changed).into();
        match next.and_then(|next| next.ok_or_else(changed)) {
            Ok(made) => {
                self.given += 1;
                Some(made)
            }
            Err(error) => {
                *self.error.lock().unwrap_or_else(PoisonError::into_inner) = Some(error);
                self.given = self.found.frames;
                None
            }
        }
    }

    fn reader(&mut self) -> Result<&mut Reader, StreamError> {
        let reader = match self.reader.take() {
            Some(reader) => reader,
            None => {
                let mut reader = Reader::new(&self.source, self.profile)?;
                for _ in 0..self.given {
                    reader.next(|_, _| ())?;
                }
                reader
            }
        };
        Ok(self.reader.insert(reader))
    }
}

impl Clone for CaptureFrames {
    fn clone(&self) -> Self {
        let (source, found, error) = (self.source.clone(), self.found.clone(), self.error.clone());
        CaptureFrames {
            source,
            found,
            seed: self.seed,
            profile: self.profile,
            given: self.given,
            reader: None,
            error,
        }
    }
}

impl Iterator for CaptureFrames {
    type Item = Frame;

    fn next(&mut self) -> Option<Frame> {
        let seed = self.seed;
        self.advance(|frame, _| stimulus_of(frame, seed))
    }
}

/// Reads the frames of a capture that can be sent.
struct Reader {
    file: CaptureFile,
    profile: Option<Profile>,
    left: Account,
    /// Times of the first frame that has one, and of the last.
    first_ns: Option<u64>,
    last_ns: Option<u64>,
}

impl Reader {
    fn new(source: &CaptureSource, profile: Option<Profile>) -> Result<Reader, StreamError> {
        let left = Account::default();
        Ok(Reader { file: source.read()?, profile, left, first_ns: None, last_ns: None })
    }

    /// Makes something of the next frame and its time, `None` at the end.
    fn next<T>(
        &mut self,
        make: impl FnOnce(&RawFrame<'_>, Option<u64>) -> T,
    ) -> Result<Option<T>, StreamError> {
        while let Some(frame) = self.file.next_frame()? {
            if frame.link_type != ETHERNET {
                let (number, link_type) = (frame.number, frame.link_type);
                let path = self.file.path().to_path_buf();
                return Err(StreamError::LinkType { path, number, link_type });
            }
            self.last_ns = frame.time_ns.or(self.last_ns);
            self.first_ns = self.first_ns.or(self.last_ns);
            match why_not_sent(&frame, self.profile) {
                None => return Ok(Some(make(&frame, self.last_ns))),
                Some(why) => self.left.left(frame.number, why),
            }
        }
        Ok(None)
    }
}

/// Why a frame is not sent, if it is not.
pub(crate) fn why_not_sent(frame: &RawFrame<'_>, profile: Option<Profile>) -> Option<String> {
    if frame.wire_len > LONGEST_FRAME {
        return Some(format!("longer than {LONGEST_FRAME} bytes"));
    }
    if frame.data.is_empty() {
        return Some("without a byte".into());
    }
    let found = profile?.find(frame, &Headers::parse(frame).ok()?);
    matches!(found, Judged::HeaderCut { .. }).then(|| found.why_not().unwrap_or_default().into())
}

/// Why a frame is none of the profile, if it is none.
fn why_not_of(frame: &RawFrame<'_>, profile: Profile) -> Option<&'static str> {
    profile.find(frame, &Headers::parse(frame).ok()?).why_not()
}

/// The frame as it is sent: what the snap length cut off is zeros.
fn stimulus_of(frame: &RawFrame<'_>, seed: u64) -> Frame {
    let stamp = mix(seed ^ frame.number << 20);
    let mut data = frame.data.to_vec();
    data.resize(frame.wire_len, 0);
    let (ev, timestamp) = (stamp as u16, (stamp >> 16) as u16);
    Frame { input: 0, data, ev, timestamp, enable: true, ..Frame::default() }
}

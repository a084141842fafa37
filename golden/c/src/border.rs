//! The C interface. Nothing panics across it.
//!
//! A caller promises of every pointer what C promises: that it is null or points to as much as the sizes beside it say.

use std::cell::RefCell;
use std::ffi::{CString, c_char};
use std::path::Path;

use crate::error::{Code, Failure};
use crate::given::{place, room, rows, text, values};
use crate::handles::{self, caught};
use crate::model::{self, Model, Rows};

/// Bytes of the longest sentence; what is longer is cut off.
const LONGEST_SENTENCE: usize = 2047;

thread_local! {
    /// The sentence of the last call that failed in this thread, with a zero behind it. It stays at one place: a caller may ask for it
    /// before it makes the call, as the arguments of a C function are in no order.
    static SENTENCE: RefCell<[u8; LONGEST_SENTENCE + 1]> = const { RefCell::new([0; LONGEST_SENTENCE + 1]) };
    /// The last text that was given out.
    static TEXT: RefCell<CString> = RefCell::default();
    /// A frame that is handed over word by word, and the frame that was taken last.
    static STAGED: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
    static TAKEN: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
}

/// A text for C, which ends at a zero.
fn c_text(text: &str) -> CString {
    CString::new(text.replace('\0', " ")).unwrap_or_default()
}

/// What came of a call; the sentence of a failure is kept.
fn code(done: Result<(), Failure>) -> Code {
    let Err(failure) = done else { return Code::Ok };
    SENTENCE.with_borrow_mut(|sentence| {
        let text = c_text(&failure.sentence);
        let bytes = text.as_bytes();
        let length = bytes.len().min(LONGEST_SENTENCE);
        sentence[..length].copy_from_slice(&bytes[..length]);
        sentence[length..].fill(0);
    });
    failure.code
}

fn give(text: &str) -> *const c_char {
    TEXT.with_borrow_mut(|given| {
        *given = c_text(text);
        given.as_ptr()
    })
}

/// Version of respray.
#[unsafe(no_mangle)]
pub extern "C" fn respray_version() -> *const c_char {
    concat!(env!("CARGO_PKG_VERSION"), "\0").as_ptr().cast()
}

/// What was wrong with the last call of this thread that failed, in a sentence of at most 2047 bytes. It stays until the next one
/// that fails.
#[unsafe(no_mangle)]
pub extern "C" fn respray_error() -> *const c_char {
    SENTENCE.with_borrow(|sentence| sentence.as_ptr().cast())
}

/// Opens a model of a core, or of `nic`, and gives its number. The configuration is TOML, as in nic.toml; a key that is not given has its
/// default, and an empty text is the default configuration. The model is as after `rst`, with 1 at the port `seed`.
///
/// # Safety
/// Texts end with a zero, `model` points to a number.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn respray_open(core: *const c_char, config: *const c_char, model: *mut u64) -> Code {
    code(caught(|| {
        // SAFETY: as the caller promises
        let (core, config, number) =
            unsafe { (text("core", core)?, text("config", config)?, place("model", model)?) };
        *number = handles::keep(model::open(core, config)?);
        Ok(())
    }))
}

/// Closes a model. Its number is never used again.
#[unsafe(no_mangle)]
pub extern "C" fn respray_close(model: u64) -> Code {
    code(caught(|| handles::close(model)))
}

/// All that is known of a model, as JSON: its configuration, the words of its rows, the kinds of its ops, its registers. It stays until the
/// next text that is given to this thread. It is empty if the call failed.
#[unsafe(no_mangle)]
pub extern "C" fn respray_describe(model: u64) -> *const c_char {
    let described = handles::with(model, |model| Ok(model.describe().to_string()));
    match described {
        Ok(text) => give(&text),
        Err(failure) => {
            code(Err(failure));
            give("")
        }
    }
}

/// Words of the rows of an input (`rows` 0) or of an output (`rows` 1), of which `lane` is the number.
///
/// # Safety
/// `words` points to a number.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn respray_words(model: u64, rows: i32, lane: u32, words: *mut u32) -> Code {
    code(handles::with(model, |model| {
        // SAFETY: as the caller promises
        let words = unsafe { place("words", words) }?;
        *words = model.lane(which(rows)?, lane)?.words.len() as u32;
        Ok(())
    }))
}

/// Place of a word in such rows, by its name.
///
/// # Safety
/// `name` ends with a zero, `at` points to a number.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn respray_place(
    model: u64,
    rows: i32,
    lane: u32,
    name: *const c_char,
    at: *mut u32,
) -> Code {
    code(handles::with(model, |model| {
        // SAFETY: as the caller promises
        let (name, at) = unsafe { (text("name", name)?, place("at", at)?) };
        *at = model.place(which(rows)?, lane, name)?;
        Ok(())
    }))
}

/// The words of a result that the core promises in every cycle, a bit for each as in the first word of a result: an op shows something
/// where one of them is not 0.
///
/// # Safety
/// `pulses` points to a word.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn respray_pulses(model: u64, pulses: *mut u64) -> Code {
    code(handles::with(model, |model| {
        // SAFETY: as the caller promises
        let pulses = unsafe { place("pulses", pulses) }?;
        let words = &model.ops()?.lanes()[1][0].words[1..];
        *pulses = words.iter().enumerate().fold(0, |bits, (at, word)| bits | u64::from(word.is_pulse) << at);
        Ok(())
    }))
}

fn which(rows: i32) -> Result<Rows, Failure> {
    match rows {
        0 => Ok(Rows::In),
        1 => Ok(Rows::Out),
        _ => {
            Err(Failure::new(Code::Value, format!("`rows` is {rows}; allowed: 0 for inputs, 1 for outputs")))
        }
    }
}

/// As after `rst`, with this value at the port `seed`, 0 to 65535. The seed of `nic` is a register.
#[unsafe(no_mangle)]
pub extern "C" fn respray_reset(model: u64, seed: u32) -> Code {
    code(handles::with(model, |model| model.reset(seed)))
}

/// Executes `count` ops, rows of `op_words` words, and writes a row of `result_words` words for each. The first word of a result says which
/// of the others the core promises, a bit for each from bit 0 on; one that it does not promise is 0.
///
/// # Safety
/// `ops` and `results` point to so many rows.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn respray_apply(
    model: u64,
    count: u64,
    ops: *const u64,
    op_words: u64,
    results: *mut u64,
    result_words: u64,
) -> Code {
    code(handles::with(model, |model| {
        let model = model.ops()?;
        let [inputs, outputs] = model.lanes().map(|lanes| lanes[0].words.len());
        let sizes =
            [rows("an op", count, op_words, inputs)?, rows("a result", count, result_words, outputs)?];
        // SAFETY: as the caller promises
        let (ops, results) = unsafe { (values("ops", ops, sizes[0])?, room("results", results, sizes[1])?) };
        model.apply(ops, results)
    }))
}

/// The core visits a connection, or a bucket, by itself, while this row stands at its inputs: a core that has an input `visit` does so. The
/// walker of `caver` comes to the places of its tables in turn, and `connection` is not looked at.
///
/// # Safety
/// `inputs` and `result` point to a row each.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn respray_visit(
    model: u64,
    connection: u32,
    inputs: *const u64,
    op_words: u64,
    result: *mut u64,
    result_words: u64,
) -> Code {
    code(handles::with(model, |model| {
        let model = model.ops()?;
        let [words, shown] = model.lanes().map(|lanes| lanes[0].words.len());
        let sizes = [rows("an op", 1, op_words, words)?, rows("a result", 1, result_words, shown)?];
        // SAFETY: as the caller promises
        let (inputs, result) =
            unsafe { (values("inputs", inputs, sizes[0])?, room("result", result, sizes[1])?) };
        model.visit(connection, inputs, result)
    }))
}

/// Writes `count` random ops, those of `respray cosim --random` without its resets and pauses.
///
/// # Safety
/// `ops` points to so many rows.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn respray_random(
    model: u64,
    seed: u64,
    count: u64,
    ops: *mut u64,
    op_words: u64,
) -> Code {
    code(handles::with(model, |model| {
        let model = model.ops()?;
        let size = rows("an op", count, op_words, model.lanes()[0][0].words.len())?;
        // SAFETY: as the caller promises
        model.random(seed, unsafe { room("ops", ops, size) }?);
        Ok(())
    }))
}

/// Reads an op trace (`.csv`, `.csv.gz`) or a capture (any other name) as ops of the model; says how many rows it has, and the seed.
///
/// # Safety
/// `path` ends with a zero, `count` and `seed` point to a number each.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn respray_load(
    model: u64,
    path: *const c_char,
    count: *mut u64,
    seed: *mut u32,
) -> Code {
    code(handles::with(model, |model| {
        // SAFETY: as the caller promises
        let (path, count, seed) =
            unsafe { (text("path", path)?, place("count", count)?, place("seed", seed)?) };
        let (rows, of_file) = model.ops()?.load(Path::new(path))?;
        (*count, *seed) = (rows, of_file.into());
        Ok(())
    }))
}

/// Draws `count` random ops, those of [`respray_random`], as what [`respray_loaded`] gives row by row.
#[unsafe(no_mangle)]
pub extern "C" fn respray_draw(model: u64, seed: u64, count: u64) -> Code {
    code(handles::with(model, |model| model.ops()?.draw(seed, count)))
}

/// Writes `count` rows of what was loaded, from row `first` on. The first word is 0 for an op, whose words are those behind it, 1 for a reset
/// and 2 for a reset with the seed in the word behind it; a row has one word more than an op.
///
/// # Safety
/// `loaded` points to so many rows.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn respray_loaded(
    model: u64,
    first: u64,
    count: u64,
    loaded: *mut u64,
    row_words: u64,
) -> Code {
    code(handles::with(model, |model| {
        let model = model.ops()?;
        let size = rows("a row", count, row_words, 1 + model.lanes()[0][0].words.len())?;
        // SAFETY: as the caller promises
        model.loaded(first, unsafe { room("loaded", loaded, size) }?)
    }))
}

/// Sets what a driver sets, by its name: a setting of a core that frames stream through, or a register of `nic`.
///
/// # Safety
/// `name` ends with a zero.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn respray_set(model: u64, name: *const c_char, value: u64) -> Code {
    // SAFETY: as the caller promises
    code(handles::with(model, |model| model.set(unsafe { text("name", name) }?, value)))
}

/// Address of a register of `nic`.
///
/// # Safety
/// `name` ends with a zero, `address` points to a number.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn respray_address(model: u64, name: *const c_char, address: *mut u32) -> Code {
    code(handles::with(model, |model| {
        // SAFETY: as the caller promises
        let (name, address) = unsafe { (text("name", name)?, place("address", address)?) };
        *address = model.nic()?.address(name)?;
        Ok(())
    }))
}

/// Reads a register of `nic`.
///
/// # Safety
/// `value` points to a number.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn respray_read(model: u64, address: u32, value: *mut u32) -> Code {
    code(handles::with(model, |model| {
        // SAFETY: as the caller promises
        let value = unsafe { place("value", value) }?;
        *value = model.nic()?.read(address)?;
        Ok(())
    }))
}

/// Writes a register of `nic`. A command is done when this returns.
#[unsafe(no_mangle)]
pub extern "C" fn respray_write(model: u64, address: u32, value: u32) -> Code {
    code(handles::with(model, |model| model.nic()?.write(address, value)))
}

/// Time of `nic` goes on to a clock cycle, counted from the reset.
#[unsafe(no_mangle)]
pub extern "C" fn respray_advance(model: u64, cycles: u64) -> Code {
    code(handles::with(model, |model| model.nic()?.advance(cycles)))
}

/// A frame goes in at an input, from the destination MAC address on and without frame check sequence, with a row of words beside it. An op
/// goes in as a row beside an empty frame, and so does the row at the inputs at a `visit` or a `decay` of the core's own; its result is kept
/// for [`respray_pop`] if one of its pulses is not 0.
///
/// # Safety
/// `frame` points to so many bytes, `beside` to so many words.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn respray_push(
    model: u64,
    input: u32,
    frame: *const u8,
    bytes: u64,
    beside: *const u64,
    words: u64,
) -> Code {
    code(handles::with(model, |model| {
        // SAFETY: as the caller promises
        let (frame, beside) = unsafe { (values("frame", frame, bytes)?, values("beside", beside, words)?) };
        model.push(input, frame.to_vec(), beside)
    }))
}

/// The next frame of an output and the row beside it, for which there is room for so many words.
fn next(model: &mut Model, output: u32, words: usize) -> Result<&(Vec<u8>, Vec<u64>), Failure> {
    let next = model.next(output)?;
    if words != next.1.len() {
        return Err(Failure::size("the row", words, next.1.len()));
    }
    Ok(next)
}

/// Takes the next frame of an output and the row beside it; `bytes` says how long the frame is. If it is longer than `capacity` it stays.
///
/// # Safety
/// `frame` points to `capacity` bytes, `bytes` to a number, `beside` to so many words.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn respray_pop(
    model: u64,
    output: u32,
    frame: *mut u8,
    capacity: u64,
    bytes: *mut u64,
    beside: *mut u64,
    words: u64,
) -> Code {
    code(handles::with(model, |model| {
        // SAFETY: as the caller promises
        let (room, bytes, beside) = unsafe {
            (room("frame", frame, capacity)?, place("bytes", bytes)?, room("beside", beside, words)?)
        };
        let (frame, row) = next(model, output, beside.len())?;
        *bytes = frame.len() as u64;
        let Some(room) = room.get_mut(..frame.len()) else {
            let sentence = format!("the frame has {} bytes, and there is room for {capacity}", frame.len());
            return Err(Failure::new(Code::Size, sentence));
        };
        room.copy_from_slice(frame);
        beside.copy_from_slice(row);
        model.drop_next(output);
        Ok(())
    }))
}

/// How many frames, records or events wait at an output. The model has handed them out then, as if each had been taken at once.
///
/// # Safety
/// `due` points to a number.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn respray_due(model: u64, output: u32, due: *mut u64) -> Code {
    code(handles::with(model, |model| {
        // SAFETY: as the caller promises
        let due = unsafe { place("due", due) }?;
        *due = model.due(output)? as u64;
        Ok(())
    }))
}

/// Appends 1 to 8 bytes to the frame that this thread hands over word by word, the first one in bits 7:0: for SystemVerilog, whose arrays of
/// any size are no pointers.
#[unsafe(no_mangle)]
pub extern "C" fn respray_stage(word: u64, bytes: u32) -> Code {
    code(match bytes {
        1..=8 => {
            STAGED.with_borrow_mut(|staged| staged.extend(&word.to_le_bytes()[..bytes as usize]));
            Ok(())
        }
        _ => Err(Failure::new(Code::Value, format!("`bytes` is {bytes}; allowed: 1 to 8"))),
    })
}

/// [`respray_push`] of the frame that was handed over word by word, which is empty behind it whatever came of the call.
///
/// # Safety
/// `beside` points to so many words.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn respray_push_staged(model: u64, input: u32, beside: *const u64, words: u64) -> Code {
    let frame = STAGED.with_borrow_mut(std::mem::take);
    code(handles::with(model, |model| {
        // SAFETY: as the caller promises
        model.push(input, frame, unsafe { values("beside", beside, words) }?)
    }))
}

/// [`respray_pop`] into a frame of this thread that [`respray_staged`] gives word by word.
///
/// # Safety
/// `bytes` points to a number, `beside` to so many words.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn respray_pop_staged(
    model: u64,
    output: u32,
    bytes: *mut u64,
    beside: *mut u64,
    words: u64,
) -> Code {
    code(handles::with(model, |model| {
        // SAFETY: as the caller promises
        let (bytes, beside) = unsafe { (place("bytes", bytes)?, room("beside", beside, words)?) };
        let (frame, row) = next(model, output, beside.len())?;
        *bytes = frame.len() as u64;
        beside.copy_from_slice(row);
        TAKEN.with_borrow_mut(|taken| taken.clone_from(frame));
        model.drop_next(output);
        Ok(())
    }))
}

/// Eight bytes of the frame that was taken last, from byte `at` on; bytes behind its end are 0.
#[unsafe(no_mangle)]
pub extern "C" fn respray_staged(at: u64) -> u64 {
    TAKEN.with_borrow(|taken| {
        let rest = usize::try_from(at).ok().and_then(|at| taken.get(at..)).unwrap_or(&[]);
        let mut word = [0; 8];
        word.iter_mut().zip(rest).for_each(|(to, from)| *to = *from);
        u64::from_le_bytes(word)
    })
}

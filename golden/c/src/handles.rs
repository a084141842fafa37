//! Open models by their numbers. A number is never used again, so that a call of a model that was closed is told so.

use std::any::Any;
use std::collections::HashMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, LazyLock, Mutex, PoisonError, RwLock, TryLockError};

use crate::error::{Code, Failure};
use crate::model::Model;

type Models = HashMap<u64, Arc<Mutex<Model>>>;

static MODELS: LazyLock<RwLock<Models>> = LazyLock::new(RwLock::default);
static LAST: AtomicU64 = AtomicU64::new(0);

fn closed(number: u64) -> Failure {
    Failure::new(Code::Closed, format!("there is no open model {number}"))
}

/// Keeps a model, and gives its number, which is not 0.
pub fn keep(model: Model) -> u64 {
    let number = LAST.fetch_add(1, Ordering::Relaxed) + 1;
    let mut models = MODELS.write().unwrap_or_else(PoisonError::into_inner);
    models.insert(number, Arc::new(Mutex::new(model)));
    number
}

/// Closes a model. A call that another thread has in it ends first.
///
/// # Errors
/// [`Code::Closed`].
pub fn close(number: u64) -> Result<(), Failure> {
    let mut models = MODELS.write().unwrap_or_else(PoisonError::into_inner);
    models.remove(&number).map(drop).ok_or_else(|| closed(number))
}

/// Does something with a model.
///
/// # Errors
/// [`Code::Closed`], [`Code::Busy`], [`Code::Broken`], and what `work` has.
pub fn with<T>(number: u64, work: impl FnOnce(&mut Model) -> Result<T, Failure>) -> Result<T, Failure> {
    let models = MODELS.read().unwrap_or_else(PoisonError::into_inner);
    let model = models.get(&number).cloned().ok_or_else(|| closed(number))?;
    drop(models);
    let mut model = match model.try_lock() {
        Ok(model) => model,
        Err(TryLockError::WouldBlock) => {
            let sentence = format!("another thread is in a call of model {number}");
            return Err(Failure::new(Code::Busy, sentence));
        }
        Err(TryLockError::Poisoned(_)) => {
            let sentence = format!("model {number} broke down before; it can only be closed");
            return Err(Failure::new(Code::Broken, sentence));
        }
    };
    // within the catch the lock is dropped by the panic itself, which marks the model as broken
    caught(move || work(&mut model))
}

/// Runs code that must not panic, and makes a failure of it where it does.
///
/// # Errors
/// [`Code::Broken`], and what `work` has.
pub fn caught<T>(work: impl FnOnce() -> Result<T, Failure>) -> Result<T, Failure> {
    catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|panic| {
        Err(Failure::new(Code::Broken, format!("the model broke down: {}", said(panic.as_ref()))))
    })
}

/// What a panic says.
fn said(panic: &(dyn Any + Send)) -> &str {
    let text = panic.downcast_ref::<&str>().copied();
    text.or_else(|| panic.downcast_ref::<String>().map(String::as_str)).unwrap_or("without a word")
}

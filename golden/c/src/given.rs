//! What C gives: texts, values and room by pointers, which may be null.

use std::ffi::{CStr, c_char};
use std::slice;

use crate::error::{Code, Failure};

fn null(what: &str) -> Failure {
    Failure::new(Code::Argument, format!("`{what}` is a null pointer"))
}

/// A text that C gives.
///
/// # Safety
/// The pointer is null or points to a text that ends with a zero.
pub unsafe fn text<'a>(what: &str, pointer: *const c_char) -> Result<&'a str, Failure> {
    if pointer.is_null() {
        return Err(null(what));
    }
    // SAFETY: it is not null, and so points to a text
    let text = unsafe { CStr::from_ptr(pointer) };
    text.to_str().map_err(|_| Failure::new(Code::Argument, format!("`{what}` is not UTF-8")))
}

/// Values that C gives; a null pointer is as good as any where there are none.
///
/// # Safety
/// The pointer is null or points to so many values.
pub unsafe fn values<'a, T>(what: &str, pointer: *const T, count: u64) -> Result<&'a [T], Failure> {
    match usize::try_from(count) {
        Ok(0) => Ok(&[]),
        _ if pointer.is_null() => Err(null(what)),
        Ok(count) if count.checked_mul(size_of::<T>()).is_some_and(|bytes| bytes <= isize::MAX as usize) => {
            // SAFETY: it is not null, and so points to so many values
            Ok(unsafe { slice::from_raw_parts(pointer, count) })
        }
        _ => Err(Failure::new(Code::Size, format!("`{what}` has {count} values, which no memory holds"))),
    }
}

/// Room that C gives.
///
/// # Safety
/// The pointer is null or points to so many values, at which nothing else looks meanwhile.
pub unsafe fn room<'a, T>(what: &str, pointer: *mut T, count: u64) -> Result<&'a mut [T], Failure> {
    // SAFETY: as promised
    let count = unsafe { values(what, pointer, count) }?.len();
    if count == 0 {
        return Ok(&mut []);
    }
    // SAFETY: it is not null, and so points to so many values
    Ok(unsafe { slice::from_raw_parts_mut(pointer, count) })
}

/// A place for one value.
///
/// # Safety
/// The pointer is null or points to a value, at which nothing else looks meanwhile.
pub unsafe fn place<'a, T>(what: &str, pointer: *mut T) -> Result<&'a mut T, Failure> {
    // SAFETY: as promised
    unsafe { pointer.as_mut() }.ok_or_else(|| null(what))
}

/// Rows of a matrix: their count times their width, of which the width is right.
pub fn rows(what: &str, count: u64, words: u64, wanted: usize) -> Result<u64, Failure> {
    if words != wanted as u64 {
        return Err(Failure::size(what, words as usize, wanted));
    }
    let too_many = || Failure::new(Code::Size, format!("{count} rows are more than a memory holds"));
    count.checked_mul(words).ok_or_else(too_many)
}

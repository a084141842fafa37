//! The constants with names that a module uses.

use std::collections::BTreeSet;

use num_bigint::BigUint;

use crate::emit::error::EmitError;
use crate::emit::expr::Expr;
use crate::emit::module::Constant;

/// A constant, and the enum whose variant it is.
type Found<'a> = (&'a str, Option<&'a str>, &'a BigUint, usize);

/// The constants of `exprs`: those of the block first, then each enum's variants by value. Variants take their names from `names`.
pub fn constants<'a>(
    block: &str,
    exprs: &[&'a Expr],
    names: &mut BTreeSet<String>,
) -> Result<Vec<Constant>, EmitError> {
    let mut found: Vec<Found<'a>> = vec![];
    for e in exprs {
        e.visit(&mut |e| {
            if let Expr::Param { name, of, value, width } = e {
                let param = (name.as_str(), of.as_deref(), value, *width);
                if !found.contains(&param) {
                    found.push(param);
                }
            }
        });
    }
    found.sort_by_key(|(_, of, value, _)| of.map(|of| (of, *value)));
    let mut seen = BTreeSet::new();
    let mut constants = vec![];
    for (name, of, value, width) in found {
        // Constants of the block are among the names already; enum variants are not.
        if !seen.insert(name) || of.is_some() && !names.insert(name.to_string()) {
            return Err(EmitError::NameClash { block: block.to_string(), name: name.to_string() });
        }
        constants.push(Constant { name: name.to_string(), value: value.clone(), width });
    }
    Ok(constants)
}

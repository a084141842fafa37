//! Names of signals as rust-hdl's tree has them: `self.lane[i].d.next` is `lane[i]$d$next`.

use quote::ToTokens;
use syn::{Error, Expr, Member, Result};

/// What is refused, at the place of `tokens`.
pub fn refused(tokens: impl ToTokens, what: impl Into<String>) -> Error {
    Error::new_spanned(tokens, what.into())
}

/// The name of a signal, of a field of it, or of a variant of an enum.
pub fn name(of: &Expr) -> Result<String> {
    let name = match of {
        Expr::Group(group) => return name(&group.expr),
        Expr::Paren(paren) => return name(&paren.expr),
        Expr::Path(path) if path.qself.is_none() => {
            let segments: Vec<String> =
                path.path.segments.iter().map(|part| part.ident.to_string()).collect();
            segments.join("$")
        }
        Expr::Field(field) => {
            let Member::Named(member) = &field.member else {
                return Err(refused(of, "a tuple is no signal: hardware has fields with names"));
            };
            within(&field.base, &member.to_string())?
        }
        Expr::Index(index) => {
            let base = name(&index.expr)?;
            format!("{base}[{}]", text(&index.index))
        }
        Expr::MethodCall(call) if call.args.is_empty() && call.turbofish.is_none() => {
            within(&call.receiver, &format!("{}()", call.method))?
        }
        _ => return Err(refused(of, "this is no signal, nor a field of one")),
    };
    match name.as_str() {
        "config" | "input" | "output" => {
            Err(refused(of, format!("`{name}` is a keyword of Verilog: give the signal another name")))
        }
        _ => Ok(name),
    }
}

fn within(base: &Expr, member: &str) -> Result<String> {
    match is_self(base) {
        true => Ok(member.to_string()),
        false => Ok(format!("{}${member}", name(base)?)),
    }
}

fn is_self(base: &Expr) -> bool {
    matches!(base, Expr::Path(path) if path.path.is_ident("self"))
}

/// An index as it is written, its signals by their names.
fn text(index: &Expr) -> String {
    let tokens = index.to_token_stream().to_string().replace([' ', '\n'], "");
    tokens.replace("self.", "").replace("::", "$").replace('.', "$")
}

/// The base of `field` if it is `base.member`, unless that is a signal of the block itself.
pub fn base_of<'a>(field: &'a Expr, member: &str) -> Option<&'a Expr> {
    match field {
        Expr::Field(field) => match &field.member {
            Member::Named(named) if named == member && !is_self(&field.base) => Some(&field.base),
            _ => None,
        },
        _ => None,
    }
}

/// The name of a field that has bits.
pub fn member_name(member: &Member) -> Result<String> {
    match member {
        Member::Named(ident) if !ident.to_string().starts_with('_') => Ok(ident.to_string()),
        Member::Named(ident) => Err(refused(ident, "a field whose name begins with `_` has no bits")),
        Member::Unnamed(index) => Err(refused(index, "a tuple is no signal: hardware has fields with names")),
    }
}

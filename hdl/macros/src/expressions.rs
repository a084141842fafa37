//! The expressions of `update`.

use proc_macro2::Literal;
use quote::{ToTokens, quote};
use syn::{
    AngleBracketedGenericArguments, BinOp, Expr, ExprBinary, ExprCall, ExprField, ExprLit, ExprMethodCall,
    GenericArgument, Lit, LitInt, Member, PathArguments, Result, Type, UnOp,
};

use crate::names::{base_of, member_name, name, refused};
use crate::tree::Tree;

pub fn expression(tree: &mut Tree, value: &Expr) -> Result<()> {
    match value {
        Expr::Group(group) => expression(tree, &group.expr),
        Expr::Paren(paren) => {
            tree.node(quote!(N::Paren));
            expression(tree, &paren.expr)
        }
        Expr::Path(_) | Expr::Index(_) => {
            tree.signal(&name(value)?);
            Ok(())
        }
        Expr::Field(_) if tree.is_block => {
            tree.signal(&name(value)?);
            Ok(())
        }
        Expr::Field(read) => field(tree, value, read),
        Expr::Lit(number) => literal(tree, number),
        Expr::Unary(unary) => {
            let operator = match &unary.op {
                UnOp::Not(_) => quote!(Not),
                UnOp::Neg(_) => quote!(Neg),
                operator => return Err(refused(operator, "the hardware has no such operator")),
            };
            tree.node(quote!(N::Unary(U::#operator)));
            expression(tree, &unary.expr)
        }
        Expr::Binary(binary) => operation(tree, binary),
        Expr::Call(cast) => call(tree, cast),
        Expr::MethodCall(method) => method_call(tree, method),
        Expr::If(_) | Expr::Match(_) => Err(refused(
            value,
            "a value cannot be chosen within an expression: assign in each branch of a statement",
        )),
        Expr::Cast(cast) => {
            Err(refused(cast, "`as` is not of the hardware: a width changes by `bit_cast::<TO, FROM>(..)`"))
        }
        _ => Err(refused(value, "this expression is not of the hardware")),
    }
}

/// `self.a`, which is a signal, or `self.a.val().field`, which is bits of one.
fn field(tree: &mut Tree, value: &Expr, read: &ExprField) -> Result<()> {
    match &*read.base {
        Expr::MethodCall(base) if base.method == "val" => {
            let (layout, member) = field_of(tree, &read.base, &read.member)?;
            tree.node(quote!(N::Field(#layout, #member)));
            expression(tree, &read.base)
        }
        _ if base_of(value, "next").is_some() => {
            Err(refused(value, "`.next` cannot be read: write `.val()`"))
        }
        _ => {
            tree.signal(&name(value)?);
            Ok(())
        }
    }
}

/// The place of the type of `base`, and the name of its field.
pub fn field_of(tree: &mut Tree, base: &Expr, member: &Member) -> Result<(Literal, String)> {
    let member = member_name(member)?;
    if let Some(index) = loop_index(tree, base) {
        return Err(refused(
            base,
            format!("in the loop over `{index}` a struct is read and assigned as a whole, not by its fields"),
        ));
    }
    Ok((tree.layout(base.to_token_stream()), member))
}

/// The loop index by which a signal of an array is named.
fn loop_index(tree: &Tree, base: &Expr) -> Option<String> {
    match base {
        Expr::Field(field) => loop_index(tree, &field.base),
        Expr::MethodCall(call) => loop_index(tree, &call.receiver),
        Expr::Index(index) => {
            let text = index.index.to_token_stream().to_string();
            let mut words = text.split(|c: char| !c.is_alphanumeric() && c != '_');
            let used = words.find(|word| tree.loops.iter().any(|known| known == word)).map(str::to_string);
            used.or_else(|| loop_index(tree, &index.expr))
        }
        _ => None,
    }
}

fn literal(tree: &mut Tree, literal: &ExprLit) -> Result<()> {
    let literal = match &literal.lit {
        Lit::Bool(value) => quote!(L::Bool(#value)),
        Lit::Int(value) => number(tree, value)?,
        other => return Err(refused(other, "a literal of the hardware is an integer, `true` or `false`")),
    };
    tree.node(quote!(N::Literal(#literal)));
    Ok(())
}

/// A number has the width of its type, which is `i32` where none is said.
fn number(tree: &Tree, value: &LitInt) -> Result<proc_macro2::TokenStream> {
    Ok(match value.suffix() {
        "" if value.base10_parse::<i32>().is_err() && tree.is_block => quote!(L::U64(#value)),
        "" if value.base10_parse::<i32>().is_err() => {
            return Err(refused(
                value,
                "the number does not fit in `i32`, which it is without a suffix: write `_u64` behind it",
            ));
        }
        "" | "i32" => quote!(L::I32(#value)),
        "u8" => quote!(L::U8(#value)),
        "u16" => quote!(L::U16(#value)),
        "u32" => quote!(L::U32(#value)),
        "u64" => quote!(L::U64(#value)),
        "u128" => quote!(L::U128(&#value)),
        "usize" => quote!(L::Usize(S::Is(#value))),
        _ => {
            return Err(refused(
                value,
                "the types of literals are `i32`, `u8`, `u16`, `u32`, `u64`, `u128` and `usize`",
            ));
        }
    })
}

fn operation(tree: &mut Tree, binary: &ExprBinary) -> Result<()> {
    let operator = match &binary.op {
        BinOp::Add(_) => quote!(Add),
        BinOp::Sub(_) => quote!(Sub),
        BinOp::Mul(_) => quote!(Mul),
        BinOp::And(_) => quote!(LogicalAnd),
        BinOp::Or(_) => quote!(LogicalOr),
        BinOp::BitXor(_) => quote!(BitXor),
        BinOp::BitAnd(_) => quote!(BitAnd),
        BinOp::BitOr(_) => quote!(BitOr),
        BinOp::Shl(_) => quote!(Shl),
        BinOp::Shr(_) => quote!(Shr),
        BinOp::Eq(_) => quote!(Eq),
        BinOp::Lt(_) => quote!(Lt),
        BinOp::Le(_) => quote!(Le),
        BinOp::Ne(_) => quote!(Ne),
        BinOp::Ge(_) => quote!(Ge),
        BinOp::Gt(_) => quote!(Gt),
        operator => return Err(refused(operator, "the hardware has no such operator")),
    };
    tree.node(quote!(N::Binary(O::#operator)));
    expression(tree, &binary.left)?;
    expression(tree, &binary.right)
}

fn call(tree: &mut Tree, call: &ExprCall) -> Result<()> {
    let form = "the functions of the hardware are `bits::<N>(..)`, `bit_cast::<N, M>(..)`, `unsigned_cast(..)`, `signed_cast(..)` and \
                `signed_bit_cast(..)`, each of one value";
    let Expr::Path(function) = &*call.func else { return Err(refused(call, form)) };
    let (Some(function), Some(value), 1) =
        (function.path.segments.last(), call.args.first(), call.args.len())
    else {
        return Err(refused(call, form));
    };
    match function.ident.to_string().as_str() {
        "bits" | "bit_cast" => {
            let arguments = match &function.arguments {
                PathArguments::AngleBracketed(arguments) => Some(arguments),
                _ => None,
            };
            let width = width(tree, arguments, function)?;
            tree.node(quote!(N::Cast(#width)));
        }
        "resize" if tree.is_block => tree.node(quote!(N::Resize)),
        "unsigned_cast" => tree.node(quote!(N::Unsigned)),
        "signed_cast" | "signed_bit_cast" => tree.node(quote!(N::Signed)),
        _ => return Err(refused(call, form)),
    }
    expression(tree, value)
}

/// The first of the arguments between `::<` and `>`, which is a width.
fn width(
    tree: &mut Tree,
    arguments: Option<&AngleBracketedGenericArguments>,
    at: &impl ToTokens,
) -> Result<proc_macro2::TokenStream> {
    let width = match arguments.and_then(|arguments| arguments.args.first()) {
        Some(GenericArgument::Const(width)) => width.clone(),
        Some(GenericArgument::Type(Type::Path(width))) => syn::parse_quote!(#width),
        _ => {
            return Err(refused(
                at,
                "the width of the result is to be said, as in `get_bits::<4>(..)` and `bit_cast::<4, 8>(..)`",
            ));
        }
    };
    Ok(tree.number(&width))
}

fn method_call(tree: &mut Tree, method: &ExprMethodCall) -> Result<()> {
    let called = method.method.to_string();
    let (node, count) = match called.as_str() {
        "val" | "into" | "index" | "to_bits" => (None, 0),
        "get_bit" => (Some(quote!(N::Index)), 1),
        "get_bits" => {
            let width = width(tree, method.turbofish.as_ref(), method)?;
            (Some(quote!(N::Slice(#width))), 1)
        }
        "replace_bit" => (Some(quote!(N::IndexReplace)), 2),
        "all" => (Some(quote!(N::Unary(U::All))), 0),
        "any" => (Some(quote!(N::Unary(U::Any))), 0),
        "xor" => (Some(quote!(N::Unary(U::Xor))), 0),
        "to_signed_bits" => (Some(quote!(N::Signed)), 0),
        _ => return Err(refused(&method.method, format!("the hardware has no `{called}`"))),
    };
    if method.args.len() != count {
        let count = ["no value", "one value", "two values"][count];
        return Err(refused(method, format!("`{called}` takes {count}")));
    }
    if let Some(node) = node {
        tree.node(node);
    }
    expression(tree, &method.receiver)?;
    method.args.iter().try_for_each(|value| expression(tree, value))
}

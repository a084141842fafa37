//! The attributes that make hardware of a block's `update`: `block`, and `hdl_gen` of rust-hdl's own form. `hdl_gen` stands where
//! rust-hdl's own of the same name would, and takes the same subset of Rust.
//!
//! rust-hdl's attribute writes a function `hdl` that builds the syntax tree of `update` call by call. Widths are types in
//! rust-hdl, so that function is compiled again for each combination of sizes, although the trees differ in a few numbers only.
//! `hdl_gen` writes the tree as a static list of nodes, which is compiled once, and of `hdl` only what depends on the sizes:
//! the numbers, and the types whose fields are named. `respray_hdl::emit::syntax` makes rust-hdl's tree of both.

mod connect;
mod expressions;
mod fields;
mod names;
mod plain;
mod ports;
mod statements;
mod surface;
#[cfg(test)]
mod tests;
mod tree;

use proc_macro2::TokenStream;
use quote::quote;
use syn::{Item, ItemFn, Result, parse_quote};

/// Of `fn update(&mut self)`, which stays as it is, makes the `hdl` and `connect` of the block.
///
/// It takes assignments to `.next` and to its fields, `if`, `match`, `for` over a range, `dff_setup!`, `clock!`, `comment!`,
/// `assert!`, `println!`, and `Type::join` and `Type::link`; in expressions signals, literals, variants of an enum, operators,
/// `bits::<N>`, `bit_cast::<N, M>`, the casts between signed and unsigned, `get_bit`, `get_bits::<N>`, `replace_bit`, `all`,
/// `any`, `xor`, `to_signed_bits`, and `val`, `into`, `index` and `to_bits`, which are nothing to the hardware. All else is
/// refused where it stands.
#[proc_macro_attribute]
pub fn hdl_gen(_: proc_macro::TokenStream, item: proc_macro::TokenStream) -> proc_macro::TokenStream {
    let update = TokenStream::from(item);
    match expand(update) {
        Ok(tokens) => tokens.into(),
        Err(error) => error.to_compile_error().into(),
    }
}

/// A block, on its struct and on the `impl` with its `update`; both stand in one file, the struct first.
///
/// The struct has its ports, registers `Reg<T>` and parts. The attribute adds the ports `clk` and `rst`, derives `Default`, and hands
/// both to the registers and parts. `#[block(no_reset)]` has no `rst`, `#[block(no_clock)]` neither. `#[reset = 0]` on a register is
/// its value under reset, a number, an expression without signals, or the name of a parameter of the block; a register without it
/// keeps its contents then.
///
/// `update` reads and assigns signals, registers, ports of parts and fields of these by their names: `self.count = self.count + 1;`.
/// A register that is not assigned holds. `let name = value;` at the top of `update` is a wire, which has the width of its value or
/// of its type (one of a struct takes a whole signal); with `let mut` it can be assigned anew below. A bare number has the width of what it is assigned to,
/// `resize(value)` too. `join(self.sink, self.source)` joins two ports, also such of several signals. An assignment to the `clk` or
/// `rst` of a part goes before what the attribute gives it.
#[proc_macro_attribute]
pub fn block(arguments: proc_macro::TokenStream, item: proc_macro::TokenStream) -> proc_macro::TokenStream {
    match of_item(arguments.into(), item.into()) {
        Ok(tokens) => tokens.into(),
        Err(error) => error.to_compile_error().into(),
    }
}

/// A block that is written in rust-hdl's own form, or brings its own Verilog, as a part of one of `#[block]`.
#[proc_macro_derive(Part)]
pub fn part(item: proc_macro::TokenStream) -> proc_macro::TokenStream {
    match syn::parse(item) {
        Ok(block) => surface::of_part(&block).into(),
        Err(error) => error.to_compile_error().into(),
    }
}

/// What rust-hdl's derive of this name writes, but that a design which is only printed has no simulation.
#[proc_macro_derive(LogicBlock)]
pub fn logic_block(item: proc_macro::TokenStream) -> proc_macro::TokenStream {
    match syn::parse(item) {
        Ok(block) => ports::block_impl(&block).into(),
        Err(error) => error.to_compile_error().into(),
    }
}

fn of_item(arguments: TokenStream, item: TokenStream) -> Result<TokenStream> {
    match syn::parse2(item)? {
        Item::Struct(block) => Ok(surface::of_struct(arguments, block)),
        Item::Impl(block) => surface::of_impl(block),
        item => Err(names::refused(item, surface::FORM)),
    }
}

/// What the struct's half of `block` calls for the other half.
#[doc(hidden)]
#[proc_macro]
pub fn block_with(handed: proc_macro::TokenStream) -> proc_macro::TokenStream {
    match syn::parse::<surface::Handed>(handed) {
        Ok(handed) => surface::with_fields(handed).into(),
        Err(error) => error.to_compile_error().into(),
    }
}

fn expand(item: TokenStream) -> Result<TokenStream> {
    let mut update: ItemFn = syn::parse2(item)?;
    let inputs = &update.sig.inputs;
    if inputs.len() != 1 || update.sig.receiver().is_none() {
        return Err(names::refused(&update.sig, "the function takes `&mut self` and nothing else"));
    }
    let connects = connect::block(&update.block)?;
    let mut tree = tree::Tree::default();
    statements::block(&mut tree, &update.block)?;
    let hdl = tree.into_tokens();
    let body = &update.block;
    update.block = parse_quote!({ if ::respray_hdl::SIMULATES #body });
    Ok(quote! {
        #[allow(unreachable_patterns)]
        #update

        #[automatically_derived]
        #[allow(unused_variables)]
        fn connect(&mut self) {
            #connects
        }

        #[automatically_derived]
        fn hdl(&self) -> ::rust_hdl::core::ast::Verilog {
            #hdl
        }
    })
}

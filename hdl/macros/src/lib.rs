//! The attribute that makes hardware of a block's `update`. It stands where rust-hdl's own of the same name would, and takes the
//! same subset of Rust.
//!
//! rust-hdl's attribute writes a function `hdl` that builds the syntax tree of `update` call by call. Widths are types in
//! rust-hdl, so that function is compiled again for each combination of sizes, although the trees differ in a few numbers only.
//! This attribute writes the tree as a static list of nodes, which is compiled once, and of `hdl` only what depends on the sizes:
//! the numbers, and the types whose fields are named. `respray_hdl::emit::syntax` makes rust-hdl's tree of both.

mod connect;
mod expressions;
mod names;
mod statements;
#[cfg(test)]
mod tests;
mod tree;

use proc_macro2::TokenStream;
use quote::quote;
use syn::{ItemFn, Result};

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

fn expand(item: TokenStream) -> Result<TokenStream> {
    let update: ItemFn = syn::parse2(item.clone())?;
    let inputs = &update.sig.inputs;
    if inputs.len() != 1 || update.sig.receiver().is_none() {
        return Err(names::refused(&update.sig, "the function takes `&mut self` and nothing else"));
    }
    let connects = connect::block(&update.block)?;
    let mut tree = tree::Tree::default();
    statements::block(&mut tree, &update.block)?;
    let hdl = tree.into_tokens();
    Ok(quote! {
        #[allow(unreachable_patterns)]
        #item

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

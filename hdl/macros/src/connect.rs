//! `connect`, by which rust-hdl knows the signals that a block drives.

use std::collections::BTreeSet;

use proc_macro2::TokenStream;
use quote::{ToTokens, quote};
use syn::{Block, Expr, Member, Result, Stmt};

use crate::plain;
use crate::statements::{Setup, link_path};

/// What `connect` does for the statements of `block`. A signal that is assigned in several places is named once.
pub fn block(block: &Block) -> Result<TokenStream> {
    let mut scope = Scope::default();
    scope.block(block)?;
    Ok(scope.tokens)
}

/// What is driven in `update`, or in a loop within it.
#[derive(Default)]
struct Scope {
    known: BTreeSet<String>,
    tokens: TokenStream,
}

impl Scope {
    fn add(&mut self, call: TokenStream) {
        if self.known.insert(call.to_string()) {
            self.tokens.extend(call);
        }
    }

    fn drives(&mut self, signal: impl ToTokens) {
        self.add(quote!(::rust_hdl::core::logic::logic_connect_fn(&mut #signal);));
    }

    fn block(&mut self, block: &Block) -> Result<()> {
        block.stmts.iter().try_for_each(|stmt| match stmt {
            Stmt::Expr(expr, _) => self.statement(expr),
            Stmt::Macro(call) => self.macro_call(&call.mac),
            _ => Ok(()),
        })
    }

    fn statement(&mut self, statement: &Expr) -> Result<()> {
        match statement {
            Expr::Assign(assign) => {
                if let Some(signal) = driven(&assign.left) {
                    self.drives(signal);
                }
            }
            Expr::Block(inner) => self.block(&inner.block)?,
            Expr::If(conditional) => {
                self.block(&conditional.then_branch)?;
                if let Some((_, branch)) = &conditional.else_branch {
                    self.statement(branch)?;
                }
            }
            Expr::Match(select) => select.arms.iter().try_for_each(|arm| self.statement(&arm.body))?,
            Expr::ForLoop(unrolled) => {
                let (index, range, body) = (&unrolled.pat, &unrolled.expr, block(&unrolled.body)?);
                self.add(quote!(for #index in #range { #body }));
            }
            Expr::Macro(call) => self.macro_call(&call.mac)?,
            Expr::Call(call) => {
                if let Some((sink, source)) = plain::ends(call) {
                    self.add(quote!(::respray_hdl::prims::Join::claim(&mut #sink, &mut #source);));
                } else if let Some((_, verb)) = link_path(call) {
                    let function = quote::format_ident!("logic_connect_{verb}_fn");
                    let ends = &call.args;
                    self.add(quote!(::rust_hdl::core::logic::#function(#ends);));
                }
            }
            _ => {}
        }
        Ok(())
    }

    fn macro_call(&mut self, call: &syn::Macro) -> Result<()> {
        let with_d = call.path.is_ident("dff_setup");
        if with_d || call.path.is_ident("clock") {
            let Setup { block, registers, .. } = call.parse_body()?;
            for register in registers {
                self.drives(quote!(#block.#register.clock));
                if with_d {
                    self.drives(quote!(#block.#register.d));
                }
            }
        }
        Ok(())
    }
}

/// The signal whose `next`, or a field of it, is assigned.
fn driven(target: &Expr) -> Option<&Expr> {
    let Expr::Field(field) = target else { return None };
    match &field.member {
        Member::Named(member) if member == "next" => Some(&field.base),
        _ => driven(&field.base),
    }
}

//! `#[block]`: on the struct of a block, and on the `impl` that holds its `update`.
//!
//! The struct's half knows the types of fields, and the half of the `impl` needs them to write `.val()` and `.next`. So the first half
//! declares a macro that hands its fields to the second. Both halves stand in one file, the struct first.

use proc_macro2::{Ident, TokenStream};
use quote::{ToTokens, format_ident, quote, quote_spanned};
use syn::parse::{Parse, ParseStream};
use syn::spanned::Spanned;
use syn::{
    Expr, ImplItem, ItemImpl, ItemStruct, Meta, Result, Token, Type, parse_quote, parse_quote_spanned,
};

use crate::fields::{Field, Kind};
use crate::names::refused;
use crate::{connect, plain, statements, tree};

/// Where the attribute stands.
pub const FORM: &str =
    "`#[block]` stands on the struct of a block, and on the `impl` of it that holds `update`";

/// The fields, and behind them the `impl`.
pub struct Handed {
    pub fields: Vec<Field>,
    item: ItemImpl,
}

impl Parse for Handed {
    fn parse(input: ParseStream) -> Result<Self> {
        let inner;
        syn::braced!(inner in input);
        let fields = inner.parse_terminated(Field::parse, Token![,])?.into_iter().collect();
        Ok(Handed { fields, item: input.parse()? })
    }
}

/// The macro that hands the fields of a block over.
fn hand(block: &Ident) -> Ident {
    format_ident!("block_of_{block}")
}

/// What `#[block(..)]` says: whether there is a clock, and whether there is a reset.
fn clocks(arguments: TokenStream) -> Result<(bool, bool)> {
    match arguments.to_string().as_str() {
        "" => Ok((true, true)),
        "no_reset" => Ok((true, false)),
        "no_clock" => Ok((false, false)),
        _ => Err(refused(
            arguments,
            "allowed: `#[block]`, `#[block(no_reset)]`, and `#[block(no_clock)]` of a block without either",
        )),
    }
}

/// The struct: clock and reset in front, resets taken from its registers. What is refused still declares the struct, so that one
/// error is not followed by many.
pub fn of_struct(arguments: TokenStream, mut block: ItemStruct) -> TokenStream {
    let name = block.ident.clone();
    let (mut fields, mut errors) = (vec![], vec![]);
    declare(arguments, &mut block, &mut fields, &mut errors);
    let errors = errors.iter().map(syn::Error::to_compile_error);
    let implementation = crate::ports::block_impl(&block);
    let part = of_part(&block);
    let hand = hand(&name);
    block.fields.iter_mut().for_each(|field| field.attrs.retain(|attr| !attr.path().is_ident("flat")));
    quote! {
        #(#errors)*

        #[derive(Default)]
        #block

        #implementation

        #part

        #[doc(hidden)]
        #[allow(unused_macros)]
        macro_rules! #hand {
            ($($item:tt)*) => {
                ::respray_hdl::prims::block_with! { { #(#fields),* } $($item)* }
            };
        }
    }
}

/// A block as a part of another one, which gives it its clock and reset.
pub fn of_part(block: &ItemStruct) -> TokenStream {
    let named =
        |name: &str| block.fields.iter().find_map(|field| field.ident.clone().filter(|ident| ident == name));
    let ports: Vec<Ident> = ["clk", "rst"].into_iter().filter_map(named).collect();
    let values: Vec<Ident> =
        ports.iter().map(|port| format_ident!("{port}", span = proc_macro2::Span::call_site())).collect();
    let name = &block.ident;
    let (generics, arguments, bounds) = block.generics.split_for_impl();
    quote! {
        #[automatically_derived]
        #[allow(unused_variables)]
        impl #generics ::respray_hdl::prims::Part for #name #arguments #bounds {
            fn clocked(&mut self, clk: ::rust_hdl::prelude::Clock, rst: bool) {
                #(self.#ports.next = #values;)*
            }

            fn claim_clock(&mut self) {
                #(::rust_hdl::core::logic::Logic::connect(&mut self.#ports);)*
            }
        }
    }
}

/// Adds clock and reset to the fields, and takes the resets out of them. All fields are found, whatever is refused.
fn declare(
    arguments: TokenStream,
    block: &mut ItemStruct,
    found: &mut Vec<Field>,
    errors: &mut Vec<syn::Error>,
) {
    let (clk, rst) = clocks(arguments).unwrap_or_else(|error| {
        errors.push(error);
        (true, true)
    });
    let name = block.ident.clone();
    let syn::Fields::Named(named) = &mut block.fields else {
        return errors.push(refused(name, "a block has fields with names"));
    };
    for field in &mut named.named {
        let (kind, count) = Kind::of(&field.ty);
        let mut reset = None;
        field.attrs.retain(|attr| {
            if !attr.path().is_ident("reset") {
                return true;
            }
            match &attr.meta {
                Meta::NameValue(pair) if kind == Kind::Register && rst => reset = Some(pair.value.clone()),
                Meta::NameValue(_) if rst => {
                    errors.push(refused(attr, "only a register, `Reg<..>`, has a reset"))
                }
                Meta::NameValue(_) => {
                    errors.push(refused(attr, "a block with `no_reset` or `no_clock` resets nothing"));
                }
                _ => errors.push(refused(attr, "a reset has a value: `#[reset = 0]`")),
            }
            false
        });
        let Some(name) = field.ident.clone() else { continue };
        if clk && name == "clk" || rst && name == "rst" {
            errors.push(refused(&name, format!("`#[block]` adds the port `{name}` by itself")));
        }
        if !name.to_string().starts_with('_') {
            found.push(Field { name, kind, count, reset });
        }
    }
    let mut add = |at: usize, name: &str, ty: Type| {
        let name = format_ident!("{name}");
        found.insert(at, Field { name: name.clone(), kind: Kind::Signal, count: None, reset: None });
        named.named.insert(at, parse_quote!(pub #name: #ty));
    };
    if clk {
        let ty =
            parse_quote!(::rust_hdl::prelude::Signal<::rust_hdl::prelude::In, ::rust_hdl::prelude::Clock>);
        add(0, "clk", ty);
    }
    if rst {
        add(1, "rst", parse_quote!(::rust_hdl::prelude::Signal<::rust_hdl::prelude::In, bool>));
    }
}

/// The `impl`, which asks for the fields.
pub fn of_impl(item: ItemImpl) -> Result<TokenStream> {
    match (&item.trait_, &*item.self_ty) {
        (None, Type::Path(path)) => {
            let name = &path.path.segments.last().ok_or_else(|| refused(path, FORM))?.ident;
            let hand = hand(name);
            Ok(quote!(#hand! { #item }))
        }
        (_, ty) => Err(refused(ty, FORM)),
    }
}

/// Of the `update` of an `impl` whose fields are known, what rust-hdl wants. What is refused still gives the traits.
pub fn with_fields(handed: Handed) -> TokenStream {
    let Handed { fields, mut item } = handed;
    let (name, (generics, _, bounds)) = (item.self_ty.clone(), item.generics.split_for_impl());
    let (generics, bounds) = (generics.to_token_stream(), bounds.to_token_stream());
    let logic = update_of(&mut item).and_then(|update| logic(&fields, update));
    let (logic, error) = match logic {
        Ok(logic) => (logic, None),
        Err(error) => (
            quote!(
                fn update(&mut self) {}
            ),
            Some(error.to_compile_error()),
        ),
    };
    let rest = (!item.items.is_empty()).then_some(&item);
    quote! {
        #error

        #rest

        #[automatically_derived]
        impl #generics ::rust_hdl::core::logic::Logic for #name #bounds {
            #logic
        }
    }
}

/// Takes `update` out of the `impl`.
fn update_of(item: &mut ItemImpl) -> Result<syn::ImplItemFn> {
    let is_update =
        |item: &ImplItem| matches!(item, ImplItem::Fn(function) if function.sig.ident == "update");
    let at = item.items.iter().position(is_update);
    match at.map(|at| item.items.remove(at)) {
        Some(ImplItem::Fn(update)) if update.sig.inputs.len() == 1 && update.sig.receiver().is_some() => {
            Ok(update)
        }
        Some(update) => Err(refused(update, "the function takes `&mut self` and nothing else")),
        None => Err(refused(&item.self_ty, "a block has a function `update`")),
    }
}

fn logic(fields: &[Field], update: syn::ImplItemFn) -> Result<TokenStream> {
    let has = |name: &str| fields.iter().any(|field| field.name == name);
    let plain::Plain { rust, mut tree } = plain::plain(fields, &update.block)?;
    // `self` of what is written here is that of the function
    let span = update.sig.receiver().span();
    let reset = resets(fields, span);
    tree.stmts.extend(reset.clone());
    let connects = connect::block(&tree)?;
    let mut nodes = tree::Tree::of_block();
    statements::whole(&mut nodes, &tree)?;
    let hdl = nodes.into_tokens();
    let parts: Vec<_> =
        fields.iter().filter(|f| matches!(f.kind, Kind::Register | Kind::Part)).map(|f| &f.name).collect();
    let clk = if has("clk") {
        quote_spanned!(span=> self.clk.val())
    } else {
        quote!(::rust_hdl::prelude::Clock::default())
    };
    let rst = if has("rst") { quote_spanned!(span=> self.rst.val()) } else { quote!(false) };
    let clocks = (!parts.is_empty()).then(|| {
        quote_spanned! {span=>
            let (clk_of_parts, rst_of_parts) = (#clk, #rst);
            #(::respray_hdl::prims::Part::clocked(&mut self.#parts, clk_of_parts, rst_of_parts);)*
        }
    });
    Ok(quote_spanned! {span=>
        #[allow(unused_mut, unused_assignments, unreachable_patterns, clippy::assign_op_pattern)]
        fn update(&mut self) {
            if ::respray_hdl::SIMULATES {
                #clocks
                #rust
                #reset
            }
        }

        #[allow(unused_variables)]
        fn connect(&mut self) {
            #(::respray_hdl::prims::Part::claim_clock(&mut self.#parts);)*
            #connects
        }

        fn hdl(&self) -> ::rust_hdl::core::ast::Verilog {
            #hdl
        }
    })
}

/// The registers that a reset sets.
fn resets(fields: &[Field], span: proc_macro2::Span) -> Option<syn::Stmt> {
    let mut stmts: Vec<syn::Stmt> = vec![];
    for Field { name, count, reset, .. } in fields {
        let value = match reset {
            None => continue,
            Some(Expr::Path(param)) if fields.iter().any(|field| param.path.is_ident(&field.name)) => {
                parse_quote_spanned!(span=> self.#param.val())
            }
            Some(value) => plain::assigned_literal(value),
        };
        stmts.push(match count {
            Some(count) => parse_quote_spanned!(span=> for i in 0..#count { self.#name[i].d.next = #value; }),
            None => parse_quote_spanned!(span=> self.#name.d.next = #value;),
        });
    }
    (!stmts.is_empty()).then(|| parse_quote_spanned!(span=> if self.rst.val() { #(#stmts)* }))
}

//! The fields of a block, as its struct hands them to its `impl`.

use proc_macro2::{Ident, TokenStream};
use quote::{ToTokens, format_ident, quote};
use syn::parse::{Parse, ParseStream};
use syn::{Expr, GenericArgument, PathArguments, Result, Token, Type, parse_quote};

/// What `update` writes a field as.
#[derive(Clone, Copy, PartialEq)]
pub enum Kind {
    Signal,
    Register,
    Param,
    /// A block, or a port that is several signals.
    Part,
}

impl Kind {
    const WORDS: [(Kind, &'static str); 4] = [
        (Kind::Signal, "signal"),
        (Kind::Register, "register"),
        (Kind::Param, "param"),
        (Kind::Part, "part"),
    ];

    /// That of a field, and its number if it is an array, by the names in its type.
    pub fn of(ty: &Type) -> (Kind, Option<Expr>) {
        let path = match ty {
            Type::Group(group) => return Kind::of(&group.elem),
            Type::Array(array) => return (Kind::of(&array.elem).0, Some(array.len.clone())),
            Type::Path(path) => path,
            _ => return (Kind::Part, None),
        };
        let Some(last) = path.path.segments.last() else { return (Kind::Part, None) };
        let arguments: Vec<_> = match &last.arguments {
            PathArguments::AngleBracketed(arguments) => arguments.args.iter().collect(),
            _ => vec![],
        };
        match (last.ident.to_string().as_str(), &arguments[..]) {
            ("Signal", _) => (Kind::Signal, None),
            ("DFF" | "Reg", _) => (Kind::Register, None),
            ("Param", _) => (Kind::Param, None),
            ("Optional", [GenericArgument::Type(inner)]) => Kind::of(inner),
            ("Array", [GenericArgument::Type(inner), count]) => {
                let count = match count {
                    GenericArgument::Const(count) => Some(count.clone()),
                    GenericArgument::Type(count) => Some(parse_quote!(#count)),
                    _ => None,
                };
                (Kind::of(inner).0, count)
            }
            _ => (Kind::Part, None),
        }
    }
}

/// A field, as the struct's half hands it over: `name kind`, then `[count]` of an array and `= value` of a reset.
pub struct Field {
    pub name: Ident,
    pub kind: Kind,
    pub count: Option<Expr>,
    pub reset: Option<Expr>,
}

impl ToTokens for Field {
    fn to_tokens(&self, tokens: &mut TokenStream) {
        let Field { name, kind, count, reset } = self;
        let word =
            Kind::WORDS.iter().find(|(known, _)| known == kind).map(|(_, word)| format_ident!("{word}"));
        let count = count.as_ref().map(|count| quote!([#count]));
        let reset = reset.as_ref().map(|reset| quote!(= #reset));
        tokens.extend(quote!(#name #word #count #reset));
    }
}

impl Parse for Field {
    fn parse(input: ParseStream) -> Result<Self> {
        let (name, word): (Ident, Ident) = (input.parse()?, input.parse()?);
        let kind = Kind::WORDS.iter().find(|(_, known)| word == known).map_or(Kind::Part, |(kind, _)| *kind);
        let count = match input.peek(syn::token::Bracket) {
            true => {
                let inner;
                syn::bracketed!(inner in input);
                Some(inner.parse()?)
            }
            false => None,
        };
        let reset = input.parse::<Option<Token![=]>>()?.map(|_| input.parse()).transpose()?;
        Ok(Field { name, kind, count, reset })
    }
}

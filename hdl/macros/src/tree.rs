//! The tree as it is written into `hdl`.

use proc_macro2::{Literal, TokenStream};
use quote::{ToTokens, quote};
use syn::{Expr, Lit};

/// The nodes of an `update`, each before its parts, and what stands beside them because it depends on the block's sizes.
#[derive(Default)]
pub struct Tree {
    /// Whether it is of `#[block]`.
    pub is_block: bool,
    nodes: Vec<TokenStream>,
    numbers: List,
    layouts: List,
    links: List,
    /// Indices of the loops around what is read.
    pub loops: Vec<String>,
}

/// Expressions, each of them once.
#[derive(Default)]
struct List {
    keys: Vec<String>,
    tokens: Vec<TokenStream>,
}

impl List {
    /// The place of an expression.
    fn place(&mut self, tokens: TokenStream) -> usize {
        let key = tokens.to_string();
        if let Some(place) = self.keys.iter().position(|known| *known == key) {
            return place;
        }
        self.keys.push(key);
        self.tokens.push(tokens);
        self.keys.len() - 1
    }
}

impl Tree {
    /// That of `#[block]`.
    pub fn of_block() -> Self {
        Tree { is_block: true, ..Default::default() }
    }

    /// Adds a node, which is an expression of the type `Node` with `N` for that name.
    pub fn node(&mut self, tokens: TokenStream) {
        self.nodes.push(tokens);
    }

    /// Adds the node `kind`, which is followed by `count` others.
    pub fn list(&mut self, kind: TokenStream, count: usize) {
        let count = Literal::usize_unsuffixed(count);
        self.node(quote!(N::#kind(#count)));
    }

    pub fn signal(&mut self, name: &str) {
        self.node(quote!(N::Signal(#name)));
    }

    /// A number of the type `usize`, of which the node holds the value if it is a literal.
    pub fn number(&mut self, number: &Expr) -> TokenStream {
        if let Some(literal) = integer(number) {
            return quote!(S::Is(#literal));
        }
        let place = Literal::usize_unsuffixed(self.numbers.place(number.to_token_stream()));
        quote!(S::At(#place))
    }

    /// The place of the type of `value`, an expression.
    pub fn layout(&mut self, value: TokenStream) -> Literal {
        Literal::usize_unsuffixed(self.layouts.place(quote!(layout(&#value))))
    }

    /// The place of a function that links or joins two interfaces.
    pub fn link(&mut self, function: TokenStream) -> Literal {
        Literal::usize_unsuffixed(self.links.place(function))
    }

    /// The body of `hdl`.
    pub fn into_tokens(self) -> TokenStream {
        let Tree { nodes, numbers, layouts, links, .. } = self;
        let (numbers, layouts, links) = (numbers.tokens, layouts.tokens, links.tokens);
        let count = Literal::usize_unsuffixed(nodes.len());
        let import = (!layouts.is_empty()).then(|| {
            quote!(
                use ::respray_hdl::emit::syntax::layout;
            )
        });
        quote! {
            static NODES: [::respray_hdl::emit::syntax::Node; #count] = {
                #[allow(unused_imports)]
                use ::respray_hdl::emit::syntax::{Literal as L, Node as N, Operator as O, Size as S, Unary as U};
                [#(#nodes),*]
            };
            #import
            ::respray_hdl::emit::syntax::verilog(&NODES, &::respray_hdl::emit::syntax::Sizes {
                numbers: &[#(#numbers),*],
                layouts: &[#(#layouts),*],
                links: &[#(#links),*],
            })
        }
    }
}

/// The literal that a number is, if it is one, without its suffix.
fn integer(number: &Expr) -> Option<Literal> {
    match number {
        Expr::Group(group) => integer(&group.expr),
        Expr::Lit(literal) => match &literal.lit {
            Lit::Int(value) => value.base10_parse().ok().map(Literal::usize_unsuffixed),
            _ => None,
        },
        _ => None,
    }
}

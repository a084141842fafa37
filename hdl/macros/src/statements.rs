//! The statements of `update`.

use quote::{ToTokens, format_ident, quote};
use syn::parse::{Parse, ParseStream};
use syn::punctuated::Punctuated;
use syn::{
    Block, Expr, ExprAssign, ExprCall, ExprForLoop, ExprIf, ExprMatch, Local, Macro, Pat, Path, RangeLimits,
    Result, Stmt, Token, Type,
};

use crate::expressions::{expression, field_of};
use crate::names::{base_of, name, refused};
use crate::plain;
use crate::tree::Tree;

pub fn block(tree: &mut Tree, block: &Block) -> Result<()> {
    tree.list(quote!(Block), block.stmts.len());
    statements(tree, block)
}

/// All of `update`. Behind that of `#[block]` stands what says so: a macro of no statements.
pub fn whole(tree: &mut Tree, block: &Block) -> Result<()> {
    tree.list(quote!(Block), block.stmts.len() + usize::from(tree.is_block));
    statements(tree, block)?;
    if tree.is_block {
        tree.list(quote!(Macro), 0);
    }
    Ok(())
}

fn statements(tree: &mut Tree, block: &Block) -> Result<()> {
    block.stmts.iter().try_for_each(|stmt| match stmt {
        Stmt::Expr(expr, _) => statement(tree, expr),
        Stmt::Macro(call) => macro_call(tree, &call.mac),
        Stmt::Local(local) if tree.is_block => wire(tree, local),
        Stmt::Local(local) => Err(refused(
            local,
            "`let` is not of the hardware: a value with a name is a `Signal<Local, _>` of the block",
        )),
        Stmt::Item(item) => Err(refused(item, "an item cannot stand within `update`")),
    })
}

fn statement(tree: &mut Tree, statement: &Expr) -> Result<()> {
    match statement {
        Expr::Assign(assign) => assignment(tree, assign),
        Expr::If(conditional) => if_else(tree, conditional),
        Expr::Match(select) => cases(tree, select),
        Expr::ForLoop(unrolled) => for_loop(tree, unrolled),
        Expr::Macro(call) => macro_call(tree, &call.mac),
        Expr::Call(call) => link(tree, call),
        _ => Err(refused(
            statement,
            "this statement is not of the hardware, which has assignments, `if`, `match`, `for`, and `join` and `link`",
        )),
    }
}

/// A wire, under a name by which the backend knows that it is one.
fn wire(tree: &mut Tree, local: &Local) -> Result<()> {
    let (name, ty, value) = plain::wire(local)?;
    tree.node(quote!(N::Assign));
    tree.signal(&format!("let${name}"));
    // of a struct the value tells the type
    if let Some(ty) = ty.filter(|ty| has_width(ty)) {
        let width = tree.number(&syn::parse_quote!(<#ty as ::rust_hdl::prelude::Synth>::BITS));
        tree.node(quote!(N::Cast(#width)));
    }
    expression(tree, value)
}

/// Whether a type is no more than a width.
fn has_width(ty: &Type) -> bool {
    let Type::Path(path) = ty else { return false };
    path.path.segments.last().is_some_and(|last| last.ident == "Bits" || last.ident == "bool")
}

fn assignment(tree: &mut Tree, assign: &ExprAssign) -> Result<()> {
    if tree.is_block {
        tree.node(quote!(N::Assign));
        tree.signal(&name(&assign.left)?);
        return expression(tree, &assign.right);
    }
    let Expr::Field(target) = &*assign.left else {
        return Err(refused(&assign.left, "only `.next` of a signal, and fields of it, can be assigned"));
    };
    match base_of(&target.base, "next") {
        Some(signal) => {
            let (layout, member) = field_of(tree, &target.base, &target.member)?;
            tree.node(quote!(N::AssignField(#layout, #member)));
            tree.signal(&name(signal)?);
        }
        None => {
            let name = name(&assign.left)?;
            if name.ends_with("$val") {
                return Err(refused(&assign.left, "`.val` cannot be assigned: write `.next`"));
            }
            tree.node(quote!(N::Assign));
            tree.signal(&name);
        }
    }
    expression(tree, &assign.right)
}

fn if_else(tree: &mut Tree, conditional: &ExprIf) -> Result<()> {
    tree.node(quote!(N::If));
    expression(tree, &conditional.cond)?;
    block(tree, &conditional.then_branch)?;
    match conditional.else_branch.as_ref().map(|(_, branch)| &**branch) {
        None => tree.node(quote!(N::NoElse)),
        Some(Expr::Block(branch)) => {
            tree.node(quote!(N::Else));
            block(tree, &branch.block)?;
        }
        Some(Expr::If(branch)) => {
            tree.node(quote!(N::ElseIf));
            if_else(tree, branch)?;
        }
        Some(branch) => return Err(refused(branch, "behind `else` stands a block or an `if`")),
    }
    Ok(())
}

fn cases(tree: &mut Tree, select: &ExprMatch) -> Result<()> {
    tree.list(quote!(Match), select.arms.len());
    expression(tree, &select.expr)?;
    for arm in &select.arms {
        let label = label(&arm.pat)?;
        tree.node(quote!(N::Case(#label)));
        match &*arm.body {
            Expr::Block(body) => block(tree, &body.block)?,
            body => {
                tree.list(quote!(Block), 1);
                statement(tree, body)?;
            }
        }
    }
    Ok(())
}

fn label(pattern: &Pat) -> Result<String> {
    match pattern {
        Pat::Wild(_) => Ok("default".to_string()),
        Pat::Lit(literal) => Ok(literal.to_token_stream().to_string()),
        Pat::Ident(ident)
            if ident.subpat.is_none() && ident.by_ref.is_none() && ident.mutability.is_none() =>
        {
            Ok(ident.ident.to_string())
        }
        Pat::Path(path) if path.qself.is_none() => {
            Ok(path.path.segments.iter().map(|part| part.ident.to_string()).collect::<Vec<_>>().join("$"))
        }
        Pat::Guard(guard) => {
            Err(refused(guard, "an arm of a `match` has no condition of its own: write an `if` within it"))
        }
        Pat::Or(or) => Err(refused(or, "an arm of a `match` has one pattern: write an arm for each")),
        _ => Err(refused(pattern, "an arm of a `match` is a variant `Type::Variant`, a literal or `_`")),
    }
}

fn for_loop(tree: &mut Tree, unrolled: &ExprForLoop) -> Result<()> {
    let form = "a loop has the form `for i in 0..N`";
    let Pat::Ident(index) = &*unrolled.pat else { return Err(refused(&unrolled.pat, form)) };
    let Expr::Range(range) = &*unrolled.expr else { return Err(refused(&unrolled.expr, form)) };
    let (Some(from), Some(to), RangeLimits::HalfOpen(_)) = (&range.start, &range.end, &range.limits) else {
        return Err(refused(range, form));
    };
    let index = index.ident.to_string();
    tree.node(quote!(N::Loop(#index)));
    for bound in [from, to] {
        match &**bound {
            Expr::Lit(_) => expression(tree, bound)?,
            bound => {
                let number = tree.number(bound);
                tree.node(quote!(N::Literal(L::Usize(#number))));
            }
        }
    }
    tree.loops.push(index);
    block(tree, &unrolled.body)?;
    tree.loops.pop();
    Ok(())
}

/// `Type::join(&mut self.a, &mut self.b)`, and the same with `link`.
fn link(tree: &mut Tree, call: &ExprCall) -> Result<()> {
    if let Some((sink, source)) = tree.is_block.then(|| plain::ends(call)).flatten() {
        tree.node(quote!(N::Join));
        tree.signal(&name(sink)?);
        tree.signal(&name(source)?);
        return Ok(());
    }
    let form = "the only functions that are called as statements are `<Type>::join(&mut self.a, &mut self.b)` and `<Type>::link` likewise";
    let Some((path, verb)) = link_path(call) else { return Err(refused(call, form)) };
    let mut function = path.clone();
    function.segments.pop();
    function.segments.push(format_ident!("{verb}_hdl").into());
    let place = tree.link(function.to_token_stream());
    tree.node(quote!(N::Link(#place)));
    for end in &call.args {
        match end {
            Expr::Reference(end) if end.mutability.is_some() => tree.signal(&name(&end.expr)?),
            _ => return Err(refused(end, form)),
        }
    }
    Ok(())
}

/// The function that links or joins, and which of both it does.
pub fn link_path(call: &ExprCall) -> Option<(&Path, &'static str)> {
    let Expr::Path(function) = &*call.func else { return None };
    let segments = &function.path.segments;
    let verb =
        ["join", "link"].into_iter().find(|verb| segments.last().is_some_and(|last| last.ident == verb))?;
    (segments.len() > 1 && call.args.len() == 2).then_some((&function.path, verb))
}

fn macro_call(tree: &mut Tree, call: &Macro) -> Result<()> {
    let name_of = call.path.get_ident().map(|ident| ident.to_string()).unwrap_or_default();
    match name_of.as_str() {
        // rust-hdl takes each `")` out of the call, to be rid of the last one.
        "comment" | "assert" | "println" => {
            let text = call.to_token_stream().to_string().replace("\")", "");
            let opening = format!("{name_of} ! (\"");
            let text = text.replace(&opening, "");
            tree.node(quote!(N::Comment(#text)));
        }
        "dff_setup" | "clock" => {
            let setup: Setup = call.parse_body()?;
            let with_d = name_of == "dff_setup";
            tree.list(quote!(Macro), setup.registers.len() * (1 + usize::from(with_d)));
            let clock = name(&setup.clock)?;
            let registers: Vec<String> = setup.registers.iter().map(name).collect::<Result<_>>()?;
            let mut assign = |target: String, value: &str| {
                tree.node(quote!(N::Assign));
                tree.signal(&target);
                tree.signal(value);
            };
            registers.iter().for_each(|register| assign(format!("{register}$clock$next"), &clock));
            if with_d {
                registers
                    .iter()
                    .for_each(|register| assign(format!("{register}$d$next"), &format!("{register}$q")));
            }
        }
        _ => {
            return Err(refused(
                call,
                "the only macros that the hardware knows are `dff_setup!`, `clock!`, `comment!`, `assert!` and `println!`",
            ));
        }
    }
    Ok(())
}

/// What `dff_setup!(self, clk, a, b)` names.
pub struct Setup {
    pub block: Expr,
    pub clock: Expr,
    pub registers: Vec<Expr>,
}

impl Parse for Setup {
    fn parse(input: ParseStream) -> Result<Self> {
        let mut listed = Punctuated::<Expr, Token![,]>::parse_terminated(input)?.into_iter();
        let (Some(block), Some(clock)) = (listed.next(), listed.next()) else {
            return Err(syn::Error::new(input.span(), "wanted is `self`, the clock, and registers"));
        };
        Ok(Setup { block, clock, registers: listed.collect() })
    }
}

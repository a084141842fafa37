//! From an `update` of `#[block]`, which names signals, to rust-hdl's own form, with `.val()` and `.next`.

use proc_macro2::TokenStream;
use quote::quote;
use syn::spanned::Spanned;
use syn::{Block, Expr, ExprCall, Lit, Local, Member, Pat, Result, Stmt, parse_quote_spanned};

use crate::fields::{Field, Kind};
use crate::names::refused;

/// An `update` as Rust runs it, and as the backend reads it.
pub struct Plain {
    pub rust: TokenStream,
    pub tree: Block,
}

pub fn plain(fields: &[Field], block: &Block) -> Result<Plain> {
    for stmt in &block.stmts {
        if let Stmt::Local(local) = stmt {
            let (name, ..) = wire(local)?;
            if fields.iter().any(|field| field.name == name) {
                return Err(refused(
                    &local.pat,
                    format!("`{name}` is a field of the block, too: give the wire another name"),
                ));
            }
        }
    }
    let of = |for_rust| Writer { fields, for_rust }.block(block, true);
    let Block { stmts, .. } = of(true)?;
    Ok(Plain { rust: quote!(#(#stmts)*), tree: of(false)? })
}

/// Name, type and value of a wire.
pub fn wire(local: &Local) -> Result<(String, Option<&syn::Type>, &Expr)> {
    let form = "a wire has the form `let name = value;` or `let name: Type = value;`";
    let (pat, ty) = match &local.pat {
        Pat::Type(typed) => (&*typed.pat, Some(&*typed.ty)),
        pat => (pat, None),
    };
    let (Pat::Ident(name), Some(init)) = (pat, &local.init) else { return Err(refused(local, form)) };
    Ok((name.ident.to_string(), ty, &init.expr))
}

/// Sink and source of `join(self.sink, self.source)`.
pub fn ends(call: &ExprCall) -> Option<(&Expr, &Expr)> {
    let is_join = matches!(&*call.func, Expr::Path(function) if function.path.is_ident("join"));
    (is_join && call.args.len() == 2).then(|| (&call.args[0], &call.args[1]))
}

/// A number, with the width of what it is assigned to.
pub fn assigned_literal(value: &Expr) -> Expr {
    match value {
        Expr::Lit(literal) if matches!(&literal.lit, Lit::Int(_)) => {
            parse_quote_spanned!(literal.span()=> #literal.into())
        }
        value => value.clone(),
    }
}

/// `self.field[index].member...`
struct Place<'a> {
    field: &'a Member,
    /// Indices of the field.
    indices: Vec<&'a Expr>,
    /// What stands behind them.
    steps: Vec<Step<'a>>,
}

enum Step<'a> {
    Member(&'a Member),
    Index(&'a Expr),
}

impl<'a> Place<'a> {
    fn of(expr: &'a Expr) -> Option<Self> {
        match expr {
            Expr::Group(group) => Place::of(&group.expr),
            Expr::Field(field) if is_self(&field.base) => {
                Some(Place { field: &field.member, indices: vec![], steps: vec![] })
            }
            Expr::Field(field) => {
                let mut place = Place::of(&field.base)?;
                place.steps.push(Step::Member(&field.member));
                Some(place)
            }
            Expr::Index(index) => {
                let mut place = Place::of(&index.expr)?;
                match place.steps.is_empty() {
                    true => place.indices.push(&index.index),
                    false => place.steps.push(Step::Index(&index.index)),
                }
                Some(place)
            }
            _ => None,
        }
    }
}

struct Writer<'a> {
    fields: &'a [Field],
    /// It is for Rust, and not for the backend, which looks for what a name means by itself.
    for_rust: bool,
}

impl Writer<'_> {
    fn block(&self, block: &Block, is_outer: bool) -> Result<Block> {
        let stmts = block.stmts.iter().map(|stmt| self.statement(stmt, is_outer)).collect::<Result<_>>()?;
        Ok(Block { brace_token: block.brace_token, stmts })
    }

    fn statement(&self, stmt: &Stmt, is_outer: bool) -> Result<Stmt> {
        Ok(match stmt {
            Stmt::Local(local) if !is_outer => {
                return Err(refused(
                    local,
                    "a wire is declared in `update` itself, and not in a block within it",
                ));
            }
            Stmt::Local(local) => {
                let mut local = local.clone();
                if let Some(init) = &mut local.init {
                    *init.expr = self.assigned(&init.expr)?;
                }
                Stmt::Local(local)
            }
            Stmt::Expr(expr, semicolon) => Stmt::Expr(self.expression_statement(expr)?, *semicolon),
            other => other.clone(),
        })
    }

    fn expression_statement(&self, stmt: &Expr) -> Result<Expr> {
        Ok(match stmt {
            Expr::Assign(assign) => {
                let mut assign = assign.clone();
                *assign.left = self.target(&assign.left)?;
                *assign.right = self.assigned(&assign.right)?;
                Expr::Assign(assign)
            }
            Expr::If(conditional) => {
                let mut conditional = conditional.clone();
                *conditional.cond = self.value(&conditional.cond)?;
                conditional.then_branch = self.block(&conditional.then_branch, false)?;
                if let Some((_, branch)) = &mut conditional.else_branch {
                    **branch = self.expression_statement(branch)?;
                }
                Expr::If(conditional)
            }
            Expr::Block(inner) => {
                let mut inner = inner.clone();
                inner.block = self.block(&inner.block, false)?;
                Expr::Block(inner)
            }
            Expr::Match(select) => {
                let mut select = select.clone();
                *select.expr = self.value(&select.expr)?;
                for arm in &mut select.arms {
                    *arm.body = self.expression_statement(&arm.body)?;
                }
                Expr::Match(select)
            }
            Expr::ForLoop(unrolled) => {
                let mut unrolled = unrolled.clone();
                unrolled.body = self.block(&unrolled.body, false)?;
                Expr::ForLoop(unrolled)
            }
            Expr::Call(call) => match ends(call) {
                Some((sink, source)) if self.for_rust => {
                    let function = &call.func;
                    parse_quote_spanned!(call.span()=> #function(&mut #sink, &mut #source))
                }
                _ => stmt.clone(),
            },
            other => other.clone(),
        })
    }

    /// The field that a place begins with. One that there is not goes on as a signal, and rustc says that it is not there.
    fn kind(&self, place: &Place) -> Kind {
        let named = |field: &&Field| matches!(place.field, Member::Named(name) if field.name == *name);
        self.fields.iter().find(named).map_or(Kind::Signal, |field| field.kind)
    }

    /// What is assigned.
    fn assigned(&self, value: &Expr) -> Result<Expr> {
        match value {
            Expr::Lit(_) => Ok(assigned_literal(value)),
            value => self.value(value),
        }
    }

    fn target(&self, target: &Expr) -> Result<Expr> {
        let Some(place) = Place::of(target) else {
            return match target {
                Expr::Path(wire) if wire.path.get_ident().is_some() => Ok(target.clone()),
                _ => Err(refused(
                    target,
                    "only a signal, a register, a port of a part, a field of these and a wire can be assigned",
                )),
            };
        };
        let (field, rest) = self.begun(&place)?;
        let span = field.span();
        Ok(match self.kind(&place) {
            Kind::Signal => parse_quote_spanned!(span=> #field.next #rest),
            Kind::Register => parse_quote_spanned!(span=> #field.d.next #rest),
            Kind::Param => return Err(refused(target, "a parameter has its value from the constructor")),
            Kind::Part => {
                let (port, rest) = self.port(target, &field, &place)?;
                let span = port.span();
                match rest {
                    // of a part's port only its type tells whether it is a struct or several signals
                    Some(_) if self.for_rust && rest_is_one(&place) => {
                        let Some(Step::Member(member)) = place.steps.last() else {
                            unreachable!("it ends with a member")
                        };
                        parse_quote_spanned!(span=> *::respray_hdl::prims::Place::place(
                            &mut ::respray_hdl::prims::Place::place(&mut #port).#member
                        ))
                    }
                    rest => parse_quote_spanned!(span=> #port.next #rest),
                }
            }
        })
    }

    /// An expression, each signal in it by its value.
    fn value(&self, value: &Expr) -> Result<Expr> {
        Ok(match value {
            Expr::Field(_) | Expr::Index(_) => match Place::of(value) {
                Some(place) => self.read(value, &place)?,
                None => value.clone(),
            },
            Expr::Group(group) => self.value(&group.expr)?,
            Expr::Paren(paren) => {
                let mut paren = paren.clone();
                *paren.expr = self.value(&paren.expr)?;
                Expr::Paren(paren)
            }
            Expr::Unary(unary) => {
                let mut unary = unary.clone();
                *unary.expr = self.value(&unary.expr)?;
                Expr::Unary(unary)
            }
            Expr::Binary(binary) => {
                let mut binary = binary.clone();
                *binary.left = self.value(&binary.left)?;
                *binary.right = self.value(&binary.right)?;
                Expr::Binary(binary)
            }
            Expr::Call(call) => {
                let mut call = call.clone();
                for argument in &mut call.args {
                    *argument = self.value(argument)?;
                }
                Expr::Call(call)
            }
            Expr::MethodCall(call) => {
                if call.method == "val" {
                    return Err(refused(
                        &call.method,
                        "`#[block]` reads a signal by its name, without `.val()`",
                    ));
                }
                let mut call = call.clone();
                *call.receiver = self.value(&call.receiver)?;
                for argument in &mut call.args {
                    *argument = self.value(argument)?;
                }
                Expr::MethodCall(call)
            }
            other => other.clone(),
        })
    }

    fn read(&self, value: &Expr, place: &Place) -> Result<Expr> {
        let (field, rest) = self.begun(place)?;
        let span = field.span();
        Ok(match self.kind(place) {
            Kind::Signal | Kind::Param => parse_quote_spanned!(span=> #field.val() #rest),
            Kind::Register => parse_quote_spanned!(span=> #field.q.val() #rest),
            Kind::Part => {
                let (port, rest) = self.port(value, &field, place)?;
                let span = port.span();
                parse_quote_spanned!(span=> #port.val() #rest)
            }
        })
    }

    /// The field itself, and what stands behind it.
    fn begun(&self, place: &Place) -> Result<(Expr, TokenStream)> {
        let member = place.field;
        let mut field: Expr = parse_quote_spanned!(member.span()=> self.#member);
        for index in &place.indices {
            let index = self.value(index)?;
            field = parse_quote_spanned!(member.span()=> #field[#index]);
        }
        Ok((field, self.steps(&place.steps)?))
    }

    fn steps(&self, steps: &[Step]) -> Result<TokenStream> {
        let step = |step: &Step| {
            Ok(match step {
                Step::Member(member) => quote!(.#member),
                Step::Index(index) => {
                    let index = self.value(index)?;
                    quote!([#index])
                }
            })
        };
        steps.iter().map(step).collect()
    }

    /// The port of a part, and what stands behind it.
    fn port(&self, at: &Expr, part: &Expr, place: &Place) -> Result<(Expr, Option<TokenStream>)> {
        let Some((Step::Member(port), rest)) = place.steps.split_first() else {
            return Err(refused(at, "this is a part of the block: name one of its ports"));
        };
        let indices = rest.iter().take_while(|step| matches!(step, Step::Index(_))).count();
        let (indices, rest) = rest.split_at(indices);
        let indices = self.steps(indices)?;
        let rest = if rest.is_empty() { None } else { Some(self.steps(rest)?) };
        Ok((parse_quote_spanned!(port.span()=> #part.#port #indices), rest))
    }
}

/// Whether one member stands behind the port of a part.
fn rest_is_one(place: &Place) -> bool {
    matches!(&place.steps[1..], [Step::Member(_)])
}

fn is_self(base: &Expr) -> bool {
    matches!(base, Expr::Path(path) if path.path.is_ident("self"))
}

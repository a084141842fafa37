//! The statements of a block's `update`, loops unrolled, every assignment to one net.

use rust_hdl::core::ast::{
    VerilogBlockOrConditional, VerilogCase, VerilogConditional, VerilogExpression, VerilogLink,
    VerilogLinkDetails, VerilogMatch, VerilogStatement,
};
use rust_hdl::core::type_descriptor::{TypeDescriptor, TypeKind};

use super::about::{About, about, comment_text};
use super::design::{Node, width_of};
use super::expressions::{Lowering, Value};
use super::paths;
use super::scope::{Part, Scope, Symbol};
use crate::emit::error::EmitError;
use crate::emit::expr::{Binary, Expr};
use crate::emit::fold;
use crate::emit::stmt::{Comment, Stmt};

/// The names of one block, its statements, and what the comment at its head says.
pub fn statements(node: &Node, block: &[VerilogStatement]) -> Result<(Scope, About, Vec<Stmt>), EmitError> {
    let rest = match block {
        [rest @ .., VerilogStatement::Macro(mark)] if mark.is_empty() => rest,
        _ => {
            let scope = Scope::new(node)?;
            let (about, stmts) = within(&scope, block)?;
            return Ok((scope, about, stmts));
        }
    };
    // a block of the attribute `block`: wires that a `let` declares, and clocks that no statement gives
    let mut wires = vec![];
    let mut scope = Scope::new(node)?;
    for statement in rest {
        let VerilogStatement::Assignment(VerilogExpression::Signal(name), value) = statement else {
            continue;
        };
        if let Some(name) = name.strip_prefix(WIRE) {
            let ty = Lowering { scope: &scope, loops: vec![] }.wire(name, value)?;
            scope.add_wire(name, &ty);
            wires.push((name.to_string(), ty));
        }
    }
    let scope = Scope::with_wires(node, &wires)?;
    let (about, stmts) = within(&scope, rest)?;
    let mut all = scope.clocks(&stmts);
    all.extend(stmts);
    Ok((scope, about, all))
}

/// What stands before the name of a wire where it is declared.
const WIRE: &str = "let$";

fn within(scope: &Scope, block: &[VerilogStatement]) -> Result<(About, Vec<Stmt>), EmitError> {
    let lowering = Lowering { scope, loops: vec![] };
    let (head, block) = match block {
        [VerilogStatement::Comment(text), rest @ ..] => {
            let text = comment_text(text).map_err(|what| lowering.unsupported(what))?;
            (text.map(|text| about(&text)).unwrap_or_default(), rest)
        }
        block => (About::default(), block),
    };
    Ok((head, Body { lowering, comments: 0 }.block(block)?))
}

struct Body<'a> {
    lowering: Lowering<'a>,
    /// Number of the last comment.
    comments: usize,
}

impl Body<'_> {
    fn block(&mut self, block: &[VerilogStatement]) -> Result<Vec<Stmt>, EmitError> {
        let mut out = vec![];
        let mut above: Option<Comment> = None;
        for statement in block {
            if let VerilogStatement::Comment(text) = statement {
                if let Some(line) = comment_text(text).map_err(|what| self.lowering.unsupported(what))? {
                    above.get_or_insert_with(|| self.comment()).lines.push(line);
                }
                continue;
            }
            match above.take() {
                None => self.statement(statement, &mut out)?,
                Some(comment) => {
                    let mut body = vec![];
                    self.statement(statement, &mut body)?;
                    out.push(Stmt::Commented { comment, body });
                }
            }
        }
        match above {
            None => Ok(out),
            Some(comment) => {
                let block = self.lowering.scope.block.clone();
                Err(EmitError::Comment { block, comment: comment.lines.join(" ") })
            }
        }
    }

    /// The next comment, without its text.
    fn comment(&mut self) -> Comment {
        self.comments += 1;
        Comment { number: self.comments, lines: vec![] }
    }

    fn statement(&mut self, statement: &VerilogStatement, out: &mut Vec<Stmt>) -> Result<(), EmitError> {
        match statement {
            VerilogStatement::Comment(_) => unreachable!("`block` takes the comments"),
            VerilogStatement::Macro(block) => out.extend(self.block(block)?),
            VerilogStatement::Assignment(target, value) => self.assign(target, value, out)?,
            VerilogStatement::SliceAssignment { base, width, offset, replacement } => {
                let Value::Number(offset) = self.lowering.lower(offset)? else {
                    return Err(self.lowering.unsupported("an assignment to bits at a variable offset"));
                };
                let offset = usize::try_from(&offset)
                    .map_err(|_| self.lowering.unsupported("an assignment at such an offset"))?;
                let (path, symbol, base_offset, _) = self.target(base)?;
                let value = self.lowering.lower(replacement)?;
                self.write(&path, &symbol, base_offset + offset, *width, value, out)?;
            }
            VerilogStatement::If(conditional) => self.conditional(conditional, out)?,
            VerilogStatement::Match(m) => self.select(m, out)?,
            VerilogStatement::Loop(l) => {
                let comments = self.comments;
                for index in l.from.as_usize()..l.to.as_usize() {
                    self.comments = comments;
                    self.lowering.loops.push((l.index.clone(), index));
                    let body = self.block(&l.block);
                    self.lowering.loops.pop();
                    out.extend(body?);
                }
            }
            VerilogStatement::Link(links) => {
                for link in links {
                    self.link(link, out)?;
                }
            }
        }
        Ok(())
    }

    fn target(
        &self,
        target: &VerilogExpression,
    ) -> Result<(String, Symbol, usize, TypeDescriptor), EmitError> {
        let raw = match target {
            VerilogExpression::Signal(name) => name,
            VerilogExpression::Paren(inner) => return self.target(inner),
            _ => return Err(self.lowering.unsupported("an assignment to anything but a signal")),
        };
        self.symbol(raw)
    }

    fn symbol(&self, raw: &str) -> Result<(String, Symbol, usize, TypeDescriptor), EmitError> {
        let unknown = |name: String| EmitError::UnknownIdentifier {
            block: self.lowering.scope.block.clone(),
            name: name.replace('$', "."),
        };
        let raw = raw.strip_prefix(WIRE).unwrap_or(raw);
        let path = self.lowering.path(raw).map_err(unknown)?;
        let (symbol, offset, ty) = self.lowering.field(&path).ok_or_else(|| unknown(path.clone()))?;
        Ok((path.clone(), symbol.clone(), offset, ty))
    }

    fn assign(
        &mut self,
        target: &VerilogExpression,
        value: &VerilogExpression,
        out: &mut Vec<Stmt>,
    ) -> Result<(), EmitError> {
        let (path, symbol, offset, ty) = self.target(target)?;
        let value = self.lowering.lower(value)?;
        self.write(&path, &symbol, offset, width_of(&ty), value, out)
    }

    /// Assigns `value` to bits of `symbol` that are whole nets.
    fn write(
        &self,
        path: &str,
        symbol: &Symbol,
        offset: usize,
        width: usize,
        value: Value,
        out: &mut Vec<Stmt>,
    ) -> Result<(), EmitError> {
        let name = path.replace('$', ".");
        let value = self.lowering.assigned(value, width, &name)?;
        let inside = |part: &&Part| part.offset >= offset && part.offset < offset + width;
        let parts: Vec<_> = symbol.parts.iter().filter(inside).collect();
        if parts.iter().map(|part| part.width).sum::<usize>() != width || parts.is_empty() {
            return Err(self.lowering.unsupported(format!("an assignment to some of the bits of `{name}`")));
        }
        for part in parts {
            if !self.lowering.scope.nets[part.net].role.is_assignable() {
                let block = self.lowering.scope.block.clone();
                return Err(EmitError::InputAssigned { block, signal: name });
            }
            let value = fold::slice(value.clone(), part.offset - offset, part.width);
            out.push(Stmt::Assign { net: part.net, value });
        }
        Ok(())
    }

    fn link(&mut self, link: &VerilogLink, out: &mut Vec<Stmt>) -> Result<(), EmitError> {
        let ends = |details: &VerilogLinkDetails| {
            let member = details.my_name.replace('.', "$");
            let join = |base: &str| match member.trim_start_matches('$') {
                "" => base.to_string(),
                member => format!("{base}${member}"),
            };
            (join(&details.owner_name), join(&details.other_name))
        };
        let (target, source) = match link {
            VerilogLink::Forward(details) => {
                let (owner, other) = ends(details);
                (other, owner)
            }
            VerilogLink::Backward(details) => ends(details),
            VerilogLink::Bidirectional(details) => {
                return self.join(&details.owner_name, &details.other_name, out);
            }
        };
        let signal = VerilogExpression::Signal;
        self.assign(&signal(target), &signal(source), out)
    }

    /// All signals of a port, each by the one of the same name of another port. What the sink reads goes the other way.
    fn join(&mut self, sink: &str, source: &str, out: &mut Vec<Stmt>) -> Result<(), EmitError> {
        let named = |name: &str| {
            let unknown = |name: String| EmitError::UnknownIdentifier { block: self.lowering.block(), name };
            self.lowering.path(name).map_err(unknown)
        };
        let (sink, source) = (named(sink)?, named(source)?);
        let scope = self.lowering.scope;
        let within = format!("{sink}$");
        let mut ends: Vec<String> = scope
            .symbols
            .keys()
            .filter_map(|key| key.strip_prefix(&within))
            .map(|end| format!("${end}"))
            .collect();
        if scope.symbols.contains_key(&sink) || ends.is_empty() {
            ends = vec![String::new()];
        }
        for end in ends {
            let (sink, source) = (format!("{sink}{end}"), format!("{source}{end}"));
            let is_driven = scope.symbols.get(&sink).is_none_or(|symbol| {
                symbol.parts.iter().all(|part| scope.nets[part.net].role.is_assignable())
            });
            let (target, value) = if is_driven { (sink, source) } else { (source, sink) };
            let signal = VerilogExpression::Signal;
            self.assign(&signal(target), &signal(value), out)?;
        }
        Ok(())
    }

    fn conditional(&mut self, c: &VerilogConditional, out: &mut Vec<Stmt>) -> Result<(), EmitError> {
        let test = self.lowering.test(&c.test)?;
        // what the configuration leaves out may name what it has not
        let decided = test.value().map(|value| value.bit(0));
        let then = if decided == Some(false) { vec![] } else { self.block(&c.then)? };
        let mut other = vec![];
        if decided == Some(true) {
            out.extend(then);
            return Ok(());
        }
        match &c.otherwise {
            VerilogBlockOrConditional::Block(block) => other = self.block(block)?,
            VerilogBlockOrConditional::Conditional(statement) => self.statement(statement, &mut other)?,
            VerilogBlockOrConditional::None => {}
        }
        self.branch(test, then, other, out);
        Ok(())
    }

    fn branch(&self, test: Expr, then: Vec<Stmt>, other: Vec<Stmt>, out: &mut Vec<Stmt>) {
        match test.value().map(|value| value.bit(0)) {
            Some(true) => out.extend(then),
            Some(false) => out.extend(other),
            None => out.push(Stmt::If { test, then, other }),
        }
    }

    fn select(&mut self, m: &VerilogMatch, out: &mut Vec<Stmt>) -> Result<(), EmitError> {
        let (subject, ty) = match self.lowering.lower(&m.test)? {
            Value::Bits { expr, ty, any_width: false, .. } => (expr, ty),
            _ => return Err(self.lowering.unsupported("a match on a number")),
        };
        let mut arms = vec![];
        let mut default = None;
        for case in &m.cases {
            let body = self.block(&case.block)?;
            match self.label(case, &subject, ty.as_ref())? {
                Some(label) => arms.push((label, body)),
                None => {
                    default = Some(body);
                    break;
                }
            }
        }
        if let Some(value) = subject.value() {
            let chosen = arms.into_iter().find(|(label, _)| label.value() == Some(value));
            out.extend(chosen.map(|(_, body)| body).or(default).unwrap_or_default());
            return Ok(());
        }
        // Rust has checked that the arms are exhaustive: where the labels are not, the last arm is the rest.
        let full = subject.width() < 16 && arms.len() == 1 << subject.width();
        if default.is_none() && !full {
            default = arms.pop().map(|(_, body)| body);
        }
        if arms.is_empty() {
            out.extend(default.unwrap_or_default());
        } else if subject.width() == 1 {
            let (label, first) = arms.remove(0);
            let second = arms.pop().map(|(_, body)| body).or(default).unwrap_or_default();
            let test = fold::binary(Binary::Eq, subject, label);
            self.branch(test, first, second, out);
        } else {
            out.push(Stmt::Case { subject, arms, default: if full { None } else { default } });
        }
        Ok(())
    }

    /// The constant that an arm stands for, `None` for the rest.
    fn label(
        &self,
        case: &VerilogCase,
        subject: &Expr,
        ty: Option<&TypeDescriptor>,
    ) -> Result<Option<Expr>, EmitError> {
        let text = case.condition.as_str();
        let width = subject.width();
        let number = match text {
            "default" => return Ok(None),
            "true" => Some(1),
            "false" => Some(0),
            text => paths::integer(text),
        };
        if let Some(number) = number {
            let value = Expr::constant(number, width);
            return match value.value() == Some(&number.into()) {
                true => Ok(Some(value)),
                false => Err(EmitError::Literal {
                    block: self.lowering.scope.block.clone(),
                    value: number.to_string(),
                    width,
                }),
            };
        }
        let path = text.replace("::", "$");
        match (self.lowering.scope.variant(&path), ty.map(|ty| (&ty.kind, &ty.name))) {
            (Some((label, of)), Some((TypeKind::Enum(_), name))) if of == *name => Ok(Some(label)),
            _ => Err(EmitError::UnknownIdentifier {
                block: self.lowering.scope.block.clone(),
                name: format!("{} in a match (write `Type::Variant` or `_`)", path.replace('$', "::")),
            }),
        }
    }
}

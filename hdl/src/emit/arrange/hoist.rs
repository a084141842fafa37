//! Names for expressions that Verilog cannot slice, because it slices names only.

use std::collections::{BTreeSet, HashMap};

use super::content::Content;
use crate::emit::expr::{Binary, Expr, NetId};
use crate::emit::module::{Item, Net, Role};
use crate::emit::names::free_name;
use crate::emit::stmt::Stmt;

/// Gives each sliced expression of `content` a net. `add` makes a net with a name that is still free.
pub fn hoist(content: &mut Content, nets: &mut Vec<Net>, names: &mut BTreeSet<String>) {
    let mut hoister = Hoister { nets, names, known: HashMap::new(), wires: vec![] };
    let mut items = vec![];
    for item in std::mem::take(&mut content.items) {
        match item {
            Item::Assign { mut comments, net, value } => {
                let value = hoister.expr(value, net, None);
                if let Some(Item::Assign { comments: above, .. }) = hoister.wires.first_mut() {
                    above.append(&mut comments);
                }
                items.append(&mut hoister.wires);
                items.push(Item::Assign { comments, net, value });
            }
            Item::Always { mut nets, body } => {
                let mut local = Local { own: nets.clone(), added: vec![] };
                let leader = *nets.first().expect("a process drives a net");
                let mut body = hoister.body(body, leader, Some(&mut local));
                for net in local.added.iter().rev() {
                    let value = Expr::zero(hoister.nets[*net].width);
                    body.insert(0, Stmt::Assign { net: *net, value });
                }
                nets.extend(local.added);
                items.append(&mut hoister.wires);
                items.push(Item::Always { nets, body });
            }
        }
    }
    for (_, body) in &mut content.clocked {
        *body = hoister.body(std::mem::take(body), 0, None);
        items.append(&mut hoister.wires);
    }
    content.items = items;
}

/// The process that an expression stands in, whose own nets pass through several values.
struct Local {
    own: BTreeSet<NetId>,
    added: Vec<NetId>,
}

struct Hoister<'a> {
    nets: &'a mut Vec<Net>,
    names: &'a mut BTreeSet<String>,
    known: HashMap<Expr, NetId>,
    wires: Vec<Item>,
}

impl Hoister<'_> {
    fn body(&mut self, body: Vec<Stmt>, leader: NetId, mut local: Option<&mut Local>) -> Vec<Stmt> {
        let mut out = vec![];
        for stmt in body {
            let mut before = vec![];
            let mut take = |e: Expr, target: NetId, hoister: &mut Self| match &mut local {
                Some(local) => {
                    let (e, first) = hoister.expr_within(e, target, local);
                    before.extend(first);
                    e
                }
                None => hoister.expr(e, target, None),
            };
            let stmt = match stmt {
                Stmt::Commented { comment, body } => {
                    Stmt::Commented { comment, body: self.body(body, leader, local.as_deref_mut()) }
                }
                Stmt::Assign { net, value } => Stmt::Assign { net, value: take(value, net, self) },
                Stmt::If { test, then, other } => {
                    let target = first_target(&then).or(first_target(&other)).unwrap_or(leader);
                    let test = take(test, target, self);
                    let then = self.body(then, leader, local.as_deref_mut());
                    let other = self.body(other, leader, local.as_deref_mut());
                    Stmt::If { test, then, other }
                }
                Stmt::Case { subject, arms, default } => {
                    let target = arms.first().and_then(|(_, body)| first_target(body)).unwrap_or(leader);
                    let subject = take(subject, target, self);
                    let mut inner = |body| self.body(body, leader, local.as_deref_mut());
                    let arms = arms.into_iter().map(|(label, body)| (label, inner(body))).collect();
                    let default = default.map(inner);
                    Stmt::Case { subject, arms, default }
                }
            };
            out.extend(before);
            out.push(stmt);
        }
        out
    }

    fn expr_within(&mut self, e: Expr, target: NetId, local: &mut Local) -> (Expr, Vec<Stmt>) {
        let mut first = vec![];
        let e = self.expr(e, target, Some((local, &mut first)));
        (e, first)
    }

    fn expr(&mut self, e: Expr, target: NetId, mut local: Option<(&mut Local, &mut Vec<Stmt>)>) -> Expr {
        let mut inner = |e: Expr, hoister: &mut Self| {
            let local = local.as_mut().map(|(local, first)| (&mut **local, &mut **first));
            hoister.expr(e, target, local)
        };
        let e = match e {
            Expr::Slice { base, lo, width } => {
                let base = Box::new(inner(*base, self));
                Expr::Slice { base, lo, width }
            }
            Expr::Select { base, index, width } => {
                let index = Box::new(inner(*index, self));
                let base = Box::new(inner(*base, self));
                Expr::Select { base, index, width }
            }
            e => e.map_parts(&mut |part| inner(part, self)),
        };
        match e {
            Expr::Slice { base, lo, width } if !is_name(&base) => {
                let base = Box::new(self.named(*base, target, local));
                Expr::Slice { base, lo, width }
            }
            Expr::Select { base, index, width } if !is_name(&base) => {
                let base = Box::new(self.named(*base, target, local));
                Expr::Select { base, index, width }
            }
            e => e,
        }
    }

    fn named(&mut self, e: Expr, target: NetId, local: Option<(&mut Local, &mut Vec<Stmt>)>) -> Expr {
        let width = e.width();
        if let Some((local, first)) = local
            && e.nets().iter().any(|net| local.own.contains(net))
        {
            let id = self.add(&e, target);
            local.own.insert(id);
            local.added.push(id);
            first.push(Stmt::Assign { net: id, value: e });
            return Expr::Net { id, width };
        }
        if let Some(id) = self.known.get(&e) {
            return Expr::Net { id: *id, width };
        }
        let id = self.add(&e, target);
        self.known.insert(e.clone(), id);
        self.wires.push(Item::Assign { comments: vec![], net: id, value: e });
        Expr::Net { id, width }
    }

    fn add(&mut self, e: &Expr, target: NetId) -> NetId {
        let suffix = match e {
            Expr::Binary(Binary::Add, ..) => "sum",
            Expr::Binary(Binary::Sub, ..) | Expr::Unary(..) => "difference",
            Expr::Binary(Binary::Mul, ..) => "product",
            Expr::Binary(Binary::Shl | Binary::Shr, ..) => "shifted",
            Expr::Const { .. } | Expr::Param { .. } => "table",
            Expr::Concat(_) | Expr::Repeat(..) => "bits",
            _ => "value",
        };
        let target = &self.nets[target];
        let base = target.register.as_ref().unwrap_or(&target.name);
        let name = free_name(&format!("{base}_{suffix}"), self.names);
        self.nets.push(Net { name, width: e.width(), role: Role::Temporary, register: None });
        self.nets.len() - 1
    }
}

fn is_name(e: &Expr) -> bool {
    matches!(e, Expr::Net { .. })
}

fn first_target(body: &[Stmt]) -> Option<NetId> {
    body.iter().find_map(|stmt| match stmt {
        Stmt::Assign { net, .. } => Some(*net),
        Stmt::Commented { body, .. } => first_target(body),
        _ => None,
    })
}

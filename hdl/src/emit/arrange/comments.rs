//! Comments: above which statement each of them stands once it is known what is printed.

use std::collections::BTreeSet;

use crate::emit::expr::NetId;
use crate::emit::module::Item;
use crate::emit::stmt::{Comment, Stmt};

/// A comment above statements none of which is printed.
pub struct Stranded {
    pub comment: Comment,
    /// Nets assigned by the statements from it to the next comment.
    pub nets: Vec<NetId>,
}

/// Moves each comment above the first assignment that is printed of those from it to the next comment.
pub fn placed(
    stmts: Vec<Stmt>,
    is_printed: &dyn Fn(NetId) -> bool,
    stranded: &mut Vec<Stranded>,
) -> Vec<Stmt> {
    let mut out = vec![];
    let mut waiting: Option<Stranded> = None;
    for mut stmt in stmts {
        if let Stmt::Commented { comment, body } = stmt {
            stranded.extend(waiting.take());
            let body = placed(body, is_printed, stranded);
            if body.iter().any(|stmt| prints(stmt, is_printed)) {
                out.push(Stmt::Commented { comment, body });
            } else {
                waiting = Some(Stranded { comment, nets: body.iter().flat_map(targets).collect() });
                out.extend(body);
            }
            continue;
        }
        for body in stmt.bodies_mut() {
            *body = placed(std::mem::take(body), is_printed, stranded);
        }
        match waiting.take() {
            Some(Stranded { comment, .. }) if prints(&stmt, is_printed) => {
                out.push(Stmt::Commented { comment, body: vec![stmt] });
            }
            Some(mut one) => {
                one.nets.extend(targets(&stmt));
                waiting = Some(one);
                out.push(stmt);
            }
            None => out.push(stmt),
        }
    }
    stranded.extend(waiting);
    out
}

fn prints(stmt: &Stmt, is_printed: &dyn Fn(NetId) -> bool) -> bool {
    match stmt {
        Stmt::Assign { net, .. } => is_printed(*net),
        stmt => stmt.bodies().into_iter().flatten().any(|stmt| prints(stmt, is_printed)),
    }
}

/// Nets that a statement assigns.
fn targets(stmt: &Stmt) -> Vec<NetId> {
    match stmt {
        Stmt::Assign { net, .. } => vec![*net],
        stmt => stmt.bodies().into_iter().flatten().flat_map(targets).collect(),
    }
}

/// The statements without their comments, which are added to `comments`.
pub fn taken_off(stmts: &[Stmt], comments: &mut Vec<Comment>) -> Vec<Stmt> {
    let mut out = vec![];
    for stmt in stmts {
        if let Stmt::Commented { comment, body } = stmt {
            comments.push(comment.clone());
            out.extend(taken_off(body, comments));
            continue;
        }
        let mut stmt = stmt.clone();
        for body in stmt.bodies_mut() {
            *body = taken_off(body, comments);
        }
        out.push(stmt);
    }
    out
}

/// Leaves each comment only where it stands first among `items`.
pub fn once(items: &mut [Item]) {
    let mut seen = BTreeSet::new();
    for item in items {
        match item {
            Item::Assign { comments, .. } => comments.retain(|comment| seen.insert(comment.number)),
            Item::Always { body, .. } => *body = once_within(std::mem::take(body), &mut seen),
        }
    }
}

/// Leaves each comment only where it stands first in `stmts`, and not at all if it is among `seen`.
pub fn once_within(stmts: Vec<Stmt>, seen: &mut BTreeSet<usize>) -> Vec<Stmt> {
    let mut out = vec![];
    for mut stmt in stmts {
        if let Stmt::Commented { comment, body } = stmt {
            let is_first = seen.insert(comment.number);
            let body = once_within(body, seen);
            if is_first {
                out.push(Stmt::Commented { comment, body });
            } else {
                out.extend(body);
            }
            continue;
        }
        for body in stmt.bodies_mut() {
            *body = once_within(std::mem::take(body), seen);
        }
        out.push(stmt);
    }
    out
}

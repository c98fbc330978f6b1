//! Where a row may stand in its segment, and what its clear data must say there.

use super::flaw::Fault;
use crate::format::clear::{Anchor, Close, Open, Recovery, Rekey};
use crate::format::entry::{Header, Row};
use crate::format::keys::verifies;
use crate::format::log::Log;
use crate::format::tree::{Hash, Tree};
use lychgate_core::event::RowKind;
use lychgate_core::ids::BootNo;

/// Why a row is refused, before its place is known.
pub(crate) type Refusal = (Fault, &'static str);

fn corrupt(why: &'static str) -> Refusal {
    (Fault::Corrupt, why)
}

/// The first row of a segment, checked against itself and LOG. Who announced its key is a question of the seams.
pub(crate) fn check_open(log: &Log, first_seq: u64, row: &Row<'_>) -> Result<(Open, Tree), Refusal> {
    if row.header.kind != RowKind::SegmentOpen {
        return Err(corrupt("a segment does not begin with its OPEN"));
    }
    if row.header.seq != first_seq {
        return Err(corrupt("a segment begins with another row than its name says"));
    }
    let open = Open::parse(row.clear).ok_or(corrupt("an OPEN's clear data has another form"))?;
    if open.log_id != log.id {
        return Err((Fault::BadKey, "a segment belongs to another log"));
    }
    if open.recipient != log.recipient.digest() {
        return Err((Fault::BadKey, "a segment is sealed to another recipient than LOG names"));
    }
    if !verifies(&open.key, &open.signed(&row.header), &open.signature) {
        return Err((Fault::BadKey, "an OPEN is not signed by its segment's key"));
    }
    let before = Tree::from_range(first_seq, open.range.clone())
        .filter(|tree| tree.root() == open.prev_root)
        .ok_or(corrupt("an OPEN's compact range does not give its root"))?;
    Ok((open, before))
}

/// What the walk knows when it looks at a later row.
pub(crate) struct Place<'a> {
    pub(crate) log: &'a Log,
    pub(crate) open: &'a Open,
    pub(crate) open_leaf: Hash,
    pub(crate) boot: BootNo,
    /// Tree over the rows before this one.
    pub(crate) tree: &'a Tree,
    /// Rows of this segment before this one.
    pub(crate) position: u64,
    /// Leaf of the row before.
    pub(crate) prev_leaf: Hash,
    /// Number of the current opening.
    pub(crate) opening: u32,
    /// A CLOSE stands before it.
    pub(crate) closed: bool,
}

/// What a row of the journal's own says.
pub(crate) enum Own {
    Nothing,
    Close,
    Recovery(Recovery),
    Rekey,
    Anchor(Anchor),
}

/// A row behind the OPEN: chain, place, and its clear data.
pub(crate) fn check_row(place: &Place<'_>, row: &Row<'_>) -> Result<Own, Refusal> {
    let header = &row.header;
    if header.seq != place.tree.size() {
        return Err(corrupt("a sequence number is not the next one"));
    }
    if header.prev_leaf != place.prev_leaf {
        return Err(corrupt("a row does not follow the row before it"));
    }
    if header.boot != place.boot {
        return Err(corrupt("a row is of another boot than its segment"));
    }
    if place.closed {
        return Err(corrupt("a row follows a CLOSE"));
    }
    match header.kind {
        RowKind::SegmentOpen => Err(corrupt("an OPEN stands within a segment")),
        RowKind::SegmentClose => check_close(place, header, row.clear).map(|()| Own::Close),
        RowKind::Recovery => check_recovery(place, row.clear).map(Own::Recovery),
        RowKind::Rekey => check_rekey(place, row.clear).map(|()| Own::Rekey),
        RowKind::Anchor => check_anchor(place, row.clear).map(Own::Anchor),
        RowKind::Grant
        | RowKind::Revoke
        | RowKind::Intent
        | RowKind::Dispatch
        | RowKind::Final
        | RowKind::Abort
        | RowKind::Unobserved
        | RowKind::Event => {
            let bare = row.clear.is_empty();
            bare.then_some(Own::Nothing).ok_or(corrupt("a row carries clear data that its kind does not have"))
        }
    }
}

fn check_close(place: &Place<'_>, header: &Header, clear: &[u8]) -> Result<(), Refusal> {
    let close = Close::parse(clear).ok_or(corrupt("a CLOSE's clear data has another form"))?;
    let fits =
        close.segment == place.open.segment && close.root == place.tree.root() && close.range == place.tree.range();
    if !fits {
        return Err(corrupt("a CLOSE is about other rows than those before it"));
    }
    verifies(&place.open.key, &close.signed(header), &close.signature)
        .then_some(())
        .ok_or((Fault::BadKey, "a CLOSE is not signed by its segment's key"))
}

fn check_recovery(place: &Place<'_>, clear: &[u8]) -> Result<Recovery, Refusal> {
    let recovery = Recovery::parse(clear).ok_or(corrupt("a RECOVERY's clear data has another form"))?;
    let fits = place.position == 1
        && recovery.segment.checked_add(1) == Some(place.open.segment)
        && recovery.size.checked_add(1) == Some(place.tree.size())
        && recovery.root == place.open.prev_root;
    fits.then_some(recovery).ok_or(corrupt("a RECOVERY stands in another place than it says"))
}

fn check_rekey(place: &Place<'_>, clear: &[u8]) -> Result<(), Refusal> {
    let rekey = Rekey::parse(clear).ok_or(corrupt("a REKEY's clear data has another form"))?;
    let fits = place.opening.checked_add(1) == Some(rekey.opening) && rekey.prev_root == place.tree.root();
    fits.then_some(()).ok_or(corrupt("a REKEY stands in another place than it says"))
}

fn check_anchor(place: &Place<'_>, clear: &[u8]) -> Result<Anchor, Refusal> {
    let anchor = Anchor::parse(clear).ok_or(corrupt("an ANCHOR's clear data has another form"))?;
    if anchor.log_id != place.log.id || !verifies(&place.log.vault_key, &anchor.signed(), &anchor.signature) {
        return Err((Fault::BadKey, "an ANCHOR is not signed by the vault"));
    }
    let fits = anchor.segment == place.open.segment
        && anchor.open_leaf == place.open_leaf
        && anchor.size == place.tree.size()
        && anchor.root == place.tree.root();
    fits.then_some(anchor).ok_or((Fault::Rewritten, "an ANCHOR vouches for other rows than those before it"))
}

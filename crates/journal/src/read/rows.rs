//! Where a row may stand in its segment, and what its clear data must say there.

use crate::finding::BadRow;
use crate::format::clear::{Anchor, Close, Open, Recovery, Rekey};
use crate::format::entry::{Header, Row};
use crate::format::keys::verifies;
use crate::format::log::Log;
use crate::format::tree::{Hash, Tree};
use lychgate_core::event::RowKind;
use lychgate_core::ids::BootNo;

/// The first row of a segment, checked against itself and LOG. Who announced its key is a question of the seams.
pub(crate) fn check_open(log: &Log, first_seq: u64, row: &Row<'_>) -> Result<(Open, Tree), BadRow> {
    if row.header.kind != RowKind::SegmentOpen {
        return Err(BadRow::NoOpen);
    }
    if row.header.seq != first_seq {
        return Err(BadRow::OpenPlace);
    }
    let open = Open::parse(row.clear).ok_or(BadRow::OpenForm)?;
    if open.log_id != log.id {
        return Err(BadRow::OpenLog);
    }
    if open.recipient != log.recipient.digest() {
        return Err(BadRow::OpenRecipient);
    }
    if !verifies(&open.key, &open.signed(&row.header), &open.signature) {
        return Err(BadRow::OpenSignature);
    }
    let before = Tree::from_range(first_seq, open.range.clone())
        .filter(|tree| tree.root() == open.prev_root)
        .ok_or(BadRow::OpenRange)?;
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
pub(crate) fn check_row(place: &Place<'_>, row: &Row<'_>) -> Result<Own, BadRow> {
    let header = &row.header;
    if header.seq != place.tree.size() {
        return Err(BadRow::OutOfOrder);
    }
    if header.prev_leaf != place.prev_leaf {
        return Err(BadRow::Chain);
    }
    if header.boot != place.boot {
        return Err(BadRow::OtherBoot);
    }
    if place.closed {
        return Err(BadRow::AfterClose);
    }
    match header.kind {
        RowKind::SegmentOpen => Err(BadRow::OpenWithin),
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
            bare.then_some(Own::Nothing).ok_or(BadRow::ClearData)
        }
    }
}

fn check_close(place: &Place<'_>, header: &Header, clear: &[u8]) -> Result<(), BadRow> {
    let close = Close::parse(clear).ok_or(BadRow::CloseForm)?;
    let fits =
        close.segment == place.open.segment && close.root == place.tree.root() && close.range == place.tree.range();
    if !fits {
        return Err(BadRow::CloseRows);
    }
    verifies(&place.open.key, &close.signed(header), &close.signature).then_some(()).ok_or(BadRow::CloseSignature)
}

fn check_recovery(place: &Place<'_>, clear: &[u8]) -> Result<Recovery, BadRow> {
    let recovery = Recovery::parse(clear).ok_or(BadRow::RecoveryForm)?;
    let fits = place.position == 1
        && recovery.segment.checked_add(1) == Some(place.open.segment)
        && recovery.size.checked_add(1) == Some(place.tree.size())
        && recovery.root == place.open.prev_root;
    fits.then_some(recovery).ok_or(BadRow::RecoveryPlace)
}

fn check_rekey(place: &Place<'_>, clear: &[u8]) -> Result<(), BadRow> {
    let rekey = Rekey::parse(clear).ok_or(BadRow::RekeyForm)?;
    let fits = place.opening.checked_add(1) == Some(rekey.opening) && rekey.prev_root == place.tree.root();
    fits.then_some(()).ok_or(BadRow::RekeyPlace)
}

fn check_anchor(place: &Place<'_>, clear: &[u8]) -> Result<Anchor, BadRow> {
    let anchor = Anchor::parse(clear).ok_or(BadRow::AnchorForm)?;
    if anchor.log_id != place.log.id || !verifies(&place.log.vault_key, &anchor.signed(), &anchor.signature) {
        return Err(BadRow::AnchorSignature);
    }
    let fits = anchor.segment == place.open.segment
        && anchor.open_leaf == place.open_leaf
        && anchor.size == place.tree.size()
        && anchor.root == place.tree.root();
    fits.then_some(anchor).ok_or(BadRow::AnchorRows)
}

//! What an agent reads after a refusal.

use lychgate_core::outcome::{EndReason, NotStarted, Outcome, Reason};
use lychgate_text::{LANGUAGES, changed, english, next};

/// The match has no wildcard: a new reason does not compile until it is listed here.
fn all_reasons() -> Vec<Reason> {
    use Reason::*;
    let all = vec![
        VaultLocked,
        Quarantined,
        ForeignNamespace,
        PeerGone,
        NoAgent,
        ProgramUnreadable,
        ProcessChanged,
        GatewayRestarted,
        VaultStateChanged,
        ChannelChanged,
        ConversationChanged,
        ApprovalRevoked,
        ApprovalExpired,
        NewRun,
        PerCall,
        CardExpired,
        DeniedByOperator,
        TooMany,
        UnknownChannel,
        UnknownAction,
        KeyReused,
        InvalidRequest,
        ShimBuild,
        JournalUnavailable,
        CallerLeft,
        PreviousActionNotStarted,
        InspectActivityJournal,
        NoGateway,
    ];
    for reason in &all {
        match reason {
            VaultLocked
            | Quarantined
            | ForeignNamespace
            | PeerGone
            | NoAgent
            | ProgramUnreadable
            | ProcessChanged
            | GatewayRestarted
            | VaultStateChanged
            | ChannelChanged
            | ConversationChanged
            | ApprovalRevoked
            | ApprovalExpired
            | NewRun
            | PerCall
            | CardExpired
            | DeniedByOperator
            | TooMany
            | UnknownChannel
            | UnknownAction
            | KeyReused
            | InvalidRequest
            | ShimBuild
            | JournalUnavailable
            | CallerLeft
            | PreviousActionNotStarted
            | InspectActivityJournal
            | NoGateway => {}
        }
    }
    all
}

fn is_sentence(text: &str) -> bool {
    text.len() > 10 && text.ends_with('.') && text.starts_with(char::is_uppercase)
}

#[test]
fn every_reason_end_and_outcome_has_a_text_of_its_own_in_every_language() {
    for language in LANGUAGES {
        let mut seen = std::collections::BTreeSet::new();
        for reason in all_reasons() {
            assert!(is_sentence(language.reason(reason)), "{reason:?}");
            assert!(is_sentence(language.after_reason(reason)), "{reason:?}");
            assert!(seen.insert(language.reason(reason)), "{reason:?} reads like another");
        }
        for end in [
            EndReason::ProcessExited,
            EndReason::ProcessIdentityMismatch,
            EndReason::GatewayRestarted,
            EndReason::VaultLocked,
            EndReason::ManualRevoke,
            EndReason::ApprovalExpired,
            EndReason::ChannelChanged,
            EndReason::ConversationChanged,
            EndReason::Disconnected,
        ] {
            assert!(is_sentence(language.ended(end)), "{end:?}");
            assert!(seen.insert(language.ended(end)), "{end:?} reads like another");
        }
        for evidence in
            [NotStarted::Connect, NotStarted::Tls, NotStarted::ZeroBytes, NotStarted::Unsent, NotStarted::Fence]
        {
            assert!(is_sentence(language.not_started(evidence)), "{evidence:?}");
        }
    }
}

#[test]
fn after_a_lapse_the_agent_is_sent_to_authorize_and_never_told_to_send_the_request_once_more() {
    for language in LANGUAGES {
        for reason in all_reasons().into_iter().filter(|reason| reason.outcome() == Outcome::ReauthRequired) {
            let advice = next(*language, Outcome::ReauthRequired, Some(reason));
            assert!(advice.contains("`authorize`"), "{reason:?}: {advice}");
            let told = format!("{} {advice}", language.reason(reason)).to_lowercase();
            for word in ["again", "retry", "resend", "repeat", "re-send", "once more"] {
                assert!(!told.contains(word), "{reason:?} says `{word}`: {told}");
            }
        }
    }
}

#[test]
fn a_locked_vault_leads_to_unlock_and_authorize_and_nothing_is_said_to_wait() {
    let advice = next(english(), Outcome::VaultLocked, Some(Reason::VaultLocked));
    assert!(advice.contains("lych unlock") && advice.contains("`authorize`"), "{advice}");
    assert!(english().reason(Reason::VaultLocked).contains("nothing is queued"));
}

#[test]
fn an_unknown_result_sends_the_agent_to_the_destination_before_a_second_write() {
    let advice = next(english(), Outcome::StatusUnknown, Some(Reason::InspectActivityJournal));
    let read = advice.find("read at the destination");
    let status = advice.find("`action_status`");
    assert!(read.is_some() && read < status, "{advice}");
}

#[test]
fn what_did_not_start_still_needs_fresh_authority() {
    let advice = next(english(), Outcome::RetrySafe, Some(Reason::PreviousActionNotStarted));
    assert!(advice.contains("`authorize`") && advice.contains("fresh"), "{advice}");
}

#[test]
fn a_reason_of_another_outcome_does_not_choose_the_advice() {
    // Locked outranks: whatever else differs is listed, and the advice is about the lock.
    let advice = next(english(), Outcome::VaultLocked, Some(Reason::ProcessChanged));
    assert_eq!(advice, english().after_outcome(Outcome::VaultLocked));
    assert_eq!(next(english(), Outcome::Completed, None), english().after_outcome(Outcome::Completed));
}

#[test]
fn all_changes_are_told_in_the_order_of_the_reasons() {
    let told = changed(english(), &[Reason::ProcessChanged, Reason::GatewayRestarted]).unwrap_or_default();
    assert!(told.starts_with("The process that was approved"), "{told}");
    assert!(told.ends_with("ended with it."), "{told}");
    assert!(told.contains("The gateway was restarted."), "{told}");
    assert_eq!(changed(english(), &[]), None);
}

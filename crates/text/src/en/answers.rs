//! What an agent reads: what is the case, and what to do next.

use lychgate_core::outcome::{EndReason, NotStarted, Outcome, Reason};

pub(super) fn reason(reason: Reason) -> &'static str {
    match reason {
        Reason::VaultLocked => "The vault is locked. While it is locked no credential is used and nothing is queued.",
        Reason::Quarantined => {
            "A check of the vault or the journal found something wrong. Nothing runs until the person has decided."
        }
        Reason::ForeignNamespace => {
            "The requesting process lives in another process or user namespace (a container, for example), where its \
             identity can be forged. No process was verified."
        }
        Reason::PeerGone => "The requesting process was gone before it could be looked at. No process was verified.",
        Reason::NoAgent => {
            "No program above the requesting process could be taken for an agent. No process was verified."
        }
        Reason::ProgramUnreadable => {
            "The kernel does not let the gateway look at the requesting program. No program was verified."
        }
        Reason::ProcessChanged => {
            "The process that was approved is not the one that asks now, or that can't be proven. \
             Its approval ended with it."
        }
        Reason::GatewayRestarted => "The gateway was restarted. Approvals given to the earlier gateway ended with it.",
        Reason::VaultStateChanged => {
            "The vault was locked, or its state changed, after the approval was given. The approval ended then."
        }
        Reason::ChannelChanged => {
            "The channel's address or its approval settings were changed after the approval was given. \
             The approval ended then."
        }
        Reason::ConversationChanged => {
            "The connection declared another conversation than the one that was approved. The approval ended then."
        }
        Reason::ApprovalRevoked => "The person revoked the approval.",
        Reason::ApprovalExpired => "The approval reached a limit that the person had set for it, and ended.",
        Reason::NewRun => "This run has no approval for the channel yet. A person has been asked.",
        Reason::PerCall => "This action needs a yes of its own, whatever else was approved. A person has been asked.",
        Reason::CardExpired => "The question to the person closed without an answer: nobody answered in time.",
        Reason::DeniedByOperator => "The person said no.",
        Reason::TooMany => "This agent has as many open questions, connections or actions as it may have.",
        Reason::UnknownChannel => "There is no channel of this name.",
        Reason::UnknownAction => "This run knows no such action.",
        Reason::KeyReused => "This action_key was used before, for a request that differs from this one.",
        Reason::InvalidRequest => "The call is not one that can be carried out as it stands.",
        Reason::ShimBuild => "This shim is of another build than the gateway.",
        Reason::JournalUnavailable => {
            "The journal can't be written at the moment. Nothing is done that would not be recorded."
        }
        Reason::CallerLeft => "The call was withdrawn before its action began. Nothing was sent.",
        Reason::PreviousActionNotStarted => "The record shows that the action did not start.",
        Reason::InspectActivityJournal => "The action began, and nobody saw its result. It may have taken effect.",
        Reason::NoGateway => "No gateway answers on this machine.",
    }
}

pub(super) fn after_reason(reason: Reason) -> &'static str {
    match reason {
        Reason::VaultLocked => {
            "Tell the person that the vault is locked (`lych unlock` opens it). Once it is open, call `authorize`."
        }
        Reason::Quarantined => "Tell the person: `lych audit verify` says what was found.",
        Reason::ForeignNamespace => {
            "Tell the person: start the agent outside the container or sandbox, in the namespaces of the gateway, or \
             add the channel with `--allow-unverified` to be asked for each action."
        }
        Reason::PeerGone => "Keep the process that asks alive until it has its answer.",
        Reason::NoAgent => {
            "Tell the person: let the agent program itself start `lych mcp`, as `lych connect` shows, and not a \
             terminal or a session manager, or add the channel with `--allow-unverified` to be asked for each action."
        }
        Reason::ProgramUnreadable => {
            "Tell the person: the shim could not be looked at. Start it as the gateway's user, unchanged, as \
             `lych connect` shows."
        }
        Reason::ProcessChanged
        | Reason::GatewayRestarted
        | Reason::VaultStateChanged
        | Reason::ChannelChanged
        | Reason::ConversationChanged
        | Reason::ApprovalRevoked
        | Reason::ApprovalExpired => {
            "Call `authorize` with the channels that your work needs, before anything else. A person sees what \
             changed and decides. Its answer then says what became of earlier actions: not started, finished, or \
             unknown."
        }
        Reason::NewRun | Reason::PerCall => {
            "Wait for the person: call `action_status` with this action_id, or `authorize` for the channel where \
             there is none."
        }
        Reason::CardExpired => "Tell the person that a question waited for them. A new call may put a new question.",
        Reason::DeniedByOperator => {
            "Don't ask for the same thing in another form. Tell the person what you need it for."
        }
        Reason::TooMany => {
            "Let what is open come to an end first (`run_status` lists it), or close unused connections."
        }
        Reason::UnknownChannel => {
            "Call `list_channels` for the names. Where the one you need is missing, the person can add it with \
             `lych channel add`."
        }
        Reason::UnknownAction => {
            "Check the action_id. Actions of other runs, and of channels without fresh authority, are not shown."
        }
        Reason::KeyReused => {
            "Use a new action_key for a new piece of business, or send exactly what the key stands for."
        }
        Reason::InvalidRequest => "Correct the call; the text says what is wrong with it. Nothing was sent.",
        Reason::ShimBuild => "Restart the agent or the gateway, so that both run the same build of `lych`.",
        Reason::JournalUnavailable => {
            "Tell the person to look at the disk that holds the journal (`lych status`). Nothing was sent."
        }
        Reason::CallerLeft => "Nothing is left to do for this call.",
        Reason::PreviousActionNotStarted => {
            "A new request for it may be made. It needs authority that is fresh now: call `authorize` first where \
             there is none."
        }
        Reason::InspectActivityJournal => {
            "Before a second write, read at the destination whether the first took effect. Then ask `action_status` \
             what the record says."
        }
        Reason::NoGateway => "Tell the person to start it with `lych up`. Then call `authorize`.",
    }
}

pub(super) fn after_outcome(outcome: Outcome) -> &'static str {
    match outcome {
        Outcome::Completed => "`result` holds what came of it.",
        Outcome::ApprovalPending => after_reason(Reason::NewRun),
        Outcome::ReauthRequired => after_reason(Reason::ProcessChanged),
        Outcome::RetrySafe => after_reason(Reason::PreviousActionNotStarted),
        Outcome::StatusUnknown => after_reason(Reason::InspectActivityJournal),
        Outcome::VaultLocked => after_reason(Reason::VaultLocked),
        Outcome::Denied => "Tell the person what you need, and why.",
        Outcome::UnverifiedRequester => "Tell the person that this process can't be verified; they can see why.",
        Outcome::Invalid => after_reason(Reason::InvalidRequest),
        Outcome::GatewayUnavailable => after_reason(Reason::NoGateway),
    }
}

pub(super) fn ended(end: EndReason) -> &'static str {
    match end {
        EndReason::ProcessExited => "A process that the approval was bound to ended.",
        EndReason::ProcessIdentityMismatch => "A process is not the one that was approved, or that can't be proven.",
        EndReason::GatewayRestarted => "The gateway that held the approval was restarted or stopped.",
        EndReason::VaultLocked => "The vault was locked.",
        EndReason::ManualRevoke => "The person revoked it.",
        EndReason::ApprovalExpired => "A limit that the person had set was reached.",
        EndReason::ChannelChanged => "The channel was changed or removed.",
        EndReason::ConversationChanged => "The connection declared another conversation.",
        EndReason::Disconnected => "The client closed its connection.",
    }
}

pub(super) fn not_started(evidence: NotStarted) -> &'static str {
    match evidence {
        NotStarted::Connect => "No connection to the destination came about.",
        NotStarted::Tls => "The encrypted connection failed before a byte of the request was sent.",
        NotStarted::ZeroBytes => "A connection stood, and its authority ended before the first byte was sent.",
        NotStarted::Unsent => "It was never sent.",
        NotStarted::Fence => "It was not sent, and the journal now bars it from ever being sent.",
    }
}

//! Cards and lists.

use crate::catalogue::CardPart as P;
use lychgate_core::channel::Ceremony;
use lychgate_core::evidence::Unverified;
use lychgate_core::provenance::{Signer, Unsigned};

pub(super) fn ceremony(ceremony: Ceremony) -> &'static str {
    match ceremony {
        Ceremony::Click => "one key in this console",
        Ceremony::Presence => "your PIN",
    }
}

pub(super) fn signer(signer: &Signer) -> String {
    match signer {
        Signer::Pinned(name) => format!("pinned by you as \"{name}\""),
        Signer::Package(package) => {
            format!("package {} {} (matches Debian's package database, MD5)", package.name, package.version)
        }
        Signer::Differs(package) => {
            format!("UNSIGNED: this is not the file that package {} {} installed", package.name, package.version)
        }
        Signer::Unsigned(why) => format!("unsigned ({})", unsigned(*why)),
    }
}

fn unsigned(why: Unsigned) -> &'static str {
    match why {
        Unsigned::NotPackaged => "no installed package holds this file",
        Unsigned::NoDatabase => "there is no package database that could be asked",
        Unsigned::Unseen => "the program could not be seen",
        Unsigned::Loader => "it loads another file and runs that",
        Unsigned::Interpreter => "an interpreter: what it does stands in a script",
        Unsigned::ManyPrograms => "many programs in one file",
        Unsigned::Debugger => "it runs other programs and can change them",
        Unsigned::Emulator => "it runs programs of another machine",
        Unsigned::ForeignFileSystem => "its file system is served by a program or by another machine",
        Unsigned::UserCode => "it runs code from a file that programs of its user can change",
    }
}

pub(super) fn part(part: &P<'_>) -> String {
    match part {
        P::Headline { card, run, one_action: false } => format!("Card {card}: run {run} asks to use your credentials"),
        P::Headline { card, run, one_action: true } => format!("Card {card}: run {run} asks for one action"),
        P::WhatChanged => "What changed".to_owned(),
        P::NothingBefore => "Nothing: this run had no approval for it before.".to_owned(),
        P::Previous { run, program, same_program: true } => {
            format!("The earlier run was {run}, {program}. The program file is the same.")
        }
        P::Previous { run, program, same_program: false } => {
            format!("The earlier run was {run}, {program}. The program file is ANOTHER one now.")
        }
        P::ShowsResults { run } => {
            format!("A yes also shows this run the results of {run}'s actions on the channels that you open.")
        }
        P::WhoAsks => "Who asks".to_owned(),
        P::Program => "Program".to_owned(),
        P::ProgramAndPid { name, pid } => format!("{name} (process {pid})"),
        P::Signer => "Signer".to_owned(),
        P::File => "File".to_owned(),
        P::FileGone => "This file was removed since the program was started.".to_owned(),
        P::FileReplaced => "Another file stands there now: the program was updated since it was started.".to_owned(),
        P::ProgramDigest => "SHA-256".to_owned(),
        P::FirstAsked => "First asked".to_owned(),
        P::FirstAskedOn { day: None } => "now: exactly this program has not asked before".to_owned(),
        P::FirstAskedOn { day: Some(day) } => day.clone(),
        P::LastYes => "Your last yes".to_owned(),
        P::NoYes => "none to a program at this place".to_owned(),
        P::YesToTheSame { day } => format!("{day}, to exactly this program"),
        P::YesToOtherProgram { day } => format!("{day}, to ANOTHER file at this place: the program has changed since"),
        P::YesToOtherScript { day } => format!("{day}, to ANOTHER content of this script: it has changed since"),
        P::YesUncomparable { day } => format!("{day}, to the same interpreter; what it runs can't be compared"),
        P::HistoryUnknown => "not known: the store of earlier results could not be read".to_owned(),
        P::Script => "Script".to_owned(),
        P::ScriptDigest => "Its SHA-256".to_owned(),
        P::ScriptUnread => "could not be read".to_owned(),
        P::Directory => "Directory".to_owned(),
        P::DirectoryUnknown => "could not be read".to_owned(),
        P::CommandLine => "Command line".to_owned(),
        P::Conversation => "Conversation".to_owned(),
        P::Claimed => "(claimed, not verified)".to_owned(),
        P::Processes => "Processes".to_owned(),
        P::WhatAYesOpens => "What a yes opens".to_owned(),
        P::Tick { ticked: true } => "[x] Channel".to_owned(),
        P::Tick { ticked: false } => "[ ] Channel".to_owned(),
        P::GoesTo => "Goes to".to_owned(),
        P::Paths => "Paths".to_owned(),
        P::Methods => "Methods".to_owned(),
        P::AsksEachTime => "Asks each time".to_owned(),
        P::Limits => "Ends after".to_owned(),
        P::LimitedTo { uses, minutes } => limits(*uses, *minutes),
        P::ApprovalStands => {
            "Nothing: the approval of this run stands. This channel asks for each such use as well.".to_owned()
        }
        P::Settings => "Settings".to_owned(),
        P::CoveredBy { run } => format!(
            "Nothing: it works under the approval of {run}, which stands. This channel asks for each such use as well."
        ),
        P::StartedBy { run, program } => {
            format!("The agent of run {run}, {program}, started this program, over the processes between them.")
        }
        P::NoneCanStand => {
            "Nothing: no approval stands for this run, and none can but for one action at a time.".to_owned()
        }
        P::ProgramUnreadable => {
            "NO PROGRAM WAS VERIFIED. The agent's process is there, but it lets nobody look at its program, so no \
             signer is known. That it becomes another program would not be seen either."
                .to_owned()
        }
        P::NobodyVerified(Unverified::ForeignNamespace) => {
            "NO PROCESS WAS VERIFIED. Whoever asks lives in another process or user namespace (a container or a \
             sandbox), where all that could be looked at can be forged."
                .to_owned()
        }
        P::NobodyVerified(Unverified::NoAgent) => {
            "NO PROCESS WAS VERIFIED. No program above the shim could be taken for an agent: a terminal, a service \
             or another user's process started it."
                .to_owned()
        }
        P::ProcessNumber { pid } => format!("not known (process {pid})"),
        P::SettingWords { per_call, private, own_ca, unverified, unreadable } => {
            let asks = if *per_call { "asks for each use" } else { "one yes for a run" };
            let mut words = vec![asks, "bearer token"];
            words.extend(private.then_some("private addresses allowed"));
            words.extend(own_ca.then_some("certificates of its own"));
            words.extend(unverified.then_some("unverified requesters may ask each time"));
            words.extend(unreadable.then_some("sessions also for unreadable programs"));
            words.join(", ")
        }
        P::TheAction => "The action".to_owned(),
        P::TheOccasion => "The action that brought up the question".to_owned(),
        P::ActionLabel => "Action".to_owned(),
        P::ActionOn { action, channel } => format!("{action} on channel {channel}"),
        P::Request => "Request".to_owned(),
        P::Header => "Header".to_owned(),
        P::Body => "Body".to_owned(),
        P::NoBody => "none".to_owned(),
        P::BodyBytes { bytes: 1 } => "1 byte".to_owned(),
        P::BodyBytes { bytes } => format!("{bytes} bytes"),
        P::BodyNotShown => "The body is too long or no text, and is not shown here.".to_owned(),
        P::BodyDigest => "Body SHA-256".to_owned(),
        P::RequestDigest => "Digest".to_owned(),
        P::WhatYesCovers => "What your yes covers".to_owned(),
        P::CoversRun => {
            "This run on the ticked channels, until its process ends, the vault is locked, the gateway stops, \
                         or you revoke it. Subagents inside the same program share it."
                .to_owned()
        }
        P::CoversNoOther => "No other process: not a second copy of the program, not one started later in its place, \
                             not the programs that it starts, unless you say so."
            .to_owned(),
        P::ProgramsToo => {
            "With `lych approve CARD --programs`, or the key p in the console: these programs too, each looked at and \
             recorded by itself, as long as every process between it and the agent lives unchanged."
                .to_owned()
        }
        P::MayDelegate => {
            "The agent can act for a program that it starts, and can name one to work under this approval (`delegate`); \
             that is recorded and ends with either of them."
                .to_owned()
        }
        P::StillAsks => "The methods under \"Asks each time\" still ask you each time.".to_owned(),
        P::CoversAction => {
            "Exactly the action above, once. A request that differs in one byte is a new question.".to_owned()
        }
        P::Takes => "It takes".to_owned(),
        P::State => "State".to_owned(),
        P::BootAndEpoch { boot, epoch } => format!("gateway lifetime {boot}, vault epoch {epoch}"),
    }
}

fn limits(uses: Option<u32>, minutes: Option<u32>) -> String {
    let uses = uses.map(|count| if count == 1 { "1 use".to_owned() } else { format!("{count} uses") });
    let minutes = minutes.map(|count| if count == 1 { "1 minute".to_owned() } else { format!("{count} minutes") });
    let both: Vec<String> = uses.into_iter().chain(minutes).collect();
    both.join(" or ")
}

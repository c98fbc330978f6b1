//! `lych channel add`.

use super::Context;
use crate::cli::{FactorFrom, help};
use crate::factor::{self, Source};
use crate::operator::{Operator, block_on};
use crate::output;
use crate::trouble::{Exit, Outcome, Trouble};
use clap::{Args, ValueEnum};
use lychgate_core::card::visible;
use lychgate_core::channel::{
    ApprovalMode, ApprovalSettings, Ceremony, Channel, ChannelName, CredentialKind, HttpBinding, Method, Origin,
    PathPrefix,
};
use lychgate_text::{Cause, Message, Problem};
use lychgate_wire::operator::Command;
use lychgate_wire::sensitive::Sensitive;
use std::net::IpAddr;
use std::path::{Path, PathBuf};

/// Certificates are small; anything larger is another file.
const CA_FILE_BYTES: u64 = 1024 * 1024;

#[derive(Debug, Args)]
pub(crate) struct AddArgs {
    #[arg(help = help().channel.new_name)]
    #[arg(value_parser = lychgate_text::read::<ChannelName>)]
    name: ChannelName,
    #[arg(long = "origin", value_name = "ORIGIN", required = true, help = help().channel.origin)]
    #[arg(value_parser = lychgate_text::read::<Origin>)]
    origins: Vec<Origin>,
    #[arg(long = "path", value_name = "PREFIX", default_value = "/", help = help().channel.path)]
    #[arg(value_parser = lychgate_text::read::<PathPrefix>)]
    paths: Vec<PathPrefix>,
    #[arg(long = "method", value_name = "METHOD", value_delimiter = ',')]
    #[arg(help = help().channel.method)]
    #[arg(default_value = "GET,HEAD,POST,PUT,PATCH,DELETE")]
    #[arg(value_parser = lychgate_text::read::<Method>)]
    methods: Vec<Method>,
    #[arg(long, value_enum, help = help().channel.kind)]
    kind: Kind,
    #[arg(long, value_enum, default_value = "session", help = help().channel.approval)]
    approval: Mode,
    #[arg(long, value_name = "METHOD,…", value_delimiter = ',')]
    #[arg(help = help().channel.per_call_methods)]
    #[arg(value_parser = lychgate_text::read::<Method>)]
    per_call_methods: Vec<Method>,
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    #[arg(help = help().channel.max_uses)]
    max_uses: Option<u32>,
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    #[arg(help = help().channel.max_minutes)]
    max_minutes: Option<u32>,
    #[arg(long, value_name = "FILE", help = help().channel.ca)]
    ca: Option<PathBuf>,
    #[arg(long, help = help().channel.allow_private)]
    allow_private: bool,
    #[arg(long, help = help().channel.allow_unverified)]
    allow_unverified: bool,
    #[arg(long, help = help().channel.allow_unreadable)]
    allow_unreadable: bool,
    #[arg(long, help = help().channel.secret_stdin)]
    secret_stdin: bool,
    #[command(flatten)]
    factor: FactorFrom,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum Kind {
    #[value(help = help().channel.kind_bearer)]
    Bearer,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum Mode {
    #[value(help = help().channel.approval_session)]
    Session,
    #[value(help = help().channel.approval_per_call)]
    PerCall,
}

pub(super) fn run(context: &Context, args: AddArgs) -> Outcome {
    let pin_from = Source::of(args.factor.factor_stdin);
    // Where everything else comes from a script, the credential does too.
    let secret_from = Source::of(args.secret_stdin || args.factor.factor_stdin);
    let channel = channel(context, args)?;
    let name = channel.name.clone();
    block_on(context.say, async {
        let mut operator = Operator::connect(context.say, &context.paths).await?;
        operator.must_be_unlocked("channel add").await?;
        let pin = factor::pin(context.say, pin_from)?;
        let mut secret = factor::secret(context.say, secret_from, name.as_str())?;
        let secret = Sensitive::new(std::mem::take(&mut *secret));
        operator.must(Command::ChannelAdd { channel: Box::new(channel), secret }, Some(pin)).await?;
        output::prose(&context.say.message(&Message::ChannelAdded { name: name.as_str() }));
        Ok(Exit::Done)
    })
}

fn channel(context: &Context, args: AddArgs) -> Result<Channel, Trouble> {
    let stray = args.per_call_methods.iter().find(|method| !args.methods.contains(method));
    if let Some(method) = stray {
        let why = Cause::MethodNotAllowed { method: &method.to_string() };
        return Err(Trouble::of(context.say, &Problem::Argument { why }));
    }
    if let Some(origin) = args.origins.iter().find(|origin| !args.allow_private && is_private(origin)) {
        let why = Cause::PrivateOrigin { origin: &origin.to_string() };
        return Err(Trouble::of(context.say, &Problem::Argument { why }));
    }
    let ca_pem = args.ca.as_deref().map(|file| read_ca(context, file)).transpose()?;
    Ok(Channel {
        name: args.name,
        version: 0,
        binding: HttpBinding {
            origins: args.origins,
            paths: args.paths,
            methods: args.methods,
            allow_private: args.allow_private,
            ca_pem,
        },
        kind: match args.kind {
            Kind::Bearer => CredentialKind::Bearer,
        },
        approval: ApprovalSettings {
            mode: match args.approval {
                Mode::Session => ApprovalMode::Session,
                Mode::PerCall => ApprovalMode::PerCall,
            },
            per_call_methods: args.per_call_methods,
            // The other ceremony, one key, is for agents that run confined; there are none yet.
            ceremony: Ceremony::Presence,
            max_uses: args.max_uses,
            max_minutes: args.max_minutes,
            allow_unverified: args.allow_unverified,
            allow_unreadable: args.allow_unreadable,
        },
    })
}

/// An address, not a name, of this machine or of a private network. What names lead to is checked at each use.
fn is_private(origin: &Origin) -> bool {
    let host = origin.host().trim_start_matches('[').trim_end_matches(']');
    match host.parse() {
        Ok(IpAddr::V4(address)) => {
            // 100.64.0.0/10 (RFC 6598) and 198.18.0.0/15 (RFC 2544) are somebody's network as well.
            address.is_loopback()
                || address.is_private()
                || matches!(address.octets(), [100, 64..=127, ..] | [198, 18..=19, ..])
        }
        Ok(IpAddr::V6(address)) => address.is_loopback() || address.is_unique_local(),
        Err(_) => false,
    }
}

fn read_ca(context: &Context, file: &Path) -> Result<String, Trouble> {
    let refuse = |why: Cause<'_>| {
        let file = visible(&file.display().to_string());
        Trouble::of(context.say, &Problem::File { file: &file, why })
    };
    let found = std::fs::metadata(file).map_err(|error| refuse(Cause::Said(&error.to_string())))?;
    if found.len() > CA_FILE_BYTES {
        return Err(refuse(Cause::TooLargeForCertificates));
    }
    let text = std::fs::read_to_string(file).map_err(|error| refuse(Cause::Said(&error.to_string())))?;
    if text.contains("PRIVATE KEY-----") {
        return Err(refuse(Cause::HoldsPrivateKey));
    }
    if !text.contains("-----BEGIN CERTIFICATE-----") {
        return Err(refuse(Cause::NoCertificate));
    }
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::is_private;

    #[test]
    fn addresses_of_this_machine_and_of_private_networks_are_seen_and_no_others() {
        for (origin, private) in [
            ("https://127.0.0.1:8443", true),
            ("http://127.9.9.9", true),
            ("https://[::1]:8443", true),
            ("https://10.0.0.1", true),
            ("https://172.31.0.1", true),
            ("https://192.168.1.1", true),
            ("https://100.64.0.1", true),
            ("https://[fd12::1]", true),
            ("https://172.32.0.1", false),
            ("https://9.9.9.9", false),
            ("https://[2606:4700::1]", false),
            ("https://10.example", false),
        ] {
            let Ok(parsed) = origin.parse() else { unreachable!("fixture {origin}") };
            assert_eq!(is_private(&parsed), private, "{origin}");
        }
    }
}

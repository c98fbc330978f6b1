//! What `lych mcp` itself says: to a model about its tools, to a person about a gateway that can't be reached.
//!
//! `{name}` in a text is filled in by [`fill`].

/// The sentences. Fields named like a tool or an argument describe it.
#[derive(Debug)]
pub struct ShimTexts {
    /// What this server is and what to do on each outcome; the client shows it to the model.
    pub instructions: &'static str,
    /// Tools: name and description.
    pub tools: &'static [(&'static str, &'static str)],
    /// Arguments: name and description. The same name means the same in every tool.
    pub arguments: &'static [(&'static str, &'static str)],

    /// Before what changed.
    pub changed_label: &'static str,
    /// Before what to do next.
    pub next_label: &'static str,
    /// Before the id of the action.
    pub action_label: &'static str,
    /// Over a response body. Whoever serves it may write to the model there.
    pub body_label: &'static str,
    /// The part of the body that is not here. `{kept}`, `{total}`.
    pub truncated: &'static str,
    /// Progress while a call waits and the gateway has said nothing yet.
    pub waiting: &'static str,

    /// Arguments that the tool does not have. `{names}`, `{tool}`, `{known}`.
    pub unknown_arguments: &'static str,
    /// An argument that must be there. `{name}`.
    pub missing_argument: &'static str,
    /// An argument of another kind. `{name}`, `{kind}`.
    pub wrong_argument: &'static str,
    /// Both or neither of two arguments. `{first}`, `{second}`.
    pub exactly_one: &'static str,
    /// Both of two arguments. `{first}`, `{second}`.
    pub not_both: &'static str,
    /// Over a limit. `{name}`, `{size}`, `{limit}`, `{unit}`.
    pub over_limit: &'static str,
    /// After any of these.
    pub correct_it: &'static str,
    /// A conversation label that is too long. `{size}`, `{limit}`.
    pub long_conversation: &'static str,
    /// Kinds of arguments, for `wrong_argument`.
    pub kinds: Kinds,

    /// No gateway serves the socket.
    pub no_gateway: &'static str,
    /// What the person does about it.
    pub start_gateway: &'static str,
    /// The directory of the socket is not safe. `{path}`, `{what}`.
    pub unsafe_directory: &'static str,
    /// What the person does about it. `{path}`.
    pub repair_directory: &'static str,
    /// Another user serves the socket. `{uid}`.
    pub wrong_server: &'static str,
    /// What the person does about it.
    pub check_server: &'static str,
    /// The gateway does not speak to us as it should. `{why}`.
    pub broken_gateway: &'static str,
    /// What the person does about it.
    pub look_at_gateway: &'static str,
    /// Shim and gateway differ. `{shim}`, `{gateway}`.
    pub other_build: &'static str,
    /// What the person does about it.
    pub restart_either: &'static str,
    /// The gateway went away while an action was open.
    pub lost_action: &'static str,
    /// What the model does about it.
    pub after_lost_action: &'static str,
    /// The gateway went away while a call was open that is no action.
    pub lost_call: &'static str,
    /// What the model does about it.
    pub after_lost_call: &'static str,
    /// The client is gone.
    pub client_left: &'static str,
    /// How it does not, for `broken_gateway`.
    pub oddities: Oddities,
    /// Why `lych mcp` can't serve.
    pub not_serving: NotServing,
    /// A tool that does not exist. `{name}`.
    pub unknown_tool: &'static str,
    /// The system gives no random bytes. `{why}`.
    pub no_randomness: &'static str,
    /// The directory is a symbolic link or no directory.
    pub not_a_directory: &'static str,
    /// The directory belongs to another user. `{uid}`.
    pub foreign_directory: &'static str,
    /// Others may enter the directory. `{mode}`.
    pub open_directory: &'static str,
}

/// How something at the gateway's socket does not answer as a gateway does.
#[derive(Debug)]
pub struct Oddities {
    /// Another process wrote into the connection. `{pid}`.
    pub stranger: &'static str,
    /// Nothing came. `{seconds}`.
    pub silent: &'static str,
    /// The path that was given can't be a socket's. `{path}`.
    pub no_socket: &'static str,
    /// A message that can't be read. `{why}`.
    pub unknown_message: &'static str,
    /// A message that may not come now. `{name}`.
    pub out_of_turn: &'static str,
}

/// Why `lych mcp` can't serve, for the person who set it up. Within a sentence.
#[derive(Debug)]
pub struct NotServing {
    /// The label of `--conversation` is too long. `{size}`, `{limit}`.
    pub long_label: &'static str,
    /// The client does not speak MCP. `{why}`.
    pub no_mcp: &'static str,
    /// There is no event loop. `{why}`.
    pub no_event_loop: &'static str,
    /// The service loop failed. `{why}`.
    pub fault: &'static str,
}

/// What an argument must be.
#[derive(Debug)]
pub struct Kinds {
    /// A text.
    pub text: &'static str,
    /// A list of texts.
    pub texts: &'static str,
    /// An object of texts.
    pub headers: &'static str,
    /// Seconds to wait.
    pub seconds: &'static str,
    /// A position.
    pub offset: &'static str,
    /// A process id.
    pub process: &'static str,
    /// The id of an action.
    pub action: &'static str,
    /// Bytes in base64.
    pub base64: &'static str,
}

impl ShimTexts {
    /// Description of a tool; empty where there is none.
    #[must_use]
    pub fn tool(&self, name: &str) -> &'static str {
        find(self.tools, name)
    }

    /// Description of an argument; empty where there is none.
    #[must_use]
    pub fn argument(&self, name: &str) -> &'static str {
        find(self.arguments, name)
    }
}

fn find(texts: &'static [(&'static str, &'static str)], name: &str) -> &'static str {
    texts.iter().find(|(of, _)| *of == name).map_or("", |(_, text)| text)
}

/// `template` with each `{name}` replaced by its value. Values are not looked at again.
#[must_use]
pub fn fill(template: &str, values: &[(&str, &str)]) -> String {
    let mut filled = String::with_capacity(template.len());
    let mut rest = template;
    while let Some((before, after)) = rest.split_once('{') {
        filled.push_str(before);
        let Some((name, after)) = after.split_once('}') else {
            filled.push('{');
            rest = after;
            continue;
        };
        filled.push_str(values.iter().find(|(of, _)| *of == name).map_or("", |(_, value)| value));
        rest = after;
    }
    filled.push_str(rest);
    filled
}

#[cfg(test)]
mod tests {
    use super::fill;

    #[test]
    fn a_filled_text_takes_values_literally_and_leaves_no_name_behind() {
        assert_eq!(fill("{a} of {b}", &[("a", "{b}"), ("b", "2")]), "{b} of 2");
        assert_eq!(fill("open { brace", &[]), "open { brace");
    }
}

//! An answer of a tool, with the questions that tests ask of it.

use serde_json::Value;

/// The structured content of one tool result.
#[derive(Debug, Clone, PartialEq)]
pub struct Answer(pub Value);

impl Answer {
    fn text(&self, field: &str) -> Option<&str> {
        self.0[field].as_str()
    }

    /// `COMPLETED`, or outcome and reason as in `REAUTH_REQUIRED process_changed`.
    pub fn says(&self) -> String {
        let outcome = self.text("outcome").unwrap_or("?");
        match self.text("reason") {
            Some(reason) => format!("{outcome} {reason}"),
            None => outcome.to_owned(),
        }
    }

    #[track_caller]
    pub fn must_say(self, expected: &str) -> Self {
        assert_eq!(self.says(), expected, "{:#}", self.0);
        self
    }

    pub fn reasons(&self) -> Vec<&str> {
        self.0["reasons"].as_array().map(|all| all.iter().filter_map(Value::as_str).collect()).unwrap_or_default()
    }

    /// What the call is about.
    pub fn result(&self) -> &Value {
        &self.0["result"]
    }

    /// The number of the card that it names.
    #[track_caller]
    pub fn card(&self) -> u64 {
        self.result()["card"].as_u64().unwrap_or_else(|| panic!("no card: {:#}", self.0))
    }

    #[track_caller]
    pub fn action(&self) -> String {
        self.text("action_id").unwrap_or_else(|| panic!("no action_id: {:#}", self.0)).to_owned()
    }

    #[track_caller]
    pub fn run(&self) -> String {
        // As it stands on the wire, where no shim has put it into words.
        if let Some(number) = self.0["run_id"].as_u64() {
            return format!("R{number}");
        }
        self.text("run_id").unwrap_or_else(|| panic!("no run_id: {:#}", self.0)).to_owned()
    }

    /// The answer without what differs from call to call whoever asks: run, receipt.
    pub fn bare(&self) -> Value {
        let mut bare = self.0.clone();
        for field in ["receipt", "run_id"] {
            bare.as_object_mut().unwrap().remove(field);
        }
        bare
    }
}

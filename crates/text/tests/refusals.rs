//! What `core` refuses without words is said here, whole and to stand inside a sentence.
#![allow(clippy::unwrap_used, reason = "tests")]

use lychgate_core::channel::{ChannelName, Method, Origin, PathPrefix};
use lychgate_core::ids::{CardNo, Ref, RunId};
use lychgate_core::request::{Asked, HeaderFault, InvalidRequest, RequestPart, UrlFault};
use lychgate_text::{Refusal, english, read};

fn said<T>(text: &str) -> String
where
    T: std::str::FromStr<Err: Refusal> + std::fmt::Debug,
{
    read::<T>(text).unwrap_err()
}

#[test]
fn a_refusal_quotes_what_was_given_and_says_what_would_be_right() {
    for (said, given, right) in [
        (said::<ChannelName>("Items"), "`Items`", "beginning with a letter"),
        (said::<Origin>("http://api.example.com"), "`http://api.example.com`", "loopback"),
        (said::<Origin>("api.example.com"), "`api.example.com`", "https://"),
        (said::<Method>("get"), "`get`", "capital letters"),
        (said::<PathPrefix>("v1"), "`v1`", "begins with `/`"),
        (said::<RunId>("Q31"), "`Q31`", "R31"),
        (said::<CardNo>(""), "``", "C7"),
        (said::<Ref>("ab"), "`ab`", "32 hexadecimal digits"),
    ] {
        assert!(said.contains(given) && said.contains(right), "{said}");
    }
}

#[test]
fn a_value_that_is_right_is_read() {
    assert_eq!(read::<RunId>("R31"), Ok(RunId(31)));
    assert_eq!(read::<ChannelName>("items").unwrap().as_str(), "items");
}

#[test]
fn a_channel_that_covers_nothing_says_so() {
    let refused = |covers: &[&str]| {
        InvalidRequest::NotBound {
            channel: "items".parse().unwrap(),
            asked: Asked::Path("/admin".to_owned()),
            covers: covers.iter().map(|one| (*one).to_owned()).collect(),
        }
        .say(english())
    };
    assert_eq!(refused(&[]), "channel `items` does not cover the path /admin; it covers nothing");
    assert_eq!(refused(&["/v1/", "/v2/"]), "channel `items` does not cover the path /admin; it covers /v1/, /v2/");
}

#[test]
fn no_refusal_of_a_request_ends_its_sentence() {
    for refusal in [
        InvalidRequest::Url(UrlFault::Fragment),
        InvalidRequest::Method,
        InvalidRequest::TooLarge { part: RequestPart::Headers, limit: 4 },
        InvalidRequest::Header("host".to_owned(), HeaderFault::FollowsFromUrl),
    ] {
        let said = refusal.say(english());
        assert!(said.starts_with(char::is_lowercase) && said.ends_with(char::is_alphanumeric), "{said}");
    }
}

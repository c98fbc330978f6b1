//! The line between "not sent" and "nobody knows".

use super::fixture::{action, get, post, ready, run, send, unobserved, unsent};
use super::server::Server;
use crate::connect::Ready;
use crate::stream::Stream;
use lychgate_core::channel::CredentialKind;
use std::sync::mpsc::channel;
use std::time::{Duration, Instant};
use tokio_util::sync::CancellationToken;

#[tokio::test]
async fn a_reset_after_the_request_was_read_is_unknown_and_nothing_is_repeated() {
    let server = Server::plain(|peer| {
        peer.read_request();
        peer.reset_on_close();
    });
    let what = unobserved(run(post(&server.url("/pay"), b"{\"amount\": 1}")).await);
    assert!(what.contains("before it answered"), "{what}");
    let log = server.stop();
    assert_eq!((log.connections, log.requests.len()), (1, 1));
    assert!(log.text().ends_with("{\"amount\": 1}"));
}

#[tokio::test]
async fn a_close_after_the_request_was_read_is_unknown_and_nothing_is_repeated() {
    let server = Server::plain(|peer| drop(peer.read_request()));
    let what = unobserved(run(get(&server.url("/"))).await);
    assert!(what.contains("before it answered"), "{what}");
    let log = server.stop();
    assert_eq!((log.connections, log.requests.len()), (1, 1));
}

#[tokio::test]
async fn a_reset_in_the_middle_of_the_request_is_unknown() {
    let server = Server::plain(|peer| {
        peer.read_some();
        peer.reset_on_close();
    });
    let body = vec![b'x'; 8 * 1024 * 1024];
    let what = unobserved(run(post(&server.url("/"), &body)).await);
    assert!(what.contains("before it answered"), "{what}");
    let log = server.stop();
    assert_eq!(log.connections, 1);
    assert!(log.text().contains("authorization: Bearer ") && log.requests[0].len() < body.len());
}

#[tokio::test]
async fn half_a_head_and_what_is_no_http_are_unknown() {
    let many = format!("HTTP/1.1 200 OK\r\n{}\r\n", "x: y\r\n".repeat(101));
    let long = format!("HTTP/1.1 200 OK\r\nx: {}\r\n\r\n", "y".repeat(1024 * 1024));
    for bytes in [
        "HTTP/1.1 200 OK\r\nx-a",
        "SSH-2.0-OpenSSH\r\n",
        "HTTP/1.1 200 OK\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\nx",
        "HTTP/1.1 200 OK\r\ncontent-length: -1\r\n\r\n",
        many.as_str(),
        long.as_str(),
    ] {
        let server = Server::answering(bytes);
        let what = unobserved(run(get(&server.url("/"))).await);
        assert!(!what.is_empty());
        assert_eq!(server.stop().requests.len(), 1);
    }
}

#[tokio::test]
async fn a_server_that_stays_silent_is_unknown_once_its_time_is_up() {
    let server = Server::plain(|peer| {
        peer.read_request();
        peer.wait_for_end();
    });
    let mut connection = ready(&server.url("/")).await;
    connection.times.header = Duration::from_millis(200);
    let what = unobserved(send(connection, get(&server.url("/"))).await);
    assert!(what.contains("after the request went out"), "{what}");
    let mut connection = ready(&server.url("/")).await;
    connection.times.total = Duration::from_millis(200);
    let what = unobserved(send(connection, get(&server.url("/"))).await);
    assert!(what.contains("did not answer within"), "{what}");
    assert_eq!(server.stop().requests.len(), 2);
}

#[tokio::test]
async fn a_revoke_while_the_action_is_under_way_cuts_it_within_a_second() {
    let (arrived, came) = channel();
    let (cut, gone) = channel();
    let server = Server::plain(move |peer| {
        peer.read_request();
        arrived.send(()).unwrap();
        peer.wait_for_end();
        cut.send(Instant::now()).unwrap();
    });
    let cancel = CancellationToken::new();
    let remote = cancel.clone();
    let revoker = std::thread::spawn(move || {
        came.recv().unwrap();
        let at = Instant::now();
        remote.cancel();
        at
    });
    let (armed, released) = action(post(&server.url("/"), b"x"));
    let connection = ready(&server.url("/")).await;
    let outcome = connection.send(armed, released, CredentialKind::Bearer, &cancel).await;
    let told = Instant::now();
    let revoked = revoker.join().unwrap();
    assert!(unobserved(outcome).contains("authority ended"));
    assert!(told - revoked < Duration::from_secs(1), "{:?}", told - revoked);
    assert!(gone.recv().unwrap() - revoked < Duration::from_secs(1));
    assert_eq!(server.stop().requests.len(), 1);
}

#[tokio::test]
async fn what_arrives_of_a_body_before_a_revoke_is_not_handed_on() {
    let (arrived, came) = channel();
    let server = Server::plain(move |peer| {
        peer.read_request();
        peer.write(b"HTTP/1.1 202 Accepted\r\ncontent-length: 100\r\n\r\nhalf");
        arrived.send(()).unwrap();
        peer.wait_for_end();
    });
    let cancel = CancellationToken::new();
    let (armed, released) = action(get(&server.url("/")));
    let connection = ready(&server.url("/")).await;
    let sending = connection.send(armed, released, CredentialKind::Bearer, &cancel);
    let revoking = async {
        tokio::task::spawn_blocking(move || came.recv().unwrap()).await.unwrap();
        // The head is on its way; give the reader a few turns, then cut whatever it has.
        for _ in 0..100 {
            tokio::task::yield_now().await;
        }
        cancel.cancel();
    };
    let (outcome, ()) = tokio::join!(sending, revoking);
    assert!(unobserved(outcome).contains("authority ended"));
    drop(server.stop());
}

#[tokio::test]
async fn a_revoke_before_the_first_byte_is_evidence_that_nothing_was_sent() {
    let server = Server::plain(|peer| peer.wait_for_end());
    let cancel = CancellationToken::new();
    let (armed, released) = action(get(&server.url("/")));
    let connection = ready(&server.url("/")).await;
    cancel.cancel();
    let outcome = connection.send(armed, released, CredentialKind::Bearer, &cancel).await;
    assert!(unsent(outcome).contains("authority ended"));
    assert!(server.stop().requests.is_empty());
}

#[tokio::test]
async fn a_connection_that_was_closed_while_it_waited_is_evidence_that_nothing_was_sent() {
    let server = Server::plain(|_| {});
    let connection = ready(&server.url("/")).await;
    let Ready { stream: Stream::Plain(tcp), .. } = &connection else { panic!("plain") };
    // The end of the stream is there to be read before anything is written.
    assert_eq!(tcp.peek(&mut [0]).await.unwrap(), 0);
    let outcome = send(connection, get(&server.url("/"))).await;
    assert!(matches!(outcome, crate::Outcome::NotSent { spent: Some(_), .. }), "{outcome:?}");
    assert!(unsent(outcome).contains("nothing of the request had been written"));
    assert!(server.stop().requests.is_empty());
}

#[tokio::test]
async fn sending_can_be_moved_between_threads() {
    fn movable<T: Send>(work: T) -> T {
        work
    }
    let server = Server::answering("HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n");
    let url = server.url("/");
    assert!(matches!(movable(run(get(&url))).await, crate::Outcome::Observed { .. }));
    drop(server.stop());
}

#[tokio::test]
async fn an_answer_that_came_before_the_request_is_no_answer() {
    let server = Server::plain(|peer| {
        peer.write(b"HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n");
        peer.wait_for_end();
    });
    let connection = ready(&server.url("/")).await;
    let Ready { stream: Stream::Plain(tcp), .. } = &connection else { panic!("plain") };
    assert_eq!(tcp.peek(&mut [0]).await.unwrap(), 1);
    assert!(unsent(send(connection, get(&server.url("/"))).await).contains("nothing of the request had been written"));
    assert!(server.stop().requests.is_empty());
}

//! Every limit in one place: name, unit, reason.

/// Largest frame on a local socket, in bytes. An 8 MiB body in base64 and its envelope fit.
pub const FRAME_BYTES: usize = 12 * 1024 * 1024;
/// Largest frame before a run is registered, in bytes: a handshake is short, and anybody may begin one.
pub const HANDSHAKE_FRAME_BYTES: usize = 1024 * 1024;
/// Agent connections that have not registered yet; each may hold a frame of the size above.
pub const UNREGISTERED: usize = 128;
/// A frame above this size is a large one, in bytes.
pub const LARGE_FRAME_BYTES: usize = 64 * 1024;
/// Large frames that are received or taken apart at once. Each may take its [`FRAME_BYTES`] three times for a moment.
pub const LARGE_FRAMES: usize = 16;
/// Large frames and bodies that are taken apart at once. Each takes a core; a lock or revoke must never wait for it.
pub const HEAVY_AT_ONCE: usize = 2;
/// Operator connections that have not passed the look at a console.
pub const DOORSTEP: usize = 256;
/// Consoles.
pub const CONSOLES: usize = 256;
/// Descriptors that agents leave to the person, the journal and requests under way: a quarter of what there is, so many at
/// the least, since looking at one process takes some for a moment.
pub const DESCRIPTORS_KEPT_LEAST: u64 = 64;
/// And so many at the most: the longest chains that may be looked at together take fewer.
pub const DESCRIPTORS_KEPT_MOST: u64 = 1_024;
/// Descriptors that an agent takes in its handshake after it was let in: one for the sender of each of its two frames.
pub const HANDSHAKE_DESCRIPTORS: u64 = 2;
/// Programs that are pinned at once. Hashing an image takes a core, and a lock or revoke must never wait for it.
pub const PINS_AT_ONCE: usize = 2;
/// An action key, in bytes.
pub const ACTION_KEY_BYTES: usize = 256;
/// A frame that was begun must be complete within this time; a slow writer must not hold a task for ever.
pub const FRAME_COMPLETE_MS: u64 = 30_000;
/// Runs registered at once; each costs a few descriptors.
pub const RUNS: usize = 1_024;
/// Runs of one agent tree, so that nobody crowds the others out.
pub const RUNS_PER_AGENT: usize = 64;
/// Actions of one agent tree that are announced (INTENT) and not ended.
pub const PENDING_INTENTS_PER_AGENT: usize = 32;
/// Cards open at once.
pub const OPEN_CARDS: usize = 64;
/// Cards open for one agent tree.
pub const OPEN_CARDS_PER_AGENT: usize = 8;
/// Programs that one run may delegate to at a time; each holds descriptors up to the agent.
pub const DELEGATIONS_PER_RUN: usize = 8;
/// Request body, in bytes.
pub const REQUEST_BODY_BYTES: usize = 8 * 1024 * 1024;
/// Part of a response that goes into the result itself, in bytes.
pub const RESPONSE_INLINE_BYTES: usize = 64 * 1024;
/// Part of a response that is read and kept, in bytes.
pub const RESPONSE_KEPT_BYTES: usize = 8 * 1024 * 1024;
/// Request headers the caller may set.
pub const HEADER_COUNT: usize = 100;
/// All request headers together, in bytes.
pub const HEADER_BYTES: usize = 64 * 1024;
/// URL, in bytes.
pub const URL_BYTES: usize = 16 * 1024;
/// A conversation label, in bytes. It is shown on cards.
pub const CONVERSATION_BYTES: usize = 200;
/// How long a call waits for a person unless it says otherwise. Clients give up at 60 s.
pub const WAIT_DEFAULT_SECONDS: u64 = 20;
/// The longest wait a call may ask for.
pub const WAIT_MAX_SECONDS: u64 = 50;
/// A card that nobody waits for closes after this time.
pub const CARD_UNATTENDED_MS: u64 = 10 * 60 * 1000;
/// An approved action whose caller left waits this long for it to come back.
pub const APPROVED_WAIT_MS: u64 = 10 * 60 * 1000;
/// After a denied session card the same run and channel get no new card for this time.
pub const DENIED_QUIET_MS: u64 = 60 * 1000;
/// A permit older than this is not sent; evidence is taken again.
pub const PERMIT_AGE_MS: u64 = 2_000;
/// How long results stay in the action store.
pub const RESULTS_KEPT_MS: u64 = 24 * 60 * 60 * 1000;
/// Processes between a peer and the end of its chain.
pub const CHAIN_LENGTH: usize = 64;
/// Wrong PINs before only the passphrase helps.
pub const PIN_TRIES: u32 = 5;
/// A program image larger than this is not hashed, in bytes; the largest known agents have a quarter of it.
pub const IMAGE_BYTES: u64 = 1024 * 1024 * 1024;

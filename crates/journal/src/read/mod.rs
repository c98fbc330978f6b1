//! Reading a log without any key: segments one by one, then the seams between them. Nothing here writes.

pub mod directory;
pub mod flaw;
pub(crate) mod rows;
pub mod seams;
pub mod segment;
pub(crate) mod tail;
mod walk;

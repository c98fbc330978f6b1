//! Why a channel's form, a request's form or a number was refused: the typed errors of `core`, in words.

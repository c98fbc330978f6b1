//! Why a channel's form, a request's form or a number was refused. In English.

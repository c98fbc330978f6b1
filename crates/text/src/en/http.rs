//! What the HTTP executor says: why a request was not sent, why no answer came. In English.

use crate::http::HttpTexts;

pub(super) const TEXTS: HttpTexts = HttpTexts {};

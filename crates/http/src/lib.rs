//! One approved HTTP request, out over TLS

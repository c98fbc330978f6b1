//! Keys from keys: HKDF-SHA-256 (RFC 5869) with a label for each use.

use hkdf::Hkdf;
use sha2::Sha256;
use zeroize::Zeroizing;

/// `N` bytes (at most 8,160) for the use named by `label` and `context`.
///
/// Two uses of one key must differ in `label`: that is what keeps them apart. `context` is bound with its length, so
/// no two pairs of label and context can run into each other.
#[must_use]
pub fn derive<const N: usize>(key: &[u8], salt: &[u8], label: &str, context: &[u8]) -> Zeroizing<[u8; N]> {
    const { assert!(N <= 255 * 32, "more than HKDF-SHA-256 gives") };
    let label_len = (label.len() as u64).to_le_bytes();
    let mut out = Zeroizing::new([0; N]);
    #[expect(clippy::expect_used, reason = "the length is checked when this is compiled")]
    Hkdf::<Sha256>::new(Some(salt), key)
        .expand_multi_info(&[&label_len, label.as_bytes(), context], out.as_mut_slice())
        .expect("the length fits");
    out
}

#[cfg(test)]
mod tests {
    use super::derive;

    #[test]
    fn each_label_context_salt_and_key_gives_another_key() {
        let base = derive::<32>(b"key", b"salt", "label", b"context");
        assert_eq!(*base, *derive::<32>(b"key", b"salt", "label", b"context"));
        assert_ne!(*base, *derive::<32>(b"kez", b"salt", "label", b"context"));
        assert_ne!(*base, *derive::<32>(b"key", b"salu", "label", b"context"));
        assert_ne!(*base, *derive::<32>(b"key", b"salt", "labelc", b"ontext"));
        assert_ne!(*base, *derive::<32>(b"key", b"salt", "label", b"contexu"));
    }
}

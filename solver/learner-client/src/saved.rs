//! The file of a trained network: a JSON header that says what it is, and the numbers.
//!
//! One line `ballast-network 1 <kind> <checksum>`, one line of JSON, then for every part the number of its
//! values (64 bits) and the values (`f32`), little-endian.

use std::hash::Hasher as _;

use serde::Serialize;
use serde::de::DeserializeOwned;

const MAGIC: &str = "ballast-network 1";

/// A file that is none, or not of the kind asked for.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct SavedError(String);

impl SavedError {
    /// For what a reader of the decoded parts finds wrong.
    pub fn new(reason: impl Into<String>) -> Self {
        SavedError(reason.into())
    }
}

fn refuse<T>(reason: impl Into<String>) -> Result<T, SavedError> {
    Err(SavedError::new(reason))
}

/// FNV-1a (Fowler, Noll and Vo) of all that follows the first line, to tell damaged files.
#[must_use]
pub fn checksum(bytes: &[u8]) -> u64 {
    let mut hasher = fnv::FnvHasher::default();
    hasher.write(bytes);
    hasher.finish()
}

/// Writes a network of some kind (a word) with its header and parts.
///
/// # Errors
/// A header that has no JSON form.
pub fn encode<H: Serialize>(kind: &str, header: &H, parts: &[&[f32]]) -> Result<Vec<u8>, SavedError> {
    let header = serde_json::to_string(header).map_err(|error| SavedError(error.to_string()))?;
    let mut body = header.into_bytes();
    body.push(b'\n');
    for part in parts {
        body.extend((part.len() as u64).to_le_bytes());
        part.iter().for_each(|value| body.extend(value.to_le_bytes()));
    }
    let mut file = format!("{MAGIC} {kind} {:016x}\n", checksum(&body)).into_bytes();
    file.extend(body);
    Ok(file)
}

/// Reads a network of a kind.
///
/// # Errors
/// [`SavedError`] for other files, other kinds and damaged ones.
pub fn decode<H: DeserializeOwned>(kind: &str, file: &[u8]) -> Result<(H, Vec<Vec<f32>>), SavedError> {
    let Some((first, body)) = split_line(file) else { return refuse("not a saved network") };
    let first = String::from_utf8_lossy(first);
    let Some(rest) = first.strip_prefix(MAGIC) else {
        return refuse("not a saved network, or one of another version of ballast");
    };
    let Some((found, sum)) = rest.trim_start().split_once(' ') else {
        return refuse("a damaged network file");
    };
    if found != kind {
        return refuse(format!("a saved network for '{found}', not for '{kind}'"));
    }
    if u64::from_str_radix(sum, 16) != Ok(checksum(body)) {
        return refuse("a damaged network file: its checksum differs");
    }
    let Some((header, mut rest)) = split_line(body) else { return refuse("a damaged network file") };
    let header: H = serde_json::from_slice(header)
        .map_err(|error| SavedError(format!("a damaged network file: {error}")))?;
    let mut parts = Vec::new();
    while let Some((length, after)) = rest.split_first_chunk::<8>() {
        let bytes =
            usize::try_from(u64::from_le_bytes(*length)).ok().and_then(|length| length.checked_mul(4));
        let Some((values, after)) = bytes.and_then(|bytes| after.split_at_checked(bytes)) else {
            return refuse("a damaged network file: it ends early");
        };
        let (values, _) = values.as_chunks::<4>();
        parts.push(values.iter().map(|&bytes| f32::from_le_bytes(bytes)).collect());
        rest = after;
    }
    if rest.is_empty() { Ok((header, parts)) } else { refuse("a damaged network file: it ends early") }
}

fn split_line(bytes: &[u8]) -> Option<(&[u8], &[u8])> {
    let end = bytes.iter().position(|&byte| byte == b'\n')?;
    Some((&bytes[..end], &bytes[end + 1..]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn networks_come_back_bit_for_bit() {
        let parts: [&[f32]; 3] = [&[1.5, -0.0, f32::MIN_POSITIVE], &[], &[3.0]];
        let file = encode("place", &vec!["a", "b"], &parts).expect("a file");
        let (header, back): (Vec<String>, _) = decode("place", &file).expect("the same");
        assert_eq!(header, ["a", "b"]);
        assert_eq!(back.iter().map(Vec::as_slice).collect::<Vec<_>>(), parts);
    }

    /// Files of earlier builds are read: these are the values of the authors' own list for 64 bits.
    #[test]
    fn the_checksum_is_that_of_files_written_before() {
        let known =
            [("", 0xcbf2_9ce4_8422_2325), ("a", 0xaf63_dc4c_8601_ec8c), ("foobar", 0x8594_4171_f739_67e8)];
        for (text, sum) in known {
            assert_eq!(checksum(text.as_bytes()), sum, "{text}");
        }
    }

    #[test]
    fn damaged_and_foreign_files_are_refused() {
        let file = encode("place", &1u32, &[&[1.0, 2.0]]).expect("a file");
        let refused = |file: &[u8], kind| decode::<u32>(kind, file).expect_err("damaged").to_string();
        assert!(refused(&file, "partition").contains("for 'place', not for 'partition'"));
        assert!(refused(b"{}", "place").contains("not a saved network"));
        for cut in [0, 10, file.len() / 2, file.len() - 1] {
            let _ = refused(&file[..cut], "place");
        }
        for place in 0..file.len() {
            let mut flipped = file.clone();
            flipped[place] ^= 1;
            let _ = refused(&flipped, "place");
        }
    }
}

//! Clusters as options and commands name them: a count, a ready-made kind, a device file.

use std::path::Path;

use super::cluster::{Cluster, Device, MAX_DEVICES};
use super::file::{DEFAULT_KIND, DeviceError, load, ready_made, ready_made_kinds};

impl Cluster {
    /// So many devices of the kind [`DEFAULT_KIND`], with the link of its ready-made file between any two.
    ///
    /// # Errors
    /// A count of zero or above [`MAX_DEVICES`].
    pub fn from_count(count: usize) -> Result<Self, DeviceError> {
        Self::of_kind(&format!("devices={count}"), count, DEFAULT_KIND)
    }

    /// Reads what a `devices=` option says: a count (`4`), a ready-made kind (`v100-16gb`), several of one
    /// (`4xv100-16gb`), or the path of a device file.
    ///
    /// # Errors
    /// A count of zero, a file that is not there, an unknown kind that is no file either, and every mistake in the file.
    pub fn parse(spec: &str) -> Result<Self, DeviceError> {
        if let Some(path) = Self::file_of(spec).filter(|path| path.exists()) {
            return load(path);
        }
        let spec = spec.trim();
        let origin = format!("devices={spec}");
        let count = |digits: &str| {
            digits.parse().map_err(|_| DeviceError {
                origin: origin.clone(),
                place: None,
                message: format!("'{digits}' is not a number of devices: write 1 to {MAX_DEVICES}"),
            })
        };
        if !spec.is_empty() && spec.bytes().all(|b| b.is_ascii_digit()) {
            return Self::from_count(count(spec)?);
        }
        if ready_made(spec).is_some() {
            return Self::of_kind(&origin, 1, spec);
        }
        if let Some((digits, kind)) = spec.split_once('x')
            && !digits.is_empty()
            && digits.bytes().all(|b| b.is_ascii_digit())
            && ready_made(kind).is_some()
        {
            return Self::of_kind(&origin, count(digits)?, kind);
        }
        // A name like that of a file is no misspelt kind.
        if spec.contains('/') || Path::new(spec).extension().is_some_and(|ending| ending == "toml") {
            let message =
                "no such device file: write its path as it is from the folder you are in".to_owned();
            return Err(DeviceError { origin, place: None, message });
        }
        Err(DeviceError {
            message: format!(
                "neither a number of devices, nor a file, nor a ready-made kind ({}), nor several of one \
                 such as 4x{DEFAULT_KIND}",
                ready_made_kinds().join(", ")
            ),
            origin,
            place: None,
        })
    }

    /// The file that a `devices=` option names, where it is neither a count nor a ready-made kind; it need not be there.
    #[must_use]
    pub fn file_of(spec: &str) -> Option<&Path> {
        let spec = spec.trim();
        let is_count = |text: &str| text.bytes().all(|b| b.is_ascii_digit());
        let is_kind = |text: &str| ready_made(text).is_some();
        let several = |(count, kind): (&str, &str)| !count.is_empty() && is_count(count) && is_kind(kind);
        let is_none = is_count(spec) || is_kind(spec) || spec.split_once('x').is_some_and(several);
        (!is_none).then(|| Path::new(spec))
    }

    fn of_kind(origin: &str, count: usize, kind: &str) -> Result<Self, DeviceError> {
        let error = |message| DeviceError { origin: origin.to_owned(), place: None, message };
        if count == 0 || count > MAX_DEVICES {
            return Err(error(format!("{count} devices: write 1 to {MAX_DEVICES}")));
        }
        let mut cluster =
            ready_made(kind).ok_or_else(|| error(format!("there is no ready-made kind '{kind}'")))?;
        let template = cluster.devices.swap_remove(0);
        cluster.devices =
            (0..count).map(|i| Device { name: format!("{kind}-{i}"), ..template.clone() }).collect();
        Ok(cluster)
    }
}

#[cfg(test)]
mod tests {
    use super::{Cluster, Path};

    #[test]
    fn an_option_names_a_file_where_it_is_no_count_and_no_kind() {
        for spec in ["", " ", "4", "99999999999999999999", "v100-16gb", "4xv100-16gb", " 2xcpu "] {
            assert_eq!(Cluster::file_of(spec), None, "{spec}");
        }
        for spec in ["d.toml", "./4", "4x", "xcpu", "4xcpu.toml", "-2"] {
            assert_eq!(Cluster::file_of(spec), Some(Path::new(spec)), "{spec}");
        }
    }

    #[test]
    fn a_file_that_is_not_there_is_not_answered_with_kinds() {
        let refused = |spec: &str| Cluster::parse(spec).unwrap_err().to_string();
        for missing in ["no.toml", "./no.toml", "no/devices", "4xno.toml"] {
            let said = refused(missing);
            assert!(said.starts_with(&format!("devices={missing}: no such device file")), "{said}");
            assert!(!said.contains("v100-16gb"), "{said}");
        }
        assert!(refused("v100").contains("v100-16gb"));
    }
}

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
    /// A count of zero, an unknown kind that is no file either, and every mistake in the file.
    pub fn parse(spec: &str) -> Result<Self, DeviceError> {
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
        if spec.is_empty() || !Path::new(spec).exists() {
            return Err(DeviceError {
                message: format!(
                    "neither a number of devices, nor a file, nor a ready-made kind ({}), nor several of one \
                     such as 4x{DEFAULT_KIND}",
                    ready_made_kinds().join(", ")
                ),
                origin,
                place: None,
            });
        }
        load(Path::new(spec))
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

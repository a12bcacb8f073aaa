//! The few functions of Open MPI that ranks need, looked up in its library when a rank starts: nothing links it.

use std::ffi::{c_int, c_void};
use std::path::Path;

use libloading::Library;
use libloading::os::unix;

use crate::failure::Failure;

type Handle = *mut c_void;

/// A process among its equals, between `MPI_Init` and `MPI_Finalize`.
pub(super) struct World {
    send: unsafe extern "C" fn(*const c_void, c_int, Handle, c_int, c_int, Handle) -> c_int,
    receive: unsafe extern "C" fn(*mut c_void, c_int, Handle, c_int, c_int, Handle, *mut c_void) -> c_int,
    barrier: unsafe extern "C" fn(Handle) -> c_int,
    finalize: unsafe extern "C" fn() -> c_int,
    world: Handle,
    float: Handle,
    /// This process's number.
    pub(super) rank: usize,
    /// How many there are.
    pub(super) ranks: usize,
    _library: Library,
}

/// What a function of MPI returned that is no success.
fn checked(what: &str, code: c_int) -> Result<(), Failure> {
    if code == 0 { Ok(()) } else { Err(Failure::BadInput(format!("{what} failed with code {code}"))) }
}

impl World {
    /// Starts MPI.
    ///
    /// # Errors
    /// A library that cannot be opened, is not Open MPI's, or does not start.
    pub(super) fn start(path: &Path) -> Result<Self, Failure> {
        let failed =
            |error: libloading::Error| Failure::BadInput(format!("{}: no Open MPI: {error}", path.display()));
        // SAFETY: Open MPI's initialisers run as they do in every MPI program; the types are those of its `mpi.h`, where
        // handles are addresses of these objects. The library is kept until the process ends.
        unsafe {
            // Its own plugins look for its symbols among those of the process.
            let library: Library =
                unix::Library::open(Some(path), unix::RTLD_NOW | unix::RTLD_GLOBAL).map_err(failed)?.into();
            let init: unsafe extern "C" fn(*mut c_int, *mut c_void) -> c_int =
                *library.get(b"MPI_Init\0").map_err(failed)?;
            let count: unsafe extern "C" fn(Handle, *mut c_int) -> c_int =
                *library.get(b"MPI_Comm_size\0").map_err(failed)?;
            let number: unsafe extern "C" fn(Handle, *mut c_int) -> c_int =
                *library.get(b"MPI_Comm_rank\0").map_err(failed)?;
            // The handles are the addresses of these objects, not what lies there.
            let world: Handle = library
                .get::<Handle>(b"ompi_mpi_comm_world\0")
                .map_err(failed)?
                .try_as_raw_ptr()
                .unwrap_or(std::ptr::null_mut());
            let float: Handle = library
                .get::<Handle>(b"ompi_mpi_float\0")
                .map_err(failed)?
                .try_as_raw_ptr()
                .unwrap_or(std::ptr::null_mut());
            checked("MPI_Init", init(std::ptr::null_mut(), std::ptr::null_mut()))?;
            let (mut rank, mut ranks) = (0, 0);
            checked("MPI_Comm_rank", number(world, &raw mut rank))?;
            checked("MPI_Comm_size", count(world, &raw mut ranks))?;
            Ok(World {
                send: *library.get(b"MPI_Send\0").map_err(failed)?,
                receive: *library.get(b"MPI_Recv\0").map_err(failed)?,
                barrier: *library.get(b"MPI_Barrier\0").map_err(failed)?,
                finalize: *library.get(b"MPI_Finalize\0").map_err(failed)?,
                world,
                float,
                rank: usize::try_from(rank).unwrap_or(0),
                ranks: usize::try_from(ranks).unwrap_or(0),
                _library: library,
            })
        }
    }

    /// Sends floats; returns when they may be changed.
    ///
    /// # Errors
    /// What MPI says.
    pub(super) fn send(&self, values: &[f32], to: usize) -> Result<(), Failure> {
        // SAFETY: the values live through the call, and there are as many as is said.
        let code = unsafe {
            (self.send)(values.as_ptr().cast(), values.len() as c_int, self.float, to as c_int, 0, self.world)
        };
        checked("MPI_Send", code)
    }

    /// Receives as many floats as there is room for.
    ///
    /// # Errors
    /// What MPI says.
    pub(super) fn receive(&self, values: &mut [f32], from: usize) -> Result<(), Failure> {
        let (room, count) = (values.as_mut_ptr().cast(), values.len() as c_int);
        // SAFETY: the room lives through the call; Open MPI's `MPI_STATUS_IGNORE` is null.
        let code = unsafe {
            (self.receive)(room, count, self.float, from as c_int, 0, self.world, std::ptr::null_mut())
        };
        checked("MPI_Recv", code)
    }

    /// Waits for all others.
    ///
    /// # Errors
    /// What MPI says.
    pub(super) fn meet(&self) -> Result<(), Failure> {
        // SAFETY: between start and end of MPI.
        checked("MPI_Barrier", unsafe { (self.barrier)(self.world) })
    }

    /// Ends MPI.
    ///
    /// # Errors
    /// What MPI says.
    pub(super) fn end(self) -> Result<(), Failure> {
        // SAFETY: nothing is on its way, as ranks end together.
        checked("MPI_Finalize", unsafe { (self.finalize)() })
    }
}

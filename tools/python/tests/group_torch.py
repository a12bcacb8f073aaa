"""Processes of one group, as `torch.multiprocessing.spawn` starts them."""

import contextlib
import os

import torch
import torch.distributed as dist


@contextlib.contextmanager
def member(rank, size, folder):
    """This process as one of a group, to the end of the process.

    It ends without taking the interpreter down. Torch's threads, which outlive the group, now and then want the interpreter's lock meanwhile, and the
    process is aborted with its work done (pytorch/pytorch issue 190489).
    """
    torch.set_num_threads(1)
    dist.init_process_group("gloo", init_method=f"file://{folder}/store", rank=rank, world_size=size)
    yield
    dist.barrier()
    dist.destroy_process_group()
    os._exit(0)

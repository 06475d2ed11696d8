"""How the C library gives memory to arrays."""

import functools

import numpy as np

_BYTES = 16 * 2**20


@functools.cache
def keep_freed_memory() -> None:
    """Let arrays of up to 16 MB that are freed make room for the next ones, in this process.

    The C library of GNU/Linux returns arrays from 128 KB on to the system, which clears their memory page by page when
    the next is made: half of the time of loops over arrays of that size. It raises its limit to the largest array that
    it has seen freed (``mallopt(3)``, ``M_MMAP_THRESHOLD``), so one is made and freed; it is never written to and costs
    nothing. Elsewhere this does nothing.
    """
    np.empty(_BYTES, dtype=np.uint8)

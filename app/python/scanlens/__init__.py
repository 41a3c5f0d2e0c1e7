"""Scans, summed-area tables, filters and depth of field on arrays of NumPy, PyTorch, CuPy, and whatever exports DLPack,
without copies, on the device and the stream that the arrays are on.

>>> import numpy as np, scanlens
>>> scanlens.cumsum(np.ones((2, 3), np.uint8), axis=0)
array([[1, 1, 1],
       [2, 2, 2]], dtype=uint64)
"""
from __future__ import annotations

from . import filters
from ._array import Array
from ._core import DeviceError
from ._core import version as __version__
from ._devices import Device, cuda_info, devices, threads, trim, use_allocator
from ._lines import cumargmax, cumargmin, linear_recurrence, segmented_cumsum
from ._pictures import (Lens, autofocus, box_mean, box_sum, depth_from_strokes, depth_of_field, filter, filter_chain,
                        filter_names, filter_parameters, integral, statistics)
from ._scans import (Moments, argmax, argmin, cummax, cummin, cumprod, cumsum, logcumsumexp, max, min, moments, sum)
from ._select import (argsort, compact, flatnonzero, histogram, partition, sort, sort_pairs, spmv, transpose, unique)

__all__ = [
    "Array", "Device", "DeviceError", "Lens", "Moments", "__version__", "argmax", "argmin", "argsort", "autofocus",
    "box_mean", "box_sum", "compact", "cuda_info", "cumargmax", "cumargmin", "cummax", "cummin", "cumprod", "cumsum",
    "depth_from_strokes", "depth_of_field", "devices", "filter", "filter_chain", "filter_names", "filter_parameters",
    "filters", "flatnonzero", "histogram", "integral", "linear_recurrence", "logcumsumexp", "max", "min", "moments",
    "partition", "segmented_cumsum", "sort", "sort_pairs", "spmv", "statistics", "sum", "threads", "transpose",
    "trim", "unique", "use_allocator",
]

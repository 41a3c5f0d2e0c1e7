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
from ._dof import Lens, depth_of_field
from ._order import (argsort, bincount, diff, histogram, percentile, run_lengths, searchsorted, sort, sort_pairs, topk, unique,
                     unique_all, unique_counts, unique_inverse, unique_values)
from ._pictures import (autofocus, box_mean, box_sum, depth_from_strokes, filter, filter_chain, filter_names,
                        filter_parameters, integral, statistics)
from ._reductions import (Moments, argmax, argmin, max, mean, min, moments, prod, reduce_by_key, segment_reduce, std, sum,
                          var)
from ._scans import (cumargmax, cumargmin, cummax, cummin, cumprod, cumsum, cumulative_prod, cumulative_sum,
                     linear_recurrence, logcumsumexp, segmented_cumsum)
from ._select import compact, flatnonzero, partition, spmv, transpose

__all__ = [
    "Array", "Device", "DeviceError", "Lens", "Moments", "__version__", "argmax", "argmin", "argsort", "autofocus",
    "bincount", "box_mean", "box_sum", "compact", "cuda_info", "cumargmax", "cumargmin", "cummax", "cummin", "cumprod",
    "cumsum", "cumulative_prod", "cumulative_sum", "depth_from_strokes", "depth_of_field", "devices", "diff", "filter",
    "filter_chain", "filter_names", "filter_parameters", "filters", "flatnonzero", "histogram", "integral",
    "linear_recurrence", "logcumsumexp", "max", "mean", "min", "moments", "partition", "percentile", "prod",
    "reduce_by_key", "run_lengths", "searchsorted", "segment_reduce", "segmented_cumsum", "sort", "sort_pairs", "spmv",
    "statistics", "std", "sum", "threads", "topk", "transpose", "trim", "unique", "unique_all", "unique_counts",
    "unique_inverse", "unique_values", "use_allocator", "var",
]

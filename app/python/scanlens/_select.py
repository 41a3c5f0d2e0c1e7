"""What chooses and orders elements."""
from __future__ import annotations

from typing import Any, Optional, TypeVar

import numpy as np

from . import _core
from ._dispatch import library_of, on_stream
from ._libraries import Library
from ._scans import _WIDER, _size
from ._scans import max as _greatest
from ._scans import min as _least

A = TypeVar("A")

_MOST = {"uint8": 255, "uint16": 65535, "uint32": 2**32 - 1}


def _flat(x: Any) -> tuple[Library, Any, str]:
    library, x = library_of(x)
    return library, (x if len(x.shape) == 1 else x.reshape(-1)), library.dtype(x)


def _counted(library: Library, out: Any, count: Any, wants_count: bool) -> Any:
    """The elements kept. Their number is read from the device, unless the caller reads it."""
    return (out, count) if wants_count else out[: int(count[0])]


@on_stream
def compact(x: A, mask: Any, /, *, count: bool = False, stream: Any = None) -> Any:
    """The elements whose mask is not 0, in their order: x[mask] of an array of one axis; more are flattened.

    mask: bool or uint8. count=True returns (buffer as long as x, number kept as an array of one element on x's device)
    and waits for nothing; else the number is read. Elements are of 1, 2, 4 or 8 bytes.

    >>> import numpy as np, scanlens
    >>> scanlens.compact(np.array([5, 6, 7]), np.array([True, False, True]))
    array([5, 7])
    """
    library, array, dtype = _flat(x)
    flags = _flat(mask)[1]
    number = library.stream(array)
    out, kept = library.empty(array, array.shape, dtype), library.empty(array, 1, "int64")
    _core.compact(library.give(array, number), library.give(flags, number), library.take(out, number),
                  library.take(kept, number), number)
    return _counted(library, out, kept, count)


@on_stream
def partition(x: A, mask: Any, /, *, stream: Any = None) -> tuple[A, A]:
    """The elements whose mask is not 0, and the others, each in their order.

    >>> import numpy as np, scanlens
    >>> scanlens.partition(np.array([5, 6, 7]), np.array([True, False, True]))
    (array([5, 7]), array([6]))
    """
    library, array, dtype = _flat(x)
    flags = _flat(mask)[1]
    number = library.stream(array)
    kept, rejected = library.empty(array, array.shape, dtype), library.empty(array, array.shape, dtype)
    count = library.empty(array, 1, "int64")
    _core.partition(library.give(array, number), library.give(flags, number), library.take(kept, number),
                    library.take(rejected, number), library.take(count, number), number)
    many = int(count[0])
    return kept[:many], rejected[: _size(array) - many]


@on_stream
def flatnonzero(mask: Any, /, *, stream: Any = None) -> Any:
    """The places of what is not 0, in C order, as int64. mask: bool or uint8.

    >>> import numpy as np, scanlens
    >>> scanlens.flatnonzero(np.array([0, 1, 1], np.uint8))
    array([1, 2])
    """
    library, flags, _ = _flat(mask)
    return compact(library.arange(flags, _size(flags)), flags)


@on_stream
def unique(x: A, /, *, sorted: bool = False, count: bool = False, stream: Any = None) -> Any:
    """The first of each run of equal elements; sorted=True sorts before, as numpy.unique does.

    >>> import numpy as np, scanlens
    >>> scanlens.unique(np.array([1, 1, 2, 1]))
    array([1, 2, 1])
    """
    library, array, dtype = _flat(x)
    if sorted:
        array = sort(array)
    if dtype in ("float16", "bfloat16"):
        raise TypeError(f"unique: {dtype} arrays are not taken")
    number = library.stream(array)
    out, kept = library.empty(array, array.shape, dtype), library.empty(array, 1, "int64")
    _core.unique(library.give(array, number), library.take(out, number), library.take(kept, number), number)
    return _counted(library, out, kept, count)


def _keys(library: Library, x: Any, dtype: str) -> Any:
    if "float" in dtype:
        x = library.nan_is_positive(x)
    return library.convert(x, _WIDER.get(dtype, dtype))


def _one_axis(name: str, x: Any) -> tuple[Library, Any]:
    library, x = library_of(x)
    if len(x.shape) != 1:
        raise ValueError(f"{name}: the array has {len(x.shape)} axes, but has to have one")
    return library, x


@on_stream
def sort(x: A, /, *, descending: bool = False, stream: Any = None) -> A:
    """The elements in order, stable. Arrays have one axis. NaN comes last (first where descending), and -0 before +0.

    Sorted in place of their own type are uint32, int32, uint64, int64, float32 and float64; others are converted and
    back. Always the same.

    >>> import numpy as np, scanlens
    >>> scanlens.sort(np.array([2., np.nan, 1.]))
    array([ 1.,  2., nan])
    """
    library, array = _one_axis("sort", x)
    dtype = library.dtype(array)
    keys = _keys(library, array, dtype)
    number = library.stream(array)
    out = library.empty(keys, keys.shape, library.dtype(keys))
    _core.sort(library.give(keys, number), library.take(out, number), descending, number)
    return library.convert(out, dtype)  # type: ignore[no-any-return]


@on_stream
def sort_pairs(keys: A, values: Any, /, *, descending: bool = False, stream: Any = None) -> tuple[A, Any]:
    """The keys in order, as sort() has them, and the values that go with them (of 4 or 8 bytes).

    >>> import numpy as np, scanlens
    >>> scanlens.sort_pairs(np.array([2, 1]), np.array([20, 10]))
    (array([1, 2]), array([10, 20]))
    """
    library, array = _one_axis("sort_pairs", keys)
    values = _one_axis("sort_pairs", values)[1]
    dtype = library.dtype(array)
    array = _keys(library, array, dtype)
    number = library.stream(array)
    keys_out = library.empty(array, array.shape, library.dtype(array))
    values_out = library.empty(values, values.shape, library.dtype(values))
    _core.sort_pairs(library.give(array, number), library.give(values, number), library.take(keys_out, number),
                     library.take(values_out, number), descending, number)
    return library.convert(keys_out, dtype), values_out


@on_stream
def argsort(x: Any, /, *, descending: bool = False, stream: Any = None) -> Any:
    """The places of the elements in order, stable, as int64.

    >>> import numpy as np, scanlens
    >>> scanlens.argsort(np.array([3., 1., 2.]))
    array([1, 2, 0])
    """
    library, array = _one_axis("argsort", x)
    size = _size(array)
    places = library.arange(array, size, "int32" if size < 2**31 else "int64")  # 4 bytes save half of each pass
    return library.convert(sort_pairs(array, places, descending=descending)[1], "int64")


@on_stream
def histogram(x: Any, /, bins: int = 256, range: Optional[tuple[float, float]] = None, *,
              stream: Any = None) -> tuple[Any, Any]:
    """How many elements fall into each of `bins` equal parts of range, and their edges (NumPy's), as
    numpy.histogram has them.

    x: uint8, uint16, uint32, float32, float64; other types are converted to float64. range: by default the least and
    the greatest, for which the device is waited. Bins of 8 and 16 bits and of float32 are found in float, so that an
    element within a rounding of an edge may fall on its other side. Always the same.

    >>> import numpy as np, scanlens
    >>> scanlens.histogram(np.array([0, 1, 1, 3], np.uint8), 4, (0, 4))[0]
    array([1, 2, 0, 1])
    """
    library, x = library_of(x)
    dtype = library.dtype(x)
    if dtype not in ("uint8", "uint16", "uint32", "float32", "float64"):
        x, dtype = library.convert(x, "float64"), "float64"
    if range is None:
        range = (float(_least(x)), float(_greatest(x))) if _size(x) else (0.0, 1.0)
        if range[0] == range[1]:
            range = (range[0] - 0.5, range[1] + 0.5)
    lower, upper = float(range[0]), float(range[1])
    edges = np.linspace(lower, upper, bins + 1)
    number = library.stream(x)
    counts = library.empty(x, bins, "int64")
    _core.histogram(library.give(x, number), library.take(counts, number), lower, upper, number)
    # The core's ranges are open at their end; NumPy's last bin holds what lies there, too.
    if upper <= _MOST.get(dtype, np.inf):
        counts[-1:] += library.count_equal(x, upper)
    return counts, edges


@on_stream
def transpose(x: A, /, *, out: Optional[A] = None, stream: Any = None) -> A:
    """A dense copy of an array of two axes with the axes exchanged. Rows with a gap between them are taken as they are.

    >>> import numpy as np, scanlens
    >>> scanlens.transpose(np.array([[1, 2], [3, 4]]))
    array([[1, 3],
           [2, 4]])
    """
    library, array = library_of(x)
    if len(array.shape) != 2:
        raise ValueError(f"transpose: the array has {len(array.shape)} axes, but has to have two")
    number = library.stream(array)
    result = out if out is not None else library.empty(array, (array.shape[1], array.shape[0]), library.dtype(array))
    _core.transpose(library.give(array, number), library.take(result, number), number)
    return result


@on_stream
def spmv(data: A, indices: Any, indptr: Any, x: A, /, *, out: Optional[A] = None, stream: Any = None) -> A:
    """A sparse matrix times a vector: scipy's CSR arrays. data and x: float32 or float64; indices and indptr: int32 or
    uint32. The same bits on every run. On the CPU the matrix is checked; on CUDA it is trusted.

    >>> import numpy as np, scanlens
    >>> scanlens.spmv(np.array([2., 3.]), np.array([1, 0], np.int32), np.array([0, 1, 2], np.int32), np.array([1., 10.]))
    array([20.,  3.])
    """
    library, values = library_of(data)
    number = library.stream(values)
    rows = _size(library_of(indptr)[1]) - 1
    result = out if out is not None else library.empty(values, rows, library.dtype(values))
    _core.spmv(library.give(values, number), library.give(library_of(indices)[1], number),
               library.give(library_of(indptr)[1], number), library.give(library_of(x)[1], number),
               library.take(result, number), number)
    return result

"""What chooses elements, and moves them."""
from __future__ import annotations

from typing import Any, Tuple

from . import _core
from ._dispatch import along, checked_out, library_of, named, size_of
from ._libraries import Library
from ._types import A, same


def counter_of(library: Library, x: Any, always: bool = False) -> Any:
    """The array that a call counts in; None on the host, where it returns the number."""
    return library.empty(x, 1, "int64") if always or not library.on_host(x) else None


def chosen(library: Library, x: Any, flags: Any, wants_count: bool = False) -> Any:
    """The elements of an array of one axis whose flags are not 0. Their number is read from the device, unless the caller
    reads it."""
    if library.dtype(flags) not in ("bool", "uint8"):
        raise TypeError(f"the mask is {library.dtype(flags)}; give bool or uint8")
    number, out = library.stream(x), library.empty(x, x.shape, library.dtype(x))
    count = counter_of(library, x, wants_count)
    kept = _core.compact(library.give(x, number), library.give(flags, number), library.take(out, number),
                         None if count is None else library.take(count, number), number)
    if wants_count:
        return out, count
    return out[: kept if count is None else int(count[0])]


def places_of(library: Library, flags: Any) -> Any:
    """The places of the flags that are not 0, as int64."""
    if library.on_host(flags) and library.dtype(flags) in ("bool", "uint8"):
        out = library.empty(flags, flags.shape, "int64")
        return out[: _core.places(library.give(flags, 0), library.take(out, 0))]
    return chosen(library, library.arange(flags, size_of(flags)), flags)


def _flat(x: Any) -> Tuple[Library, Any]:
    library, x = library_of(x)
    return library, along(x, None)[0]


@named
def compact(x: A, mask: Any, /, *, count: bool = False, stream: Any = None) -> Any:
    """The elements whose mask is not 0, in their order: x[mask] of an array of one axis; more are flattened.

    mask: bool or uint8. count=True returns (buffer as long as x, number kept as an array of one element on x's device)
    and waits for nothing; else the number is read. Elements are of 1, 2, 4 or 8 bytes.

    >>> import numpy as np, scanlens
    >>> scanlens.compact(np.array([5, 6, 7]), np.array([True, False, True]))
    array([5, 7])
    """
    library, array = _flat(x)
    return chosen(library, array, _flat(mask)[1], count)


@named
def partition(x: A, mask: Any, /, *, stream: Any = None) -> Tuple[A, A]:
    """The elements whose mask is not 0, and the others, each in their order.

    >>> import numpy as np, scanlens
    >>> scanlens.partition(np.array([5, 6, 7]), np.array([True, False, True]))
    (array([5, 7]), array([6]))
    """
    library, array = _flat(x)
    flags, dtype = _flat(mask)[1], library.dtype(array)
    number = library.stream(array)
    kept, rejected = library.empty(array, array.shape, dtype), library.empty(array, array.shape, dtype)
    count = counter_of(library, array)
    many = _core.partition(library.give(array, number), library.give(flags, number), library.take(kept, number),
                           library.take(rejected, number), None if count is None else library.take(count, number), number)
    if count is not None:
        many = int(count[0])
    return kept[:many], rejected[: size_of(array) - many]


@named
def flatnonzero(mask: Any, /, *, stream: Any = None) -> Any:
    """The places of what is not 0, in C order, as int64. mask: bool or uint8.

    >>> import numpy as np, scanlens
    >>> scanlens.flatnonzero(np.array([0, 1, 1], np.uint8))
    array([1, 2])
    """
    return places_of(*_flat(mask))


@same
def transpose(x: Any, /, *, out: Any = None, stream: Any = None) -> Any:
    """A dense copy of an array of two axes with the axes exchanged. Rows with a gap between them are taken as they are.

    >>> import numpy as np, scanlens
    >>> scanlens.transpose(np.array([[1, 2], [3, 4]]))
    array([[1, 3],
           [2, 4]])
    """
    library, array = library_of(x)
    if len(array.shape) != 2:
        raise ValueError(f"the array has {len(array.shape)} axes; give one of two")
    number = library.stream(array)
    result = library.empty(array, (array.shape[1], array.shape[0]), library.dtype(array)) if out is None else checked_out(out)
    _core.transpose(library.give(array, number), library.take(result, number), number)
    return result


@same
def spmv(data: Any, indices: Any, indptr: Any, x: Any, /, *, out: Any = None, stream: Any = None) -> Any:
    """A sparse matrix times a vector: scipy's CSR arrays. data and x: float32 or float64; indices and indptr: int32 or
    uint32. The same bits on every run. On the CPU the matrix is checked; on CUDA it is trusted.

    >>> import numpy as np, scanlens
    >>> scanlens.spmv(np.array([2., 3.]), np.array([1, 0], np.int32), np.array([0, 1, 2], np.int32), np.array([1., 10.]))
    array([20.,  3.])
    """
    library, values = library_of(data)
    number = library.stream(values)
    rows = size_of(library_of(indptr)[1]) - 1
    result = library.empty(values, rows, library.dtype(values)) if out is None else checked_out(out)
    _core.spmv(library.give(values, number), library.give(library_of(indices)[1], number),
               library.give(library_of(indptr)[1], number), library.give(library_of(x)[1], number),
               library.take(result, number), number)
    return result

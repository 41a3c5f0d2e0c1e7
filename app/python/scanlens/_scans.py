"""The cumulative family."""
from __future__ import annotations

import functools
from typing import Any, Literal, Optional, Tuple

import numpy as np

from . import _core
from ._dispatch import WIDER, along, axis_of, checked_out, dtype_name, library_of, named, number_as
from ._libraries import Library
from ._types import A, same, sums

SUM, PRODUCT, LEAST, GREATEST, LOG_SUM = range(5)
HEADS, KEYS, OFFSETS = range(3)


def bits_of(dtype: str) -> str:
    return "uint8" if dtype == "bool" else dtype


def _extreme(dtype: str, greatest: bool) -> int:
    if dtype == "bool":
        return int(greatest)
    facts = np.iinfo(dtype)
    return int(facts.max if greatest else facts.min)


@functools.lru_cache(maxsize=None)
def result_type(library: Library, kind: int, dtype: str) -> str:
    """The type of sums, products and extremes of elements of a type, as NumPy or torch has it."""
    if kind in (LEAST, GREATEST) or "float" in dtype:
        return dtype
    return library.unsigned_sum if dtype.startswith("uint") else "int64"


@functools.lru_cache(maxsize=None)
def _made_of(kind: int, from_type: str, to_type: str) -> Optional[str]:
    """The type that a scan into to_type is made of; None where it is to_type, and the elements are read as they are."""
    if (kind, bits_of(from_type), to_type) in _core.scans:
        return None
    return to_type if (kind, to_type, to_type) in _core.scans else WIDER[to_type]


def cumulate(kind: int, x: Any, axis: Optional[int], dtype: Any = None, out: Any = None, exclusive: bool = False,
             reverse: bool = False, initial: Any = None) -> Any:
    library, x = library_of(x)
    x, axis = along(x, axis)
    from_type = library.dtype(x)
    if out is not None:
        checked_out(out)
    if dtype is None:
        to_type = result_type(library, kind, from_type) if out is None else library.dtype(out)
    else:
        to_type = dtype_name(dtype)
    if out is not None and (tuple(out.shape) != tuple(x.shape) or library.dtype(out) != to_type):
        raise ValueError(f"out is {library.dtype(out)} {tuple(out.shape)}; give {to_type} {tuple(x.shape)}")
    if initial is not None:
        initial = number_as("initial", initial, to_type)
    converted = _made_of(kind, from_type, to_type)
    made_of = converted or to_type
    if converted is not None:
        x = library.convert(x, made_of)
        if initial is None and kind in (LEAST, GREATEST) and made_of == "int32":
            initial = _extreme(to_type, kind == LEAST)  # of the narrow type, not of the one on the way
    exclusive, reverse, number = bool(exclusive), bool(reverse), library.stream(x)
    if out is not None and made_of == to_type:
        try:
            _core.scan(kind, library.give(x, number), library.take(out, number), axis, exclusive, reverse, initial, number)
            return out
        except BufferError:  # out is not dense
            pass
    result = library.like(x, made_of)
    _core.scan(kind, library.give(x, number), library.take(result, number), axis, exclusive, reverse, initial, number)
    if made_of != to_type:
        result = library.convert(result, to_type)
    if out is None:
        return result
    library.assign(out, result)
    return out


@sums
def cumsum(x: Any, /, axis: Optional[int] = None, *, dtype: Any = None, out: Any = None, exclusive: bool = False,
           reverse: bool = False, initial: Any = None, stream: Any = None) -> Any:
    """Sums of the elements up to each one along an axis.

    x: bool, integers, float16, bfloat16, float32, float64; any shape and strides, of NumPy, torch, CuPy or whatever
    exports DLPack. Without an axis it is flattened. dtype: by default int64 of signed integers and bool, uint64 (torch:
    int64) of unsigned ones, and floats stay. exclusive: sums end before the element. reverse: from the last to the
    first. initial: stands before the first element. out: of x's shape; it may be x.

    Copies: a strided x is packed first, and so is x where dtype asks for a sum that is not made directly. Arrays that
    are dense in any order of their axes are taken as they are. Floats have the same bits on every run; on the CPU with as many
    threads, and with an out at the same place modulo 64 bytes.

    >>> import numpy as np, scanlens
    >>> scanlens.cumsum(np.array([1, 2, 3]), exclusive=True)
    array([0, 1, 3])
    """
    return cumulate(SUM, x, axis, dtype, out, exclusive, reverse, initial)


@sums
def cumprod(x: Any, /, axis: Optional[int] = None, *, dtype: Any = None, out: Any = None, exclusive: bool = False,
            reverse: bool = False, initial: Any = None, stream: Any = None) -> Any:
    """Products of the elements up to each one along an axis; all else as in cumsum. Integers below 64 bits are
    converted first.

    >>> import numpy as np, scanlens
    >>> scanlens.cumprod(np.array([[1., 2.], [3., 4.]]), axis=0)
    array([[1., 2.],
           [3., 8.]])
    """
    return cumulate(PRODUCT, x, axis, dtype, out, exclusive, reverse, initial)


@same
def cummin(x: Any, /, axis: Optional[int] = None, *, out: Any = None, exclusive: bool = False, reverse: bool = False,
           initial: Any = None, stream: Any = None) -> Any:
    """The least element up to each one along an axis; all else as in cumsum. The type stays; 8 and 16 bits are
    converted on the way. NaN stays from where it stands. The first exclusive minimum is initial, or else the greatest
    value of the type.

    >>> import numpy as np, scanlens
    >>> scanlens.cummin(np.array([3, 1, 2], np.int32))
    array([3, 1, 1], dtype=int32)
    """
    return cumulate(LEAST, x, axis, None, out, exclusive, reverse, initial)


@same
def cummax(x: Any, /, axis: Optional[int] = None, *, out: Any = None, exclusive: bool = False, reverse: bool = False,
           initial: Any = None, stream: Any = None) -> Any:
    """The greatest element up to each one along an axis, as in cummin.

    >>> import numpy as np, scanlens
    >>> scanlens.cummax(np.array([1., 3., 2.]), reverse=True)
    array([3., 3., 2.])
    """
    return cumulate(GREATEST, x, axis, None, out, exclusive, reverse, initial)


@same
def logcumsumexp(x: Any, /, axis: Optional[int] = None, *, out: Any = None, exclusive: bool = False,
                 reverse: bool = False, initial: Any = None, stream: Any = None) -> Any:
    """Logarithms of the sums of exponentials up to each element along an axis, without overflow; all else as in cumsum.
    x: float16, bfloat16, float32, float64. -infinity adds nothing, infinity and NaN stay.

    >>> import numpy as np, scanlens
    >>> scanlens.logcumsumexp(np.array([1000., 1000., -np.inf])).round(3)
    array([1000.   , 1000.693, 1000.693])
    """
    library, array = library_of(x)
    found = library.dtype(array)
    if "float" not in found:
        raise TypeError(f"{found} arrays are not taken; convert it to a float type")
    return cumulate(LOG_SUM, array, axis, None, out, exclusive, reverse, initial)


def _with_initial(kind: int, x: Any, axis: Optional[int], dtype: Any, include_initial: bool) -> Any:
    library, array = library_of(x)
    if axis is None and len(array.shape) != 1:
        raise ValueError(f"axis is missing; give one, since the array has {len(array.shape)} axes")
    found = cumulate(kind, array, axis, dtype)
    if not include_initial:
        return found
    before = (slice(None),) * (0 if axis is None else axis_of(axis, len(found.shape)))
    shape = list(found.shape)
    shape[len(before)] += 1
    result = library.empty(found, tuple(shape), library.dtype(found))
    result[(*before, slice(0, 1))] = int(kind == PRODUCT)
    result[(*before, slice(1, None))] = found
    return result


@named
def cumulative_sum(x: Any, /, *, axis: Optional[int] = None, dtype: Any = None, include_initial: bool = False, stream: Any = None) -> Any:
    """cumsum as the array API has it. include_initial: begins with 0, so that the axis is longer by one.

    >>> import numpy as np, scanlens
    >>> scanlens.cumulative_sum(np.array([1, 2, 3]), include_initial=True)
    array([0, 1, 3, 6])
    """
    return _with_initial(SUM, x, axis, dtype, include_initial)


@named
def cumulative_prod(x: Any, /, *, axis: Optional[int] = None, dtype: Any = None, include_initial: bool = False, stream: Any = None) -> Any:
    """cumprod as the array API has it. include_initial: begins with 1.

    >>> import numpy as np, scanlens
    >>> scanlens.cumulative_prod(np.array([2, 3]), include_initial=True)
    array([1, 2, 6])
    """
    return _with_initial(PRODUCT, x, axis, dtype, include_initial)


def cumulative_place(greatest: bool, x: Any, axis: Optional[int], ties: str = "first", reverse: bool = False) -> Tuple[Any, Any]:
    if ties not in ("last", "first"):
        raise ValueError(f"ties is {ties!r}; give 'last' or 'first'")
    library, x = library_of(x)
    x, axis = along(x, axis)
    dtype = library.dtype(x)
    made_of = dtype if "float" in dtype else WIDER.get(dtype, dtype)
    if made_of != dtype:
        x = library.convert(x, made_of)
    number = library.stream(x)
    values, indices = library.like(x, made_of), library.like(x, "int64")
    _core.arg_scan(greatest, ties == "first", library.give(x, number), library.take(values, number),
                   library.take(indices, number), axis, bool(reverse), number)
    return (values if made_of == dtype else library.convert(values, dtype)), indices


@named
def cumargmax(x: A, /, axis: Optional[int] = None, *, ties: Literal["last", "first"] = "last",
              reverse: bool = False, stream: Any = None) -> Tuple[A, A]:
    """The greatest element up to each one along an axis, and the index along it where that stands, as int64.

    x: any type, shape and strides, as in cumsum. ties: "last" as in torch.cummax, or "first" as in numpy.argmax; with
    reverse the scan begins at the last element, and ties count in its order. NaN counts as greatest, and stays.
    Always the same results. Strided arrays are packed first; 8 and 16 bit integers are converted on the way.

    >>> import numpy as np, scanlens
    >>> scanlens.cumargmax(np.array([1., 3., 3., 2.]))
    (array([1., 3., 3., 3.]), array([0, 1, 2, 2]))
    """
    return cumulative_place(True, x, axis, ties, reverse)


@named
def cumargmin(x: A, /, axis: Optional[int] = None, *, ties: Literal["last", "first"] = "last",
              reverse: bool = False, stream: Any = None) -> Tuple[A, A]:
    """The same for the least element; NaN counts as least.

    >>> import numpy as np, scanlens
    >>> scanlens.cumargmin(np.array([2, 1, 1]), ties="first")
    (array([2, 1, 1]), array([0, 1, 1]))
    """
    return cumulative_place(False, x, axis, ties, reverse)


@same
def linear_recurrence(a: Any, b: Any, /, axis: int = -1, *, initial: Any = None, reverse: bool = False,
                      out: Any = None, stream: Any = None) -> Any:
    """h[i] = a[i] * h[i - 1] + b[i] along an axis, with initial, or 0, before the first: decaying sums, recursive
    filters, the states of state-space models.

    a, b: of one shape and type: float16, bfloat16, float32, float64; any strides. reverse: h[i] = a[i] * h[i + 1] +
    b[i], from the last. out: of the same shape; it may be a or b. Products of neighbours in a are made on the way, and
    have to stay finite. The same bits on every run.

    >>> import numpy as np, scanlens
    >>> scanlens.linear_recurrence(np.full(4, 0.5), np.ones(4))
    array([1.   , 1.5  , 1.75 , 1.875])
    """
    library, factors = library_of(a)
    terms = library_of(b)[1]
    dtype = library.dtype(terms)
    if (tuple(factors.shape), library.dtype(factors)) != (tuple(terms.shape), dtype):
        kind = TypeError if tuple(factors.shape) == tuple(terms.shape) else ValueError
        raise kind(f"a is {library.dtype(factors)} {tuple(factors.shape)} and b {dtype} {tuple(terms.shape)}; give both alike")
    axis = axis_of(axis, len(terms.shape))
    if initial is not None:
        initial = number_as("initial", initial, "float64")
    number = library.stream(terms)
    result = library.like(terms, dtype) if out is None else checked_out(out)
    _core.linear_recurrence(library.give(factors, number), library.give(terms, number), library.take(result, number),
                            axis, bool(reverse), initial, number)
    return result


def marks_of(library: Library, array: Any, heads: Any, keys: Any, offsets: Any) -> Tuple[Any, int]:
    """What says where segments begin, and its kind."""
    given = [(kind, marks) for kind, marks in enumerate((heads, keys, offsets)) if marks is not None]
    if len(given) != 1:
        raise ValueError(f"{len(given)} of heads, keys and offsets are given; give one of them")
    kind, marks = given[0]
    if kind == OFFSETS:
        marks = library.index(array, marks)
    else:
        marks = library_of(marks)[1]
    if kind == KEYS:
        dtype = library.dtype(marks)
        if "float" in dtype:
            raise TypeError(f"keys are {dtype}; give integers")
        marks = library.convert(marks, WIDER.get(dtype, dtype))
    return marks, kind


@same
def segmented_cumsum(x: Any, /, heads: Any = None, *, keys: Any = None, offsets: Any = None, exclusive: bool = False,
                     out: Any = None, stream: Any = None) -> Any:
    """Sums of an array of one axis that begin afresh at every segment, given in one of three ways.

    x: uint32, int32, uint64, int64, float32, float64, which stay. heads: bool or uint8, as many; a segment begins where
    they are not 0, and at the first element. keys: integers, as many; a segment is a run of equal ones. offsets: where
    segments begin, from 0 to the length, as CSR's indptr; segments may be empty. On the CPU offsets are checked; on CUDA
    bad ones make sums without meaning. Strided arrays are packed first; out is contiguous, and may be x.

    >>> import numpy as np, scanlens
    >>> scanlens.segmented_cumsum(np.array([1, 2, 3, 4]), np.array([1, 0, 1, 0], bool))
    array([1, 3, 3, 7])
    >>> scanlens.segmented_cumsum(np.array([1, 2, 3, 4]), offsets=[0, 3, 3, 4])
    array([1, 3, 6, 4])
    """
    library, array = library_of(x)
    marks, kind = marks_of(library, array, heads, keys, offsets)
    number = library.stream(array)
    result = library.empty(array, array.shape, library.dtype(array)) if out is None else checked_out(out)
    _core.segmented_sum(library.give(array, number), library.give(marks, number), kind, library.take(result, number),
                        bool(exclusive), number)
    return result

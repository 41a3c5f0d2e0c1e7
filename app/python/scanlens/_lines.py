"""Extremes with their places, linear recurrences, and sums of segments."""
from __future__ import annotations

from typing import Any, Optional, Tuple, TypeVar

from . import _core
from ._dispatch import along, axis_of, library_of, on_stream
from ._scans import _WIDER

A = TypeVar("A")

_HEADS, _KEYS, _OFFSETS = range(3)


def _cumulative_place(greatest: bool, x: Any, axis: Optional[int], ties: str, reverse: bool) -> Tuple[Any, Any]:
    if ties not in ("last", "first"):
        raise ValueError(f"ties is {ties!r}; take 'last' or 'first'")
    library, x = library_of(x)
    x, axis = along(x, axis)
    dtype = library.dtype(x)
    made_of = dtype if "float" in dtype else _WIDER.get(dtype, dtype)
    if made_of != dtype:
        x = library.convert(x, made_of)
    number = library.stream(x)
    values, indices = library.like(x, made_of), library.like(x, "int64")
    _core.arg_scan(greatest, ties == "first", library.give(x, number), library.take(values, number),
                   library.take(indices, number), axis, reverse, number)
    return (values if made_of == dtype else library.convert(values, dtype)), indices


@on_stream
def cumargmax(x: A, /, axis: Optional[int] = None, *, ties: str = "last", reverse: bool = False,
              stream: Any = None) -> Tuple[A, A]:
    """The greatest element up to each one along an axis, and the index along it where that stands, as int64.

    x: any type, shape and strides, as in cumsum. ties: "last" as in torch.cummax, or "first" as in numpy.argmax; with
    reverse the scan begins at the last element, and ties count in its order. NaN counts as greatest, and stays.
    Always the same results. Strided arrays are packed first; 8 and 16 bit integers are converted on the way.

    >>> import numpy as np, scanlens
    >>> scanlens.cumargmax(np.array([1., 3., 3., 2.]))
    (array([1., 3., 3., 3.]), array([0, 1, 2, 2]))
    """
    return _cumulative_place(True, x, axis, ties, reverse)


@on_stream
def cumargmin(x: A, /, axis: Optional[int] = None, *, ties: str = "last", reverse: bool = False,
              stream: Any = None) -> Tuple[A, A]:
    """The same for the least element; NaN counts as least.

    >>> import numpy as np, scanlens
    >>> scanlens.cumargmin(np.array([2, 1, 1]), ties="first")
    (array([2, 1, 1]), array([0, 1, 1]))
    """
    return _cumulative_place(False, x, axis, ties, reverse)


@on_stream
def linear_recurrence(a: A, b: A, /, axis: int = -1, *, initial: Any = None, reverse: bool = False,
                      out: Optional[A] = None, stream: Any = None) -> A:
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
    if tuple(factors.shape) != tuple(terms.shape):
        raise ValueError(f"linear_recurrence: a is {tuple(factors.shape)}, but b is {tuple(terms.shape)}")
    dtype = library.dtype(terms)
    if library.dtype(factors) != dtype:
        raise TypeError(f"linear_recurrence: a is {library.dtype(factors)}, but b is {dtype}")
    axis = axis_of(axis, len(terms.shape))
    number = library.stream(terms)
    result: A = out if out is not None else library.like(terms, dtype)
    _core.linear_recurrence(library.give(factors, number), library.give(terms, number), library.take(result, number),
                            axis, reverse, initial, number)
    return result


@on_stream
def segmented_cumsum(x: A, /, heads: Any = None, *, keys: Any = None, offsets: Any = None, exclusive: bool = False,
                     out: Optional[A] = None, stream: Any = None) -> A:
    """Sums of an array of one axis that begin afresh at every segment, given in one of three ways.

    x: uint32, int32, uint64, int64, float32, float64, which stay. heads: bool or uint8, as many; a segment begins where
    they are not 0, and at the first element. keys: integers, as many; a segment is a run of equal ones. offsets: where
    segments begin, from 0 to the length, as CSR's indptr; segments may be empty. Strided arrays are packed first; out is
    contiguous, and may be x.

    >>> import numpy as np, scanlens
    >>> scanlens.segmented_cumsum(np.array([1, 2, 3, 4]), np.array([1, 0, 1, 0], bool))
    array([1, 3, 3, 7])
    >>> scanlens.segmented_cumsum(np.array([1, 2, 3, 4]), offsets=[0, 3, 3, 4])
    array([1, 3, 6, 4])
    """
    given = [(kind, marks) for kind, marks in enumerate((heads, keys, offsets)) if marks is not None]
    if len(given) != 1:
        raise ValueError("segmented_cumsum: give one of heads, keys and offsets")
    kind, marks = given[0]
    library, array = library_of(x)
    if kind == _OFFSETS:
        marks = library.index(array, marks)
    else:
        marks = library_of(marks)[1]
    if kind == _KEYS:
        dtype = library.dtype(marks)
        if "float" in dtype:
            raise TypeError(f"segmented_cumsum: keys are {dtype}; take integers")
        marks = library.convert(marks, _WIDER.get(dtype, dtype))
    number = library.stream(array)
    result: A = out if out is not None else library.empty(array, array.shape, library.dtype(array))
    _core.segmented_sum(library.give(array, number), library.give(marks, number), kind, library.take(result, number),
                        exclusive, number)
    return result

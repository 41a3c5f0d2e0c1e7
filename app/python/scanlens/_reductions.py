"""Reductions: of whole arrays, along an axis, of segments."""
from __future__ import annotations

import functools
import math
from dataclasses import dataclass
from typing import Any, Literal, Optional, Tuple

from . import _core
from ._dispatch import WIDER, axis_of, dtype_name, library_of, named, number_as, size_of
from ._libraries import Library
from ._scans import GREATEST, LEAST, PRODUCT, SUM, bits_of, cumulate, cumulative_place, marks_of, result_type
from ._types import A

_OPERATORS = {"sum": SUM, "min": LEAST, "max": GREATEST}


@functools.lru_cache(maxsize=None)
def _types(on_host: bool, kind: int, from_type: str, to_type: str) -> Tuple[str, str]:
    """The type that elements are converted to, and that of the result: it may still have to be converted."""
    held = _core.axis_reductions if on_host else _core.reductions
    if (kind, bits_of(from_type), bits_of(to_type)) in held:
        return from_type, to_type
    made_of = to_type if (kind, to_type, to_type) in held else WIDER[to_type]
    return made_of, made_of


def _shape(x: Any, axis: Optional[int]) -> Tuple[int, ...]:
    """The shape without the axis; of a single value where it is None."""
    return () if axis is None else (*x.shape[:axis], *x.shape[axis + 1 :])


def _last(found: Any, axis: int) -> Any:
    """What a scan along an axis ends with."""
    return found[(slice(None),) * axis + (-1,)]


def _kept(library: Library, x: Any, axis: Optional[int], keepdims: bool, found: Any) -> Any:
    """The result of a reduction, with an axis of length 1 in place of each that it took, where keepdims asks for it."""
    if keepdims:
        return found.reshape([1 if axis is None or k == axis else n for k, n in enumerate(x.shape)])
    return library.result(found) if len(found.shape) == 0 else found


def _reduce(kind: int, x: Any, axis: Optional[int], dtype: Any, keepdims: bool) -> Any:
    library, x = library_of(x)
    if axis is not None:
        axis = axis_of(axis, len(x.shape))
    length = size_of(x) if axis is None else x.shape[axis]
    if length == 0 and kind in (LEAST, GREATEST):
        raise ValueError("the array is empty; give one with an element at least")
    from_type, on_host = library.dtype(x), library.on_host(x)
    to_type = result_type(library, kind, from_type) if dtype is None else dtype_name(dtype)
    taken, made_of = _types(on_host, kind, from_type, to_type)
    values = x if taken == from_type else library.convert(x, taken)
    number = library.stream(values)
    if on_host or axis is None:
        found = library.empty(values, _shape(x, axis), made_of)
        if on_host:
            _core.axis_reduction(kind, library.give(values, 0), library.take(found, 0), -1 if axis is None else axis)
        else:
            _core.reduction(kind, library.give(values, number), library.take(found, number), number)
        if made_of != to_type:
            found = library.convert(found, to_type)
    elif length == 0:
        found = library.empty(x, _shape(x, axis), to_type)
        found[...] = int(kind == PRODUCT)
    else:
        found = library.convert(_last(cumulate(kind, x, axis, dtype), axis) + 0, to_type)
    return _kept(library, x, axis, keepdims, found)


@named
def sum(x: Any, /, axis: Optional[int] = None, *, dtype: Any = None, keepdims: bool = False, stream: Any = None) -> Any:
    """The sum of all elements, or of those along an axis; types as in cumsum. keepdims: axes stay, with length 1. The
    same bits on every run. On x's device, without waiting.

    >>> import numpy as np, scanlens
    >>> int(scanlens.sum(np.ones((3, 4), np.uint8)))
    12
    >>> scanlens.sum(np.ones((3, 4)), axis=1)
    array([4., 4., 4.])
    """
    return _reduce(SUM, x, axis, dtype, keepdims)


@named
def prod(x: Any, /, axis: Optional[int] = None, *, dtype: Any = None, keepdims: bool = False, stream: Any = None) -> Any:
    """The product; all else as in sum.

    >>> import numpy as np, scanlens
    >>> int(scanlens.prod(np.array([2, 3, 4])))
    24
    """
    return _reduce(PRODUCT, x, axis, dtype, keepdims)


@named
def min(x: Any, /, axis: Optional[int] = None, *, keepdims: bool = False, stream: Any = None) -> Any:
    """The least element; NaN where there is one. axis and keepdims as in sum.

    >>> import numpy as np, scanlens
    >>> float(scanlens.min(np.array([2., 1.])))
    1.0
    """
    return _reduce(LEAST, x, axis, None, keepdims)


@named
def max(x: Any, /, axis: Optional[int] = None, *, keepdims: bool = False, stream: Any = None) -> Any:
    """The greatest element; NaN where there is one. axis and keepdims as in sum.

    >>> import numpy as np, scanlens
    >>> float(scanlens.max(np.array([2., 1.])))
    2.0
    """
    return _reduce(GREATEST, x, axis, None, keepdims)


def _located(greatest: bool, x: Any, axis: Optional[int], keepdims: bool) -> Any:
    library, x = library_of(x)
    if axis is not None:
        axis = axis_of(axis, len(x.shape))
    if (size_of(x) if axis is None else x.shape[axis]) == 0:
        raise ValueError("the array is empty; give one with an element at least")
    dtype = library.dtype(x)
    if library.on_host(x):
        values = library.convert(x, WIDER[dtype]) if dtype in ("float16", "bfloat16") else x
        found = library.empty(x, _shape(x, axis), "int64")
        _core.axis_places(greatest, library.give(values, 0), library.take(found, 0), -1 if axis is None else axis)
    elif axis is not None:
        found = _last(cumulative_place(greatest, x, axis)[1], axis) + 0
    else:
        values = library.convert(x, WIDER.get(dtype, dtype))
        number = library.stream(values)
        located = library.empty(values, 16, "uint8")
        _core.locate(greatest, library.give(values, number), library.take(located, number), number)
        found = library.view(located, "int64")[1]
    return _kept(library, x, axis, keepdims, found)


@named
def argmin(x: Any, /, axis: Optional[int] = None, *, keepdims: bool = False, stream: Any = None) -> Any:
    """The first place of the least element, in C order or along an axis. NaN counts as least.

    >>> import numpy as np, scanlens
    >>> int(scanlens.argmin(np.array([3., 1., 1.])))
    1
    """
    return _located(False, x, axis, keepdims)


@named
def argmax(x: Any, /, axis: Optional[int] = None, *, keepdims: bool = False, stream: Any = None) -> Any:
    """The first place of the greatest element, in C order or along an axis. NaN counts as greatest.

    >>> import numpy as np, scanlens
    >>> int(scanlens.argmax(np.array([3., 1., 3.])))
    0
    """
    return _located(True, x, axis, keepdims)


def _mean(total: Any, divisor: float) -> Any:
    return total / divisor if divisor > 0 else total * math.nan


def _averaged(x: Any, axis: Optional[int], keepdims: bool, correction: Optional[float]) -> Any:
    """The mean, or the variance where there is a correction. Halves are summed as float32."""
    library, x = library_of(x)
    if axis is not None:
        axis = axis_of(axis, len(x.shape))
    dtype = library.dtype(x)
    to_type = dtype if "float" in dtype else "float64"
    values = library.convert(x, WIDER.get(to_type, to_type))
    count = size_of(x) if axis is None else x.shape[axis]
    found = _mean(_reduce(SUM, values, axis, None, True), count)
    if correction is not None and axis is None and library.on_host(values):
        found = found * 0 + _mean(_core.squared_deviations(library.give(values, 0), float(found.reshape(-1)[0])), count - correction)
    elif correction is not None:
        apart = values - found
        found = _mean(_reduce(SUM, apart * apart, axis, None, True), count - correction)
    rest = [] if axis is None else [n for k, n in enumerate(x.shape) if k != axis]
    return _kept(library, x, axis, keepdims, library.convert(found.reshape(rest), to_type))


@named
def mean(x: Any, /, axis: Optional[int] = None, *, keepdims: bool = False, stream: Any = None) -> Any:
    """The mean: float64 of integers, and floats stay. axis and keepdims as in sum.

    >>> import numpy as np, scanlens
    >>> float(scanlens.mean(np.array([1, 2, 6])))
    3.0
    """
    return _averaged(x, axis, keepdims, None)


@named
def var(x: Any, /, axis: Optional[int] = None, *, correction: float = 0, keepdims: bool = False, stream: Any = None) -> Any:
    """The variance, whose divisor is the number of elements less the correction (NumPy's ddof).

    >>> import numpy as np, scanlens
    >>> float(scanlens.var(np.array([1, 2, 6]), correction=1))
    7.0
    """
    return _averaged(x, axis, keepdims, number_as("correction", correction, "float64"))


@named
def std(x: Any, /, axis: Optional[int] = None, *, correction: float = 0, keepdims: bool = False, stream: Any = None) -> Any:
    """The square root of the variance.

    >>> import numpy as np, scanlens
    >>> float(scanlens.std(np.array([1., 3.])))
    1.0
    """
    return _averaged(x, axis, keepdims, number_as("correction", correction, "float64")) ** 0.5


@dataclass(frozen=True)
class Moments:
    """What moments() returns."""

    count: int
    mean: float
    squared_deviations: float
    least: float
    greatest: float

    @property
    def variance(self) -> float:
        """The population's."""
        return self.squared_deviations / self.count if self.count else 0.0


@named
def moments(x: Any, /, *, stream: Any = None) -> Moments:
    """Count, mean, squared deviations, least and greatest in one pass, in double. Waits for the device.

    x: uint8, uint16, uint32, float32, float64; other types are converted to float64. NaN makes mean and deviations NaN;
    least and greatest pass over it.

    >>> import numpy as np, scanlens
    >>> scanlens.moments(np.array([1., 2., 3.])).variance
    0.6666666666666666
    """
    library, x = library_of(x)
    if library.dtype(x) not in ("uint8", "uint16", "uint32", "float32", "float64"):
        x = library.convert(x, "float64")
    number = library.stream(x)
    found = library.empty(x, 40, "uint8")
    _core.moments(library.give(x, number), library.take(found, number), number)
    values = library.view(found, "float64")
    return Moments(int(library.view(found, "int64")[0]), *(float(values[k].item()) for k in range(1, 5)))


def _combined(library: Library, op: str, x: Any) -> Tuple[int, Any, str]:
    """The operator, the elements in a type that segments are combined in, and the type of the results."""
    if op not in _OPERATORS:
        raise ValueError(f"op is {op!r}; give one of {', '.join(_OPERATORS)}")
    kind, dtype = _OPERATORS[op], library.dtype(x)
    to_type = result_type(library, kind, dtype)
    made_of = WIDER.get(to_type, to_type)
    return kind, library.convert(x, made_of), to_type


@named
def segment_reduce(x: A, offsets: Any, /, op: Literal["sum", "min", "max"] = "sum", *, stream: Any = None) -> A:
    """The sum, least or greatest of each segment of an array of one axis. offsets: where segments begin, from 0 to the
    length, as CSR's indptr. A segment may be empty: it sums to 0, and its least is the greatest of the type. Sums have the
    types of sum(); the least of 64-bit integers is not made. On the CPU offsets are checked; on CUDA bad ones make results
    without meaning.

    >>> import numpy as np, scanlens
    >>> scanlens.segment_reduce(np.array([1., 2., 3.]), [0, 2, 3])
    array([3., 3.])
    """
    library, array = library_of(x)
    marks, _ = marks_of(library, array, None, None, offsets)
    kind, values, to_type = _combined(library, op, array)
    number = library.stream(values)
    result = library.empty(values, int(marks.shape[0]) - 1 if marks.shape[0] else 0, library.dtype(values))
    _core.segment_reduction(kind, library.give(values, number), library.give(marks, number),
                            library.take(result, number), number)
    return library.convert(result, to_type)  # type: ignore[no-any-return]


@named
def reduce_by_key(keys: A, x: Any, /, op: Literal["sum", "min", "max"] = "sum", *, stream: Any = None) -> Tuple[A, Any]:
    """The key of each run of equal integers, and the sum, least or greatest of the elements of x that stand beside it.
    Sort first where equal keys are not neighbours.

    >>> import numpy as np, scanlens
    >>> scanlens.reduce_by_key(np.array([7, 7, 9]), np.array([1., 2., 3.]))
    (array([7, 9]), array([3., 3.]))
    """
    library, array = library_of(keys)
    dtype = library.dtype(array)
    marks, _ = marks_of(library, array, None, array, None)
    kind, values, to_type = _combined(library, op, library_of(x)[1])
    number = library.stream(values)
    keys_out, result = (library.empty(values, values.shape, library.dtype(one)) for one in (marks, values))
    count = library.empty(values, 1, "int64")
    _core.reduce_by_key(kind, library.give(marks, number), library.give(values, number), library.take(keys_out, number),
                        library.take(result, number), library.take(count, number), number)
    many = int(count[0])
    return library.convert(keys_out[:many], dtype), library.convert(result[:many], to_type)

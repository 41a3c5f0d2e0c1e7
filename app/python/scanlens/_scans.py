"""The cumulative family and reductions."""
from __future__ import annotations

import functools
from dataclasses import dataclass
from typing import Any, Optional, TypeVar

import numpy as np

from . import _core
from ._dispatch import along, dtype_name, library_of, on_stream
from ._libraries import Library

A = TypeVar("A")

SUM, PRODUCT, LEAST, GREATEST, LOG_SUM = range(5)

# Types that a call converts to if the core lacks theirs, so that no value is lost on the way.
_WIDER = {"bool": "int32", "uint8": "int32", "int8": "int32", "uint16": "int32", "int16": "int32",
          "float16": "float32", "bfloat16": "float32"}


def _bits(dtype: str) -> str:
    return "uint8" if dtype == "bool" else dtype


def _extreme(dtype: str, greatest: bool) -> int:
    if dtype == "bool":
        return int(greatest)
    facts = np.iinfo(dtype)
    return int(facts.max if greatest else facts.min)


def result_type(library: Library, kind: int, dtype: str) -> str:
    """The type of sums, products and extremes of elements of a type, as NumPy or torch has it."""
    if kind in (LEAST, GREATEST) or "float" in dtype:
        return dtype
    return library.unsigned_sum if dtype.startswith("uint") else "int64"


@functools.lru_cache(maxsize=None)
def _made_of(kind: int, from_type: str, to_type: str) -> Optional[str]:
    """The type that a scan into to_type is made of; None where it is to_type, and the elements are read as they are."""
    if (kind, _bits(from_type), to_type) in _core.scans:
        return None
    return to_type if (kind, to_type, to_type) in _core.scans else _WIDER[to_type]


def _cumulate(kind: int, x: Any, axis: Optional[int], dtype: Any, out: Any, exclusive: bool, reverse: bool,
              initial: Any) -> Any:
    library, x = library_of(x)
    x, axis = along(x, axis)
    from_type = library.dtype(x)
    to_type = dtype_name(dtype) or (library.dtype(out) if out is not None else result_type(library, kind, from_type))
    if out is not None and (tuple(out.shape) != tuple(x.shape) or library.dtype(out) != to_type):
        raise ValueError(f"out is {library.dtype(out)} {tuple(out.shape)}, but has to be {to_type} {tuple(x.shape)}")
    converted = _made_of(kind, from_type, to_type)
    made_of = converted or to_type
    if converted is not None:
        x = library.convert(x, made_of)
        if initial is None and kind in (LEAST, GREATEST) and made_of == "int32":
            initial = _extreme(to_type, kind == LEAST)  # of the narrow type, not of the one on the way
    number = library.stream(x)
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


@on_stream
def cumsum(x: A, /, axis: Optional[int] = None, *, dtype: Any = None, out: Optional[A] = None, exclusive: bool = False,
           reverse: bool = False, initial: Any = None, stream: Any = None) -> A:
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
    return _cumulate(SUM, x, axis, dtype, out, exclusive, reverse, initial)  # type: ignore[no-any-return]


@on_stream
def cumprod(x: A, /, axis: Optional[int] = None, *, dtype: Any = None, out: Optional[A] = None, exclusive: bool = False,
            reverse: bool = False, initial: Any = None, stream: Any = None) -> A:
    """Products of the elements up to each one along an axis; all else as in cumsum. Integers below 64 bits are
    converted first.

    >>> import numpy as np, scanlens
    >>> scanlens.cumprod(np.array([[1., 2.], [3., 4.]]), axis=0)
    array([[1., 2.],
           [3., 8.]])
    """
    return _cumulate(PRODUCT, x, axis, dtype, out, exclusive, reverse, initial)  # type: ignore[no-any-return]


@on_stream
def cummin(x: A, /, axis: Optional[int] = None, *, out: Optional[A] = None, exclusive: bool = False,
           reverse: bool = False, initial: Any = None, stream: Any = None) -> A:
    """The least element up to each one along an axis; all else as in cumsum. The type stays; 8 and 16 bits are
    converted on the way. Keep NaN out: it stays only where it comes first. The first exclusive minimum is initial, or
    else the greatest value of the type.

    >>> import numpy as np, scanlens
    >>> scanlens.cummin(np.array([3, 1, 2], np.int32))
    array([3, 1, 1], dtype=int32)
    """
    return _cumulate(LEAST, x, axis, None, out, exclusive, reverse, initial)  # type: ignore[no-any-return]


@on_stream
def cummax(x: A, /, axis: Optional[int] = None, *, out: Optional[A] = None, exclusive: bool = False,
           reverse: bool = False, initial: Any = None, stream: Any = None) -> A:
    """The greatest element up to each one along an axis, as in cummin.

    >>> import numpy as np, scanlens
    >>> scanlens.cummax(np.array([1., 3., 2.]), reverse=True)
    array([3., 3., 2.])
    """
    return _cumulate(GREATEST, x, axis, None, out, exclusive, reverse, initial)  # type: ignore[no-any-return]


@on_stream
def logcumsumexp(x: A, /, axis: Optional[int] = None, *, out: Optional[A] = None, exclusive: bool = False,
                 reverse: bool = False, initial: Any = None, stream: Any = None) -> A:
    """Logarithms of the sums of exponentials up to each element along an axis, without overflow; all else as in cumsum.
    x: float16, bfloat16, float32, float64. -infinity adds nothing, infinity and NaN stay.

    >>> import numpy as np, scanlens
    >>> scanlens.logcumsumexp(np.array([1000., 1000., -np.inf])).round(3)
    array([1000.   , 1000.693, 1000.693])
    """
    library, array = library_of(x)
    found = library.dtype(array)
    if "float" not in found:
        raise TypeError(f"logcumsumexp: {found} is not taken; convert it to a float type")
    return _cumulate(LOG_SUM, array, axis, None, out, exclusive, reverse, initial)  # type: ignore[no-any-return]


def _reduce(kind: int, x: Any, dtype: Any) -> Any:
    library, x = library_of(x)
    from_type = library.dtype(x)
    to_type = dtype_name(dtype) or result_type(library, kind, from_type)
    made_of = to_type
    if (kind, _bits(from_type), to_type) not in _core.reductions:
        if (kind, to_type, to_type) not in _core.reductions:
            made_of = _WIDER[to_type]
        x = library.convert(x, made_of)
    number = library.stream(x)
    result = library.empty(x, (), made_of)
    _core.reduction(kind, library.give(x, number), library.take(result, number), number)
    return library.result(result if made_of == to_type else library.convert(result, to_type))


def _size(x: Any) -> int:
    return int(np.prod(x.shape, dtype=np.int64))


def _not_empty(name: str, x: Any) -> None:
    if _size(library_of(x)[1]) == 0:
        raise ValueError(f"{name}: the array is empty")


@on_stream
def sum(x: Any, /, *, dtype: Any = None, stream: Any = None) -> Any:
    """The sum of all elements, types as in cumsum. The same bits on every run. On x's device, without waiting.

    >>> import numpy as np, scanlens
    >>> int(scanlens.sum(np.ones((3, 4), np.uint8)))
    12
    """
    return _reduce(SUM, x, dtype)


@on_stream
def min(x: Any, /, *, stream: Any = None) -> Any:
    """The least element; keep NaN out.

    >>> import numpy as np, scanlens
    >>> float(scanlens.min(np.array([2., 1.])))
    1.0
    """
    _not_empty("min", x)
    return _reduce(LEAST, x, None)


@on_stream
def max(x: Any, /, *, stream: Any = None) -> Any:
    """The greatest element; keep NaN out.

    >>> import numpy as np, scanlens
    >>> float(scanlens.max(np.array([2., 1.])))
    2.0
    """
    _not_empty("max", x)
    return _reduce(GREATEST, x, None)


def _located(greatest: bool, x: Any) -> Any:
    _not_empty("argmax" if greatest else "argmin", x)
    library, x = library_of(x)
    dtype = library.dtype(x)
    x = library.convert(x, _WIDER.get(dtype, dtype))
    number = library.stream(x)
    located = library.empty(x, 16, "uint8")
    _core.locate(greatest, library.give(x, number), library.take(located, number), number)
    return library.view(located, "int64")[1]


@on_stream
def argmin(x: Any, /, *, stream: Any = None) -> Any:
    """The first place of the least element, in C order; NaN is passed over.

    >>> import numpy as np, scanlens
    >>> int(scanlens.argmin(np.array([3., 1., 1.])))
    1
    """
    return _located(False, x)


@on_stream
def argmax(x: Any, /, *, stream: Any = None) -> Any:
    """The first place of the greatest element, in C order; NaN is passed over.

    >>> import numpy as np, scanlens
    >>> int(scanlens.argmax(np.array([3., 1., 3.])))
    0
    """
    return _located(True, x)


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


@on_stream
def moments(x: Any, /, *, stream: Any = None) -> Moments:
    """Count, mean, squared deviations, least and greatest in one pass, in double. Waits for the device.

    x: uint8, uint16, uint32, float32, float64; other types are converted to float64.

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

"""What orders and counts elements: sorts, unique elements, runs, histograms, percentiles."""
from __future__ import annotations

import math
from typing import Any, Literal, NamedTuple, Optional, Tuple

import numpy as np

from . import _core
from ._dispatch import WIDER, along, axis_of, library_of, named, number_as, size_of, whole
from ._libraries import Library
from ._reductions import max as greatest_of
from ._reductions import min as least_of
from ._reductions import reduce_by_key
from ._select import chosen, counter_of, places_of
from ._types import A, same

_MOST = {"uint8": 255, "uint16": 65535, "uint32": 2**32 - 1}
_MOST_BINS = 65536


def _keys(library: Library, x: Any) -> Any:
    """The elements as the core sorts them: NaN of either sign comes last, which on the host it sees to itself."""
    if not library.on_host(x) and "float" in library.dtype(x):
        x = library.xp.where(library.xp.isnan(x), math.nan, x)
    return x


def _pairs(library: Library, keys: Any, values: Any, descending: bool = False) -> Tuple[Any, Any]:
    """The core's keys of one axis in order, and the values of 4 or 8 bytes that go with them."""
    number = library.stream(keys)
    keys_out = library.empty(keys, keys.shape, library.dtype(keys))
    values_out = library.empty(values, values.shape, library.dtype(values))
    _core.sort_pairs(library.give(keys, number), library.give(values, number), library.take(keys_out, number),
                     library.take(values_out, number), bool(descending), number)
    return keys_out, values_out


def _ordered(library: Library, x: Any, axis: int, descending: bool, wants_elements: bool = True, wants_places: bool = True,
             k: int = -1) -> Tuple[Any, Any]:
    """The elements of each line along an axis in order, and the places where they stood, or the first k of them."""
    keys = _keys(library, x)
    shape = keys.shape if k < 0 else (*keys.shape[:axis], k, *keys.shape[axis + 1 :])
    number = library.stream(keys)
    out = library.empty(keys, shape, library.dtype(keys)) if wants_elements else None
    places = library.empty(keys, shape, "int64") if wants_places else None
    _core.sort(library.give(keys, number), None if out is None else library.take(out, number),
               None if places is None else library.take(places, number), axis, k, bool(descending), number)
    return out, places


def _sorted(x: Any, axis: Optional[int], descending: bool = False) -> Any:
    library, x = library_of(x)
    x, axis = along(x, axis)
    return _ordered(library, x, axis, descending, wants_places=False)[0]


@same
def sort(x: Any, /, axis: Optional[int] = -1, *, descending: bool = False, stable: bool = True, stream: Any = None) -> Any:
    """The elements in order along an axis; None flattens. NaN comes last (first where descending), and -0 before +0.

    Always stable, and always the same.

    >>> import numpy as np, scanlens
    >>> scanlens.sort(np.array([2., np.nan, 1.]))
    array([ 1.,  2., nan])
    >>> scanlens.sort(np.array([[2, 1], [1, 2]]), axis=0)
    array([[1, 1],
           [2, 2]])
    """
    return _sorted(x, axis, descending)


@named
def argsort(x: Any, /, axis: Optional[int] = -1, *, descending: bool = False, stable: bool = True, stream: Any = None) -> Any:
    """The places of the elements in order along an axis, stable, as int64.

    >>> import numpy as np, scanlens
    >>> scanlens.argsort(np.array([3., 1., 2.]))
    array([1, 2, 0])
    """
    library, x = library_of(x)
    x, axis = along(x, axis)
    return _ordered(library, x, axis, descending, wants_elements=False)[1]


@named
def topk(x: A, k: int, /, axis: Optional[int] = -1, *, largest: bool = True, stream: Any = None) -> Tuple[A, Any]:
    """The k greatest elements along an axis, the greatest first, and their indices as int64; the least ones where not
    largest. Of equal elements the first count. NaN counts as greatest.

    >>> import numpy as np, scanlens
    >>> scanlens.topk(np.array([1., 3., 2.]), 2)
    (array([3., 2.]), array([1, 2]))
    """
    library, array = library_of(x)
    array, axis = along(array, axis)
    many, length = whole("k", k), int(array.shape[axis])
    if not 0 <= many <= length:
        raise ValueError(f"k is {many}; give 0 to {length}, as many elements as the axis has")
    return _ordered(library, array, axis, largest, k=many)


@named
def sort_pairs(keys: A, values: Any, /, *, descending: bool = False, stream: Any = None) -> Tuple[A, Any]:
    """The keys of an array of one axis in order, as sort() has them, and the values that go with them (of 4 or 8 bytes).

    >>> import numpy as np, scanlens
    >>> scanlens.sort_pairs(np.array([2, 1]), np.array([20, 10]))
    (array([1, 2]), array([10, 20]))
    """
    library, array = library_of(keys)
    values = library_of(values)[1]
    if len(array.shape) != 1 or len(values.shape) != 1:
        raise ValueError(f"keys have {len(array.shape)} axes and values {len(values.shape)}; give arrays of one axis")
    dtype = library.dtype(array)
    keys = library.convert(_keys(library, array), WIDER.get(dtype, dtype))
    keys_out, values_out = _pairs(library, keys, values, descending)
    return library.convert(keys_out, dtype), values_out


def _heads(library: Library, x: Any, equal_nan: bool) -> Any:
    """True where a run of equal elements begins, in an array of one axis."""
    heads = library.empty(x, x.shape, "bool")
    heads[:1] = True
    heads[1:] = x[1:] != x[:-1]
    if equal_nan and "float" in library.dtype(x):
        bad = library.xp.isnan(x)
        heads[1:] &= ~(bad[1:] & bad[:-1])
    return heads


def _lengths(library: Library, starts: Any, size: int) -> Any:
    """The lengths of runs that begin at these places."""
    ends = library.empty(starts, starts.shape, "int64")
    ends[:-1] = starts[1:]
    ends[-1:] = size
    return ends - starts


class UniqueAll(NamedTuple):
    """What unique_all() returns."""

    values: Any
    indices: Any
    inverse_indices: Any
    counts: Any


class UniqueCounts(NamedTuple):
    """What unique_counts() returns."""

    values: Any
    counts: Any


class UniqueInverse(NamedTuple):
    """What unique_inverse() returns."""

    values: Any
    inverse_indices: Any


@named
def unique_all(x: Any, /, *, stream: Any = None) -> UniqueAll:
    """The distinct elements in order, where each stands first in the flattened array, the place among them of every
    element of x, and how many there are of each. Every NaN is distinct, as the array API has it.

    >>> import numpy as np, scanlens
    >>> scanlens.unique_all(np.array([3, 1, 3])).counts
    array([1, 2])
    """
    return _unique_all(x)


def _unique_all(x: Any) -> UniqueAll:
    library, array = library_of(x)
    array = along(array, None)[0]
    size = size_of(array)
    values, order = _ordered(library, array, 0, False)
    heads = _heads(library, values, False)
    starts = places_of(library, heads)
    inverse = library.empty(values, values.shape, "int64")
    number = library.stream(values)
    ranks = library.empty(values, values.shape, "int64")
    _core.scan(0, library.give(heads, number), library.take(ranks, number), 0, False, False, None, number)
    inverse[order] = ranks - 1
    return UniqueAll(values[starts], order[starts], inverse.reshape(library_of(x)[1].shape),
                     _lengths(library, starts, size))


@named
def unique_counts(x: Any, /, *, stream: Any = None) -> UniqueCounts:
    """The distinct elements in order, and how many there are of each.

    >>> import numpy as np, scanlens
    >>> scanlens.unique_counts(np.array([3, 1, 3])).values
    array([1, 3])
    """
    found = _unique_all(x)
    return UniqueCounts(found.values, found.counts)


@named
def unique_inverse(x: Any, /, *, stream: Any = None) -> UniqueInverse:
    """The distinct elements in order, and the place among them of every element of x.

    >>> import numpy as np, scanlens
    >>> scanlens.unique_inverse(np.array([3, 1, 3])).inverse_indices
    array([1, 0, 1])
    """
    found = _unique_all(x)
    return UniqueInverse(found.values, found.inverse_indices)


def _first_of_runs(library: Library, x: Any, count: bool) -> Any:
    """The first of each run of equal elements. Halves are compared as float32."""
    dtype = library.dtype(x)
    compared = library.convert(x, WIDER[dtype]) if dtype in ("float16", "bfloat16") else x
    number, out = library.stream(x), library.empty(x, x.shape, library.dtype(compared))
    counter = counter_of(library, x, count)
    kept = _core.unique(library.give(compared, number), library.take(out, number),
                        None if counter is None else library.take(counter, number), number)
    if count:
        return library.convert(out, dtype), counter
    return library.convert(out[: kept if counter is None else int(counter[0])], dtype)


@named
def unique_values(x: Any, /, *, stream: Any = None) -> Any:
    """The distinct elements in order; every NaN is distinct.

    >>> import numpy as np, scanlens
    >>> scanlens.unique_values(np.array([3, 1, 3]))
    array([1, 3])
    """
    library, _ = library_of(x)
    return _first_of_runs(library, _sorted(x, None), False)


@named
def unique(x: A, /, *, sorted: bool = False, count: bool = False, stream: Any = None) -> Any:
    """The first of each run of equal elements; sorted=True sorts before, as numpy.unique does, where all NaN are one.

    >>> import numpy as np, scanlens
    >>> scanlens.unique(np.array([1, 1, 2, 1]))
    array([1, 2, 1])
    """
    library, array = library_of(x)
    if sorted and "float" in library.dtype(array):
        array = _sorted(array, None)
        return chosen(library, array, _heads(library, array, True), count)
    return _first_of_runs(library, _sorted(array, None) if sorted else along(array, None)[0], count)


@named
def run_lengths(x: A, /, *, stream: Any = None) -> Tuple[A, Any]:
    """The element of each run of equal neighbours, and the run's length as int64.

    >>> import numpy as np, scanlens
    >>> scanlens.run_lengths(np.array([5, 5, 6, 5]))
    (array([5, 6, 5]), array([2, 1, 1]))
    """
    library, array = library_of(x)
    array = along(array, None)[0]
    starts = places_of(library, _heads(library, array, False))
    return array[starts], _lengths(library, starts, size_of(array))


def _common(one: str, other: str) -> str:
    """The type in which elements of two types are compared, as NumPy has it."""
    if one == other:
        return WIDER.get(one, one)
    if "float" in one + other or ("uint64" in (one, other) and not (one.startswith("uint") and other.startswith("uint"))):
        return "float64"
    return "uint64" if "uint64" in (one, other) else "int64"


def _search(library: Library, line: Any, values: Any, behind: bool) -> Any:
    common = _common(library.dtype(line), library.dtype(values))
    line, values = library.convert(line, common), library.convert(values, common)
    number = library.stream(line)
    places = library.empty(line, tuple(values.shape), "int64")
    _core.search(library.give(line, number), library.give(values, number), library.take(places, number), behind, number)
    return places


@named
def searchsorted(x1: Any, x2: Any, /, *, side: Literal["left", "right"] = "left", sorter: Any = None, stream: Any = None) -> Any:
    """Where the elements of x2 go into x1, sorted and of one axis, so that it stays sorted: before equal ones, or, to the
    right, behind them; as int64. NaN goes behind all. sorter: the places of x1 in order, where it is not sorted.

    >>> import numpy as np, scanlens
    >>> scanlens.searchsorted(np.array([1, 3, 3]), np.array([0, 3]), side="right")
    array([0, 3])
    """
    if side not in ("left", "right"):
        raise ValueError(f"side is {side!r}; give 'left' or 'right'")
    library, array = library_of(x1)
    if len(array.shape) != 1:
        raise ValueError(f"x1 has {len(array.shape)} axes; give an array of one axis")
    if sorter is not None:
        array = array[library.index(array, sorter)]
    other, values = library_of(x2)
    if type(other) is not type(library):
        values = library.index(array, values, other.dtype(values))
    return library.result(_search(library, array, values, side == "right"))


@same
def diff(x: Any, /, axis: int = -1, *, n: int = 1, prepend: Any = None, append: Any = None, stream: Any = None) -> Any:
    """The differences of neighbours along an axis, n times. prepend, append: arrays that are put before and behind.

    >>> import numpy as np, scanlens
    >>> scanlens.diff(np.array([1, 4, 9]))
    array([3, 5])
    """
    library, found = library_of(x)
    axis = axis_of(axis, len(found.shape))
    if whole("n", n) < 0:
        raise ValueError(f"n is {n}; give 0 or more")
    parts = [library_of(one)[1] for one in (prepend, found, append) if one is not None]
    if len(parts) > 1:
        found = library.xp.concatenate(parts, axis)
    before = (slice(None),) * axis
    for _ in range(n):
        later, earlier = found[(*before, slice(1, None))], found[(*before, slice(None, -1))]
        found = later != earlier if library.dtype(found) == "bool" else later - earlier
    return found


def _counts(library: Library, x: Any, bins: int, weights: Any) -> Any:
    """How often each number below `bins` stands in an array of one axis, or what its weights, as float64, come to."""
    if weights is None and bins <= _MOST_BINS:
        number, counts = library.stream(x), library.empty(x, bins, "int64")
        if bins and library.on_host(x):
            _core.count_numbers(library.give(x, 0), library.take(counts, 0))
        elif bins:
            x = library.convert(x, "float64")
            _core.histogram(library.give(x, number), library.take(counts, number), 0.0, float(bins), number)
        return counts
    if weights is None:
        weights = library.arange(x, size_of(x)) * 0 + 1
    keys, values = _pairs(library, library.convert(x, "int64"), weights)
    numbers, totals = reduce_by_key(keys, values)
    counts = library.empty(x, bins, library.dtype(values))
    counts[...] = 0
    counts[numbers] = totals
    return counts


def _weights(library: Library, x: Any, weights: Any) -> Any:
    if weights is None:
        return None
    found = library.index(x, weights, "float64").reshape(-1)
    if size_of(found) != size_of(x):
        raise ValueError(f"weights are {size_of(found)}; give {size_of(x)}, one for each element")
    return found


@named
def bincount(x: Any, /, weights: Any = None, *, minlength: int = 0, stream: Any = None) -> Any:
    """How often each of 0, 1, 2 … stands in an array of whole numbers, as int64, or what the weights of its places come
    to, as float64. Waits for the device.

    >>> import numpy as np, scanlens
    >>> scanlens.bincount(np.array([1, 1, 3]))
    array([0, 2, 0, 1])
    """
    library, array = library_of(x)
    array = along(array, None)[0]
    if "float" in library.dtype(array):
        raise TypeError(f"{library.dtype(array)} arrays are not taken; give whole numbers")
    bins = whole("minlength", minlength)
    if bins < 0:
        raise ValueError(f"minlength is {bins}; give 0 or more")
    if size_of(array):
        least, greatest = _core.range(library.give(array, 0)) if library.on_host(array) else \
            (int(least_of(array)), int(greatest_of(array)))
        if least < 0:
            raise ValueError(f"the array holds {least}; give numbers of 0 or more")
        bins = max(bins, greatest + 1)
    return _counts(library, array, bins, _weights(library, array, weights))


@named
def histogram(x: Any, /, bins: Any = 256, range: Optional[Tuple[float, float]] = None, *, weights: Any = None,
              density: bool = False, stream: Any = None) -> Tuple[Any, Any]:
    """How many elements fall into each of `bins` equal parts of range, or between edges that `bins` lists, and the edges
    (NumPy's), as numpy.histogram has them.

    x: uint8, uint16, uint32, float32, float64; other types are converted to float64. range: by default the least and
    the greatest, for which the device is waited. weights: what an element counts, summed in float64. density: counts by
    their sum and the widths of the bins. Equal bins of 8 and 16 bits and of float32 are found in float, so that an element
    within a rounding of an edge may fall on its other side. Always the same.

    >>> import numpy as np, scanlens
    >>> scanlens.histogram(np.array([0, 1, 1, 3], np.uint8), 4, (0, 4))[0]
    array([1, 2, 0, 1])
    >>> scanlens.histogram(np.array([0.5, 2., 9.]), [0, 1, 10])[0]
    array([1, 2])
    """
    library, array = library_of(x)
    array = along(array, None)[0]
    dtype = library.dtype(array)
    if dtype not in ("uint8", "uint16", "uint32", "float32", "float64"):
        array, dtype = library.convert(array, "float64"), "float64"
    equal = not hasattr(bins, "__len__")
    if equal:
        bins = whole("bins", bins)
        if not 1 <= bins <= _MOST_BINS:
            raise ValueError(f"bins is {bins}; give 1 to {_MOST_BINS}, or a list of edges")
        edges = _equal_edges(array, bins, range)
    else:
        edges = np.asarray(bins)
        if edges.ndim != 1 or edges.size < 2 or bool((edges[1:] < edges[:-1]).any()):
            raise ValueError("the edges in bins have to ascend, and to be two at least")
    if equal and weights is None:
        counts = _equal_counts(library, array, dtype, edges)
    else:
        counts = _edged_counts(library, array, edges, _weights(library, array, weights))
    if density:
        shares = library.convert(counts, "float64")
        counts = shares / library.index(array, np.diff(edges), "float64") / shares.sum()
    return counts, edges


def _equal_edges(x: Any, bins: int, range: Optional[Tuple[float, float]]) -> Any:
    if range is None:
        range = (float(least_of(x)), float(greatest_of(x))) if size_of(x) else (0.0, 1.0)
    if len(range) != 2:
        raise ValueError(f"range is {range!r}; give two numbers")
    lower, upper = (number_as("range", one, "float64") for one in range)
    if not (math.isfinite(lower) and math.isfinite(upper)) or lower > upper:
        raise ValueError(f"range is {lower} to {upper}; give two finite numbers that ascend")
    if lower == upper:
        lower, upper = lower - 0.5, upper + 0.5
    return np.linspace(lower, upper, bins + 1)


def _equal_counts(library: Library, x: Any, dtype: str, edges: Any) -> Any:
    lower, upper = float(edges[0]), float(edges[-1])
    number = library.stream(x)
    counts = library.empty(x, len(edges) - 1, "int64")
    _core.histogram(library.give(x, number), library.take(counts, number), lower, upper, number)
    # The core's ranges are open at their end; NumPy's last bin holds what lies there, too.
    if upper <= _MOST.get(dtype, np.inf):
        counts[-1:] += (x == upper).sum()
    return counts


def _edged_counts(library: Library, x: Any, edges: Any, weights: Any) -> Any:
    bounds = library.index(x, edges, "float64")
    values = library.convert(x, "float64")
    places = _search(library, bounds, values, True) - 1
    last = len(edges) - 2
    places = library.xp.where(values == float(edges[-1]), last, places)
    inside = (places >= 0) & (places <= last)
    return _counts(library, places[inside], last + 1, None if weights is None else weights[inside])


def _between(library: Library, before: Any, after: Any, share: float) -> Any:
    """Interpolated from the nearer of both, so that either end is exact; equal ones stay, infinities too."""
    with np.errstate(invalid="ignore"):
        step = after - before
        value = before + step * share if share < 0.5 else after - step * (1 - share)
    return library.xp.where(before == after, before, value)


@named
def percentile(x: Any, q: Any, /, axis: Optional[int] = None, *, keepdims: bool = False, stream: Any = None) -> Any:
    """The percentiles of the elements along an axis, interpolated between neighbours in order as numpy.percentile does,
    exactly. q: numbers of 0 to 100; an array of them adds a first axis. float64 of integers, and floats stay. NaN makes
    its line's NaN.

    >>> import numpy as np, scanlens
    >>> float(scanlens.percentile(np.array([1., 2., 4.]), 75))
    3.0
    """
    library, array = library_of(x)
    shares = np.asarray(q, np.float64) / 100
    if not bool(((shares >= 0) & (shares <= 1)).all()):
        raise ValueError(f"q is {q!r}; give numbers of 0 to 100")
    line, number = along(array, axis)
    length, dtype = int(line.shape[number]), library.dtype(array)
    if length == 0:
        raise ValueError("the array is empty; give one with an element at least")
    if dtype not in ("float32", "float64"):
        dtype = "float64"
    turned = _sorted(library.xp.moveaxis(line, number, -1), -1)
    rows = library.convert(turned, dtype).reshape(-1, length)
    spoilt = library.xp.isnan(rows[:, -1])
    rest = [1 if k == number or axis is None else n for k, n in enumerate(array.shape)] if keepdims else \
        list(turned.shape[:-1])
    found = library.empty(rows, (*shares.shape, *rest), dtype)
    for place in np.ndindex(shares.shape):
        at = float(shares[place]) * (length - 1)
        before, after = rows[:, int(at)], rows[:, min(int(at) + 1, length - 1)]
        value = _between(library, before, after, at - int(at))
        found[place] = library.xp.where(spoilt, math.nan, value).reshape(rest)
    return library.result(found) if len(found.shape) == 0 else found

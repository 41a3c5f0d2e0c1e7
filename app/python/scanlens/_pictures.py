"""Pictures: tables, filters, depth of field. A picture has the axes height, width and maybe channels (1, 3 or 4)."""
from __future__ import annotations

from typing import Any, Optional, Sequence, Tuple

import numpy as np

from . import _core
from ._declared import text_of
from ._dispatch import checked_out, dtype_name, library_of, named, number_as, size_of
from ._libraries import Library
from ._types import A, same

_TABLES = {"uint8": "uint32", "uint16": "uint64", "uint32": "uint32", "float32": "float64"}


@named
def integral(image: A, /, *, dtype: Any = None, border: bool = False, squares: bool = False, linear: bool = False,
             batch: bool = False, stream: Any = None) -> Any:
    """The summed-area table: table[y, x] is the sum of image[: y + 1, : x + 1].

    image: uint8, uint16, float32, or uint32 of one channel; rows with a gap between them are taken as they are, other
    strides are packed. dtype: by default uint32 of uint8 and uint32, uint64 of uint16, float64 of float32. Integers are
    modulo 2^32 or 2^64: a box's sum is right as long as it is below that, however large the image. border: one row and
    column of zeros before the sums, as cv2.integral has them. squares: also the table of squares, (table, squares);
    for tables of uint64 and float64. linear: sums linear light of sRGB codes (65535 is white of uint8). batch: the first
    axis counts images.

    >>> import numpy as np, scanlens
    >>> scanlens.integral(np.array([[1, 2], [3, 4]], np.uint8))
    array([[ 1,  3],
           [ 4, 10]], dtype=uint32)
    """
    library, array = library_of(image)
    from_type = library.dtype(array)
    to_type = _TABLES.get(from_type) if dtype is None else dtype_name(dtype)
    if to_type is None:
        raise TypeError(f"{from_type} arrays are not taken; convert it to one of {', '.join(_TABLES)}")
    if squares and dtype is None and to_type == "uint32":
        to_type = "uint64"
    number = library.stream(array)
    shape = list(array.shape)
    if border:
        for axis in (1, 2) if batch else (0, 1):
            shape[axis] += 1
    table = library.empty(array, tuple(shape), to_type)
    second = library.empty(array, tuple(shape), to_type) if squares else None
    _core.integral(library.give(array, number), library.take(table, number),
                   None if second is None else library.take(second, number), linear, batch, number)
    return table if second is None else (table, second)


def _corners(library: Library, table: Any, y0: Any, x0: Any, y1: Any, x1: Any) -> Any:
    """The corners as arrays to index by. Those on a device are trusted there, so that nothing waits for it."""
    corners = [library.index(table, value) for value in (y0, x0, y1, x1)]
    for low, high, most, names in ((corners[0], corners[2], table.shape[0], "y0 and y1"),
                                   (corners[1], corners[3], table.shape[1], "x0 and x1")):
        if isinstance(table, np.ndarray) and not bool(((low >= 0) & (low <= high) & (high <= most)).all()):
            raise ValueError(f"{names} are not 0 <= begin <= end <= {most}; give boxes within the table")
    return corners


def _corner(library: Library, table: Any, y: Any, x: Any) -> Any:
    """table[y - 1, x - 1], and 0 where there is none."""
    inside = (y > 0) & (x > 0)
    values = table[library.xp.where(inside, y, 1) - 1, library.xp.where(inside, x, 1) - 1]
    while len(inside.shape) < len(values.shape):
        inside = inside[..., None]
    return values * library.convert(inside, library.dtype(values))


@named
def box_sum(table: A, y0: Any, x0: Any, y1: Any, x1: Any, /) -> A:
    """The sums over boxes of rows y0 to y1 - 1 and columns x0 to x1 - 1, from a table without border.

    y0, x0, y1, x1: numbers or arrays, broadcast against each other; 0 <= y0 <= y1 <= height. By the array's own
    library.

    >>> import numpy as np, scanlens
    >>> table = scanlens.integral(np.ones((4, 4), np.uint8))
    >>> int(scanlens.box_sum(table, 1, 1, 3, 4))
    6
    """
    library, array = library_of(table)
    dtype = library.dtype(array)
    same_bits = {"uint32": "int32", "uint64": "int64"}.get(dtype, dtype)
    sums = library.view(array, same_bits)
    top, left, bottom, right = _corners(library, array, y0, x0, y1, x1)
    with np.errstate(over="ignore"):
        found = (_corner(library, sums, bottom, right) - _corner(library, sums, top, right)
                 - _corner(library, sums, bottom, left) + _corner(library, sums, top, left))
    return library.view(found, dtype) if same_bits != dtype else found  # type: ignore[no-any-return]


@named
def box_mean(table: Any, y0: Any, x0: Any, y1: Any, x1: Any, /) -> Any:
    """The means over the same boxes, as float64. Boxes have a pixel at least.

    >>> import numpy as np, scanlens
    >>> float(scanlens.box_mean(scanlens.integral(np.full((4, 4), 7, np.uint8)), 0, 0, 2, 2))
    7.0
    """
    library, array = library_of(table)
    top, left, bottom, right = _corners(library, array, y0, x0, y1, x1)
    sums, count = library.convert(box_sum(array, top, left, bottom, right), "float64"), (bottom - top) * (right - left)
    while len(count.shape) < len(sums.shape):
        count = count[..., None]
    return sums / count


FILTERS: dict[str, dict[str, Any]] = {one["name"]: one for one in _core.filter_declarations()}


SHAPES = {"picture": "height x width x 4 floats of any size: linear light, and alpha",
          "words": "height x width floats of any size, the share that letters cover, as io.letters() gives it"}


def filter_names() -> list[str]:
    """The filters that there are.

    >>> import scanlens
    >>> "gaussian" in scanlens.filter_names()
    True
    """
    return list(FILTERS)


def filter_parameters(name: str) -> list[dict[str, Any]]:
    """What a filter's parameters are called, their bounds or choices, and what is taken by default.

    >>> import scanlens
    >>> [one["name"] for one in scanlens.filter_parameters("box")]
    ['radius']
    """
    if name not in FILTERS:
        raise ValueError(f"there is no filter '{name}'; there is: {', '.join(FILTERS)}")
    return [dict(one) for one in FILTERS[name]["parameters"]]


def _call_text(name: str, parameters: dict[str, Any]) -> str:
    keys = {one["name"]: one["key"] for one in FILTERS.get(name, {}).get("parameters", ())}
    return ":".join([name, *(f"{keys.get(key, key)}={text_of(key, value)}" for key, value in parameters.items())])


def map_of(library: Library, values: Any, name: str, metric: bool = False) -> Any:
    """A mask or depth as float32: unsigned integers as shares of their range, floats of 0 to 1, or of 1/metre. NaN is
    unknown depth, which is filled. Floats that a CUDA graph captures are trusted."""
    values = library_of(values)[1]
    dtype = library.dtype(values)
    if "float" not in dtype:
        if metric or dtype.startswith("int"):
            raise TypeError(f"{name} is {dtype}; give " + ("floats of 1/metre, or of metres" if metric else
                                                            "unsigned integers, which are divided by their range, or floats of 0 to 1"))
        return library.convert(values, "float32") / (1 if dtype == "bool" else int(np.iinfo(dtype).max))
    values = library.convert(values, "float32")
    number = library.stream(values)
    if library.is_capturing(values) or not _core.check_map(library.give(values, number), name, metric, number):
        return values
    if name == "mask":
        raise ValueError("mask holds NaN; give floats of 0 to 1")
    filled = library.empty(values, tuple(values.shape), "float32")
    _core.fill_map(library.give(values, number), library.take(filled, number), number)
    return filled


def depth_of(library: Library, depth: Any, disparity: Any, metric: bool) -> Tuple[Any, bool]:
    """The disparity of a call, and whether it is 1/metre: of depth in metres or read by io, or as it is given."""
    if (depth is None) == (disparity is None):
        raise ValueError("give depth (metres) or disparity, one of both")
    if disparity is None:
        if hasattr(depth, "disparity"):
            return map_of(library, depth.disparity, "disparity", depth.metric), bool(depth.metric)
        metres = library_of(depth)[1]
        if "float" not in library.dtype(metres):
            raise TypeError(f"depth is {library.dtype(metres)}; give floats of metres, such as millimetres * 0.001")
        with np.errstate(divide="ignore"):
            disparity, metric = 1 / library.convert(metres, "float32"), True
    return map_of(library, disparity, "disparity" if depth is None else "depth", metric), metric


def _map_of_call(library: Library, declared: dict[str, Any], name: str,
                 parameters: dict[str, Any]) -> Tuple[Any, float]:
    """Takes the map off a call's parameters: the mask or depth that the filter needs, or that its `where` asks for. Returns
    also the greatest value of a map in 1/metre, 0 of others."""
    needed = declared.get("map", "")
    wanted = needed or ("depth" if parameters.get("where") is not None else "")
    given = parameters.pop(wanted, None) if wanted else None
    if given is None:
        if needed:
            raise ValueError(f"filter {name}: needs {needed}=, " + SHAPES.get(needed, "one float of 0 to 1 for each pixel"))
        return None, 0
    if needed == "picture":
        light = library_of(given)[1]
        if "float" not in library.dtype(light):
            raise TypeError(f"filter {name}: picture is {library.dtype(light)}; give floats of linear light and alpha")
        return library.convert(light, "float32"), 0
    if not hasattr(given, "disparity"):
        return map_of(library, given, wanted), 0
    if given.metric and needed and not declared["metric"]:
        raise ValueError(f"filter {name}: depth is in metres; give floats of 0 (farthest) to 1 (nearest)")
    made = map_of(library, given.disparity, wanted, given.metric)
    return made, float(made.max()) if given.metric else 0


@named
def filter_chain(image: A, filters: Sequence[Any], /, *, out: Optional[A] = None, stream: Any = None) -> A:
    """Filters one after the other: each a name, or (name, {parameter: value}), where "mask", "depth", "picture" or "words" is what a
    filter takes. All else as in filter().

    >>> import numpy as np, scanlens
    >>> scanlens.filter_chain(np.zeros((4, 4), np.uint8), ["box", ("unsharp", {"amount": 0.5})]).shape
    (4, 4)
    """
    return _chain(image, filters, out)  # type: ignore[no-any-return]


def _chain(image: Any, filters: Sequence[Any], out: Any) -> Any:
    library, array = library_of(image)
    texts, maps, most = [], [], []
    for one in filters:
        name, parameters = (one, {}) if isinstance(one, str) else one
        if not isinstance(name, str) or not isinstance(parameters, dict):
            raise TypeError(f"a filter is {one!r}; give a name, or (name, {{parameter: value}})")
        parameters = dict(parameters)
        own_map, own_most = _map_of_call(library, FILTERS.get(name, {}), name, parameters)
        maps.append(own_map)
        most.append(own_most)
        texts.append(_call_text(name, {key: value for key, value in parameters.items() if value is not None}))
    number = library.stream(array)
    height, width, channels = array.shape[0], array.shape[1], array.shape[2] if len(array.shape) > 2 else 1
    sample = {"uint8": 1, "uint16": 2, "float32": 4}.get(library.dtype(array))
    if sample is None:
        raise TypeError(f"{library.dtype(array)} pictures are not taken; convert it to uint8, uint16 or float32")
    if out is None:
        new_height, new_width, _ = _core.filter_output(texts, height, width, channels, sample)
        out = library.empty(array, (new_height, new_width, *array.shape[2:]), library.dtype(array))
    else:
        checked_out(out)
    given_maps = [None if one is None else library.give(one, number) for one in maps]
    _core.filter(texts, given_maps, most, library.give(array, number), library.take(out, number), number)
    return out


@named
def filter(image: A, name: str, /, *, out: Optional[A] = None, stream: Any = None, **parameters: Any) -> A:
    """A filter of the command line by its name: filter_names(), and filter_parameters(name).

    image: uint8, uint16 or float32, height x width, or with 1, 3 or 4 channels, the fourth alpha. Rows with a gap
    between them are taken as they are, other strides are packed. Choices go by their names, lengths also as "2%" of the
    width. mask= or depth= where a filter takes a map: height x width, floats of 0 to 1, bool, or unsigned integers by their range; or
    what io.read_depth returned. picture= or words= where a filter lays it over the image. where= is the part to change, such as "depth > 3m and luma < 0.9", feather= the width of its
    soft edge, "24px" or "0.5m". out: it may be image where the size stays. Integers have the same bits on every device where the filter says so.

    >>> import numpy as np, scanlens
    >>> scanlens.filter(np.full((2, 2), 9, np.uint8), "box", radius=1)
    array([[9, 9],
           [9, 9]], dtype=uint8)
    """
    return _chain(image, [(name, parameters)], out)  # type: ignore[no-any-return]


@named
def autofocus(image: Any, disparity: Any, /, *, metric: bool = False, stream: Any = None) -> Optional[float]:
    """The disparity of what is sharpest in the picture; None where it is of one tone. Waits for the device.

    disparity: as in depth_of_field, 1/metre where metric; or what io.read_depth returned.

    >>> import numpy as np, scanlens
    >>> scanlens.autofocus(np.zeros((8, 8), np.uint8), np.ones((8, 8), np.float32)) is None
    True
    """
    library, array = library_of(image)
    number = library.stream(array)
    depth = disparity if hasattr(disparity, "disparity") else None
    disparity, _ = depth_of(library, depth, None if depth is not None else disparity, metric)
    found: Optional[float] = _core.autofocus(library.give(array, number), library.give(disparity, number), number)
    return found


@named
def depth_from_strokes(photo: A, strokes: Any, planes: Sequence[Any], /, *, repair: Any = None,
                       stream: Any = None) -> A:
    """Nearness (0 infinitely far, 1 nearest, float32) of a photo from a person's strokes, up to the photo's edges.

    photo: height x width x 3, uint8. strokes: height x width, int16: the number of the plane that a stroke at this pixel
    states, or -1. planes: nearness, or (nearness at pixel (0, 0), its step by column, by row). repair: a map of nearness
    to be corrected around the strokes, in a copy. What comes is a disparity for depth_of_field. Waits for the device.

    >>> import numpy as np, scanlens
    >>> photo = np.zeros((8, 8, 3), np.uint8)
    >>> strokes = np.full((8, 8), -1, np.int16)
    >>> strokes[4, 4] = 0
    >>> float(scanlens.depth_from_strokes(photo, strokes, [0.5])[0, 0])
    0.5
    """
    library, array = library_of(photo)
    strokes = library.convert(library_of(strokes)[1], "int16")
    number = library.stream(array)
    nearness = library.empty(array, tuple(array.shape[:2]), "float32")
    if repair is not None:
        library.assign(nearness, map_of(library, repair, "repair"))
    if not isinstance(planes, (tuple, list, np.ndarray)):
        raise TypeError(f"planes is {planes!r}; give a list of them")
    if size_of(strokes) and int(strokes.max()) >= len(planes):
        raise ValueError(f"strokes hold {int(strokes.max())}; give numbers below {len(planes)}, as many as there are planes, or -1")
    rows = [tuple(number_as("a plane", value, "float64") for value in (plane if isinstance(plane, (tuple, list)) else
                                                                       (plane, 0, 0))) for plane in planes]
    _core.spread_strokes(library.give(array, number), library.give(strokes, number), rows,
                         library.take(nearness, number), repair is not None, number)
    return nearness  # type: ignore[no-any-return]


@named
def statistics(image: Any, /, *, where: str = "", disparity: Any = None, metric: bool = False, mask: Any = None,
               percentiles: Sequence[float] = (5, 50, 95), stream: Any = None) -> dict[str, dict[str, Any]]:
    """What the pixels of a picture are like, by channel: red, green, blue, alpha, luma, and depth where there is a
    disparity. Each has count, mean, deviation, least, greatest, percentiles; of floats nan and infinite, too.

    where: the command line's language, such as "luma > 0.9 and not mask" or "depth < 2.5 or y > 100px". disparity: as in
    depth_of_field, 1/metre where metric. mask: bool, unsigned integers, or floats of 0 to 1. Integers are counted exactly;
    percentiles are interpolated as NumPy does. Waits for the device.

    >>> import numpy as np, scanlens
    >>> scanlens.statistics(np.arange(9, dtype=np.uint8).reshape(3, 3), where="y > 0")["luma"]["mean"]
    5.5
    """
    library, array = library_of(image)
    number = library.stream(array)
    maps = [None if one is None else library.give(map_of(library, one, name, metric and name == "disparity"), number)
            for one, name in ((disparity, "disparity"), (mask, "mask"))]
    if not isinstance(where, str):
        raise TypeError(f"where is {where!r}; give text, such as 'luma > 0.9'")
    found: dict[str, dict[str, Any]] = _core.statistics(
        library.give(array, number), where, maps[0], bool(metric), maps[1],
        [number_as("a percentile", one, "float64") for one in percentiles], number)
    return found

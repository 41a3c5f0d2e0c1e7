"""Depth of field, by the parameters that the library declares."""
from __future__ import annotations

import inspect
from typing import Any, NamedTuple

import numpy as np

from . import _core
from ._declared import declare, text_of
from ._dispatch import checked_out, library_of, named, number_as
from ._pictures import depth_of

_DECLARED: list[dict[str, Any]] = _core.dof_declarations()
_METRIC = {one["name"] for one in _DECLARED if one["metric"]}

_TEXT = """Depth of field on a picture.

    image: uint8 or uint16 of sRGB, or float32 of linear light from 0 to `most`; strides as in filter().
    depth: metres; or what io.read_depth returned.
    disparity: in place of it, 0 (farthest) to 1 (nearest): floats, or unsigned integers by their range; 1/metre where a
        parameter of the lens is given. NaN is unknown, and filled from its neighbours. The device is waited for.
    lens: Lens(focal length, f-number, sensor width), or a focal length; `blur` takes its place where both are left out.
PARAMETERS
    bokeh_picture: the outline of blurred lights, such as a white heart on black: uint8 or uint16 of sRGB, or floats of light;
        in place of bokeh and blades
    most, white: of float pictures, the greatest light that is kept, and that beyond which light is a lamp
    out: may be image

Numbers are metres, millimetres and pixels; text has a unit, as on the command line: focus="2.5m", blur="2%". Focus is in
metres where depth is.

>>> import numpy as np, scanlens
>>> picture, map = np.zeros((8, 8, 3), np.uint8), np.ones((8, 8), np.float32)
>>> scanlens.depth_of_field(picture, disparity=map, focus=1.0, blur=2).shape
(8, 8, 3)
"""


class Lens(NamedTuple):
    """A thin lens, in millimetres."""

    focal_length: float = 50
    f_number: float = 2
    sensor_width: float = 36


def _host(picture: Any) -> Any:
    """A small picture in the host's memory, where calls on a device read it, too."""
    found = np.asarray(picture.cpu() if hasattr(picture, "cpu") else picture.get() if hasattr(picture, "get") else picture)
    if found.dtype.kind == "f":
        found = found.astype(np.float32, copy=False)
    if found.dtype not in (np.uint8, np.uint16, np.float32):
        raise TypeError(f"bokeh_picture is {found.dtype.name}; give an array of uint8, uint16 or float32")
    return found


def depth_of_field(image: Any, depth: Any = None, /, *, disparity: Any = None, lens: Any = None, bokeh_picture: Any = None,
                   most: float = 1, white: float = 1, out: Any = None, **look: Any) -> Any:
    library, array = library_of(image)
    unknown = [name for name in look if name not in (one["name"] for one in _DECLARED)]
    if unknown:
        raise TypeError(f"{unknown[0]} is no parameter; give one of {', '.join(one['name'] for one in _DECLARED)}")
    if isinstance(lens, (tuple, list)):
        look = {**Lens(*lens)._asdict(), **look}
    elif lens is not None:
        look = {"focal_length": lens, **look}
    disparity, metric = depth_of(library, depth, disparity, bool(_METRIC & look.keys()))
    if metric and "focus" not in look:
        raise ValueError("focus is missing; give metres, such as focus=2.5")
    texts = {name: text_of(name, value) for name, value in look.items()}
    number = library.stream(array)
    result = library.empty(array, tuple(array.shape), library.dtype(array)) if out is None else checked_out(out)
    _core.depth_of_field(library.give(array, number), library.give(disparity, number), library.take(result, number),
                         texts, metric, number_as("most", most, "float64"),
                         number_as("white", white, "float64"),
                         None if bokeh_picture is None else _host(bokeh_picture), number)
    return result


declare(depth_of_field, [inspect.Parameter("image", inspect.Parameter.POSITIONAL_ONLY),
                         inspect.Parameter("depth", inspect.Parameter.POSITIONAL_ONLY, default=None),
                         *(inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default)
                           for name, default in (("disparity", None), ("lens", None), ("bokeh_picture", None), ("most", 1), ("white", 1)))],
        _DECLARED, _TEXT)
depth_of_field = named(depth_of_field)

"""Pictures and depth maps from and to files, with what the program knows of them: profiles, orientation, conventions of
depth. What a reader assumed or passed over comes as a Python warning (Remark)."""
from __future__ import annotations

import os
import warnings
from dataclasses import dataclass
from typing import Any, Literal, Optional, Union

import numpy as np

try:
    from . import _files
except ImportError as _error:
    raise ImportError("scanlens.io: this build has no codecs; install the packages of app/packages.txt and build it anew, or "
                      f"what it was built with is missing here: {_error}") from _error

from ._dispatch import library_of, named, number_as, whole

__all__ = ["Depth", "Remark", "letters", "read_depth", "read_image", "write_depth", "write_image"]

Path = Union[str, "os.PathLike[str]"]
Image = np.ndarray[Any, Any]

_MOST_PIXELS = 2**30


class Remark(UserWarning):
    """What a reader or writer has to say of a file, and may spoil the result."""


def _say(path: Path, remarks: list[tuple[bool, bool, str]]) -> None:
    for warning, _, text in remarks:
        if warning:
            warnings.warn(f"{os.fspath(path)}: {text}", Remark, stacklevel=4)


def _text(what: str, value: Any) -> Optional[str]:
    if value is not None and not isinstance(value, str):
        raise TypeError(f"{what} is {value!r}; give text")
    return value


def _on_host(array: Any) -> Any:
    library, array = library_of(array)
    library.dtype(array)  # which refuses what no call takes
    if isinstance(array, np.ndarray):
        return array
    if hasattr(array, "cpu"):
        return array.detach().cpu().numpy()
    return array.numpy() if hasattr(array, "numpy") else array.get()


@named
def read_image(path: Path, /, *, max_pixels: int = _MOST_PIXELS) -> tuple[Image, Any]:
    """A picture, upright, as (array, info): height x width (x 3 or 4), uint8, uint16, or float32 of linear light. `info`
    holds profile, EXIF and XMP for write_image; .description says what the file is. All formats of the program.

    >>> import os, tempfile, numpy as np
    >>> from scanlens import io
    >>> path = os.path.join(tempfile.mkdtemp(), "grey.png")
    >>> io.write_image(path, np.full((2, 3), 7, np.uint8))
    >>> io.read_image(path)[0]
    array([[7, 7, 7],
           [7, 7, 7]], dtype=uint8)
    """
    array, info, remarks = _files.read(os.fspath(path), whole("max_pixels", max_pixels))
    _say(path, remarks)
    return array, info


@named
def write_image(path: Path, array: Any, /, *, quality: int = 95, info: Any = None, strip: bool = False,
                overwrite: bool = True) -> None:
    """Writes a picture, whole or not at all, in the format of the name. quality: of JPEG and WebP. info: of read_image,
    whose profile, EXIF and XMP go along. strip: without them, converted to sRGB. float32 is linear light.

    >>> import os, tempfile, numpy as np
    >>> from scanlens import io
    >>> io.write_image(os.path.join(tempfile.mkdtemp(), "light.exr"), np.ones((2, 2, 3), np.float32))
    """
    if info is not None and not isinstance(info, _files.Info):
        raise TypeError(f"info is a {type(info).__name__}; give what read_image returned")
    _say(path, _files.write(os.fspath(path), _on_host(array), whole("quality", quality), info, bool(strip), bool(overwrite)))


@named
def letters(words: str, height: float, /, *, font: Optional[Path] = None, most_width: int = 16384) -> Image:
    """Words for filters.text: height x width, float32, the share of each pixel that letters cover.

    words: "\\n" begins a line. height: of a line, in pixels; less where words would be wider than most_width. font: a .ttf or
    .otf, one of the system by default.

    >>> from scanlens import io
    >>> io.letters("Ferry", 20).shape[0]
    20
    """
    coverage, font_used, missing = _files.letters(
        _text("words", words), number_as("height", height, "float64"), whole("most_width", most_width),
        "" if font is None else os.fspath(font))
    if missing:
        warnings.warn(f"{font_used}: has no letters for {missing}", Remark, stacklevel=3)
    return coverage  # type: ignore[no-any-return]


@dataclass(frozen=True)
class Depth:
    """A depth map: disparity as float32, 1/metre where `metric`, else 0 (farthest) to 1 (nearest)."""

    disparity: Image
    metric: bool
    convention: str  # how the values were understood, in one sentence
    decided_by: str  # why so
    unknown: int  # pixels that had no value and were filled


@named
def read_depth(path: Path, /, *, kind: Optional[Literal["depth", "disparity", "inverse"]] = None, scale: Optional[float] = None, offset: float = 0,
               invert: bool = False, channel: Optional[str] = None, size: Optional[tuple[int, int]] = None,
               photo: Any = None, max_pixels: int = _MOST_PIXELS) -> Depth:
    """A depth map of PFM, NPY, NPZ, EXR, TIFF or a grey picture, or the one that a phone's photo carries.

    kind: depth, disparity or inverse; by default what the file says or its values betray. photo: the map is brought to
    its size, along its edges; size: (height, width), smoothly. scale: metres of a step, or 1/metre of disparity, to which
    offset is added. invert: near and far change places. channel: of an EXR, or an array of an NPZ.

    >>> import os, tempfile, numpy as np
    >>> from scanlens import io
    >>> path = os.path.join(tempfile.mkdtemp(), "metres.npy")
    >>> np.save(path, np.full((2, 2), 4, np.float32))
    >>> float(io.read_depth(path, kind="depth").disparity[0, 0])
    0.25
    """
    height, width = (whole("size", one) for one in size or (0, 0))
    disparity, metric, convention, decided_by, unknown, remarks = _files.read_depth(
        os.fspath(path), _text("kind", kind), None if scale is None else number_as("scale", scale, "float64"),
        number_as("offset", offset, "float64"), bool(invert), _text("channel", channel), width, height,
        None if photo is None else _on_host(photo), whole("max_pixels", max_pixels))
    _say(path, remarks)
    return Depth(disparity, metric, convention, decided_by, unknown)


@named
def write_depth(path: Path, disparity: Any, /, *, metric: bool = True, overwrite: bool = True) -> None:
    """Writes disparity, float32: .png as 16-bit millimetres, .pfm, .npy and .exr as metres where it is metric; else as it
    is. All say which, and read_depth heeds it.

    >>> import os, tempfile, numpy as np
    >>> from scanlens import io
    >>> io.write_depth(os.path.join(tempfile.mkdtemp(), "map.pfm"), np.ones((2, 2), np.float32))
    """
    _files.write_depth(os.fspath(path), _on_host(disparity), bool(metric), bool(overwrite))

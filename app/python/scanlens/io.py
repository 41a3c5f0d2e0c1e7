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

from ._dispatch import library_of

__all__ = ["Depth", "Remark", "letters", "read_depth", "read_image", "write_depth", "write_image"]

Path = Union[str, "os.PathLike[str]"]
Image = np.ndarray[Any, Any]

_MOST_PIXELS = 2**30


class Remark(UserWarning):
    """What a reader or writer has to say of a file, and may spoil the result."""


def _say(path: Path, remarks: list[tuple[bool, bool, str]]) -> None:
    for warning, _, text in remarks:
        if warning:
            warnings.warn(f"{os.fspath(path)}: {text}", Remark, stacklevel=3)


def _on_host(array: Any) -> Any:
    _, array = library_of(array)
    if isinstance(array, np.ndarray):
        return array
    if hasattr(array, "cpu"):
        return array.detach().cpu().numpy()
    return array.numpy() if hasattr(array, "numpy") else array.get()


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
    array, info, remarks = _files.read(os.fspath(path), max_pixels)
    _say(path, remarks)
    return array, info


def write_image(path: Path, array: Any, /, *, quality: int = 95, info: Any = None, strip: bool = False,
                overwrite: bool = True) -> None:
    """Writes a picture, whole or not at all, in the format of the name. quality: of JPEG and WebP. info: of read_image,
    whose profile, EXIF and XMP go along. strip: without them, converted to sRGB. float32 is linear light.

    >>> import os, tempfile, numpy as np
    >>> from scanlens import io
    >>> io.write_image(os.path.join(tempfile.mkdtemp(), "light.exr"), np.ones((2, 2, 3), np.float32))
    """
    _say(path, _files.write(os.fspath(path), _on_host(array), quality, info, strip, overwrite))


def letters(words: str, height: float, /, *, font: Optional[Path] = None, most_width: int = 16384) -> Image:
    """Words for filters.text: height x width, float32, the share of each pixel that letters cover.

    words: "\\n" begins a line. height: of a line, in pixels; less where words would be wider than most_width. font: a .ttf or
    .otf, one of the system by default.

    >>> from scanlens import io
    >>> io.letters("Ferry", 20).shape[0]
    20
    """
    coverage, font_used, missing = _files.letters(words, height, most_width, "" if font is None else os.fspath(font))
    if missing:
        warnings.warn(f"{font_used}: has no letters for {missing}", Remark, stacklevel=2)
    return coverage


@dataclass(frozen=True)
class Depth:
    """A depth map: disparity as float32, 1/metre where `metric`, else 0 (farthest) to 1 (nearest)."""

    disparity: Image
    metric: bool
    convention: str  # how the values were understood, in one sentence
    decided_by: str  # why so
    unknown: int  # pixels that had no value and were filled


def read_depth(path: Path, /, *, kind: Optional[Literal["depth", "disparity", "inverse"]] = None, scale: Optional[float] = None, offset: float = 0,
               invert: bool = False, channel: Optional[str] = None, size: Optional[tuple[int, int]] = None,
               photo: Any = None, max_pixels: int = _MOST_PIXELS) -> Depth:
    """A depth map of PFM, NPY, NPZ, EXR, TIFF or a grey picture, or the one that a phone's photo carries.

    kind: depth, disparity or inverse; by default what the file says or its values betray. photo: the map is brought to
    its size, along its edges; size: (height, width), smoothly.

    >>> import os, tempfile, numpy as np
    >>> from scanlens import io
    >>> path = os.path.join(tempfile.mkdtemp(), "metres.npy")
    >>> np.save(path, np.full((2, 2), 4, np.float32))
    >>> float(io.read_depth(path, kind="depth").disparity[0, 0])
    0.25
    """
    height, width = size if size is not None else (0, 0)
    disparity, metric, convention, decided_by, unknown, remarks = _files.read_depth(
        os.fspath(path), kind, scale, offset, invert, channel, width, height,
        None if photo is None else _on_host(photo), max_pixels)
    _say(path, remarks)
    return Depth(disparity, metric, convention, decided_by, unknown)


def write_depth(path: Path, disparity: Any, /, *, metric: bool = True, overwrite: bool = True) -> None:
    """Writes disparity, float32: .png as 16-bit millimetres, .pfm, .npy and .exr as metres where it is metric; else as it
    is. All say which, and read_depth heeds it.

    >>> import os, tempfile, numpy as np
    >>> from scanlens import io
    >>> io.write_depth(os.path.join(tempfile.mkdtemp(), "map.pfm"), np.ones((2, 2), np.float32))
    """
    _files.write_depth(os.fspath(path), _on_host(disparity), metric, overwrite)

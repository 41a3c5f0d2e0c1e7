"""Whose an array is, on which stream a call with it runs, and what its other arguments mean."""
from __future__ import annotations

import functools
import os
import sys
from typing import Any, Callable, Optional, TypeVar, cast

import numpy as np

from . import _core
from ._array import Array, ForeignLibrary
from ._libraries import DTYPES, CupyLibrary, Library
from ._torch_library import TorchLibrary

# NumPy 1 has it at its top, NumPy 2 among its exceptions.
AxisError: Any = getattr(np, "AxisError", None) or getattr(np, "exceptions").AxisError

_forked = False


def _note_fork() -> None:
    global _forked
    _forked = True


os.register_at_fork(after_in_child=_note_fork)


_NUMPY, _CUPY, _TORCH, _FOREIGN = Library(), CupyLibrary(), TorchLibrary(), ForeignLibrary()


def library_of(x: Any) -> tuple[Library, Any]:
    """The library of an array, and the array: NumPy's, for sequences and whatever has the buffer protocol."""
    if _forked:  # before torch says so in words of its own
        _core.refuse_forked()
    if type(x) is np.ndarray:
        return _NUMPY, x
    torch = sys.modules.get("torch")
    if torch is not None and isinstance(x, torch.Tensor):
        if not (x.is_cuda or x.is_cpu):
            raise TypeError(f"tensors are taken of the CPU and of CUDA devices; this one is on {x.device}")
        return _TORCH, x
    if type(x).__module__.partition(".")[0] == "cupy":
        return _CUPY, x
    if isinstance(x, Array) or _is_on_cuda(x):
        return _FOREIGN, x
    if not hasattr(x, "__array__") and hasattr(x, "__dlpack__"):
        return _NUMPY, np.from_dlpack(x)
    return _NUMPY, np.asarray(x)


def _is_on_cuda(x: Any) -> bool:
    if hasattr(x, "__dlpack_device__"):
        return int(x.__dlpack_device__()[0]) in (2, 13)
    return hasattr(x, "__cuda_array_interface__")


F = TypeVar("F", bound=Callable[..., Any])


def on_stream(function: F) -> F:
    """Runs calls with stream= where that is the current stream of the first array's library. So what the library does on
    the way goes there, too: conversions, new arrays, reads of a length. Functions themselves never see the argument."""
    @functools.wraps(function)
    def call(*arguments: Any, stream: Any = None, **keywords: Any) -> Any:
        if stream is None or not arguments:
            return function(*arguments, **keywords)
        library, array = library_of(arguments[0])
        with library.on(array, stream):
            library.note((arguments, keywords))
            found = function(*arguments, **keywords)
        library.note(found)
        return found

    return cast(F, call)


def axis_of(axis: int, ndim: int) -> int:
    """The number of the axis, from 0."""
    if not -ndim <= axis < ndim:
        raise AxisError(axis, ndim)
    return axis % ndim


def along(x: Any, axis: Optional[int]) -> tuple[Any, int]:
    """The array and the number of its axis; None flattens it, in C order."""
    if axis is None:
        return (x if len(x.shape) == 1 else x.reshape(-1)), 0
    return x, axis_of(axis, len(x.shape))


def dtype_name(dtype: Any) -> Optional[str]:
    """A dtype by its name, whoever's it is."""
    if dtype is None:
        return None
    if isinstance(dtype, str) and dtype in DTYPES:
        return dtype
    name = str(dtype).rsplit(".", 1)[-1]
    if name not in DTYPES:
        name = np.dtype(dtype).name
    if name not in DTYPES:
        raise TypeError(f"dtype is {name}; take one of {', '.join(DTYPES)}")
    return name

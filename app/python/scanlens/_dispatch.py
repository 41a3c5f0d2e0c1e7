"""Whose an array is, on which stream a call with it runs, and what its other arguments mean."""
from __future__ import annotations

import functools
import math
import operator
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

# Types that a call converts to if the core lacks theirs, so that no value is lost on the way.
WIDER = {"bool": "int32", "uint8": "int32", "int8": "int32", "uint16": "int32", "int16": "int32",
         "float16": "float32", "bfloat16": "float32"}

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
    if isinstance(x, np.ma.MaskedArray):
        raise TypeError("masked arrays are not taken, since their masks would be lost; give x.filled(value), or x.compressed()")
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


def is_jax(x: Any) -> bool:
    jax = sys.modules.get("jax")
    return jax is not None and isinstance(x, jax.Array)


def _as_jax(found: Any) -> Any:
    """The arrays of a result as JAX's: its arrays cannot be written, so that calls write to others."""
    jax = sys.modules["jax"]
    if isinstance(found, Array):
        return jax.dlpack.from_dlpack(found)
    if isinstance(found, (np.ndarray, np.generic)):
        return jax.numpy.asarray(found)
    if isinstance(found, tuple):
        parts = [_as_jax(one) for one in found]
        return type(found)(*parts) if hasattr(found, "_fields") else tuple(parts)
    return found


F = TypeVar("F", bound=Callable[..., Any])


def named(function: F) -> F:
    """Begins the errors of calls with the function's name. stream= is the current stream of the first array's library for
    the call, so that what the library does on the way goes there, too: conversions, new arrays, reads of a length.
    dim= is torch's word for axis=."""
    name = function.__name__

    def on_stream(stream: Any, arguments: Any, keywords: Any) -> Any:
        library, array = library_of(arguments[0])
        with library.on(array, stream):
            library.note((arguments, keywords))
            found = function(*arguments, **keywords)
        library.note(found)
        return found

    @functools.wraps(function)
    def call(*arguments: Any, stream: Any = None, **keywords: Any) -> Any:
        try:
            if "dim" in keywords:
                keywords["axis"] = keywords.pop("dim")
            if stream is None or not arguments:
                found = function(*arguments, **keywords)
            else:
                found = on_stream(stream, arguments, keywords)
            if "jax" in sys.modules and arguments and is_jax(arguments[0]) and keywords.get("out") is None:
                return _as_jax(found)
            return found
        except (TypeError, ValueError, IndexError, BufferError, OverflowError) as error:
            message = str(error)
            if message.startswith(name):
                raise
            kind = ValueError if isinstance(error, OverflowError) else type(error)
            raise kind(f"{name}: {message}") from error.__cause__

    return cast(F, call)


def checked_out(out: Any) -> Any:
    """What a caller gives as out: an array that can be written."""
    if isinstance(out, np.ndarray):
        if not out.flags.writeable:
            raise ValueError("out is read-only; give an array that can be written")
    elif is_jax(out) or not (hasattr(out, "__dlpack__") or hasattr(out, "__cuda_array_interface__")):
        raise TypeError(f"out is a {type(out).__name__}; give an array that can be written, or leave it out")
    return out


def whole(what: str, value: Any) -> int:
    """A whole number, whatever type of Python's or NumPy's has it."""
    try:
        return operator.index(value)
    except TypeError:
        raise TypeError(f"{what} is {value!r}; give a whole number") from None


def axis_of(axis: Any, ndim: int) -> int:
    """The number of the axis, from 0."""
    if isinstance(axis, (tuple, list)):
        raise TypeError(f"axis is {axis!r}; give one number, and reshape an array to join axes")
    number = axis if type(axis) is int else whole("axis", axis)
    if not -ndim <= number < ndim:
        raise AxisError(f"axis {number} is out of bounds; the array has {ndim} axes")
    return number % ndim


def along(x: Any, axis: Optional[int]) -> tuple[Any, int]:
    """The array and the number of its axis; None flattens it, in C order."""
    if axis is None:
        return (x if len(x.shape) == 1 else x.reshape(-1)), 0
    return x, axis_of(axis, len(x.shape))


def size_of(x: Any) -> int:
    return math.prod(x.shape)


def number_as(what: str, value: Any, dtype: str) -> Any:
    """A number of Python's that the type holds."""
    if "float" in dtype:
        try:
            return float(value)
        except (TypeError, ValueError):
            raise TypeError(f"{what} is {value!r}; give a number") from None
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    try:
        number = operator.index(value)
    except TypeError:
        kind = ValueError if isinstance(value, (float, np.floating)) else TypeError
        raise kind(f"{what} is {value!r}; give a whole number, since the type is {dtype}") from None
    least, most = (0, 1) if dtype == "bool" else (int(np.iinfo(dtype).min), int(np.iinfo(dtype).max))
    if not least <= number <= most:
        raise ValueError(f"{what} is {number}; give {least} to {most}, since the type is {dtype}")
    return number


def dtype_name(dtype: Any) -> str:
    """A dtype by its name, whoever's it is."""
    if isinstance(dtype, str) and dtype in DTYPES:
        return dtype
    name = str(dtype).rsplit(".", 1)[-1]
    if name not in DTYPES:
        name = np.dtype(dtype).name
    if name not in DTYPES:
        raise TypeError(f"dtype is {name}; give one of {', '.join(DTYPES)}")
    return name

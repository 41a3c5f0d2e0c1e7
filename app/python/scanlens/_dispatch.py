"""Whose an array is, on which device and stream it lives, and how the others are made that go with it."""
from __future__ import annotations

import functools
import os
import sys
import threading
from contextlib import contextmanager
from typing import Any, Callable, Iterator, Optional, TypeVar, cast

import numpy as np

from . import _core
from ._array import Array, code_of

# NumPy 1 has it at its top, NumPy 2 among its exceptions.
AxisError: Any = getattr(np, "AxisError", None) or getattr(np, "exceptions").AxisError

DTYPES = ("bool", "uint8", "int8", "uint16", "int16", "uint32", "int32", "uint64", "int64",
          "float16", "bfloat16", "float32", "float64")

_FLOATS = ("float16", "float32", "float64")

# Streams that contexts were opened on live as long as these: a handle must not become another stream's.
_kept_streams: dict[int, Any] = {}


_forked = False


def _note_fork() -> None:
    global _forked
    _forked = True


os.register_at_fork(after_in_child=_note_fork)


def stream_number(stream: Any) -> int:
    """The cudaStream_t of an int, or of a stream of torch's, cupy's or cuda.core's."""
    if isinstance(stream, int):
        return stream
    for name in ("cuda_stream", "ptr"):
        if hasattr(stream, name):
            return int(getattr(stream, name))
    if hasattr(stream, "__cuda_stream__"):
        found = stream.__cuda_stream__
        return int((found() if callable(found) else found)[1])
    raise TypeError(f"stream is a {type(stream).__name__}; give a number, or a stream of torch or cupy")


class Library:
    """NumPy; the others differ where they say so."""

    unsigned_sum = "uint64"  # what sums of unsigned integers are kept in

    def __init__(self) -> None:
        self._names: dict[Any, str] = {}  # of types that are taken: NumPy makes a name anew each time

    def dtype(self, x: Any) -> str:
        known = self._names.get(x.dtype)
        if known is not None:
            return known
        name: str = x.dtype.name
        if name not in DTYPES:
            raise TypeError(f"{name} arrays are not taken; take one of {', '.join(DTYPES)}")
        if not x.dtype.isnative:
            raise TypeError(f"arrays in foreign byte order are not taken; take x.astype('{name}')")
        self._names[x.dtype] = name
        return name

    def stream(self, x: Any) -> int:
        """The stream that a call on x runs on: the library's current one."""
        return 0

    def on(self, x: Any, stream: Any) -> Any:
        """A context in which `stream` is the library's current one on x's device."""
        raise ValueError("stream is for arrays on a CUDA device")

    def note(self, values: Any) -> None:
        """Tells the allocator that the arrays among values are used on the current stream, too."""

    def give(self, x: Any, stream: int) -> Any:
        """What the core takes x as."""
        return x if x.flags.aligned else x.copy()

    def take(self, out: Any, stream: int) -> Any:
        """What the core writes to."""
        if not out.flags.writeable:
            raise ValueError("out is read-only")
        return out

    def like(self, x: Any, dtype: str) -> Any:
        """An array of x's shape, and of its order of axes in memory. Floats begin at a multiple of 64 bytes: the CPU's
        sums are paired by where they go, so that the same call gives the same bits."""
        like = np.empty_like(x, dtype=dtype, subok=False)
        if dtype not in _FLOATS or _core.address(like) % 64 == 0:
            return like
        memory = np.empty(like.nbytes + 63, np.uint8)
        return np.ndarray(like.shape, like.dtype, memory, -_core.address(memory) % 64, like.strides)

    def empty(self, x: Any, shape: Any, dtype: str) -> Any:
        return np.empty(shape, dtype)

    def convert(self, x: Any, dtype: str) -> Any:
        """A copy of another type, or x."""
        return x.astype(dtype, copy=False)

    def view(self, x: Any, dtype: str) -> Any:
        """The same bytes."""
        return x.view(dtype)

    def arange(self, x: Any, count: int, dtype: str = "int64") -> Any:
        return np.arange(count, dtype=dtype)

    def result(self, zero_d: Any) -> Any:
        """What a function returns for a single value."""
        return zero_d[()]

    def assign(self, out: Any, values: Any) -> None:
        out[...] = values

    def nan_is_positive(self, x: Any) -> Any:
        bad = np.isnan(x)
        return np.where(bad, np.array(np.nan, x.dtype), x) if bad.any() else x

    def count_equal(self, x: Any, value: float) -> Any:
        return (x == value).sum()

    def where(self, condition: Any, yes: Any, no: Any) -> Any:
        return np.where(condition, yes, no)

    def index(self, x: Any, values: Any) -> Any:
        """An array of numbers to index x by."""
        return np.asarray(values, dtype=np.int64)


class CupyLibrary(Library):
    """CuPy: on its current stream."""

    @property
    def _xp(self) -> Any:
        return sys.modules["cupy"]

    def stream(self, x: Any) -> int:
        with x.device:
            stream = self._xp.cuda.get_current_stream()
        number = stream_number(stream)
        if number not in _kept_streams:
            _kept_streams[number] = stream
        return number

    @contextmanager
    def on(self, x: Any, stream: Any) -> Iterator[None]:
        cuda, number = self._xp.cuda, stream_number(stream)
        _kept_streams.setdefault(number, stream)
        if type(stream).__module__.partition(".")[0] != "cupy":
            # Stream.from_external is no remedy for ExternalStream: it destroys the stream at its own end.
            stream = cuda.Stream.null if number in (0, 1) else cuda.ExternalStream(number)
        with x.device, stream:
            yield

    def give(self, x: Any, stream: int) -> Any:
        return x.__dlpack__(stream=-1)

    def take(self, out: Any, stream: int) -> Any:
        return out.__dlpack__(stream=-1)

    def like(self, x: Any, dtype: str) -> Any:
        with x.device:
            return self._xp.empty_like(x, dtype=dtype)

    def empty(self, x: Any, shape: Any, dtype: str) -> Any:
        with x.device:
            return self._xp.empty(shape, dtype)

    def arange(self, x: Any, count: int, dtype: str = "int64") -> Any:
        with x.device:
            return self._xp.arange(count, dtype=dtype)

    def result(self, zero_d: Any) -> Any:
        return zero_d

    def nan_is_positive(self, x: Any) -> Any:
        return self._xp.where(self._xp.isnan(x), self._xp.asarray(np.nan, x.dtype), x)

    def where(self, condition: Any, yes: Any, no: Any) -> Any:
        return self._xp.where(condition, yes, no)

    def index(self, x: Any, values: Any) -> Any:
        with x.device:
            return self._xp.asarray(values, dtype="int64")


def _members(values: Any) -> Iterator[Any]:
    """What is in tuples, lists and dictionaries, however deep."""
    if isinstance(values, (tuple, list)):
        for one in values:
            yield from _members(one)
    elif isinstance(values, dict):
        yield from _members(list(values.values()))
    else:
        yield values


class TorchLibrary(Library):
    """PyTorch, on the CPU and on its current CUDA stream."""

    unsigned_sum = "int64"

    def __init__(self) -> None:
        super().__init__()
        self._dtypes: dict[str, Any] = {}

    # Calls of small arrays take as long as what surrounds them: what torch is asked for each time is kept.
    @functools.cached_property
    def _torch(self) -> Any:
        return sys.modules["torch"]

    @functools.cached_property
    def _empty_like(self) -> Any:
        return self._torch.empty_like

    @functools.cached_property
    def _capsule(self) -> Any:
        """x.__dlpack__(stream=-1) is the same, by more of Python."""
        return self._torch.utils.dlpack.to_dlpack

    @functools.cached_property
    def _current_stream(self) -> Callable[[int], int]:
        """The number of a device's current stream: what torch's own compiled code calls, where it is there."""
        def of_object(index: int) -> int:
            return int(self._torch.cuda.current_stream(index).cuda_stream)

        return cast(Callable[[int], int], getattr(self._torch._C, "_cuda_getCurrentRawStream", of_object))

    def _dtype(self, name: str) -> Any:
        found = self._dtypes.get(name)
        if found is None:
            found = self._dtypes[name] = getattr(self._torch, name)
        return found

    def dtype(self, x: Any) -> str:
        name = self._names.get(x.dtype)
        if name is None:
            name = str(x.dtype).rsplit(".", 1)[-1]
            if name not in DTYPES:
                raise TypeError(f"{name} tensors are not taken; take one of {', '.join(DTYPES)}")
            self._names[x.dtype] = name
        if x.requires_grad and self._torch.is_grad_enabled():
            raise TypeError("a tensor that requires grad has to go through scanlens.torch, or be detached")
        return name

    def stream(self, x: Any) -> int:
        return self._current_stream(x.get_device()) if x.is_cuda else 0

    def on(self, x: Any, stream: Any) -> Any:
        if not x.is_cuda:
            return super().on(x, stream)
        cuda, number = self._torch.cuda, stream_number(stream)
        # torch makes a new stream of ExternalStream(0), and knows the legacy stream as its default one.
        return cuda.stream(cuda.default_stream(x.device) if number in (0, 1)
                           else cuda.ExternalStream(number, device=x.device))

    def note(self, values: Any) -> None:
        for one in _members(values):
            if isinstance(one, self._torch.Tensor) and one.is_cuda:
                one.detach().record_stream(self._torch.cuda.current_stream(one.device))

    def give(self, x: Any, stream: int) -> Any:
        return self._capsule(x.detach() if x.requires_grad else x)

    def take(self, out: Any, stream: int) -> Any:
        return self.give(out, stream)

    def like(self, x: Any, dtype: str) -> Any:
        return self._empty_like(x, dtype=self._dtype(dtype))

    def empty(self, x: Any, shape: Any, dtype: str) -> Any:
        return self._torch.empty(shape, dtype=self._dtype(dtype), device=x.device)

    def convert(self, x: Any, dtype: str) -> Any:
        return x.to(self._dtype(dtype))

    def view(self, x: Any, dtype: str) -> Any:
        return x.view(self._dtype(dtype))

    def arange(self, x: Any, count: int, dtype: str = "int64") -> Any:
        return self._torch.arange(count, dtype=getattr(self._torch, dtype), device=x.device)

    def result(self, zero_d: Any) -> Any:
        return zero_d

    def assign(self, out: Any, values: Any) -> None:
        out.copy_(values)

    def nan_is_positive(self, x: Any) -> Any:
        return self._torch.where(self._torch.isnan(x), float("nan"), x)

    def where(self, condition: Any, yes: Any, no: Any) -> Any:
        return self._torch.where(condition, yes, no)

    def index(self, x: Any, values: Any) -> Any:
        return self._torch.as_tensor(values, dtype=self._torch.int64, device=x.device)


class ForeignLibrary(Library):
    """Arrays on a CUDA device that only export DLPack (jax) or __cuda_array_interface__ (numba). Work goes to a stream of
    the module's own, which waits for theirs; results are scanlens.Array."""

    def dtype(self, x: Any) -> str:
        name = str(np.dtype(x.dtype).name) if not isinstance(x, Array) else x.dtype
        if name not in DTYPES:
            raise TypeError(f"{name} arrays are not taken; take one of {', '.join(DTYPES)}")
        return name

    def _ordinal(self, x: Any) -> int:
        if hasattr(x, "__dlpack_device__"):
            return int(x.__dlpack_device__()[1])
        return int(_core.device_of_address(x.__cuda_array_interface__["data"][0]))

    def __init__(self) -> None:
        super().__init__()
        self._given = threading.local()

    def stream(self, x: Any) -> int:
        given: Optional[int] = getattr(self._given, "stream", None)
        if given is not None:
            return given
        return x.stream if isinstance(x, Array) else int(_core.own_stream(self._ordinal(x)))

    @contextmanager
    def on(self, x: Any, stream: Any) -> Iterator[None]:
        self._given.stream = stream_number(stream)
        try:
            yield
        finally:
            self._given.stream = None

    def give(self, x: Any, stream: int) -> Any:
        if hasattr(x, "__dlpack__"):
            return x.__dlpack__(stream=stream)
        facts = x.__cuda_array_interface__
        ordinal, theirs = self._ordinal(x), facts.get("stream")
        if theirs == 0:
            raise ValueError("__cuda_array_interface__: stream 0 is ambiguous; use 1 or 2")
        if theirs is not None:
            _core.order_streams(ordinal, stream, theirs, False)
        dtype = np.dtype(facts["typestr"])
        strides = facts.get("strides")
        if strides is not None:
            strides = [step // dtype.itemsize for step in strides]
        return _core.wrap(facts["data"][0], list(facts["shape"]), strides, *code_of(dtype.name), ordinal, x)

    def take(self, out: Any, stream: int) -> Any:
        return self.give(out, stream)

    def like(self, x: Any, dtype: str) -> Any:
        return self.empty(x, x.shape, dtype)

    def empty(self, x: Any, shape: Any, dtype: str) -> Any:
        return Array(shape, dtype, self._ordinal(x), self.stream(x))

    def convert(self, x: Any, dtype: str) -> Any:
        if self.dtype(x) == dtype:
            return x
        raise TypeError(f"{self.dtype(x)} is not taken here, and cannot be converted to {dtype} on this device")

    def view(self, x: Any, dtype: str) -> Any:
        return x.seen_as(dtype)

    def result(self, zero_d: Any) -> Any:
        return zero_d

    def arange(self, x: Any, count: int, dtype: str = "int64") -> Any:
        raise TypeError("arrays of this library are not taken here; use torch or cupy")

    def nan_is_positive(self, x: Any) -> Any:
        return x

    def count_equal(self, x: Any, value: float) -> Any:
        raise TypeError("arrays of this library are not taken here; use torch or cupy")


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


def forget_streams() -> None:
    _kept_streams.clear()

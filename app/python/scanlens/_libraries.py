"""What calls need of an array's library: types, the current stream, and arrays that go with it. NumPy and CuPy."""
from __future__ import annotations

import sys
from contextlib import contextmanager
from typing import Any, Iterator

import numpy as np

from . import _core

DTYPES = ("bool", "uint8", "int8", "uint16", "int16", "uint32", "int32", "uint64", "int64",
          "float16", "bfloat16", "float32", "float64")

# NumPy looks up a type by its name anew each time.
_TYPES: dict[str, Any] = {name: np.dtype(name) for name in DTYPES if name != "bfloat16"}
_BYTES = _TYPES["uint8"]
_PLACE_FREE = 32768  # bytes of a sum of floats up to which the core pairs them alike wherever they go

# Streams that contexts were opened on live as long as these: a handle must not become another stream's.
_kept_streams: dict[int, Any] = {}


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


def forget_streams() -> None:
    _kept_streams.clear()


class Library:
    """NumPy; the others differ where they say so."""

    unsigned_sum = "uint64"  # what sums of unsigned integers are kept in

    @property
    def xp(self) -> Any:
        """Its functions of elements, which NumPy, CuPy and torch call by the same names."""
        return np

    def __init__(self) -> None:
        self._names: dict[Any, str] = {}  # of types that are taken: NumPy makes a name anew each time

    def dtype(self, x: Any) -> str:
        known = self._names.get(x.dtype)
        if known is not None:
            return known
        name: str = x.dtype.name
        if name not in DTYPES:
            raise TypeError(f"{name} arrays are not taken; convert it to one of {', '.join(DTYPES)}")
        if not x.dtype.isnative:
            raise TypeError(f"arrays in foreign byte order are not taken; give x.astype('{name}')")
        self._names[x.dtype] = name
        return name

    def stream(self, x: Any) -> int:
        """The stream that a call on x runs on: the library's current one."""
        return 0

    def is_capturing(self, x: Any) -> bool:
        """True if calls on x become part of a CUDA graph, so that nothing can be read."""
        return False

    def on(self, x: Any, stream: Any) -> Any:
        """A context in which `stream` is the library's current one on x's device."""
        raise ValueError("stream is for arrays on a CUDA device")

    def note(self, values: Any) -> None:
        """Tells the allocator that the arrays among values are used on the current stream, too."""

    def on_host(self, x: Any) -> bool:
        """True if x lies in host memory: calls on it are done when they return."""
        return True

    def give(self, x: Any, stream: int) -> Any:
        """What the core takes x as."""
        return self._known(x if x.flags.aligned else x.copy())

    def take(self, out: Any, stream: int) -> Any:
        """What the core writes to: an array that a call has made, or checked_out()."""
        return self._known(out)

    def _known(self, x: Any) -> Any:
        """The array, in DLPack's words where its type is not NumPy's own: ml_dtypes' bfloat16. NumPy before 1.25 hands
        no bool on."""
        kind = x.dtype.kind
        if kind == "b":
            return x.view(_BYTES)
        if kind != "V":
            return x
        return _core.wrap(x.__array_interface__["data"][0], list(x.shape), [step // 2 for step in x.strides], 4, 16, -1, x)

    def like(self, x: Any, dtype: str) -> Any:
        """An array of x's shape, and of its order of axes in memory. Long floats begin at a multiple of 64 bytes: the
        CPU's sums are paired by where they go, so that the same call gives the same bits."""
        kind = _TYPES.get(dtype) or np.dtype(dtype)
        if "float" not in dtype or x.size * kind.itemsize <= _PLACE_FREE:
            return np.empty(x.shape, kind) if x.ndim == 1 else np.empty_like(x, kind, subok=False)
        room = np.empty(x.size + 64 // kind.itemsize, kind)
        skipped = -_core.address(room) % 64 // kind.itemsize
        if x.flags.c_contiguous:
            return room[skipped : skipped + x.size].reshape(x.shape)
        return np.ndarray(x.shape, kind, room, skipped * kind.itemsize, np.empty_like(x, kind, subok=False).strides)

    def empty(self, x: Any, shape: Any, dtype: str) -> Any:
        return np.empty(shape, _TYPES.get(dtype, dtype))

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

    def index(self, x: Any, values: Any, dtype: str = "int64") -> Any:
        """An array of numbers, such as to index x by. Whole ones are not made of fractions."""
        found = self.xp.asarray(values)
        if dtype == "int64" and found.dtype.kind not in "iub" and found.size:
            raise TypeError(f"indices are {found.dtype.name}; give whole numbers")
        return found.astype(dtype, copy=False)


class CupyLibrary(Library):
    """CuPy: on its current stream."""

    @property
    def xp(self) -> Any:
        return sys.modules["cupy"]

    def stream(self, x: Any) -> int:
        with x.device:
            stream = self.xp.cuda.get_current_stream()
        number = stream_number(stream)
        if number not in _kept_streams:
            _kept_streams[number] = stream
        return number

    def is_capturing(self, x: Any) -> bool:
        with x.device:
            return bool(self.xp.cuda.get_current_stream().is_capturing())

    @contextmanager
    def on(self, x: Any, stream: Any) -> Iterator[None]:
        cuda, number = self.xp.cuda, stream_number(stream)
        _kept_streams.setdefault(number, stream)
        if type(stream).__module__.partition(".")[0] != "cupy":
            # Stream.from_external is no remedy for ExternalStream: it destroys the stream at its own end.
            stream = cuda.Stream.null if number in (0, 1) else cuda.ExternalStream(number)
        with x.device, stream:
            yield

    def on_host(self, x: Any) -> bool:
        return False

    def give(self, x: Any, stream: int) -> Any:
        return x.__dlpack__(stream=-1)

    def take(self, out: Any, stream: int) -> Any:
        return out.__dlpack__(stream=-1)

    def like(self, x: Any, dtype: str) -> Any:
        with x.device:
            return self.xp.empty_like(x, dtype=dtype)

    def empty(self, x: Any, shape: Any, dtype: str) -> Any:
        with x.device:
            return self.xp.empty(shape, dtype)

    def arange(self, x: Any, count: int, dtype: str = "int64") -> Any:
        with x.device:
            return self.xp.arange(count, dtype=dtype)

    def result(self, zero_d: Any) -> Any:
        return zero_d

    def index(self, x: Any, values: Any, dtype: str = "int64") -> Any:
        with x.device:
            return super().index(x, values, dtype)

"""Libraries that have no empty array on a CUDA device to offer, and results for them."""
from __future__ import annotations

import math
import threading
from contextlib import contextmanager
from typing import Any, Iterator, Optional, Sequence

import numpy as np

from . import _core
from ._libraries import DTYPES, Library, stream_number

_CODES = {"int": 0, "uint": 1, "float": 2, "bfloat": 4, "bool": 6}


def code_of(dtype: str) -> tuple[int, int]:
    """DLPack's code and bits of a type."""
    kind = dtype.rstrip("0123456789")
    return _CODES[kind], int(dtype[len(kind):] or 8)


class Array:
    """Device memory that DLPack and __cuda_array_interface__ hand on: ``torch.from_dlpack(array)``. Work on it is ordered
    on ``stream``; whoever takes it by DLPack names the stream that is to wait."""

    def __init__(self, shape: Any, dtype: str, ordinal: int, stream: int) -> None:
        self.shape: tuple[int, ...] = (shape,) if isinstance(shape, int) else tuple(shape)
        self.dtype = dtype
        self.ordinal = ordinal
        self.stream = stream
        self._bits = code_of(dtype)
        self._offset = 0
        self._memory = _core.DeviceMemory(math.prod(self.shape) * self._bits[1] // 8, ordinal, stream)

    @property
    def ndim(self) -> int:
        return len(self.shape)

    @property
    def size(self) -> int:
        return math.prod(self.shape)

    @property
    def _address(self) -> int:
        return int(self._memory.address) + self._offset

    def _part(self, shape: Sequence[int], dtype: str, offset: int) -> Array:
        """An array in the same memory."""
        part = object.__new__(Array)
        part.shape, part.dtype, part.ordinal, part.stream = tuple(shape), dtype, self.ordinal, self.stream
        part._bits, part._offset, part._memory = code_of(dtype), self._offset + offset, self._memory
        return part

    def seen_as(self, dtype: str) -> Array:
        """The same bytes as elements of another type, of one axis."""
        return self._part((self.size * self._bits[1] // code_of(dtype)[1],), dtype, 0)

    def __getitem__(self, key: Any) -> Array:
        if isinstance(key, int) and self.ndim == 1:
            return self._part((), self.dtype, key * self._bits[1] // 8)
        if isinstance(key, slice) and key.start is None and key.step is None and self.ndim == 1:
            return self._part((len(range(*key.indices(self.size))),), self.dtype, 0)
        raise IndexError("scanlens.Array takes [:count] and [number] only; hand it to torch or cupy by DLPack")

    def __len__(self) -> int:
        return self.shape[0]

    def __dlpack_device__(self) -> tuple[int, int]:
        return 2, self.ordinal

    def __dlpack__(self, *, stream: Optional[int] = None, max_version: Any = None, dl_device: Any = None,
                   copy: Optional[bool] = None) -> Any:
        if stream == 0:
            raise ValueError("stream 0 is ambiguous; use 1 for the legacy default stream, or 2")
        if stream != -1:
            _core.order_streams(self.ordinal, self.stream, 1 if stream is None else stream, True)
        return _core.wrap(self._address, list(self.shape), None, *self._bits, self.ordinal,
                          self).__dlpack__(max_version=max_version)

    @property
    def __cuda_array_interface__(self) -> dict[str, Any]:
        return {"shape": self.shape, "typestr": np.dtype(self.dtype).str, "data": (self._address, False),
                "strides": None, "version": 3, "stream": self.stream or 1}

    def numpy(self) -> np.ndarray[Any, Any]:
        """A copy on the host. Waits for the work so far."""
        host = np.empty(self.shape, self.dtype)
        self._memory.to_host(host, self._offset)
        return host

    def item(self) -> Any:
        return self.numpy().item()

    def __int__(self) -> int:
        return int(self.item())

    def __repr__(self) -> str:
        return f"scanlens.Array(shape={self.shape}, dtype={self.dtype}, device=cuda:{self.ordinal})"


class ForeignLibrary(Library):
    """Arrays on a CUDA device that only export DLPack (jax) or __cuda_array_interface__ (numba). Work goes to a stream of
    the module's own, which waits for theirs; results are scanlens.Array."""

    @property
    def xp(self) -> Any:
        raise TypeError("arrays of this library are not taken here; hand them on by DLPack to torch or cupy")

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

    def on_host(self, x: Any) -> bool:
        return False

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

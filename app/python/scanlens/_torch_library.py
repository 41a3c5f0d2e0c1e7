"""What calls need of PyTorch, which is never imported here."""
from __future__ import annotations

import functools
import sys
from typing import Any, Callable, Iterator, cast

from ._libraries import DTYPES, Library, stream_number


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
    def xp(self) -> Any:
        return sys.modules["torch"]

    @functools.cached_property
    def _empty_like(self) -> Any:
        return self.xp.empty_like

    @functools.cached_property
    def _capsule(self) -> Any:
        """x.__dlpack__(stream=-1) is the same, by more of Python."""
        return self.xp.utils.dlpack.to_dlpack

    @functools.cached_property
    def _current_stream(self) -> Callable[[int], int]:
        """The number of a device's current stream: what torch's own compiled code calls, where it is there."""
        def of_object(index: int) -> int:
            return int(self.xp.cuda.current_stream(index).cuda_stream)

        return cast(Callable[[int], int], getattr(self.xp._C, "_cuda_getCurrentRawStream", of_object))

    def _dtype(self, name: str) -> Any:
        found = self._dtypes.get(name)
        if found is None:
            found = self._dtypes[name] = getattr(self.xp, name)
        return found

    def dtype(self, x: Any) -> str:
        name = self._names.get(x.dtype)
        if name is None:
            name = str(x.dtype).rsplit(".", 1)[-1]
            if name not in DTYPES:
                raise TypeError(f"{name} tensors are not taken; take one of {', '.join(DTYPES)}")
            self._names[x.dtype] = name
        if x.requires_grad and self.xp.is_grad_enabled():
            raise TypeError("a tensor that requires grad has to go through scanlens.torch, or be detached")
        return name

    def stream(self, x: Any) -> int:
        return self._current_stream(x.get_device()) if x.is_cuda else 0

    def is_capturing(self, x: Any) -> bool:
        return bool(x.is_cuda and self.xp.cuda.is_current_stream_capturing())

    def on(self, x: Any, stream: Any) -> Any:
        if not x.is_cuda:
            return super().on(x, stream)
        cuda, number = self.xp.cuda, stream_number(stream)
        # torch makes a new stream of ExternalStream(0), and knows the legacy stream as its default one.
        return cuda.stream(cuda.default_stream(x.device) if number in (0, 1)
                           else cuda.ExternalStream(number, device=x.device))

    def note(self, values: Any) -> None:
        for one in _members(values):
            if isinstance(one, self.xp.Tensor) and one.is_cuda:
                one.detach().record_stream(self.xp.cuda.current_stream(one.device))

    def on_host(self, x: Any) -> bool:
        return not x.is_cuda

    def give(self, x: Any, stream: int) -> Any:
        if x.dtype is self.xp.bool:
            x = x.view(self.xp.uint8)  # PyTorch before 2.0 hands no bool on
        return self._capsule(x.detach() if x.requires_grad else x)

    def take(self, out: Any, stream: int) -> Any:
        return self.give(out, stream)

    def like(self, x: Any, dtype: str) -> Any:
        return self._empty_like(x, dtype=self._dtype(dtype))

    def empty(self, x: Any, shape: Any, dtype: str) -> Any:
        return self.xp.empty(shape, dtype=self._dtype(dtype), device=x.device)

    def convert(self, x: Any, dtype: str) -> Any:
        return x.to(self._dtype(dtype))

    def view(self, x: Any, dtype: str) -> Any:
        return x.view(self._dtype(dtype))

    def arange(self, x: Any, count: int, dtype: str = "int64") -> Any:
        return self.xp.arange(count, dtype=self._dtype(dtype), device=x.device)

    def result(self, zero_d: Any) -> Any:
        return zero_d

    def assign(self, out: Any, values: Any) -> None:
        out.copy_(values)

    def index(self, x: Any, values: Any, dtype: str = "int64") -> Any:
        if dtype != "int64":
            return self.xp.as_tensor(values, dtype=self._dtype(dtype), device=x.device)
        found = self.xp.as_tensor(values, device=x.device)
        if (found.is_floating_point() or found.is_complex()) and found.numel():
            raise TypeError(f"indices are {found.dtype}; give whole numbers")
        return found.to(self._dtype(dtype))

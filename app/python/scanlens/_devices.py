"""Devices, threads, memory."""
from __future__ import annotations

import sys
from typing import Any, NamedTuple

from . import _core
from ._dispatch import whole
from ._libraries import forget_streams


class Device(NamedTuple):
    """A device that calls can run on: the CPU, or a CUDA device that arrays live on."""

    id: str
    name: str
    detail: str
    passed_over: str


def devices() -> list[Device]:
    """The devices that work here, the CPU last.

    >>> import scanlens
    >>> scanlens.devices()[-1].id
    'cpu'
    """
    return [Device(*one) for one in _core.devices()]


def threads(count: int = 0) -> None:
    """Lets calls on the CPU use so many threads; 0: as many as there are. Scans of floats have the same bits on every
    run with as many threads, all else with any number.

    >>> import scanlens
    >>> scanlens.threads(0)
    """
    count = whole("threads: the number", count)
    if not 0 <= count < 2**31:
        raise ValueError(f"threads: the number is {count!r}; give 0 or more")
    _core.threads(count)


def trim() -> None:
    """Frees the scratch memory that calls have left for the next ones. Waits for the work so far. Graphs that recorded
    calls must not be replayed afterwards.

    >>> import scanlens
    >>> scanlens.trim()
    """
    _core.trim()
    forget_streams()


def use_allocator(name: str) -> None:
    """Whence scratch memory on CUDA devices comes: "own" (cudaMalloc, kept; the default), "torch" (its caching
    allocator) or "pool" (the device's memory pool). Trims.

    >>> import scanlens
    >>> scanlens.use_allocator("own")
    """
    if name not in ("own", "torch", "pool"):
        raise ValueError(f"use_allocator: the name is '{name}', but has to be one of own, torch, pool")
    allocate: Any = None
    release: Any = None
    if name == "torch":
        torch = sys.modules.get("torch")
        if torch is None:
            raise ValueError("use_allocator: torch is not imported")
        allocate, release = torch.cuda.caching_allocator_alloc, torch.cuda.caching_allocator_delete
    _core.use_allocator(name, allocate, release)
    forget_streams()


def cuda_info() -> dict[str, Any]:
    """Whether this build has CUDA, and the CUDA devices that work.

    >>> import scanlens
    >>> sorted(scanlens.cuda_info())
    ['built_with_cuda', 'devices']
    """
    return {"built_with_cuda": _core.with_cuda, "devices": [one for one in devices() if one.id.startswith("cuda")]}

"""What type checkers know of calls: the types of sums, and that lists come back as NumPy's arrays."""
from __future__ import annotations

from typing import TYPE_CHECKING, Any, Callable, Concatenate, Optional, ParamSpec, Protocol, Sequence, TypeVar, overload

import numpy as np

from ._dispatch import named

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from typing_extensions import TypedDict, Unpack

    class ScanOptions(TypedDict, total=False):
        dim: int
        out: Any
        exclusive: bool
        reverse: bool
        initial: Any
        stream: Any

P = ParamSpec("P")
A = TypeVar("A")
F = TypeVar("F", bound="np.floating[Any]")


class Same(Protocol[P]):
    """A function whose result is an array like the first one."""

    __name__: str

    @overload
    def __call__(self, x: Sequence[Any], /, *arguments: P.args, **keywords: P.kwargs) -> NDArray[Any]: ...
    @overload
    def __call__(self, x: A, /, *arguments: P.args, **keywords: P.kwargs) -> A: ...


class Sums(Protocol):
    """Cumulative sums and products: int64 of signed integers and bool, uint64 of unsigned ones, floats stay."""

    __name__: str

    @overload
    def __call__(self, x: NDArray[np.unsignedinteger[Any]], /, axis: Optional[int] = None, *, dtype: None = None,
                 **options: Unpack[ScanOptions]) -> NDArray[np.uint64]: ...
    @overload
    def __call__(self, x: NDArray[np.signedinteger[Any] | np.bool_], /, axis: Optional[int] = None, *,
                 dtype: None = None, **options: Unpack[ScanOptions]) -> NDArray[np.int64]: ...
    @overload
    def __call__(self, x: NDArray[F], /, axis: Optional[int] = None, *, dtype: None = None,
                 **options: Unpack[ScanOptions]) -> NDArray[F]: ...
    @overload
    def __call__(self, x: Sequence[Any] | NDArray[Any], /, axis: Optional[int] = None, *, dtype: Any = None,
                 **options: Unpack[ScanOptions]) -> NDArray[Any]: ...
    @overload
    def __call__(self, x: A, /, axis: Optional[int] = None, *, dtype: Any = None,
                 **options: Unpack[ScanOptions]) -> A: ...


if TYPE_CHECKING:
    def same(function: Callable[Concatenate[Any, P], Any]) -> Same[P]: ...
    def sums(function: Callable[..., Any]) -> Sums: ...
else:
    same = sums = named

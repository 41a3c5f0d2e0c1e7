"""The cumulative functions for PyTorch, with autograd (twice, too) and torch.compile.

>>> import torch, scanlens.torch
>>> x = torch.ones(3, dtype=torch.float64, requires_grad=True)
>>> scanlens.torch.cumsum(x, 0).sum().backward()
>>> x.grad
tensor([3., 2., 1.], dtype=torch.float64)
"""
from typing import Any, NamedTuple, Optional, Tuple, Union

import torch
from torch import Tensor

import scanlens

if not hasattr(torch.library, "custom_op"):
    raise ImportError(f"scanlens.torch needs PyTorch 2.4 or newer, and this is {torch.__version__}; upgrade it, or call scanlens "
                      "itself, which takes tensors without autograd")

__all__ = ["Extremes", "cummax", "cummin", "cumprod", "cumsum", "linear_recurrence", "logcumsumexp", "segmented_cumsum"]


def _fake(x: Tensor, dim: int, exclusive: bool, reverse: bool) -> Tensor:
    return torch.empty_like(x)


def _remember(ctx: Any, inputs: Tuple[Any, ...], output: Tensor) -> None:
    x, ctx.dim, ctx.exclusive, ctx.reverse = inputs
    ctx.save_for_backward(x, output)


def _cumsum_of(x: Tensor, dim: int, exclusive: bool, reverse: bool) -> Tensor:
    return scanlens.cumsum(x.detach(), dim, dtype=x.dtype, exclusive=exclusive, reverse=reverse)


def _cumprod_of(x: Tensor, dim: int, exclusive: bool, reverse: bool) -> Tensor:
    return scanlens.cumprod(x.detach(), dim, dtype=x.dtype, exclusive=exclusive, reverse=reverse)


def _logcumsumexp_of(x: Tensor, dim: int, exclusive: bool, reverse: bool) -> Tensor:
    return scanlens.logcumsumexp(x.detach(), dim, exclusive=exclusive, reverse=reverse)


def _cummax_of(x: Tensor, dim: int, reverse: bool) -> Tuple[Tensor, Tensor]:
    return scanlens.cumargmax(x.detach(), dim, reverse=reverse)


def _cummin_of(x: Tensor, dim: int, reverse: bool) -> Tuple[Tensor, Tensor]:
    return scanlens.cumargmin(x.detach(), dim, reverse=reverse)


def _recurrence_of(a: Tensor, b: Tensor, dim: int, reverse: bool) -> Tensor:
    return scanlens.linear_recurrence(a.detach(), b.detach(), dim, reverse=reverse)


_MARKS = ("heads", "keys", "offsets")


def _segmented_of(x: Tensor, marks: Tensor, kind: int, exclusive: bool) -> Tensor:
    return scanlens.segmented_cumsum(x.detach(), exclusive=exclusive, **{_MARKS[kind]: marks})


def _fake_segmented(x: Tensor, marks: Tensor, kind: int, exclusive: bool) -> Tensor:
    return torch.empty_like(x, memory_format=torch.contiguous_format)


def _fake_places(x: Tensor, dim: int, reverse: bool) -> Tuple[Tensor, Tensor]:
    return torch.empty_like(x), torch.empty_like(x, dtype=torch.int64)


def _fake_recurrence(a: Tensor, b: Tensor, dim: int, reverse: bool) -> Tensor:
    return torch.empty_like(b)


def _operator(name: str, kernel: Any, fake: Any = _fake) -> Any:
    made = torch.library.custom_op(f"scanlens::{name}", kernel, mutates_args=())
    made.register_fake(fake)
    return made


_cumsum = _operator("cumsum", _cumsum_of)
_cumprod = _operator("cumprod", _cumprod_of)
_logcumsumexp = _operator("logcumsumexp", _logcumsumexp_of)
_cummax = _operator("cummax", _cummax_of, _fake_places)
_cummin = _operator("cummin", _cummin_of, _fake_places)
_segmented = _operator("segmented_cumsum", _segmented_of, _fake_segmented)
_recurrence = _operator("linear_recurrence", _recurrence_of, _fake_recurrence)


def _remember_directions(ctx: Any, inputs: Tuple[Any, ...], output: Tensor) -> None:
    _, ctx.dim, ctx.exclusive, ctx.reverse = inputs


def _sum_backward(ctx: Any, grad: Tensor) -> Tuple[Optional[Tensor], None, None, None]:
    return _cumsum(grad, ctx.dim, ctx.exclusive, not ctx.reverse), None, None, None


def _product_backward(ctx: Any, grad: Tensor) -> Tuple[Optional[Tensor], None, None, None]:
    """An element's gradient is what it is multiplied with: the sum of grad * product over what comes later, by the
    element. At the first zero the products are taken without it, and behind it nothing changes any product."""
    x, product = ctx.saved_tensors

    def later(values: Tensor) -> Any:
        return _cumsum(values, ctx.dim, ctx.exclusive, not ctx.reverse)

    zero = x == 0
    zeros = _cumsum(zero.long(), ctx.dim, False, ctx.reverse)
    first = zero & (zeros == 1)
    without = torch.where(first, torch.ones_like(x), x)
    at_first = later(grad * _cumprod(without, ctx.dim, ctx.exclusive, ctx.reverse))
    before = later(grad * product) / torch.where(zero, torch.ones_like(x), x)
    found = torch.where(zeros == 0, before, torch.where(first, at_first, torch.zeros_like(x)))
    return found, None, None, None


def _log_backward(ctx: Any, grad: Tensor) -> Tuple[Optional[Tensor], None, None, None]:
    """An element's gradient is the sum of grad * exp(x - result) over the results that it is part of, taken by
    logarithms: of positive gradients and of negative ones. Results of -infinity have no part that counts."""
    x, result = ctx.saved_tensors

    def part(grad: Tensor) -> Tensor:
        counts = (grad > 0) & (result != -torch.inf)
        least = torch.full_like(grad, -torch.inf)
        logs = torch.where(counts, torch.where(counts, grad, torch.ones_like(grad)).log() - result, least)
        later: Tensor = _logcumsumexp(logs, ctx.dim, ctx.exclusive, not ctx.reverse)
        return (later + x).exp()

    return part(grad) - part(-grad), None, None, None


def _remember_places(ctx: Any, inputs: Tuple[Any, ...], output: Tuple[Tensor, Tensor]) -> None:
    x, ctx.dim, _ = inputs
    ctx.shape = x.shape
    ctx.save_for_backward(output[1])


def _extreme_backward(ctx: Any, grad: Tensor, _: Any) -> Tuple[Optional[Tensor], None, None]:
    """An extreme's gradient goes to the element that it is."""
    places, = ctx.saved_tensors
    return grad.new_zeros(ctx.shape).scatter_add(ctx.dim, places, grad), None, None


def _remember_recurrence(ctx: Any, inputs: Tuple[Any, ...], output: Tensor) -> None:
    a, _, ctx.dim, ctx.reverse = inputs
    ctx.save_for_backward(a, output)


def _recurrence_backward(ctx: Any, grad: Tensor) -> Tuple[Optional[Tensor], Optional[Tensor], None, None]:
    """b's gradient is the recurrence from the other end, each factor of the element behind; a's is that by the result
    before."""
    a, h = ctx.saved_tensors
    length = h.shape[ctx.dim]
    if length == 0:
        return grad, grad, None, None
    step = -1 if ctx.reverse else 1
    first = torch.tensor([length - 1 if ctx.reverse else 0], device=h.device)
    of_b = _recurrence(a.roll(-step, ctx.dim), grad, ctx.dim, not ctx.reverse)
    before = h.roll(step, ctx.dim).index_fill(ctx.dim, first, 0)
    return of_b * before, of_b, None, None


def _remember_segments(ctx: Any, inputs: Tuple[Any, ...], output: Tensor) -> None:
    _, marks, ctx.kind, ctx.exclusive = inputs
    ctx.save_for_backward(marks)


def _segmented_backward(ctx: Any, grad: Tensor) -> Tuple[Optional[Tensor], None, None, None]:
    """The same from the other end, where a segment begins behind the last element that it has here."""
    marks, = ctx.saved_tensors
    turned = marks.flip(0)
    if _MARKS[ctx.kind] == "heads":
        turned = turned.roll(1)
    if _MARKS[ctx.kind] == "offsets":
        turned = grad.shape[0] - turned
    return _segmented(grad.flip(0), turned, ctx.kind, ctx.exclusive).flip(0), None, None, None


_cumsum.register_autograd(_sum_backward, setup_context=_remember_directions)
_cumprod.register_autograd(_product_backward, setup_context=_remember)
_logcumsumexp.register_autograd(_log_backward, setup_context=_remember)
_cummax.register_autograd(_extreme_backward, setup_context=_remember_places)
_cummin.register_autograd(_extreme_backward, setup_context=_remember_places)
_segmented.register_autograd(_segmented_backward, setup_context=_remember_segments)
_recurrence.register_autograd(_recurrence_backward, setup_context=_remember_recurrence)


def _wide(x: Tensor, dtype: Optional[torch.dtype]) -> Tensor:
    """The tensor in the type of its sums: int64 of integers."""
    if dtype is None:
        dtype = x.dtype if x.dtype.is_floating_point else torch.int64
    return x.to(dtype)


def cumsum(x: Tensor, dim: int, *, exclusive: bool = False, reverse: bool = False,
           dtype: Optional[torch.dtype] = None) -> Tensor:
    """scanlens.cumsum with autograd. Integers are converted to int64 first; scanlens.cumsum sums them without.

    >>> import torch, scanlens.torch
    >>> scanlens.torch.cumsum(torch.tensor([1., 2., 3.]), 0, reverse=True)
    tensor([6., 5., 3.])
    """
    found: Tensor = _cumsum(_wide(x, dtype), dim, exclusive, reverse)
    return found


def cumprod(x: Tensor, dim: int, *, exclusive: bool = False, reverse: bool = False,
            dtype: Optional[torch.dtype] = None) -> Tensor:
    """scanlens.cumprod with autograd, right at zeros, too.

    >>> import torch, scanlens.torch
    >>> scanlens.torch.cumprod(torch.tensor([1., 2., 3.]), 0, exclusive=True)
    tensor([1., 1., 2.])
    """
    found: Tensor = _cumprod(_wide(x, dtype), dim, exclusive, reverse)
    return found


class Extremes(NamedTuple):
    """What cummax() and cummin() return."""

    values: Tensor
    indices: Tensor


def cummax(x: Tensor, dim: int, *, reverse: bool = False) -> Extremes:
    """The greatest element up to each one and its index, as torch.cummax: of equal ones the last, and NaN stays. On CUDA
    the gradients of floats are added by scatter_add.

    >>> import torch, scanlens.torch
    >>> scanlens.torch.cummax(torch.tensor([1., 3., 2.]), 0)
    Extremes(values=tensor([1., 3., 3.]), indices=tensor([0, 1, 1]))
    """
    return Extremes(*_cummax(x, dim, reverse))


def cummin(x: Tensor, dim: int, *, reverse: bool = False) -> Extremes:
    """The same for the least.

    >>> import torch, scanlens.torch
    >>> scanlens.torch.cummin(torch.tensor([1., 3., 0.]), 0).values
    tensor([1., 1., 0.])
    """
    return Extremes(*_cummin(x, dim, reverse))


def logcumsumexp(x: Tensor, dim: int, *, exclusive: bool = False, reverse: bool = False) -> Tensor:
    """scanlens.logcumsumexp with autograd.

    >>> import torch, scanlens.torch
    >>> scanlens.torch.logcumsumexp(torch.tensor([100., 100.]), 0)
    tensor([100.0000, 100.6931])
    """
    found: Tensor = _logcumsumexp(x, dim, exclusive, reverse)
    return found


def linear_recurrence(a: Tensor, b: Tensor, dim: int = -1, *, initial: Union[Tensor, float, None] = None,
                      reverse: bool = False) -> Tensor:
    """scanlens.linear_recurrence with autograd. initial: a number, or a tensor with a value for each line: of b's shape
    without the dimension.

    >>> import torch, scanlens.torch
    >>> scanlens.torch.linear_recurrence(torch.tensor([0.5, 0.5]), torch.tensor([1., 1.]), initial=2.)
    tensor([2., 2.])
    """
    if initial is not None and b.shape[dim] > 0:
        first = b.shape[dim] - 1 if reverse else 0
        b = b.select_scatter(b.select(dim, first) + a.select(dim, first) * initial, dim, first)
    found: Tensor = _recurrence(a, b, dim, reverse)
    return found


def segmented_cumsum(x: Tensor, heads: Optional[Tensor] = None, *, keys: Optional[Tensor] = None,
                     offsets: Optional[Tensor] = None, exclusive: bool = False) -> Tensor:
    """scanlens.segmented_cumsum with autograd: one of heads, keys and offsets, as tensors.

    >>> import torch, scanlens.torch
    >>> scanlens.torch.segmented_cumsum(torch.ones(4), keys=torch.tensor([5, 5, 5, 6]))
    tensor([1., 2., 3., 1.])
    """
    given = [(kind, marks) for kind, marks in enumerate((heads, keys, offsets)) if marks is not None]
    if len(given) != 1:
        raise ValueError("segmented_cumsum: give one of heads, keys and offsets")
    found: Tensor = _segmented(x, given[0][1], given[0][0], exclusive)
    return found

"""The cumulative functions for PyTorch, with autograd (twice, too) and torch.compile.

>>> import torch, scanlens.torch
>>> x = torch.ones(3, dtype=torch.float64, requires_grad=True)
>>> scanlens.torch.cumsum(x, 0).sum().backward()
>>> x.grad
tensor([3., 2., 1.], dtype=torch.float64)
"""
from typing import Any, Optional, Tuple

import torch
from torch import Tensor

import scanlens

__all__ = ["cummax", "cummin", "cumprod", "cumsum"]


def _fake(x: Tensor, dim: int, exclusive: bool, reverse: bool) -> Tensor:
    return torch.empty_like(x)


def _remember(ctx: Any, inputs: Tuple[Any, ...], output: Tensor) -> None:
    x, ctx.dim, ctx.exclusive, ctx.reverse = inputs
    ctx.save_for_backward(x, output)


def _cumsum_of(x: Tensor, dim: int, exclusive: bool, reverse: bool) -> Tensor:
    return scanlens.cumsum(x.detach(), dim, dtype=x.dtype, exclusive=exclusive, reverse=reverse)


def _cumprod_of(x: Tensor, dim: int, exclusive: bool, reverse: bool) -> Tensor:
    return scanlens.cumprod(x.detach(), dim, dtype=x.dtype, exclusive=exclusive, reverse=reverse)


def _cummax_of(x: Tensor, dim: int, exclusive: bool, reverse: bool) -> Tensor:
    return scanlens.cummax(x.detach(), dim, exclusive=exclusive, reverse=reverse)


def _cummin_of(x: Tensor, dim: int, exclusive: bool, reverse: bool) -> Tensor:
    return scanlens.cummin(x.detach(), dim, exclusive=exclusive, reverse=reverse)


def _operator(name: str, kernel: Any) -> Any:
    made = torch.library.custom_op(f"scanlens::{name}", kernel, mutates_args=())
    made.register_fake(_fake)
    return made


_cumsum = _operator("cumsum", _cumsum_of)
_cumprod = _operator("cumprod", _cumprod_of)
_cummax = _operator("cummax", _cummax_of)
_cummin = _operator("cummin", _cummin_of)


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


def _extreme_backward(op: Any) -> Any:
    def backward(ctx: Any, grad: Tensor) -> Tuple[Optional[Tensor], None, None, None]:
        """An extreme's gradient goes to the element that it is: of equal ones to the last, as in torch."""
        x, _ = ctx.saved_tensors
        dim, length = ctx.dim, x.shape[ctx.dim] if x.dim() else 1
        if length == 0:
            return grad, None, None, None
        reached = x == op(x, dim, False, ctx.reverse)
        place = torch.arange(length, device=x.device)
        if ctx.reverse:
            place = length - 1 - place
        shape = [1] * x.dim()
        if shape:
            shape[dim] = length
        place = torch.where(reached, place.reshape(shape), torch.zeros((), dtype=torch.int64, device=x.device))
        place = _cummax(place, dim, False, ctx.reverse)
        if ctx.reverse:
            place = length - 1 - place
        if ctx.exclusive:
            # Each result is the one before it, inclusive; the first is no element at all.
            a, b = (slice(1, None), slice(None, -1)) if not ctx.reverse else (slice(None, -1), slice(1, None))
            rest = (slice(None),) * (dim % x.dim())
            place, grad = place[(*rest, b)], grad[(*rest, a)]
        return torch.zeros_like(x).scatter_add(dim, place, grad), None, None, None

    return backward


_cumsum.register_autograd(_sum_backward, setup_context=_remember_directions)
_cumprod.register_autograd(_product_backward, setup_context=_remember)
_cummax.register_autograd(_extreme_backward(_cummax), setup_context=_remember)
_cummin.register_autograd(_extreme_backward(_cummin), setup_context=_remember)


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


def cummax(x: Tensor, dim: int, *, exclusive: bool = False, reverse: bool = False) -> Tensor:
    """scanlens.cummax with autograd: the values alone. On CUDA the gradients of floats are added by scatter_add.

    >>> import torch, scanlens.torch
    >>> scanlens.torch.cummax(torch.tensor([1., 3., 2.]), 0)
    tensor([1., 3., 3.])
    """
    found: Tensor = _cummax(x, dim, exclusive, reverse)
    return found


def cummin(x: Tensor, dim: int, *, exclusive: bool = False, reverse: bool = False) -> Tensor:
    """The same for the least.

    >>> import torch, scanlens.torch
    >>> scanlens.torch.cummin(torch.tensor([1., 3., 0.]), 0)
    tensor([1., 1., 0.])
    """
    found: Tensor = _cummin(x, dim, exclusive, reverse)
    return found

"""What type checkers have to know of calls; package_test.py runs them over this file."""
from typing import Any, assert_type

import numpy as np
import scanlens
from numpy.typing import NDArray
from scanlens import filters


def sums(u8: NDArray[np.uint8], i16: NDArray[np.int16], f32: NDArray[np.float32], flags: NDArray[np.bool_]) -> None:
    assert_type(scanlens.cumsum(u8), NDArray[np.uint64])
    assert_type(scanlens.cumsum(i16, 0, reverse=True), NDArray[np.int64])
    assert_type(scanlens.cumprod(flags), NDArray[np.int64])
    assert_type(scanlens.cumsum(f32, axis=0), NDArray[np.float32])
    assert_type(scanlens.cumsum([1, 2]), NDArray[Any])
    assert_type(scanlens.cumsum(u8, dtype="uint32"), NDArray[Any])


def same(u8: NDArray[np.uint8]) -> None:
    assert_type(scanlens.sort(u8, descending=True), NDArray[np.uint8])
    assert_type(scanlens.sort([2, 1]), NDArray[Any])
    assert_type(scanlens.cummax(u8, 0), NDArray[np.uint8])
    assert_type(filters.box(u8, radius="2%"), NDArray[np.uint8])
    assert_type(filters.box(u8, radius=2, where="luma > 0.5", feather="8px"), NDArray[np.uint8])
    assert_type(scanlens.depth_of_field(u8, disparity=u8, quality="best"), NDArray[np.uint8])


def wrong(u8: NDArray[np.uint8]) -> None:
    scanlens.cumsum(u8, rverse=True)  # type: ignore[call-overload]
    scanlens.sort(u8, descnding=True)  # type: ignore[call-overload]
    scanlens.depth_of_field(u8, disparity=u8, quality="bet")  # type: ignore[arg-type]
    scanlens.cumargmax(u8, ties="any")  # type: ignore[arg-type]

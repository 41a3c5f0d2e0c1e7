#!/usr/bin/env python3
"""PyTorch's tensors on the CPU, autograd and torch.compile."""
import importlib.util
import unittest

import support  # noqa: F401, I001
import numpy as np
import scanlens

if importlib.util.find_spec("torch") is None:
    support.skip_all("torch was not found")

import torch  # noqa: E402

try:
    import scanlens.torch as st
except ImportError as error:
    support.skip_all(str(error))

FUNCTIONS = {st.cumsum: torch.cumsum, st.cumprod: torch.cumprod, st.logcumsumexp: torch.logcumsumexp}
EXTREMES = {st.cummax: torch.cummax, st.cummin: torch.cummin}
DEVICES = ["cpu"] + (["cuda"] if torch.cuda.is_available() else [])


class Tensors(unittest.TestCase):
    def test_types_of_results_are_torchs(self):
        for device in DEVICES:
            for dtype in (torch.bool, torch.uint8, torch.int8, torch.int16, torch.int32, torch.int64, torch.float16,
                          torch.bfloat16, torch.float32, torch.float64):
                x = torch.ones(3, 4, device=device).to(dtype)
                for axis in (0, 1):
                    found = scanlens.cumsum(x, axis)
                    self.assertEqual((found.dtype, found.device), (torch.cumsum(x, axis).dtype, x.device))
                    self.assertTrue(torch.equal(found, torch.cumsum(x, axis)))

    def test_strides(self):
        for device in DEVICES:
            x = torch.arange(24, device=device).reshape(2, 3, 4)
            for view in (x, x.permute(2, 0, 1), x[:, ::2], x[0, 0, 0].expand(5, 4), x[:, :0]):
                for axis in range(view.dim()):
                    self.assertTrue(torch.equal(scanlens.cumsum(view, axis), torch.cumsum(view, axis)))
            dense = scanlens.cumsum(x.permute(2, 0, 1), 0)
            self.assertEqual(dense.stride(), x.permute(2, 0, 1).stride())

    def test_everything_takes_tensors(self):
        for device in DEVICES:
            x = torch.tensor([3.0, 1.0, 2.0], device=device)
            self.assertEqual(scanlens.sort(x).tolist(), [1, 2, 3])
            self.assertEqual(scanlens.argsort(x).tolist(), [1, 2, 0])
            self.assertEqual(scanlens.argmax(x).item(), 0)
            self.assertEqual(scanlens.sum(x).item(), 6)
            self.assertEqual(scanlens.compact(x, x > 1).tolist(), [3, 2])
            self.assertEqual(scanlens.moments(x).mean, 2)
            self.assertEqual(scanlens.histogram(x, 2)[0].tolist(), [1, 2])
            image = torch.ones(5, 6, 3, dtype=torch.uint8, device=device)
            self.assertEqual(scanlens.filters.box(image).shape, image.shape)
            self.assertEqual(scanlens.box_sum(scanlens.integral(image), 0, 0, 2, 3).tolist(), [6, 6, 6])
            disparity = torch.ones(5, 6, device=device)
            self.assertEqual(scanlens.depth_of_field(image, disparity=disparity, focus=1).shape, image.shape)

    def test_a_gradient_is_not_lost_in_silence(self):
        x = torch.ones(3, requires_grad=True)
        with self.assertRaisesRegex(TypeError, "scanlens.torch"):
            scanlens.cumsum(x, 0)
        with torch.no_grad():
            self.assertEqual(scanlens.cumsum(x, 0).tolist(), [1, 2, 3])


class Autograd(unittest.TestCase):
    def test_gradients(self):
        torch.manual_seed(support.SEED)
        for device in DEVICES:
            x = torch.randn(4, 3, 2, dtype=torch.float64, device=device, requires_grad=True)
            for function in FUNCTIONS:
                for exclusive in (False, True):
                    for reverse in (False, True):
                        def run(x):
                            y = function(x, 1, exclusive=exclusive, reverse=reverse)
                            return torch.where(torch.isfinite(y), y, torch.zeros_like(y))
                        self.assertTrue(torch.autograd.gradcheck(run, (x,)))
                        self.assertTrue(torch.autograd.gradgradcheck(run, (x,)))
            for function in EXTREMES:
                for reverse in (False, True):
                    self.assertTrue(torch.autograd.gradcheck(lambda x: function(x, 1, reverse=reverse).values, (x,)))

    def test_gradients_of_recurrences(self):
        torch.manual_seed(support.SEED)
        for device in DEVICES:
            a, b = (torch.randn(4, 3, 2, dtype=torch.float64, device=device, requires_grad=True) for _ in range(2))
            initial = torch.randn(4, 2, dtype=torch.float64, device=device, requires_grad=True)
            for reverse in (False, True):
                def run(a, b, initial):
                    return st.linear_recurrence(a, b, 1, initial=initial, reverse=reverse)
                self.assertTrue(torch.autograd.gradcheck(run, (a, b, initial)))
                self.assertTrue(torch.autograd.gradgradcheck(run, (a, b, initial)))
                h, expected = initial, []
                for i in reversed(range(3)) if reverse else range(3):
                    h = a[:, i] * h + b[:, i]
                    expected.append(h)
                expected = torch.stack(expected[::-1] if reverse else expected, 1)
                torch.testing.assert_close(run(a, b, initial), expected)
            self.assertEqual(st.linear_recurrence(a[:, :0], b[:, :0], 1).shape, (4, 0, 2))

    def test_gradients_of_segments(self):
        torch.manual_seed(support.SEED)
        for device in DEVICES:
            x = torch.randn(6, dtype=torch.float64, device=device, requires_grad=True)
            marks = {"heads": torch.tensor([0, 0, 1, 0, 0, 1]).bool(), "keys": torch.tensor([4, 4, 2, 2, 2, 3]),
                     "offsets": torch.tensor([0, 2, 2, 5, 6, 6])}
            for exclusive in (False, True):
                results = []
                for name, of in marks.items():
                    def run(x):
                        return st.segmented_cumsum(x, **{name: of.to(device)}, exclusive=exclusive)
                    self.assertTrue(torch.autograd.gradcheck(run, (x,)))
                    self.assertTrue(torch.autograd.gradgradcheck(run, (x,)))
                    results.append(run(x))
                expected = torch.cat([torch.cumsum(part, 0) - (part if exclusive else 0) for part in x.split([2, 3, 1])])
                for found in results:
                    torch.testing.assert_close(found, expected)
        with self.assertRaises(ValueError):
            st.segmented_cumsum(x)

    def test_gradients_are_torchs(self):
        torch.manual_seed(support.SEED)
        for device in DEVICES:
            x = torch.randint(-2, 3, (6, 5), device=device).double()  # with ties and zeros
            weights = torch.arange(30, device=device).reshape(6, 5).double()
            for function, theirs in [*FUNCTIONS.items(), *EXTREMES.items()]:
                for axis in (0, 1, -1):
                    a, b = x.clone().requires_grad_(), x.clone().requires_grad_()
                    found, expected = function(a, axis), theirs(b, axis)
                    if function in EXTREMES:
                        self.assertTrue(torch.equal(found.indices, expected.indices))
                        found, expected = found.values, expected.values
                    (found * weights).sum().backward()
                    (expected * weights).sum().backward()
                    torch.testing.assert_close(a.grad, b.grad)

    def test_logarithms_of_nothing(self):
        for device in DEVICES:
            x = torch.tensor([-torch.inf, 1, -torch.inf, 2], device=device, dtype=torch.float64, requires_grad=True)
            found = st.logcumsumexp(x, 0)
            torch.testing.assert_close(found, torch.logcumsumexp(x, 0))
            found[1:].sum().backward()
            self.assertTrue(torch.isfinite(x.grad).all())
            self.assertEqual(x.grad[0], 0)

    def test_extremes_are_torchs(self):
        torch.manual_seed(support.SEED)
        for device in DEVICES:
            for dtype in (torch.uint8, torch.int16, torch.int32, torch.int64, torch.float16, torch.bfloat16,
                          torch.float32, torch.float64):
                x = torch.randint(0, 9, (7, 40, 3), device=device).to(dtype)
                if dtype.is_floating_point:
                    x[2, 30, 1] = torch.nan
                for function, theirs in EXTREMES.items():
                    for axis in range(3):
                        found, expected = function(x, axis), theirs(x, axis)
                        torch.testing.assert_close(found.values, expected.values, rtol=0, atol=0, equal_nan=True)
                        self.assertTrue(torch.equal(found.indices, expected.indices))

    def test_operators_and_compile(self):
        for device in DEVICES:
            x = torch.randn(4, 5, device=device, requires_grad=True)
            torch.library.opcheck(st._cumsum, (x, 0, False, True))
            torch.library.opcheck(st._logcumsumexp, (x, 0, True, False))
            torch.library.opcheck(st._cummax, (x, 1, False))
            torch.library.opcheck(st._recurrence, (x, torch.randn_like(x, requires_grad=True), 1, False))
            compiled = torch.compile(lambda x: st.cumsum(x * 2, 1).tanh(), fullgraph=True, backend="aot_eager")
            compiled(x).sum().backward()
            expected = torch.cumsum(x.detach() * 2, 1).tanh()
            torch.testing.assert_close(compiled(x), expected)


if __name__ == "__main__":
    unittest.main()

#!/usr/bin/env python3
"""The package itself: examples in docstrings and scripts, types, the time of an import."""
import doctest
import importlib
import importlib.util
import os
import json
import pkgutil
import re
import shutil
import subprocess
import sys
import tempfile
import textwrap
import unittest
from pathlib import Path

import support  # noqa: F401, I001
import scanlens

ROOT = Path(os.environ.get("SCANLENS_ROOT", Path(__file__).resolve().parents[2]))


def modules():
    """Those that import here: torch may be missing or too old, and io's codecs may be."""
    for found in pkgutil.iter_modules(scanlens.__path__):
        if found.name in ("_core", "_files"):
            continue
        try:
            yield importlib.import_module(f"scanlens.{found.name}")
        except ImportError:
            if found.name not in ("io", "torch"):
                raise


class Documentation(unittest.TestCase):
    def test_examples_in_docstrings(self):
        tried = 0
        for module in [scanlens, *modules()]:
            result = doctest.testmod(module)
            self.assertEqual(result.failed, 0, module.__name__)
            tried += result.attempted
        self.assertGreater(tried, 60)

    def test_every_function_has_an_example(self):
        for name in scanlens.__all__:
            what = getattr(scanlens, name)
            if callable(what) and not isinstance(what, type):
                self.assertIn(">>>", what.__doc__, name)

    def run_file(self, folder, script):
        result = subprocess.run([sys.executable, script], cwd=folder, capture_output=True, text=True)
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        return result.stdout

    def test_the_notebook_runs(self):
        if importlib.util.find_spec("scanlens._files") is None:
            self.skipTest("this build has no scanlens.io")
        notebook = ROOT / "app/python/examples/notebook.ipynb"
        cells = [cell for cell in json.loads(notebook.read_text())["cells"] if cell["cell_type"] == "code"]
        with tempfile.TemporaryDirectory() as folder:
            script = Path(folder, "notebook.py")
            script.write_text("\n\n".join("".join(cell["source"]) for cell in cells))
            self.assertIn("depth", self.run_file(notebook.parent, script))

    def test_the_readmes_examples_run(self):
        """As they stand: each indented block that imports scanlens, where what it imports is installed."""
        text = (ROOT / "app/python/README.md").read_text()
        blocks = re.findall(r"\n\n((?:    .*\n|\n(?=    ))+)", text)
        tried = 0
        for block in (textwrap.dedent(one) for one in blocks if re.search("^    import .*scanlens", one, re.M)):
            if "cuda" in block or "cupy" in block or (
                    "io." in block and importlib.util.find_spec("scanlens._files") is None):
                continue
            with self.subTest(block), tempfile.TemporaryDirectory() as folder:
                shutil.copy(ROOT / "data/sample.jpg", Path(folder, "photo.jpg"))
                shutil.copy(ROOT / "data/sample_depth.png", Path(folder, "photo_depth.png"))
                script = Path(folder, "block.py")
                script.write_text(block)
                self.run_file(folder, script)
                tried += 1
        self.assertGreater(tried, 0)

    def test_scripts_run(self):
        for script in sorted((ROOT / "app/python/examples").glob("*.py")):
            if script.stem == "photographer" and importlib.util.find_spec("scanlens._files") is None:
                continue
            with self.subTest(script.name), tempfile.TemporaryDirectory() as folder:
                self.assertTrue(self.run_file(folder, script))


class Package(unittest.TestCase):
    def test_version(self):
        self.assertIn(f'"{scanlens.__version__}"', (ROOT / "core/version.h").read_text())

    def test_types(self):
        mypy = shutil.which("mypy")
        if mypy is None:
            self.skipTest("mypy was not found")
        targets = [word for module in [scanlens, *modules()] if module.__name__ != "scanlens.torch"
                   for word in ("-m", module.__name__)]
        result = subprocess.run([mypy, "--strict", "--python-executable", sys.executable, "--cache-dir", os.devnull, *targets],
                                capture_output=True, text=True,
                                env={**os.environ, "MYPYPATH": str(Path(scanlens.__file__).parents[1])})
        self.assertEqual(result.returncode, 0, result.stdout)

    def test_types_of_calls(self):
        """typed_calls.py states them."""
        calls = ROOT / "tests/python/typed_calls.py"
        paths = {**os.environ, "MYPYPATH": str(Path(scanlens.__file__).parents[1]),
                 "PYTHONPATH": str(Path(scanlens.__file__).parents[1])}
        checkers = {"mypy": ["--strict", "--python-executable", sys.executable, "--cache-dir", os.devnull],
                    "pyright": ["--pythonpath", sys.executable]}
        found = [name for name in checkers if shutil.which(name)]
        if not found:
            self.skipTest("neither mypy nor pyright was found")
        for name in found:
            with self.subTest(name):
                result = subprocess.run([name, *checkers[name], calls], capture_output=True, text=True, env=paths)
                self.assertEqual(result.returncode, 0, result.stdout + result.stderr)

    def test_errors_name_function_and_argument(self):
        """Not what lies below: signatures of the core, or C++ exceptions."""
        import numpy as np

        photo, map, flags = np.zeros((4, 5, 3), np.uint8), np.ones((4, 5), np.float32), np.zeros((4, 5), np.int16)
        calls = [
            (lambda: scanlens.statistics(photo, where=3), "statistics: where is 3; give text"),
            (lambda: scanlens.statistics(photo, percentiles="a"), "statistics: a percentile is 'a'; give a number"),
            (lambda: scanlens.depth_of_field(photo, disparity=map, most="x"), "depth_of_field: most is 'x'; give a number"),
            (lambda: scanlens.depth_of_field(photo, disparity=map, bokeh_picture="a.png"), "depth_of_field: bokeh_picture is str"),
            (lambda: scanlens.depth_from_strokes(photo, flags + 7, [0.5]), "depth_from_strokes: strokes hold 7; give numbers below 1"),
            (lambda: scanlens.depth_from_strokes(photo, flags, 3), "depth_from_strokes: planes is 3; give a list"),
            (lambda: scanlens.filter(photo, 3), "filter: a filter is"),
            (lambda: scanlens.filters.box(photo, radius=-1), "filter box"),
            (lambda: scanlens.box_sum(scanlens.integral(photo), 0.5, 0, 1, 1), "box_sum: indices are float64; give whole numbers"),
            (lambda: scanlens.segment_reduce(np.ones(3), [0, 1.5, 3]), "segment_reduce: indices are float64"),
            (lambda: scanlens.searchsorted(np.ones(3), ["a"]), "searchsorted: str"),
            (lambda: scanlens.searchsorted(np.ones((2, 2)), 1), "searchsorted: x1 has 2 axes; give an array of one"),
            (lambda: scanlens.histogram(np.ones(3), 3, (1,)), r"histogram: range is \(1,\); give two numbers"),
            (lambda: scanlens.diff(np.ones(3), n=1.5), "diff: n is 1.5; give a whole number"),
            (lambda: scanlens.var(np.ones(3), correction="a"), "var: correction is 'a'; give a number"),
            (lambda: scanlens.threads(2**40), "threads: the number is")]
        if importlib.util.find_spec("scanlens._files") is not None:
            from scanlens import io

            calls += [
                (lambda: io.write_image("a.png", photo, quality="x"), "write_image: quality is 'x'; give a whole number"),
                (lambda: io.write_image("a.png", photo, info=3), "write_image: info is a int; give what read_image"),
                (lambda: io.write_image("a.png", photo.astype(">u2")), "write_image: arrays in foreign byte order"),
                (lambda: io.letters("Ferry", "x"), "letters: height is 'x'; give a number"),
                (lambda: io.read_image("a.png", max_pixels="2"), "read_image: max_pixels is '2'; give a whole number"),
                (lambda: io.read_depth("a.npy", kind=1), "read_depth: kind is 1; give text"),
                (lambda: io.read_depth("a.npy", scale="x"), "read_depth: scale is 'x'; give a number"),
                (lambda: io.read_depth("a.npy", size=(4.0, 4.0)), "read_depth: size is 4.0; give a whole number")]
        for call, text in calls:
            with self.assertRaisesRegex((TypeError, ValueError), f"^{text}"):
                call()

    def test_an_old_torch_is_named(self):
        script = ("import sys, types\ntorch = types.ModuleType('torch')\ntorch.__version__, torch.Tensor = '1.13.1', int\n"
                  "torch.library = types.ModuleType('library')\nsys.modules['torch'] = torch\n"
                  "try:\n    import scanlens.torch\nexcept ImportError as error:\n    print(error)")
        said = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
        self.assertRegex(said.stdout, r"^scanlens.torch needs PyTorch 2.4 or newer, and this is 1.13.1; upgrade it.*\n$", said.stderr)

    def test_import_is_quick(self):
        """Beside NumPy's own: the best of three, since the machine may be busy."""
        script = "import numpy, time; begin = time.perf_counter(); import scanlens; print(time.perf_counter() - begin)"
        best = min(float(subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True).stdout)
                   for _ in range(3))
        self.assertLess(best, 0.3)

    def test_devices(self):
        self.assertEqual(scanlens.devices()[-1].id, "cpu")
        with self.assertRaises(ValueError):
            scanlens.threads(-1)
        with self.assertRaises(ValueError):
            scanlens.use_allocator("nobody")

    def test_wrapped_memory(self):
        """What arrays on devices without a library of their own are handed on by."""
        import numpy as np

        x = np.arange(6, dtype=np.int32).reshape(2, 3)
        before = sys.getrefcount(x)
        wrapped = scanlens._core.wrap(x.ctypes.data, [3, 2], [1, 3], 0, 32, -1, x)
        seen = np.from_dlpack(wrapped)
        np.testing.assert_array_equal(seen, x.T)
        np.testing.assert_array_equal(scanlens.cumsum(wrapped, 0), np.cumsum(x.T, 0))
        del wrapped, seen
        self.assertEqual(sys.getrefcount(x), before)

    def test_a_forked_child_is_told_to_be_spawned(self):
        """oneTBB's threads are not there after a fork, and a call could wait for them forever."""
        script = ("import os, numpy as np, scanlens\nscanlens.cumsum(np.ones(9))\npid = os.fork()\n"
                  "if pid == 0:\n    try:\n        scanlens.cumsum(np.ones(9))\n    except RuntimeError as error:\n"
                  "        os._exit(0 if 'spawn' in str(error) else 2)\n    os._exit(1)\n"
                  "raise SystemExit(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))")
        self.assertEqual(subprocess.run([sys.executable, "-c", script], timeout=60).returncode, 0)

    def test_ctrl_c_ends_a_call(self):
        """Before it has written its result: a whole call leaves no row as it was."""
        script = ("import signal, time, numpy as np, scanlens\n"
                  "photo = np.random.default_rng(0).integers(0, 256, (4000, 6000, 3), dtype=np.uint8)\n"
                  "out = np.full_like(photo, 7)\nsignal.signal(signal.SIGALRM, signal.default_int_handler)\n"
                  "signal.setitimer(signal.ITIMER_REAL, 0.05)\ntry:\n"
                  "    scanlens.depth_of_field(photo, disparity=photo[..., 0], quality='best', out=out)\n    time.sleep(60)\n"
                  "except KeyboardInterrupt:\n    print((out == 7).all((1, 2)).any())")
        said = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
        self.assertEqual(said.stdout, "True\n", said.stderr)

    def test_nothing_leaks(self):
        import gc
        import numpy as np

        x = np.ones(1000, np.float32)
        scanlens.cumsum(x)
        before = sys.getrefcount(x)
        for _ in range(1000):
            scanlens.cumsum(x)
            try:
                scanlens.cumsum(x, dtype="complex64")
            except TypeError:
                pass
        gc.collect()
        self.assertEqual(sys.getrefcount(x), before)


if __name__ == "__main__":
    unittest.main()

#!/usr/bin/env python3
"""Tables, filters, depth of field, and files of pictures and depth maps."""
import os
import tempfile
import threading
import unittest
import warnings

import support  # noqa: I001
import numpy as np
import scanlens

from support import generator, random_array


def sums(image, dtype):
    with np.errstate(over="ignore"):
        return np.cumsum(np.cumsum(image.astype(dtype), 0, dtype=dtype), 1, dtype=dtype)


class Tables(unittest.TestCase):
    def setUp(self):
        self.rng = generator(self.id())

    def test_random_tables(self):
        for _ in range(400):
            dtype, table_type = [("uint8", "uint32"), ("uint8", "uint64"), ("uint16", "uint64"), ("uint16", "uint32"),
                                 ("float32", "float64")][self.rng.integers(5)]
            height, width = (int(n) for n in self.rng.integers(1, 60, 2))
            channels = [(), (1,), (3,), (4,)][self.rng.integers(4)]
            image = random_array(self.rng, dtype, (2 * height, 2 * width, *channels))
            image = [image[:height, 3:width], image[::2, ::-1], image[1::2], image[:, ::-2]][self.rng.integers(4)]
            if image.size == 0:
                continue
            border = bool(self.rng.integers(2))
            found = scanlens.integral(image, dtype=table_type, border=border)
            self.assertEqual(found.dtype, table_type)
            expected = sums(image, table_type)
            if border:
                expected = np.pad(expected, [(1, 0), (1, 0)] + [(0, 0)] * (image.ndim - 2))
            if dtype == "float32":
                np.testing.assert_allclose(found, expected, rtol=0, atol=1e-9)
            else:
                np.testing.assert_array_equal(found, expected)

    def test_squares_batch_and_defaults(self):
        images = random_array(self.rng, "uint8", (5, 20, 30))
        table, squares = scanlens.integral(images, squares=True, batch=True)
        for k in range(5):
            np.testing.assert_array_equal(table[k], sums(images[k], "uint64"))
            np.testing.assert_array_equal(squares[k], sums(images[k].astype("uint64") ** 2, "uint64"))
        self.assertEqual(scanlens.integral(images[0]).dtype, np.uint32)
        white = scanlens.integral(np.full((2, 2, 3), 255, np.uint8), linear=True)
        self.assertEqual(white[-1, -1].tolist(), [4 * 65535] * 3)

    def test_boxes(self):
        for channels in ((), (3,)):
            image = random_array(self.rng, "uint8", (40, 50, *channels))
            table = scanlens.integral(image)
            y0, y1 = np.sort(self.rng.integers(0, 41, (2, 200)), 0)
            x0, x1 = np.sort(self.rng.integers(0, 51, (2, 200)), 0)
            found = scanlens.box_sum(table, y0, x0, y1, x1)
            for k in range(200):
                np.testing.assert_array_equal(found[k], image[y0[k]:y1[k], x0[k]:x1[k]].sum((0, 1)))
        self.assertAlmostEqual(float(scanlens.box_mean(table, 1, 1, 5, 9)[0]), image[1:5, 1:9, 0].mean())
        for box in ((-1, 0, 2, 2), (0, 0, 41, 2), (3, 0, 2, 2), (0, -9, 2, 2), (0, 0, 2, 51)):
            with self.assertRaisesRegex(ValueError, "give boxes within the table"):
                scanlens.box_sum(table, *box)

    def test_errors(self):
        for call, error, text in (
                (lambda: scanlens.integral(np.ones(3, np.uint8)), ValueError, "1 axes"),
                (lambda: scanlens.integral(np.ones((3, 3, 2), np.uint8)), ValueError, "channels"),
                (lambda: scanlens.integral(np.ones((3, 3))), TypeError, "float64"),
                (lambda: scanlens.integral(np.ones((3, 3), np.uint8), dtype="float64"), TypeError, "no table"),
                (lambda: scanlens.integral(np.ones((3, 3), np.uint8), squares=True, dtype="uint32"), TypeError, "squares")):
            with self.assertRaisesRegex(error, text):
                call()


class Filters(unittest.TestCase):
    def setUp(self):
        self.rng = generator(self.id())

    def call(self, name, image, **more):
        maps = {"mask": image[..., 0] if image.ndim == 3 else image, "depth": None}
        wanted = next((one["map"] for one in scanlens._core.filter_declarations() if one["name"] == name), "")
        if wanted in ("picture", "words"):
            more[wanted] = np.full((5, 7, 4) if wanted == "picture" else (5, 7), 0.5, np.float32)
        elif wanted:
            more[wanted] = np.full(image.shape[:2], 0.5, np.float32) if wanted == "depth" else maps["mask"] > 0
        if name in ("resize", "crop", "pad"):
            more["width"] = 10
        return getattr(scanlens.filters, name)(image, **more)

    def test_every_filter_takes_every_picture(self):
        for name in scanlens.filter_names():
            for dtype in ("uint8", "uint16", "float32"):
                for channels in ((), (3,), (4,)):
                    image = np.abs(random_array(self.rng, dtype, (18, 20, *channels)))
                    with self.subTest(name=name, dtype=dtype, channels=channels):
                        found = self.call(name, image)
                        self.assertEqual(found.dtype, dtype)
                        self.assertEqual(found.shape[2:], channels)
                        np.testing.assert_array_equal(found, self.call(name, np.repeat(image, 2, 1)[:, ::2]))
                        if found.shape == image.shape:
                            np.testing.assert_array_equal(found, self.call(name, image.copy(), out=np.empty_like(image)))

    def test_a_box_is_a_mean(self):
        image = random_array(self.rng, "float32", (30, 40))
        found = scanlens.filters.box(image, radius=2)
        padded, ones = np.pad(image.astype(float), 2), np.pad(np.ones((30, 40)), 2)
        windows = [np.lib.stride_tricks.sliding_window_view(of, (5, 5)).sum((2, 3)) for of in (padded, ones)]
        np.testing.assert_allclose(found, windows[0] / windows[1], rtol=1e-5, atol=1e-5)

    def test_chains_percent_and_choices(self):
        image = random_array(self.rng, "uint8", (40, 100))
        chained = scanlens.filter_chain(image, ["gaussian", ("box", {"radius": 3})])
        np.testing.assert_array_equal(chained, scanlens.filters.box(scanlens.filters.gaussian(image), radius=3))
        np.testing.assert_array_equal(scanlens.filters.box(image, radius="3%"), scanlens.filters.box(image, radius=3))
        scanlens.filters.adaptive_threshold(image, method="niblack")

    def test_filters_change_a_part(self):
        image = np.random.default_rng(63).integers(0, 256, (30, 40, 3)).astype(np.uint8)
        depth = np.tile(np.linspace(0, 1, 40, dtype=np.float32), (30, 1))
        whole = scanlens.filters.box(image, radius=3)
        part = scanlens.filters.box(image, radius=3, where="depth > 50%", depth=depth)
        np.testing.assert_array_equal(part, np.where((depth > 0.5)[..., None], whole, image))
        soft = scanlens.filters.box(image, radius=3, where="depth > 50%", feather="40%", depth=depth)
        np.testing.assert_array_equal(soft[:, :11], image[:, :11])
        np.testing.assert_array_equal(soft[:, 29:], whole[:, 29:])
        for call, says in ((lambda: scanlens.filters.box(image, where="dept > 1"), "did you mean depth"),
                           (lambda: scanlens.filters.box(image, where="depth > 1"), "asks for depth"),
                           (lambda: scanlens.filter_chain(image, [("resize", {"width": 9}), ("box", {"where": "x < 5"})]),
                            "filters that move them apart")):
            self.assertRaisesRegex(ValueError, says, call)

    def test_functions_follow_from_declarations(self):
        import inspect

        self.assertEqual(sorted(scanlens.filters.__all__), sorted(scanlens.filter_names()))
        for name in scanlens.filter_names():
            parameters = inspect.signature(getattr(scanlens.filters, name)).parameters
            for one in scanlens.filter_parameters(name):
                self.assertEqual(parameters[one["name"]].default, one["default"])

    def test_errors(self):
        image = np.zeros((9, 9), np.uint8)
        for call, error, text in (
                (lambda: scanlens.filter(image, "boxx"), ValueError, "did you mean box"),
                (lambda: scanlens.filters.box(image, radius=-1), ValueError, "filter box.*radius"),
                (lambda: scanlens.filters.box(image, sigma=1), ValueError, "no parameter 'sigma'"),
                (lambda: scanlens.filter(image, "variable_box"), ValueError, "needs mask="),
                (lambda: scanlens.filter(image.astype(int), "box"), TypeError, "int64"),
                (lambda: scanlens.filters.variable_box(image, mask=np.zeros((3, 3), np.float32)), ValueError, "map is 3 x 3"),
                (lambda: scanlens.filter_parameters("nothing"), ValueError, "there is no filter")):
            with self.assertRaisesRegex(error, text) as caught:
                call()
            self.assertNotIn("--filter", str(caught.exception))

    def test_threads_side_by_side(self):
        image = random_array(self.rng, "uint8", (200, 300, 3))
        expected, found = scanlens.filters.gaussian(image), []
        workers = [threading.Thread(target=lambda: found.append(scanlens.filters.gaussian(image))) for _ in range(4)]
        for worker in workers:
            worker.start()
        for worker in workers:
            worker.join()
        self.assertEqual(len(found), 4)
        for one in found:
            np.testing.assert_array_equal(one, expected)


class DepthOfField(unittest.TestCase):
    def setUp(self):
        rng = generator(self.id())
        self.photo = random_array(rng, "uint8", (60, 80, 3))
        self.disparity = np.tile(np.linspace(0, 1, 80, dtype=np.float32), (60, 1))

    def test_what_is_in_focus_stays(self):
        for quality in ("draft", "good", "best"):
            found = scanlens.depth_of_field(self.photo, disparity=self.disparity, focus=1, blur=8, quality=quality)
            np.testing.assert_array_equal(found[:, -1], self.photo[:, -1])
            self.assertLess(found[:, :30].std(), self.photo[:, :30].std() / 2)

    def test_the_filter_is_the_same(self):
        found = scanlens.filters.dof(self.photo, depth=self.disparity, focus=0.7, blur=9)
        np.testing.assert_array_equal(found, scanlens.depth_of_field(self.photo, disparity=self.disparity, focus=0.7, blur=9))

    def test_a_lens(self):
        metres = 1 / (self.disparity + 0.1)
        lens = scanlens.Lens(f_number=1.4)
        found = scanlens.depth_of_field(self.photo, metres, lens=lens, focus=2)
        np.testing.assert_array_equal(found, scanlens.depth_of_field(self.photo, disparity=1 / metres, lens=lens, focus=2))
        self.assertFalse(np.array_equal(found, self.photo))

    def test_an_outline_of_lights(self):
        """A bar: what a light spreads to is wider than high, whatever type says so."""
        photo = np.zeros((80, 80, 3), np.uint8)
        photo[38:41, 38:41] = 255
        bar = np.zeros((9, 27), np.uint8)
        bar[3:6] = 255
        far, results = np.zeros((80, 80), np.float32), []
        for outline in (bar, bar.astype(np.uint16) * 257, bar / 255, np.dstack([bar] * 3)):
            found = scanlens.depth_of_field(photo, disparity=far, focus=1, blur=12, bokeh_picture=outline)
            results.append(found)
            lit = found[..., 1] > found[..., 1].max() // 2
            self.assertGreater(lit.any(0).sum(), 2 * lit.any(1).sum())
        for other in results[1:]:
            np.testing.assert_array_equal(other, results[0])
        for look, text in (({"bokeh_picture": bar * 0}, "the picture is black"), ({"blades": 5}, "leave out blades"),
                           ({"quality": "draft"}, "no effect with quality='draft'")):
            with self.assertRaisesRegex(ValueError, f"depth_of_field: .*{text}"):
                scanlens.depth_of_field(photo, disparity=far, **{"bokeh_picture": bar, "focus": 1, "blur": 12, **look})

    def test_autofocus(self):
        photo = np.full((60, 80), 100, np.uint8)
        photo[20:40, 50:70] = np.arange(20) % 2 * 200
        self.assertAlmostEqual(scanlens.autofocus(photo, self.disparity), 60 / 79, delta=0.13)
        self.assertIsNone(scanlens.autofocus(np.zeros((9, 9), np.uint8), np.ones((9, 9), np.float32)))

    def test_errors(self):
        for call, text in (
                (lambda: scanlens.depth_of_field(self.photo), "one of both"),
                (lambda: scanlens.depth_of_field(self.photo, self.disparity + 1), "focus is missing; give metres"),
                (lambda: scanlens.depth_of_field(self.photo, self.disparity, focus=2), "depth holds inf"),
                (lambda: scanlens.depth_of_field(self.photo, disparity=self.disparity[:9]), "as high and wide"),
                (lambda: scanlens.depth_of_field(self.photo, disparity=self.disparity, quality="bad"), "draft, good, best"),
                (lambda: scanlens.depth_of_field(self.photo, disparity=self.disparity, focus=2), "focus is 2; give a number of 0 to 1"),
                (lambda: scanlens.depth_of_field(self.photo, disparity=self.disparity, focus="2m"), "focus is 2m"),
                (lambda: scanlens.depth_of_field(self.photo, disparity=self.disparity, blur="2 miles"), "blur is 2 miles; give")):
            with self.assertRaisesRegex(ValueError, text):
                call()
        for look, text in (({"focus": None}, "focus is None; give a number"), ({"blade": 3}, "blade is no parameter; give one of focus")):
            with self.assertRaisesRegex(TypeError, text):
                scanlens.depth_of_field(self.photo, disparity=self.disparity, **look)

    def test_values_have_units(self):
        """As on the command line."""
        def blurred(**look):
            return scanlens.depth_of_field(self.photo, disparity=self.disparity + np.float32(0.1), **look)

        np.testing.assert_array_equal(blurred(lens="85mm", focus="200cm"), blurred(lens=scanlens.Lens(85), focus=2))
        np.testing.assert_array_equal(blurred(focal_length="8.5cm", f_number="f/2", focus=2), blurred(lens=scanlens.Lens(85), focus=2))
        percent, pixels = (scanlens.depth_of_field(self.photo, disparity=self.disparity, blur=blur, focus="80%") for blur in ("10%", 8))
        np.testing.assert_array_equal(percent, pixels)

    def test_parameters_follow_from_declarations(self):
        import inspect

        parameters = inspect.signature(scanlens.depth_of_field).parameters
        for one in scanlens._core.dof_declarations():
            self.assertEqual(parameters[one["name"]].default, one["default"])
            self.assertIn(one["help"], scanlens.depth_of_field.__doc__)


class DepthMaps(unittest.TestCase):
    """Maps mean the same in every call that takes them."""

    def setUp(self):
        self.photo = random_array(generator(self.id()), "uint8", (40, 51, 3))
        self.codes = np.tile(np.arange(51, dtype=np.uint8) * 5, (40, 1))

    def calls(self):
        photo = self.photo
        strokes = np.full(photo.shape[:2], -1, np.int16)
        strokes[20, 20] = 0
        return {"depth_of_field": lambda map: scanlens.depth_of_field(photo, disparity=map, focus=0.2, blur=6),
                "filters.dof": lambda map: scanlens.filters.dof(photo, depth=map, focus=0.2, blur=6),
                "autofocus": lambda map: np.float32(scanlens.autofocus(photo, map)),
                "statistics": lambda map: np.float32(scanlens.statistics(photo, disparity=map)["depth"]["mean"]),
                "depth_from_strokes": lambda map: scanlens.depth_from_strokes(photo, strokes, [0.5], repair=map)}

    def test_integers_are_shares_of_their_range(self):
        for name, call in self.calls().items():
            with self.subTest(name):
                expected = call((self.codes / 255).astype(np.float32))
                np.testing.assert_array_equal(call(self.codes), expected)
                np.testing.assert_array_equal(call(self.codes.astype(np.uint16) * 257), expected)
                np.testing.assert_array_equal(call(self.codes / 255), expected)
                with self.assertRaisesRegex(TypeError, "int32; give unsigned integers"):
                    call(self.codes.astype(np.int32))

    def test_floats_lie_in_0_to_1(self):
        for name, call in self.calls().items():
            for bad in (self.codes.astype(np.float32), self.codes / 255 - 0.5, np.full(self.codes.shape, np.inf)):
                with self.subTest(name), self.assertRaisesRegex(ValueError, "holds .*; give floats of 0 to 1"):
                    call(bad)

    def test_nan_is_unknown(self):
        holes = (self.codes / 255).astype(np.float32)
        filled = holes.copy()
        holes[:, 10:20], filled[:, 10:20] = np.nan, filled[:, 9:10]
        holes[5], filled[5] = np.nan, filled[4]
        for name, call in self.calls().items():
            with self.subTest(name):
                np.testing.assert_array_equal(call(holes), call(filled))
                with self.assertRaisesRegex(ValueError, "NaN alone"):
                    call(holes * np.nan)

    def test_metres_are_floats(self):
        metres = 1 / (self.codes / 255 + 0.1)
        scanlens.autofocus(self.photo, 1 / metres, metric=True)
        for call in (lambda: scanlens.depth_of_field(self.photo, (metres * 1000).astype(np.uint16), focus=2),
                     lambda: scanlens.autofocus(self.photo, self.codes, metric=True)):
            with self.assertRaisesRegex(TypeError, "give floats of"):
                call()


class Statistics(unittest.TestCase):
    def test_chosen_pixels(self):
        rng = generator(self.id())
        for dtype in ("uint8", "uint16", "float32"):
            image = np.abs(random_array(rng, dtype, (40, 50, 3)))
            found = scanlens.statistics(image[:, ::2], where="y >= 10 and x < 20", percentiles=[25])
            chosen = image[10:, ::2][:, :20, 1].astype(float)
            self.assertEqual(found["green"]["count"], chosen.size)
            self.assertAlmostEqual(found["green"]["mean"], chosen.mean(), 4)
            self.assertAlmostEqual(found["green"]["percentiles"][25.0], np.percentile(chosen, 25), 4)
            self.assertEqual(list(found), ["red", "green", "blue", "luma"])
        disparity = np.tile(np.linspace(0.1, 1, 50, dtype=np.float32), (40, 1))
        found = scanlens.statistics(image, where="depth > 2m", disparity=disparity, metric=True)
        self.assertEqual(found["luma"]["count"], 40 * (disparity[0] < 0.5).sum())
        self.assertEqual(scanlens.statistics(image, where="mask", mask=image[..., 0] > 1)["luma"]["count"], (image[..., 0] > 1).sum())
        with self.assertRaisesRegex(ValueError, "at character 6"):
            scanlens.statistics(image, where="luma ?")
        with self.assertRaisesRegex(ValueError, "disparity"):
            scanlens.statistics(image, where="depth > 2")


class Strokes(unittest.TestCase):
    def test_a_stroke_fills_its_region(self):
        photo = np.zeros((60, 80, 3), np.uint8)
        photo[:, 40:] = 220
        strokes = np.full((60, 80), -1, np.int16)
        strokes[30, 10], strokes[30, 70] = 0, 1
        near = scanlens.depth_from_strokes(photo, strokes, [0.2, (0.8, 0, 0)])
        self.assertLess(np.abs(near[5:-5, 5:35] - 0.2).max(), 0.1)
        self.assertLess(np.abs(near[5:-5, 45:75] - 0.8).max(), 0.1)
        repaired = scanlens.depth_from_strokes(photo, strokes, [0.2, 0.8], repair=np.full((60, 80), 0.5, np.float32))
        self.assertAlmostEqual(float(repaired[30, 70]), 0.8, delta=0.1)
        with self.assertRaises(TypeError):
            scanlens.depth_from_strokes(photo.astype(np.float32), strokes, [0.2, 0.8])


class Files(unittest.TestCase):
    def setUp(self):
        try:
            from scanlens import io
        except ImportError as error:
            self.skipTest(str(error))
        self.io, self.folder = io, tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def path(self, name):
        return os.path.join(self.folder.name, name)

    def test_pictures(self):
        rng = generator(self.id())
        for dtype, name in (("uint8", "a.png"), ("uint16", "b.tif"), ("float32", "c.exr"), ("uint8", "d.webp")):
            for channels in ((), (3,)):
                image = np.abs(random_array(rng, dtype, (7, 9, *channels)))
                self.io.write_image(self.path(name), image[:, ::-1], quality=100)
                found, info = self.io.read_image(self.path(name))
                self.assertIn("9 x 7", info.description)
                if name != "d.webp" or channels:
                    np.testing.assert_array_equal(found, image[:, ::-1])

    def test_depth(self):
        disparity = np.linspace(0.25, 1, 12, dtype=np.float32).reshape(3, 4)
        self.io.write_depth(self.path("d.npy"), disparity)
        found = self.io.read_depth(self.path("d.npy"))
        self.assertTrue(found.metric)
        np.testing.assert_allclose(found.disparity, disparity, rtol=1e-6)
        self.assertEqual(self.io.read_depth(self.path("d.npy"), size=(6, 8)).disparity.shape, (6, 8))
        photo = np.zeros((9, 12, 3), np.uint8)
        self.assertEqual(self.io.read_depth(self.path("d.npy"), photo=photo).disparity.shape, (9, 12))

    def test_errors_and_warnings(self):
        with self.assertRaisesRegex(OSError, "nothing.png"):
            self.io.read_image(self.path("nothing.png"))
        with open(self.path("broken.png"), "wb") as file:
            file.write(b"\x89PNG\r\n\x1a\n")
        with self.assertRaisesRegex(OSError, "broken.png"):
            self.io.read_image(self.path("broken.png"))
        with self.assertRaisesRegex(TypeError, "uint8"):
            self.io.write_image(self.path("e.png"), np.zeros((3, 3)))
        with self.assertRaises((ValueError, OSError)):
            self.io.write_image(self.path("e.unknown"), np.zeros((3, 3), np.uint8))
        locked = np.zeros((3, 3), np.uint8)
        locked.flags.writeable = False  # as Pillow's are
        self.io.write_image(self.path("e.png"), locked)
        with self.assertRaisesRegex((ValueError, OSError), "e.png"):
            self.io.write_image(self.path("e.png"), np.zeros((3, 3), np.uint8), overwrite=False)
        with warnings.catch_warnings(record=True) as said:
            warnings.simplefilter("always")
            self.io.write_image(self.path("f.jpg"), np.full((3, 3, 3), 9, np.float32))
        self.assertLessEqual(len(said), 3)


if __name__ == "__main__":
    unittest.main()

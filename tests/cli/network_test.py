#!/usr/bin/env python3
"""Depth by networks: models that the tests write, run by an ONNX Runtime where the machine has one."""
import json
import os
import shlex
import shutil
import subprocess
import unittest

import numpy

import onnx_models as onnx
from onnx_models import BYTE, FLOAT, FLOAT16, INT64, grey_network, node, port, tensor
from support import CommandCase, facts, png_bytes, read_png, write_png

WIDTH, HEIGHT = 96, 64
RUNTIME, MISSING = onnx.runtime()
IMAGENET = numpy.array([0.485, 0.456, 0.406]), numpy.array([0.229, 0.224, 0.225])


class NetworkCase(CommandCase):
    def setUp(self):
        super().setUp()
        # The nearest is bright, and below.
        ramp = numpy.linspace(20, 230, HEIGHT).round().astype(int)[:, None, None] + numpy.zeros((HEIGHT, WIDTH, 3), int)
        self.photo = ramp
        write_png(self.folder / "photo.png", WIDTH, HEIGHT, 3, 8, ramp.ravel().tolist())
        self.environment = {**os.environ, "SCANLENS_ONNXRUNTIME": RUNTIME}

    def write(self, name, content):
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else json.dumps(content).encode())

    def run_here(self, *args, **options):
        return super().run_here(*args, **{"env": self.environment, **options})

    def map_of(self, *options, model="model.onnx", photo="photo.png"):
        """The map of the photo's size in floats, without upsampling's own choices, and what was said."""
        done = self.succeed("depth", photo, "--depth-network", model, "-o", "map.npy", "--depth-resample", "nearest", *options)
        return numpy.load(self.folder / "map.npy"), done.stderr


@unittest.skipIf(MISSING, MISSING)
class Networks(NetworkCase):
    def test_depth_writes_the_map(self):
        self.write("model.onnx", grey_network(HEIGHT, WIDTH))
        values, said = self.map_of("--network-output", "inverse")
        self.assertEqual(values.shape, (HEIGHT, WIDTH))
        self.assertEqual((values.min(), values.max()), (0, 1))
        self.assertTrue((numpy.diff(values[:, 0]) >= 0).all())
        self.assertIn("run by ONNX Runtime", said)
        self.assertIn("on the CPU", said)
        self.assertIn("--network-output", self.map_of()[1])  # which nothing else says

    def test_the_window_runs_a_network_that_is_found(self):
        """By its button's key; undo takes it back, and the shown command makes the same."""
        self.write("data/scanlens/model.onnx", grey_network(HEIGHT, WIDTH))
        (self.folder / "s.txt").write_text("wait rest\nkey shift+d\nwait rest\nset strokes no\nset blur 4\nset focus 0.9\nwait rest\nkey s\nwait rest\nquit\n")
        done = self.run_here("view", "photo.png", "--headless", "--script", "s.txt",
                             env={**self.environment, "XDG_DATA_HOME": str(self.folder / "data"), "DISPLAY": ""})
        self.assertEqual(done.returncode, 0, done.stderr)
        words = shlex.split(next(line for line in done.stderr.splitlines() if line.startswith("command: "))[len("command: "):])
        self.assertIn("--depth-network", words)
        made = (self.folder / "photo_dof.png").read_bytes()
        self.succeed(*words[1:-1], "again.png")
        self.assertEqual((self.folder / "again.png").read_bytes(), made)

    def test_pixels_are_those_that_the_options_say(self):
        self.write("model.onnx", grey_network(HEIGHT, WIDTH))
        for name, expected in (("unit", self.photo / 255), ("bytes", self.photo), ("half", self.photo / 127.5 - 1),
                               ("imagenet", (self.photo / 255 - IMAGENET[0]) / IMAGENET[1])):
            values, _ = self.map_of("--network-output", "metres", "--network-pixels", name)
            known = expected.mean(2) > 0.01
            self.assertLess(abs(values[known] / expected.mean(2)[known] - 1).max(), 1e-3, name)

    def test_open_sizes_keep_the_photo_s_shape(self):
        self.write("model.onnx", grey_network("height", "width"))
        for size, multiple, expected in (("28", "14", "42 x 28"), ("32", "1", "48 x 32"), ("60x30", "1", "60 x 40"), ("64x20", "1", "62 x 41")):
            said = self.map_of("--network-size", size, "--network-multiple", multiple)[1]
            self.assertIn(f"map of {expected}", said)
        write_png(self.folder / "wide.png", 300, 10, 3, 8, [128] * 9000)
        self.assertIn("map of 155 x 5", self.map_of("--network-size", "20", "--network-multiple", "1", photo="wide.png")[1])

    def test_floats_of_16_bits(self):
        self.write("model.onnx", grey_network(HEIGHT, WIDTH, kind=FLOAT16))
        values, _ = self.map_of("--network-output", "metres", "--network-pixels", "unit")
        self.assertLess(abs(values / self.photo.mean(2) * 255 - 1).max(), 0.01)

    def test_images_of_other_layouts_and_of_bytes(self):
        to_planes = node("Transpose", ["light"], ["seen"], perm=[0, 3, 1, 2])
        to_floats, as_it_is = node("Cast", ["image"], ["light"], to=FLOAT), node("Identity", ["image"], ["light"])
        for shape, kind, first in (([1, HEIGHT, WIDTH, 3], FLOAT, [as_it_is, to_planes]), ([1, HEIGHT, WIDTH, 3], BYTE, [to_floats, to_planes]),
                                   ([1, "height", "width", 3], BYTE, [to_floats, to_planes]),
                                   ([1, 3, HEIGHT, WIDTH], BYTE, [to_floats, node("Identity", ["light"], ["seen"])])):
            self.write("model.onnx", grey_network(HEIGHT, WIDTH, takes=port("image", shape, kind), first=first))
            pixels = ["--network-pixels", "bytes"] if kind == FLOAT else []
            values, _ = self.map_of("--network-output", "metres", "--network-size", f"{WIDTH}x{HEIGHT}", "--network-multiple", "1", *pixels)
            self.assertLess(abs(values / self.photo.mean(2) - 1).max(), 0.01, (shape, kind))
        self.refuse("depth", "photo.png", "--depth-network", "model.onnx", "--network-pixels", "unit", code=2, env=self.environment,
                    says=("--network-pixels: model.onnx takes bytes, 0 .. 255, alone",))

    def test_a_stretched_map_covers_the_photo(self):
        """Of a model that takes squares alone: no warning that the proportions differ."""
        self.write("model.onnx", grey_network(32, 32))
        values, said = self.map_of("--network-output", "inverse")
        self.assertEqual(values.shape, (HEIGHT, WIDTH))
        self.assertNotIn("warning", said)

    def test_the_sky_is_infinitely_far(self):
        sky = [node("ReduceMean", ["image"], ["mean"], axes=[1], keepdims=1), node("Sub", ["mean", "bright"], ["sky"])]
        content = grey_network(HEIGHT, WIDTH, first=(), extra=sky, extra_outputs=[port("sky", [1, 1, HEIGHT, WIDTH])],
                               initializers=[tensor("bright", [1.0], [1])])
        self.write("model.onnx", content)
        values, said = self.map_of("--network-pixels", "imagenet")
        self.assertIn("Depth Anything 3", said)
        seen = ((self.photo / 255 - IMAGENET[0]) / IMAGENET[1]).mean(2)
        self.assertTrue((values[seen > 1.35] == 0).all())
        self.assertGreater(values[(seen > 0.1) & (seen < 0.9)].min(), 0)

    def test_a_camera_s_focal_length_makes_metres(self):
        """Of Depth Pro as transformers exports it: the field of view is an output, and inverse depth is of the width."""
        shape = [node("ReduceMean", ["image"], ["one"], axes=[1, 2, 3], keepdims=0), node("Mul", ["one", "zero"], ["none"]),
                 node("Add", ["none", "ninety"], ["field_of_view"])]
        self.write("model.onnx", grey_network(HEIGHT, WIDTH, extra=shape, extra_outputs=[port("field_of_view", [1])],
                                              initializers=[tensor("zero", [0.0], [1]), tensor("ninety", [90.0], [1])]))
        values, said = self.map_of("--network-pixels", "unit")
        self.assertIn("Depth Pro", said)
        self.assertLess(abs(values * self.photo.mean(2) / 255 * 2 - 1).max(), 1e-3)  # 1 / (value * 2 tan 45)

    def test_what_lies_beside_the_model_goes_before_its_name(self):
        self.write("hub/onnx/depth_anything.onnx", grey_network("h", "w", "pixel_values", "predicted_depth"))
        self.write("hub/config.json", {"model_type": "depth_anything", "depth_estimation_type": "metric", "max_depth": 20})
        self.write("hub/preprocessor_config.json", {"do_normalize": True, "image_mean": [0, 0, 0], "image_std": [1, 1, 1],
                                                    "size": {"height": 32, "width": 32}, "ensure_multiple_of": 16})
        values, said = self.map_of(model="hub/onnx/depth_anything.onnx")
        self.assertIn("Depth Anything map of 48 x 32 read as distances in metres: its config.json says so", said)
        self.assertAlmostEqual(values.max(), 230 / 255, 1)
        values, said = self.map_of("--network-output", "inverse", "--network-size", "16", model="hub/onnx/depth_anything.onnx")
        self.assertIn("map of 32 x 16 read as relative inverse depth", said)

    def test_names_tell_families(self):
        for name, says in (("depth_anything_v2_vits.onnx", "Depth Anything map of 784 x 518 read as relative inverse depth"),
                           ("depth_anything_v2_metric_indoor.onnx", "Depth Anything map of 784 x 518 read as distances in metres"),
                           ("dpt_hybrid_midas.onnx", "DPT map of 576 x 384 read as relative inverse depth"),
                           ("midas_v21_small_256.onnx", "MiDaS small map of 384 x 256"),
                           ("zoedepth.onnx", "ZoeDepth map of 576 x 384 read as distances in metres"),
                           ("da3mono-large.onnx", "Depth Anything 3 map of 756 x 504 read as distances without a unit")):
            self.write(name, grey_network("h", "w"))
            self.assertIn(says + ", norm" if "metres" not in says and "small" not in says else says, self.map_of(model=name)[1], name)
        self.write("metadata.onnx", grey_network("h", "w", metadata={"source": "MiDaS v2.1"}))
        self.assertIn("MiDaS map of 576 x 384", self.map_of(model="metadata.onnx")[1])

    def test_models_that_normalise_themselves_get_plain_pixels(self):
        def of(mean, deviation, *operators):
            constants = [tensor("mean", [mean] * 3, [1, 3, 1, 1]), tensor("deviation", [deviation], [1])]
            first = [node(operators[0], ["image", "mean"], ["centred"]), node(operators[1], ["centred", "deviation"], ["seen"])]
            return grey_network(HEIGHT, WIDTH, first=first, initializers=constants)
        self.write("model.onnx", of(0.485, 0.229, "Sub", "Div"))
        values, said = self.map_of("--network-output", "metres")
        self.assertIn("normalises pixels itself, from 0 .. 1", said)
        seen = (self.photo.mean(2) / 255 - 0.485) / 0.229
        self.assertLess(abs(values[seen > 0.1] / seen[seen > 0.1] - 1).max(), 1e-3)
        self.write("model.onnx", of(123.675, 1 / 58.395, "Sub", "Mul"))
        values, said = self.map_of("--network-output", "metres")
        self.assertIn("from 0 .. 255", said)
        seen = (self.photo.mean(2) - 123.675) / 58.395
        self.assertLess(abs(values[seen > 0.1] / seen[seen > 0.1] - 1).max(), 1e-3)

    def test_values_that_grow_the_wrong_way_are_doubted(self):
        write_png(self.folder / "upside.png", WIDTH, HEIGHT, 3, 8, self.photo[::-1].ravel().tolist())
        self.write("model.onnx", grey_network(HEIGHT, WIDTH))
        self.assertIn("say --network-output distance", self.map_of(photo="upside.png")[1])
        self.assertNotIn("grow towards", self.map_of("--network-output", "inverse", photo="upside.png")[1])

    def test_dof_batch_filter_stats_and_view(self):
        self.write("model.onnx", grey_network("h", "w"))
        network = "--depth-network", "model.onnx", "--network-output", "inverse"
        self.succeed("depth", "photo.png", *network, "-o", "map.png")
        self.succeed("dof", "photo.png", "--depth", "map.png", "-o", "by_map.png", "--focus", "0.9")
        self.succeed("dof", "photo.png", *network, "-o", "dof.png", "--focus", "0.9")
        worst = max(abs(a - b) for a, b in zip(read_png(self.folder / "dof.png").samples, read_png(self.folder / "by_map.png").samples))
        self.assertLessEqual(worst, 1)
        self.succeed("filter", "photo.png", *network, "-o", "filter.png", "--filter", "dof:focus=0.9")
        for name in ("a.png", "b.png"):
            (self.folder / "in" / name).parent.mkdir(exist_ok=True)
            (self.folder / "in" / name).write_bytes((self.folder / "photo.png").read_bytes())
        done = self.run_here("batch", "in", "out", *network, "--filter", "dof:focus=0.9")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(done.stderr.count("run by ONNX Runtime"), 1)
        for name in ("a.png", "b.png"):
            self.assertEqual((self.folder / "out" / name).read_bytes(), (self.folder / "filter.png").read_bytes())
        done = self.run_here("batch", "in", "out", *network, "--filter", "dof:focus=0.9", "--skip-existing")
        self.assertIn("2 skipped", done.stderr)
        self.write("model.onnx", grey_network("h", "w", metadata={"another": "model"}))
        done = self.run_here("batch", "in", "out", *network, "--filter", "dof:focus=0.9", "--skip-existing")
        self.assertIn("2 written", done.stderr)
        account = json.loads(self.succeed("stats", "photo.png", *network, "--where", "depth > 0.5", "--json").stdout)
        self.assertAlmostEqual(account["channels"][0]["share"], 0.5, 1)
        self.refuse("filter", "photo.png", *network, "-o", "no.png", "--filter", "box:radius=2", code=2,
                    says=("none of the filters takes depth",))

    def test_sequences_share_one_normalisation(self):
        self.write("model.onnx", grey_network(HEIGHT, WIDTH))
        for number in range(3):
            darker = (self.photo * (0.5 + 0.25 * number)).astype(int)
            write_png(self.folder / f"in_{number}.png", WIDTH, HEIGHT, 3, 8, darker.ravel().tolist())
        network = "--depth-network", "model.onnx", "--network-output", "inverse"
        done = self.run_here("dof", "in_%d.png", "-o", "out_%d.png", *network, "--focus", "0.5")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("3 of 3 frames say how all are normalised", done.stderr)
        self.assertEqual(done.stderr.count("run by ONNX Runtime"), 1)
        common = done.stderr.split("--depth-range ")[1].split()[0]
        self.succeed("dof", "in_1.png", "-o", "alone.png", *network, "--focus", "0.5", "--depth-range", common)
        self.assertEqual((self.folder / "alone.png").read_bytes(), (self.folder / "out_1.png").read_bytes())

    @unittest.skipUnless(shutil.which("ffmpeg") and shutil.which("ffprobe"), "ffmpeg is not installed")
    def test_a_clip_is_guessed_frame_by_frame(self):
        self.write("model.onnx", grey_network(48, 64))
        subprocess.run(["ffmpeg", "-v", "error", "-f", "lavfi", "-i", "testsrc2=size=64x48:rate=5:duration=1", "-c:v", "ffv1", "in.mkv"],
                       cwd=self.folder, check=True)
        network = "--depth-network", "model.onnx", "--network-output", "inverse"
        done = self.succeed("dof", "in.mkv", *network, "-o", "out.mkv", "--focus", "0.5", "--video-codec", "ffv1")
        self.assertEqual(done.stderr.count("run by ONNX Runtime"), 1)
        self.assertIn("5 frames", done.stderr)
        self.refuse("dof", "in.mkv", "-o", "no.mkv", code=2, says=("--depth-network MODEL",))

    def test_json_names_the_model(self):
        self.write("model.onnx", grey_network(HEIGHT, WIDTH))
        account = json.loads(self.succeed("dof", "photo.png", "--depth-network", "model.onnx", "-o", "o.png", "--json").stdout)
        self.assertEqual(account["depth"]["file"] if isinstance(account.get("depth"), dict) else account["depth"], "model.onnx")

    def test_info_shows_the_library(self):
        found = json.loads(self.succeed("info", "--json", "--onnxruntime", RUNTIME).stdout)["onnxruntime"]
        self.assertTrue(found["available"])
        self.assertIn("CPUExecutionProvider", found["providers"])
        self.assertRegex(self.succeed("info").stdout, r"networks: ONNX Runtime \d")


@unittest.skipIf(MISSING, MISSING)
class HostileModels(NetworkCase):
    def refuse_model(self, content, *says, options=(), code=1):
        self.write("model.onnx", content)
        self.refuse("depth", "photo.png", "--depth-network", "model.onnx", "-o", "map.png", *options, code=code,
                    says=("model.onnx", *says), env=self.environment)

    def test_shapes_that_are_no_image(self):
        good = [tensor("weights", [1 / 3] * 3, [1, 3, 1, 1])]
        conv = [node("Conv", ["image", "weights"], ["depth"], kernel_shape=[1, 1])]
        out = [port("depth", ["a", "b", "c", "d"])]
        self.refuse_model(onnx.model(conv, [port("image", [2, 3, 8, 8])], out, good), "2 x 3 x 8 x 8", "no image")
        self.refuse_model(onnx.model([node("Identity", ["image"], ["depth"])], [port("image", [1, 4, 8, 8])], out), "1 x 4 x 8 x 8")
        self.refuse_model(onnx.model([node("Identity", ["image"], ["depth"])], [port("image", [1, 3, 8, 8], INT64)],
                                     [port("depth", [1, 3, 8, 8], INT64)]), "neither floats nor bytes")
        self.refuse_model(onnx.model([node("Identity", ["image"], ["depth"])], [port("image", [1, 3, 8, 8])], [port("depth", [1, 3, 8, 8])]),
                          "1 x 3 x 8 x 8", "a map is needed")
        self.refuse_model(onnx.model(conv, [port("image", [1, 3, 100000, 100000])], out, good), "more than 8192")

    def test_many_inputs(self):
        second = [port("num_tokens", [1], INT64)]
        content = grey_network(8, 8, extra=[node("Identity", ["num_tokens"], ["same"])], extra_inputs=second,
                               extra_outputs=[port("same", [1], INT64)])
        self.refuse_model(content, "takes 2 inputs (image, num_tokens)")
        many = [port(f"input{i}", [1]) for i in range(500)]
        self.refuse_model(grey_network(8, 8, extra_inputs=many), "takes 501 inputs", "...")

    def test_weights_outside_the_folder(self):
        for place in ("../secret", "/etc/passwd", "a/../../b", ""):
            self.refuse_model(grey_network(8, 8, weights=tensor("weights", [], [1, 3, 1, 1], external=place)), "outside its folder")
        hidden = node("Constant", [], ["unused"], value=tensor("hidden", [], [1], external="/etc/hostname"))
        self.refuse_model(grey_network(8, 8, extra=[hidden]), "/etc/hostname", "outside its folder")
        self.refuse_model(grey_network(8, 8, weights=tensor("weights", [], [1, 3, 1, 1], external="gone")), "missing beside it")
        (self.folder / "link").symlink_to("/etc/hostname")
        self.refuse_model(grey_network(8, 8, weights=tensor("weights", [], [1, 3, 1, 1], external="link")), "leads out of its folder")

    def test_weights_beside_the_model(self):
        self.write("model.weights", numpy.full(3, 1 / 3, "<f4").tobytes())
        self.write("model.onnx", grey_network(HEIGHT, WIDTH, weights=tensor("weights", [], [1, 3, 1, 1], external="model.weights")))
        values, _ = self.map_of("--network-output", "metres", "--network-pixels", "unit")
        self.assertLess(abs(values / self.photo.mean(2) * 255 - 1).max(), 1e-3)
        # As Hugging Face's cache keeps them: links to files of other names elsewhere.
        (self.folder / "blobs").mkdir()
        for name in ("model.onnx", "model.weights"):
            (self.folder / name).rename(self.folder / "blobs" / f"of_{name}")
        (self.folder / "snapshot").mkdir()
        for name in ("model.onnx", "model.weights"):
            (self.folder / "snapshot" / name).symlink_to(f"../blobs/of_{name}")
        done = self.run_here("depth", "photo.png", "--depth-network", "snapshot/model.onnx")
        self.assertTrue(done.returncode == 0 or "snapshot/model.onnx" in done.stderr, done.stderr)

    def test_cut_and_damaged_files(self):
        content = grey_network(HEIGHT, WIDTH)
        for length in range(1, len(content), 7):
            self.write("model.onnx", content[:length])
            done = self.run_here("depth", "photo.png", "--depth-network", "model.onnx")
            self.assertIn(done.returncode, (0, 1), f"{length}: {done.stderr}")
            if done.returncode:
                self.assertIn("model.onnx", done.stderr)
        self.refuse_model(content[: len(content) // 2], "cut off")
        self.refuse_model(b"PK\x03\x04" + bytes(100), "ZIP archive", "export the network as ONNX")
        self.refuse_model(b"version https://git-lfs.github.com/spec/v1\n", "Git LFS")
        self.refuse_model(png_bytes(2, 2, 3, 8, [0] * 12), "no ONNX model")

    def test_a_model_that_makes_too_much(self):
        fill = [node("ConstantOfShape", ["shape"], ["depth"], value=tensor("value", [1.0], [1]))]
        shape = tensor("shape", [1, 1, 1 << 20, 1 << 20], [4], INT64)
        content = onnx.model(fill + [node("Identity", ["image"], ["unused"])], [port("image", [1, 3, 8, 8])],
                             [port("depth", ["a", "b", "c", "d"])], [shape])
        self.write("model.onnx", content)
        done = self.run_here("depth", "photo.png", "--depth-network", "model.onnx")
        self.assertIn(done.returncode, (1, 75), done.stderr)
        self.assertIn("model.onnx", done.stderr)
        self.assertNotIn("terminate", done.stderr)

    def test_values_that_are_no_numbers(self):
        self.refuse_model(grey_network(HEIGHT, WIDTH, weights=tensor("weights", [float("nan")] * 3, [1, 3, 1, 1])), "no known pixel")

    def test_memory_is_refused_before_it_is_taken(self):
        self.refuse_model(grey_network(4096, 4096), "of memory", options=("--max-memory", "1GB"), code=75)

    def test_options_are_for_maps_or_for_networks(self):
        content = grey_network(HEIGHT, WIDTH)
        self.refuse_model(content, "--depth-scale cannot be used with a network", options=("--depth-scale", "2"), code=2)
        self.refuse_model(content, "takes images of 96 x 64 (width x height) alone", options=("--network-size", "32"), code=2)
        self.refuse("depth", "photo.png", "--network-size", "32", code=2, says=("--depth-network",))
        self.refuse("dof", "photo.png", "--depth-network", "model.onnx", "--depth", "photo.png", "-o", "o.png", code=2, says=("--depth",))


class WithoutARuntime(NetworkCase):
    """What is said where the library is missing; needs none."""

    def setUp(self):
        super().setUp()
        self.write("model.onnx", grey_network(HEIGHT, WIDTH))

    def test_a_library_that_is_missing(self):
        (self.folder / "library.so").write_bytes(b"no library")
        for named in ("gone.so", "library.so", "."):
            self.refuse("dof", "photo.png", "--depth-network", "model.onnx", "--onnxruntime", named, "-o", "o.png",
                        says=("ONNX Runtime", "pip install onnxruntime", "onnxruntime/capi/libonnxruntime.so", "--onnxruntime names"))
        self.refuse("dof", "photo.png", "--depth-network", "model.onnx", "-o", "o.png", env={**os.environ, "SCANLENS_ONNXRUNTIME": "gone.so"},
                    says=("SCANLENS_ONNXRUNTIME names gone.so",))

    def test_python3_is_asked_for_its_package(self):
        (self.folder / "package/capi").mkdir(parents=True)
        (self.folder / "package/capi/libonnxruntime.so.9").write_bytes(b"no library")
        self.write("bin/python3", f"#!/bin/sh\nprintf '%s' '{self.folder}/package'\n".encode())
        (self.folder / "bin/python3").chmod(0o755)
        env = {name: value for name, value in os.environ.items() if name != "SCANLENS_ONNXRUNTIME"}
        self.refuse("dof", "photo.png", "--depth-network", "model.onnx", "-o", "o.png",
                    env={**env, "PATH": f"{self.folder}/bin:{os.environ['PATH']}"},
                    says=("python3's package onnxruntime names", "package/capi/libonnxruntime.so.9"))

    def test_info_says_so(self):
        found = json.loads(self.succeed("info", "--json", "--onnxruntime", "gone.so").stdout)["onnxruntime"]
        self.assertFalse(found["available"])
        self.assertIn("gone.so", found["cause"])


if __name__ == "__main__":
    unittest.main()

#!/usr/bin/env python3
"""`scanlens bench`: what it measures, how it says so, and what it refuses. Speed is not tested: machines are shared."""
import json
import os
import shutil
import unittest
import xml.etree.ElementTree

from support import CommandCase, has_cuda, read_png, require_opengl

PRIMITIVES = {"scan", "options", "algorithms", "rows", "axes", "transpose", "sat", "compact", "sort", "reduce", "spmv", "box",
              "dof", "depth", "stats", "filters"}
TWO_DIMENSIONAL = {"rows", "axes", "transpose", "sat", "spmv", "box", "dof", "depth", "stats", "filters"}
FIELDS = {"primitive", "variant", "type", "plan", "size", "elements", "device", "ms", "ms_min", "ms_max", "bytes", "gb_per_s",
          "bound_ms", "fraction_of_bound", "in_cache", "peer", "peer_ms", "speedup", "verified"}
CPU = ("--device", "cpu", "--quiet")


class BenchCase(CommandCase):
    def measure(self, *args, **options):
        """The results of a run with --json, each looked at."""
        done = self.succeed("bench", *args, "--json", *options.get("device", CPU), timeout=300)
        facts = json.loads(done.stdout)  # and nothing but JSON
        self.assertEqual(set(facts), {"command", "version", "device", "gpu", "commit", "results"})
        for result in facts["results"]:
            self.check(result)
        return facts["results"]

    def check(self, result):
        self.assertEqual(set(result), FIELDS)
        self.assertIs(result["verified"], True, result)
        self.assertLessEqual(0, result["ms_min"])
        self.assertLessEqual(result["ms_min"], result["ms"])
        self.assertLessEqual(result["ms"], result["ms_max"])
        self.assertGreater(result["ms"], 0)
        self.assertGreater(result["bytes"], 0)
        self.assertAlmostEqual(result["gb_per_s"], result["bytes"] / result["ms"] * 1e-6, delta=result["gb_per_s"] / 1e6)
        self.assertAlmostEqual(result["fraction_of_bound"], result["bound_ms"] / result["ms"],
                               delta=result["fraction_of_bound"] / 1e6)
        if result["peer"] is None:
            self.assertIsNone(result["peer_ms"])
            self.assertIsNone(result["speedup"])
        else:
            self.assertAlmostEqual(result["speedup"], result["peer_ms"] / result["ms"], delta=result["speedup"] / 1e6)


class Results(BenchCase):
    def test_every_primitive(self):
        for primitive in sorted(PRIMITIVES):
            with self.subTest(primitive=primitive):
                size = "64x48" if primitive in TWO_DIMENSIONAL else "5000"
                results = self.measure(primitive, "--size", size, "--quick")
                self.assertEqual({result["primitive"] for result in results}, {primitive})
                self.assertEqual({result["device"] for result in results}, {"cpu"})

    def test_default_is_everything_and_the_size_decides(self):
        found = {result["primitive"] for result in self.measure("--size", "64x48", "--quick")}
        self.assertEqual(found, TWO_DIMENSIONAL)
        found = {result["primitive"] for result in self.measure("--size", "1000", "--quick")}
        self.assertEqual(found, PRIMITIVES - TWO_DIMENSIONAL)
        results = self.measure("scan", "rows", "--size", "3000", "--size", "17x19", "--quick")
        self.assertEqual({(result["primitive"], result["size"]) for result in results}, {("scan", "3000"), ("rows", "17x19")})

    def test_awkward_sizes(self):
        for size, elements in (("1", 1), ("2^12", 4096), ("2^12-1", 4095), ("2^12+1", 4097), ("65537", 65537)):
            with self.subTest(size=size):
                for result in self.measure("scan", "sort", "reduce", "compact", "--size", size, "--quick"):
                    self.assertEqual(result["elements"], elements)
        for size in ("1x1", "1x1000", "1000x1", "33x31"):
            with self.subTest(size=size):
                self.measure("rows", "transpose", "spmv", "sat", "box", "dof", "filters", "--size", size, "--quick")

    def test_what_scans_are_compared_with(self):
        results = self.measure("scan", "--size", "4096", "--quick")
        self.assertLessEqual({"u32", "f32", "f64", "u8 -> u32"}, {result["type"] for result in results})
        inclusive = [r for r in results if (r["variant"], r["type"]) == ("inclusive sum", "u32")]
        self.assertEqual([result["peer"] for result in inclusive], ["std::inclusive_scan", "tbb::parallel_scan"])
        self.assertEqual({result["bytes"] for result in inclusive}, {8 * 4096})

    def test_algorithms_has_every_algorithm(self):
        variants = {result["variant"] for result in self.measure("algorithms", "--size", "3000", "--quick")}
        self.assertEqual(variants, {"naive", "work_efficient", "conflict_free", "vectorized", "warp_shuffle", "look_back",
                                    "automatic"})

    def test_table(self):
        done = self.succeed("bench", "reduce", "--size", "4096", "--quick", *CPU)
        self.assertEqual(done.stderr, "")
        lines = done.stdout.splitlines()
        self.assertTrue(lines[0].startswith("primitive "), lines[0])
        self.assertRegex(done.stdout, r"\nreduce +sum +f32 +2\^12 +cpu +[\d.]+ +\([\d.]+ \.\. [\d.]+\) .* std::reduce ")
        self.assertIn("verified before it was timed", done.stdout)

    @unittest.skipUnless(has_cuda(), "no CUDA device")
    def test_cuda_has_cub_for_a_peer(self):
        results = self.measure("scan", "compact", "sort", "reduce", "--size", "2^16+1", "--quick", device=("--device", "cuda"))
        self.assertTrue(all(result["peer"].startswith("cub::") for result in results if result["peer"]))
        self.assertGreater(sum(result["peer"] is not None for result in results), 10)

    @unittest.skipUnless(has_cuda(), "no CUDA device")
    def test_layers_have_direct_gathers_for_peers(self):
        results = self.measure("dof", "--size", "640x361", "--quick", device=("--device", "cuda"))
        gathers = [result for result in results if result["peer"]]
        self.assertEqual({result["variant"] for result in gathers},
                         {f"RGB, {quality}, radius {radius}" for quality in ("good", "best") for radius in (4, 16, 40, 128)})
        self.assertLessEqual({result["peer"] for result in gathers}, {"disc gather, 64 taps", "disc gather, full"})


class Papers(BenchCase):
    def test_numbers_of_the_documents(self):
        results = self.measure("papers", "--quick")
        self.assertEqual({result["primitive"] for result in results}, {"papers"})
        report = [(result["elements"], result["peer_ms"]) for result in results
                  if result["variant"] == "Harris 2007, table 2: automatic" and "8800" in result["peer"]]
        self.assertEqual(report, [(1024, 0.079492), (32768, 0.106159), (65536, 0.137006), (131072, 0.200257)])
        totals = [result["peer_ms"] for result in results if result["variant"] == "GPU Gems 3, table 39-1: total"]
        self.assertEqual(totals, [1.64, 3.50])


class Quality(BenchCase):
    """`bench quality`: every scene, three distances in focus, three largest circles."""
    SMALL = ("quality", "--size", "48x32", "--views", "2")
    PICTURES = [(scene, focus, circle) for scene, focuses in (("teapot", (0.7, 1.5, 4)), ("lights", (0.75, 1.5, 12)))
                for focus in focuses for circle in (8, 24, 64)]

    @classmethod
    def setUpClass(cls):
        require_opengl()

    def measure_quality(self, *args, **options):
        done = self.run_here("bench", *self.SMALL, "--json", *CPU, *args, **options)
        self.assertEqual(done.returncode, 0, done.stderr)
        facts = json.loads(done.stdout)
        self.assertEqual(facts["results"], [])
        return facts["quality"]

    def test_figures(self):
        results = self.measure_quality()
        self.assertEqual([(r["scene"], r["focus_m"], r["circle"]) for r in results if r["quality"] == "draft"], self.PICTURES)
        for result in results:
            self.assertEqual((result["size"], result["views"]), ("48x32", 2))
            self.assertEqual(set(result["likeness"]), {"psnr", "band_psnr", "ssim", "band_ssim"})
            self.assertTrue(8 < result["likeness"]["psnr"] < 60, result)
            self.assertTrue(0 < result["likeness"]["ssim"] <= 1, result)
            if result["quality"] == "draft":
                self.assertEqual(set(result["gain"].values()) - {None}, {0})

    def test_the_folder_of_references(self):
        first = self.measure_quality("--references", "kept")
        names = {path.name for path in (self.folder / "kept").iterdir()}
        self.assertEqual(len(names), 2 * (9 + 2))
        self.assertLessEqual({"teapot_48x32_sharp.png", "lights_48x32_sharp.exr", "lights_48x32_depth.exr",
                              "lights_48x32_focus0.75_blur24_views2.exr"}, names)
        nothing_to_draw_with = {**os.environ, "SCANLENS_SHADERS": "/nowhere"}
        again = self.measure_quality("--references", "kept", env=nothing_to_draw_with)
        for one, other in zip(first, again, strict=True):
            for figure, value in one["likeness"].items():
                if value is not None:
                    self.assertAlmostEqual(value, other["likeness"][figure], delta=2e-3)

        path = self.folder / "kept/lights_48x32_sharp.exr"
        path.write_bytes(path.read_bytes()[:200])
        self.refuse("bench", *self.SMALL, *CPU, "--json", "--references", "kept", code=1, says=("lights_48x32_sharp.exr",))

    def test_pictures_side_by_side(self):
        self.measure_quality("--pictures", "look")
        names = {path.name for path in (self.folder / "look").iterdir()}
        self.assertEqual(len(names), 2 * len(self.PICTURES))
        whole = read_png(self.folder / "look/lights_48x32_focus1.5_blur24.png")
        self.assertEqual((whole.width + 8) % (48 + 8), 0)
        self.assertEqual(whole.height, 32)
        detail = read_png(self.folder / "look/lights_48x32_focus1.5_blur24_detail.png")
        self.assertEqual((detail.width + 8) // (16 + 8), (whole.width + 8) // (48 + 8))
        self.assertEqual(detail.height, 10)

    def test_table(self):
        done = self.run_here("bench", *self.SMALL, *CPU)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        lines = done.stdout.splitlines()
        self.assertTrue(lines[0].startswith("| scene | size | views | focus | circle | quality | PSNR |"))
        self.assertRegex(done.stdout, r"\n\| lights \| 48x32 \| 2 \| 0.75 m \| 24 px \| draft \| [\d.]+ \| [\d.]+ \| ")
        self.assertRegex(done.stdout, r"\n\| mean of \|(.*\n){2}\| teapot \| 48x32 \| draft \| [\d.]+ ")

    def test_refused(self):
        self.refuse("bench", "quality", "--size", "2^20", code=2, says=("--size", "quality"))
        self.refuse("bench", "quality", "--size", "10x40", code=2, says=("--size", "11"))
        self.refuse("bench", "scan", "--views", "3", code=2, says=("--views", "quality"))
        self.refuse("bench", "quality", "--views", "0", code=2, says=("--views",))
        (self.folder / "file").write_bytes(b"no folder")
        self.refuse("bench", *self.SMALL, "--references", "file", code=1, says=("file",))
        self.refuse("bench", *self.SMALL, "--pictures", "file", code=1, says=("file",))


class Plot(BenchCase):
    ARGUMENTS = ("bench", "scan", "--size", "1000", "--size", "2000", "--quick", *CPU, "--plot")

    @unittest.skipUnless(shutil.which("gnuplot"), "gnuplot is not installed")
    def test_picture(self):
        with self.unchanged("scan.svg"):
            done = self.run_here(*self.ARGUMENTS, "scan.svg")
        self.assertEqual(done.returncode, 0, done.stderr)
        text = (self.folder / "scan.svg").read_text()
        self.assertTrue(xml.etree.ElementTree.fromstring(text).tag.endswith("svg"))
        for curve in ("scanlens inclusive sum u32, cpu", "std::exclusive_scan f32, cpu", "copy u32, cpu"):
            self.assertIn(curve, text)

    def test_without_gnuplot(self):
        done = self.refuse(*self.ARGUMENTS, "scan.svg", code=1, says=("gnuplot-nox",), env={"PATH": "/nowhere"})
        self.assertEqual(len(done.stderr.splitlines()), 1)

    def test_refused_before_anything_is_measured(self):
        self.refuse(*self.ARGUMENTS, "scan.png", code=2, says=("scan.png", ".svg"))
        self.refuse(*self.ARGUMENTS, "missing/scan.svg", code=1, says=("missing",))
        self.refuse("bench", "rows", "--plot", "rows.svg", code=2, says=("--plot", "scan"))
        self.refuse("bench", "scan", "--size", "1000", "--plot", "one.svg", code=2, says=("--plot", "--size"))


class BadUsage(BenchCase):
    def test_primitives(self):
        self.refuse("bench", "scans", code=2, says=("scans", "transpose"))
        self.refuse("bench", "scan", "--frobnicate", code=2, says=("--frobnicate",))

    def test_sizes(self):
        for size in ("0", "-5", "2^99", "3^4", "2^", "1e6", "12q", "", "99999999999999999999", "5x", "x5", "0x5", "5x5x5",
                     "2^20-2^19", "2^3-8", "2^36x2^36"):
            with self.subTest(size=size):
                self.refuse("bench", *CPU, "--size=" + size, code=2, says=("--size",))
        self.refuse("bench", "rows", "--size", "1000", code=2, says=("rows", "WIDTHxHEIGHT"))
        self.refuse("bench", "scan", "--size", "10x10", code=2, says=("scan", "length"))
        self.refuse("bench", "scan", "--size", code=2, says=("--size",))

    def test_more_than_there_is_memory_for(self):
        self.refuse("bench", "scan", "--size", "2^36", "--device", "cpu", code=75, says=("MiB",))

    def test_device(self):
        self.refuse("bench", "--device", "tpu", code=2, says=("tpu",))


if __name__ == "__main__":
    unittest.main()

#!/usr/bin/env python3
"""JSON of every command: what the schema says (app/about/output.schema.json), with every number that a sentence says."""
import functools
import json
import random
import re
import struct
import unittest

from support import ROOT, CommandCase, png_chunk, require_opengl, write_png

try:
    import jsonschema
except ImportError:
    jsonschema = None  # python3-jsonschema of tests/packages.txt

SCHEMA = json.loads((ROOT / "app/about/output.schema.json").read_text())
WIDTH, HEIGHT = 60, 40
DOF = ("dof", "photo.png", "--depth", "metric.png", "-o", "out.png")


def require_schema():
    if jsonschema is None:
        raise unittest.SkipTest("python3-jsonschema is not installed")


@functools.cache
def validator(part):
    return jsonschema.Draft202012Validator({"$ref": f"#/$defs/{part}", "$defs": SCHEMA["$defs"]})


def violations(value, part):
    return [f"{error.json_path}: {error.message}" for error in validator(part).iter_errors(value)]


def numbers_in(value):
    """Every number of a JSON value, and those in its lists' and objects' members."""
    if isinstance(value, dict):
        value = value.values()
    elif not isinstance(value, list):
        return [value] if isinstance(value, (int, float)) and not isinstance(value, bool) else []
    return [number for member in value for number in numbers_in(member)]


def is_said_of(text, number):
    """Whether a number is printed so, to as many decimals as the text has."""
    decimals = len(text.partition(".")[2])
    return any(abs(factor * number - float(text)) <= 0.5001 * 10 ** -decimals for factor in (1, 100))  # percent


class Json(CommandCase):
    def setUp(self):
        super().setUp()
        noise = random.Random(5)
        write_png(self.folder / "photo.png", WIDTH, HEIGHT, 3, 8, [noise.randrange(256) for _ in range(WIDTH * HEIGHT * 3)])
        write_png(self.folder / "grey16.png", WIDTH, HEIGHT, 1, 16, [noise.randrange(65536) for _ in range(WIDTH * HEIGHT)])
        holes = [0 if x < 3 else 2100 + 49 * x for _ in range(20) for x in range(30)]
        write_png(self.folder / "metric.png", 30, 20, 1, 16, holes)
        write_png(self.folder / "relative.png", WIDTH, HEIGHT, 1, 8, [4 * x for _ in range(HEIGHT) for x in range(WIDTH)])
        write_png(self.folder / "mask.png", WIDTH, HEIGHT, 1, 8, [255 * (x > 9) for _ in range(HEIGHT) for x in range(WIDTH)])
        (self.folder / "light.pfm").write_bytes(b"PF\n2 1\n-1.0\n" + struct.pack("<6f", 1, float("nan"), 3, -1, float("inf"), 6))
        (self.folder / "in").mkdir()
        for name in ("a", "b"):
            (self.folder / f"in/{name}.png").write_bytes((self.folder / "photo.png").read_bytes())

    def printed(self, *command, code=0):
        """What a command prints as JSON, and what it says beside it."""
        done = self.run_here(*command, "--json")
        self.assertEqual(done.returncode, code, done.stderr)
        return json.loads(done.stdout), done.stderr

    def valid(self, *command, code=0):
        facts, _ = self.printed(*command, code=code)
        self.assertEqual(facts["command"], command[0])
        self.assertEqual(violations(facts, command[0]), [], command)
        return facts


class Schema(Json):
    @classmethod
    def setUpClass(cls):
        require_schema()

    def test_itself(self):
        jsonschema.Draft202012Validator.check_schema(SCHEMA)
        text = json.dumps(SCHEMA)
        for part in SCHEMA["$defs"]:
            if part not in ("report_line", "progress_line", "times"):
                self.assertIn(f'"#/$defs/{part}"', text, "it is used")

    def test_describes_every_command_that_prints_json(self):
        parts = {each["$ref"].split("/")[-1] for each in SCHEMA["oneOf"]}
        commands = re.findall(r"^  ([a-z]+)\s{2,}\w+", self.succeed("--help").stdout.split("Subcommands:")[1], re.M)
        prints = {command for command in commands if re.search(r"^\s+--json\b", self.succeed(command, "--help-all").stdout, re.M)}
        self.assertEqual(parts, prints | {"version"})

    def test_refuses(self):
        facts = self.valid(*DOF)
        self.assertTrue(violations({**facts, "another": 1}, "dof"))
        self.assertTrue(violations({key: value for key, value in facts.items() if key != "focus"}, "dof"))
        self.assertTrue(violations({**facts, "depth_map": {**facts["depth_map"], "unknown_share": 2}}, "dof"))
        self.assertTrue(violations({**facts, "depth_map": {**facts["depth_map"], "another": 1}}, "dof"))
        self.assertTrue(violations(facts, "filter"))
        whole = jsonschema.Draft202012Validator(SCHEMA)
        self.assertTrue(whole.is_valid(facts))
        self.assertFalse(whole.is_valid({**facts, "command": "filter"}))

    def test_pictures(self):
        self.valid(*DOF)
        self.valid(*DOF, "--focus", "inf", "--f-number", "inf")
        self.valid("dof", "photo.png", "--depth", "relative.png", "-o", "out.png", "--blur", "2%")
        self.valid("filter", "photo.png", "-o", "out.png", "--filter", "box:radius=2")
        self.valid("filter", "grey16.png", "-o", "out.tif")
        self.valid("filter", "photo.png", "-o", "out.png", "--filter", "dof:depth=metric.png:focus=0.8")
        self.valid("filter", "photo.png", "-o", "out.png", "--filter", "resize:long=30", "--filter", "resize:percent=50")
        self.valid("depth", "metric.png")
        self.valid("depth", "relative.png", "--of", "photo.png", "-o", "map.exr", "--preview", "map.png")
        self.assertEqual(self.valid("compare", "grey16.png", "--heatmap", "heat.png")["bits"], 16)

    def test_masks(self):
        self.valid("mask", "photo.png", "-o", "out.png", "--where", "mask and luma < 0.9", "--mask", "mask.png")
        self.valid("mask", "photo.png", "-o", "out.exr", "--depth", "metric.png", "--where", "coc < 1 and depth < 3", "--feather", "3px")
        self.valid("filter", "photo.png", "-o", "out.png", "--depth", "metric.png", "--filter", "box:where=coc<1:feather=3px")

    def test_statistics(self):
        self.valid("stats", "photo.png", "--plot", "out.svg")
        self.valid("stats", "light.pfm", "--percentiles", "0.1,50")
        self.valid("stats", "photo.png", "--where", "mask", "--mask", "mask.png")
        self.valid("stats", "photo.png", "--where", "luma > 1 or x < 0")
        self.valid("stats", "photo.png", "--depth", "metric.png", "--where", "coc < 1 and depth < 3")
        self.valid("batch", "in", "--stats", "--where", "luma > 0.5")
        (self.folder / "in/none.png").write_bytes(b"nothing")
        self.assertEqual(self.valid("batch", "in", "--stats", "--plot", "each.svg", code=1)["failed"], 1)

    def test_scenes(self):
        require_opengl()
        render = ("render", "teapot", "--size", "32x20")
        self.valid(*render, "-o", "out.png", "--sharp-out", "sharp.png", "--depth-out", "depth.png")
        self.assertIsNone(self.valid(*render, "-o", "out.png", "--blur", "3")["lens"])
        self.assertEqual(self.valid(*render, "-o", "out.png", "--reference", "2")["reference"], 2)
        self.assertEqual(self.valid(*render, "-o", "out.webp", "--frames", "2")["frames"], 2)
        self.valid(*DOF, "--renderer", "gl")
        (self.folder / "script.txt").write_text("time 3 times.json\n")
        done = self.run_here("view", "--scene", "teapot", "--headless", "--size", "64x40", "--script", "script.txt")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(violations(json.loads((self.folder / "times.json").read_text()), "times"), [])

    def test_the_program(self):
        for command in ("info", "filters"):
            self.valid(command)

    def test_bench(self):
        self.valid("bench", "scan", "--size", "1000", "--quick", "--device", "cpu")

    def lines_of(self, name):
        return [json.loads(line) for line in (self.folder / name).read_text().splitlines()]

    def test_reports(self):
        (self.folder / "in/none.png").write_bytes(b"nothing")
        done = self.run_here("batch", "in", "out", "--filter", "box", "--report", "r.jsonl", "--progress", "json")
        self.run_here("batch", "in", "--stats", "--report", "s.jsonl")
        for part, lines in (("progress_line", [json.loads(line) for line in done.stdout.splitlines()]),
                            ("report_line", self.lines_of("r.jsonl")), ("report_line", self.lines_of("s.jsonl"))):
            self.assertTrue(lines)
            for line in lines:
                self.assertEqual(violations(line, part), [])
        self.valid("report", "r.jsonl", code=1)
        self.valid("report", "s.jsonl", code=1)


class Sentences(Json):
    """Whoever reads JSON need not read sentences."""

    ALWAYS = re.compile(r"device: |OpenGL: |.* (read|taken) as ")  # names with numbers, conventions

    def every_number_is_a_field(self, *command):
        facts, said = self.printed(*command)
        known = numbers_in({key: value for key, value in facts.items() if key not in ("assumed", "warnings")})
        words = " ".join(command)
        numbers = 0
        for line in said.splitlines():
            if self.ALWAYS.match(line):
                continue
            line = re.sub(r"of 0 \(far\w*\) \.\. 1 \(near\w*\)|[\w/-]+\.(png|jpg|pfm)|larger only with enlarge=1", "", line)
            for text in re.findall(r"(?<![\w.])\d+(?:\.\d+)?(?![\w.]*\w)", line):
                numbers += 1
                self.assertTrue(any(is_said_of(text, number) for number in known), f"{text} in '{line}' of {words}: {facts}")
        self.assertGreater(numbers, 2, said)
        return facts

    def test_depth_of_field(self):
        facts = self.every_number_is_a_field(*DOF, "--focus", "2.5m", "--focal-length", "200")
        self.assertAlmostEqual(facts["focus"], 2.5, 5)
        self.assertEqual((facts["unit"], facts["width"], facts["height"], facts["bits"]), ("m", WIDTH, HEIGHT, 8))
        self.assertEqual(facts["lens"], {"focal_length_mm": 200, "f_number": 2, "sensor_width_mm": 36})
        self.assertGreater(facts["largest_blur"], 0.5)
        self.assertEqual(facts["depth"], "metric.png")
        found = facts["depth_map"]
        self.assertEqual((found["kind"], found["unit"], found["width"], found["height"]), ("depth", "m", 30, 20))
        self.assertEqual((round(found["min"], 3), round(found["max"], 3)), (2.247, 3.521))
        self.assertEqual((found["unknown"], found["unknown_share"]), (60, 0.1))
        relative = self.every_number_is_a_field("dof", "photo.png", "--depth", "relative.png", "-o", "out.png", "--focus", "80%",
                                                "--blur", "4")
        self.assertEqual((relative["unit"], relative["lens"], relative["depth_map"]["unit"]), (None, None, None))
        self.assertAlmostEqual(relative["focus"], 0.8, 5)
        self.assertEqual((relative["largest_blur"], relative["depth_map"]["kind"]), (4, "inverse"))

    def test_depth_beside_the_photo(self):
        (self.folder / "photo_depth.png").write_bytes((self.folder / "metric.png").read_bytes())
        self.assertEqual(self.every_number_is_a_field("dof", "photo.png", "-o", "out.png")["depth"], "photo_depth.png")

    def test_the_photos_lens(self):
        entries = b"".join(struct.pack(">HHII", *entry) for entry in ((0x829D, 5, 1, 68), (0x920A, 5, 1, 76), (0xA405, 3, 1, 85 << 16)))
        exif = (b"MM\0*\0\0\0\x08" + struct.pack(">HHHIII", 1, 0x8769, 4, 1, 26, 0) + struct.pack(">H", 3) + entries +
                struct.pack(">IIIII", 0, 18, 10, 425, 10))
        pixels = (self.folder / "photo.png").read_bytes()
        (self.folder / "photo.png").write_bytes(pixels[:33] + png_chunk(b"eXIf", exif) + pixels[33:])
        lens = self.every_number_is_a_field(*DOF)["lens"]
        self.assertEqual((lens["focal_length_mm"], lens["f_number"]), (42.5, 1.8))
        self.assertAlmostEqual(lens["sensor_width_mm"], 18, 1)

    def test_resize(self):
        facts = self.every_number_is_a_field("filter", "photo.png", "-o", "out.png", "--filter", "resize:long=30", "--filter",
                                             "resize:percent=50")
        self.assertEqual((facts["width"], facts["height"], facts["output_width"], facts["output_height"]), (60, 40, 15, 10))
        sizes = [{"width": width, "height": height} for width, height in ((60, 40), (30, 20), (15, 10))]
        self.assertEqual(facts["resized"], [{"filter": "resize", "from": sizes[0], "to": sizes[1]},
                                            {"filter": "resize", "from": sizes[1], "to": sizes[2]}])
        stays = self.every_number_is_a_field("filter", "photo.png", "-o", "out.png", "--filter", "resize:long=600")
        self.assertEqual(stays["output_width"], 60)
        self.assertEqual(self.printed("filter", "photo.png", "-o", "out.png", "--filter", "box")[0]["resized"], [])

    def test_depth(self):
        facts = self.every_number_is_a_field("depth", "metric.png", "--of", "photo.png")
        self.assertEqual((facts["width"], facts["output_width"], facts["output_height"]), (30, 60, 40))

    def test_scene(self):
        require_opengl()
        facts = self.every_number_is_a_field("render", "teapot", "-o", "out.png", "--size", "32x20", "--reference", "2")
        self.assertEqual((facts["width"], facts["height"], facts["unit"]), (32, 20, "m"))

    def test_one_name_for_one_thing(self):
        for command in (("dof", "photo.png", "--depth", "metric.png", "-o", "out.png"), ("filter", "photo.png", "-o", "out.png"),
                        ("stats", "photo.png"), ("compare", "photo.png")):
            facts = self.printed(*command)[0]
            self.assertEqual((facts["input"], facts["width"], facts["height"], facts["bits"]), ("photo.png", WIDTH, HEIGHT, 8))
        self.assertEqual(self.printed("depth", "metric.png")[0]["input"], "metric.png")
        self.assertEqual(self.printed("batch", "in", "--stats")[0]["input"], ["in"])
        for command in (("filters",), ("stats", "photo.png"), ("depth", "metric.png")):
            text = json.dumps(self.printed(*command)[0])
            self.assertIn('"min"', text)
            self.assertIn('"max"', text)
            for other in ('"least"', '"most"', '"image"', '"range"', '"greatest"'):
                self.assertNotIn(other, text, command)


class Version(Json):
    def test_json(self):
        for words in (("--version", "--json"), ("--json", "--version")):
            done = self.succeed(*words)
            self.assertEqual(done.stderr, "")
            facts = json.loads(done.stdout)
        self.assertEqual("scanlens " + facts["version"], self.succeed("--version").stdout.strip())
        self.assertLessEqual({"commit", "backends", "libraries"}, facts.keys())
        self.assertLessEqual({"cpu", "opengl"}, set(facts["backends"]))
        self.assertLessEqual({"opencv", "onetbb", "fmt", "tiff", "openexr", "zlib"}, facts["libraries"].keys())
        for name, version in facts["libraries"].items():
            self.assertRegex(version, r"^\d+(\.\d+)+", name)
        info = self.printed("info")[0]
        self.assertEqual({**facts, "command": "info"}, {key: info[key] for key in facts})
        require_schema()
        self.assertEqual(violations(facts, "version"), [])

    def test_json_alone(self):
        self.refuse("--json", code=2, says=("--json",))
        self.refuse("--version", "--json", "--json", code=2, says=("--json",))


if __name__ == "__main__":
    unittest.main()

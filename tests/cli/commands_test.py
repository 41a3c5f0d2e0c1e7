#!/usr/bin/env python3
"""What the program says about itself and its machine, and `compare`."""
import json
import os
import random
import re
import shlex
import unittest

from support import ROOT, CommandCase, has_cuda, jpeg_bytes, png_bytes, read_png, run, write_png


def offered(*words):
    """The words that a shell would offer in the place of the last one."""
    return {line.split("\t")[0] for line in run("completion", "bash", "--", *words).stdout.splitlines()[1:]}


OPTIONS = {command: offered(command, "--") for command in offered("")}


def noise(seed, count, bits=8):
    source = random.Random(seed)
    return [source.randrange(1 << bits) for _ in range(count)]


class Help(CommandCase):
    def test_version(self):
        done = self.succeed("--version")
        self.assertRegex(done.stdout, r"\Ascanlens \d+\.\d+\.\d+\n\Z")
        self.assertEqual(done.stderr, "")
        number = ".".join(re.findall(r"SCANLENS_VERSION_(?:MAJOR|MINOR|PATCH) (\d+)", (ROOT / "core/version.h").read_text()))
        self.assertEqual(done.stdout.split()[1], number, "the version of the build")

    def described_options(self, text):
        """Name -> text of every option in a help page, which stands beside the name or below it."""
        found, name = {}, None
        for line in text.split("Example")[0].splitlines():
            option = re.match(r"\s+(?:-\w,\s*)?(--[\w-]+)(.*)", line)
            if option:
                name = option.group(1)
                found[name] = re.split(r"\s{2,}", option.group(2), maxsplit=1)[1:] or [""]
                found[name] = found[name][0]
            elif name and line.startswith(" " * 20):
                found[name] += line.strip()
            else:
                name = None
        return found

    def test_every_command_explains_its_options(self):
        for command, expected in OPTIONS.items():
            with self.subTest(command=command):
                done = self.succeed(command, "--help-all")
                self.assertEqual(done.stderr, "")
                found = self.described_options(done.stdout)
                self.assertEqual(set(found), expected)
                for name, text in found.items():
                    self.assertRegex(text, r"\w+ \w+", f"{name} is explained")
                self.assertRegex(done.stdout, rf"Examples?:\n  scanlens {command}\b")

    def test_help_is_a_page(self):
        """What the command does, an example, and the options by how often they are used; --help-all has the rest."""
        for command in OPTIONS:
            text, whole = self.succeed(command, "--help").stdout, self.succeed(command, "--help-all").stdout
            with self.subTest(command=command):
                self.assertEqual(text, self.succeed(command, "-h").stdout)
                self.assertLessEqual(len(text.splitlines()), 45)
                self.assertLessEqual(max(map(len, text.splitlines())), 125)
                self.assertTrue(text.startswith(whole.splitlines()[0]))
                self.assertRegex(text, rf"\n\nExamples?:\n  scanlens {command}\b[^\n]*\n\nUsage: scanlens {command} ")
                shown, every = self.described_options(text.replace("Example", "", 1)), OPTIONS[command]
                self.assertLessEqual(set(shown), every)
                self.assertEqual(f"`scanlens {command} --help-all` explains all" in text,
                                 not every <= set(shown) | {"--help", "--help-all"})
        for command in ("dof", "filter", "batch", "view"):
            self.assertLess(len(self.succeed(command, "--help").stdout.splitlines()), 40)

    def test_help_shows_defaults_as_declared(self):
        """Not what the same command line sets."""
        self.assertIn("--device DEVICE=auto ", self.succeed("filter", "--device", "cpu", "--help").stdout)

    def test_help_as_a_command(self):
        for words, meant in ((("help",), ("--help",)), (("help", "dof"), ("dof", "--help")), (("--quiet", "help"), ("--help",))):
            self.assertEqual(self.succeed(*words).stdout, self.succeed(*meant).stdout)
        self.refuse("help", "dpf", code=2, says=("there is no command 'dpf'; did you mean dof?",))
        self.refuse("help", "dof", "render", code=2, says=("there is no command 'help'",))

    def test_program(self):
        text = self.succeed("--help").stdout
        listed = set(re.findall(r"^  ([a-z]+)\s{2,}\w+", text.split("Subcommands:")[1].split("Examples:")[0], re.M))
        self.assertEqual(listed, set(OPTIONS), "the commands")
        self.assertIn("Examples:\n  scanlens ", text)
        self.assertIn("Exit codes: 0 ", text)
        self.assertIn("--version", text)
        for option in offered("--"):
            self.assertIn(option, text)
        for internal in ("Excludes", " x 2", "IN {"):
            self.assertNotIn(internal, text + self.succeed("dof", "--help").stdout)

    def test_examples_are_valid_command_lines(self):
        """They fail for want of their files, not for their options. Only help would be quiet about a wrong one."""
        for command in ("dof", "filter", "batch", "report", "depth", "stats", "compare", "view"):
            examples = re.findall(r"^  scanlens (.*)$", self.succeed(command, "--help-all").stdout, re.M)
            self.assertTrue(examples, command)
            for example in examples:
                if "--scene" in example:
                    continue  # needs no file
                with self.subTest(example=example):
                    self.refuse(*shlex.split(example), code=1, says=("no such file",))


class Info(CommandCase):
    def test_json(self):
        done = self.succeed("info", "--json")
        self.assertEqual(done.stderr, "")
        facts = json.loads(done.stdout)
        self.assertLessEqual({"version", "device", "devices", "opengl", "cuda", "libraries", "features"}, facts.keys())
        self.assertEqual("scanlens " + facts["version"], self.succeed("--version").stdout.strip())
        identifiers = [device["id"] for device in facts["devices"]]
        self.assertIn("cpu", identifiers)
        self.assertIn(facts["device"], identifiers)
        self.assertEqual(len(set(identifiers)), len(identifiers))
        for device in facts["devices"]:
            self.assertTrue(device["name"] and device["detail"], device)
        self.assertLessEqual({"opencv", "onetbb", "fmt"}, facts["libraries"].keys())
        for name, version in facts["libraries"].items():
            self.assertRegex(version, r"^\d+(\.\d+)+", name)
        self.assertIn("JPEG", facts["features"]["read"])
        self.assertIn("PNG", facts["features"]["write"])

    def test_what_is_missing_has_a_cause(self):
        facts = json.loads(self.succeed("info", "--json").stdout)
        if not has_cuda():
            self.assertTrue(facts["cuda"]["cause"])
        if facts["opengl"]["available"]:
            self.assertRegex(facts["opengl"]["version"], r"^4\.[5-9]")
            self.assertTrue(facts["opengl"]["renderer"])
        else:
            self.assertTrue(facts["opengl"]["cause"])

    def test_text(self):
        done = self.succeed("info")
        facts = json.loads(self.succeed("info", "--json").stdout)
        self.assertTrue(done.stdout.startswith(f"scanlens {facts['version']}\n"))
        for device in facts["devices"]:
            self.assertIn(device["name"], done.stdout)
        self.assertIn("OpenGL:", done.stdout)
        self.assertIn(facts["libraries"]["opencv"], done.stdout)

    def test_the_readme_has_the_table_of_formats(self):
        table = self.succeed("info", "--formats").stdout
        facts = json.loads(self.succeed("info", "--json").stdout)["features"]
        for name in {*facts["read"], *facts["write"], *facts["missing"]}:
            self.assertIn(f"\n| {name} (", table)
        self.assertIn(table, (ROOT / "app/io/README.md").read_text(), "put in what scanlens info --formats prints")


class Filters(CommandCase):
    def test_json(self):
        done = self.succeed("filters", "--json")
        self.assertEqual(done.stderr, "")
        facts = json.loads(done.stdout)
        self.assertEqual(facts.keys(), {"command", "version", "filters"})
        names = [each["name"] for each in facts["filters"]]
        self.assertEqual(len(set(names)), len(names))
        self.assertLessEqual({"box", "gaussian", "unsharp", "tilt_shift", "flatten"}, set(names))
        for each in facts["filters"]:
            with self.subTest(each["name"]):
                self.assertEqual(each.keys() - {"map", "example", "font"}, {"name", "help", "params", "where"})
                self.assertIn(each.get("map", "mask"), {"mask", "depth", "picture", "words"})
                self.assertTrue(each["help"])
                for param in each["params"]:
                    self.assertEqual(param.keys() - {"names", "colour"}, {"name", "help", "min", "max", "value", "whole"})
                    self.assertTrue(param["min"] <= param["value"] <= param["max"], param)

    def test_text_has_a_line_for_each(self):
        done = self.succeed("filters")
        self.assertEqual(done.stderr, "")
        lines = done.stdout.splitlines()
        for each in json.loads(self.succeed("filters", "--json").stdout)["filters"]:
            at = lines.index(f"  {each['name']}: {each['help']}")
            for param, line in zip(each["params"], lines[at + 1:]):
                self.assertTrue(line.startswith(f"    {param['name']}: {param['help']}; "), line)
        self.assertIn(done.stdout, self.succeed("filter", "--help-all").stdout)

    def test_some_by_their_names(self):
        self.assertEqual(set(re.findall(r"^  (\w+): ", self.succeed("filters", "fog", "crop").stdout, re.M)), {"fog", "crop"})
        facts = json.loads(self.succeed("filters", "--json", "fog").stdout)
        self.assertEqual([each["name"] for each in facts["filters"]], ["fog"])
        self.refuse("filters", "fgo", code=2, says=["fgo", "fog"])

    def test_what_is_declared_is_taken(self):
        """Every filter with its declared bounds, on a picture."""
        write_png(self.folder / "photo.png", 20, 13, 3, 8, noise(2, 780))
        write_png(self.folder / "map.png", 20, 13, 1, 8, noise(3, 260))

        def value_of(param, bound):
            if "colour" in param:
                return "edge" if param[bound] < 0 else f"#{int(param[bound]):06x}"
            return param["names"][int(param[bound])] if "names" in param else repr(param[bound])

        for each in json.loads(self.succeed("filters", "--json").stdout)["filters"]:
            for bound in ("max",) if "example" in each else ("min", "value", "max"):
                values = "".join(f":{param['name']}={value_of(param, bound)}" for param in each["params"])
                if "map" in each:
                    values += f":{each['map']}=map.png"
                with self.subTest(each["name"] + values):
                    self.succeed("filter", "photo.png", "-o", "out.png", "--filter", each["name"] + values)


class Compare(CommandCase):
    FIELDS = {"command", "version", "input", "width", "height", "channels", "bits", "opencv_ms", "implementations", "assumed",
              "warnings", "ms"}
    IMPLEMENTATION = {"name", "device", "equal", "max_abs_diff", "first_diff", "ms", "speedup"}

    def setUp(self):
        super().setUp()
        write_png(self.folder / "photo.png", 50, 31, 3, 8, noise(1, 4650))

    def test_table(self):
        done = self.succeed("compare", "photo.png", "--device", "cpu")
        lines = done.stdout.splitlines()
        self.assertIn("50 x 31 RGB, 8 bit", lines[0])
        self.assertIn("cv::integral", lines[2])
        self.assertGreater(len(lines), 3)
        for line in lines[3:]:
            self.assertRegex(line, r"^\w.* cpu +yes +0 +- +\d+\.\d+ ms +\d+\.\d+x$")

    def test_json(self):
        done = self.succeed("compare", "photo.png", "--json")
        facts = json.loads(done.stdout)  # and nothing but JSON
        self.assertEqual(set(facts), self.FIELDS)
        self.assertEqual((facts["input"], facts["width"], facts["height"], facts["channels"]), ("photo.png", 50, 31, 3))
        self.assertGreater(facts["opencv_ms"], 0)
        self.assertTrue(facts["implementations"])
        for result in facts["implementations"]:
            self.assertEqual(set(result), self.IMPLEMENTATION)
            self.assertIs(result["equal"], True)
            self.assertEqual(result["max_abs_diff"], 0)
            self.assertIsNone(result["first_diff"])
            self.assertGreater(result["ms"], 0)
            self.assertAlmostEqual(result["speedup"], facts["opencv_ms"] / result["ms"], delta=result["speedup"] / 100)

    def test_every_device_takes_part(self):
        devices = {device["id"] for device in json.loads(self.succeed("info", "--json").stdout)["devices"]}
        results = json.loads(self.succeed("compare", "photo.png", "--json").stdout)["implementations"]
        self.assertEqual({result["device"] for result in results}, devices)
        results = json.loads(self.succeed("compare", "photo.png", "--json", "--device", "cpu").stdout)["implementations"]
        self.assertEqual({result["device"] for result in results}, {"cpu"})

    def test_all_kinds_of_pictures(self):
        for bits in (8, 16):
            for channels in (1, 3, 4):
                name = f"{bits}_{channels}.png"
                write_png(self.folder / name, 33, 9, channels, bits, noise(bits + channels, 33 * 9 * channels, bits))
        (self.folder / "white.png").write_bytes(png_bytes(20, 3000, 1, 16, [65535] * 60000))  # sums beyond 2^31
        (self.folder / "dot.png").write_bytes(png_bytes(1, 1, 1, 8, [255]))
        (self.folder / "grey.jpg").write_bytes(jpeg_bytes(64, 48, 200))
        for name in sorted(set(os.listdir(self.folder)) - {"photo.png"}):
            with self.subTest(picture=name):
                facts = json.loads(self.succeed("compare", name, "--json").stdout)
                self.assertEqual({result["equal"] for result in facts["implementations"]}, {True})

    def test_heatmap(self):
        with self.unchanged("heat.png"):
            done = self.succeed("compare", "photo.png", "--json", "--heatmap", "heat.png")
        json.loads(done.stdout)
        self.assertIn("heat.png: written", done.stderr)
        heat = read_png(self.folder / "heat.png")
        self.assertEqual(heat.shape, (50, 31, 3, 8))
        self.assertEqual(len({heat.pixel(x, y) for x in range(50) for y in range(31)}), 1, "no difference has a colour")

    def test_quiet(self):
        done = self.succeed("compare", "photo.png", "--heatmap", "heat.png", "--quiet")
        self.assertEqual(done.stderr, "")
        self.assertIn("cv::integral", done.stdout)

    def test_floating_point_has_no_exact_sums(self):
        header = b"#?RADIANCE\nFORMAT=32-bit_rle_rgbe\n\n-Y 3 +X 4\n"
        (self.folder / "light.hdr").write_bytes(header + b"\x80\x40\x20\x81" * 12)
        self.refuse("compare", "light.hdr", code=2, says=("light.hdr: ", "8- and 16-bit"))

    def test_file_name_in_json(self):
        name = 'a "quoted" \\ näme.png'
        (self.folder / "photo.png").rename(self.folder / name)
        self.assertEqual(json.loads(self.succeed("compare", name, "--json").stdout)["input"], name)

    def test_file_name_that_is_not_unicode(self):
        name = os.fsdecode(b"caf\xe9.png")
        (self.folder / "photo.png").rename(self.folder / name)
        facts = json.loads(self.succeed("compare", name, "--json").stdout)
        self.assertEqual(facts["width"], 50)


if __name__ == "__main__":
    unittest.main()

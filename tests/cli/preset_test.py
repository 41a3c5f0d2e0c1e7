#!/usr/bin/env python3
"""Presets: options that a run writes and another takes."""
import json
import unittest

from support import CommandCase, require_opengl, write_png


class Presets(CommandCase):
    def setUp(self):
        super().setUp()
        write_png(self.folder / "photo.png", 40, 30, 3, 8, [(x * 7 + y * 5) % 256 for y in range(30) for x in range(40) for _ in range(3)])
        write_png(self.folder / "depth.png", 40, 30, 1, 8, [6 * x for _ in range(30) for x in range(40)])

    def dof(self, *words):
        self.succeed("dof", "photo.png", "-o", "out.png", "--device", "cpu", *words)
        return (self.folder / "out.png").read_bytes()

    def preset(self):
        return json.loads((self.folder / "look.json").read_text())

    def test_a_run_is_made_again(self):
        look = ("--depth", "depth.png", "--invert", "--blur", "10%", "--focus-at", "30,7", "--bokeh", "hexagon", "--quality", "best",
                "--quality", "80")
        first = self.dof(*look, "--quiet", "--save-preset", "look.json")
        self.assertEqual(self.preset(), {"invert": True, "blur": "10%", "focus-at": [30, 7], "bokeh": "hexagon", "quality": ["best", 80]},
                         "neither files nor what belongs to one run")
        again = self.dof("--depth", "depth.png", "--preset", "look.json")
        self.assertEqual(again, first)
        self.assertNotEqual(self.dof("--depth", "depth.png"), first)

    def test_the_command_line_goes_before_it(self):
        (self.folder / "look.json").write_text('{"blur": "2%", "focus-at": "3,4", "depth": "no_such.png", "network-size": 64}')
        by_preset = self.dof("--preset", "look.json", "--depth", "depth.png", "--blur", "20%", "--focus", "0.9")
        self.assertEqual(by_preset, self.dof("--depth", "depth.png", "--blur", "20%", "--focus", "0.9"),
                         "what excludes an option that is given is left out, too")

    def test_what_belongs_to_a_run_stays_out(self):
        self.run_here("batch", "photo.png", "soft.png", "--filter", "box", "--overwrite", "--save-preset", "look.json")
        self.assertEqual(self.preset(), {"filter": "box"}, "no permission to replace")
        for preset, words, says in (('{"blur": 2}', ("--blur", "foo"), "scanlens: --blur takes"),
                                    ('{"blur": 2}', ("--focus-at", ""), "scanlens: --focus-at takes"),
                                    ('{"focus-at": ""}', (), "scanlens: look.json: --focus-at takes")):
            (self.folder / "look.json").write_text(preset)
            self.refuse("dof", "photo.png", "--depth", "depth.png", "-o", "out.png", "--preset", "look.json", *words, code=2, says=(says,))

    def test_what_the_viewer_shows(self):
        require_opengl()
        (self.folder / "script.txt").write_text("set bokeh hexagon\nset blur 7\nset focus 0.25\nwait rest\n")
        self.succeed("view", "photo.png", "--depth", "depth.png", "--autofocus", "--headless", "--size", "480x300", "--script", "script.txt",
                     "--save-preset", "look.json")
        self.assertEqual(self.preset(), {"bokeh": "hexagon", "blur": "7%", "focus": 0.25})
        self.assertEqual(self.dof("--depth", "depth.png", "--preset", "look.json"),
                         self.dof("--depth", "depth.png", "--bokeh", "hexagon", "--blur", "7%", "--focus", "0.25"))

    def test_what_is_no_preset_is_refused_by_name(self):
        for text, problem in (('{"focsu": 1}', "dof has no option --focsu; did you mean --focus?"),
                              ('{"aperture": 2}', "did you mean --f-number?"), ("[1]", "not a preset"), ("{", "not a preset"),
                              ('{"blur": true}', "--blur takes a number"), ('{"invert": 1}', "--invert takes true or false"),
                              ('{"blur": "wide"}', "--blur takes a number of pixels"), ('{"blur": [1, 2]}', "more than once"),
                              ('{"IMAGE": "a.png"}', "no option --IMAGE"), ('{"preset": "b"}', "--preset has no place in a preset"),
                              ('{"focus": 1, "focus-at": "1,2"}', "cannot be used with"), ('{"blur": [[1]]}', "--blur takes a number")):
            with self.subTest(text=text):
                (self.folder / "look.json").write_text(text)
                self.refuse("dof", "photo.png", "-o", "out.png", "--preset", "look.json", code=2, says=("look.json: ", problem))
        self.refuse("dof", "photo.png", "-o", "out.png", "--preset", "none.json", code=1, says=("none.json: no such file",))
        self.refuse("dof", "photo.png", "-o", "out.png", "--save-preset", "depth.png", code=2, says=("depth.png: not a preset",))


class Hints(CommandCase):
    """Words of other programs."""

    def test_options(self):
        for words, meant in (("dof --aperture 2", "did you mean --f-number?"), ("render --f-stop=2", "did you mean --f-number?"),
                             ("dof --radius 4", "--blur?"), ("view --strength 4", "--blur?"), ("dof --amount 4", "--blur?"),
                             ("dof --shape box", "--bokeh?"), ("dof --distance 3", "--focus?"), ("dof --mask m.png", "--keep-sharp?"),
                             ("filter --noise", "write --filter denoise"), ("filter --threshold 9", "write --filter adaptive_threshold"),
                             ("batch --resize 800", "write --filter resize:long=800"),
                             ("batch --resize wide", "write --filter resize:long=2048"), ("filter --mask m.png", "variable_box"),
                             ("view --set aperture=2", "did you mean f-number?")):
            with self.subTest(words=words):
                self.refuse(*words.split(), code=2, says=(meant,))


if __name__ == "__main__":
    unittest.main()

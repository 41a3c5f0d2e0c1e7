#!/usr/bin/env python3
"""`view` without a window: strokes drawn by scripts make depth, which is saved as a file that `dof` takes."""
import json
import os
import shutil
import unittest

import numpy

from support import CommandCase, ROOT, differences, read_png, require_opengl, write_png
from viewer_test import Viewer as ViewerCase

WIDTH, HEIGHT, EDGE = 240, 160, 120
NEAR, FAR = "stroke 0.9 30,40 40,120", "stroke 0.1 200,40 205,120"


def variance(picture, x0, y0, x1, y1):
    return numpy.var(picture.channel(1, x0, y0, x1, y1))


class Strokes(ViewerCase):
    def setUp(self):
        CommandCase.setUp(self)
        noise = numpy.random.default_rng(3).integers(-30, 31, (HEIGHT, WIDTH, 1))
        grey = numpy.where(numpy.arange(WIDTH) < EDGE, 70, 180)[None, :, None] + noise
        self.pixels = numpy.repeat(grey, 3, 2) - [0, 10, 20]  # a grey picture could be a map
        write_png(self.folder / "photo.png", WIDTH, HEIGHT, 3, 8, self.pixels.ravel().tolist())
        write_png(self.folder / "map.png", WIDTH, HEIGHT, 1, 8, [128] * (WIDTH * HEIGHT))

    def play_bare(self, script, *args, **more):
        """Without anything over the picture, a pixel of the window for one of the photo."""
        return self.play("set panels no\nset inspector no\nset zoom 1\n" + script, *args, size=f"{WIDTH}x{HEIGHT}", **more)

    def strokes(self, name="photo_strokes.json"):
        return json.loads((self.folder / name).read_text())

    def map_of(self, *args):
        self.succeed("depth", *args, "-o", "made.png", "--force")
        return numpy.array(read_png(self.folder / "made.png").samples).reshape(HEIGHT, WIDTH) / 65535

    def test_near_and_far_separate(self):
        self.play_bare(f"expect strokes yes\n{NEAR}\n{FAR}\nset strokes no\nset blur 4\nset focus 0.9\nwait rest\nshot near.png\n"
                       "set focus 0.1\nwait rest\nshot far.png\n", "photo.png")
        near, far = read_png(self.folder / "near.png"), read_png(self.folder / "far.png")
        left, right = (10, 10, 100, 150), (140, 10, 230, 150)
        self.assertGreater(variance(near, *left), 10 * variance(near, *right))
        self.assertGreater(variance(far, *right), 10 * variance(far, *left))

    def test_what_is_saved_is_what_the_command_makes(self):
        done = self.play(f"slope 0.8 0.2 60,150 60,20\n{NEAR}\n{FAR}\nset focus 0.8\nwait rest\nkey s\nwait rest\n", "photo.png")
        self.assertIn("photo_strokes.json: written, --depth takes it", done.stderr)
        self.assertIn("--depth photo_strokes.json", done.stderr)
        self.assertEqual([stroke.get("nearness") for stroke in self.strokes()["strokes"]], [None, 0.9, 0.1])
        self.assert_saved_by_the_shown_command(done, "photo_dof.png")

    def test_a_brush_keeps_sharp(self):
        """Whatever is in focus; with undo, an eraser of its own, and a file that the shown command takes."""
        done = self.play_bare(f"{NEAR}\n{FAR}\nset blur 4\nset focus 0.9\nwait rest\nkey 5\ndrag 200 40 205 120\nwait rest\nset strokes no\n"
                              "shot sharp.png\nundo\nwait rest\nshot blurred.png\nkey ctrl+shift+z\nset strokes yes\nwait rest\nkey 5\nkey 4\n"
                              "click 202 80\nwait rest\nset strokes no\nwait rest\nshot erased.png\nundo\nwait rest\nkey s\nwait rest\n",
                              "photo.png")
        sharp, blurred, erased = (read_png(self.folder / f"{name}.png") for name in ("sharp", "blurred", "erased"))
        right = (140, 10, 230, 150)
        self.assertGreater(variance(sharp, *right), 10 * variance(blurred, *right))
        self.assertEqual(erased, blurred)
        self.assertIn("photo_sharp.json: written, --keep-sharp takes it", done.stderr)
        self.assertIn("--keep-sharp photo_sharp.json", done.stderr)
        self.assertEqual([stroke["nearness"] for stroke in self.strokes("photo_sharp.json")["strokes"]], [1])
        self.assert_saved_by_the_shown_command(done, "photo_dof.png")
        self.assertEqual(max(differences(read_png(self.folder / "photo_dof.png"), sharp)), 0)

    def test_the_map_that_is_shown_is_that_of_the_file(self):
        self.play_bare(f"{NEAR}\n{FAR}\nset strokes no\nset view depth\nwait rest\nshot seen.png\nset view result\nkey s\nwait rest\n",
                       "photo.png")
        self.succeed("view", "photo.png", "--depth", "photo_strokes.json", "--set", "view=depth", "--screenshot", "read.png")
        self.assertEqual(read_png(self.folder / "seen.png"), read_png(self.folder / "read.png"))

    def test_undo_takes_strokes_back(self):
        self.play_bare(f"set strokes no\nwait rest\nshot none.png\n{NEAR}\nset strokes no\nset view depth\nwait rest\nshot one.png\n{FAR}\n"
                       "set strokes no\nwait rest\nshot two.png\nundo\nwait rest\nshot back.png\nkey ctrl+shift+z\nwait rest\n"
                       "shot again.png\nundo\nundo\nset view result\nwait rest\nshot end.png\nkey s\nwait rest\n", "photo.png")
        none, one, two, back, again, end = (read_png(self.folder / f"{name}.png")
                                            for name in ("none", "one", "two", "back", "again", "end"))
        self.assertGreater(max(differences(one, two)), 30)
        self.assertEqual((back, again, end), (one, two, none))
        self.assertFalse((self.folder / "photo_strokes.json").exists())
        self.assertFalse((self.folder / "photo_dof.png").exists(), "there is no depth any more")

    def test_the_pointer_draws_erases_and_picks(self):
        """By the tools' keys; depth follows guidance, then what the map has."""
        self.play_bare("drag 30 40 40 120\nkey enter\ndrag 200 40 205 120\nkey enter\ndrag 60 150 60 20\nwait rest\nkey 3\n"
                       "drag 150 8 230 8\nwait rest\nkey 4\nclick 150 8\nwait rest\nkey s\nwait rest\n", "photo.png")
        drawn = self.strokes()["strokes"]
        self.assertEqual([(s.get("nearness"), s.get("from"), s.get("to")) for s in drawn],
                         [(0.9, None, None), (0.1, None, None), (None, 0.95, 0.05)])
        self.assertEqual(drawn[2]["points"], [[59.5, 149.5], [59.5, 19.5]])

    def test_what_is_nearest_is_in_focus_until_somebody_focuses(self):
        """A click is no stroke. The first stroke is a beginning: what it leaves out is far."""
        self.play_bare("drag 30 40 40 120\nwait rest\nexpect focus 0.9 0.001\nclick 200 80\nwait rest\nexpect focus 0.02 0.08\n"
                       "key ctrl+z\nwait rest\nexpect focus 0.9 0.001\nundo\nwait rest\n"
                       "expect focus 0.5\n", "photo.png")
        self.play_bare(f"{NEAR}\nset focus 0.4\n{FAR}\nwait rest\nexpect focus 0.4\n", "photo.png")

    def test_undo_takes_guidance_back(self):
        self.play_bare("wait rest\nkey enter\nkey enter\ndrag 60 150 60 20\nkey 1\nwait rest\nstroke 0.9 30,40 40,120\nstroke 0.1 200,40 205,120\n"
                       "wait rest\nkey ctrl+z\nkey ctrl+z\nwait rest\ndrag 20 40 30 120\nwait rest\nkey s\nwait rest\n", "photo.png")
        self.assertEqual([s.get("nearness") for s in self.strokes()["strokes"]], [None, 0.9])

    def test_strokes_beside_a_photo_are_its_depth(self):
        self.play(f"{NEAR}\n{FAR}\nwait rest\nkey s\nwait rest\n", "photo.png")
        os.remove(self.folder / "photo_dof.png")
        done = self.play("expect strokes no\nwait rest\nexpect focus 0.9 0.001\nset strokes yes\nstroke 0.3 100,10\nwait rest\n"
                         "expect focus 0.9 0.001\nkey s\nwait rest\n", "photo.png")
        self.assertIn("its depth map is photo_strokes.json, which lies beside it", done.stderr)
        self.assertEqual(len(self.strokes()["strokes"]), 3)

    def test_a_right_drag_sets_the_radius(self):
        self.play_bare(f"{NEAR}\ndrag 60 80 120 80 right\ndrag 200 40 205 120\nwait rest\nkey s\nwait rest\n", "photo.png")
        drawn = self.strokes()["strokes"]
        self.assertNotIn("radius", drawn[0])
        self.assertAlmostEqual(drawn[1]["radius"], 2, 5)

    def test_a_map_is_corrected(self):
        done = self.play(f"expect strokes no\nset strokes yes\n{NEAR}\nset focus 0.5\nwait rest\nkey s\nwait rest\n", "photo.png",
                         "--depth", "map.png", "--depth-kind", "inverse", "--blur", "4%")
        self.assertEqual(self.strokes()["map"], "map.png")
        self.assertIn("--depth photo_strokes.json --depth-kind inverse", done.stderr)
        self.assert_saved_by_the_shown_command(done, "photo_dof.png")
        corrected = self.map_of("photo_strokes.json", "--of", "photo.png", "--depth-kind", "inverse")
        before = self.map_of("map.png", "--of", "photo.png", "--depth-kind", "inverse")
        self.assertLess(abs(corrected[60:100, 30:40] - 0.9).max(), 0.05)
        self.assertEqual(abs(corrected - before)[:, EDGE + 4:].max(), 0, "nothing changes beyond the reach")
        done = self.play(f"set strokes yes\n{FAR}\nset focus 0.5\nwait rest\nkey s\nwait rest\n", "photo.png", "--depth",
                         "photo_strokes.json", "--depth-kind", "inverse", "--blur", "4%")
        self.assertEqual((self.strokes()["map"], len(self.strokes()["strokes"])), ("map.png", 2))
        self.assert_saved_by_the_shown_command(done, "photo_dof2.png")

    def test_batch_takes_corrections(self):
        self.play(f"set strokes yes\n{NEAR}\nwait rest\nkey s\nwait rest\n", "photo.png", "--depth", "map.png")
        self.succeed("filter", "photo.png", "-o", "one.png", "--filter", "dof:focus=0.9:blur=4:depth=photo_strokes.json")
        done = self.run_here("batch", "photo.png", "out.png", "--filter", "dof:focus=0.9:blur=4", "--depth-pattern",
                             "{stem}_strokes.json")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(read_png(self.folder / "one.png"), read_png(self.folder / "out.png"))

    def test_a_map_far_away_is_named_in_full(self):
        away = self.folder / "away"
        away.mkdir()
        os.rename(self.folder / "map.png", away / "map.png")
        (self.folder / "in").mkdir()
        os.rename(self.folder / "photo.png", self.folder / "in/photo.png")
        done = self.play(f"set strokes yes\n{NEAR}\nwait rest\nkey s\nwait rest\n", "in/photo.png", "--depth", "away/map.png")
        self.assertEqual(self.strokes("in/photo_strokes.json")["map"], str((away / "map.png").resolve()))
        self.assert_saved_by_the_shown_command(done, "in/photo_dof.png")

    def test_a_phones_own_map_is_corrected(self):
        shutil.copy(ROOT / "tests/files/depth/disparity.heic", self.folder / "phone.heic")
        done = self.play("set strokes yes\nstroke 0.8 30%,30% 40%,60%\nwait rest\nkey s\nwait rest\n", "phone.heic")
        self.assertEqual(self.strokes("phone_strokes.json")["map"], "phone.heic")
        output = next(path.name for path in self.folder.glob("phone_dof.*"))
        self.assert_saved_by_the_shown_command(done, output)

    def test_strokes_that_were_saved_go_on(self):
        self.play(f"{NEAR}\nwait rest\nkey s\nwait rest\n", "photo.png")
        done = self.play(f"expect strokes no\nset strokes yes\n{FAR}\nwait rest\nkey s\nwait rest\n", "photo.png", "--depth",
                         "photo_strokes.json")
        self.assertEqual(len(self.strokes()["strokes"]), 2)
        self.assert_saved_by_the_shown_command(done, "photo_dof2.png")
        self.assertEqual([path.name for path in self.folder.glob("photo_strokes*")], ["photo_strokes.json"])

    def test_a_file_of_somebody_else_stays(self):
        (self.folder / "photo_strokes.json").write_text("mine")
        self.play(f"{NEAR}\nwait rest\nkey s\nwait rest\n{FAR}\nwait rest\nkey s\nwait rest\n", "photo.png")
        self.assertEqual((self.folder / "photo_strokes.json").read_text(), "mine")
        self.assertEqual(len(self.strokes("photo_strokes2.json")["strokes"]), 2, "its own file it writes again")
        self.assertFalse((self.folder / "photo_strokes3.json").exists())

    def test_whoever_leaves_the_mode_is_not_led_back(self):
        write_png(self.folder / "z.png", 40, 30, 3, 8, bytes(40 * 30 * 3))
        os.remove(self.folder / "map.png")
        self.play("wait rest\nexpect strokes yes\nkey right\nwait rest\nexpect strokes yes\nkey d\nkey right\nwait rest\n"
                  "expect strokes no\nkey d\nkey right\nwait rest\nexpect strokes yes\n", "photo.png")

    def test_words_that_are_no_stroke_are_refused(self):
        for line in ("stroke", "stroke 2 1,1", "stroke 0.5", "slope 0.9 10,10 20,20", "stroke 0.5 1;1", "undo 3"):
            with self.subTest(line=line):
                self.assertIn("script.txt:1: ", self.play(line + "\n", "photo.png", code=2).stderr)
        done = self.play("stroke 0.5 9000,9000\nwait rest\n", "photo.png", code=1)
        self.assertIn("stroke 1 covers no pixel of the photo", done.stderr)
        done = self.play("stroke 0.5 10,10\nwait rest\n", "--scene", "teapot", code=2)
        self.assertIn("a stroke needs a photo", done.stderr)

    def test_a_map_that_is_missing_is_named(self):
        self.play(f"set strokes yes\n{NEAR}\nwait rest\nkey s\nwait rest\n", "photo.png", "--depth", "map.png")
        os.remove(self.folder / "map.png")
        self.refuse("dof", "photo.png", "--depth", "photo_strokes.json", "-o", "x.png",
                    says=["photo_strokes.json: the depth map map.png that its strokes correct is missing"])
        (self.folder / "map.png").write_text((self.folder / "photo_strokes.json").read_text())
        self.refuse("dof", "photo.png", "--depth", "photo_strokes.json", "-o", "x.png", says=["is a file of strokes itself"])


if __name__ == "__main__":
    unittest.main()

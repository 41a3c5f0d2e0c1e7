#!/usr/bin/env python3
"""`view` without a window: scripts play a person, and what is seen and saved is what was asked for."""
import os
import random
import re
import shlex
import shutil
import statistics
import subprocess
import unittest

from support import HANGS, SCANLENS, CommandCase, differences, read_png, require_opengl, write_png

WITHOUT_DISPLAY = {name: value for name, value in os.environ.items() if name not in ("DISPLAY", "WAYLAND_DISPLAY")}
WIDTH, HEIGHT = 160, 100


def variance(picture, x0, y0, x1, y1):
    return statistics.pvariance(picture.channel(1, x0, y0, x1, y1))


class Viewer(CommandCase):
    @classmethod
    def setUpClass(cls):
        require_opengl()

    def setUp(self):
        super().setUp()
        noise = random.Random(17)
        self.photo = write_png(self.folder / "photo.png", WIDTH, HEIGHT, 3, 8,
                               [noise.randrange(256) for _ in range(WIDTH * HEIGHT * 3)])
        write_png(self.folder / "depth.png", WIDTH, HEIGHT, 1, 8,
                  [255 if x < WIDTH // 2 else 10 for _ in range(HEIGHT) for x in range(WIDTH)])

    def play(self, script, *args, code=0, size="480x300"):
        (self.folder / "script.txt").write_text(script)
        done = self.run_here("view", *args, "--headless", "--size", size, "--script", "script.txt", env=WITHOUT_DISPLAY)
        self.assertEqual(done.returncode, code, done.stderr)
        return done

    def assert_saved_by_the_shown_command(self, done, output):
        """What S has written is what its command writes, bit for bit."""
        line = re.search(r"command: (.*)", done.stderr).group(1)
        self.assertIn(output, line)
        saved = (self.folder / output).read_bytes()
        (self.folder / output).unlink()
        words = shlex.split(line)
        self.assertEqual(words[0], "scanlens")
        shell = re.sub(r"(^|\| )scanlens ", lambda at: at.group(1) + shlex.quote(SCANLENS) + " ", line)
        again = subprocess.run(shell, shell=True, cwd=self.folder, capture_output=True, text=True, timeout=HANGS)
        self.assertEqual(again.returncode, 0, again.stderr)
        self.assertEqual((self.folder / output).read_bytes(), saved)


class Photos(Viewer):
    OPTIONS = ("photo.png", "--depth", "depth.png", "--blur", "6")

    def test_a_strip_shows_the_folders_photos(self):
        """T shows it; a click shows a photo. A file that cannot be read keeps its name there."""
        (self.folder / "album").mkdir()
        for name, grey in (("a", 30), ("b", 120), ("c", 230)):
            write_png(self.folder / "album" / f"{name}.png", 60, 40, 3, 8, [grey] * (60 * 40 * 3))
        (self.folder / "album/d.png").write_bytes(b"broken")
        self.play("set panels no\nwait rest\nshot before.png\nkey t\nwait rest\nexpect strip yes\nmove 5 5\nwait rest\nshot strip.png\n"
                  "click 210 270\nwait rest\nmove 5 5\nwait rest\nset strip no\nwait rest\nshot after.png\n", "album")
        before, strip, after = (read_png(self.folder / f"{name}.png") for name in ("before", "strip", "after"))
        greys = [set(strip.channel(0, x, 255, x + 10, 275)) for x in (30, 115, 190)]
        self.assertEqual(greys, [{30}, {120}, {230}])
        self.assertEqual({before.channel(0, 240, 150, 241, 151)[0], after.channel(0, 240, 150, 241, 151)[0]}, {30, 230})

    def test_a_click_focuses(self):
        self.play("set panels no\nset inspector no\nset zoom 3\n"
                  "click 100 150\nwait rest\nexpect focus 1 0.01\nshot near.png\n"
                  "click 380 150\nwait rest\nexpect focus 0 0.05\nshot far.png\n", *self.OPTIONS)
        near, far = read_png(self.folder / "near.png"), read_png(self.folder / "far.png")
        left, right = (60, 100, 140, 200), (340, 100, 420, 200)
        self.assertGreater(variance(near, *left), 20 * variance(near, *right))
        self.assertGreater(variance(far, *right), 20 * variance(far, *left))

    def test_three_clicks_tilt_the_plane_in_focus(self):
        """As --focus-plane does; three on a line ask anew, and Esc gives up."""
        done = self.play("set panels no\nset inspector no\nset zoom 3\nkey c\nclick 60 60\nkey escape\nclick 420 60\nwait rest\n"
                         "expect tilt 0\nexpect focus 0 0.05\nkey c\nclick 60 60\nclick 420 60\nexpect swing 0\nclick 420 240\n"
                         "wait rest\nexpect tilt 0 1e-6\nexpect swing -1 0.3\nmove 1 1\nshot plane.png\n"
                         "key m\nwait rest\nexpect view mask\nshot mask.png\nkey m\nexpect view result\nclick 60 150\nwait rest\nexpect focus 1\n"
                         "key ctrl+z\nwait rest\nkey s\nwait rest\n", *self.OPTIONS)
        self.assertIn("--swing -1.28", done.stderr)
        plane, mask = read_png(self.folder / "plane.png"), read_png(self.folder / "mask.png")
        redder = [mask.pixel(x, y)[0] - plane.pixel(x, y)[0] + plane.pixel(x, y)[1] - mask.pixel(x, y)[1]
                  for x, y in ((60, 60), (420, 60), (420, 240), (230, 150))]
        self.assertLess(max(redder[:3]), 4, "in focus")
        self.assertGreater(redder[3], 30)
        self.run_here("dof", "photo.png", "--depth", "depth.png", "--blur", "6", "--focus-plane", "20,20,140,20,140,80", "-o", "plane.png")
        self.assertLessEqual(max(differences(read_png(self.folder / "photo_dof.png"), read_png(self.folder / "plane.png"))), 1)
        self.play("set panels no\nset zoom 3\nkey c\nclick 60 60\nclick 240 60\nclick 420 60\n", *self.OPTIONS, code=2)

    def test_the_iris_is_drawn_as_lights_are(self):
        """A disc is white at three places; the door hides a part at two of them, a mirror the middle of all."""
        script = ""
        for name, values in (("disc", "doors 0"), ("doors", "doors 0.8"), ("mirror", "doors 0\nset mirror 0.9")):
            script += f"set {values}\nwait rest\nshot {name}.png\n"
        self.play(script + "set quality draft\nwait rest\nshot draft.png\n", *self.OPTIONS, size="900x700")
        disc, doors, mirror, draft = (
            [sum(set(picture.pixel(x, y)) == {255} for y in range(700) for x in range(at, at + 90)) for at in (5, 95, 185)]
            for picture in (read_png(self.folder / f"{name}.png") for name in ("disc", "doors", "mirror", "draft")))
        self.assertGreater(min(disc), 500)
        self.assertAlmostEqual(doors[0], disc[0], delta=0.02 * disc[0])
        self.assertLess(max(doors[1:]), 0.8 * disc[0])
        self.assertLess(max(mirror), 0.4 * disc[0])
        self.assertEqual(sum(draft), 0)

    def test_a_pointer_that_moves_first_is_in_the_window(self):
        self.play("set panels no\nset inspector yes\nwait rest\nshot without.png\n", *self.OPTIONS)
        self.play("set panels no\nset inspector yes\nmove 240 150\nwait rest\nshot with.png\n", *self.OPTIONS)
        without, with_pixel = read_png(self.folder / "without.png"), read_png(self.folder / "with.png")
        self.assertGreater(max(differences(without, with_pixel)), 20, "the panel of the pixel under it")

    def test_what_is_saved(self):
        done = self.play("set focus 0.3\nset bokeh hexagon\nset near 0.5\nwait rest\nkey s\nwait rest\n", *self.OPTIONS)
        self.assertIn("--bokeh hexagon", done.stderr)
        self.assert_saved_by_the_shown_command(done, "photo_dof.png")

    def test_another_view_is_saved_as_it_is_seen(self):
        for value, output in (("view circle", "photo_circle.png"), ("wipe 0.25", "photo_wipe.png")):
            with self.subTest(value=value):
                done = self.play(f"set panels no\nset inspector no\nset zoom 1\nset focus 0.3\nset {value}\nwait rest\nshot seen.png\n"
                                 "key s\nwait rest\n", *self.OPTIONS, "--force", size=f"{WIDTH}x{HEIGHT}")
                saved = read_png(self.folder / output)
                self.assertEqual(max(differences(saved, read_png(self.folder / "seen.png"))), 0)
                self.assert_saved_by_the_shown_command(done, output)

    def test_the_photo_itself_is_there_already(self):
        for view, options in (("input", self.OPTIONS), ("circle", ("photo.png",)), ("result", ("photo.png",))):
            with self.subTest(view=view):
                done = self.play(f"set view {view}\nwait rest\nkey s\nwait rest\n", *options)
                self.assertNotIn("command:", done.stderr)
        self.assertEqual(sorted(path.name for path in self.folder.glob("photo*")), ["photo.png"])

    def test_a_wipe_is_saved_where_it_is_seen(self):
        for panels, share in (("no", (0.3 * 480 - 120) / 240), ("yes", 0.3)):  # the picture takes 240 of 480 columns, or all
            with self.subTest(panels=panels):
                done = self.play(f"set panels {panels}\nset wipe 0.3\nwait rest\nkey s\nwait rest\n", *self.OPTIONS,
                                 size="480x150")
                self.assertAlmostEqual(float(re.search(r"--set wipe=(\S+)", done.stderr).group(1)), share)

    def test_undo_leads_back_to_the_first_picture(self):
        self.play("set panels no\nset inspector no\nwait rest\nshot first.png\nclick 380 150\nkey ]\nkey b\nwait rest\nshot last.png\n"
                  "key ctrl+z\nkey ctrl+z\nkey ctrl+z\nkey ctrl+z\nwait rest\nshot undone.png\n"
                  "key ctrl+shift+z\nkey ctrl+shift+z\nkey ctrl+shift+z\nwait rest\nshot again.png\n", *self.OPTIONS)
        first, last, undone, again = (read_png(self.folder / f"{name}.png") for name in ("first", "last", "undone", "again"))
        self.assertGreater(max(differences(first, last)), 5)
        self.assertEqual(undone, first)
        self.assertEqual(again, last)

    def test_undo_takes_a_map_away(self):
        self.play("set inspector no\nset panels no\nwait rest\nshot first.png\nset panels yes\nmove 40 40\nwait 2\ndrop depth.png\nwait rest\nset blur 4\nwait rest\n"
                  "expect blur 4\nkey ctrl+z\nkey ctrl+z\nset panels no\nmove 240 150\nwait 800\nwait rest\nshot undone.png\n", "photo.png")
        self.assertEqual(read_png(self.folder / "undone.png"), read_png(self.folder / "first.png"))

    def test_a_photo_is_as_it_was_left(self):
        write_png(self.folder / "z.png", WIDTH, HEIGHT, 3, 8, bytes(WIDTH * HEIGHT * 3))
        self.play("wait rest\nset blur 3\nset bokeh hexagon\nwait rest\nkey right\nwait rest\nset bokeh disc\nwait 2\nkey left\n"
                  "wait rest\nexpect blur 3\nexpect bokeh hexagon\n", *self.OPTIONS)

    def test_escape_leaves_the_list_and_not_the_program(self):
        self.play("key ?\nexpect help yes\nkey escape\nexpect help no\nkey escape\nkey escape\nwait rest\nshot still.png\n",
                  *self.OPTIONS)
        self.assertTrue((self.folder / "still.png").exists())

    def test_a_place_and_a_name_are_asked_for(self):
        (self.folder / "deep").mkdir()
        done = self.play("wait rest\nkey ctrl+shift+s\nwait 3\ntype \"depth.png\"\nkey enter\nwait 3\nkey escape\n"
                         "key ctrl+shift+s\nwait 3\ntype \"deep/mine.png\"\nkey enter\nwait rest\n", *self.OPTIONS)
        self.assertTrue((self.folder / "deep/mine.png").exists(), done.stderr)
        self.assertEqual(done.stderr.count("command: "), 1, "depth.png is there already")

    def test_a_list_of_files_opens_pictures_and_maps(self):
        os.rename(self.folder / "depth.png", self.folder / "photo_depth.png")
        write_png(self.folder / "white.png", WIDTH, HEIGHT, 3, 8, [255] * (WIDTH * HEIGHT * 3))
        self.play("set panels no\nset inspector no\nwait rest\nkey ctrl+o\nwait 3\ntype \"whi\"\nkey enter\nwait rest\nshot opened.png\n"
                  "key ctrl+o\nwait 3\ntype \"depth\"\nkey enter\nwait rest\nset blur 5\n", "photo.png")
        opened = read_png(self.folder / "opened.png")
        self.assertEqual(min(opened.channel(1, 200, 100, 280, 200)), 255)

    def test_a_close_asks_once(self):
        """The first Q asks, Escape stays, a second Q closes; saved work asks nothing."""
        self.play("wait rest\nkey b\nkey q\nwait 3\nkey escape\nwait 2\nshot stayed.png\nkey q\nwait 2\nkey q\nwait 2\n"
                  "shot closed.png\n", *self.OPTIONS)
        self.assertTrue((self.folder / "stayed.png").exists())
        self.assertFalse((self.folder / "closed.png").exists())
        self.play("wait rest\nkey b\nkey s\nwait rest\nkey q\nwait 2\nshot saved.png\n", *self.OPTIONS)
        self.assertFalse((self.folder / "saved.png").exists())

    def test_filters_to_begin_with(self):
        done = self.play("wait rest\nkey s\nwait rest\n", *self.OPTIONS, "--filter", "box:radius=3", "--filter", "unsharp")
        self.assertRegex(done.stderr, r"--filter box:radius=3 --filter unsharp\S* -o photo_dof_box_unsharp.png")

    def test_a_saved_picture_is_called_by_what_was_done(self):
        many = ("box", "unsharp", "gaussian", "flatten", "denoise")
        for number, output in ((1, "photo_box.png"), (2, "photo_box_unsharp.png"), (5, "photo_box_unsharp_gaussian_2_more.png")):
            filters = [word for name in many[:number] for word in ("--filter", name)]
            done = self.play("wait rest\nkey s\nwait rest\n", "photo.png", *filters)
            self.assertIn(f"-o {output}\n", done.stderr)
            self.assertTrue((self.folder / output).exists())
        self.play("set view depth\nwait rest\nkey s\nwait rest\n", *self.OPTIONS)
        self.assertTrue((self.folder / "photo_depth_view.png").exists(), "photo_depth.png would be its map")

    def test_saved_pictures_are_no_photos_of_the_folder(self):
        try:
            os.setxattr(self.folder / "depth.png", "user.test", b"1")
        except OSError:
            self.skipTest("this filesystem has no extended attributes")
        os.rename(self.folder / "depth.png", self.folder / "photo_depth.png")
        self.play("wait rest\nkey s\nwait rest\n", "photo.png")
        self.assertTrue((self.folder / "photo_dof.png").exists())
        write_png(self.folder / "z.png", WIDTH, HEIGHT, 1, 8, bytes(WIDTH * HEIGHT))
        done = self.play("wait rest\nkey right\nwait rest\nset wipe 0.5\nkey s\nwait rest\n", "photo.png")
        self.assertIn("z.png ", done.stderr.split("command: ")[1])
        (self.folder / "script.txt").unlink()
        done = self.run_here("batch", ".", "--stats")
        self.assertIn("2 pictures", done.stdout)
        self.assertIn("2 pictures that the viewer saved are passed over; they are taken where they are named", done.stderr)
        self.assertIn("1 picture", self.run_here("batch", "photo_dof.png", "--stats").stdout)

    def test_an_empty_window_waits_for_a_photo(self):
        done = self.play("wait rest\nshot empty.png\nkey s\nkey right\nkey a\nkey p\nkey h\nkey r\nscroll 99 99 2\nclick 240 150\n"
                         "wait 3\nset view layers\nwait rest\nset view result\n"
                         "drop photo.png\nset wipe 0.5\nwait rest\nkey s\nwait rest\n")
        empty = read_png(self.folder / "empty.png")
        around, invitation = variance(empty, 0, 0, 480, 90), variance(empty, 120, 120, 360, 170)
        self.assertEqual(around, 0)
        self.assertGreater(invitation, 100)
        self.assertIn("photo.png --set wipe", done.stderr)
        self.assertEqual(done.stderr.count("command:"), 1)

    def test_all_frames(self):
        self.play("wait 3\nquit\n", "photo.png", "--frames", "out_%02d.png", size="60x40")
        self.assertEqual([path.name for path in sorted(self.folder.glob("out_*.png"))], [f"out_0{i}.png" for i in (1, 2, 3)])
        self.play("wait 3\nquit\n", "photo.png", "--frames", "out.webp", size="60x40")
        self.assertIn(b"ANIM", (self.folder / "out.webp").read_bytes()[:64])
        self.play("wait 3\nkey q\n", "photo.png", "--frames", "closed.webp", size="60x40")
        self.assertIn(b"ANIM", (self.folder / "closed.webp").read_bytes()[:64], "closed by a key")
        self.play("record own.webp\nwait 1\nrecord end\n", "photo.png", "--frames", "more.webp", code=2)
        done = self.play("wait 1\n", "photo.png", "--frames", "photo.png", code=1)
        self.assertNotIn("script.txt", done.stderr, "the script is not to blame")

    def test_a_second_time_takes_another_name(self):
        self.play("key s\nwait rest\nkey s\nwait rest\n", *self.OPTIONS)
        self.assertEqual((self.folder / "photo_dof.png").read_bytes(), (self.folder / "photo_dof2.png").read_bytes())

    def test_what_is_shown_is_what_dof_makes(self):
        self.play("set panels no\nset inspector no\nset zoom 1\nset focus 0.9\nwait rest\nshot shown.png\n", *self.OPTIONS,
                  size=f"{WIDTH}x{HEIGHT}")
        self.succeed("dof", *self.OPTIONS, "--focus", "0.9", "-o", "made.png")
        self.assertLessEqual(max(differences(read_png(self.folder / "shown.png"), read_png(self.folder / "made.png"))), 1)

    def test_the_program_may_lie_in_any_folder(self):
        program = self.folder / "it's a folder" / "scanlens"
        program.parent.mkdir()
        shutil.copy2(SCANLENS, program)
        (self.folder / "script.txt").write_text("key s\nwait rest\n")
        done = subprocess.run([program, "view", *self.OPTIONS, "--headless", "--script", "script.txt"], cwd=self.folder,
                              env=WITHOUT_DISPLAY, capture_output=True, text=True, timeout=HANGS)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertTrue((self.folder / "photo_dof.png").exists())

    def test_two_in_a_row_take_two_names(self):
        done = self.play("set focus 0.1\nwait 1\nkey s\nset focus 0.9\nkey s\nwait rest\n", *self.OPTIONS)
        self.assertEqual(re.findall(r"-o (\S+)", done.stderr), ["photo_dof.png", "photo_dof2.png"])
        self.assertNotEqual((self.folder / "photo_dof.png").read_bytes(), (self.folder / "photo_dof2.png").read_bytes())

    def test_depth_goes_with_standard_input(self):
        (self.folder / "script.txt").write_text("wait rest\nexpect focus 0.5\n")
        done = self.run_here("view", "-", "--depth", "depth.png", "--focus", "0.5", "--headless", "--script", "script.txt",
                             stdin=open(self.folder / "photo.png", "rb"), env=WITHOUT_DISPLAY)
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_names_with_spaces_and_quotes(self):
        name = "it's a photo.png"
        os.rename(self.folder / "photo.png", self.folder / name)
        done = self.play("set focus 0.2\nwait rest\nkey s\nwait rest\n", name, *self.OPTIONS[1:])
        line = re.search(r"command: (.*)", done.stderr).group(1)
        self.assertIn(name, shlex.split(line))
        self.assertTrue((self.folder / "it's a photo_dof.png").exists())

    def test_a_folder_is_gone_through(self):
        album = self.folder / "album"
        album.mkdir()
        for shade, name in ((40, "a.png"), (90, "b.png"), (150, "c.png")):
            write_png(album / name, 20, 20, 3, 8, [shade] * 1200)
        self.play("set panels no\nset inspector no\nwait rest\nshot 1.png\nkey right\nwait rest\nshot 2.png\n"
                  "key left\nkey left\nwait rest\nshot 3.png\n", "album", size="60x60")
        shades = [read_png(self.folder / f"{i}.png").pixel(30, 30)[0] for i in (1, 2, 3)]
        self.assertEqual(shades, [40, 90, 150])

    def test_names_that_look_like_options_or_break_lines(self):
        for name, output, shown in (("-photo.png", "-photo_dof.png", "./-photo.png"), ("a\nb.png", "a\nb_dof.png", r"$'./a\012b.png'")):
            with self.subTest(name=name):
                shutil.copy(self.folder / "photo.png", self.folder / name)
                done = self.play("set focus 0.2\nwait rest\nkey s\nwait rest\n", "./" + name, *self.OPTIONS[1:])
                self.assertIn(shown, re.search(r"command: (.*)", done.stderr).group(1))
                self.assertTrue((self.folder / output).exists())

    def test_what_cannot_be_read_is_passed_over(self):
        album = self.folder / "album"
        album.mkdir()
        (album / "a.png").write_bytes(b"nothing")
        for shade, name in ((90, "b.png"), (150, "d.png")):
            write_png(album / name, 20, 20, 3, 8, [shade] * 1200)
        (album / "c.png").write_bytes(b"\x89PNG")
        done = self.play("set panels no\nset inspector no\nwait rest\nshot 1.png\nkey right\nwait rest\nshot 2.png\n", "album",
                         "--quiet", size="400x400")
        self.assertEqual([read_png(self.folder / f"{i}.png").pixel(200, 350)[0] for i in (1, 2)], [90, 150])
        for name in ("a.png", "c.png"):
            self.assertIn(name, done.stderr)

    def test_a_depth_map_is_not_made_of_nothing(self):
        """A photo without depth is shown; clicks say what is missing, and nothing is there to be saved."""
        self.play("set panels no\nset inspector no\nclick 200 150\nkey s\nwait rest\n", "photo.png")
        self.assertFalse((self.folder / "photo_dof.png").exists())

    def test_recordings(self):
        self.play("set panels no\nset inspector no\nwait rest\nset focus 0\nwait rest\nrecord out_%02d.png\npull focus 1 over 4\nrecord end\n"
                  "record pull.webp\npull focus 1 over 4\nrecord end\n", *self.OPTIONS, size="160x100")
        frames = [read_png(self.folder / f"out_{i:02}.png") for i in range(1, 5)]
        self.assertTrue(any(max(differences(frames[0], frame)) > 5 for frame in frames[1:]))
        self.assertIn(b"ANIM", (self.folder / "pull.webp").read_bytes()[:64])

    def test_a_script_may_begin_with_its_size(self):
        self.play("resize 200 120\nshot first.png\nresize 90 140 scale 2\nshot second.png\n", "photo.png")
        self.assertEqual(read_png(self.folder / "first.png").shape, (200, 120, 3, 8))
        self.assertEqual(read_png(self.folder / "second.png").shape, (90, 140, 3, 8))

    def test_screenshot_needs_no_display(self):
        self.succeed("view", "photo.png", "--screenshot", "shot.png", env=WITHOUT_DISPLAY)
        shot = read_png(self.folder / "shot.png")
        self.assertEqual(shot.shape, self.photo.shape)
        self.assertEqual(max(differences(shot, self.photo)), 0)


class Scenes(Viewer):
    def test_the_sharp_region_follows_the_click(self):
        """On the yellow teapot in front, and on the green one behind."""
        self.play("set panels no\nset inspector no\nclick 345 195\nwait rest\nshot near.png\n"
                  "click 378 108\nwait rest\nshot far.png\n", "--scene", "teapot")
        near, far = read_png(self.folder / "near.png"), read_png(self.folder / "far.png")
        yellow, green = (315, 175, 345, 205), (340, 85, 370, 115)
        self.assertGreater(variance(near, *yellow), 1.1 * variance(far, *yellow))
        self.assertGreater(variance(far, *green), 1.1 * variance(near, *green))

    def test_what_is_saved(self):
        for scene, output in (("teapot", "teapot_dof.png"), ("lights", "lights_dof.exr")):
            with self.subTest(scene=scene):
                done = self.play("drag 200 200 260 180\nset f-number 2\nset time 1.5\nwait rest\nkey s\nwait rest\n",
                                 "--scene", scene, size="240x160")
                self.assert_saved_by_the_shown_command(done, output)

    def test_frames_are_timed(self):
        done = self.play("wait rest\nset moving yes\ntime 20 times.json\nset moving no\nwait rest\n", "--scene", "teapot")
        self.assertIn("frame", done.stderr)
        self.assertTrue((self.folder / "times.json").exists())


class Refused(Viewer):
    def refused(self, *args, says, code=2):
        return self.refuse("view", *args, code=code, says=says, env=WITHOUT_DISPLAY)

    def test_command_lines(self):
        self.refused("photo.png", "--headless", says=("--headless", "--script"))
        self.refused("--headless", says=("--script",))
        self.refused("--screenshot", "shot.png", says=("--screenshot needs a picture", "--scene"))
        self.refused("--depth", "depth.png", says=("--depth needs a picture", "--scene"))
        self.refused("photo.png", "--scene", "teapot", says=("--scene cannot be used with pictures",))
        self.refused("--scene", "teapots", says=("--scene",))
        self.refused("--scene", "teapot", "--depth", "depth.png", says=("--depth cannot be used with --scene",))
        self.refused("photo.png", "--set", "view=dpeth", says=("--set view=dpeth", "did you mean depth"))
        self.refused("photo.png", "--set", "view", says=("NAME=VALUE",))
        self.refused("photo.png", "--filter", "variable_box", says=("variable_box", "map"))
        self.refused("photo.png", "--frames", "out_%d.png", says=("--frames needs --script",))
        self.refused("photo.png", "--size", "12", "--headless", "--script", "-", says=("WIDTHxHEIGHT",))

    def test_scripts(self):
        for script, cause in (("set focsu 1", "did you mean focus"), ("clikc 1 1", "did you mean click"),
                              ("set quality bets", "did you mean best"), ("expect f-number 3", "f-number"),
                              ("shot", ":1:"), ("\n\nset wipe 7", ":3:")):
            with self.subTest(script=script):
                done = self.play(script + "\n", "photo.png", code=1 if script.startswith("expect") else 2)
                self.assertIn("script.txt:", done.stderr)
                self.assertIn(cause, done.stderr)

    def test_values_are_checked_before_the_first_frame(self):
        self.play("shot first.png\nset quality bets\n", "photo.png", code=2)
        self.assertFalse((self.folder / "first.png").exists())

    def test_inputs_are_not_overwritten(self):
        before = (self.folder / "photo.png").read_bytes()
        for script in ("shot photo.png", "shot depth.png", "time 2 photo.png", "record photo.png\nwait 2\nrecord end"):
            with self.subTest(script=script):
                self.play(script + "\n", "photo.png", "--depth", "depth.png", code=1)
        self.refused("depth.png", "photo.png", "--screenshot", "photo.png", says=("never overwritten",), code=1)
        self.assertEqual((self.folder / "photo.png").read_bytes(), before)

    def test_what_fails_without_a_window_is_an_error(self):
        self.refused("--scene", "teapot", "--f-number", "0", "--screenshot", "shot.png", says=("f-number",))
        done = self.play("drop missing.png\nwait 3\n", "photo.png", code=1)
        self.assertIn("missing.png", done.stderr)

    def test_options_that_say_nothing(self):
        for args in (("--scene", "teapot", "--focus-at", "3,4"), ("--scene", "teapot", "--depth-kind", "depth"),
                     ("--scene", "teapot", "--blur", "3"), ("photo.png", "--azimuth", "3")):
            with self.subTest(args=args):
                self.refused(*args, "--screenshot", "shot.png", says=("--scene" if args[0] == "--scene" and
                                                                      args[2] != "--depth-kind" else args[-2],))

    def test_a_script_that_is_not_there(self):
        self.refused("photo.png", "--headless", "--script", "missing.txt", says=("missing.txt",), code=1)

    def test_no_pictures(self):
        (self.folder / "empty").mkdir()
        self.refused("empty", "--screenshot", "shot.png", says=("no pictures",), code=1)


if __name__ == "__main__":
    unittest.main()

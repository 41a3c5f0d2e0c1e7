#!/usr/bin/env python3
"""The first ten seconds of `view`, in a real window: what is seen while files are read, and where they are dropped."""
import contextlib
import os
import statistics
import subprocess
import time
import unittest

import window_test
from support import write_png

SIZE = "900x600"
BESIDE = 600  # a column of the picture's area, in the middle of it


class FirstLook(window_test.WindowCase):
    def setUp(self):
        super().setUp()
        self.connection = window_test.XConnection(self.display)
        self.addCleanup(self.connection.close)

    def tearDown(self):
        self.doCleanups()  # before the server ends
        super().tearDown()

    def seen(self, person, x0, y0, x1, y1):
        return statistics.pvariance(self.connection.green(person.window, x0, y0, x1, y1))

    def hint(self, person):
        return self.seen(person, BESIDE - 60, 560, BESIDE + 60, 592)

    def assert_has_map(self, person):
        """The photo is still the one that is shown, and what V shows of its depth has colours."""
        person.key("v")
        person.key("v")

        def is_colored():
            colors = self.connection.colors(person.window, 350, 290, 850, 291)
            return max(abs(b - r) for b, r in zip(colors[0::4], colors[2::4])) > 100
        person.until(is_colored, "depth")
        self.assertRegex(person.saved()[0], r"photo.png --depth \S*depth.png")

    def place(self, person, x, y):
        geometry = person.geometry()
        return int(geometry["X"]) + x, int(geometry["Y"]) + y

    def test_the_window_comes_before_the_photo(self):
        """A pipe nobody has written to: the window has its title, says what it waits for, and shows the photo then."""
        os.mkfifo(self.folder / "slow.png")
        with self.person("slow.png", "--size", SIZE) as person:
            self.assertTrue(person.ask("search", "--name", "^slow.png - scanlens$"))
            person.until(lambda: self.hint(person) > 100, "words on what is being read")
            self.assertLess(self.seen(person, BESIDE - 100, 200, BESIDE + 100, 400), 1, "no photo yet")
            (self.folder / "slow.png").write_bytes((self.folder / "photo.png").read_bytes())
            person.until(lambda: self.seen(person, BESIDE - 100, 200, BESIDE + 100, 400) > 1000, "the photo")
            person.key("q")
            self.assertEqual(person.ends(), 0, person.said())

    def test_the_photo_comes_before_its_depth(self):
        os.mkfifo(self.folder / "slow.png")
        with self.person("photo.png", "--depth", "slow.png", "--blur", "6%", "--focus", "1", "--size", SIZE) as person:
            sharp = person.until(lambda: self.seen(person, 380, 250, 420, 350) > 1000 and
                                 self.seen(person, 380, 250, 420, 350), "the photo")
            (self.folder / "slow.png").write_bytes((self.folder / "depth.png").read_bytes())
            person.until(lambda: self.seen(person, 380, 250, 420, 350) < sharp / 2, "its blur")
            person.key("q")
            self.assertEqual(person.ends(), 0, person.said())

    def test_what_cannot_be_read_is_said_in_the_window(self):
        (self.folder / "broken.png").write_bytes(b"\x89PNG\r\n\x1a\nnothing")
        with self.person("broken.png", "--size", SIZE) as person:
            person.until(lambda: "broken.png: the PNG data is truncated" in person.said(), "the cause")
            person.until(lambda: self.seen(person, 0, 0, 900, 600) > 10, "words and the invitation")
            person.key("q")
            self.assertEqual(person.ends(), 0, person.said())
        env = {**window_test.WITHOUT_DISPLAY, "DISPLAY": self.display}
        self.refuse("view", "missing.png", says=("missing.png", "no such file"), env=env)
        self.refuse("view", "photo.png", "--focus", "0.5", code=2, says=("photo.png", "--focus", "--depth FILE"), env=env)

    def test_without_a_word_the_window_is_empty_and_has_a_button(self):
        """Without a display commands are listed."""
        self.assertIn("  view ", self.run_here(env=window_test.WITHOUT_DISPLAY).stdout)
        with self.person("--size", SIZE) as person:
            person.until(lambda: self.seen(person, 250, 200, 650, 400) > 10, "the invitation")
            before = self.seen(person, 200, 100, 700, 280)
            person.click(450, 330)
            person.until(lambda: abs(self.seen(person, 200, 100, 700, 280) - before) > 10, "a list of files")
            person.key("Escape")
            person.key("q")
            self.assertEqual(person.ends(), 0, person.said())
        bare = subprocess.Popen([window_test.SCANLENS], cwd=self.folder, env={**window_test.WITHOUT_DISPLAY, "DISPLAY": self.display},
                                stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.addCleanup(bare.wait)
        self.addCleanup(bare.kill)
        search = ["xdotool", "search", "--sync", "--onlyvisible", "--name", "^scanlens$"]
        found = subprocess.run(search, env={**os.environ, "DISPLAY": self.display}, capture_output=True, text=True, timeout=60)
        self.assertTrue(found.stdout.split(), found.stderr)

    def test_the_hint_goes_with_the_first_click(self):
        with self.person("photo.png", "--depth", "depth.png", "--size", SIZE) as person:
            person.until(lambda: self.hint(person) > 100, "the hint")
            person.click(BESIDE, 300)
            person.until(lambda: self.hint(person) == 0, "no hint")
            person.key("v")
            person.key("v")
            person.until(lambda: self.hint(person) > 100, "a legend")
            person.key("Tab")
            person.until(lambda: self.seen(person, 400, 586, 500, 600) == 0, "the picture alone")

    def test_cards_while_something_is_dragged_over(self):
        with self.person("photo.png", "--size", SIZE) as person:
            person.until(lambda: self.seen(person, BESIDE - 100, 200, BESIDE + 100, 400) > 1000, "the photo")
            left, right = (BESIDE - 150, 300), (BESIDE + 150, 300)

            def colors(x, y):
                return bytes(self.connection.colors(person.window, x - 40, y - 60, x + 40, y - 56))

            def at_rest():
                first = colors(*left)
                time.sleep(0.5)
                return first == colors(*left) and first
            before = person.until(at_rest, "the photo at rest")
            own = self.connection.drag(person.window, self.place(person, *left))
            person.until(lambda: statistics.pvariance(colors(*left)[0::4]) < 150 and colors(*left) != before, "a card")
            self.connection.drag_on(person.window, own, self.place(person, *right))
            person.until(lambda: max(colors(*right)[0::4]) > max(colors(*left)[0::4]) + 20, "the other card chosen")
            self.connection.send(person.window, own, "XdndLeave")
            person.until(lambda: colors(*left) == before, "no cards")

            self.connection.drop(person.window, self.place(person, *right), str(self.folder / "depth.png"))
            self.assert_has_map(person)

    def test_a_grey_picture_of_the_same_proportions_is_the_map(self):
        with self.person("photo.png", "--size", SIZE) as person:
            person.until(lambda: self.seen(person, BESIDE - 100, 200, BESIDE + 100, 400) > 1000, "the photo")
            self.connection.drop(person.window, self.place(person, BESIDE, 120), str(self.folder / "depth.png"))
            person.click(BESIDE, 300)
            self.assert_has_map(person)
            self.assertTrue(person.ask("search", "--name", "photo.png"), "still the photo")


if __name__ == "__main__":
    unittest.main()

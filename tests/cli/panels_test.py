#!/usr/bin/env python3
"""The panels of `view` in a real window: what lies where, and what a person does to them."""
import contextlib
import re
import unittest

import window_test
from support import write_png

SIZE = "800x500"
ACCENT = bytes((255, 158, 92))  # blue, green and red of the dark theme's


class Panels(window_test.WindowCase):
    def setUp(self):
        super().setUp()
        write_png(self.folder / "white.png", 120, 30, 3, 8, [255] * (120 * 30 * 3))
        self.connection = window_test.XConnection(self.display)
        self.addCleanup(self.connection.close)

    def tearDown(self):
        self.doCleanups()  # before the server ends
        super().tearDown()

    def begin(self, person):
        """The column in which the picture begins: a white one, as wide as its area."""
        width, height = person.size()
        row = bytes(self.connection.green(person.window, 0, height // 2 + 8, width, height // 2 + 9))
        return row.find(b"\xff" * 50)

    def begins(self, person, where, what):
        return person.until(lambda: where(self.begin(person)) and self.begin(person) + 1, what) - 1

    def test_the_picture_has_what_the_panels_leave(self):
        with self.person("white.png", "--size", SIZE) as person:
            beside = self.begins(person, lambda x: x > 100, "a picture beside panels")
            self.assertLess(beside, 400)
            person.key("Tab")
            self.begins(person, lambda x: x == 0, "a picture without panels")
            person.click(400, 50)  # away from the border, which would show its button
            person.key("Tab")
            self.begins(person, lambda x: x == beside, "panels again")
            person.click(beside - 4, 250)
            self.begins(person, lambda x: 0 <= x < 50, "panels hidden by their border")
            person.click(4, 250)
            self.begins(person, lambda x: x == beside, "panels shown by the button")

    def test_sizes_are_kept(self):
        with self.person("white.png", "--size", SIZE) as person:
            beside = self.begins(person, lambda x: x > 100, "a picture beside panels")
            person.drag(beside - 4, 120, beside + 56, 120)
            wider = self.begins(person, lambda x: abs(x - beside - 60) <= 4, "wider panels")
            for key, is_larger in (("ctrl+plus", True), ("ctrl+minus", False), ("ctrl+plus", True), ("ctrl+0", False),
                                   ("ctrl+plus", True)):
                before = self.begin(person)
                person.key(key)
                larger = self.begins(person, lambda x: (x > before) == is_larger and x != before, f"letters after {key}")
            person.key("q")
            self.assertEqual(person.ends(), 0, person.said())
        self.assertGreater(larger, wider)
        with self.person("white.png", "--size", SIZE) as person:
            self.begins(person, lambda x: x == larger, "panels as they were left")

    def test_clicks_and_the_wipe_are_where_the_picture_is(self):
        with self.person("photo.png", "--depth", "depth.png", "--size", SIZE) as person:
            person.until(lambda: "focus at" in person.said(), "the photo")
            left, right = 320, 780
            person.click(left, 250)
            far = person.focus()
            person.click(right, 250)
            near = person.focus()
            self.assertLess(far, 0.2)
            self.assertGreater(near, 0.7)
            person.key("w")
            middle = (300 + 800) // 2
            person.drag(middle, 250, middle + 125, 250)
            share = float(re.search(r"--set wipe=(\S+)", person.saved()[0]).group(1))
            self.assertAlmostEqual(share, 0.75, delta=0.01)


    def first_slider(self, person):
        """Where the first slider's grab is: there is most of the accent's colour."""
        height = person.size()[1]
        found = []
        for y in range(height):
            row = self.connection.colors(person.window, 0, y, 280, y + 1)
            at = [x for x in range(280) if row[4 * x:4 * x + 3] == ACCENT]
            if at:
                found.append((y, at[-1]))
            elif found:
                break
        return found and (max(found, key=lambda place: place[1])[1] - 5, sum(y for y, _ in found) // len(found))

    def test_a_slider_is_dragged_and_a_value_is_typed(self):
        with self.person("photo.png", "--depth", "depth.png", "--focus", "0.4", "--size", SIZE) as person:
            person.until(lambda: "focus at" in person.said(), "the lens")
            x, y = person.until(lambda: self.first_slider(person), "a slider")
            person.drag(x, y, 278, y)
            self.assertEqual(person.focus(), 1)
            person.click(255, y - 16)  # the number above its end
            for key in "35":
                person.key(key)
            person.key("Return")
            person.until(lambda: self.first_slider(person)[0] < 150, "the grab where it was typed")
            self.assertAlmostEqual(person.focus(), 0.35)

    def test_a_card_keeps_what_is_in_it(self):
        with self.person("white.png", "--filter", "box", "--size", "900x700") as person:
            beside = self.begins(person, lambda x: x > 100, "a picture beside panels")

            width, height = beside - 20, 700  # no scroll bar

            def line_of_the_card():
                """What the panels show, row by row, and the middle of their lowest slider, which is the card's."""
                pixels = self.connection.colors(person.window, 0, 0, width, height)
                rows = [[pixels[at:at + 3] for at in range(4 * width * y, 4 * width * (y + 1), 4)] for y in range(height)]
                lowest = max((y for y, row in enumerate(rows) if ACCENT in row), default=0)
                line = max(range(max(lowest - 16, 0), lowest + 1), key=lambda y: rows[y].count(ACCENT))
                return line > 300 and (rows, line)

            rows, line = person.until(line_of_the_card, "a slider")
            border = max(x for x, colour in enumerate(rows[line]) if colour != rows[line][3])
            for y in range(line - 98, line + 1):  # the buttons, the help, the value and the line
                self.assertEqual(len(set(rows[y][border - 3:border])), 1, f"row {y} of {line}, column {border}")

    def test_a_tooltip_comes_beside_the_panels(self):
        with self.person("photo.png", "--depth", "depth.png", "--size", SIZE) as person:
            person.until(lambda: "focus at" in person.said(), "the lens")
            _, y = person.until(lambda: self.first_slider(person), "a slider")
            before = self.connection.colors(person.window, 310, y - 14, 330, y - 10)
            person.ask("mousemove", "--window", person.window, "30", str(y - 16))
            person.until(lambda: self.connection.colors(person.window, 310, y - 14, 330, y - 10) != before, "a tooltip")


class Screen4K(window_test.WindowCase):
    SCREEN = "3840x2160"

    def test_text_is_larger_where_the_desktop_says_nothing(self):
        """No Xft.dpi: a window has twice the pixels, and its panels letters twice as large."""
        write_png(self.folder / "white.png", 120, 30, 3, 8, [255] * (120 * 30 * 3))
        with contextlib.closing(window_test.XConnection(self.display)), \
                self.person("white.png", "--size", "400x250") as person:
            self.assertEqual(person.size(), (800, 500))
            person.key("q")
            self.assertEqual(person.ends(), 0, person.said())
        self.assertIn('"window-width": 400', (self.folder / "config/scanlens/viewer.json").read_text())


if __name__ == "__main__":
    unittest.main()

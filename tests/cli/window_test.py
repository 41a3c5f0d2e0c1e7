#!/usr/bin/env python3
"""`view` in a real window, under a display of its own: a person's mouse and keys come from xdotool."""
import contextlib
import ctypes
import ctypes.util
import json
import os
import random
import re
import shlex
import shutil
import signal
import statistics
import subprocess
import time
import unittest

from support import HANGS, ROOT, SCANLENS, CommandCase, differences, read_png, require_opengl, write_png

WITHOUT_DISPLAY = {name: value for name, value in os.environ.items() if name not in ("DISPLAY", "WAYLAND_DISPLAY")}
WIDTH, HEIGHT = 120, 75


class View(CommandCase):
    def setUp(self):
        super().setUp()
        noise = random.Random(5)
        self.photo = write_png(self.folder / "photo.png", WIDTH, HEIGHT, 3, 8,
                               [noise.randrange(256) for _ in range(WIDTH * HEIGHT * 3)])
        write_png(self.folder / "depth.png", WIDTH, HEIGHT, 1, 8, [2 * x for _ in range(HEIGHT) for x in range(WIDTH)])


class Person:
    """Acts on the viewer's window, and reads what it says."""

    def __init__(self, case, display, *args):
        self.env = {**WITHOUT_DISPLAY, "DISPLAY": display, "XDG_CONFIG_HOME": str(case.folder / "config")}
        self.case = case
        self.log = case.folder / "log.txt"
        with open(self.log, "wb") as log:
            self.viewer = subprocess.Popen([SCANLENS, "view", *args], cwd=case.folder, env=self.env, stdin=subprocess.DEVNULL,
                                           stdout=log, stderr=log)
        self.window = self.until(lambda: self.ask("search", "--onlyvisible", "--name", "scanlens").split(), "a window")[0]
        self.until(lambda: "OpenGL" in self.said(), "OpenGL")

    def ask(self, *words):
        return subprocess.run(["xdotool", *words], env=self.env, capture_output=True, text=True, timeout=HANGS).stdout

    def until(self, condition, what):
        end = time.monotonic() + HANGS
        while time.monotonic() < end:
            found = condition()
            if found:
                return found
            self.case.assertIsNone(self.viewer.poll(), f"waiting for {what}, the viewer ended: {self.said()}")
            time.sleep(0.05)
        self.case.fail(f"waited for {what} in vain: {self.said()}")

    def said(self):
        return self.log.read_text(errors="replace")

    def click(self, x, y):
        self.ask("mousemove", "--window", self.window, str(x), str(y), "sleep", "0.2", "click", "1")

    def drag(self, x0, y0, x1, y1):
        self.ask("mousemove", "--window", self.window, str(x0), str(y0), "sleep", "0.2", "mousedown", "1", "sleep", "0.2",
                 "mousemove", "--window", self.window, str(x1), str(y1), "sleep", "0.2", "mouseup", "1")

    def key(self, name):
        self.ask("windowfocus", self.window, "key", name)

    def saved(self, key="s"):
        """Presses S; the command that is shown, once its file is there."""
        before = self.said().count("command: ")
        self.key(key)
        self.until(lambda: self.said().count("command: ") > before, "the command")
        command = self.said().split("command: ")[-1].splitlines()[0]
        output = self.case.folder / shlex.split(command)[-1]
        self.until(output.exists, output)
        return command, output

    def focus(self):
        return float(re.search(r"--focus (\S+)", self.saved()[0]).group(1))

    def geometry(self):
        return dict(line.split("=") for line in self.ask("getwindowgeometry", "--shell", self.window).split() if "=" in line)

    def size(self):
        geometry = self.geometry()
        return int(geometry.get("WIDTH", 0)), int(geometry.get("HEIGHT", 0))

    def ends(self):
        return self.viewer.wait(timeout=HANGS)


class XImage(ctypes.Structure):
    """The beginning of Xlib's."""
    _fields_ = [("width", ctypes.c_int), ("height", ctypes.c_int), ("xoffset", ctypes.c_int), ("format", ctypes.c_int),
                ("data", ctypes.c_void_p), ("byte_order", ctypes.c_int), ("bitmap_unit", ctypes.c_int),
                ("bitmap_bit_order", ctypes.c_int), ("bitmap_pad", ctypes.c_int), ("depth", ctypes.c_int),
                ("bytes_per_line", ctypes.c_int), ("bits_per_pixel", ctypes.c_int)]


class ClientMessage(ctypes.Structure):
    _fields_ = [("type", ctypes.c_int), ("serial", ctypes.c_ulong), ("send_event", ctypes.c_int), ("display", ctypes.c_void_p),
                ("window", ctypes.c_ulong), ("message_type", ctypes.c_ulong), ("format", ctypes.c_int),
                ("data", ctypes.c_long * 5)]


class SelectionRequest(ctypes.Structure):
    _fields_ = [("type", ctypes.c_int), ("serial", ctypes.c_ulong), ("send_event", ctypes.c_int), ("display", ctypes.c_void_p),
                ("owner", ctypes.c_ulong), ("requestor", ctypes.c_ulong), ("selection", ctypes.c_ulong),
                ("target", ctypes.c_ulong), ("property", ctypes.c_ulong), ("time", ctypes.c_ulong)]


class SelectionAnswer(ctypes.Structure):
    _fields_ = [("type", ctypes.c_int), ("serial", ctypes.c_ulong), ("send_event", ctypes.c_int), ("display", ctypes.c_void_p),
                ("requestor", ctypes.c_ulong), ("selection", ctypes.c_ulong), ("target", ctypes.c_ulong),
                ("property", ctypes.c_ulong), ("time", ctypes.c_ulong)]


class XEvent(ctypes.Union):
    _fields_ = [("type", ctypes.c_int), ("message", ClientMessage), ("request", SelectionRequest), ("answer", SelectionAnswer),
                ("pad", ctypes.c_long * 24)]


class XConnection:
    """What a desktop and its other programs do: says how large letters are, sees what a window shows, drags files. To be
    closed before the server ends, because Xlib ends a program whose server is gone."""

    kSelectionRequest, kSelectionNotify, kClientMessage, kReplace, kString, kAtom = 30, 31, 33, 0, 31, 4

    def __init__(self, display):
        self.x = ctypes.CDLL(ctypes.util.find_library("X11") or "libX11.so.6")
        for name in ("XDefaultRootWindow", "XInternAtom", "XCreateSimpleWindow"):
            getattr(self.x, name).restype = ctypes.c_ulong
        self.x.XOpenDisplay.restype = ctypes.c_void_p
        self.x.XGetImage.restype = ctypes.POINTER(XImage)
        self.display = ctypes.c_void_p(self.x.XOpenDisplay(display.encode()))
        self.root = ctypes.c_ulong(self.x.XDefaultRootWindow(self.display))

    def atom(self, name):
        return ctypes.c_ulong(self.x.XInternAtom(self.display, name.encode(), 0))

    def set_resources(self, text):
        self.x.XChangeProperty(self.display, self.root, self.atom("RESOURCE_MANAGER"), ctypes.c_ulong(self.kString), 8,
                               self.kReplace, text.encode(), len(text))
        self.x.XSync(self.display, 0)

    def green(self, window, x0, y0, x1, y1):
        """What a window shows of green in a part of it."""
        return self.colors(window, x0, y0, x1, y1)[1::4]

    def colors(self, window, x0, y0, x1, y1):
        """The bytes of a part of a window, row by row: blue, green, red and nothing."""
        all_planes, z_pixmap = ctypes.c_ulong(~0), 2
        image = self.x.XGetImage(self.display, ctypes.c_ulong(int(window)), x0, y0, x1 - x0, y1 - y0, all_planes, z_pixmap)
        held = image.contents
        data = ctypes.string_at(held.data, held.bytes_per_line * held.height)
        self.x.XDestroyImage(image)
        return b"".join(data[y * held.bytes_per_line:y * held.bytes_per_line + 4 * (x1 - x0)] for y in range(y1 - y0))

    def send(self, window, own, name, *data):
        event = XEvent()
        event.message.type, event.message.window, event.message.format = self.kClientMessage, int(window), 32
        event.message.message_type = self.atom(name).value
        event.message.data[0] = own.value
        for i, value in enumerate(data):
            event.message.data[i + 1] = value
        self.x.XSendEvent(self.display, ctypes.c_ulong(int(window)), 0, ctypes.c_long(0), ctypes.byref(event))
        self.x.XFlush(self.display)

    def drag(self, window, place):
        """Drags something over a window, as XDND 5 has it, and returns what drags it. Place is the screen's."""
        own = ctypes.c_ulong(self.x.XCreateSimpleWindow(self.display, self.root, 0, 0, 1, 1, 0, 0, 0))
        self.x.XSetSelectionOwner(self.display, self.atom("XdndSelection"), own, ctypes.c_ulong(0))
        self.send(window, own, "XdndEnter", 5 << 24, self.atom("text/uri-list").value)
        self.drag_on(window, own, place)
        return own

    def drag_on(self, window, own, place):
        self.send(window, own, "XdndPosition", 0, place[0] << 16 | place[1], 0, self.atom("XdndActionCopy").value)
        self.wait(lambda event: event.type == self.kClientMessage and
                  event.message.message_type == self.atom("XdndStatus").value and event.message.data[1] & 1)

    def drop(self, window, place, file):
        """Drags a file onto a window and lets it go there."""
        self.let_go(window, self.drag(window, place), file)

    def let_go(self, window, own, file):
        self.send(window, own, "XdndDrop", 0, 0)
        asked = self.wait(lambda event: event.type == self.kSelectionRequest).request
        uris = f"file://{file}\r\n".encode()
        self.x.XChangeProperty(self.display, ctypes.c_ulong(asked.requestor), ctypes.c_ulong(asked.property),
                               ctypes.c_ulong(asked.target), 8, self.kReplace, uris, len(uris))
        event = XEvent()
        event.answer.type = self.kSelectionNotify
        for field in ("requestor", "selection", "target", "property", "time"):
            setattr(event.answer, field, getattr(asked, field))
        self.x.XSendEvent(self.display, ctypes.c_ulong(asked.requestor), 0, ctypes.c_long(0), ctypes.byref(event))
        self.wait(lambda event: event.type == self.kClientMessage and
                  event.message.message_type == self.atom("XdndFinished").value)

    def wait(self, is_it):
        end = time.monotonic() + HANGS
        while time.monotonic() < end:
            while self.x.XPending(self.display):
                event = XEvent()
                self.x.XNextEvent(self.display, ctypes.byref(event))
                if is_it(event):
                    return event
            time.sleep(0.02)
        raise AssertionError("no answer to what was dragged")

    def close(self):
        self.x.XCloseDisplay(self.display)


class WindowCase(View):
    """A display with a screen of its own."""
    SCREEN = "1024x768"

    @classmethod
    def setUpClass(cls):
        for tool in ("Xvfb", "xdotool"):
            if not shutil.which(tool):
                raise unittest.SkipTest(f"{tool} is not installed")
        require_opengl()

    def setUp(self):
        super().setUp()
        read, write = os.pipe()
        self.server = subprocess.Popen(["Xvfb", "-displayfd", str(write), "-screen", "0", f"{self.SCREEN}x24", "-nolisten",
                                        "tcp", "-noreset"],
                                       pass_fds=[write], stderr=subprocess.DEVNULL)
        os.close(write)
        with os.fdopen(read) as numbers:
            self.display = ":" + numbers.readline().strip()

    def tearDown(self):
        self.server.terminate()
        self.server.wait()
        super().tearDown()

    @contextlib.contextmanager
    def person(self, *args):
        person = Person(self, self.display, *args)
        try:
            yield person
        finally:
            if person.viewer.poll() is None:
                person.viewer.kill()
            person.viewer.wait()


class Window(WindowCase):
    def test_a_photo(self):
        """Clicks on the left and the right focus far and near; keys change the lens; Q ends with its settings kept."""
        with self.person("photo.png", "--depth", "depth.png", "--size", "480x300") as person:
            person.key("Tab")  # no panels
            person.click(60, 150)
            far = person.focus()
            person.click(420, 150)
            near = person.focus()
            self.assertLess(far, 0.3)
            self.assertGreater(near, 0.7)
            before = person.saved()[0]
            person.key("bracketright")
            person.key("b")
            after = person.saved()[0]
            self.assertNotEqual(re.search(r"--blur (\S+)", before).group(1), re.search(r"--blur (\S+)", after).group(1))
            self.assertIn("--bokeh hexagon", after)
            person.key("q")
            self.assertEqual(person.ends(), 0, person.said())
        settings = (self.folder / "config/scanlens/viewer.json").read_text()
        self.assertIn('"panels": "no"', settings)
        self.assertIn('"bokeh": "hexagon"', settings)

    def test_strokes_on_a_photo_without_depth(self):
        """Drawn by the mouse: undo takes one back, near and far separate, the shown command makes the same bytes."""
        noise = random.Random(11)
        width, height = 320, 200
        near, far, ground = (40, 90, 150), (190, 150, 90), (60, 140, 40)
        colours = [ground if y > 130 else near if x < width // 2 else far for y in range(height) for x in range(width)]
        write_png(self.folder / "scene.png", width, height, 3, 8,
                  [c + grain for colour in colours for grain in (noise.randrange(60),) for c in colour])
        with contextlib.closing(XConnection(self.display)) as connection, self.person("scene.png", "--size", "640x400") as person:
            person.key("Tab")  # no panels: the photo fills the window, two pixels each way for one of its own
            person.key("p")
            person.until(lambda: person.size() == (640, 400), "the window")

            def sharpness():
                return [statistics.pvariance(connection.green(person.window, *part))
                        for part in ((20, 20, 120, 220), (520, 20, 620, 220))]

            before = min(person.until(lambda: min(sharpness()) > 100 and sharpness(), "the photo"))
            person.drag(60, 60, 100, 220)  # what is nearest
            person.key("Return")
            person.drag(560, 60, 600, 220)  # what is farthest
            person.key("Return")
            person.drag(200, 390, 200, 280)  # the ground, from near to far
            person.key("Return")
            person.drag(400, 40, 400, 220)  # what looks wrong
            drawn = [[0.9], [0.1], [0.95, 0.05], [0.1]]
            person.drag(300, 60, 260, 240)
            command, output = person.saved()
            self.assertEqual(self.depths_in("scene_strokes.json"), [*drawn, [0.1]])
            self.assert_made_by(command, output)
            person.key("ctrl+z")
            for _ in range(12):
                person.key("bracketright")  # more blur
            person.key("d")  # strokes no more: clicks focus
            person.click(150, 200)
            left, right = person.until(lambda: sharpness()[0] > 8 * sharpness()[1] and sharpness(), "a far side out of focus")
            self.assertGreater(left, before / 4, "the near side is in focus")
            person.click(480, 200)
            person.until(lambda: sharpness()[1] > 8 * sharpness()[0], "a near side out of focus")

            command, output = person.saved()
            self.assertIn("--depth scene_strokes.json", command)
            self.assertEqual(self.depths_in("scene_strokes.json"), drawn)
            self.assert_made_by(command, output)
            person.key("q")
            self.assertEqual(person.ends(), 0, person.said())

    def depths_in(self, name):
        strokes = json.loads((self.folder / name).read_text())["strokes"]
        return [[stroke[key] for key in ("from", "to", "nearness") if key in stroke] for stroke in strokes]

    def assert_made_by(self, command, output):
        """A command, as the viewer shows it, writes the file again, bit for bit."""
        saved = output.read_bytes()
        output.unlink()
        subprocess.run([SCANLENS, *shlex.split(command)[1:]], cwd=self.folder, check=True, capture_output=True, timeout=HANGS)
        self.assertEqual(output.read_bytes(), saved)

    def test_an_empty_window(self):
        """It says what it waits for, and shows the photo that is dropped on it."""
        with contextlib.closing(XConnection(self.display)) as connection, self.person("--size", "480x300") as person:
            middle, corner = (120, 120, 360, 180), (0, 240, 100, 300)
            person.until(lambda: statistics.pvariance(connection.green(person.window, *middle)) > 100, "letters")
            self.assertEqual(statistics.pvariance(connection.green(person.window, *corner)), 0)
            geometry = person.geometry()
            connection.drop(person.window, (int(geometry["X"]) + 240, int(geometry["Y"]) + 150), str(self.folder / "photo.png"))
            person.until(lambda: person.ask("search", "--name", "photo.png"), "the photo's name")
            person.until(lambda: statistics.pvariance(connection.green(person.window, 300, 100, 460, 200)) > 1000, "the photo")
            person.key("q")
            self.assertEqual(person.ends(), 0, person.said())

    def test_a_screen_of_small_pixels(self):
        """At a scale of 2 a window has twice the pixels each way, no more than the screen, and comes back as large."""
        with contextlib.closing(XConnection(self.display)) as connection:
            connection.set_resources("Xft.dpi:\t192\n")
            with self.person("photo.png", "--depth", "depth.png", "--size", "400x300") as person:
                self.assertEqual(person.size(), (800, 600))
                person.key("q")
                self.assertEqual(person.ends(), 0, person.said())
            self.assertIn('"window-width": 400', (self.folder / "config/scanlens/viewer.json").read_text())
            with self.person("photo.png", "--depth", "depth.png") as person:
                self.assertEqual(person.size(), (800, 600))
            with self.person("photo.png", "--depth", "depth.png", "--size", "800x600") as person:
                width, height = person.size()
                self.assertLessEqual(width, 1024)
                self.assertLessEqual(height, 768)

    def test_the_sharp_region_follows_the_click(self):
        """On the yellow teapot in front and on the green one behind, then an aperture where all is sharp."""
        yellow, green = (315, 175, 345, 205), (340, 85, 370, 115)
        with contextlib.closing(XConnection(self.display)) as connection, \
                self.person("--scene", "teapot", "--size", "480x300", "--set", "panels=no", "--set", "inspector=no") as person:

            def sharpness():
                return [statistics.pvariance(connection.green(person.window, *part)) for part in (yellow, green)]

            def settled(pause):
                seen = [sharpness()]
                while seen[-4:] != 4 * seen[-1:] or seen[-1] == [0, 0]:  # until it is at rest
                    time.sleep(pause)
                    seen.append(sharpness())
                return seen[-1]

            def sharpness_after(act):
                before = settled(0.4)
                begin = time.monotonic()
                act()
                person.until(lambda: sharpness() != before, "another picture")
                return settled(max(0.4, time.monotonic() - begin))  # a busy machine takes long for each picture
            near = sharpness_after(lambda: person.click(345, 195))
            far = sharpness_after(lambda: person.click(378, 108))
            self.assertGreater(near[0], 1.1 * far[0])
            self.assertGreater(far[1], 1.1 * near[1])
            closed = sharpness_after(lambda: [person.key("bracketleft") for _ in range(12)])
            self.assertGreater(closed[0], 1.1 * far[0])
            person.key("q")
            self.assertEqual(person.ends(), 0, person.said())

    def test_the_wipe_and_the_shown_command(self):
        with contextlib.closing(XConnection(self.display)) as connection, \
                self.person("photo.png", "--depth", "depth.png", "--blur", "8", "--focus", "1", "--size", "480x300") as person:
            person.key("Tab")
            command, output = person.saved()
            saved = output.read_bytes()
            output.unlink()
            self.succeed(*shlex.split(command)[1:])
            self.assertEqual(output.read_bytes(), saved)
            time.sleep(0.5)
            left = (10, 200, 90, 280)
            blurred = statistics.pvariance(connection.green(person.window, *left))
            person.key("w")
            person.until(lambda: statistics.pvariance(connection.green(person.window, *left)) > 4 * blurred, "the input on the left")
            person.drag(240, 250, 4, 250)
            person.until(lambda: statistics.pvariance(connection.green(person.window, *left)) < 2 * blurred, "the result again")
            person.key("q")
            self.assertEqual(person.ends(), 0, person.said())

    def test_a_file_is_dropped(self):
        write_png(self.folder / "it is white.png", 40, 20, 3, 8, [255] * 2400)
        with contextlib.closing(XConnection(self.display)) as connection, self.person("photo.png", "--size", "400x300") as person:
            person.key("Tab")
            geometry = person.geometry()
            place = int(geometry["X"]) + 200, int(geometry["Y"]) + 150
            connection.drop(person.window, place, str(self.folder / "it is white.png").replace(" ", "%20"))
            person.until(lambda: min(connection.green(person.window, 100, 140, 140, 160)) == 255, "the file that was dropped")
            person.key("q")
            self.assertEqual(person.ends(), 0, person.said())

    def test_a_script_shows_the_same_without_a_window(self):
        (self.folder / "shots").mkdir()  # pictures beside the photo would be counted with it
        for where in ("window", "memory"):
            (self.folder / f"{where}.txt").write_text("set panels no\nset inspector no\nset focus 0.2\nclick 420 150\nset zoom 3\nwait rest\n"
                                                      f"key w\nwait 2\nshot shots/{where}.png\nquit\n")
        args = ("photo.png", "--depth", "depth.png", "--size", "480x300", "--script")
        with self.person(*args, "window.txt") as person:
            self.assertEqual(person.ends(), 0, person.said())
        done = self.run_here("view", *args, "memory.txt", "--headless", env=WITHOUT_DISPLAY)
        self.assertEqual(done.returncode, 0, done.stderr)
        shots = [read_png(self.folder / f"shots/{where}.png") for where in ("window", "memory")]
        self.assertEqual(max(differences(*shots)), 0)

    def set_layout(self, name):
        if not shutil.which("setxkbmap"):
            self.skipTest("setxkbmap is not installed")
        subprocess.run(["setxkbmap", "-display", self.display, name], check=True, timeout=HANGS)

    def test_keys_without_latin_letters_are_those_of_a_us_keyboard(self):
        """A Russian keyboard has letters in place of brackets, too."""
        self.set_layout("ru")
        with self.person("photo.png", "--depth", "depth.png", "--blur", "2%", "--size", "300x200") as person:
            person.key("Cyrillic_hardsign")  # where ] is
            opened = float(re.search(r"--blur (\S+)%", person.saved("Cyrillic_yeru")[0]).group(1))  # where S is
            self.assertGreater(opened, 2)

    def test_keys_are_those_of_the_layout(self):
        """On a French keyboard Q is where A is on others."""
        self.set_layout("fr")
        with self.person("photo.png", "--size", "300x200") as person:
            person.key("q")
            self.assertEqual(person.ends(), 0, person.said())

    def test_a_scene(self):
        """Drags turn it, windows change their size, the full screen comes and goes, and what is saved is as large."""
        with self.person("--scene", "teapot", "--size", "480x300", "--quality", "draft") as person:
            person.key("Tab")
            person.drag(200, 200, 280, 200)
            command, output = person.saved()
            self.assertNotIn("--azimuth 0 ", command)
            self.assertEqual(read_png(output).shape, (480, 300, 3, 8))
            person.ask("windowsize", "--sync", person.window, "400", "320")
            person.until(lambda: read_png(person.saved()[1]).shape == (400, 320, 3, 8), "the new size")
            person.key("F11")
            person.until(lambda: person.size() == (1024, 768), "the full screen")
            person.key("Escape")
            person.until(lambda: person.size() == (400, 320), "the window again")
            person.key("Escape")
            time.sleep(0.3)
            self.assertIsNone(person.viewer.poll(), "Escape does not end it")
            person.key("ctrl+q")
            self.assertEqual(person.ends(), 0, person.said())

    def test_a_script_gives_the_window_its_size(self):
        (self.folder / "script.txt").write_text("resize 300 200\nwait rest\nshot shot.png\n")
        with self.person("photo.png", "--script", "script.txt") as person:
            person.until((self.folder / "shot.png").exists, "the shot")
            self.assertEqual(read_png(self.folder / "shot.png").shape, (300, 200, 3, 8))
            self.assertEqual(person.size(), (300, 200))
            person.key("q")
            self.assertEqual(person.ends(), 0, person.said())

    def test_broken_shaders_and_files_that_change(self):
        shaders = self.folder / "shaders"
        shutil.copytree(ROOT / "shaders", shaders)
        (self.folder / "config").mkdir()
        WITHOUT_DISPLAY["SCANLENS_SHADERS"] = str(shaders)
        self.addCleanup(WITHOUT_DISPLAY.pop, "SCANLENS_SHADERS")
        with self.person("photo.png", "--depth", "depth.png", "--size", "480x300") as person:
            person.saved()
            (shaders / "viewer/view.frag").write_text("#version 450 core\nvoid main() { nonsense; }\n")
            person.key("F5")
            write_png(self.folder / "photo.png", 60, 40, 3, 8, [200] * 7200)
            person.until(lambda: read_png(person.saved()[1]).shape == (60, 40, 3, 8), "the file that has changed")
            person.key("q")
            self.assertEqual(person.ends(), 0, person.said())

    def test_a_signal_ends_it(self):
        with self.person("photo.png", "--size", "300x200") as person:
            person.viewer.send_signal(signal.SIGTERM)
            self.assertEqual(person.ends(), -signal.SIGTERM)


class NoDisplay(View):
    def test_says_that_there_is_none(self):
        for options in ((), ("--depth", "depth.png")):
            self.refuse("view", "photo.png", *options, says=("no window can be opened", "DISPLAY", "--screenshot"),
                        env=WITHOUT_DISPLAY)

    def test_a_display_that_does_not_answer(self):
        self.refuse("view", "photo.png", says=("no window can be opened",), env={**WITHOUT_DISPLAY, "DISPLAY": ":54321"})

    def test_a_lens_without_depth(self):
        self.refuse("view", "photo.png", "--focus", "0.5", code=2, says=("photo.png", "--focus", "--depth FILE"),
                    env=WITHOUT_DISPLAY)

    def test_the_picture_comes_first(self):
        self.refuse("view", "missing.png", says=("missing.png", "no such file"), env=WITHOUT_DISPLAY)


class Screenshot(View):
    @classmethod
    def setUpClass(cls):
        require_opengl()

    def shot(self, *args, output="shot.png"):
        with self.unchanged(output):
            done = self.run_here("view", *args, "--screenshot", output, env=WITHOUT_DISPLAY)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(done.stdout, "")
        return done

    def test_odd_sizes(self):
        """Rows of bytes that are no multiple of four, and pictures of a pixel."""
        for width, height in ((1, 1), (3, 5), (61, 1), (1, 47), (1500, 20)):
            with self.subTest(width=width, height=height):
                name = f"{width}.png"
                photo = write_png(self.folder / name, width, height, 3, 8, [7 * i % 256 for i in range(width * height * 3)])
                self.shot(name)
                self.assertEqual(read_png(self.folder / "shot.png"), photo)
                (self.folder / "shot.png").unlink()

    def test_sixteen_bit_grey(self):
        samples = [(x * 500 + y * 77) % 65536 for y in range(HEIGHT) for x in range(WIDTH)]
        write_png(self.folder / "grey.png", WIDTH, HEIGHT, 1, 16, samples)
        self.shot("grey.png")
        shown = read_png(self.folder / "shot.png")
        self.assertTrue(all(abs(s / 257 - shown.samples[3 * i]) <= 1 for i, s in enumerate(samples)))

    def test_the_depth_that_the_photo_carries_is_used(self):
        done = self.shot(str(ROOT / "tests/files/depth/disparity.heic"), "--focus", "0.5")
        self.assertIn("focus at 0.5 m", done.stderr)

    def test_quiet(self):
        self.assertEqual(self.shot("photo.png", "--quiet").stderr, "")

    def test_inputs_are_not_overwritten(self):
        for name in ("photo.png", "depth.png"):
            self.refuse("view", "photo.png", "--depth", "depth.png", "--screenshot", name, says=("never overwritten",),
                        env=WITHOUT_DISPLAY)


if __name__ == "__main__":
    unittest.main()

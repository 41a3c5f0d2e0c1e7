#!/usr/bin/env python3
"""Filesystems of cards and sticks, which have neither hard links nor extended attributes: FAT and exFAT. Their refusals come
from a library that is loaded first, and from an exFAT image where one can be mounted (root, and packages of
tests/packages.txt)."""
import os
import shutil
import subprocess
import tempfile
import time
import unittest
from pathlib import Path

from support import CommandCase, HANGS, SCANLENS, png_bytes

BOX = ("--filter", "box:radius=2")
CLEAN = {key: value for key, value in os.environ.items() if not key.startswith(("SLURM_", "JOB_COMPLETION"))}

REFUSALS = r"""
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

static int refuse(int error) { errno = error; return -1; }
int link(const char* from, const char* to) { return refuse(EPERM); }
int open(const char* path, int flags, ...) {
  va_list rest;
  va_start(rest, flags);
  const int mode = flags & O_CREAT ? va_arg(rest, int) : 0;
  va_end(rest);
  if ((flags & O_TMPFILE) == O_TMPFILE) return refuse(EOPNOTSUPP);
  return syscall(SYS_openat, AT_FDCWD, path, flags, mode);
}
int open64(const char* path, int flags, ...) __attribute__((alias("open")));
int setxattr(const char* path, const char* name, const void* value, size_t size, int flags) { return refuse(EOPNOTSUPP); }
int fsetxattr(int file, const char* name, const void* value, size_t size, int flags) { return refuse(EOPNOTSUPP); }
ssize_t getxattr(const char* path, const char* name, void* value, size_t size) { return refuse(EOPNOTSUPP); }
ssize_t fgetxattr(int file, const char* name, void* value, size_t size) { return refuse(EOPNOTSUPP); }
int renameat2(int a, const char* from, int b, const char* to, unsigned flags) {
  return getenv("NO_RENAMEAT2") ? refuse(EINVAL) : (int)syscall(SYS_renameat2, a, from, b, to, flags);
}
"""


class Promises:
    """What holds on every filesystem."""
    env = CLEAN

    def put(self, count, side=24):
        (self.folder / "in").mkdir()
        for i in range(count):
            (self.folder / f"in/{i:02}.png").write_bytes(png_bytes(side, side, 1, 8, [(i + j * j) % 251 for j in range(side * side)]))

    def batch(self, *args, code=0):
        done = self.run_here("batch", "in", *args, *BOX, env=self.env)
        self.assertEqual(done.returncode, code, done.stderr)
        return done.stderr

    def names(self, folder="out"):
        return sorted(path.name for path in (self.folder / folder).iterdir())

    def test_batch_writes_and_replaces_nothing(self):
        self.put(3)
        said = self.batch("out")
        self.assertIn("no extended attributes", said)
        self.assertEqual(self.names(), ["00.png", "01.png", "02.png"])
        (self.folder / "out/01.png").write_bytes(b"precious")
        self.assertIn("exists", self.batch("out", code=1))
        self.assertIn("nothing tells that batch wrote it", self.batch("out", "--skip-existing", code=1))
        self.assertEqual((self.folder / "out/01.png").read_bytes(), b"precious")
        self.batch("out", "--overwrite")
        self.assertGreater(len((self.folder / "out/01.png").read_bytes()), 8)

    def test_no_clobber(self):
        self.put(1)
        command = ("filter", "in/00.png", *BOX, "--no-clobber", "-o")
        for code in (0, 1):
            done = self.run_here(*command, "out.png", env=self.env)
            self.assertEqual(done.returncode, code, done.stderr)
        self.assertIn("out.png: exists", done.stderr)
        self.assertEqual(self.names("."), ["in", "out.png"])

    def test_killed_and_resumed(self):
        self.put(30, 200)
        self.batch("whole")
        whole = {name: (self.folder / "whole" / name).read_bytes() for name in self.names("whole")}
        command = [SCANLENS, "batch", "in", "out", *BOX, "--skip-existing", "--report", "r.jsonl", "--jobs", "2"]
        for enough in (1, 5, 15):
            worker = subprocess.Popen(command, cwd=self.folder, env=self.env, stderr=subprocess.DEVNULL)
            end = time.monotonic() + HANGS
            while worker.poll() is None and time.monotonic() < end:
                if (self.folder / "out").exists() and sum(name in whole for name in self.names()) >= enough:
                    break
                time.sleep(0.001)
            worker.kill()
            worker.wait()
            for name in set(self.names()) & set(whole):
                self.assertEqual((self.folder / "out" / name).read_bytes(), whole[name], name)
        # Pictures whose lines the kill kept out of the report count as foreign, at most as many as were at work.
        done = self.run_here(*command[1:], env=self.env)
        self.assertLessEqual(done.stderr.count("nothing tells that batch wrote it"), 3 * 2, done.stderr)
        self.assertEqual({name: (self.folder / "out" / name).read_bytes() for name in self.names()}, whole)


class Refused(Promises, CommandCase):
    @classmethod
    def setUpClass(cls):
        if "SCANLENS_SANITIZED" in os.environ:
            raise unittest.SkipTest("a sanitizer wants to be loaded first")
        cls.place = tempfile.mkdtemp(prefix="scanlens-test-")
        cls.addClassCleanup(shutil.rmtree, cls.place)
        compiler = shutil.which(os.environ.get("CXX", "c++"))
        if not compiler:
            raise unittest.SkipTest("there is no compiler for a library that refuses")
        subprocess.run([compiler, "-x", "c", "-shared", "-fPIC", "-o", cls.place + "/refusals.so", "-"], input=REFUSALS, text=True,
                       check=True)
        cls.env = {**CLEAN, "LD_PRELOAD": cls.place + "/refusals.so"}


class RefusedTwice(Refused):
    """Filesystems in user space may have no rename that replaces nothing, either."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.env = {**cls.env, "NO_RENAMEAT2": "1"}


class ExFat(Promises, CommandCase):
    @classmethod
    def setUpClass(cls):
        tools = {tool: shutil.which(tool, path=os.environ.get("PATH", "") + ":/sbin:/usr/sbin")
                 for tool in ("mkfs.exfat", "mount.exfat-fuse", "losetup", "umount")}
        if os.geteuid() != 0 or not all(tools.values()):
            raise unittest.SkipTest("an exFAT image is mounted by root, with exfatprogs and exfat-fuse")
        cls.place = Path(tempfile.mkdtemp(prefix="scanlens-test-"))
        cls.addClassCleanup(shutil.rmtree, cls.place)
        image, cls.card = cls.place / "image", cls.place / "card"
        cls.card.mkdir()
        with open(image, "wb") as file:
            file.truncate(64 << 20)

        def run(*words):
            return subprocess.run([tools.get(words[0], words[0]), *words[1:]], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                                  text=True)

        run("mkfs.exfat", str(image))
        loop = run("losetup", "--find", "--show", str(image)).stdout.strip()
        if not loop:
            raise unittest.SkipTest("there is no loop device for an exFAT image")
        cls.addClassCleanup(run, "losetup", "--detach", loop)
        if run("mount.exfat-fuse", loop, str(cls.card)).returncode != 0:
            raise unittest.SkipTest("exFAT cannot be mounted here")
        cls.addClassCleanup(run, "umount", str(cls.card))

    def setUp(self):
        self.folder = Path(tempfile.mkdtemp(dir=self.card))
        self.addCleanup(shutil.rmtree, self.folder)


if __name__ == "__main__":
    unittest.main()

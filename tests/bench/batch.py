#!/usr/bin/env python3
"""Folders of JPEGs through one filter each: `scanlens batch` beside vips, ImageMagick and ffmpeg.

    tests/bench/batch.py [--pictures 200] [--peer-pictures 60] [--only box,crop] [--folder DIR] [--json]

Makes 2-Mpx JPEGs, filters all of them at JPEG quality 95 with 4:4:4 chroma, and prints for each program pictures a second,
seconds of processors a picture, and the peak of memory. Each is run as its friends would run it on all cores:
    vips         one process a picture, as many at once as there are cores (GNU xargs), one thread each
    ImageMagick  mogrify, one process a core, each with its share of the pictures
    ffmpeg       one process, on the file's own YCbCr where the filter takes it; -q:v 2
scanlens turns the blocks of a JPEG by a quarter, while the others decode. It resizes, turns and makes grey in linear light, the others in codes. All results stand in memory's page cache before
the clock starts. The peers get fewer pictures where they are slow; their rate is what counts. Peak memory is that of the
largest process, times the processes at once. Where others use the machine, the seconds of processors are what counts."""
import argparse
import json
import multiprocessing
import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

SCANLENS = os.environ.get("SCANLENS", str(Path(__file__).resolve().parents[2] / "build/release/scanlens"))
WIDTH, HEIGHT, RADIUS, QUALITY = 1632, 1224, 16, 95
CORES = os.cpu_count()


def make_pictures(folder, count):
    """Waves and noise, as a camera's pictures have; each rolled by another distance. Runs in a process of its own:
    the peak of a program's memory counts from that of the process that starts it."""
    import numpy
    noise = numpy.random.default_rng(1)
    y, x = numpy.mgrid[0:HEIGHT, 0:WIDTH]
    bases = []
    for i in range(8):
        waves = [128 + 90 * numpy.sin(x / (20 + 9 * i) + c) + 20 * numpy.cos(y / (11 + 3 * c)) for c in range(3)]
        bases.append(numpy.clip(numpy.stack(waves, -1) + noise.normal(0, 6, (HEIGHT, WIDTH, 3)), 0, 255).astype("u1"))
    raw = folder / "raw"
    raw.mkdir()
    for first in range(0, count, 50):
        for i in range(first, min(first + 50, count)):
            rolled = numpy.roll(bases[i % 8], 13 * i, axis=1)
            (raw / f"p{i:04d}.ppm").write_bytes(b"P6\n%d %d\n255\n" % (WIDTH, HEIGHT) + rolled.tobytes())
        subprocess.run([SCANLENS, "batch", raw, folder / "in", "--filter", "box:radius=0", "--format", "jpg",
                        "--quality", "90", "--quiet"], check=True)
        for path in raw.iterdir():
            path.unlink()
    raw.rmdir()


SIDE = 2 * RADIUS + 1
# The words for each program: scanlens's filter, vips's operation with what follows the output, mogrify's, ffmpeg's.
TASKS = {
    "box": (f"box:radius={RADIUS}", ("convsep", "ROW --precision integer"),
            f"-define convolve:scale='!' -morphology Convolve Rectangle:{SIDE}x1 -morphology Convolve Rectangle:1x{SIDE}",
            f"avgblur=sizeX={RADIUS}"),
    "gaussian": ("gaussian:sigma=4", ("gaussblur", "4"), "-blur 0x4", "gblur=sigma=4"),
    "resize": ("resize:long=800", ("thumbnail", "800"), "-resize 800x800", "scale=800:-1:flags=area"),
    "crop": ("crop:width=800:height=600", ("crop", "416 312 800 600"), "-gravity center -crop 800x600+0+0 +repage",
             "crop=800:600"),
    "quarter": ("rotate", ("rot", "d90"), "-rotate 90", "transpose=clock"),
    "rotate": ("rotate:angle=10:fit=grow:colour=black", ("rotate", "10"), "-background black -rotate 10",
               "rotate=PI/18:ow=rotw(PI/18):oh=roth(PI/18)"),
    "flip": ("flip:axis=vertical", ("flip", "vertical"), "-flip", "vflip"),
    "border": ("border:size=40", ("embed", f"40 40 {WIDTH + 80} {HEIGHT + 80}"), "-bordercolor black -border 40",
               "pad=iw+80:ih+80:40:40"),
    "grey": ("grey", ("colourspace", "b-w"), "-colorspace Gray", "format=gray"),
}


def measured(command, pictures, out, processes=1, **options):
    """(pictures a second, seconds of processors a picture, peak bytes) of a command that writes into `out`."""
    shutil.rmtree(out, ignore_errors=True)
    out.mkdir()
    os.sync()
    start = time.monotonic()
    child = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, **options)
    complaints = child.stderr.read()
    _, status, usage = os.wait4(child.pid, 0)
    seconds = time.monotonic() - start
    if status:
        sys.exit(f"{command[0]} failed: {complaints.decode()[-2000:]}")
    # The largest process may be a child of the shell or of xargs.
    peak = usage.ru_maxrss * 1024 * processes
    written = len(list(out.iterdir()))
    assert written == len(pictures), f"{command[0]}: {written} of {len(pictures)} pictures"
    return len(pictures) / seconds, (usage.ru_utime + usage.ru_stime) / len(pictures), peak


def ours(task, pictures, folder):
    names = folder / "list"
    names.write_text("".join(f"{p}\n" for p in pictures))
    return measured([SCANLENS, "batch", "--files-from", names, folder / "out", "--filter", TASKS[task][0], "--quality",
                     str(QUALITY), "--quiet"], pictures, folder / "out")


def through_xargs(pictures, folder, script, at_once=1):
    """Runs `sh -c script sh PICTURE...` for so many pictures at a time, on all cores."""
    names = folder / "list"
    names.write_text("".join(f"{p}\n" for p in pictures))
    command = ["xargs", "-a", str(names), "-d", "\n", "-P", str(CORES), "-n", str(at_once), "sh", "-c", script, "sh"]
    environment = {**os.environ, "VIPS_CONCURRENCY": "1", "MAGICK_THREAD_LIMIT": "1", "OMP_NUM_THREADS": "1",
                   "OUT": str(folder / "out")}
    return measured(command, pictures, folder / "out", CORES, env=environment)


def vips(task, pictures, folder):
    mask = folder / "row.mat"
    mask.write_text(f"{SIDE} 1 {SIDE} 0\n" + " ".join(["1"] * SIDE) + "\n")
    operation, words = TASKS[task][1]
    return through_xargs(pictures, folder, f'vips {operation} "$1" "$OUT/${{1##*/}}[Q={QUALITY}]" '
                         + words.replace("ROW", str(mask)))


def imagemagick(task, pictures, folder):
    mogrify = next(m for m in ("mogrify-im6.q16", "mogrify") if shutil.which(m))
    return through_xargs(pictures, folder, f"{mogrify} -path \"$OUT\" {TASKS[task][2]} -quality {QUALITY} \"$@\"",
                         (len(pictures) + CORES - 1) // CORES)


def ffmpeg(task, pictures, folder):
    some = folder / "some"
    shutil.rmtree(some, ignore_errors=True)
    some.mkdir()
    for i, picture in enumerate(pictures):
        (some / f"{i:04d}.jpg").symlink_to(picture)
    return measured(["ffmpeg", "-nostdin", "-loglevel", "error", "-i", str(some / "%04d.jpg"), "-vf", TASKS[task][3],
                     "-q:v", "2", str(folder / "out/%04d.jpg")], pictures, folder / "out")


PROGRAMS = {"scanlens batch": (ours, ()), "vips": (vips, ("vips",)), "ffmpeg": (ffmpeg, ("ffmpeg",)),
            "ImageMagick": (imagemagick, ("mogrify-im6.q16", "mogrify"))}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--pictures", type=int, default=200)
    parser.add_argument("--peer-pictures", type=int, default=60)
    parser.add_argument("--only", help="filters, joined by commas, of " + ", ".join(TASKS))
    parser.add_argument("--folder", type=Path, help="where the pictures go; removed at the end; by default /tmp")
    parser.add_argument("--json", action="store_true")
    arguments = parser.parse_args()
    folder = Path(tempfile.mkdtemp(prefix="scanlens-batch-", dir=arguments.folder))
    rows = []
    try:
        maker = multiprocessing.get_context("fork").Process(target=make_pictures, args=(folder, arguments.pictures))
        maker.start()
        maker.join()
        pictures = sorted((folder / "in").iterdir())
        assert maker.exitcode == 0 and len(pictures) == arguments.pictures
        few, fewest = pictures[: arguments.peer_pictures], pictures[: min(12, arguments.peer_pictures)]
        for task in arguments.only.split(",") if arguments.only else TASKS:
            for name, (run, programs) in PROGRAMS.items():
                if programs and not any(map(shutil.which, programs)):
                    continue
                some = {"scanlens batch": pictures, "ImageMagick": fewest}.get(name, few)
                rate, seconds, peak = run(task, some, folder)
                rows.append({"filter": task, "program": name, "pictures": len(some), "pictures_per_second": rate,
                             "cpu_seconds_per_picture": seconds, "peak_bytes": peak})
                if not arguments.json:
                    print(f"{task:<9} {name:<15} {len(some):4} pictures {rate:7.2f} /s {1000 * seconds:7.1f} ms of a processor "
                          f"{peak / 1e6:7.1f} MB", flush=True)
        if arguments.json:
            print(json.dumps(rows, indent=2))
    finally:
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    main()

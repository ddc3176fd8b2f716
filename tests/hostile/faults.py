"""Faults around a run: streams, limits, signals, and things in its folder that are no plain files."""

import os
import signal

from box import Fault

STREAMS = ("closed", "full", "broken")
OLD_RECORD = "t,x,y\n0,1,0\n1,0,1\n"


def fill(folder):
    """What lies about in the folder of every case."""
    (folder / "folder").mkdir()
    (folder / "other.csv").write_text(OLD_RECORD)
    (folder / "text.csv").write_text("this is no record\n")
    (folder / "notes.txt").write_text("keep me\n")
    os.symlink("other.csv", folder / "link.csv")
    os.symlink("nowhere.csv", folder / "dangling.csv")
    os.symlink("circle.csv", folder / "circle.csv")
    os.symlink("model.toml", folder / "model-link.csv")
    os.mkfifo(folder / "fifo.csv")
    (folder / "denied").mkdir(mode=0o500)
    try:
        os.mknod(folder / "device.csv", 0o20666, os.makedev(1, 3))  # another /dev/null
    except PermissionError:
        (folder / "device.csv").write_text(OLD_RECORD)


def fault(random):
    kind = random.randrange(6)
    if kind == 0:
        return Fault(streams=tuple((stream, random.choice(STREAMS))
                                   for stream in random.sample(("stdin", "stdout", "stderr"), random.choice((1, 1, 2, 3)))))
    if kind == 1:
        return Fault(file_size=random.choice((0, 1, 50, 500, 4096, 10000)))
    if kind == 2:
        return Fault(memory=random.choice((350, 400, 500, 800)) << 20)
    if kind == 3:
        return Fault(reader=("fifo.csv", random.choice((0, 1, 100, 5000))))
    times = sorted(random.choice((0.001, 0.01, 0.02, 0.03, 0.05, 0.1, 0.2)) for _ in range(random.choice((1, 1, 2))))
    numbers = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)
    return Fault(signals=tuple((time, random.choice(numbers)) for time in times))

"""A folder in which the program runs, with faults around it; everything that can be seen of a run is in its Result."""

import collections
import contextlib
import dataclasses
import os
import pathlib
import resource
import select
import shutil
import signal
import stat
import subprocess
import tempfile
import time

# In memory, where there is such a folder: checkpoints wait for the disk.
FOLDER = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
# Limits of every run. Address space: the libraries alone map about 300 MB.
MEMORY = 3 << 30
CPU_SECONDS = 60
# A run that takes more processor time than this, or waits for longer than the other, is asked to stop. It must stop
# within a grace of processor time, since the machine may do other things; one that sleeps uses none, and has so long.
PATIENCE = 1.0
WAITING = 20.0
GRACE = 10.0
SLEEPING = 600.0


@dataclasses.dataclass(frozen=True)
class Fault:
    """What is wrong around a run."""

    streams: tuple = ()          # of "stdin", "stdout", "stderr": (stream, "closed" | "full" | "broken" | "tty")
    file_size: int | None = None  # RLIMIT_FSIZE
    memory: int | None = None    # RLIMIT_AS
    signals: tuple = ()          # (seconds after the start, number), ...
    reader: tuple = ()           # (name of a FIFO, bytes that are read before the reader leaves)
    writer: tuple = ()           # (name of a FIFO, bytes that are written into it)


@dataclasses.dataclass
class Result:
    arguments: list
    status: int                  # of the process; negative: the signal that killed it
    stdout: bytes
    stderr: bytes
    before: dict                 # path -> (kind, contents)
    after: dict
    seconds: float               # processor time
    memory: int                  # bytes
    fault: Fault
    asked: tuple                 # signals that were sent
    stopped: bool                # False: it went on after it was asked to stop, and was killed
    targets: frozenset = frozenset()
    inputs: frozenset = frozenset()


class Box:
    """A fresh folder; the program runs in a folder inside it, so that what leaves that folder is seen as well."""

    def __init__(self, program, memory=MEMORY):
        self.program, self.memory = program, memory
        self.root = pathlib.Path(tempfile.mkdtemp(prefix="hostile.", dir=FOLDER))
        self.folder = self.root / "here"
        self.folder.mkdir()
        self.results = []
        self.compared = collections.Counter()  # what judges have compared

    def __enter__(self):
        return self

    def __exit__(self, *_):
        shutil.rmtree(self.root, ignore_errors=True)

    def run(self, arguments, fault=Fault(), targets=(), inputs=(), patience=PATIENCE):
        """targets: files that the command may write; inputs: files that it reads."""
        return self.run_together([arguments], fault, targets, inputs, patience)[0]

    def run_together(self, commands, fault=Fault(), targets=(), inputs=(), patience=PATIENCE):
        """Several runs at the same time, in the same folder."""
        before = snapshot(self.root)
        with contextlib.ExitStack() as stack:
            streams = [[stack.enter_context(tempfile.TemporaryFile()) for _ in range(2)] for _ in commands]
            processes = [Process(self, words, fault, *files) for words, files in zip(commands, streams)]
            for process in processes:
                process.watch(patience)
            texts = [[contents(file) for file in files] for files in streams]
        after = snapshot(self.root)
        targets, inputs = (frozenset(map(self.resolved, names)) for names in (targets, inputs))
        results = [Result(list(words), process.status, *said, before, after, process.seconds,
                          process.memory if self.memory else 0, fault, tuple(process.asked), process.stopped, targets, inputs)
                   for words, process, said in zip(commands, processes, texts)]
        self.results += results
        return results

    def resolved(self, name):
        """A name as it stands in a snapshot, links followed."""
        return os.path.relpath(os.path.realpath(self.folder / name), os.path.realpath(self.root))


def contents(file):
    file.seek(0)
    return file.read()


class Process:
    def __init__(self, box, arguments, fault, stdout, stderr):
        self.fault, self.asked, self.stopped = fault, [], True
        self.helpers = []
        kinds = dict(fault.streams)
        keep = []  # files that have to live until the process has them

        def stream(name, default):
            kind = kinds.get(name)
            if kind == "full":
                keep.append(open("/dev/full", "r+b" if name == "stdin" else "wb", buffering=0))
            elif kind == "broken":
                reading, writing = (os.fdopen(end, mode, buffering=0) for end, mode in zip(os.pipe(), ("rb", "wb")))
                kept, closed = (reading, writing) if name == "stdin" else (writing, reading)
                closed.close()
                keep.append(kept)
            else:
                return default
            return keep[-1]

        def prepare():
            resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
            resource.setrlimit(resource.RLIMIT_CPU, (CPU_SECONDS, CPU_SECONDS))
            if box.memory:
                resource.setrlimit(resource.RLIMIT_AS, (fault.memory or box.memory,) * 2)
            if fault.file_size is not None:
                resource.setrlimit(resource.RLIMIT_FSIZE, (fault.file_size,) * 2)
            for number, name in enumerate(("stdin", "stdout", "stderr")):
                if kinds.get(name) == "closed":
                    os.close(number)

        for name, action in ((fault.reader, leave_after), (fault.writer, write_into)):
            if name:
                self.helpers.append(action(box.folder / name[0], name[1]))
        self.started = time.monotonic()
        self.process = subprocess.Popen(
            [box.program, *arguments], cwd=box.folder, preexec_fn=prepare, stdin=stream("stdin", subprocess.DEVNULL),
            stdout=stream("stdout", stdout), stderr=stream("stderr", stderr))
        for file in keep:
            file.close()

    def send(self, handle, number):
        self.asked.append(number)
        signal.pidfd_send_signal(handle, number)

    def watch(self, patience):
        """Sends signals in time, asks a process to stop that goes on and on, and waits for its end."""
        pid = self.process.pid
        handle = os.pidfd_open(pid)
        poll = select.poll()
        poll.register(handle, select.POLLIN)
        try:
            running = True
            for delay, number in self.fault.signals:
                running = running and not poll.poll(max(0.0, 1000 * (delay + self.started - time.monotonic())))
                if running:
                    self.send(handle, number)
            while running and processor_time(pid) < patience and time.monotonic() < self.started + WAITING:
                running = not poll.poll(50)
            if running:
                self.send(handle, signal.SIGTERM)
                most, latest = processor_time(pid) + GRACE, time.monotonic() + SLEEPING
                while running and processor_time(pid) < most and time.monotonic() < latest:
                    running = not poll.poll(200)
                self.stopped = not running
            if not self.stopped:
                signal.pidfd_send_signal(handle, signal.SIGKILL)
        finally:
            os.close(handle)
        _, status, usage = os.wait4(pid, 0)
        self.status = self.process.returncode = os.waitstatus_to_exitcode(status)
        self.seconds, self.memory = usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1024
        for helper in self.helpers:
            helper.kill()
            helper.wait()


def processor_time(pid):
    with open(f"/proc/{pid}/stat") as file:
        fields = file.read().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


# The other end of a FIFO is a process, since opening it waits.
def leave_after(path, count):
    return subprocess.Popen(["head", "-c", str(count), path], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def write_into(path, contents):
    helper = subprocess.Popen(["sh", "-c", 'exec cat >"$1"', "sh", path], stdin=subprocess.PIPE,
                              stderr=subprocess.DEVNULL)
    try:
        helper.stdin.write(contents)
        helper.stdin.close()
    except BrokenPipeError:
        pass
    return helper


KINDS = {stat.S_IFREG: "file", stat.S_IFDIR: "folder", stat.S_IFLNK: "link", stat.S_IFIFO: "fifo",
         stat.S_IFCHR: "device", stat.S_IFSOCK: "socket", stat.S_IFBLK: "device"}


def snapshot(root):
    """What a folder holds: path -> (kind, contents, link target or number of a device, permissions)."""
    entries = {}
    for folder, names, files in os.walk(root):
        for name in names + files:
            path = os.path.join(folder, name)
            status = os.lstat(path)
            kind = KINDS[stat.S_IFMT(status.st_mode)]
            if kind == "file":
                with open(path, "rb") as file:
                    contents = file.read()
            elif kind == "link":
                contents = os.readlink(path)
            else:
                contents = (status.st_rdev, status.st_ino)
            entries[os.path.relpath(path, root)] = (kind, contents, stat.S_IMODE(status.st_mode))
    return entries

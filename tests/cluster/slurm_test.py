#!/usr/bin/env python3
"""batch.sbatch on a real Slurm of one node, started here: a job array over 200 pictures, one task of which is killed."""
import getpass
import json
import os
import random
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "cli"))
from support import ROOT, SCANLENS, run  # noqa: E402

PICTURES, TASKS = 200, 4
PROGRAMS = ("munged", "slurmctld", "slurmd", "sbatch", "squeue", "scontrol")
os.environ["PATH"] += ":/usr/sbin:/sbin"


def free_ports(count):
    """Ports that nobody listens on at the moment."""
    held = [socket.create_server(("127.0.0.1", 0)) for _ in range(count)]
    ports = [s.getsockname()[1] for s in held]
    for s in held:
        s.close()
    return ports


def configuration(folder, host):
    controller, node = free_ports(2)
    return f"""ClusterName=test
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort={controller}
SlurmdPort={node}
SlurmUser={getpass.getuser()}
SlurmdUser={getpass.getuser()}
AuthType=auth/munge
CredType=cred/munge
AuthInfo=socket={folder}/munge.socket,cred_expire=5
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.pid
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SwitchType=switch/none
MpiDefault=none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
SchedulerParameters=sched_interval=1,defer
ReturnToService=2
KillWait=2
InactiveLimit=0
SlurmctldTimeout=300
SlurmdTimeout=300
NodeName={host} NodeAddr=127.0.0.1 CPUs={os.cpu_count()} RealMemory=1 State=UNKNOWN
PartitionName=all Nodes={host} Default=YES State=UP OverSubscribe=FORCE:{TASKS}
"""


class Cluster(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        missing = [name for name in PROGRAMS if not shutil.which(name)]
        if missing:
            raise unittest.SkipTest("Slurm is not installed (slurm-wlm, munge): no " + ", ".join(missing))
        if os.geteuid() != 0:
            raise unittest.SkipTest("slurmd starts jobs only as root")

    def setUp(self):
        self.folder = Path(tempfile.mkdtemp(prefix="scanlens-slurm-"))
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)
        self.host = socket.gethostname().split(".")[0]
        for name in ("state", "spool", "etc"):
            (self.folder / name).mkdir()
        (self.folder / "etc/slurm.conf").write_text(configuration(self.folder, self.host))
        (self.folder / "etc/cgroup.conf").write_text("CgroupPlugin=cgroup/v1\n")
        key = self.folder / "munge.key"
        key.write_bytes(os.urandom(128))
        key.chmod(0o600)
        self.environment = {**os.environ, "SLURM_CONF": str(self.folder / "etc/slurm.conf"), "SCANLENS": SCANLENS}
        self.start("munged", "--foreground", "--force", f"--key-file={key}", f"--socket={self.folder}/munge.socket",
                   f"--pid-file={self.folder}/munge.pid", f"--log-file={self.folder}/munge.log",
                   f"--seed-file={self.folder}/munge.seed", "--num-threads=2")
        self.wait_for("munged's socket", lambda: (self.folder / "munge.socket").exists(), 20)
        self.start("slurmctld", "-D", "-i")
        self.start("slurmd", "-D", "-N", self.host)
        self.wait_for("the node", lambda: "idle" in self.ask("sinfo", "-h", "-o", "%t"), 60)

    def start(self, program, *arguments):
        log = open(self.folder / f"{program}.out", "wb")
        self.addCleanup(log.close)
        child = subprocess.Popen([program, *arguments], env=self.environment, stdin=subprocess.DEVNULL, stdout=log,
                                 stderr=subprocess.STDOUT, start_new_session=True)
        self.addCleanup(self.end, child)

    @staticmethod
    def end(child):
        child.terminate()
        try:
            child.wait(10)
        except subprocess.TimeoutExpired:
            child.kill()
            child.wait()

    def ask(self, *command):
        return subprocess.run(command, env=self.environment, capture_output=True, text=True, timeout=60).stdout

    def wait_for(self, what, condition, seconds):
        last = time.monotonic() + seconds
        while not condition():
            if time.monotonic() > last:
                logs = "\n".join(f"--- {p.name}\n{p.read_text(errors='replace')[-3000:]}" for p in self.folder.glob("*.out"))
                self.fail(f"{what} did not come within {seconds} s\n{logs}")
            time.sleep(0.1)

    def make_pictures(self):
        noise = random.Random(1)
        for i in range(PICTURES):
            path = self.folder / f"in/{i % 7}/{i}.ppm"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(b"P6\n200 150\n255\n" + noise.randbytes(200 * 150 * 3))

    def kill_a_task(self, task):
        """Kills the program of a task once it has written a picture and before it has written all, as a lack of memory
        would. Returns its process id."""
        victim = None

        def at_work():
            nonlocal victim
            report = self.folder / f"out.{task}.jsonl"
            if not report.exists() or report.read_text().count('"written"') < 1:
                return False
            for process in Path("/proc").glob("[0-9]*"):
                try:
                    words = (process / "cmdline").read_bytes().split(b"\0")
                    variables = (process / "environ").read_bytes().split(b"\0")
                except OSError:
                    continue
                if (words[:2] == [os.fsencode(SCANLENS), b"batch"] and b"SLURM_ARRAY_TASK_ID=%d" % task in variables and
                        os.fsencode(self.folder / "in") in words):
                    victim = int(process.name)
                    os.kill(victim, signal.SIGKILL)
                    return True
            return False
        self.wait_for(f"task {task} at work", at_work, 60)
        return victim

    def test_a_job_array_survives_a_kill(self):
        self.make_pictures()
        filters = ("--filter", "box:radius=3", "--name", "{dir}/{stem}.png", "--compression", "9", "--jobs", "1")
        whole = run("batch", str(self.folder / "in"), str(self.folder / "whole"), *filters)
        self.assertEqual(whole.returncode, 0, whole.stderr)
        done = subprocess.run(["sbatch", "--parsable", f"--array=1-{TASKS}", f"--chdir={self.folder}", "--output=%A_%a.log",
                               str(ROOT / "tests/cluster/batch.sbatch"), str(self.folder / "in"), str(self.folder / "out"),
                               *filters], env=self.environment, capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        job = done.stdout.strip()
        self.kill_a_task(2)
        self.wait_for("the requeued task", lambda: "Restarts=1" in self.ask("scontrol", "show", "job", f"{job}_2"), 30)
        self.wait_for("the end of the array", lambda: not self.ask("squeue", "-h", "-j", job).strip(), 120)

        written = {}
        for task in range(1, TASKS + 1):
            lines = [json.loads(line) for line in (self.folder / f"out.{task}.jsonl").read_text().splitlines()]
            for line in lines:
                if line.get("status") == "written":
                    written.setdefault(line["path"], []).append(task)
            runs = [line["batch"] for line in lines if "batch" in line]
            self.assertEqual({run["shard"] for run in runs}, {f"{task}/{TASKS}"})
            self.assertEqual(len(runs), 2 if task == 2 else 1, "runs of the task")
        pictures = lambda name: {p.relative_to(self.folder / name): p.read_bytes()
                                 for p in (self.folder / name).rglob("*") if p.is_file()}
        self.assertEqual(pictures("out"), pictures("whole"), "every output, and nothing else")
        self.assertTrue(all(len(tasks) == 1 for tasks in written.values()), "no picture is written twice")
        told = run("report", *(str(self.folder / f"out.{task}.jsonl") for task in range(1, TASKS + 1)), "--json")
        self.assertEqual(told.returncode, 0, told.stdout + told.stderr)
        self.assertEqual(json.loads(told.stdout)["total"], PICTURES)


if __name__ == "__main__":
    unittest.main()

#!/usr/bin/env python3
"""batch_job.yaml: the fields on which the contract with `batch` rests, and its command line, run here index by index."""
import os
import sys
import unittest
from pathlib import Path

try:
    import yaml
except ImportError:
    yaml = None

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "cli"))
from support import ROOT, CommandCase, png_bytes, read_png  # noqa: E402


@unittest.skipUnless(yaml, "PyYAML is not installed (python3-yaml)")
class Manifest(CommandCase):
    def setUp(self):
        super().setUp()
        self.job = yaml.safe_load((ROOT / "tests/cluster/batch_job.yaml").read_text())
        self.spec = self.job["spec"]
        self.pod = self.spec["template"]["spec"]
        (self.container,) = self.pod["containers"]
        self.variables = {entry["name"]: entry for entry in self.container["env"]}

    def test_fields(self):
        self.assertEqual((self.job["apiVersion"], self.job["kind"]), ("batch/v1", "Job"))
        self.assertEqual(self.spec["completionMode"], "Indexed")
        self.assertEqual(self.variables["JOB_COMPLETIONS"]["value"], str(self.spec["completions"]), "parts and indices")
        self.assertIn("job-completion-index", self.variables["JOB_COMPLETION_INDEX"]["valueFrom"]["fieldRef"]["fieldPath"])
        self.assertLessEqual(self.spec["parallelism"], self.spec["completions"])
        self.assertEqual(self.pod["restartPolicy"], "Never", "a policy for failures asks for it")
        self.assertGreater(self.spec["backoffLimitPerIndex"], 0)
        self.assertIn("maxFailedIndexes", self.spec, "or one index that failed would hide the others")
        retried = {0, 75, 137, 143}
        for rule in self.spec["podFailurePolicy"]["rules"]:
            codes = rule["onExitCodes"]
            self.assertEqual((codes["containerName"], codes["operator"]), (self.container["name"], "In"))
            self.assertFalse(retried & set(codes["values"]), rule)
        ended = {code: rule["action"] for rule in self.spec["podFailurePolicy"]["rules"]
                 for code in rule["onExitCodes"]["values"]}
        self.assertEqual(ended, {1: "FailIndex", 2: "FailJob"})
        mounted = {mount["name"] for mount in self.container["volumeMounts"]}
        self.assertEqual(mounted, {volume["name"] for volume in self.pod["volumes"]})

    def test_its_command_line_does_every_picture_once(self):
        (self.folder / "in").mkdir()
        for i in range(20):
            (self.folder / f"in/{i}.png").write_bytes(png_bytes(8, 8, 1, 8, [i] * 64))
        reports = []
        for index in range(self.spec["completions"]):
            words = [word.replace("/pictures", str(self.folder)).replace("$(JOB_COMPLETION_INDEX)", str(index))
                     for word in self.container["command"][1:] + self.container["args"]]
            reports.append(words[words.index("--report") + 1])
            environment = {k: v for k, v in os.environ.items() if not k.startswith("SLURM_")}
            environment |= {"JOB_COMPLETION_INDEX": str(index), "JOB_COMPLETIONS": self.variables["JOB_COMPLETIONS"]["value"]}
            for _ in range(2):  # a pod that is started anew has nothing left to do
                done = self.run_here(*words, env=environment)
                self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(len(set(reports)), self.spec["completions"])
        told = self.run_here("report", *reports)
        self.assertEqual(told.returncode, 0, told.stdout)
        self.assertIn("20 pictures: 20 written, 0 skipped, 0 failed, 0 worth another try, 0 missing, 0 duplicated", told.stdout)
        self.assertEqual({read_png(p).samples[0] for p in (self.folder / "out").iterdir()}, set(range(20)))


if __name__ == "__main__":
    unittest.main()

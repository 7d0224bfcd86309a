#!/usr/bin/env python3
"""scripts/plot_benchmarks.py on a small file: what it draws, and what it must not hide."""
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree

ROOT = pathlib.Path(__file__).resolve().parents[2]
SCRIPT = ROOT / "scripts/plot_benchmarks.py"
FIXTURE = ROOT / "tests/bench/measured.json"
DRAWINGS = {"dispatch.svg", "publish.svg", "latency.svg", "pressure.svg"}


class PlotBenchmarks(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.data = json.loads(FIXTURE.read_text())

    def plot(self, name="out"):
        """The files that it wrote: name -> contents."""
        source = pathlib.Path(self.folder.name, "in.json")
        source.write_text(json.dumps(self.data))
        out = pathlib.Path(self.folder.name, name)
        subprocess.run([sys.executable, SCRIPT, source, out], check=True, capture_output=True)
        return {path.name: path.read_text() for path in out.iterdir()}

    def test_draws_each_kind_of_scenario(self):
        files = self.plot()
        self.assertEqual(set(files), DRAWINGS | {"tables.md"})
        for name in DRAWINGS:
            xml.etree.ElementTree.fromstring(files[name])

    def test_the_same_file_gives_the_same_bytes(self):
        self.assertEqual(self.plot("one"), self.plot("two"))

    def test_ratios_are_those_of_pairs_with_their_spread(self):
        # 4,000 / 1,000, 6,000 / 2,000 and 10,000 / 2,000: not the ratio of the medians.
        self.assertIn("4.00 × (3.00 – 5.00)", self.plot()["tables.md"])
        self.assertIn("penstock 4.00 (3.00 – 5.00)", self.plot()["dispatch.svg"])

    def test_compares_two_builds_with_the_base(self):
        samples = self.data["lines"][0]["samples"]
        self.data["lines"][0]["samples"] = {"base": samples["baseline"],
                                            "candidate": samples["penstock"]}
        self.assertIn("| 1 process, tuned | candidate | 4.00 × (3.00 – 5.00)", self.plot()["tables.md"])

    def test_shows_what_was_slower(self):
        self.assertIn("P=1 batch=1 pool=default, penstock: 0.80 × (0.70 – 0.90), slower in every pair",
                      self.plot()["tables.md"])

    def test_gives_no_number_for_a_run_that_was_not_exact(self):
        self.data["lines"][0]["samples"]["penstock"][1] = {"verdict": "lost 3"}
        files = self.plot()
        self.assertIn("| 1 process, tuned | penstock | INVALID |", files["tables.md"])
        self.assertIn("| lost 3 |", files["tables.md"])
        self.assertNotIn("4.00 ×", files["tables.md"])
        self.assertIn("penstock: INVALID", files["dispatch.svg"])

    def test_says_how_long_a_disturbance_lasted(self):
        table = self.plot()["tables.md"]
        self.assertIn("| pressure | one kill, 4 processes, tuned | penstock | 0.90 × (0.90 – 0.90) |",
                      table)
        self.assertIn("| 500 (250 – 750) | 12 | exact |", table)
        self.assertIn("| not within the run | 7 | exact |", table)

    def test_refuses_what_is_no_measurement(self):
        source = pathlib.Path(self.folder.name, "in.json")
        source.write_text('{"lines": [{}]}')
        ended = subprocess.run([sys.executable, SCRIPT, source, self.folder.name],
                               capture_output=True, text=True)
        self.assertEqual(ended.returncode, 1)
        self.assertIn("is not what", ended.stderr)


if __name__ == "__main__":
    unittest.main()

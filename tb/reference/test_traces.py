"""The traces that stand here are those that the models record, and the windows in doubles bound those in integers."""

import csv
import gzip
import unittest
from pathlib import Path

import record
from strack_cc import ONE

HERE = Path(__file__).parent

# How far the windows of a trace may be from those in doubles, as shares of the latter (mean, most), and the share of
# ACKs that may branch otherwise. The README says why two traces have limits of their own.
LIMITS = {
    "strack_cc_95": (0.002, 0.02, 0.001),
    "strack_cc_97_average": (0.03, 1.0, 0.02),
    "strack_cc_98_alpha": (0.03, 0.7, 0.001),
}
LIMITS_OF_OTHERS = (0.001, 0.01, 0.001)


def stored(name: str) -> str:
    """The text of a file that stands here, unpacked."""
    path = record.FOLDER / name
    return (gzip.decompress(path.read_bytes()) if name.endswith(".gz") else path.read_bytes()).decode()


class Traces(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.sprays, cls.windows = list(record.spray_traces()), list(record.window_traces())

    def test_what_is_recorded_now_is_what_stands_here(self):
        made = {name: text for one in [*self.sprays, *self.windows] for name, text in one.files().items()}
        self.assertEqual(sorted(made), sorted(path.name for path in record.FOLDER.iterdir()))
        for name, text in made.items():
            self.assertTrue(text == stored(name), f"{name} is another; `python tb/reference/record.py`")

    def test_the_readme_has_the_tables(self):
        readme = (HERE / "README.md").read_text()
        for line in record.spray_table(self.sprays) + record.window_table(self.windows):
            self.assertIn(line + "\n", readme)

    def test_nothing_in_the_files_depends_on_when_and_where_they_are_made(self):
        for path in record.FOLDER.glob("*.gz"):
            self.assertEqual(path.read_bytes()[4:10], bytes(4) + b"\x02\xff", f"{path.name} has a time in its head")

    def test_times_never_fall_and_settings_are_given(self):
        for trace in [spray.trace for spray in self.sprays] + [one.trace for one in self.windows]:
            times = [row["time_ns"] for row in trace.rows]
            self.assertEqual(times, sorted(times), trace.name)
            self.assertTrue(all(row["conn"] < trace.settings["connections"] for row in trace.rows), trace.name)
            self.assertTrue(all(isinstance(value, int) for value in trace.settings.values()), trace.name)

    def test_windows_in_doubles_are_as_near_as_the_readme_says(self):
        for windows in self.windows:
            name = windows.trace.name
            ops = list(csv.DictReader(stored(f"{name}.csv.gz").splitlines()))
            rows = csv.DictReader(stored(f"{name}.real.csv.gz").splitlines())
            real = [(int(row["row"]), float(row["cwnd"])) for row in rows]
            self.assertEqual([row for row, _ in real], [n for n, op in enumerate(ops) if op["expect_status"] == "0"])
            acks = [(int(ops[row]["expect_cwnd"]) / ONE, cwnd) for row, cwnd in real if ops[row]["op"] == "ack"]
            if not acks:
                continue
            distances = [abs(cwnd - other) / other for cwnd, other in acks]
            mean, most, others = LIMITS.get(name, LIMITS_OF_OTHERS)
            self.assertLess(sum(distances) / len(distances), mean, name)
            self.assertLess(max(distances), most, name)
            self.assertLessEqual(windows.others, others * len(acks), name)


if __name__ == "__main__":
    unittest.main()

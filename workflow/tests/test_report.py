"""What the report refuses, and what it says of tables whose answer is known."""

import csv
import gzip
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

PROJECT = Path(__file__).resolve().parents[2]
SCRIPTS = PROJECT / "workflow" / "scripts"
CLAIM = {
    "id": "a", "paper": "000", "section": "V", "source": "published", "profile": "cx3",
    "value": "12.345", "low": "11.5", "high": "13.2", "unit": "%", "expected": "10 to 20",
    "verdict": "supported", "why": "1 of 1 value agrees",
    "quote": "a sentence | with a bar",
}
RUN = {
    "source": "published", "back_end": "nurdma", "profile": "cx3", "nic": "ConnectX-3",
    "queue_pairs": "8", "valid": "true", "doubts": "regime-fast",
    "throughput_published_ops": "120", "throughput_ops": "100",
}
CATALOGUE = """
[[claim]]
id = "a"
paper = "000"
section = "V"
quote = "a sentence | with a bar"
figure = "none"
"""


def write_table(path, lines):
    with path.open("w", newline="", encoding="utf-8") as file:
        table = csv.DictWriter(file, lines[0])
        table.writeheader()
        table.writerows(lines)


class Report(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = Path(temporary.name)
        self.claims = [CLAIM]
        self.catalogue = CATALOGUE

    def made(self, template="report.md"):
        """The exit status, what was said, and the text."""
        folder = self.folder
        write_table(folder / "claims.csv", self.claims)
        write_table(folder / "manifest.csv", [{"verdict": "ok"}, {"verdict": "odd: known"}])
        (folder / "tables").mkdir(exist_ok=True)
        write_table(folder / "runs.csv", [RUN])
        (folder / "tables" / "runs.csv.gz").write_bytes(
            gzip.compress((folder / "runs.csv").read_bytes(), mtime=0)
        )
        write_table(folder / "versions.csv", [{"what": "R", "version": "4"}])
        (folder / "claims.toml").write_text(self.catalogue, encoding="utf-8")
        done = subprocess.run(
            [sys.executable, SCRIPTS / "report.py", "--template", PROJECT / "paper" / template,
             "--claims", folder / "claims.csv", "--catalogue", folder / "claims.toml",
             "--manifest", folder / "manifest.csv", "--tables", f"published={folder / 'tables'}",
             "--versions", folder / "versions.csv", "--out", folder / "report.md"],
            capture_output=True, text=True, check=False,
        )
        text = folder / "report.md"
        return done.returncode, done.stderr, text.read_text("utf-8") if text.exists() else ""

    def refused(self, *words):
        status, said, text = self.made()
        self.assertEqual((status, text), (2, ""), said)
        for word in words:
            self.assertIn(word, said)

    def test_a_claim_is_there_with_its_value_interval_and_verdict(self):
        status, said, text = self.made()
        self.assertEqual(status, 0, said)
        self.assertIn("12.3 [11.5, 13.2] %", text)
        self.assertIn("[supported]{.supported}", text)
        self.assertIn("a sentence \\| with a bar", text)
        self.assertIn("| 000 | published | 1 | 0 | 0 | 0 | 1 |", text)

    def test_the_ends_of_several_values_are_not_printed_as_an_interval_of_one(self):
        self.claims = [{**CLAIM, "why": "2 of 5 values agree; median of 5 values, [11.5, 13.2] spans their intervals"}]
        self.assertIn("median 12.3 %, intervals from 11.5 to 13.2", self.made()[2])

    def test_a_sentence_in_parts_says_that_its_value_is_of_the_first(self):
        self.claims = [{**CLAIM, "unit": "% loss; % more"}]
        self.assertIn("12.3 [11.5, 13.2] % loss (of its first part)", self.made()[2])

    def test_a_count_has_no_interval(self):
        self.claims = [{**CLAIM, "value": "8", "low": "8", "high": "8", "unit": "runs"}]
        self.assertIn("| 8 runs", self.made()[2])

    def test_runs_above_a_fifth_are_counted(self):
        _, _, text = self.made()
        self.assertIn("| 1 to 8 | 1 | +20.0 % | +20 % | 1 | 0 |", text)

    def test_the_same_tables_give_the_same_text(self):
        self.assertEqual(self.made()[2], self.made()[2])

    def test_a_claim_without_a_verdict_is_refused(self):
        self.catalogue = CATALOGUE + CATALOGUE.replace('"a"', '"b"')
        self.refused("no verdict on claim 'b'")

    def test_a_verdict_on_no_claim_is_refused(self):
        self.claims = [CLAIM, {**CLAIM, "id": "stray"}]
        self.refused("not in the catalogue", "stray")

    def test_a_word_that_is_no_verdict_is_refused(self):
        self.claims = [{**CLAIM, "verdict": "likely"}]
        self.refused("claims.csv", "likely")

    def test_a_value_that_is_no_number_is_refused(self):
        self.claims = [{**CLAIM, "value": "nan"}]
        self.refused("'nan'")

    def test_a_missing_column_is_refused_by_name(self):
        self.claims = [{key: value for key, value in CLAIM.items() if key != "verdict"}]
        self.refused("claims.csv", "lacks the columns verdict")

    def test_the_template_holds_no_number_of_its_own(self):
        template = (PROJECT / "paper" / "report.md").read_text("utf-8")
        prose = re.sub(r"\{\{.*?\}\}|\{%.*?%\}|\{#.*?#\}", "", template, flags=re.DOTALL)
        # The name of the hash function.
        prose = prose.replace("SHA-256", "")
        self.assertEqual(re.findall(r"[^\n]*\d[^\n]*", prose), [])

    def test_the_headlines_are_claims_of_the_catalogue(self):
        template = (PROJECT / "paper" / "report.md").read_text("utf-8")
        named = re.search(r"set headlines = \[(.*?)\]", template, flags=re.DOTALL)
        headlines = re.findall(r'"([^"]+)"', named.group(1))
        catalogue = (PROJECT / "paper" / "claims.toml").read_text("utf-8")
        absent = [name for name in headlines if f'id = "{name}"' not in catalogue]
        self.assertEqual((absent, bool(headlines)), ([], True))

    def test_page_and_paper_are_the_same_bytes_twice_and_refer_to_nothing_outside(self):
        self.made()
        for ending, style in [("html", "report.css"), ("pdf", "report.typ")]:
            made = []
            for _ in range(2):
                out = self.folder / f"report.{ending}"
                subprocess.run(
                    [sys.executable, SCRIPTS / "typeset.py", "--text", self.folder / "report.md",
                     "--style", PROJECT / "paper" / style, "--out", out],
                    check=True, cwd=PROJECT,
                )
                made.append(out.read_bytes())
            self.assertEqual(made[0], made[1], ending)
        page = (self.folder / "report.html").read_text("utf-8")
        outside = re.findall(r'(?:src|href)="(?!data:|#)[^"]*"', page)
        self.assertEqual(outside, [])


if __name__ == "__main__":
    unittest.main(verbosity=2)

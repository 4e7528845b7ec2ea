"""What the report refuses, and what it says of tables whose answer is known."""

import csv
import gzip
import json
import re
import subprocess
import sys
import tempfile
import tomllib
import unittest
from pathlib import Path

import pypandoc

PROJECT = Path(__file__).resolve().parents[2]
SCRIPTS = PROJECT / "workflow" / "scripts"
CLAIM = {
    "id": "a", "paper": "000", "section": "V", "source": "published", "profile": "cx3",
    "value": "12.345", "low": "11.5", "high": "13.2", "unit": "%", "expected": "10 to 20",
    "verdict": "supported", "why": "the value certainly holds",
    "quote": "a sentence | with a bar", "quantifier": "all", "generous": "supported", "basis": "",
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
FINDINGS = """
question = "Does it matter?"
short = "Yes."
answer = "It does."
[[finding]]
title = "It is so"
text = "As one sees."
figure = "curve"
claims = ["a"]
[[placement]]
when = "always"
place = "here"
why = "it is near"
[[unknown]]
text = "Why it is so."
claims = []
"""
MODEL = """
miss = 0.2
[[question]]
name = "elsewhere"
title = "another card"
arguments = "cx4 --hold-out everything"
profiles = ["cx3"]
why = "it is another"
[[failure]]
profile = "cx3"
title = "writes"
where = { operation = "write" }
why = "two regimes"
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
        self.findings = FINDINGS
        self.figures, self.tables = [], []
        self.model, self.model_arguments = PROJECT / "paper" / "model.toml", []

    def made(self, template="report.md"):
        """The exit status, what was said, and the text; that of the appendix becomes `self.appendix`."""
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
        (folder / "findings.toml").write_text(self.findings, encoding="utf-8")
        done = subprocess.run(
            [sys.executable, SCRIPTS / "report.py", "--template", PROJECT / "paper" / template,
             "--claims", folder / "claims.csv", "--catalogue", folder / "claims.toml",
             "--findings", folder / "findings.toml", *self.figures, "--manifest", folder / "manifest.csv", "--tables", f"published={folder / 'tables'}",
             *self.tables, "--appendix", PROJECT / "paper" / "appendix.md", "--appendix-out", folder / "appendix.md",
             "--model", self.model, *self.model_arguments,
             "--versions", folder / "versions.csv", "--out", folder / "report.md"],
            capture_output=True, text=True, check=False,
        )
        text = folder / "report.md"
        if text.exists():
            self.appendix = (folder / "appendix.md").read_text("utf-8").replace("\u00a0", " ")
        return done.returncode, done.stderr, text.read_text("utf-8").replace("\u00a0", " ") if text.exists() else ""

    def refused(self, *words):
        status, said, text = self.made()
        self.assertEqual((status, text), (2, ""), said)
        for word in words:
            self.assertIn(word, said)

    def test_a_claim_is_there_with_its_value_interval_and_verdict(self):
        status, said, text = self.made()
        self.assertEqual(status, 0, said)
        self.assertIn("12.3 \\[11.5, 13.2\\] %", text)
        self.assertIn("[supported]{.supported}", text)
        self.assertIn("a sentence \\| with a bar", text)
        self.assertIn("| 000 | published | 1 | 0 | 0 | 0 | 0 | 1 |", text)

    def figure(self, name, text, table="published"):
        """A drawing with its text."""
        folder = self.folder / "figures" / table
        folder.mkdir(parents=True, exist_ok=True)
        (folder / f"{name}.svg").write_text("<svg/>", encoding="utf-8")
        (folder / f"{name}.txt").write_text(text, encoding="utf-8")
        return folder / f"{name}.svg"

    def test_a_finding_stands_first_with_its_claim_verdict_and_picture(self):
        small = self.figure("curve", "A curve\n\nPlot of y against x.\n\n4 runs.\n\nn = 2. Bars: spread.\n")
        self.figures = ["--small-figures", small]
        text = self.made()[2]
        first = text[: text.index("# Claim by claim")]
        self.assertIn("## 1. It is so", first)
        self.assertIn("| a sentence \\| with a bar (V; all 10 to 20) | 12.3 (11.5 to 13.2) % | [supported]", first)
        self.assertIn("![Plot of y against x.](", first)
        # A word that is met in the table has its meaning before it.
        self.assertLess(first.index("the data surely agree"), first.index("## 1. It is so"))
        self.assertIn("::: caption\n4 runs. n = 2. Bars: spread.\n:::", first)
        self.assertIn("| always | **here** | it is near |", first)
        self.assertIn("- Why it is so.", first)

    def test_without_the_studys_tables_there_is_no_finding(self):
        self.claims = [{**CLAIM, "source": "soft-roce"}]
        text = self.made()[2]
        self.assertNotIn("It is so", text)
        self.assertIn("it has no findings", text)

    def test_a_finding_of_no_claim_is_refused(self):
        self.findings = FINDINGS.replace('["a"]', '["b"]')
        self.refused("findings.toml", "no claim 'b'")

    def test_a_figure_has_its_title_what_is_seen_and_its_notes(self):
        self.catalogue = CATALOGUE.replace('"none"', '"curve"')
        self.figures = ["--figures", self.figure("curve", "A curve\n\nPlot of y.\n\nn = 3.\n\nAll drawn.\n")]
        text = self.made()[2]
        for expected in ["## A curve\n", "![Plot of y.](", "::: notes\nn = 3.\n\nAll drawn.\n"]:
            self.assertIn(expected, text)

    def test_nothing_to_draw_is_a_sentence_and_no_picture(self):
        self.catalogue = CATALOGUE.replace('"none"', '"curve"')
        self.figures = ["--figures", self.figure("curve", "Nothing to draw: no run has workers\n")]
        text = self.made()[2]
        self.assertIn("Nothing to draw: no run has workers (table *published*)", text)
        self.assertNotIn("![", text)

    def test_figures_of_software_are_in_the_appendix_and_once(self):
        self.catalogue = CATALOGUE.replace('"none"', '"curve"')
        text = self.made()[2]
        # Which values it is about stands beside each sentence.
        self.assertIn(" | all 10 to 20 | ", text)
        self.assertNotIn("report-appendix", text)
        self.assertIn("This time there are none.", self.appendix)
        for name, source in [("soft", "soft-roce"), ("card", "hardware")]:
            folder = self.folder / name
            folder.mkdir()
            write_table(folder / "runs.csv", [{**RUN, "source": source}])
            (folder / "runs.csv.gz").write_bytes(gzip.compress((folder / "runs.csv").read_bytes(), mtime=0))
            self.tables += ["--tables", f"{name}={folder}"]
        drawn = [
            self.figure("curve", f"A curve\n\nPlot of {table}.\n", table)
            for table in ["published", "soft", "card", "published-with-soft", "published-with-card"]
        ]
        self.figures = ["--figures", *drawn]
        text = self.made()[2]
        self.assertIn("`report-appendix.html`", text)
        seen = re.compile(r"!\[Plot of ([a-z-]+)\.\]")
        self.assertEqual(seen.findall(text), ["published", "published-with-card"])
        self.assertEqual(seen.findall(self.appendix), ["published-with-soft"])
        self.assertIn("## A curve", self.appendix)
        # Where there is nothing to draw beside published runs, it is drawn alone.
        self.figure("curve", "Nothing to draw: no run is like them\n", "published-with-soft")
        self.made()
        self.assertEqual(seen.findall(self.appendix), ["soft"])

    def test_what_no_source_can_judge_is_one_list(self):
        self.claims = [{**CLAIM, "verdict": "not-testable", "why": "no run has it"}]
        text = self.made()[2]
        listed = text[text.index("## What cannot be judged"):]
        self.assertIn("- *no run has it* (published): a sentence \\| with a bar (000 V, `a`)\n", listed)
        self.assertNotIn("[not-testable]{.not-testable} no run", text)

    def test_why_nothing_can_judge_is_said_by_the_source_that_could_have(self):
        mute = {**CLAIM, "verdict": "not-testable", "why": "published data cannot speak to it"}
        given = "no evidence: the model was given this number; part 1 supported: the value certainly holds"
        self.claims = [mute, {**mute, "source": "simulated", "why": given}]
        text = self.made()[2]
        self.assertIn("- *no evidence: the model was given this number* (simulated): a sentence", text)
        self.assertNotIn("cannot speak", text)

    def test_of_a_sentence_in_parts_those_that_decide_stand_first(self):
        unsure = "too-imprecise: the value is unsure"
        why = f"part 1 {unsure}; part 2 {unsure}; part 3 contradicted: the value certainly fails; 36 runs; value of part 1; value 0.67 [0.5, 0.8]"
        self.claims = [{**CLAIM, "verdict": "contradicted", "why": why}]
        text = self.made()[2]
        self.assertIn(
            f". part 3 contradicted: the value certainly fails; part 1 {unsure}; farthest of all parts: 0.67 \\[0.5, 0.8\\]; part 2 too-imprecise |", text
        )
        self.assertIn("12.3 \\[11.5, 13.2\\] % (first part of the sentence)", text)

    def test_a_contradiction_by_the_model_is_told_as_its_miss(self):
        self.claims = [{**CLAIM, "source": "simulated", "verdict": "contradicted", "generous": "contradicted"}]
        text = self.made()[2]
        self.assertIn("[contradicted]{.contradicted} (the model misses it). the value", text)
        self.assertIn("Of source *simulated* a verdict is about our model", text)
        self.claims = [{**CLAIM, "verdict": "contradicted", "generous": "contradicted"}]
        text = self.made()[2]
        self.assertNotIn("the model misses it", text)
        self.assertNotIn("about our model", text)

    def test_every_text_of_the_catalogue_is_introduced_by_its_authors(self):
        catalogue = tomllib.loads((PROJECT / "paper" / "claims.toml").read_text("utf-8"))
        script = (SCRIPTS / "report.py").read_text("utf-8")
        for name in {claim["paper"] for claim in catalogue["claim"]}:
            self.assertIn(f'    "{name}": "', script)
        self.catalogue = CATALOGUE.replace('"000"', '"sonuma"')
        self.claims = [{**CLAIM, "paper": "sonuma"}]
        self.assertIn("- *sonuma*: Scale-Out NUMA: Novakovic", self.made()[2])

    def test_expected_numbers_and_minus_signs_read_as_those_of_values(self):
        self.claims = [{**CLAIM, "expected": "76200000 ± 50000", "value": "-12.345", "low": "-13.2", "high": "-11.5"}]
        text = self.made()[2]
        self.assertIn("76,200,000 ± 50,000", text)
        self.assertIn("\u221212.3 \\[\u221213.2, \u221211.5\\] %", text)

    def test_a_note_that_the_picture_has_is_marked(self):
        self.catalogue = CATALOGUE.replace('"none"', '"curve"')
        drawn = self.figure("curve", "A curve\n\nPlot of y.\n\nBars: a < b\u00a0&\nc.\n\nAll drawn.\n")
        drawn.write_text("<svg><text x='1'>Bars: a &lt; b</text><text x='1'>&amp; c.</text></svg>", encoding="utf-8")
        self.figures = ["--figures", drawn]
        self.assertIn("::: notes\n[Bars: a \\< b \\& c.]{.printed}\n\nAll drawn.\n", self.made()[2])

    def test_on_paper_notes_are_there_but_for_those_that_the_picture_has(self):
        made = subprocess.run(
            [pypandoc.get_pandoc_path(), "--from=markdown", "--to=typst", f"--lua-filter={PROJECT / 'paper' / 'report.lua'}"],
            input="::: notes\n[source: published]{.printed}\n\nHollow: another rate.\n\n- no run has it\n:::\n",
            capture_output=True, text=True, check=True,
        ).stdout
        self.assertIn("Hollow: another rate.", made)
        self.assertIn("no run has it", made)
        self.assertNotIn("source:", made)

    def test_the_ends_of_several_values_are_not_printed_as_an_interval_of_one(self):
        self.claims = [{**CLAIM, "why": "of 5 values 3 certainly hold; median of 5 values, [11.5, 13.2] spans their intervals"}]
        self.assertIn("median 12.3 %, intervals from 11.5 to 13.2", self.made()[2])

    def test_a_sentence_in_parts_says_that_its_value_is_of_the_first(self):
        self.claims = [{**CLAIM, "unit": "% loss; % more"}]
        self.assertIn("12.3 \\[11.5, 13.2\\] % loss (first part of the sentence)", self.made()[2])

    def test_a_count_has_no_interval(self):
        self.claims = [{**CLAIM, "value": "8", "low": "8", "high": "8", "unit": "runs"}]
        self.assertIn("| 8 runs", self.made()[2])

    def test_runs_above_a_fifth_are_counted(self):
        _, _, text = self.made()
        self.assertIn("| 1 to 8 | 1 | +20.0 % | +20 % | 1 | 0 |", text)

    def test_the_same_tables_give_the_same_text(self):
        self.assertEqual(self.made()[2], self.made()[2])

    def with_model(self):
        """Three held-out points, of which one is a known failure, and one condition that was set aside."""
        folder = self.folder
        self.model = folder / "model.toml"
        self.model.write_text(MODEL, encoding="utf-8")
        point = {"profile": "cx3", "role": "held-out", "why": "", "operation": "read", "predicted": "2"}
        write_table(folder / "predictions.csv", [
            {**point, "relative_error": "0.01"},
            {**point, "relative_error": "-0.5"},
            {**point, "relative_error": "0.25", "operation": "write"},
            {**point, "role": "set-aside", "why": "odd | one", "relative_error": "3"},
            {**point, "role": "set-aside", "why": "odd | one", "relative_error": "", "predicted": ""},
        ])
        judged = {"points": 3, "median_error": 0.25, "p90_error": 0.5, "significant_pairs": 4, "right_pairs": 3}
        none = {**judged, "points": 0, "median_error": None, "p90_error": None, "significant_pairs": 0}
        for name in ["cx3", "elsewhere"]:
            guessed = {"nearest_neighbour": {**judged, "right_pairs": 2}, "log_linear": None}
            said = {
                "profile": name, "held_out": "half", "on_held_out": judged, "on_fitted": none,
                "beside": {"model": judged, "baselines": guessed},
                "moved_by_load": {"model": none, "baselines": None},
            }
            (folder / f"{name}.json").write_text(json.dumps(said), encoding="utf-8")
        write_table(folder / "not-covered.csv", [
            {"experiment": name, "run_id": "x", "why": "no notion of it"} for name in ["b", "a", "b"]
        ])
        self.model_arguments = [
            "--judged", folder / "cx3.json", "--predictions", folder / "predictions.csv",
            "--questions", folder / "elsewhere.json", "--not-covered", folder / "not-covered.csv",
        ]

    def test_without_predictions_there_is_no_part_about_the_model(self):
        self.assertNotIn("The model", self.made()[2])

    def test_the_model_is_told_with_what_it_was_not_fitted_to(self):
        self.with_model()
        status, said, text = self.made()
        self.assertEqual(status, 0, said)
        self.assertIn("| cx3 | half | 3 | 25.0 % | 50.0 % | 4 | 3 (75 %) | 0 |  |", text)
        self.assertIn("`onesided calibrate cx4 --hold-out everything` | 3 | 25.0 % |", text)
        self.assertNotIn("no notion of it", text)
        self.assertIn("| 3 | no notion of it | a, b |", self.appendix)
        self.assertIn("| cx3 | all | the model | 3 | 25.0 % | 50.0 % | 4 | 3 (75 %) |", text)
        self.assertIn("| cx3 | all | the nearest neighbour | 3 | 25.0 % | 50.0 % | 4 | 2 (50 %) |", text)
        self.assertNotIn("| moved by workers or load |", text)
        self.assertIn("cx3 has no such rows", text)
        self.assertNotIn("it is not:", text)

    def test_a_guess_that_is_better_than_the_model_is_told(self):
        self.with_model()
        path = self.folder / "cx3.json"
        said = json.loads(path.read_text("utf-8"))
        said["beside"]["baselines"]["nearest_neighbour"]["median_error"] = 0.01
        path.write_text(json.dumps(said), encoding="utf-8")
        self.assertIn(
            "For cx3 the model is worse: the nearest neighbour has a median error of 1.0 %, the model one of 25.0 %.",
            self.made()[2],
        )

    def test_misses_are_counted_by_known_failure_and_beside_them(self):
        self.with_model()
        text = self.made()[2]
        self.assertIn("| cx3 | writes | 1 | 1 | 25.0 % | 25.0 % | two regimes |", text)
        self.assertIn("Of the 2 held-out points of no group 1 are", text)

    def test_what_was_set_aside_is_counted_with_how_far_off_the_model_is(self):
        self.with_model()
        self.assertIn("| cx3 | 2 set aside | 1 | 1 | 300.0 % | odd \\| one |", self.made()[2])

    def test_an_answer_to_no_question_and_a_failure_of_no_column_are_refused(self):
        self.with_model()
        self.model.write_text(MODEL.replace("elsewhere", "nowhere"), encoding="utf-8")
        self.refused("not asked", "elsewhere")
        self.model.write_text(MODEL.replace("operation", "colour"), encoding="utf-8")
        self.refused("writes", "no column colour")

    def test_a_claim_without_a_verdict_is_refused(self):
        self.catalogue = CATALOGUE + CATALOGUE.replace('"a"', '"b"')
        self.refused("no verdict on claim 'b'")

    def test_a_verdict_on_no_claim_is_refused(self):
        self.claims = [CLAIM, {**CLAIM, "id": "stray"}]
        self.refused("not in the catalogue", "stray")

    def test_a_word_that_is_no_verdict_is_refused(self):
        self.claims = [{**CLAIM, "verdict": "likely"}]
        self.refused("claims.csv", "likely")

    def test_the_verdicts_are_those_of_the_schema(self):
        schema = json.loads((PROJECT / "data" / "schema" / "claims-table.json").read_text("utf-8"))
        words = json.dumps(schema)
        script = (SCRIPTS / "report.py").read_text("utf-8")
        verdicts = re.search(r"^VERDICTS = (\[.*\])$", script, re.MULTILINE).group(1)
        self.assertIn(verdicts, words)

    def test_the_mean_that_decides_stands_beside_the_value(self):
        self.claims = [{**CLAIM, "why": "of 3 values 0 certainly hold, 3 are unsure, and their mean, 4.027 [3.6, 4.45], certainly fails: it is larger; 6 runs"}]
        self.assertIn("; mean 4.03 (3.6 to 4.45)", self.made()[2])
        self.claims = [{**CLAIM, "why": "of 3 values 0 certainly hold, and their mean, 10, certainly holds; 6 runs"}]
        self.assertIn("; mean 10 |", self.made()[2])

    def test_what_points_alone_say_stands_beside_a_verdict(self):
        self.claims = [{**CLAIM, "verdict": "too-imprecise"}]
        self.assertIn("[too-imprecise]{.too-imprecise}; without intervals: supported |", self.made()[2])
        # Of a verdict that intervals decide, points say less.
        self.claims = [{**CLAIM, "generous": "too-imprecise"}]
        self.assertNotIn("without intervals: ", self.made()[2])

    def test_sentences_of_ours_are_marked_wherever_they_stand(self):
        self.assertNotIn("*ours", self.made()[2].replace("marked *ours*", ""))
        self.catalogue = CATALOGUE.replace('figure =', 'kind = "correction"\nfigure =')
        self.assertIn("| *ours:* a sentence", self.made()[2])

    def test_a_value_that_is_no_number_is_refused(self):
        self.claims = [{**CLAIM, "value": "nan"}]
        self.refused("'nan'")

    def test_a_missing_column_is_refused_by_name(self):
        self.claims = [{key: value for key, value in CLAIM.items() if key != "verdict"}]
        self.refused("claims.csv", "lacks the columns verdict")

    def page(self):
        """The page that is made of the text, or what was said instead."""
        status, said, text = self.made()
        self.assertEqual(status, 0, said)
        (self.folder / "figures").mkdir(exist_ok=True)
        done = subprocess.run(
            [sys.executable, SCRIPTS / "typeset.py", "--text", self.folder / "report.md",
             "--style", PROJECT / "paper" / "report.css", "--figures", self.folder / "figures",
             "--out", self.folder / "report.html"],
            capture_output=True, text=True, check=False,
        )
        if done.returncode:
            return done.stderr
        return (self.folder / "report.html").read_text(encoding="utf-8")

    def test_text_of_a_table_is_text_whatever_it_says(self):
        secret = self.folder / "secret.txt"
        secret.write_text("the secret itself", encoding="utf-8")
        hostile = (
            '<img src="data:," onerror="alert(1)"><script>alert(2)</script> '
            f"![x]({secret}) [y](javascript:alert(3)) `a`{{=html}} &lt;b&gt; $x$ \x1b[31mred\x1b[0m"
        )
        self.claims = [{**CLAIM, "why": hostile, "quote": hostile, "expected": hostile}]
        page = self.page()
        self.assertIn("Content-Security-Policy", page)
        self.assertIn("default-src &#39;none&#39;", page)
        for attack in ["<script", "<img src=\"data:,\"", "the secret itself", "\x1b", 'href="javascript']:
            self.assertNotIn(attack, page)
        self.assertIn("&lt;script&gt;alert(2)&lt;/script&gt;", page)
        self.assertIn("[31mred", page)

    def test_a_picture_from_elsewhere_is_refused(self):
        self.made()
        with (self.folder / "report.md").open("a", encoding="utf-8") as file:
            file.write("\n![a \\[b\\] c](/etc/hostname)\n")
        text = (self.folder / "report.md").read_text(encoding="utf-8")
        self.made = lambda: (0, "", text)
        self.assertIn("pictures from outside of", self.page())

    def test_the_templates_hold_no_number_of_its_own(self):
        for name in ["report.md", "appendix.md", "drawing.md"]:
            template = (PROJECT / "paper" / name).read_text("utf-8")
            prose = re.sub(r"\{\{.*?\}\}|\{%.*?%\}|\{#.*?#\}", "", template, flags=re.DOTALL)
            # The names of a hash function and of a statistic.
            prose = prose.replace("SHA-256", "").replace("90th percentile", "")
            self.assertEqual(re.findall(r"[^\n]*\d[^\n]*", prose), [])

    def test_findings_are_of_claims_and_figures_that_there_are_and_hold_no_number(self):
        findings = tomllib.loads((PROJECT / "paper" / "findings.toml").read_text("utf-8"))
        catalogue = (PROJECT / "paper" / "claims.toml").read_text("utf-8")
        named = [name for one in findings["finding"] + findings["unknown"] for name in one["claims"]]
        self.assertEqual([name for name in named if f'id = "{name}"' not in catalogue], [])
        self.assertTrue(5 <= len(findings["finding"]) <= 7)
        for one in findings["finding"]:
            self.assertTrue(one["claims"])
            self.assertTrue((PROJECT / "figures" / f"{one['figure']}.R").exists(), one["figure"])
        texts = [findings["question"], findings["short"], findings["answer"]]
        for one in findings["finding"] + findings["placement"] + findings["unknown"]:
            texts += [value for key, value in one.items() if key not in ("claims", "figure", "at")]
        # The names of two cards.
        self.assertEqual([text for text in texts if re.search(r"\d", re.sub(r"ConnectX-[34]\b", "", text))], [])

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

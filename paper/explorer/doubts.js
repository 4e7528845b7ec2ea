// Doubts of a run: what each means, and what raised it.

// Whether the run's record lay beside the page when the page was made.
const isStored = (row) => runColumn("record")?.value(row) === "stored";

// Columns whose numbers raise a doubt: what the study's tables have of it.
const NUMBERS_OF = {
  stalled: ["stalled_ns", "throughput_running_ops"], "clock-not-closed": ["closure"], "no-common-window": ["window_fraction"],
  "regime-slow": ["fast_regime_fraction"], "regime-mixed": ["fast_regime_fraction"], "regime-fast": ["fast_regime_fraction"],
};

// What was found of each doubt of a run, by its word, as its record says it; nothing where no record was stored.
function foundOf(row) {
  const { doubts } = DATA.tables;
  const [run, word, found] = ["run", "doubt", "found"].map((name) => doubts.columns.get(name));
  const of = new Map();
  for (let at = 0; at < doubts.count; at += 1) {
    if (run.value(at) === row) of.set(word.value(at), [...(of.get(word.value(at)) ?? []), found.value(at)]);
  }
  return of;
}

// What raised a doubt: the sentences of the record, else numbers of the table; nothing where neither has any.
function whatRaised(doubt, row, found) {
  const meaning = DATA.about.doubts[doubt] ?? "";
  if (found.has(doubt)) return found.get(doubt).filter((said) => said !== "" && said !== meaning);
  const numbers = (NUMBERS_OF[doubt] ?? []).map(runColumn).filter((each) => each && each.value(row) !== null);
  return numbers.length > 0 ? [numbers.map((each) => `${titleOf(each)} ${shown(each.value(row))}`).join(", ")] : [];
}

// Where the numbers behind doubts are, if this page has not all of them.
function whereNumbersAre(row) {
  if (isStored(row)) return "Whatever else raised these is in the record, linked above.";
  if (runColumn("raw_path")?.value(row)) return "A number that is not here is not in the tables: it is of the raw file, named above.";
  return "The numbers behind these are in the run's record (run.json), which did not lie beside this page when the page was made.";
}

// What each doubt of the run means, and what raised it.
function doubtList(row) {
  const said = runColumn("doubts")?.value(row) ?? null;
  if (said === null) return element("p", {}, "Doubts are not recorded.");
  const doubts = said === NO_DOUBTS ? [] : said.split(" ");
  if (doubts.length === 0) return element("p", {}, "No doubts.");
  const found = foundOf(row);
  const items = doubts.map((doubt) => element("li", {}, element("code", {}, doubt), ` ${DATA.about.doubts[doubt] ?? ""}`,
    ...whatRaised(doubt, row, found).map((text) => element("div", {}, element("span", { class: "count" }, "In this run: "), text))));
  return element("div", {}, element("ul", {}, ...items), element("p", { class: "count" }, whereNumbersAre(row)));
}

// Claims of the papers: what was held against each, and the runs behind it.

function claimRows(id) {
  const { claims } = DATA.tables;
  const rows = [];
  for (let row = 0; row < claims.count; row += 1) if (claims.columns.get("id").value(row) === id) rows.push(row);
  return rows;
}

const claimValue = (row, name) => DATA.tables.claims.columns.get(name).value(row);

function interval(value, low, high) {
  if (low === null || low === high) return shown(value);
  return `${shown(value)} [${shown(low)}, ${shown(high)}]`;
}

const MOST_CELLS = 400;

const intervalFrom = (words) => (words === "within single runs" ? "within single runs: how runs differ is unknown, so no answer is sure" : words);

function cellTable(cells, state, act) {
  const of = (name) => DATA.tables.cells.columns.get(name);
  const natural = (a, b) => (of("at").value(a) ?? "").localeCompare(of("at").value(b) ?? "", "en", { numeric: true });
  const bySource = (a, b) => of("source").codes[a] - of("source").codes[b] || of("part").value(a) - of("part").value(b) || natural(a, b);
  const rows = [...cells].sort(bySource).slice(0, MOST_CELLS).map((cell) => {
    const { of: first, over } = rowsOfCell(cell);
    const isOne = over.length === 1 && first.length === 1 && over[0] === first[0];
    const text = over.length && !isOne ? `show ${first.length} + ${over.length} runs` : `show ${runsText(first.length)}${isOne ? ", whose clients are compared" : ""}`;
    const press = { "aria-pressed": String(state.cell === cell), "aria-label": `${text} of ${of("at").value(cell) ?? "this value"}` };
    return [
      of("source").value(cell), of("profile").value(cell) ?? "", of("at").value(cell) ?? "", titleOf(measureOf(cell)),
      interval(...["value", "low", "high"].map((name) => of(name).value(cell))), of("unit").value(cell), of("expected").value(cell),
      verdict(of("answer").value(cell)), intervalFrom(of("interval_from").value(cell)),
      first.length + over.length ? button(text, () => act.cell(state.cell === cell ? null : cell), press) : "no runs: a table of its own",
    ];
  });
  const more = cells.length > MOST_CELLS ? element("p", {}, `${cells.length - MOST_CELLS} more are in results/claim-cells.csv.gz.`) : null;
  return element("div", { class: "scroll", tabIndex: 0, role: "region", "aria-label": "Values behind the verdicts" },
    table(["source", "profile", "where", "measure", "value and interval", "unit", "expected", "it says", "interval from", "runs"], rows), more);
}

function chosenClaim(state, act) {
  const rows = claimRows(state.claim);
  const first = rows[0];
  const verdicts = rows.map((row) => [
    claimValue(row, "source"), claimValue(row, "profile") ?? "", verdict(claimValue(row, "verdict")),
    [interval(...["value", "low", "high"].map((name) => claimValue(row, name))), claimValue(row, "unit")].join(" "), claimValue(row, "why") ?? "",
  ]);
  const cells = cellsOf(state.claim);
  return [
    element("blockquote", {}, claimValue(first, "quote") ?? ""),
    element("p", {}, `${claimValue(first, "paper")}, section ${claimValue(first, "section")}. `, button("close", () => act.claim(null))),
    table(["source", "profile", "verdict", "value (of several: median, span of their intervals)", "why"], verdicts),
    element("h2", {}, `${shown(cells.length)} values behind it`),
    cells.length ? cellTable(cells, state, act) : element("p", {}, "No value answers to it."),
  ];
}

// What is looked for in the list of claims; no part of the view.
const SEARCH = { text: "", verdict: "" };

function searchBar(act) {
  const words = element("input", { type: "search", id: "search-claims", value: SEARCH.text, oninput: (event) => { SEARCH.text = event.target.value; act.list(); } });
  const choice = element("select", { id: "search-verdict", onchange: (event) => { SEARCH.verdict = event.target.value; act.list(); } });
  for (const [value, said] of [["", "any verdict"], ...DATA.tables.claims.columns.get("verdict").levels.map((word) => [word, word])]) choice.append(element("option", { value, selected: SEARCH.verdict === value }, said));
  return element("div", { class: "choice" }, element("label", { for: words.id }, "Words of the sentence or the name"), words, element("label", { for: choice.id }, "Verdict"), choice);
}

function claimList(act) {
  const seen = new Map();
  for (let row = 0; row < DATA.tables.claims.count; row += 1) {
    const id = claimValue(row, "id");
    if (!seen.has(id)) seen.set(id, { id, quote: claimValue(row, "quote") ?? "", paper: claimValue(row, "paper"), section: claimValue(row, "section"), verdicts: [] });
    seen.get(id).verdicts.push([claimValue(row, "source"), claimValue(row, "verdict")]);
  }
  const found = (claim) => `${claim.id} ${claim.quote}`.toLowerCase().includes(SEARCH.text.toLowerCase())
    && (SEARCH.verdict === "" || claim.verdicts.some(([, word]) => word === SEARCH.verdict));
  // A source that cannot speak to a claim is named only where none can.
  const told = (claim) => { const some = claim.verdicts.filter(([, word]) => word !== "not-testable"); return some.length > 0 ? some : claim.verdicts.slice(0, 1); };
  const list = [...seen.values()].filter(found);
  return element("div", { class: "scroll", tabIndex: 0, role: "region", "aria-label": "List of claims" },
    table(["claim", "sentence", "from", "verdicts"], list.map((claim) => [
      button(claim.id, () => act.claim(claim.id)), claim.quote, `${claim.paper} ${claim.section}`,
      element("span", {}, ...told(claim).flatMap(([source, word]) => [verdict(word), ` ${source} `])),
    ])));
}

function showClaims(state, act) {
  const title = state.claim === null ? "Claims of the papers" : `Claim ${state.claim}`;
  const content = state.claim === null ? [searchBar(act), element("div", { id: "claim-list" }, claimList(act))] : chosenClaim(state, act);
  byId("claims").replaceChildren(element("h2", { tabIndex: -1 }, title), ...content);
}

// What can be asked of the runs.

let DATA;

const runColumn = (name) => DATA.tables.runs.columns.get(name);

// Columns with few different values, by which runs can be filtered.
const levelled = () => [...DATA.tables.runs.columns.values()].filter((each) => each.kind === "codes");

// Those of them in which runs differ: they can be axes, colours and panels.
const dimensions = () => levelled().filter((each) => each.levels.length > 1);

// Columns of what was measured.
function outcomes() {
  return [...DATA.tables.runs.columns.values()].filter((each) => each.kind === "numbers" && each.role === "outcome");
}

const factors = () => dimensions().filter((each) => each.role === "factor");

const words = (name) => name.replaceAll("_", " ");

// Names of columns whose own would mislead: this one is of all runs, whoever made them.
const TITLES = { throughput_published_ops: "throughput by the study's estimator (operations/s)" };

// How names end in their unit.
const ENDINGS = { ns: /_ns$/, "operations/s": /_ops$/, B: /_bytes$/, "Gbit/s": /_gbit_per_s$/, "%": /_percent$/ };

// A column as an axis names it.
function titleOf(each) {
  if (each.label) return each.label;
  if (Object.hasOwn(TITLES, each.name)) return TITLES[each.name];
  const name = each.unit ? each.name.replace(ENDINGS[each.unit] ?? "", "") : each.name;
  return words(name) + (each.unit ? ` (${each.unit})` : "");
}

const MISSING = "not recorded";

const levelText = (level) => (level === null ? MISSING : String(level));

// A measurement as people read it.
function shown(value) {
  if (value === null) return "–";
  if (Number.isInteger(value) && Math.abs(value) < 1e15) return value.toLocaleString("en");
  return value.toLocaleString("en", { maximumSignificantDigits: 4 });
}

const runsText = (count) => `${shown(count)} ${count === 1 ? "run" : "runs"}`;

const nameOf = (row) => ["source", "profile", "experiment", "run_id"].map((name) => runColumn(name).value(row)).join("/");

let ROWS_BY_NAME;
function rowOf(name) {
  if (!ROWS_BY_NAME) {
    ROWS_BY_NAME = new Map();
    for (let row = 0; row < DATA.tables.runs.count; row += 1) ROWS_BY_NAME.set(nameOf(row), row);
  }
  return ROWS_BY_NAME.get(name);
}

const NO_DOUBTS = "no doubts";

// The words by which a level of a column is found: itself, or of a list each of its words.
const wordsOf = (each, level) => (each.is_list && level !== null && level !== NO_DOUBTS ? level.split(" ") : [levelText(level)]);

// All words of a column, in its order.
const allWords = (each) => [...new Set([...each.levels, null].flatMap((level) => wordsOf(each, level)))];

// For each of the codes of a column whether it has a word that is among `levels`.
function admitted(each, levels) {
  const wanted = new Set(levels);
  return [null, ...each.levels].map((level) => wordsOf(each, level).some((word) => wanted.has(word)));
}

// The rows that a cell of a claim is made from: `of`, and what these are compared with, `over`.
function rowsOfCell(cell) {
  const { columns } = DATA.tables.cells;
  return { of: columns.get("runs").list(cell), over: columns.get("over_runs").list(cell) };
}

// What a value of a claim is of: a column of runs, or something that only other tables have.
function measureOf(cell) {
  const of = (name) => DATA.tables.cells.columns.get(name).value(cell);
  return runColumn(of("measure")) ?? { name: of("measure"), unit: of("measure_unit") };
}

const isValid = (row) => runColumn("valid")?.value(row) !== "false";

// The rows that a view asks for. Runs that are not valid are left out, unless they are asked for.
function rowsOf(state) {
  const rows = passing(state);
  return Object.hasOwn(state.where, "valid") || state.cell !== null ? rows : rows.filter(isValid);
}

// The rows that pass the filters.
function passing(state) {
  const masks = Object.entries(state.where).map(([name, levels]) => {
    const each = runColumn(name);
    return { codes: each.codes, admits: admitted(each, levels) };
  });
  const keep = (row) => masks.every((mask) => mask.admits[mask.codes[row]]);
  if (state.cell !== null) {
    const { of, over } = rowsOfCell(state.cell);
    return [...new Set([...of, ...over])].filter(keep);
  }
  const rows = [];
  for (let row = 0; row < DATA.tables.runs.count; row += 1) if (keep(row)) rows.push(row);
  return rows;
}

// The levels that `rows` have of a column, in its order, missing last.
function levelsOf(each, rows) {
  const seen = new Uint8Array(each.levels.length + 1);
  for (const row of rows) seen[each.codes[row]] = 1;
  const there = each.levels.filter((_, index) => seen[index + 1]);
  return seen[0] ? [...there, null] : there;
}

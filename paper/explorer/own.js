// Views of runs that are not the study's. The program makes them: no file knows which runs a page will have.

const STUDY_SOURCE = "published";
const MODEL_SOURCE = "simulated";

// The factor with most levels among `rows`: of several the plain X axis, else a number, else the first.
function widestFactor(rows) {
  const among = candidates([]).map((each) => ({ each, levels: levelsThatMatter(each, rows).length }));
  const most = Math.max(1, ...among.map(({ levels }) => levels));
  const widest = among.filter(({ levels }) => most > 1 && levels === most).map(({ each }) => each);
  return widest.find((each) => each.name === plainState().x) ?? widest.find((each) => each.is_number) ?? widest[0];
}

// A view of all runs of some sources; none where there is no such run.
function viewOfSources(title, isAmong) {
  const source = runColumn("source");
  const all = Array.from({ length: DATA.tables.runs.count }, (_, row) => row).filter((row) => isAmong(source.value(row)));
  if (all.length === 0) return [];
  const state = plainState();
  const sources = sourcesOf(all);
  state.where = { source: sources };
  // Runs that are not valid are not shown unless asked for: better these than nothing.
  const valid = all.filter(isValid);
  if (valid.length === 0) state.where.valid = ["false"];
  const rows = valid.length > 0 ? valid : all;
  state.x = widestFactor(rows)?.name ?? state.x;
  if (state.panel === state.x) state.panel = NONE;
  const has = (each) => rows.some((row) => each.value(row) !== null);
  if (!has(runColumn(state.y))) state.y = outcomes().find(has)?.name ?? state.y;
  const counts = sources.map((name) => `${shown(all.filter((row) => source.value(row) === name).length)} ${name}`);
  return [{ title: `${title} (${counts.join(", ")})`, address: addressOf(state) }];
}

// Runs of the reader's own come first; a model's come last, since no one measured them.
function withOwnViews(views) {
  return [
    ...viewOfSources("Your own runs", (source) => source !== STUDY_SOURCE && source !== MODEL_SOURCE),
    ...views,
    ...viewOfSources("Runs of a model", (source) => source === MODEL_SOURCE),
  ];
}

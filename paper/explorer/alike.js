// Which runs may be drawn over each other.

// The machine of a run as far as it is known: its host where a record names it, else the profile that it is filed under.
function machineOf(row) {
  const host = runColumn("host")?.value(row) ?? null;
  return host === null ? `profile ${levelText(runColumn("profile").value(row))}` : `host ${host}`;
}

// Where numbers come from: runs of one origin share source, machine and back end.
function originsOf(rows) {
  const columns = ["source", "host", "profile", "back_end"].map(runColumn).filter(Boolean);
  const names = new Map();
  const of = new Map();
  for (const row of rows) {
    const key = columns.map((each) => each.codes[row]).join();
    if (!names.has(key)) names.set(key, ["source", "machine", "back_end"].map((part) => (part === "machine" ? machineOf(row) : levelText(runColumn(part)?.value(row) ?? null))).join(", "));
    of.set(row, names.get(key));
  }
  const there = [...new Set(names.values())].sort();
  const own = (row) => of.get(row);
  return { there, own, published: [...rows].every((row) => runColumn("source").value(row) === "published") };
}

// With which levels of a run a factor that does not matter matters all the same.
const exceptions = (each) => DATA.about.immaterial[each.name] ?? [];

// Factors that may matter and that the view does not show: `shown` are the names of those that it does.
// Of a place that was asked for, what came of it is compared, unless it is one of those exceptions. `more` are columns that
// tell runs apart, too.
function candidates(shown, more = []) {
  const left = new Set([...shown, ...Object.keys(DATA.about.immaterial)]);
  const all = [...factors().filter((each) => !each.label.startsWith("Place asked")), ...more.map(runColumn).filter(Boolean)];
  return [...all.filter((each) => !left.has(each.name)), ...factors().filter((each) => exceptions(each).length > 0 && !shown.includes(each.name))];
}

// Whether a factor matters in a run.
function matters(each, row) {
  const unless = exceptions(each);
  return unless.length === 0 || unless.some(([name, word]) => runColumn(name)?.value(row) === word);
}

// The code of a run's level of a factor, which is 0, as where it is not stated, where the factor does not matter.
const codeThatMatters = (each, row) => (matters(each, row) ? each.codes[row] : 0);

// The levels that `rows` have of a factor where it matters.
const levelsThatMatter = (each, rows) => levelsOf(each, rows.filter((row) => matters(each, row))).filter((level) => level !== null);

// What origins are compared by. Of the study's threads those that post, one for each queue pair: in its
// saturating loop each has another one that polls.
function comparedLevel(each, row) {
  const level = matters(each, row) ? each.value(row) : null;
  if (each.name !== "threads" || runColumn("source").value(row) !== "published") return level;
  const queuePairs = runColumn("queue_pairs").value(row);
  return level === null || queuePairs === null ? level : Math.min(level, queuePairs);
}

// The factors of which, at some place, origins are known to have no level in common, each with the rows
// there. A factor that one origin does not state may differ: it keeps nothing apart.
function factorsApart(rows, origin, places, shown) {
  return candidates(shown).flatMap((each) => {
    for (const place of places) {
      const at = placeApart(each, rows, origin, place);
      if (at !== null) return [{ each, rows: rows.filter((row) => place(row) === at) }];
    }
    return [];
  });
}

function placeApart(each, rows, origin, place) {
  const seen = new Map();
  for (const row of rows) {
    const level = comparedLevel(each, row);
    if (level === null) continue;
    const at = place(row);
    if (!seen.has(at)) seen.set(at, { origins: new Set(), levels: new Map() });
    const here = seen.get(at);
    here.origins.add(origin(row));
    if (!here.levels.has(level)) here.levels.set(level, new Set());
    here.levels.get(level).add(origin(row));
  }
  for (const [at, here] of seen) {
    const shared = Math.max(...[...here.levels.values()].map((origins) => origins.size));
    if (here.origins.size > shared) return at;
  }
  return null;
}

// The origins by as few of their words as tell them apart.
function shortNames(there) {
  const parts = there.map((name) => name.split(", "));
  const short = (count) => parts.map((words) => words.slice(0, count).join(" "));
  const enough = [1, 2, 3].find((count) => new Set(short(count)).size === there.length);
  return new Map(there.map((name, index) => [name, short(enough)[index]]));
}

// The factors that one of the origins states and another does not.
function notStated(rows, origins, shown) {
  return candidates(shown).filter((each) => {
    const states = new Map(origins.there.map((name) => [name, false]));
    for (const row of rows) if (codeThatMatters(each, row)) states.set(origins.own(row), true);
    const said = [...states.values()];
    return said.includes(true) && said.includes(false);
  });
}

// The factors in which runs of one point differ; one host may have runs of several profiles.
function varying(rows, point, shown) {
  const of = new Map();
  for (const row of rows) {
    const at = point(row);
    if (!of.has(at)) of.set(at, []);
    of.get(at).push(row);
  }
  const groups = [...of.values()].filter((group) => group.length > 1);
  return candidates(shown, ["code_generation", "campaign", "profile"]).filter((each) => groups.some((group) => {
    const first = codeThatMatters(each, group[0]);
    return group.some((row) => codeThatMatters(each, row) !== first);
  }));
}

// The factors that change along with what is shown: constant at each point, and not over all of them.
function changing(rows, differ, shown) {
  const left = new Set(differ);
  return candidates(shown, ["code_generation", "campaign"]).filter((each) => !left.has(each) && levelsThatMatter(each, rows).length > 1);
}

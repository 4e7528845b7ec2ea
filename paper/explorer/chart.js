// The chart: points of runs, in panels.

const LOCALITY_COLOURS = { "rdma-local": "#12436D", "rdma-remote": "#E07B1A", [MISSING]: "#8C8C8C" };
// Told apart by most eyes, and none of them a locality's (after Okabe and Ito).
const COLOURS = ["#2B2B2B", "#A66FB5", "#4B8B3B", "#6FA8DC", "#B03060", "#8C6D1F", "#00807A", "#7A7A7A"];
const SIDES = ["first side", "compared with"];
const SIDE_COLOURS = ["#A66FB5", "#4B8B3B"];
const SHAPES = ["circle", "triangle-up", "square", "diamond", "cross", "triangle-down", "stroke"];
const MOST_PANELS = 24;
const HEIGHT = 240;
// Points nearer than this lie on each other.
const PILE = 1.5;

// What is said below the chart, where it has such points.
const KEYS = {
  doubts: "Filled: a run, or several that overlap. Hollow: the same, and each has doubts, which are reasons to look twice.",
  single: "No line leads to a single run that is not the study's: how such runs scatter is not known.",
};

let VIEW = null;
let PILES = [];

// What the view lets one see: its rows, panels, colours, and what must be said beside it.
function drawing(state) {
  const rows = rowsOf(state);
  const left = passing(state).length - rows.length;
  const said = [];
  const x = runColumn(state.x);
  const y = runColumn(state.y);
  const isLow = (row) => state.scale === "log" && y.value(row) !== null && y.value(row) <= 0;
  const withY = rows.filter((row) => y.value(row) !== null);
  const withX = withY.filter((row) => x.kind === "codes" || x.value(row) !== null);
  const drawn = withX.filter((row) => !isLow(row));
  const lost = [
    [rows.length - withY.length, `no ${titleOf(y)}`], [withY.length - withX.length, `no ${titleOf(x)}`],
    [withX.length - drawn.length, "0 or below, which a log scale cannot show"],
  ];
  const colour = coloured(state, drawn, said);
  const panel = panelled(state, drawn, said);
  const shownFactors = [state.x, colour.name, panel.name].filter(Boolean);
  const origins = originsOf(drawn);
  const byPanel = panel.of;
  const atPoint = (row) => `${byPanel(row)}\r${x.codes ? x.codes[row] : ""}\r${colour.of(row)}`;
  const overlay = overlaid(origins, drawn, [byPanel, atPoint], shownFactors, said);
  const place = (row) => (overlay ? byPanel(row) : [origins.there.length > 1 ? origins.own(row) : "", byPanel(row)].filter(Boolean).join(" · "));
  const differ = varying(drawn, (row) => `${atPoint(row)}\r${origins.own(row)}`, shownFactors);
  // Of a comparison the sides are named already, and what follows from them changes with them.
  const unlike = changing(drawn, differ, shownFactors);
  const along = state.cell === null ? unlike : [];
  return { rows, left, lost, drawn, x, y, colour, panel, place, overlay, origins, differ, unlike, along, said };
}

// How colours are given; no more of them than a reader tells apart.
function coloured(state, rows, said) {
  const none = { name: null, of: () => "", levels: [] };
  if (state.cell !== null && rowsOfCell(state.cell).over.length > 0) return sides(state.cell);
  if (state.colour === NONE) return none;
  const each = runColumn(state.colour);
  const levels = levelsOf(each, rows).map(levelText);
  const of = (row) => levelText(each.value(row));
  const about = { name: each.name, title: titleOf(each), levels, of };
  if (levels.every((level) => level in LOCALITY_COLOURS)) return { ...about, range: levels.map((level) => LOCALITY_COLOURS[level]) };
  if (each.is_number) return { ...about, range: null };
  if (levels.length <= COLOURS.length) return { ...about, range: COLOURS.slice(0, levels.length) };
  said.push(`${titleOf(each)} has ${levels.length} levels here, more than ${COLOURS.length} colours can tell apart: nothing is coloured. Filter it, or choose another colour.`);
  return none;
}

// The two sides of a comparison, by the levels in which they differ, if one factor tells them apart.
function sides(cell) {
  const { of, over } = rowsOfCell(cell);
  const [first, second] = [new Set(of), new Set(over)];
  const both = "both sides: clients of one run";
  const only = (each, rows) => { const levels = levelsOf(each, rows); return levels.length === 1 ? levels[0] : null; };
  const telling = factors().find((each) => {
    const [one, other] = [only(each, of), only(each, over)];
    return over.length > 0 && one !== null && other !== null && one !== other;
  });
  const names = telling ? [only(telling, of), only(telling, over)].map(levelText) : SIDES;
  // A level has the colour and shape that it has elsewhere.
  const known = telling ? telling.levels.map(levelText).filter((level) => names.includes(level)) : SIDES;
  const levels = of.some((row) => second.has(row)) ? [...known, both] : known;
  const isLocality = levels.every((level) => level in LOCALITY_COLOURS);
  return { name: null, title: telling ? titleOf(telling) : "Side of the comparison", levels,
    range: isLocality ? levels.map((level) => LOCALITY_COLOURS[level]) : [...SIDE_COLOURS, "#2B2B2B"].slice(0, levels.length),
    of: (row) => (first.has(row) && second.has(row) ? both : names[first.has(row) ? 0 : 1]) };
}

function panelled(state, rows, said) {
  if (state.panel === NONE) return { name: null, of: () => "" };
  const each = runColumn(state.panel);
  const levels = levelsOf(each, rows);
  if (levels.length > MOST_PANELS) {
    said.push(`${titleOf(each)} has ${levels.length} levels here, too many for panels. Filter it, or choose another panel.`);
    return { name: null, of: () => "" };
  }
  return { name: each.name, of: (row) => (each.is_number ? `${titleOf(each)} ${levelText(each.value(row))}` : levelText(each.value(row))),
    order: levels.map((level) => (each.is_number ? `${titleOf(each)} ${levelText(level)}` : levelText(level))) };
}

// Whether origins share panels; if not, or with reservation, why.
function overlaid(origins, rows, places, shownFactors, said) {
  const { there, own } = origins;
  if (there.length < 2) return false;
  if (origins.published) {
    said.push("Each profile of the study has panels of its own, as each machine has in its figures.");
    return false;
  }
  const sources = new Set(rows.map((row) => runColumn("source").value(row)));
  // The speed of software on some host says nothing of a card's.
  const software = softwareSources().filter((source) => sources.has(source));
  if (software.length > 0 && sources.size > software.length) {
    said.push(`Not laid over each other: ${software.join(" and ")} runs show how fast software is on some host, and nothing of a card.`);
    return false;
  }
  if (there.length > SHAPES.length) {
    said.push(`${there.length} origins are more than shapes can tell apart: each has panels of its own.`);
    return false;
  }
  const apart = factorsApart(rows, own, places, shownFactors);
  if (apart.length > 0) {
    const names = apart.map((found) => `${titleOf(found.each)} (${perOrigin(found.each, found.rows, origins)})`);
    const threads = apart.some((found) => found.each.name === "threads") ? " Of the study's threads those that post are compared: as many as queue pairs." : "";
    said.push(`Not laid over each other, because these origins differ at the same point in ${names.join("; ")}. Each has panels of its own.${threads}`);
    return false;
  }
  const unknown = notStated(rows, origins, shownFactors).map((each) => titleOf(each));
  const unlike = unlikeMachines(rows);
  said.push(`Laid over each other: no factor that matters is known to differ.${unlike}${unknown.length ? ` Not stated by all of them: ${unknown.join(", ")}.` : ""}`);
  return true;
}

// Whether runs are of different machines, in a sentence; nothing where they are of one.
function unlikeMachines(rows) {
  const machines = [...new Set(rows.map(machineOf))];
  if (machines.length < 2) return "";
  if (machines.every((name) => name.startsWith("host "))) return " They are of different hosts: compare shapes, not heights.";
  return " Of some only the profile is known, not the host: they may be of different machines, so compare shapes, not heights.";
}

function perOrigin(each, rows, origins) {
  const short = shortNames(origins.there);
  const of = (name) => {
    const seen = new Set(rows.filter((row) => origins.own(row) === name).map((row) => comparedLevel(each, row)));
    return [...seen].filter((level) => level !== null).sort((a, b) => (each.is_number ? a - b : each.levels.indexOf(a) - each.levels.indexOf(b)));
  };
  const parts = origins.there.map((name) => [name, of(name)]).filter(([, levels]) => levels.length > 0);
  return parts.map(([name, levels]) => `${short.get(name)}: ${levels.slice(0, 5).join(", ")}${levels.length > 5 ? ", …" : ""}`).join("; ");
}

// Points of the chart: rows that lie on each other are one.
function piles(view, state) {
  const { drawn, x, y, colour, place, overlay, origins } = view;
  const isLog = state.scale === "log";
  const height = (row) => (isLog ? Math.log10(y.value(row)) : y.value(row));
  const visible = drawn;
  const ends = visible.reduce(([low, high], row) => [Math.min(low, height(row)), Math.max(high, height(row))], [isLog ? Infinity : 0, -Infinity]);
  const step = ((ends[1] - ends[0]) / HEIGHT) * PILE || 1;
  const levels = x.codes ? null : 400;
  const xs = levels ? visible.reduce(([low, high], row) => [Math.min(low, x.value(row)), Math.max(high, x.value(row))], [Infinity, -Infinity]) : null;
  const across = (row) => (x.codes ? x.codes[row] : Math.round(((x.value(row) - xs[0]) / (xs[1] - xs[0] || 1)) * levels));
  const found = new Map();
  for (const row of visible) {
    const [panel, shade, origin] = [place(row), colour.of(row), overlay ? origins.own(row) : ""];
    const key = `${panel}\r${across(row)}\r${shade}\r${origin}\r${Math.round(height(row) / step)}`;
    if (!found.has(key)) found.set(key, { key, kind: "run", panel, shade, origin, x: x.codes ? levelText(x.value(row)) : x.value(row), y: y.value(row), rows: [] });
    found.get(key).rows.push(row);
  }
  const made = [...found.values()];
  made.sort((a, b) => (a.panel < b.panel ? -1 : a.panel > b.panel ? 1 : across(a.rows[0]) - across(b.rows[0]) || a.y - b.y));
  const doubts = runColumn("doubts");
  const doubtful = (row) => Boolean(doubts) && doubts.value(row) !== NO_DOUBTS;
  made.forEach((pile, index) => { pile.place = index; pile.runs = pile.rows.length; pile.doubtful = pile.rows.every(doubtful); });
  return made;
}

// The legend above the chart, in as many columns as its names leave room for; no name is cut that fits into a line.
function legendOf(names, available) {
  const wide = Math.max(...names.map((name) => name.length)) * 7 + 34;
  return { columns: Math.max(1, Math.min(names.length, Math.floor(available / wide))), labelLimit: available - 30 };
}

function scaleOf(view, state, width, available) {
  const { x, y, colour, drawn, overlay, origins } = view;
  const levels = x.codes ? levelsOf(x, drawn).map(levelText) : [];
  const encodings = {
    x: x.codes
      ? { field: "x", type: "ordinal", sort: levels, title: titleOf(x), axis: { labelAngle: levels.join("").length * 7 > width ? -60 : 0, labelLimit: 150, labelOverlap: true } }
      : { field: "x", type: "quantitative", title: titleOf(x), scale: { zero: false } },
    y: { field: "y", type: "quantitative", title: titleOf(y), scale: state.scale === "log" ? { type: "log" } : { zero: true }, axis: { format: "~s" } },
  };
  if (colour.levels.length > 0) {
    const range = colour.range ? { range: colour.range } : { scheme: "viridis" };
    const scale = { domain: colour.levels, ...range };
    const legend = legendOf(colour.levels, available);
    encodings.color = { field: "shade", type: colour.range ? "nominal" : "ordinal", sort: colour.levels, scale, title: colour.title, legend };
    // Beside each other where many runs have one place; joined points keep their place.
    if (x.codes && colour.levels.length > 1 && !isJoined(view)) encodings.xOffset = { field: "shade", type: "nominal", sort: colour.levels };
    // Not by colour alone.
    if (!overlay && colour.range && colour.levels.length <= SHAPES.length) {
      encodings.shape = { field: "shade", type: "nominal", sort: colour.levels, scale: { domain: colour.levels, range: SHAPES.slice(0, colour.levels.length) }, title: colour.title, legend };
    }
  }
  if (overlay) {
    encodings.shape = { field: "origin", type: "nominal", sort: origins.there, title: "Origin", legend: legendOf(origins.there, available), scale: { domain: origins.there, range: SHAPES.slice(0, origins.there.length) } };
  }
  return encodings;
}

// Names of panels; those that are too long for a line have one for each of their parts.
function headerOf(panels, most) {
  const isLong = panels.some((name) => name.length * 7 > most);
  return { labelFontSize: 12, labelLimit: most, ...(isLong ? { labelExpr: "split(datum.value, regexp(', | · '))" } : {}) };
}

function specification(view, state, points, available) {
  const panels = [...new Set(points.map((point) => point.panel))];
  const inOrder = (view.panel.order ?? []).filter((name) => panels.includes(name));
  const sort = inOrder.length === panels.length ? inOrder : [...panels].sort();
  // As many rows as it takes, and panels spread evenly over them.
  const fitting = Math.max(1, Math.floor(available / 330));
  const columns = Math.ceil(panels.length / Math.ceil(panels.length / fitting));
  const width = Math.max(200, Math.floor((available - 75) / columns) - (columns > 1 ? 24 : 0));
  const encoding = scaleOf(view, state, width, available);
  const { shape: _shape, xOffset, ...plain } = encoding;
  const line = { mark: { type: "line", strokeWidth: 1.2, opacity: 0.7 }, transform: [{ filter: "datum.kind === 'median'" }],
    encoding: { ...plain, ...(xOffset ? { xOffset } : {}), detail: [{ field: "origin" }, { field: "piece" }] } };
  // Hollow where all runs of a point have doubts.
  const fill = encoding.color ?? { value: "#4c78a8" };
  const dots = { mark: { type: "point", opacity: 0.75, size: 38, strokeWidth: 1.2, cursor: "pointer" },
    transform: [{ filter: "datum.kind === 'run'" }],
    encoding: { ...encoding, fill, fillOpacity: { condition: { test: "datum.doubtful", value: 0 }, value: 1 } } };
  const ring = { mark: { type: "point", size: 220, clip: true, stroke: "#000", strokeWidth: 2, filled: false, shape: "circle" },
    transform: [{ filter: "datum.kind === 'run' && datum.place === picked" }],
    encoding: { x: plain.x, y: plain.y, ...(xOffset ? { xOffset } : {}) } };
  const values = [...points.map(({ rows, ...point }) => point), ...medians(view)];
  const layered = { width, height: HEIGHT, layer: [line, dots, ring] };
  const body = panels.length > 1
    ? { facet: { field: "panel", type: "nominal", title: null, sort, header: headerOf(panels, width + 20) }, columns, spec: layered }
    : layered;
  const title = { text: sourcesText(view.drawn), anchor: "start", fontSize: 13, subtitle: panels.length > 1 ? "" : panels[0], subtitleFontSize: 12 };
  return {
    $schema: "https://vega.github.io/schema/vega-lite/v6.json", title, data: { values }, params: [{ name: "picked", value: -1 }],
    config: { font: "DejaVu Sans, Segoe UI, Helvetica, Arial, sans-serif", axis: { labelFontSize: 11, titleFontSize: 11, titleFontWeight: 500 }, legend: { labelFontSize: 11, titleLimit: available, orient: "top", direction: "horizontal", layout: { top: { anchor: "start", direction: "vertical" } } } },
    ...body,
  };
}

// Draws the view into the page; `pick(pile)` is called where somebody clicks.
async function draw(state, view, pick) {
  const host = byId("chart");
  PILES = piles(view, state);
  const said = [PILES.some((pile) => pile.doubtful) ? KEYS.doubts : "", isJoined(view) && view.x.levels.length > 1 && hasSingles(view) ? KEYS.single : ""].filter(Boolean);
  byId("key").textContent = said.join(" ");
  byId("key").hidden = said.length === 0;
  if (VIEW) VIEW.finalize();
  VIEW = null;
  if (PILES.length === 0) {
    host.replaceChildren(element("p", {}, view.rows.length === 0
      ? "No run passes all filters. Press “clear all filters”, then choose fewer."
      : `Nothing to draw of the ${runsText(view.rows.length)} that pass the filters: see above.`));
    return;
  }
  const made = specification(view, state, PILES, host.clientWidth - 16);
  // Expressions are interpreted: the page's policy lets no text become a program.
  const done = await window.vegaEmbed(host, made, { ast: true, actions: false, defaultStyle: false, renderer: "canvas", tooltip: false, bind: document.createElement("div"), logLevel: 1 });
  VIEW = done.view;
  const pileOf = (item) => (item && item.datum && item.datum.kind === "run" ? PILES[item.datum.place] : null);
  VIEW.addEventListener("click", (_, item) => { const pile = pileOf(item); if (pile) pick(pile); });
  VIEW.addEventListener("mouseover", (_, item) => { const pile = pileOf(item); if (pile) byId("point").textContent = pileText(pile, view); });
}

function ring(pile) {
  if (VIEW) VIEW.signal("picked", pile ? pile.place : -1).run();
}

// A point in words.
function pileText(pile, view) {
  const parts = [`${titleOf(view.x)} ${levelText(pile.x)}`, pile.shade && `${view.colour.title} ${pile.shade}`, pile.panel, pile.origin, `${titleOf(view.y)} ${shown(pile.y)}`];
  const doubts = pile.doubtful ? ", with doubts" : "";
  return `${parts.filter(Boolean).join(", ")}; ${pile.runs === 1 ? "1 run" : `${pile.runs} runs overlap`}${doubts}`;
}

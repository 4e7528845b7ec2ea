// The page at work: a view is drawn anew when something is chosen.

let STATE;
let PICKED = null;
let VIEWED;
// The filters and the measure before the runs of one value were asked for; no measure where an address asked.
let BEFORE = { where: {}, y: null };

// The address of the view; each has a place of its own in the browser's history.
function save(isBack = false) {
  const address = `#${addressOf(STATE)}`;
  if (window.location.hash === address || (address === "#" && window.location.hash === "")) return;
  const isFirst = document.documentElement.dataset.drawn === undefined;
  // An address that is read, at first or by going back, is written as the page does, in its own place.
  window.history[isFirst || isBack ? "replaceState" : "pushState"](null, "", address);
}

function say(view, wrong) {
  const named = (some) => some.map((each) => each.label || titleOf(each)).join(", ");
  const notes = [...wrong.map((text) => `Ignored in the address: ${text}.`), ...view.said];
  if (STATE.cell !== null) notes.unshift(`These runs are behind one value of the claim ${STATE.claim}. Press “show … runs” again to return to your filters.`);
  if (STATE.cell !== null && measureOf(STATE.cell).name !== STATE.y) notes.push(`The value is of ${titleOf(measureOf(STATE.cell))}, which is not what goes up here.`);
  if (view.differ.length > 0) notes.push(`Runs at one point also differ in ${named(view.differ)}. Filter these, or give them a panel, before you compare.`);
  if (view.along.length > 0) notes.push(`These also differ between the points: ${named(view.along)}.`);
  if (view.left > 0) notes.push(`${runsText(view.left)} not valid and left out.`);
  for (const [count, why] of view.lost) if (count > 0) notes.push(`${runsText(count)} not drawn: ${why}.`);
  const message = byId("message");
  message.replaceChildren(`${shown(view.rows.length)} of ${runsText(DATA.tables.runs.count)}.`, ...(notes.length > 0 ? [element("ul", {}, ...notes.map((note) => element("li", {}, note)))] : []));
  const software = softwareText(view.rows);
  byId("software").textContent = software;
  byId("software").hidden = software === "";
  message.className = wrong.length || view.differ.length || view.said.some((text) => text.startsWith("Not laid")) ? "warning" : "";
}

const MOST_ROWS = 200;

function fillRows() {
  const place = byId("rows");
  if (!place.open) return;
  const view = VIEWED;
  const header = [titleOf(view.x), view.colour.title ?? "colour", "panel", titleOf(view.y), "runs", "first run"];
  const body = PILES.slice(0, MOST_ROWS).map((pile) => [levelText(pile.x), pile.shade, [pile.panel, pile.origin].filter(Boolean).join(" · "), pile.y, pile.runs,
    button(runColumn("run_id").value(pile.rows[0]), () => ACT.run(pile.rows[0], pile))]);
  const more = PILES.length > MOST_ROWS ? element("p", {}, `${shown(PILES.length - MOST_ROWS)} more points are not listed: filter to see them.`) : null;
  place.lastElementChild.replaceChildren(element("div", { class: "scroll", tabIndex: 0, role: "region", "aria-label": "Points" }, table(header, body)), ...(more ? [more] : []));
}

let DRAWING = Promise.resolve();

// Draws the view, after those that are being drawn.
function show(wrong = [], isBack = false) {
  DRAWING = DRAWING.then(() => showNow(wrong, isBack)).catch((error) => {
    byId("message").textContent = `This view cannot be drawn: ${error.message}`;
    byId("message").className = "warning";
    throw error;
  });
  const drawn = DRAWING;
  DRAWING = DRAWING.catch(() => {});
  return drawn;
}

// Returns to what was shown before the runs of one value.
function leaveCell() {
  Object.assign(STATE, { cell: null, where: BEFORE.where, y: BEFORE.y ?? plainState().y });
}

// Runs behind a value may have another measure than the one that is shown.
function fitMeasure() {
  const rows = passing(STATE);
  const has = (each) => rows.some((row) => each.value(row) !== null);
  if (STATE.cell === null || has(runColumn(STATE.y))) return;
  const other = outcomes().find(has);
  if (other) STATE.y = other.name;
}

async function showNow(wrong, isBack) {
  const began = performance.now();
  fitMeasure();
  save(isBack);
  showControls(STATE, ACT);
  const view = drawing(STATE);
  VIEWED = view;
  say(view, wrong);
  showClaims(STATE, ACT);
  await draw(STATE, view, (pile) => ACT.run(pile.rows[0], pile));
  byId("chart").setAttribute("aria-label", `Chart: ${titleOf(view.y)} by ${titleOf(view.x)}, ${shown(PILES.length)} points. ${sourcesText(view.drawn)}. Arrow keys step through them, Enter shows the run.`);
  fillRows();
  PICKED = null;
  byId("point").textContent = "";
  const row = STATE.run === null ? null : rowOf(STATE.run);
  if (row === null) {
    hideRun();
  } else {
    PICKED = PILES.find((pile) => pile.rows.includes(row)) ?? null;
    ring(PICKED);
    showRun(row, PICKED, ACT);
    if (PICKED) byId("point").textContent = pileText(PICKED, view);
  }
  document.documentElement.dataset.drawn = String(Number(document.documentElement.dataset.drawn ?? 0) + 1);
  document.documentElement.dataset.tookMs = (performance.now() - began).toFixed(1);
}

const ACT = {
  set(name, value) { STATE[name] = value; show(); },
  filter(name, level, isOn) {
    const levels = (STATE.where[name] ?? []).filter((each) => each !== level);
    if (isOn) levels.push(level);
    if (levels.length > 0) STATE.where[name] = levels;
    else delete STATE.where[name];
    show();
  },
  clear() { STATE.where = {}; STATE.cell = null; show(); },
  go(address) { const read = stateOf(address); STATE = { ...read.state, claim: STATE.claim }; show(read.wrong); },
  async claim(id) {
    if (STATE.cell !== null) leaveCell();
    STATE.claim = id;
    await show();
    byId("claims").querySelector("h2").focus();
  },
  async cell(cell) {
    if (STATE.cell === null) BEFORE = { where: STATE.where, y: STATE.y };
    else leaveCell();
    if (cell !== null) Object.assign(STATE, { cell, where: {}, y: drawnMeasure(cell) ?? STATE.y });
    await show();
    byId("drawing").scrollIntoView({ block: "start" });
  },
  list() { byId("claim-list").replaceChildren(claimList(ACT)); },
  run(row, pile) {
    STATE.run = nameOf(row);
    PICKED = pile ?? null;
    save();
    ring(PICKED);
    showRun(row, PICKED, ACT);
    if (PICKED) byId("point").textContent = pileText(PICKED, VIEWED);
  },
};

// Steps through the points of the chart by keys.
function step(event) {
  const by = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1, PageDown: 10, PageUp: -10, Home: -Infinity, End: Infinity }[event.key];
  if (event.key === "Enter" && PICKED) {
    ACT.run(PICKED.rows[0], PICKED);
    byId("run").querySelector("h2").focus();
  } else if (by !== undefined && PILES.length > 0) {
    event.preventDefault();
    const from = PICKED ? PICKED.place : by > 0 ? -1 : PILES.length;
    PICKED = PILES[Math.max(0, Math.min(PILES.length - 1, by === Infinity ? PILES.length - 1 : by === -Infinity ? 0 : from + by))];
    ring(PICKED);
    byId("point").textContent = pileText(PICKED, VIEWED);
  }
}

function summary() {
  const source = runColumn("source");
  const counts = new Map();
  for (let row = 0; row < DATA.tables.runs.count; row += 1) counts.set(source.value(row), (counts.get(source.value(row)) ?? 0) + 1);
  const parts = [...counts].map(([name, count]) => `${shown(count)} ${name}`);
  byId("summary").textContent = `${runsText(DATA.tables.runs.count)}: ${parts.join(", ")}. Nothing is loaded from elsewhere.`;
}

async function start() {
  DATA = await unpacked(byId("data").textContent);
  byId("data").remove();
  summary();
  byId("chart").addEventListener("keydown", step);
  byId("rows").addEventListener("toggle", fillRows);
  byId("skip").addEventListener("click", () => byId("chart").focus());
  // Back, forward, and an address that somebody types.
  window.addEventListener("popstate", () => { const read = stateOf(window.location.hash); STATE = read.state; show(read.wrong, true); });
  // Views of runs that this page has.
  const fits = ({ state, wrong }) => wrong.length === 0 && rowsOf(state).length > 0;
  DATA.about.views = withOwnViews(DATA.about.views).filter((view) => fits(stateOf(view.address)));
  const first = window.location.hash.length > 1 || DATA.about.views.length === 0 ? window.location.hash : DATA.about.views[0].address;
  const { state, wrong } = stateOf(first);
  STATE = state;
  await show(wrong);
}

start().catch((error) => { byId("summary").textContent = `The page cannot show its data: ${error.message}`; throw error; });

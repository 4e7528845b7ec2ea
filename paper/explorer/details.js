// One run: what was set, what came out, where it is.

function traceOf(row) {
  const { windows } = DATA.tables;
  const run = windows.columns.get("run");
  const points = [];
  for (let at = 0; at < windows.count; at += 1) {
    if (run.value(at) === row) points.push([windows.columns.get("start_ms").value(at), windows.columns.get("operations_per_second").value(at)]);
  }
  return points;
}

const SVG = "http://www.w3.org/2000/svg";

function traceDrawing(points) {
  const [from, to] = [points[0][0], points[points.length - 1][0]];
  const most = Math.max(...points.map(([, rate]) => rate)) || 1;
  const path = points.map(([start, rate], index) => `${index ? "L" : "M"}${(((start - from) / (to - from || 1)) * 1000).toFixed(1)} ${(100 - (rate / most) * 96).toFixed(1)}`);
  const svg = document.createElementNS(SVG, "svg");
  const said = `Operations per second in each of ${points.length} windows, from ${shown(from)} to ${shown(to)} ms; at most ${shown(most)}`;
  for (const [name, value] of Object.entries({ viewBox: "0 0 1000 102", preserveAspectRatio: "none", role: "img", "aria-label": said })) svg.setAttribute(name, value);
  svg.setAttribute("class", "trace");
  const line = document.createElementNS(SVG, "path");
  line.setAttribute("d", path.join(""));
  svg.append(line);
  const along = element("div", { class: "along" }, element("span", {}, `${shown(from)} ms`), element("span", {}, `${shown(to)} ms`));
  const up = element("div", { class: "up" }, element("span", {}, shown(most)), element("span", {}, "0"));
  return element("div", {}, element("p", { class: "count" }, said), element("div", { class: "traced" }, up, svg, along));
}

function listed(columns, row) {
  const there = columns.filter((each) => each.value(row) !== null);
  return table(null, there.map((each) => {
    const value = each.value(row);
    const name = each.label ? `${each.label} (${each.name})` : titleOf(each);
    return [element("span", { title: each.meaning }, name), each.kind === "numbers" ? value : String(value)];
  }));
}

// Claims whose values this run is behind.
function claimsOf(row) {
  const { cells } = DATA.tables;
  const [runs, over, ids] = ["runs", "over_runs", "id"].map((name) => cells.columns.get(name));
  const found = new Set();
  for (let cell = 0; cell < cells.count; cell += 1) {
    if (!found.has(ids.value(cell)) && (runs.list(cell).includes(row) || over.list(cell).includes(row))) found.add(ids.value(cell));
  }
  return [...found];
}

function whereItIs(row) {
  const value = (name) => runColumn(name)?.value(row) ?? null;
  const lines = [];
  if (value("raw_path")) lines.push(["Raw file, in the study's release", element("code", {}, `results/${value("raw_path")}`)]);
  if (value("raw_sha256")) lines.push(["SHA-256 of it", element("code", {}, value("raw_sha256"))]);
  if (isStored(row)) {
    const raw = DATA.about.raw[value("set")];
    const path = [raw, value("profile"), value("experiment"), value("run_id"), "run.json"].map((part, index) => (index ? encodeURIComponent(part) : part)).join("/");
    lines.push(["Record, where the results folder lies beside this page", element("a", { href: path }, path)]);
  }
  return lines;
}

// Shows a run, and where it is one of several at a point, the others to step to.
function showRun(row, pile, act) {
  const section = byId("run");
  section.hidden = false;
  const columns = [...DATA.tables.runs.columns.values()];
  const place = ["raw_path", "raw_sha256", "doubts", "record"];
  const points = traceOf(row);
  const steps = pile && pile.rows.length > 1
    ? element("p", {}, `Run ${pile.rows.indexOf(row) + 1} of ${pile.rows.length} at this point. `,
      button("next", () => act.run(pile.rows[(pile.rows.indexOf(row) + 1) % pile.rows.length], pile)))
    : null;
  const claims = claimsOf(row);
  section.replaceChildren(...[
    element("h2", { tabIndex: -1 }, "Run ", element("code", {}, nameOf(row))),
    softwareText([row]) ? element("p", { class: "software" }, softwareText([row])) : null,
    steps,
    table(null, whereItIs(row)),
    element("h2", {}, "Doubts: reasons to look twice"),
    doubtList(row),
    points.length > 1 ? traceDrawing(points) : element("p", { class: "count" }, "Its windows are not in this page. The filter “windows” finds the runs whose windows are."),
    claims.length ? element("p", {}, "Behind the claims ", ...claims.flatMap((id, index) => [index ? ", " : "", button(id, () => act.claim(id))])) : null,
    element("div", { class: "columns" },
      element("div", {}, element("h2", {}, "What came out"), listed(columns.filter((each) => each.role === "outcome" && !place.includes(each.name)), row)),
      element("div", {}, element("h2", {}, "What was set"), listed(columns.filter((each) => each.role === "factor"), row)),
      element("div", {}, element("h2", {}, "Which run it is"), listed(columns.filter((each) => each.role === "identity" && !place.includes(each.name)), row))),
  ].filter(Boolean));
}

function hideRun() {
  byId("run").hidden = true;
  byId("run").replaceChildren();
}

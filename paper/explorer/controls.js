// What can be chosen: axes, colour, panels, filters.

function chooser(name, text, options, state, act) {
  const select = element("select", { id: `choose-${name}`, onchange: (event) => act.set(name, event.target.value) });
  // What is drawn is among the choices, also where all runs have one level of it.
  const chosen = runColumn(state[name]);
  const all = chosen && !options.some(([value]) => value === state[name]) ? [option(chosen), ...options] : options;
  for (const [value, said] of all) select.append(element("option", { value, selected: state[name] === value }, said));
  return element("div", { class: "choice" }, element("label", { for: select.id }, text), select);
}

const option = (each) => [each.name, each.label ? each.label : titleOf(each)];

// Counts of the runs that pass all filters but this one's, by level.
function levelCounts(each, state) {
  const others = { ...state, where: Object.fromEntries(Object.entries(state.where).filter(([name]) => name !== each.name)) };
  const counts = new Map();
  for (const row of each.name === "valid" ? passing(others) : rowsOf(others)) {
    for (const word of wordsOf(each, each.value(row))) counts.set(word, (counts.get(word) ?? 0) + 1);
  }
  return counts;
}

function levelBoxes(each, state, act) {
  const counts = levelCounts(each, state);
  const chosen = new Set(state.where[each.name] ?? []);
  // Who looks for a source must find it, also where other filters leave none of its runs.
  const stays = (level) => each.name === "source" && each.levels.includes(level);
  const levels = allWords(each).filter((level) => counts.has(level) || chosen.has(level) || stays(level));
  return element("div", { class: "levels", role: "group", "aria-label": titleOf(each) }, ...levels.map((level) => {
    const box = element("input", { type: "checkbox", checked: chosen.has(level), onchange: (event) => act.filter(each.name, level, event.target.checked) });
    return element("label", {}, box, ` ${level} `, element("span", { class: "count" }, shown(counts.get(level) ?? 0)));
  }));
}

// A filter opens where somebody looks: its boxes are made then.
function filterOf(each, state, act, open) {
  const chosen = state.where[each.name];
  const text = `${each.label || titleOf(each)}${chosen ? `: ${chosen.join(", ")}` : ""}`;
  const made = element("details", { open, "data-filter": each.name, "aria-label": text }, element("summary", { title: each.meaning }, text));
  if (chosen) made.setAttribute("data-set", "");
  const fill = () => { if (made.open && made.children.length === 1) made.append(levelBoxes(each, state, act)); };
  made.addEventListener("toggle", fill);
  fill();
  return made;
}

// What an address says of a view, in one order, whatever run or claim is chosen beside it.
const plainly = (state) => addressOf({ ...state, run: null, claim: null }).split("&").sort().join("&");

// Whether this view is the one that is drawn.
function isShown(view, state) {
  view.plainly ??= plainly(stateOf(view.address).state);
  return view.plainly === plainly(state);
}

function showControls(state, act) {
  const form = byId("controls");
  const focus = document.activeElement?.closest?.("#controls") ? focusPath(document.activeElement) : null;
  const open = new Set([...form.querySelectorAll("details[open]")].map((each) => each.getAttribute("data-filter")));
  const all = dimensions();
  const measured = outcomes();
  const none = [NONE, "nothing"];
  const isAsked = (each) => Object.hasOwn(state.where, each.name) || (each.name === "valid" && each.levels.includes("false"));
  const filtered = levelled().filter((each) => each.levels.length > 1 || isAsked(each));
  const filters = (some) => some.map((each) => filterOf(each, state, act, open.has(each.name)));
  const views = element("fieldset", { id: "views" }, element("legend", {}, "Views to begin with"),
    ...DATA.about.views.map((view) => element("div", {}, button(view.title, () => act.go(view.address), isShown(view, state) ? { "aria-current": "true" } : {}))));
  form.replaceChildren(
    views,
    chooser("y", "Y axis", measured.map(option), state, act),
    chooser("scale", "Y scale", SCALES.map((name) => [name, name]), state, act),
    chooser("x", "X axis", [...all, ...measured].map(option), state, act),
    chooser("colour", "Colour", [none, ...all.map(option)], state, act),
    chooser("panel", "Panels", [none, ...all.map(option)], state, act),
    element("p", {}, button("clear all filters", () => act.clear())),
    element("fieldset", {}, element("legend", {}, "Which runs"), ...filters(filtered.filter((each) => each.role !== "factor"))),
    element("fieldset", {}, element("legend", {}, "Factors"), ...filters(filtered.filter((each) => each.role === "factor"))),
  );
  form.onsubmit = (event) => event.preventDefault();
  if (focus) refocus(form, focus);
}

// Where the focus is, so that it is there again when the controls are made anew.
function focusPath(focused) {
  return { id: focused.id, filter: focused.closest("details")?.getAttribute("data-filter"), text: focused.parentElement?.textContent?.trim().split(" ")[0], tag: focused.tagName, button: focused.textContent };
}

function refocus(form, { id, filter, text, tag, button }) {
  if (id) return form.querySelector(`#${id}`)?.focus();
  if (tag === "BUTTON") return [...form.querySelectorAll("button")].find((each) => each.textContent === button)?.focus();
  if (!filter) return undefined;
  const inside = form.querySelector(`details[data-filter="${filter}"]`);
  if (tag === "SUMMARY") return inside?.querySelector("summary").focus();
  const label = [...(inside?.querySelectorAll("label") ?? [])].find((each) => each.textContent.trim().split(" ")[0] === text);
  return label?.querySelector("input").focus();
}

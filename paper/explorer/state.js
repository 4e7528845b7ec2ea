// The view, and the address that holds it.

const NONE = "none";

// The measure of a value of a claim as what is drawn of its runs; none where runs do not have it as what came out.
function drawnMeasure(cell) {
  return outcomes().find((each) => each.name === measureOf(cell).name)?.name ?? null;
}

// What is drawn where nothing is said: of the runs behind a value its measure; of a table that lacks a column, another one.
function plainState(cell = null) {
  const there = (name, or) => (runColumn(name) ? name : or);
  const any = levelled()[0].name;
  return {
    y: (cell === null ? null : drawnMeasure(cell)) ?? there("throughput_ops", outcomes()[0]?.name ?? null), x: there("queue_pairs", any), colour: there("locality", NONE),
    panel: there("operation", NONE), scale: "linear", where: {}, run: null, claim: null, cell: null,
  };
}

const SCALES = ["linear", "log"];

function choices() {
  const names = dimensions().map((each) => each.name);
  const measured = outcomes().map((each) => each.name);
  return { y: measured, x: [...names, ...measured], colour: [NONE, ...names], panel: [NONE, ...names], scale: SCALES };
}

function addressOf(state) {
  const plain = plainState(state.cell);
  const said = new URLSearchParams();
  for (const name of ["y", "x", "colour", "panel", "scale"]) if (state[name] !== plain[name]) said.set(name, state[name]);
  for (const [name, levels] of Object.entries(state.where)) for (const level of levels) said.append(`in.${name}`, level);
  for (const name of ["run", "claim"]) if (state[name] !== null) said.set(name, state[name]);
  if (state.cell !== null) said.set("cell", String(cellNumber(state.cell)));
  return said.toString();
}

const claimIds = () => new Set(DATA.tables.claims.columns.get("id").levels);

// Cells of a claim, from the first; the address has the place among them.
function cellsOf(claim) {
  const ids = DATA.tables.cells.columns.get("id");
  const cells = [];
  for (let row = 0; row < DATA.tables.cells.count; row += 1) if (ids.value(row) === claim) cells.push(row);
  return cells;
}

const cellNumber = (cell) => cellsOf(DATA.tables.cells.columns.get("id").value(cell)).indexOf(cell) + 1;

// The view of an address, and what in it is not understood.
function stateOf(address) {
  const state = plainState();
  const wrong = [];
  const allowed = choices();
  const said = new URLSearchParams(address.replace(/^#/, ""));
  for (const [name, value] of said) {
    if (Object.hasOwn(allowed, name)) {
      if (allowed[name].includes(value)) state[name] = value;
      else wrong.push(`${name} cannot be “${value}”`);
    } else if (name.startsWith("in.")) {
      addLevel(state, name.slice(3), value, wrong);
    } else if (name === "run") {
      if (rowOf(value) !== undefined) state.run = value;
      else wrong.push(`there is no run “${value}”`);
    } else if (name === "claim") {
      if (claimIds().has(value)) state.claim = value;
      else wrong.push(`there is no claim “${value}”`);
    } else if (name !== "cell") {
      wrong.push(`a view has no setting “${name}”`);
    }
  }
  if (said.has("cell")) addCell(state, said.get("cell"), wrong);
  if (!allowed.y.includes(said.get("y"))) state.y = plainState(state.cell).y;
  return { state, wrong };
}

function addLevel(state, name, value, wrong) {
  const each = levelled().find((known) => known.name === name);
  if (!each) {
    wrong.push(`runs cannot be filtered by “${name}”`);
  } else if (!allWords(each).includes(value)) {
    wrong.push(`no run has ${words(name)} “${value}”`);
  } else {
    state.where[name] = [...(state.where[name] ?? []), value];
  }
}

function addCell(state, value, wrong) {
  const cells = state.claim === null ? [] : cellsOf(state.claim);
  const cell = cells[Number(value) - 1];
  if (state.claim === null) wrong.push("there is a cell and no claim");
  else if (cell === undefined) wrong.push(`there is no value ${value} of ${state.claim}`);
  else state.cell = cell;
}

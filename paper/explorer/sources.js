// Where runs come from, in words: of a card, or of software.

const softwareSources = () => Object.keys(DATA.about.software);

// The sources of `rows`, in the order of the schema.
const sourcesOf = (rows) => levelsOf(runColumn("source"), rows);

// The sources of what is drawn, as the chart's title has them.
function sourcesText(rows) {
  const named = sourcesOf(rows).map((source) => (softwareSources().includes(source) ? `${source} (software, no card)` : source));
  return `${named.length === 1 ? "Source" : "Sources"}: ${named.join(", ")}`;
}

// A reason of the table as the end of a sentence.
const within = (sentence) => sentence.charAt(0).toLowerCase() + sentence.slice(1).replace(/\.$/, "");

// What numbers of software say, and what they do not say; nothing where no run is of software.
function softwareText(rows) {
  const source = runColumn("source");
  const of = rows.filter((row) => softwareSources().includes(source.value(row)));
  if (of.length === 0) return "";
  const reasons = sourcesOf(of).map((name) => `source ${name}: ${within(DATA.about.software[name])}`).join("; ");
  const isOne = of.length === 1;
  const all = isOne ? "This run is" : `These ${runsText(of.length)} are`;
  const which = of.length === rows.length ? all : `${shown(of.length)} of these ${runsText(rows.length)} ${isOne ? "is" : "are"}`;
  return `${which} of software, not of a network card (${reasons}). ${isOne ? "It shows" : "They show"} that the program works; `
    + `${isOne ? "its" : "their"} numbers say nothing about a card.`;
}

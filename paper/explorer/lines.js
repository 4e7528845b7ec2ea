// Lines: medians of points, and which of these are joined.

function median(values) {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

// Whether only chance tells the runs of each point apart, so that they may have a median.
const isJoined = ({ differ, x }) => differ.length === 0 && Boolean(x.codes) && Boolean(x.is_number);

// Factors that follow what is across by the nature of both: a thread drives its queue pairs, a worker has a place.
const FOLLOWS = { queue_pairs: ["threads"], workers: ["worker_threads"], load_thread_count: ["load_threads"], client_hosts: ["threads", "queue_pairs"] };

// A level that says that there is nothing, as the operation of no workers, differs from none.
const isStated = (level) => level !== null && level !== "none";

// The points of each panel, colour and origin, by place, each with its rows.
function series({ drawn, x, colour, place, overlay, origins }) {
  const found = new Map();
  for (const row of drawn.filter((each) => x.codes[each])) {
    const [panel, shade, origin] = [place(row), colour.of(row), overlay ? origins.own(row) : ""];
    const key = [panel, shade, origin].join("\r");
    if (!found.has(key)) found.set(key, { panel, shade, origin, points: new Map() });
    const { points } = found.get(key);
    if (!points.has(x.codes[row])) points.set(x.codes[row], []);
    points.get(x.codes[row]).push(row);
  }
  return [...found.values()].map((one) => ({ ...one, points: [...one.points].sort(([a], [b]) => a - b).map(([, rows]) => rows) }));
}

// A single run that no line leads to. Most settings of the study were run once: its single runs are joined, as in the figures.
const isAlone = (rows) => rows.length < 2 && runColumn("source").value(rows[0]) !== STUDY_SOURCE;

const hasSingles = (view) => series(view).some(({ points }) => points.some(isAlone));

// Medians of points, joined: no line leads to a single run that is not the study's, nor from runs to others that differ
// in more than what is shown.
function medians(view) {
  const { x, y } = view;
  if (!isJoined(view)) return [];
  const others = view.unlike.filter((each) => !(FOLLOWS[x.name] ?? []).includes(each.name));
  const alike = ([one], [other]) => others.every((each) => {
    const levels = [each.value(one), each.value(other)];
    return levels[0] === levels[1] || !levels.every(isStated);
  });
  return series(view).flatMap(({ points, ...one }) => {
    let piece = 0;
    return points.flatMap((rows, index) => {
      if (isAlone(rows)) { piece += 1; return []; }
      if (index > 0 && !alike(points[index - 1], rows)) piece += 1;
      return [{ kind: "median", ...one, piece, x: levelText(x.value(rows[0])), y: median(rows.map((row) => y.value(row))) }];
    });
  });
}

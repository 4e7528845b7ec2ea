// Tables as they are packed by workflow/scripts/exploring/pack.py.

async function inflated(text) {
  const plain = atob(text.trim());
  const bytes = new Uint8Array(plain.length);
  for (let i = 0; i < plain.length; i += 1) bytes[i] = plain.charCodeAt(i);
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate-raw"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

function numbers(bytes, count) {
  const plain = new Uint8Array(bytes.length);
  for (let byte = 0; byte < 8; byte += 1) {
    for (let row = 0; row < count; row += 1) plain[row * 8 + byte] = bytes[byte * count + row];
  }
  return new Float64Array(plain.buffer);
}

function lists(bytes, count) {
  const all = new Uint32Array(bytes.buffer);
  const starts = new Uint32Array(count + 1);
  for (let row = 0; row < count; row += 1) starts[row + 1] = starts[row] + all[row];
  return (row) => all.subarray(count + starts[row], count + starts[row + 1]);
}

function codes(bytes, levels) {
  if (levels.length < 256) return bytes;
  return levels.length < 65536 ? new Uint16Array(bytes.buffer) : new Uint32Array(bytes.buffer);
}

const hex = (bytes) => Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");

// A column: what is known of it, and `value(row)`, null where it is missing.
function column(about, bytes, count) {
  const made = { ...about };
  if (about.kind === "codes") {
    made.codes = codes(bytes, about.levels);
    made.value = (row) => (made.codes[row] ? about.levels[made.codes[row] - 1] : null);
  } else if (about.kind === "numbers") {
    made.numbers = numbers(bytes, count);
    made.value = (row) => (Number.isNaN(made.numbers[row]) ? null : made.numbers[row]);
  } else if (about.kind === "texts") {
    const texts = new TextDecoder().decode(bytes).split("\n");
    made.value = (row) => texts[row] || null;
  } else if (about.kind === "hashes") {
    made.value = (row) => {
      const hash = bytes.subarray(row * 32, row * 32 + 32);
      return hash.some((byte) => byte) ? hex(hash) : null;
    };
  } else {
    made.list = lists(bytes, count);
  }
  return made;
}

// What is packed in `text`: `about`, and of each table its `count` and `columns` by name.
async function unpacked(text) {
  const bytes = await inflated(text);
  const length = new DataView(bytes.buffer).getUint32(0, true);
  const header = JSON.parse(new TextDecoder().decode(bytes.subarray(4, 4 + length)));
  const tables = {};
  for (const [name, table] of Object.entries(header.tables)) {
    const columns = new Map();
    for (const about of table.columns) {
      const at = 4 + length + about.at;
      columns.set(about.name, column(about, bytes.slice(at, at + about.bytes), table.count));
    }
    tables[name] = { count: table.count, columns };
  }
  return { about: header.about, tables };
}

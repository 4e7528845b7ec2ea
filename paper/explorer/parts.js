// Elements of the page. What tables say becomes text, never markup.

function element(tag, properties = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (name === "class") made.className = value;
    else if (name.startsWith("on")) made.addEventListener(name.slice(2), value);
    else if (name.startsWith("data-") || name.startsWith("aria-") || name === "for" || name === "role" || name === "scope") made.setAttribute(name, value);
    else made[name] = value;
  }
  made.append(...children.filter((child) => child !== null && child !== undefined));
  return made;
}

const byId = (id) => document.getElementById(id);

function button(text, action, properties = {}) {
  return element("button", { type: "button", class: "link", onclick: action, ...properties }, text);
}

// A table; a cell is a text, an element or a number. Without a header the first cell of a row names it.
function table(header, rows) {
  const head = header && element("tr", {}, ...header.map((text) => element("th", { scope: "col" }, text)));
  const cell = (content) => {
    if (typeof content === "number" || content === null) return element("td", { class: "number" }, shown(content));
    return element("td", {}, content);
  };
  const first = (row) => (header ? cell(row[0]) : element("th", { scope: "row" }, row[0]));
  const body = rows.map((row) => element("tr", {}, first(row), ...row.slice(1).map(cell)));
  return element("table", {}, head && element("thead", {}, head), element("tbody", {}, ...body));
}

function verdict(word) {
  return element("span", { class: `verdict ${word}` }, words(word.replaceAll("-", " ")));
}

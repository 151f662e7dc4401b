// Renders a table of evidence.
//
// Python sends rows that are already filtered, sorted and cut into pages. Everything that can be pressed is a
// link to an address of the dashboard: another page, or this one in another order. Rows are named by id and
// never by position, so a filter that changes under a click cannot open the wrong row.
//
// Every text comes from files that strangers wrote: it only ever enters the page through `textContent`,
// and links are followed only where Python built them.

const SVG = "http://www.w3.org/2000/svg";

function element(name, classes, text) {
  const node = document.createElement(name);
  if (classes) node.className = classes;
  if (text !== undefined && text !== null) node.textContent = text;
  return node;
}

function mark(name, attributes) {
  const node = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
  return node;
}

function position(axis, value) {
  // A margin of 3% on both sides keeps the marks at 0 and 100 whole.
  const share = (value - axis.low) / (axis.high - axis.low);
  return `${3 + 94 * Math.min(1, Math.max(0, share))}%`;
}

function dumbbell(cell, axis) {
  const drawing = mark("svg", { class: "dumbbell", role: "img", "aria-label": cell.alt });
  for (const tick of axis.ticks) {
    const x = position(axis, tick);
    drawing.append(mark("line", { class: "grid", x1: x, x2: x, y1: "0", y2: "100%" }));
  }
  const whisker = (point, y, name) => {
    if (!point || point.low === null || point.low === undefined) return;
    const ends = { x1: position(axis, point.low), x2: position(axis, point.high), y1: y, y2: y };
    drawing.append(mark("line", { class: `whisker ${name}`, ...ends }));
  };
  whisker(cell.before, "26%", "before");
  whisker(cell.after, "74%", "after");
  if (cell.before && cell.after) {
    const ends = { x1: position(axis, cell.before.value), x2: position(axis, cell.after.value) };
    drawing.append(mark("line", { class: "joint", ...ends, y1: "50%", y2: "50%" }));
  }
  if (cell.before) {
    drawing.append(mark("circle", { class: "dot before", cx: position(axis, cell.before.value), cy: "50%", r: 6 }));
  }
  if (cell.after) {
    drawing.append(mark("circle", { class: "dot after", cx: position(axis, cell.after.value), cy: "50%", r: 4 }));
  }
  return drawing;
}

function scale(axis) {
  const ruler = element("div", "scale");
  ruler.setAttribute("aria-hidden", "true");
  for (const tick of axis.ticks) {
    const label = element("span", "", tick === axis.high ? `${tick}${axis.unit}` : `${tick}`);
    label.style.left = position(axis, tick);
    ruler.append(label);
  }
  return ruler;
}

function inside(text, href) {
  const anchor = element("a", "", text);
  anchor.href = href;
  anchor.addEventListener("click", (event) => {
    if (event.button !== 0 || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
    event.preventDefault();
    // Streamlit follows the browser's history: an address put there and announced is opened within the
    // session, and the way back leads to the address before it. (`st.switch_page` with a query string leaves
    // an entry in the history that has the old page with the new query.)
    const elsewhere = anchor.pathname !== window.location.pathname;
    window.history.pushState({}, "", anchor.href);
    window.dispatchEvent(new PopStateEvent("popstate"));
    if (elsewhere) document.querySelector('[data-testid="stMain"]')?.scrollTo(0, 0);
  });
  return anchor;
}

function outside(text, href) {
  const anchor = element("a", "", text);
  anchor.href = href;
  anchor.target = "_blank";
  anchor.rel = "noopener noreferrer";
  anchor.append(element("span", "unseen", " (opens in a new tab)"));
  return anchor;
}

// The text with some of its characters marked. Ranges count code points, as Python does.
function marked(text, ranges) {
  const characters = [...text];
  const fragment = document.createDocumentFragment();
  let shown = 0;
  for (const [first, last] of ranges) {
    fragment.append(characters.slice(shown, first).join(""));
    fragment.append(element("mark", "", characters.slice(first, last).join("")));
    shown = last;
  }
  fragment.append(characters.slice(shown).join(""));
  return fragment;
}

function content(cell) {
  if (cell.marks && !cell.href) return marked(cell.text ?? "", cell.marks);
  if (!cell.href) return document.createTextNode(cell.text ?? "");
  return cell.outside ? outside(cell.text, cell.href) : inside(cell.text, cell.href);
}

function fill(target, cell, column, axis) {
  if (column.kind === "dumbbell") {
    // The scale stands in the heading of the column; a card has none, and shows its own.
    target.append(dumbbell(cell, axis), scale(axis));
    return;
  }
  const main = element("div", `main tone-${cell.tone ?? "neutral"}${cell.code ? " is-code" : ""}`);
  if (cell.symbol) {
    const symbol = element("span", "symbol", cell.symbol);
    symbol.setAttribute("aria-hidden", "true");
    main.append(symbol);
  }
  main.append(content(cell));
  target.append(main);
  if (cell.detail) target.append(element("div", "detail", cell.detail));
  if (cell.hint) target.title = cell.hint;
}

function classes(column) {
  return `is-${column.align} kind-${column.kind}${column.whole ? " is-whole" : ""}`;
}

function header(column, axis) {
  const cell = element("th", classes(column));
  cell.scope = "col";
  cell.setAttribute("role", "columnheader");
  if (column.width) cell.style.width = column.width;
  if (column.hint) cell.title = column.hint;
  if (column.href) {
    const anchor = inside(column.title, column.href);
    anchor.dataset.key = column.key;
    const sign = element("span", "arrow", { ascending: "▲", descending: "▼" }[column.sorted] ?? "");
    sign.setAttribute("aria-hidden", "true");
    anchor.append(sign);
    cell.append(anchor);
    cell.setAttribute("aria-sort", column.sorted ?? "none");
  } else {
    cell.append(element("span", "title", column.title));
  }
  if (column.kind === "dumbbell") cell.append(scale(axis));
  return cell;
}

function body(rows, columns, axis) {
  const fragment = document.createDocumentFragment();
  for (const row of rows) {
    const line = element("tr", row.muted ? "muted" : "");
    line.setAttribute("role", "row");
    line.dataset.id = row.id;
    for (const column of columns) {
      const heading = column.heading === true;
      const cell = element(heading ? "th" : "td", classes(column));
      cell.setAttribute("role", heading ? "rowheader" : "cell");
      if (heading) cell.scope = "row";
      cell.dataset.title = column.title;
      cell.dataset.key = column.key;
      // A row that heads others says nothing in most columns: an empty chart would say zero.
      if (column.key in row.cells) fill(cell, row.cells[column.key], column, axis);
      else cell.classList.add("is-missing");
      line.append(cell);
    }
    fragment.append(line);
  }
  return fragment;
}

// A table that does not fit turns its rows into cards; a phone always gets cards.
const NARROWEST = 704;

function fit(root) {
  root.classList.remove("cards");
  const table = root.querySelector("table");
  const room = root.clientWidth;
  if (table && (room < NARROWEST || table.offsetWidth > room)) root.classList.add("cards");
}

export default function (component) {
  const { data, parentElement } = component;
  const root = parentElement.querySelector(".evidence");
  const focused = parentElement.activeElement?.dataset?.key;
  for (const [name, value] of Object.entries(data.palette)) root.style.setProperty(name, value);

  const several = data.columns.filter((column) => column.kind === "dumbbell").length > 1;
  const table = element("table", data.rows.length > 0 ? (several ? "several" : "") : "empty");
  table.setAttribute("role", "table");
  table.setAttribute("aria-label", data.caption);
  const head = element("thead");
  head.setAttribute("role", "rowgroup");
  const titles = element("tr");
  titles.setAttribute("role", "row");
  titles.append(...data.columns.map((column) => header(column, data.axis)));
  head.append(titles);
  if (!data.columns.some((column) => column.href)) head.className = "still";
  const lines = element("tbody");
  lines.setAttribute("role", "rowgroup");
  lines.append(body(data.rows, data.columns, data.axis));
  table.append(head, lines);
  root.replaceChildren(table);
  fit(root);

  // Sorting redraws the header: whoever pressed it with the keyboard stays on it.
  if (focused) {
    const again = [...root.querySelectorAll("thead a")].find((anchor) => anchor.dataset.key === focused);
    again?.focus({ preventScroll: true });
  }

  let width = root.clientWidth;
  const observer = new ResizeObserver(() => {
    if (root.clientWidth === width) return;
    width = root.clientWidth;
    fit(root);
  });
  observer.observe(root);
  return () => observer.disconnect();
}

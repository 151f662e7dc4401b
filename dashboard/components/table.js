// Renders a table of evidence and reports what the reader asks for.
//
// Python sends rows that are already filtered, sorted and cut into pages; this file draws them and sends back
// the key of a column to sort by, or the target of a link. Rows are named by id and never by position, so a
// filter that changes under a click cannot open the wrong row.
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

function link(cell, send) {
  const anchor = element("a", "", cell.text);
  anchor.href = cell.href;
  if (cell.open) {
    anchor.addEventListener("click", (event) => {
      if (event.button !== 0 || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
      event.preventDefault();
      send("open", cell.open);
    });
  } else {
    anchor.target = "_blank";
    anchor.rel = "noopener noreferrer";
    anchor.append(element("span", "unseen", " (opens in a new tab)"));
  }
  return anchor;
}

function fill(target, cell, column, axis, send) {
  if (column.kind === "dumbbell") {
    // The scale stands in the heading of the column; a card has none, and shows its own.
    target.append(dumbbell(cell, axis), scale(axis));
    return;
  }
  const main = element("div", `main tone-${cell.tone ?? "neutral"}`);
  if (cell.symbol) {
    const symbol = element("span", "symbol", cell.symbol);
    symbol.setAttribute("aria-hidden", "true");
    main.append(symbol);
  }
  main.append(cell.href ? link(cell, send) : document.createTextNode(cell.text ?? ""));
  target.append(main);
  if (cell.detail) target.append(element("div", "detail", cell.detail));
  if (cell.hint) target.title = cell.hint;
}

function header(column, axis, send) {
  const cell = element("th", `is-${column.align} kind-${column.kind}`);
  cell.scope = "col";
  cell.setAttribute("role", "columnheader");
  if (column.width) cell.style.width = column.width;
  if (column.hint) cell.title = column.hint;
  if (column.sortable) {
    const button = element("button", "", column.title);
    button.type = "button";
    button.dataset.key = column.key;
    const arrow = { ascending: "▲", descending: "▼" }[column.sorted] ?? "";
    const sign = element("span", "arrow", arrow);
    sign.setAttribute("aria-hidden", "true");
    button.append(sign);
    button.addEventListener("click", () => send("sort", column.key));
    cell.append(button);
    cell.setAttribute("aria-sort", column.sorted ?? "none");
  } else {
    cell.append(element("span", "title", column.title));
  }
  if (column.kind === "dumbbell") cell.append(scale(axis));
  return cell;
}

function body(rows, columns, axis, send) {
  const fragment = document.createDocumentFragment();
  for (const row of rows) {
    const line = element("tr", row.muted ? "muted" : "");
    line.setAttribute("role", "row");
    line.dataset.id = row.id;
    for (const column of columns) {
      const heading = column.heading === true;
      const cell = element(heading ? "th" : "td", `is-${column.align} kind-${column.kind}`);
      cell.setAttribute("role", heading ? "rowheader" : "cell");
      if (heading) cell.scope = "row";
      cell.dataset.title = column.title;
      cell.dataset.key = column.key;
      fill(cell, row.cells[column.key] ?? {}, column, axis, send);
      line.append(cell);
    }
    fragment.append(line);
  }
  return fragment;
}

export default function (component) {
  const { data, parentElement, setTriggerValue } = component;
  const root = parentElement.querySelector(".evidence");
  const focused = parentElement.activeElement?.dataset?.key;
  for (const [name, value] of Object.entries(data.palette)) root.style.setProperty(name, value);

  const table = element("table", data.rows.length > 0 ? "" : "empty");
  table.setAttribute("role", "table");
  table.setAttribute("aria-label", data.caption);
  const head = element("thead");
  head.setAttribute("role", "rowgroup");
  const titles = element("tr");
  titles.setAttribute("role", "row");
  titles.append(...data.columns.map((column) => header(column, data.axis, setTriggerValue)));
  head.append(titles);
  if (!data.columns.some((column) => column.sortable)) head.className = "still";
  const content = element("tbody");
  content.setAttribute("role", "rowgroup");
  content.append(body(data.rows, data.columns, data.axis, setTriggerValue));
  table.append(head, content);
  root.replaceChildren(table);

  // Sorting redraws the header: whoever pressed it with the keyboard stays on it.
  if (focused) {
    const again = [...root.querySelectorAll("button")].find((button) => button.dataset.key === focused);
    again?.focus({ preventScroll: true });
  }
}

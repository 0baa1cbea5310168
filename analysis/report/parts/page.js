"use strict";
(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const { rows, units } = data;
  const views = {};
  const byId = (id) => document.getElementById(id);

  // elements are built, never written as HTML: rules and cells are anybody's text
  function element(name, attributes, ...children) {
    const made = document.createElement(name);
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
    made.append(...children.filter((each) => each !== null));
    return made;
  }

  const quality = (value) => value.toFixed(units.digits);
  const counted = (value) => value.toLocaleString("en");
  const figures = (row) =>
    `${units.quality} ${quality(row.quality)} at ` +
    (units.cost === "calls" ? "" : `${units.cost} ${row.cost.toFixed(3)}, `) +
    `${row.calls.toFixed(3)} calls`;

  // Sorting: numbers by their value, text by its letters; a missing figure is last either way.

  function sortable(table) {
    for (const head of table.tHead.rows[0].cells) {
      if (!head.textContent) continue;
      const button = element("button", { type: "button" }, head.textContent);
      button.addEventListener("click", () => sort(table, head));
      head.replaceChildren(button);
    }
  }

  function sort(table, head) {
    const numeric = head.classList.contains("number") || table.querySelector(`td:nth-child(${head.cellIndex + 1}) .verdict`);
    const first = numeric ? "descending" : "ascending";
    const order = head.hasAttribute("aria-sort")
      ? { ascending: "descending", descending: "ascending" }[head.getAttribute("aria-sort")]
      : first;
    for (const other of table.tHead.rows[0].cells) other.removeAttribute("aria-sort");
    head.setAttribute("aria-sort", order);
    const sign = order === "ascending" ? 1 : -1;
    const key = (row) => row.cells[head.cellIndex].dataset.sort ?? "";
    const compare = (a, b) => {
      const [x, y] = [key(a), key(b)];
      if (x === "" || y === "") return (x === "") - (y === "");
      return sign * (numeric ? Number(x) - Number(y) : x.localeCompare(y, "en", { numeric: true }));
    };
    const body = table.tBodies[0];
    body.append(...[...body.rows].sort(compare));
  }

  // The chosen rule: its figures by cell and where it stops.

  function choose(i) {
    const row = rows[i];
    const panel = byId("chosen");
    panel.hidden = false;
    panel.replaceChildren(...described(row));
    panel.dataset.chosen = row.rule;
    panel.querySelectorAll("table.sorts").forEach(sortable);
    for (const each of document.querySelectorAll("#front-table tbody tr")) {
      const mine = Number(each.querySelector("[data-choose]").dataset.choose) === i;
      if (mine) each.setAttribute("aria-current", "true");
      else each.removeAttribute("aria-current");
    }
    views.frontier?.signal("chosen", i).runAsync();
  }

  function described(row) {
    const parts = [
      element("h3", {}, element("code", {}, row.rule), row.locked ? " (locked)" : ""),
      element("p", {}, row.words),
      element(
        "p",
        {},
        `${figures(row)}; fired in ${counted(row.fired)} trajectories` +
          (row.stability === null ? "" : `; stability ${row.stability.toFixed(2)}`) +
          `; family ${row.family}; id ${row.id}.`,
      ),
    ];
    if (row.aliases.length)
      parts.push(
        element(
          "details",
          {},
          element("summary", {}, `${counted(row.aliases.length + row.more)} aliases: they stop alike on the selection split`),
          element("ul", {}, ...row.aliases.map((each) => element("li", {}, element("code", {}, each)))),
          row.more ? element("p", {}, `and ${counted(row.more)} more, in front.csv`) : null,
        ),
      );
    const cells = Object.entries(row.cells);
    if (!cells.length) return [...parts, element("p", {}, "This search kept no stop rounds of its rules.")];
    parts.push(stopRounds(cells));
    if (cells.length > 1) parts.push(byCell(cells));
    return parts;
  }

  function boxed(caption, heads, lines, sorts) {
    const table = element(
      "table",
      sorts ? { class: "sorts" } : {},
      element("caption", {}, element("span", {}, caption)),
      element("thead", {}, element("tr", {}, ...heads.map(([name, kind]) => element("th", { scope: "col", class: kind }, name)))),
      element("tbody", {}, ...lines.map((line) => element("tr", {}, ...line))),
    );
    return element("div", { class: lines.length > 20 ? "scroll long" : "scroll", role: "region", tabindex: "0", "aria-label": caption }, table);
  }

  const figure = (value, text) => element("td", { class: "number", "data-sort": value }, text);

  function stopRounds(cells) {
    const counts = cells[0][1][5].map((_, r) => cells.reduce((sum, [, one]) => sum + one[5][r], 0));
    const all = counts.reduce((sum, count) => sum + count, 0);
    const most = Math.max(...counts);
    const lines = counts.map((count, r) => [
      figure(r + 1, String(r + 1)),
      figure(count, counted(count)),
      figure(count, `${((100 * count) / all).toFixed(1)}%`),
      element("td", { class: "wide" }, element("span", { class: "bar", "aria-hidden": "true", style: `width:${(100 * count) / most}%` })),
    ]);
    const heads = [["stop round", "number"], ["trajectories", "number"], ["share", "number"], ["", "wide"]];
    return boxed("Stop rounds, selection split", heads, lines, false);
  }

  function byCell(cells) {
    const costs = units.cost === "calls" ? [] : [[units.cost, "number"]];
    const heads = [["cell", ""], ["n", "number"], [units.quality, "number"], ...costs, ["calls", "number"], ["fired", "number"]];
    const lines = cells.map(([name, [n, q, cost, calls, fired]]) => [
      element("td", { "data-sort": name }, name),
      figure(n, counted(n)),
      figure(q, quality(q)),
      ...(costs.length ? [figure(cost, cost.toFixed(3))] : []),
      figure(calls, calls.toFixed(3)),
      figure(fired, counted(fired)),
    ]);
    return boxed("By cell, selection split", heads, lines, true);
  }

  // The budget: the best rule within it. Rows stand from the cheapest to the dearest, ties in the order of preference.

  const slack = 1e-9 * (1 + Math.abs(data.budget.max));

  function within(budget) {
    let best = -1;
    rows.forEach((row, i) => {
      if (row.cost <= budget + slack && (best < 0 || row.quality > rows[best].quality)) best = i;
    });
    return best;
  }

  function spend() {
    const budget = Number(byId("budget").value);
    byId("budget-value").textContent = String(budget);
    const best = within(budget);
    byId("best").replaceChildren(
      ...(best < 0 ? ["No rule of the frontier costs so little."] : ["Best within it: ", element("code", {}, rows[best].rule), `, ${figures(rows[best])}`]),
    );
    views.frontier?.signal("budget", budget + slack);
    if (best >= 0) choose(best);
    else views.frontier?.runAsync();
  }

  // Charts: a point under the pointer is wrapped by the nearest-point overlay.

  const rowOf = (item) => (item?.isVoronoi ? item.datum.datum : item?.datum)?.i;

  // The tip is ours: the overlay would show undefined for the texts of a rule (Vega-Lite 6.4 reads the wrapping datum).

  const tip = element("div", { id: "tip", role: "tooltip", hidden: "" });
  document.body.append(tip);
  addEventListener("keydown", (event) => {
    if (event.key === "Escape") tip.hidden = true;
  });

  function showTip(_, event, item, value) {
    tip.hidden = value === null || value === "";
    if (tip.hidden) return;
    const i = rowOf(item);
    tip.replaceChildren(...(i === undefined ? listed(Object.entries(value)) : tipOf(rows[i])));
    const left = Math.min(event.clientX + 14, innerWidth - tip.offsetWidth - 8);
    const below = event.clientY + 18;
    const top = below + tip.offsetHeight > innerHeight ? event.clientY - tip.offsetHeight - 10 : below;
    tip.style.left = `${Math.max(8, left)}px`;
    tip.style.top = `${Math.max(8, top)}px`;
  }

  function tipOf(row) {
    const count = row.aliases.length + row.more;
    return [
      element("code", {}, row.rule),
      ...listed([
        [units.quality, quality(row.quality)],
        ...(units.cost === "calls" ? [] : [[units.cost, row.cost.toFixed(3)]]),
        ["calls", row.calls.toFixed(3)],
        ...(row.stability === null ? [] : [["stability", row.stability.toFixed(2)]]),
        ["aliases", count ? `${counted(count)}: ${row.aliases.slice(0, 2).join("; ")}${count > 2 ? " …" : ""}` : "none"],
        ...(row.locked ? [["", "the locked rule"]] : []),
      ]),
    ];
  }

  const listed = (pairs) => pairs.map(([name, value]) => element("div", {}, element("span", {}, name), ` ${value}`));

  async function draw() {
    const options = { actions: false, renderer: "svg", mode: "vega-lite", tooltip: showTip };
    for (const [name, spec] of Object.entries(data.charts)) {
      const place = byId(`chart-${name}`);
      views[name] = (await vegaEmbed(place, spec, options)).view;
    }
    views.frontier.addEventListener("click", (_, item) => {
      const i = rowOf(item);
      if (i !== undefined) choose(i);
    });
  }

  document.querySelectorAll("main table").forEach(sortable);
  document.addEventListener("click", (event) => {
    const button = event.target.closest("[data-choose]");
    if (!button) return;
    choose(Number(button.dataset.choose));
    byId("chosen").scrollIntoView({ block: "nearest" });
  });
  byId("budget").addEventListener("input", spend);
  let folded = [];
  addEventListener("beforeprint", () => {
    folded = [...document.querySelectorAll("details:not([open])")];
    folded.forEach((each) => (each.open = true));
  });
  addEventListener("afterprint", () => folded.forEach((each) => (each.open = false)));
  draw()
    .then(spend)
    .then(() => (document.documentElement.dataset.ready = "true"));
})();

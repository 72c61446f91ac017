"use strict";
(() => {
  const root = document.documentElement;
  const all = (selector, from = document) => Array.from(from.querySelectorAll(selector));
  const show = (id) => { const found = document.getElementById(id); if (found) { found.hidden = false; } return found; };

  const theme = show("theme");
  theme.addEventListener("click", () => {
    const dark = root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
    root.dataset.theme = dark ? "light" : "dark";
  });

  // Hover: the words of a mark beside the pointer.
  const tip = document.getElementById("tip");
  for (const title of all("svg circle > title, svg rect > title, svg line > title")) {
    title.parentNode.dataset.tip = title.textContent;
    title.remove();
  }
  document.addEventListener("pointermove", (event) => {
    const mark = event.target instanceof Element ? event.target.closest("[data-tip]") : null;
    tip.hidden = !mark;
    if (!mark) { return; }
    tip.textContent = mark.dataset.tip;
    const box = tip.getBoundingClientRect();
    const x = Math.min(event.clientX + 14, innerWidth - box.width - 8);
    const y = event.clientY + 18 + box.height > innerHeight ? event.clientY - box.height - 10 : event.clientY + 18;
    tip.style.transform = "translate(" + Math.max(4, x) + "px," + y + "px)";
  });

  // Sort: by the number of a cell where it has one, else by its words.
  const key = (row, at) => {
    const cell = row.cells[at];
    const value = cell.dataset.sort === undefined ? parseFloat(cell.textContent) : Number(cell.dataset.sort);
    return { value: cell.textContent.trim() === "-" ? NaN : value, text: cell.textContent.trim() };
  };
  const compare = (one, other, isNumber, down) => {
    if (!isNumber) { return down * one.text.localeCompare(other.text); }
    if (Number.isNaN(one.value) || Number.isNaN(other.value)) { return Number.isNaN(one.value) - Number.isNaN(other.value); }
    return down * (one.value - other.value);
  };
  for (const table of all("table.sortable")) {
    for (const head of all("thead th:not([data-nosort])", table)) {
      const button = document.createElement("button");
      button.type = "button";
      button.textContent = head.textContent;
      head.replaceChildren(button);
      button.addEventListener("click", () => {
        const down = head.getAttribute("aria-sort") === "ascending" ? -1 : 1;
        for (const other of all("th[aria-sort]", table)) { other.removeAttribute("aria-sort"); }
        head.setAttribute("aria-sort", down === 1 ? "ascending" : "descending");
        const body = table.tBodies[0];
        const isNumber = head.classList.contains("number");
        const rows = Array.from(body.rows, (row) => ({ row, key: key(row, head.cellIndex) }));
        rows.sort((one, other) => compare(one.key, other.key, isNumber, down));
        body.append(...rows.map((entry) => entry.row));
      });
    }
  }

  // Choose: methods come and go everywhere at once.
  const chooser = show("chooser");
  chooser.addEventListener("change", () => {
    const off = new Set(all("input", chooser).filter((box) => !box.checked).map((box) => box.value));
    for (const part of all("[data-method]")) { part.hidden = off.has(part.dataset.method); }
  });

  // A link to a folded chapter opens it.
  const open = () => {
    const target = location.hash.length > 1 ? document.getElementById(location.hash.slice(1)) : null;
    const folded = target ? target.querySelector("details.chapter") : null;
    if (folded) { folded.open = true; }
  };
  addEventListener("hashchange", open);
  open();

  const link = document.getElementById("download");
  if (!link.hasAttribute("href")) {
    const text = document.getElementById("answer").textContent;
    link.href = URL.createObjectURL(new Blob([text], { type: "application/json" }));
  }
})();

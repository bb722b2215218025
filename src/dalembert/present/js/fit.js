// Formulas fit their boxes: each tells its width, in its own letters, so that the style sheet can make it smaller; where
// the smallest letters are still too large, as on a phone, lines are broken once more, before their signs.
(function () {
  "use strict";
  const SMALLEST = 0.82, INDENT = 2, AIR = 0.97;

  function width(node) { return node.getBoundingClientRect().width; }
  function size(node) { return parseFloat(getComputedStyle(node).fontSize); }
  function isSign(node) { return node.localName === "mo" && (node.textContent === "+" || node.textContent === "\u2212"); }
  function isSum(node) { return node.localName === "mrow" && node.querySelector("mo") && Array.from(node.querySelectorAll("mo")).some(isSign); }
  // The parts of a line, with the rows that are too wide for one taken apart.
  function parts(nodes, most) {
    return nodes.flatMap(node => width(node) > most && isSum(node) ? parts(Array.from(node.children), most) : [node]);
  }
  function made(name, inside, look) {
    const node = document.createElementNS("http://www.w3.org/1998/Math/MathML", name);
    if (look) { node.setAttribute(look[0], look[1]); }
    node.append(...inside);
    return node;
  }
  // A left side that takes much of the room goes to the right, where it can be broken.
  function moved(cells, room) {
    if (cells.length < 2 || width(cells[0]) < room / 4) { return; }
    const left = Array.from(cells[0].childNodes), right = Array.from(cells[1].childNodes);
    cells[1].append(made("mrow", left.concat(right)));
    cells[0].append(made("mrow", []));
  }
  // What is in a row as lines that are no wider than so many pixels, where there are signs to break before.
  function split(body, most, further) {
    const units = [], lines = [[]];
    let steady = false;
    for (const part of parts([body], most / 2)) {
      if (!units.length || (isSign(part) && steady)) { units.push([]); }
      if (part.localName !== "mspace") { steady = !(part.localName === "mo" && /^[=([\u2061\u2062]$/.test(part.textContent)); }  // a sign behind these is no sum
      units[units.length - 1].push(part);
    }
    const begins = units.map(unit => unit[0].getBoundingClientRect().left), ends = units.map(unit => unit[unit.length - 1].getBoundingClientRect().right);
    let begin = begins[0];
    units.forEach(function (unit, k) {
      if (lines[lines.length - 1].length && ends[k] - begin > most) { lines.push([]); begin = begins[k] - further; }
      lines[lines.length - 1].push(...unit);
    });
    return lines;
  }
  // One row of a table as several.
  function broken(row, room, letter) {
    const cells = Array.from(row.children), body = cells[cells.length - 1].firstElementChild;
    const most = room - (cells.length > 1 ? width(cells[0]) : 0) - letter / 2;
    if (!body || width(body) <= most) { return; }
    for (const fraction of body.querySelectorAll("mfrac, msqrt")) { if (width(fraction) > most - INDENT * letter) { Array.from(fraction.children).forEach(part => stacked(part, most - 2 * INDENT * letter)); } }
    if (width(body) <= most) { return; }
    const lines = split(body, most, INDENT * letter);
    if (lines.length < 2) { return; }
    const rows = lines.map(function (line, k) {
      const space = k ? [made("mspace", [], ["width", INDENT + "em"])] : [], copy = cells.map(c => c.cloneNode(false));
      copy[copy.length - 1].append(made("mrow", space.concat(line)));
      if (cells.length > 1) { copy[0].append(k ? made("mrow", []) : cells[0].firstElementChild || made("mrow", [])); }
      const one = row.cloneNode(false);
      one.append(...copy);
      return one;
    });
    row.replaceWith(...rows);
  }
  // Above or below the bar of a fraction, or under a root, lines one below the other.
  function stacked(part, most) {
    if (width(part) <= most) { return; }
    const holder = part.parentElement, next = part.nextElementSibling, lines = split(part, most, 0);
    if (lines.length < 2) { return; }
    const table = made("mtable", lines.map(line => made("mtr", [made("mtd", [made("mrow", line)])])));
    part.remove();
    holder.insertBefore(table, next);
  }
  // A formula in a line as a table of one row.
  function tabled(math) {
    const body = made("mrow", Array.from(math.childNodes)), table = made("mtable", [made("mtr", [made("mtd", [body])])]);
    table.setAttribute("displaystyle", "true");
    table.firstElementChild.firstElementChild.setAttribute("class", "r");
    math.append(table);
    return table;
  }
  function fit(math) {
    const own = math.parentElement, box = own.matches(".whole") ? own.parentElement : own, letter = size(math), smaller = box.matches(".formulas, td");
    let room = AIR * box.clientWidth;
    if (!box.clientWidth || !width(math)) { return; }
    const sheet = box.closest(".wide"), cell = box.localName === "td" && getComputedStyle(box).display !== "block";
    if (cell) { room = box.clientWidth - Math.max(sheet ? sheet.scrollWidth - sheet.clientWidth : 0, 0) - letter / 2; } else if (box.localName === "p") { room -= letter; } else if (smaller) { room *= letter / (SMALLEST * size(document.documentElement)); } else { room -= Array.from(box.children).reduce((w, c) => c.contains(math) ? w : w + width(c) + letter, 0); }
    if (width(math) > room) {
      const table = math.querySelector(":scope > mtable, :scope > mrow > mtable") || tabled(math);
      Array.from(table.children).forEach(row => moved(Array.from(row.children), room));
      Array.from(table.children).forEach(row => broken(row, room, letter));
    }
    math.style.setProperty("--wide", (width(math) / letter).toFixed(1));
  }
  function fitAll(from) { from.querySelectorAll(".formulas > math, .entries > .long > math, td > math, td > .whole > math, section.part p > math, section.part p > .whole > math").forEach(function (math) { if (!math.style.getPropertyValue("--wide")) { fit(math); } }); }
  // Equations beside the mechanism have letters of about one size.
  function even(column) {
    const several = Array.from(column.querySelectorAll(".formulas > math")), wide = several.map(m => parseFloat(m.style.getPropertyValue("--wide")) || 0);
    several.forEach(function (m, k) { if (wide[k]) { m.style.setProperty("--wide", Math.max(wide[k], 0.85 * Math.max(...wide)).toFixed(1)); } });
  }
  function whole() { fitAll(document); document.querySelectorAll(".columns > .beside").forEach(even); }
  document.body.classList.remove("reading");
  whole();  // what is there already; the rest when all is
  document.addEventListener("DOMContentLoaded", whole);
  document.addEventListener("toggle", function (event) { fitAll(event.target); }, true);
  document.addEventListener("unpacked", function (event) { fitAll(event.target); });
})();

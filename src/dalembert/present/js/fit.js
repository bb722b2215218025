// Formulas fit their boxes: each tells its width, in its own letters, so that the style sheet can make it smaller; where
// the smallest letters are still too large, as on a phone, lines are broken once more, before their signs.
(function () {
  "use strict";
  const SMALLEST = 0.72, INDENT = 2, AIR = 0.97;

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
  // One row of a table as several, none wider than so many pixels where there is a sign to break before.
  function broken(row, room, letter) {
    const cells = Array.from(row.children), body = cells[cells.length - 1].firstElementChild;
    const most = room - (cells.length > 1 ? width(cells[0]) : 0) - letter / 2, further = INDENT * letter;
    if (!body || width(body) <= most) { return; }
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
  function fit(math) {
    const box = math.parentElement, letter = size(math), smaller = box.classList.contains("formulas");
    let room = AIR * box.clientWidth;
    if (!box.clientWidth || !width(math)) { return; }
    if (smaller) { room *= letter / (SMALLEST * size(document.documentElement)); } else { room -= Array.from(box.children).reduce((w, c) => c === math ? w : w + width(c) + letter, 0); }
    const table = math.querySelector(":scope > mtable, :scope > mrow > mtable");
    if (table && width(math) > room) { Array.from(table.children).forEach(row => broken(row, room, letter)); }
    math.style.setProperty("--wide", (width(math) / letter).toFixed(1));
  }
  function fitAll(from) { from.querySelectorAll(".formulas > math, .entries > .long > math").forEach(function (math) { if (!math.style.getPropertyValue("--wide")) { fit(math); } }); }
  fitAll(document);
  document.addEventListener("toggle", function (event) { fitAll(event.target); }, true);
  document.addEventListener("unpacked", function (event) { fitAll(event.target); });
})();

// An editor of model files: a text area over a coloured copy of its text, numbers beside it, faults under their lines.
const NAMED = ["coordinates", "parameters", "functions", "let", "speeds", "controls", "frames", "points", "bodies"];
const FORMULAS = ["lagrangian", "let", "speeds", "constraints", "holonomic", "forces", "equations", "symmetry", "virtual", "assume", "start", "functions", "stops", "facts", "drawing", "bundle", "points", "momentum"];
const TOKEN = /(#.*$)|("""[\s\S]*?(?:"""|(?![\s\S]))|'''[\s\S]*?(?:'''|(?![\s\S]))|"(?:[^"\\\n]|\\.)*"?|'[^'\n]*'?)|(^[ \t]*\[\[?[^\]\n]*\]?\]?)|(^[ \t]*(?:[\w-]+|"(?:[^"\\\n]|\\.)*")(?:\.(?:[\w-]+|"[^"\n]*"))*[ \t]*(?==))|(\b\d[\d_]*(?:\.\d+)?(?:[eE][+-]?\d+)?\b|\btrue\b|\bfalse\b)/gm;
const LOOKS = ["comment", "string", "table", "key", "number"];
const MOST_OFFERED = 8;

export function editor(box, changed, go) {
  function made(name, look, parent) { const one = document.createElement(name); one.className = look; parent.append(one); return one; }
  const numbers = made("div", "numbers", box), sheet = made("div", "sheet", box), copy = made("pre", "copy", sheet);
  const marks = made("div", "marks", sheet), area = made("textarea", "area", sheet), offers = made("ul", "offers", sheet);
  area.spellcheck = false; area.autocapitalize = "off"; area.autocomplete = "off"; area.wrap = "off";
  area.setAttribute("aria-label", "the model file");
  offers.hidden = true; offers.setAttribute("role", "listbox");
  copy.setAttribute("aria-hidden", "true"); numbers.setAttribute("aria-hidden", "true");
  let words = null, told = [], chosen = 0, offered = null, lines = 0;

  // -- what is seen ---------------------------------------------------------------------------------------------------
  function colour() {
    const text = area.value, parts = document.createDocumentFragment();
    let at = 0;
    for (const match of text.matchAll(TOKEN)) {
      const kind = LOOKS[match.slice(1).findIndex(part => part !== undefined)];
      parts.append(text.slice(at, match.index));
      const one = document.createElement("span"); one.className = kind; one.textContent = match[0]; parts.append(one);
      at = match.index + match[0].length;
    }
    parts.append(text.slice(at) + "\n");
    copy.replaceChildren(parts);
    const many = text.split("\n").length;
    if (many !== lines) { lines = many; numbers.replaceChildren(...Array.from({ length: many }, (_, k) => { const one = document.createElement("div"); one.textContent = k + 1; return one; })); }
  }
  function scroll() {
    const moved = "translate(" + -area.scrollLeft + "px, " + -area.scrollTop + "px)";
    copy.style.transform = moved; marks.style.transform = moved;
    numbers.style.transform = "translateY(" + -area.scrollTop + "px)";
    if (!offers.hidden) { beside(); }
  }
  function measure() {
    const style = window.getComputedStyle(area), pen = (measure.pen = measure.pen || document.createElement("canvas").getContext("2d"));
    pen.font = style.font;
    return { high: parseFloat(style.lineHeight), wide: pen.measureText("0").width, left: parseFloat(style.paddingLeft), top: parseFloat(style.paddingTop) };
  }
  // A fault stands under its line, to the right of what stands there; a line with one is marked.
  function mark() {
    const size = measure(), text = area.value.split("\n"), taken = {};
    marks.replaceChildren();
    for (const one of numbers.children) { one.className = ""; }
    for (const fault of told) {
      if (!fault.line || fault.line > text.length) { continue; }
      if (numbers.children[fault.line - 1]) { numbers.children[fault.line - 1].className = "bad"; }
      const bad = made("div", "bad", marks), line = text[fault.line - 1], indent = line.length - line.trimStart().length;
      const column = /column (\d+)/.exec(fault.said);
      bad.style.top = size.top + (fault.line - 1) * size.high + "px"; bad.style.height = size.high + "px";
      bad.style.left = size.left + indent * size.wide + "px"; bad.style.width = Math.max(line.trim().length, 1) * size.wide + "px";
      if (column) { bad.dataset.column = column[1]; }
      const row = fault.line + (taken[fault.line] = (taken[fault.line] || 0) + 1) - 1, below = text[row] || "";
      const said = made("div", "fault", marks);
      said.textContent = fault.said; said.title = fault.said; said.dataset.line = fault.line;
      said.style.top = size.top + row * size.high + "px"; said.style.minHeight = size.high + "px";
      said.style.left = size.left + Math.max(indent + 2, below.trimEnd().length + 2) * size.wide + "px";
    }
  }

  // -- what is offered: tables and keys of the schema, names of the model, functions ------------------------------------
  function place() {
    const before = area.value.slice(0, area.selectionStart), line = before.slice(before.lastIndexOf("\n") + 1);
    const heads = [...before.matchAll(/^[ \t]*\[+([\w.]+)/gm)], table = heads.length ? heads[heads.length - 1][1].split(".")[0] : "";
    const key = /^\s*([\w]+)\s*=/.exec(line), quotes = (line.match(/"/g) || []).length;
    return { line: line, table: table, key: key ? key[1] : "", inside: quotes % 2 === 1, word: /[A-Za-z_]\w*$/.exec(line)?.[0] || "" };
  }
  function names() {
    const found = new Set();
    let table = "";
    for (const line of area.value.split("\n")) {
      const head = /^\s*\[+([\w]+)/.exec(line), entry = /^\s*([A-Za-z_]\w*)\s*=/.exec(line);
      if (head) { table = head[1]; } else if (entry && NAMED.includes(table)) { found.add(entry[1]); }
    }
    return [...found];
  }
  function candidates(at) {
    if (!words) { return []; }
    const tables = words.tables;
    if (/^\s*\[+\w*$/.test(at.line)) { return Object.keys(tables).filter(name => tables[name].table).map(name => [name, tables[name].said]); }
    const here = tables[at.table];
    if (at.inside) {
      const spelled = here && (here.keys[at.key]?.length ? here.keys[at.key] : at.table === "coordinates" ? here.values : []);
      if (spelled && spelled.length) { return spelled.map(word => [word, ""]); }
      if (at.table && !FORMULAS.includes(at.table) || !at.table && at.key !== "lagrangian") { return []; }
      return names().map(name => [name, "of this model"]).concat(words.functions.map(name => [name + "(", "function"]));
    }
    if (at.key) { return []; }
    if (!at.table) { return Object.keys(tables).filter(name => !area.value.includes(name)).map(name => [name, tables[name].said]); }
    const keys = here ? Object.keys(here.keys) : [];
    return keys.map(name => [name, ""]).concat(["start", "symmetry", "momentum", "forces"].includes(at.table) ? names().map(name => [name, "of this model"]) : []);
  }
  function offer(always) {
    const at = place(), opens = /^\s*\[+$/.test(at.line);
    const fitting = at.word || always || opens ? candidates(at).filter(c => c[0].startsWith(at.word) && c[0] !== at.word).slice(0, MOST_OFFERED) : [];
    offered = fitting.length ? { at: at, list: fitting } : null;
    offers.hidden = !offered;
    if (!offered) { return; }
    chosen = 0;
    offers.replaceChildren(...fitting.map(function (candidate, k) {
      const one = document.createElement("li"), note = document.createElement("span");
      one.textContent = candidate[0]; note.textContent = candidate[1]; one.append(note);
      one.setAttribute("role", "option");
      one.addEventListener("pointerdown", event => { event.preventDefault(); chosen = k; take(); });
      return one;
    }));
    choose(0);
    beside();
  }
  // Below the line that is typed, or above it where there is no room below.
  function beside() {
    const size = measure(), row = area.value.slice(0, area.selectionStart).split("\n").length, at = offered.at;
    const below = size.top + row * size.high - area.scrollTop + 2, above = below - size.high - offers.offsetHeight - 4;
    offers.style.left = Math.max(0, Math.min(size.left + (at.line.length - at.word.length) * size.wide - area.scrollLeft, sheet.clientWidth - offers.offsetWidth)) + "px";
    offers.style.top = (below + offers.offsetHeight > sheet.clientHeight && above >= 0 ? above : below) + "px";
  }
  function choose(step) {
    chosen = (chosen + step + offered.list.length) % offered.list.length;
    [...offers.children].forEach((one, k) => one.setAttribute("aria-selected", k === chosen));
  }
  function take() {
    const word = offered.list[chosen][0], rest = word.slice(offered.at.word.length);
    put(rest);
  }
  function put(text) {
    area.focus();
    if (!document.execCommand("insertText", false, text)) { area.setRangeText(text, area.selectionStart, area.selectionEnd, "end"); edited(); }
    offers.hidden = true;
  }

  // -- what is typed ----------------------------------------------------------------------------------------------------
  function edited() { colour(); scroll(); mark(); changed(); }
  area.addEventListener("input", function (event) {
    edited();
    if (event.inputType === "insertText") { offer(false); } else { offers.hidden = true; }
  });
  area.addEventListener("scroll", scroll);
  area.addEventListener("blur", () => { offers.hidden = true; });
  area.addEventListener("click", () => { offers.hidden = true; });
  area.addEventListener("keydown", function (event) {
    if ((event.ctrlKey || event.metaKey) && event.key === "Enter") { event.preventDefault(); go(); return; }
    if (event.ctrlKey && event.key === " ") { event.preventDefault(); offer(true); return; }
    if (offers.hidden) { return; }
    if (event.key === "ArrowDown" || event.key === "ArrowUp") { event.preventDefault(); choose(event.key === "ArrowDown" ? 1 : -1); }
    else if (event.key === "Tab" || event.key === "Enter") { event.preventDefault(); take(); }
    else if (event.key === "Escape") { event.preventDefault(); offers.hidden = true; }
  });
  window.addEventListener("resize", mark);

  return {
    text: () => area.value,
    know: found => { words = found; },
    faults: found => { told = found; mark(); },
    // The whole text is put in as if it were typed, so that it can be undone.
    set: function (text) {
      if (area.value === text) { return; }
      area.focus({ preventScroll: true });
      area.select();
      put(text);
    },
    top: () => { area.setSelectionRange(0, 0); area.scrollTop = 0; area.scrollLeft = 0; scroll(); },
    go: function (line) {
      const at = area.value.split("\n").slice(0, line - 1).join("\n").length + (line > 1 ? 1 : 0);
      area.focus(); area.setSelectionRange(at, at);
      area.scrollTop = Math.max(0, (line - 4) * measure().high);
      scroll();
    }
  };
}

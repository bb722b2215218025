// "LaTeX" and "text" at every formula and table, "text" at a file: what is copied is read off the MathML that is seen.
(function () {
  "use strict";
  const GREEK = /*GREEK*/{};
  const FUNCTIONS = ["sin", "cos", "tan", "exp", "log", "ln", "arctan", "arcsin", "arccos", "atan", "asin", "acos", "det", "sinh", "cosh", "tanh"];
  const TEXT_OF = { arctan: "atan", arcsin: "asin", arccos: "acos", ln: "log" };
  const SIGNS = { "\u2212": "-", "\u00b7": "\\cdot ", "\u2202": "\\partial ", "\u2227": "\\wedge ", "\u2297": "\\otimes ", "\u2192": "\\to ", "\u2264": "\\le ", "\u2265": "\\ge ", "\u2260": "\\ne ", "\u221e": "\\infty ", "\u2026": "\\dots ", "{": "\\{", "}": "\\}" };
  const DOTS = { ".": "dot", "..": "ddot", "...": "dddot", "^": "hat", "\u02c6": "hat", "\u0302": "hat" };
  const TIMES = "\u2062", APPLY = "\u2061";

  function kids(node) { return Array.from(node.children); }
  function row(nodes, one) { return nodes.map(one).join(""); }
  function bare(text) { return text.replace(/\s+/g, " ").trim(); }

  function latex(node) {
    const c = kids(node), text = node.textContent;
    switch (node.localName) {
      case "mi":
        if (GREEK[text]) { return "\\" + GREEK[text] + " "; }
        if (FUNCTIONS.includes(text)) { return "\\" + text + " "; }
        return text.length === 1 ? text : "\\mathrm{" + text.replace(/_/g, "\\_") + "}";
      case "mn": return text;
      case "mo": return text === TIMES ? "\\," : text === APPLY ? "" : SIGNS[text] || text;
      case "mtext": return "\\text{" + text + "}";
      case "mspace": return node.getAttribute("width") === "2em" ? "\\qquad " : "";
      case "mfrac": return "\\frac{" + latex(c[0]) + "}{" + latex(c[1]) + "}";
      case "msup": return base(c[0]) + "^{" + latex(c[1]) + "}";
      case "msub": return base(c[0]) + "_{" + latex(c[1]) + "}";
      case "msubsup": return base(c[0]) + "_{" + latex(c[1]) + "}^{" + latex(c[2]) + "}";
      case "msqrt": return "\\sqrt{" + row(c, latex) + "}";
      case "mroot": return "\\sqrt[" + latex(c[1]) + "]{" + latex(c[0]) + "}";
      case "mover": return "\\" + (DOTS[c[1].textContent] || "overline") + "{" + latex(c[0]) + "}";
      case "mtable": {
        const rows = c.map(r => kids(r).map(latex).join(" & ")).join(" \\\\\n"), around = node.previousElementSibling;
        const within = around && around.localName === "mo" && /^[([|]$/.test(around.textContent) ? "matrix" : "aligned";
        return "\\begin{" + within + "}\n" + rows + "\n\\end{" + within + "}";
      }
      default: return row(c, latex);
    }
  }
  function base(node) {
    const text = latex(node);
    return node.localName === "mrow" || node.localName === "msup" || node.localName === "msub" ? "{" + text + "}" : text.trim();
  }

  // As our own grammar writes it: products with *, names of letters, primes.
  function plain(node) {
    const c = kids(node), text = node.textContent;
    switch (node.localName) {
      case "mi": return GREEK[text] || TEXT_OF[text] || text;
      case "mn": return text;
      case "mo": return text === TIMES || text === "\u00b7" ? "*" : text === APPLY ? "" : text === "\u2212" ? " - " : text === "+" || text === "=" ? " " + text + " " : text;
      case "mspace": return "";
      case "mfrac": return closed(c[0]) + "/" + closed(c[1]);
      case "msup":  // where e is a name in a formula, powers of Euler's number are written exp
        if (c[0].localName === "mi" && c[0].textContent === "e" && c[1].localName !== "mn") { return "exp(" + plain(c[1]).trim() + ")"; }
        return closed(c[0]) + "^" + closed(c[1]);
      case "msub": { const low = plain(c[1]), high = plain(c[0]); const dots = /'*$/.exec(high)[0]; return high.slice(0, high.length - dots.length) + (/^\d+$/.test(low) ? "" : "_") + low + dots; }
      case "msubsup": return plain(c[0]) + plain(c[1]) + "^" + closed(c[2]);
      case "msqrt": return "sqrt(" + sequence(c) + ")";
      case "mroot": return closed(c[0]) + "^(1/" + plain(c[1]) + ")";
      case "mover": return DOTS[c[1].textContent] === "hat" ? "hat(" + plain(c[0]) + ")" : plain(c[0]) + "'".repeat(c[1].textContent.length);
      case "mtable": return c.map(r => kids(r).map(plain).join("\t").replace(/\t\s*=/g, " =")).join("\n");
      default: return sequence(c);
    }
  }
  // A row: what follows an application is its argument, also of a power of a function.
  function sequence(nodes) {
    let out = "";
    const list = nodes.filter(n => n.localName !== "mspace");
    for (let k = 0; k < list.length; k++) {
      const applied = k + 2 < list.length + 0 && list[k + 1] && list[k + 1].textContent === APPLY && list[k + 1].localName === "mo";
      if (!applied) { out += plain(list[k]); continue; }
      const inner = plain(list[k + 2]), argument = enclosed(inner) ? inner : "(" + inner + ")";
      out += list[k].localName === "msup" ? plain(kids(list[k])[0]) + argument + "^" + closed(kids(list[k])[1]) : plain(list[k]) + argument;
      k += 2;
    }
    return out;
  }
  function enclosed(text) {
    if (!/^\(.*\)$/.test(text)) { return false; }
    let depth = 0;
    for (let k = 0; k < text.length; k++) { depth += text[k] === "(" ? 1 : text[k] === ")" ? -1 : 0; if (!depth && k < text.length - 1) { return false; } }
    return true;
  }
  function closed(node) { const text = plain(node).trim(); return /^[\w.']+$/.test(text) || enclosed(text) ? text : "(" + text + ")"; }

  function cell(node, one) {
    const copy = Array.from(node.childNodes).map(n => n.nodeType === 3 ? n.textContent : n.localName === "math" ? (one === latex ? "$" + latex(n) + "$" : plain(n)) : cell(n, one));
    return bare(copy.join(" "));
  }
  function tableOf(table, one) {
    const rows = Array.from(table.rows).map(r => Array.from(r.cells).map(c => cell(c, one)));
    if (one === plain) { return rows.map(r => r.join("\t")).join("\n"); }
    const wide = Math.max(...rows.map(r => r.length));
    return "\\begin{tabular}{" + "l".repeat(wide) + "}\n" + rows.map(r => r.join(" & ")).join(" \\\\\n") + "\n\\end{tabular}";
  }
  function written(target, kind) {
    if (target.localName === "pre") { return target.textContent; }
    const one = kind === "latex" ? latex : plain;
    return target.localName === "table" ? tableOf(target, one) : one(target).trim();
  }

  const bar = document.createElement("div");
  bar.className = "copier"; bar.hidden = true;
  let target = null;
  for (const kind of ["latex", "text"]) {
    const button = document.createElement("button");
    button.type = "button"; button.textContent = kind === "latex" ? "copy LaTeX" : "copy text";
    button.addEventListener("click", function (event) {
      event.stopPropagation();
      put(written(target, kind));
      button.textContent = "copied";
      setTimeout(function () { button.textContent = kind === "latex" ? "copy LaTeX" : "copy text"; }, 900);
    });
    bar.append(button);
  }
  document.body.append(bar);
  function put(text) {
    bar.dataset.copied = text;
    const area = document.createElement("textarea");
    area.value = text; area.style.position = "fixed"; area.style.opacity = "0";
    document.body.append(area); area.select();
    document.execCommand("copy");  // works where a page is opened from a folder, too
    area.remove();
  }
  function offer(node) {
    target = node;
    const r = node.getBoundingClientRect(), page = document.documentElement;
    bar.hidden = false;
    bar.firstChild.hidden = node.localName === "pre";  // a text is no formula
    bar.style.top = Math.max(r.top + window.scrollY - 26, 0) + "px";
    bar.style.left = Math.min(Math.max(r.left + window.scrollX, 4), page.clientWidth - bar.offsetWidth - 4) + "px";
  }
  function found(node) { return node.closest && (node.closest("math") || node.closest("table") || node.closest("pre")); }
  document.addEventListener("pointerover", function (event) {
    const node = found(event.target);
    if (node) { offer(node); } else if (!bar.contains(event.target) && target) {
      const r = target.getBoundingClientRect();
      if (event.clientY < r.top - 40 || event.clientY > r.bottom + 40) { bar.hidden = true; }
    }
  });
  document.querySelectorAll(".formulas").forEach(function (box) {
    box.tabIndex = 0;
    box.addEventListener("focus", function () { const one = box.querySelector("math"); if (one) { offer(one); } });
  });
  document.addEventListener("keydown", function (event) { if (event.key === "Escape") { bar.hidden = true; } });
  window.addEventListener("beforeprint", function () { bar.hidden = true; });
  bar.written = written;
})();

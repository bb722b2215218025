// Plots that can be read off, enlarged and saved. A plot is given curves [{ label, x, y }] and redraws when they change.
(function () {
  "use strict";
  const W = 560, H = 270, LEFT = 62, RIGHT = 12, TOP = 24, BOTTOM = 40;
  const COLOURS = ["#2f6fb3", "#c8452f", "#1b7a43", "#8a5cc0", "#946312", "#2f7986"];  // on a white sheet; on the page: living.css

  function ticks(low, high, many) {
    const span = high - low;
    if (!(span > 0)) { return [low]; }
    const size = Math.pow(10, Math.floor(Math.log10(span / many)));
    const step = [1, 2, 5, 10].map(m => m * size).find(s => span / s <= many) || 10 * size, found = [];
    for (let x = Math.ceil(low / step - 1e-9) * step; x <= high + 1e-9 * step; x += step) { found.push(Math.abs(x) < 1e-9 * step ? 0 : x); }
    return found;
  }
  function short(value) {
    const size = Math.abs(value);
    if (value === 0) { return "0"; }
    return size >= 1e5 || size < 1e-3 ? value.toExponential(1).replace("e+", "e") : String(Number(value.toPrecision(4)));
  }

  // A name may have a subscript, marked as in "q_{S,0}": lowered where that can be, beside it elsewhere.
  function plain(text) { return text.replace(/_\{([^}]*)\}/g, " $1"); }
  function spelled(node, text) {
    const drawn = node.namespaceURI === "http://www.w3.org/2000/svg";
    let low = false;
    node.textContent = "";
    text.split(/_\{([^}]*)\}/).forEach(function (piece, k) {
      if (!piece) { return; }
      if (drawn) {
        dalembert.pictures.element("tspan", k % 2 ? { dy: 3.5, "font-size": "75%" } : low ? { dy: -3.5 } : {}, node).textContent = piece;
        low = k % 2 === 1;
      } else if (k % 2) {
        const below = document.createElement("sub"); below.textContent = piece; node.append(below);
      } else { node.append(piece); }
    });
  }

  function plot(parent, title, options) {
    const element = dalembert.pictures.element;
    const box = document.createElement("figure"), svg = element("svg", { viewBox: "0 0 " + W + " " + H, "class": "curves", role: "img", "aria-label": plain(title) });
    box.className = "curve";
    const head = document.createElement("figcaption"), name = document.createElement("span"), tools = document.createElement("span");
    spelled(name, title); tools.className = "tools";
    head.append(name, tools); box.append(head, svg);
    const told = document.createElement("output"); told.className = "told"; box.append(told);
    parent.append(box);
    const state = { curves: [], log: !!options.log, zoom: null, wrap: false };

    function button(text, title, act) {
      const made = document.createElement("button");
      made.type = "button"; made.textContent = text; made.title = title;
      made.addEventListener("click", function () { act(made); draw(); });
      tools.append(made);
      return made;
    }
    if (!options.equal) {
      button("log", "logarithmic scale of sizes", function (b) { state.log = !state.log; state.zoom = null; b.setAttribute("aria-pressed", state.log); })
        .setAttribute("aria-pressed", state.log);
    }
    if (options.angles) { button("wrap", "angles between -pi and pi", function (b) { state.wrap = !state.wrap; b.setAttribute("aria-pressed", state.wrap); }).setAttribute("aria-pressed", false); }
    button("all", "the whole curve again", function () { state.zoom = null; });
    button("SVG", "save as SVG", function () { save(plain(title) + ".svg", "image/svg+xml", picture()); });
    button("PNG", "save as PNG", function () {
      const image = new Image(), sheet = document.createElement("canvas");
      image.onload = function () {
        sheet.width = 2 * W; sheet.height = 2 * H;
        const pen = sheet.getContext("2d");
        pen.fillStyle = "#fff"; pen.fillRect(0, 0, 2 * W, 2 * H); pen.drawImage(image, 0, 0, 2 * W, 2 * H);
        sheet.toBlob(function (blob) { saveBlob(plain(title) + ".png", blob); });
      };
      image.src = "data:image/svg+xml;charset=utf-8," + encodeURIComponent(picture());
    });

    const SMALLEST = 1e-18;  // less is zero on a logarithmic scale, as it is in the plots on paper
    function value(v) {
      if (state.log) { const size = Math.abs(v); return size > SMALLEST ? Math.log10(size) : size <= SMALLEST ? state.zero : NaN; }
      return state.wrap ? v - 2 * Math.PI * Math.round(v / (2 * Math.PI)) : v;
    }
    // Where zero is drawn on a logarithmic scale: a decade below all that is not.
    function lowest() {
      let least = Infinity;
      for (const c of state.curves) { for (const v of c.y) { const size = Math.abs(v); if (size > SMALLEST && size < least) { least = size; } } }
      return least < Infinity ? Math.floor(Math.log10(least)) - 1 : -17;
    }
    function bounds() {
      let b = [Infinity, Infinity, -Infinity, -Infinity];
      for (const c of state.curves) {
        for (let k = 0; k < c.x.length; k++) {
          const x = c.x[k], y = value(c.y[k]);
          if (x - x === 0 && y - y === 0) { b = [Math.min(b[0], x), Math.min(b[1], y), Math.max(b[2], x), Math.max(b[3], y)]; }
        }
      }
      if (!(b[2] >= b[0])) { b = [0, 0, 1, 1]; }
      if (b[2] === b[0]) { b[2] += 1; b[0] -= 1; }
      if (b[3] - b[1] < 1e-12 * Math.max(Math.abs(b[3]), 1e-300)) { const m = Math.abs(b[1]) || 1; b[1] -= 0.5 * m; b[3] += 0.5 * m; }
      const air = 0.05 * (b[3] - b[1]);
      b[1] -= air; b[3] += air;
      if (options.equal) {
        const side = Math.max((b[2] - b[0]) / (W - LEFT - RIGHT), (b[3] - b[1]) / (H - TOP - BOTTOM));
        const x = (b[0] + b[2]) / 2, y = (b[1] + b[3]) / 2, w = side * (W - LEFT - RIGHT) / 2, h = side * (H - TOP - BOTTOM) / 2;
        b = [x - w, y - h, x + w, y + h];
      }
      return b;
    }
    let b = [0, 0, 1, 1];
    function px(x) { return LEFT + (x - b[0]) / (b[2] - b[0]) * (W - LEFT - RIGHT); }
    function py(y) { return H - BOTTOM - (y - b[1]) / (b[3] - b[1]) * (H - TOP - BOTTOM); }

    function draw() {
      state.zero = lowest();
      b = state.zoom || bounds();
      while (svg.firstChild) { svg.removeChild(svg.firstChild); }
      const clip = "clip" + Math.random().toString(36).slice(2);
      const cut = element("clipPath", { id: clip }, element("defs", {}, svg));
      element("rect", { x: LEFT, y: TOP, width: W - LEFT - RIGHT, height: H - TOP - BOTTOM }, cut);
      for (const x of ticks(b[0], b[2], 7)) {
        element("line", { "class": "grid", x1: px(x), x2: px(x), y1: TOP, y2: H - BOTTOM }, svg);
        element("text", { "class": "tick", x: px(x), y: H - BOTTOM + 16, "text-anchor": "middle" }, svg).textContent = short(x);
      }
      const zeros = state.log && state.curves.some(c => c.y.some(v => v === 0)), rungs = ticks(b[1], b[3], 6);
      if (zeros && !rungs.includes(state.zero) && state.zero >= b[1]) { rungs.unshift(state.zero); }
      for (const y of rungs) {
        if (zeros && y !== state.zero && Math.abs(py(y) - py(state.zero)) < 14) { continue; }
        if (state.log && b[3] - b[1] > 2 && y !== Math.round(y)) { continue; }
        if (zeros && y < state.zero) { continue; }  // there is nothing below zero
        element("line", { "class": "grid", x1: LEFT, x2: W - RIGHT, y1: py(y), y2: py(y) }, svg);
        element("text", { "class": "tick", x: LEFT - 6, y: py(y) + 4, "text-anchor": "end" }, svg).textContent = state.log ? (y === state.zero && zeros ? "0" : y === Math.round(y) ? "1e" + y : Math.pow(10, y).toExponential(1)) : short(y);
      }
      element("text", { "class": "axis", x: (LEFT + W - RIGHT) / 2, y: H - 6, "text-anchor": "middle" }, svg);
      spelled(svg.lastChild, options.x || "t");
      if (options.y) { element("text", { "class": "axis", x: 14, y: (TOP + H - BOTTOM) / 2, transform: "rotate(-90 14 " + (TOP + H - BOTTOM) / 2 + ")", "text-anchor": "middle" }, svg); spelled(svg.lastChild, options.y); }
      let key = LEFT;  // the names stand above, where no curve goes
      state.curves.forEach(function (c, k) {
        let path = "", pen = false, last = 0;
        for (let i = 0; i < c.x.length; i++) {
          const y = value(c.y[i]);
          if (!(y - y === 0)) { pen = false; continue; }
          if (state.wrap && pen && Math.abs(y - last) > Math.PI) { pen = false; }
          path += (pen ? "L" : "M") + px(c.x[i]).toFixed(1) + " " + py(y).toFixed(1);
          pen = !c.dots; last = y;
          if (c.dots) { path += "h.01"; }
        }
        element("path", { "class": (c.dots ? "points" : "line") + " c" + k % COLOURS.length, d: path, "clip-path": "url(#" + clip + ")" }, svg);
        if (state.curves.length > 1 || c.named) {
          element("text", { "class": "key c" + k % COLOURS.length, x: key, y: TOP - 9 }, svg);
          spelled(svg.lastChild, c.label);
          key += 18 + 7 * plain(c.label).length;
        }
      });
      state.cursor = element("line", { "class": "cursor", x1: -9, x2: -9, y1: TOP, y2: H - BOTTOM }, svg);
      state.frame = element("rect", { "class": "frame", x: 0, y: 0, width: 0, height: 0 }, svg);
    }

    function place(event) {
      const r = svg.getBoundingClientRect();
      return [(event.clientX - r.left) * W / r.width, (event.clientY - r.top) * H / r.height];
    }
    function back(p) { return [b[0] + (p[0] - LEFT) / (W - LEFT - RIGHT) * (b[2] - b[0]), b[1] + (H - BOTTOM - p[1]) / (H - TOP - BOTTOM) * (b[3] - b[1])]; }
    let from = null;
    svg.addEventListener("pointerdown", function (e) { from = place(e); svg.setPointerCapture(e.pointerId); });
    svg.addEventListener("pointermove", function (e) {
      const at = place(e), where = back(at);
      if (from) {
        state.frame.setAttribute("x", Math.min(from[0], at[0])); state.frame.setAttribute("y", Math.min(from[1], at[1]));
        state.frame.setAttribute("width", Math.abs(at[0] - from[0])); state.frame.setAttribute("height", Math.abs(at[1] - from[1]));
        return;
      }
      let nearest = null;
      state.curves.forEach(function (c) {
        for (let k = 0; k < c.x.length; k++) {
          const d = Math.hypot(px(c.x[k]) - at[0], options.time ? 0 : py(value(c.y[k])) - at[1]);
          if (d - d === 0 && (!nearest || d < nearest[0])) { nearest = [d, k, c.x[k]]; }
        }
      });
      if (!nearest) { return; }
      state.cursor.setAttribute("x1", px(nearest[2])); state.cursor.setAttribute("x2", px(nearest[2]));
      spelled(told, (options.x || "t") + " = " + Number(nearest[2].toPrecision(6)) + "; " + state.curves.map(c => c.label + " = " + (c.y[nearest[1]] === undefined ? "" : Number(c.y[nearest[1]].toPrecision(6)))).join(", "));
    });
    svg.addEventListener("pointerup", function (e) {
      const at = place(e), start = from;
      from = null;
      if (start && Math.abs(at[0] - start[0]) > 12 && Math.abs(at[1] - start[1]) > 12) {
        const p = back(start), q = back(at);
        state.zoom = [Math.min(p[0], q[0]), Math.min(p[1], q[1]), Math.max(p[0], q[0]), Math.max(p[1], q[1])];
        draw();
      } else if (state.frame) { state.frame.setAttribute("width", 0); }
    });
    svg.addEventListener("dblclick", function () { state.zoom = null; draw(); });

    function picture() {
      const copy = svg.cloneNode(true);
      copy.setAttribute("xmlns", "http://www.w3.org/2000/svg"); copy.setAttribute("width", W); copy.setAttribute("height", H);
      const style = element("style", {});
      style.textContent = "text{font:12px sans-serif;fill:#222}.grid{stroke:#ddd}.line{fill:none;stroke-width:1.6}.points{fill:none;stroke-width:3;stroke-linecap:round}.cursor,.frame{display:none}" + COLOURS.map((c, k) => "path.c" + k + "{stroke:" + c + "}text.c" + k + "{fill:" + c + "}").join("");
      copy.insertBefore(style, copy.firstChild);
      return new XMLSerializer().serializeToString(copy);
    }
    return {
      box: box,
      set: function (curves, words) {
        state.curves = curves;
        if (words) { options.x = words[0]; options.y = words[1]; spelled(name, words[2]); }
        draw();
      }
    };
  }

  function saveBlob(file, blob) {
    const link = document.createElement("a");
    link.href = URL.createObjectURL(blob); link.download = file.replace(/[^\p{L}\p{M}\p{N}. ,'()_-]+/gu, "_");
    document.body.append(link); link.click(); link.remove();
    setTimeout(function () { URL.revokeObjectURL(link.href); }, 1000);
  }
  function save(file, kind, text) { saveBlob(file, new Blob([text], { type: kind })); }

  dalembert.curves = { plot: plot, save: save, short: short, plain: plain, spelled: spelled };
})();

// What is drawn: figures (kind, vectors of space) as polylines, seen from where one stands, on a sheet of SVG.
(function () {
  "use strict";
  const ROUND = 36, TREADS = 6, COILS = 8, WIDTH = 800, HEIGHT = 490, MARGIN = 0.07, EDGE = 30;
  const FACES = [[0, 1, 3, 2], [4, 6, 7, 5], [0, 4, 5, 1], [2, 3, 7, 6], [0, 2, 6, 4], [1, 5, 7, 3]];
  const NAMESPACE = "http://www.w3.org/2000/svg";

  function dot(a, b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }
  function sum(a, b, s) { return [a[0] + s * b[0], a[1] + s * b[1], a[2] + s * b[2]]; }
  function cross(a, b) { return a[0] * b[1] - a[1] * b[0]; }
  function hand(a, b, c) { return (a[1] * b[2] - a[2] * b[1]) * c[0] + (a[2] * b[0] - a[0] * b[2]) * c[1] + (a[0] * b[1] - a[1] * b[0]) * c[2]; }
  // The corners of a body that are its outline, as it is seen.
  function hull(points, view) {
    const flat = points.map(p => [dot(p, view.across), dot(p, view.up), p]).sort((a, b) => a[0] - b[0] || a[1] - b[1]), chain = [];
    for (const half of [flat, flat.slice().reverse()]) {
      const begin = chain.length;
      for (const p of half) {
        while (chain.length - begin > 1) {
          const b = chain[chain.length - 1], a = chain[chain.length - 2];
          if (cross([b[0] - a[0], b[1] - a[1]], [p[0] - b[0], p[1] - b[1]]) > 0) { break; }
          chain.pop();
        }
        chain.push(p);
      }
      chain.pop();
    }
    return chain.map(p => p[2]);
  }
  function arc(middle, one, other, from, to, parts) {
    const line = [];
    for (let k = 0; k <= parts; k++) {
      const s = from + (to - from) * k / parts;
      line.push(sum(sum(middle, one, Math.cos(s)), other, Math.sin(s)));
    }
    return line;
  }
  function around(middle, one, other) { return arc(middle, one, other, 0, 2 * Math.PI, ROUND); }

  // Each kind of figure: vectors and view to polylines [look, points].
  const KINDS = {
    dot: function (v) { return [["dot", v]]; },
    trace: function (v) { return [["trace", v]]; },
    line: function (v) { return [["rod", v]]; },
    wheel: function (v) { return [["wheel", v]]; },
    area: function (v) { return [["area", v]]; },
    ellipse: function (v) { return [["rod", around(v[0], v[1], v[2])]]; },
    disc: function (v) {
      return [["area", around(v[0], v[1], v[2])], ["rod", [sum(v[0], v[1], -1), sum(v[0], v[1], 1)]],
        ["rod", [sum(v[0], v[2], -1), sum(v[0], v[2], 1)]]];
    },
    sphere: function (v, view, label) {
      const radius = Math.sqrt(dot(v[1], v[1]));
      const lines = [["area", around(v[0], view.across.map(x => radius * x), view.up.map(x => radius * x))]];
      if (!label) { return lines; }
      for (const pair of [[1, 2], [2, 3], [3, 1]]) {
        const one = v[pair[0]], other = v[pair[1]];
        const begin = Math.atan2(-dot(one, view.towards), dot(other, view.towards));
        lines.push(["tread", arc(v[0], one, other, begin, begin + Math.PI, ROUND / 2)]);
      }
      return lines;
    },
    box: function (v, view) {
      const corners = [];
      for (const a of [-1, 1]) { for (const b of [-1, 1]) { for (const c of [-1, 1]) {
        corners.push(sum(sum(sum([0, 0, 0], v[1], a), v[2], b), v[3], c));
      } } }
      return FACES.map(function (path) {
        const face = path.map(k => corners[k]);
        const middle = face.reduce((m, p) => sum(m, p, 0.25), [0, 0, 0]);
        return ["area", face.map(p => sum(v[0], dot(middle, view.towards) > 0 ? p : middle, 1))];
      });
    },
    net: function (v) { return [["net", v]]; },
    cylinder: function (v, view) {
      const flat = arm => [dot(arm, view.across), dot(arm, view.up)], e = flat(v[1]), f = flat(v[2]), line = flat(v[3]);
      const begin = Math.atan2(cross(f, line), cross(e, line)), bow = arc([0, 0, 0], v[1], v[2], begin, begin + Math.PI, ROUND / 2);
      const top = flat(bow[ROUND / 4]), side = top[0] * line[0] + top[1] * line[1] > 0 ? 1 : -1;
      const one = sum(v[0], v[3], side), other = sum(v[0], v[3], -side), seen = hand(v[1], v[2], v[3]) * cross(e, f) > 0 ? 1 : -1;
      return [["area", bow.map(p => sum(one, p, 1)).concat(bow.map(p => sum(other, p, -1)))], ["area", around(sum(v[0], v[3], seen), v[1], v[2])]];
    },
    cone: function (v, view) {
      const flat = arm => [dot(arm, view.across), dot(arm, view.up)], e = flat(v[1]), f = flat(v[2]), line = flat(v[3]);
      const area = cross(e, f), thin = Math.abs(area) <= 1e-9 * (e[0] * e[0] + e[1] * e[1] + f[0] * f[0] + f[1] * f[1]);
      const x = thin ? 0 : cross(line, f) / area, y = thin ? 0 : cross(e, line) / area, far = Math.max(Math.hypot(x, y), 1);
      const half = thin ? Math.PI / 2 : Math.acos(1 / far), middle = thin ? Math.atan2(cross(f, line), cross(e, line)) + Math.PI / 2 : Math.atan2(y, x);
      const rim = arc(v[0], v[1], v[2], middle + half, middle + 2 * Math.PI - half, ROUND), tip = sum(v[0], v[3], 1);
      const behind = hand(v[1], v[2], v[3]) * area >= 0;
      return [["area", [far > 1 || thin ? tip : rim[0]].concat(rim)], ["area", behind ? [v[0], v[0]] : around(v[0], v[1], v[2])], ["tread", [v[0], tip]]];
    },
    mesh: function (v, view, label, faces) {
      if (!faces) { return [["area", hull(v, view)]]; }
      const middle = v.reduce((m, p) => sum(m, p, 1 / v.length), [0, 0, 0]);
      return faces.map(function (path) {
        const face = path.map(k => v[k]), centre = face.reduce((m, p) => sum(m, p, 1 / face.length), [0, 0, 0]);
        const a = sum(face[1], face[0], -1), b = sum(face[2], face[1], -1), out = sum(centre, middle, -1);
        const outwards = hand(a, b, out) > 0, turned = hand(a, b, view.towards) > 0;
        return ["area", outwards === turned ? face : [centre, centre]];
      });
    },
    treads: function (v) {
      const lines = [];
      for (let k = 0; k < TREADS; k++) {
        const whole = 2 * Math.PI, angle = v[3][0] + whole * k / TREADS + Math.PI / 2;
        const turned = angle - whole * Math.floor(angle / whole) - Math.PI / 2;
        const place = sum(v[0], v[1], Math.sin(Math.min(Math.max(turned, -Math.PI / 2), Math.PI / 2)));
        lines.push(["tread", [sum(place, v[2], -1), sum(place, v[2], 1)]]);
      }
      return lines;
    },
    spring: function (v, view) {
      const from = v[0], along = sum(v[v.length - 1], v[0], -1), length = Math.sqrt(dot(along, along)) || 1;
      const u = dot(along, view.across), w = dot(along, view.up), flat = Math.hypot(u, w) || 1, line = [];
      const aside = sum(view.across.map(x => -w / flat * x), view.up, u / flat);
      for (let k = 0; k <= 4 * COILS; k++) {
        const swing = k === 0 || k === 4 * COILS ? 0 : 0.05 * length * Math.sin(Math.PI * k / 2);
        line.push(sum(sum(from, along, k / (4 * COILS)), aside, swing));
      }
      return [["rod", line]];
    },
    dial: function () { return []; },
    bead: function () { return []; }
  };

  // How the picture is seen: in a plane, or in space from an azimuth and an elevation in degrees.
  function view(plane, angles, down) {
    const eye = { plane: plane, down: down, azimuth: angles[0], elevation: angles[1], scale: 1, x: 0, y: 0 };
    eye.turn = function () {
      const a = eye.azimuth * Math.PI / 180, e = eye.elevation * Math.PI / 180;
      if (plane) {
        eye.across = [0, 0, 0]; eye.up = [0, 0, 0];
        eye.across[plane[0]] = 1; eye.up[plane[1]] = 1;
      } else {
        eye.across = [Math.cos(a), Math.sin(a), 0];
        eye.up = [-Math.sin(a) * Math.sin(e), Math.cos(a) * Math.sin(e), Math.cos(e)];
      }
      const p = eye.across, q = eye.up;
      eye.towards = [p[1] * q[2] - p[2] * q[1], p[2] * q[0] - p[0] * q[2], p[0] * q[1] - p[1] * q[0]];
    };
    eye.seen = function (p) { return [dot(p, eye.across), dot(p, eye.up)]; };
    eye.sheet = function (p) {
      return [WIDTH / 2 + (dot(p, eye.across) - eye.x) * eye.scale, HEIGHT / 2 - (dot(p, eye.up) - eye.y) * eye.scale];
    };
    // Fit bounds [left, bottom, right, top] of the plane of sight into the sheet, with air around.
    eye.fit = function (bounds, aside) {
      const wide = bounds[2] - bounds[0], high = bounds[3] - bounds[1], air = 2 * MARGIN * Math.max(wide, high, 1e-9);
      eye.scale = Math.min((WIDTH - aside) / (wide + air), HEIGHT / (high + air));
      eye.x = (bounds[0] + bounds[2]) / 2 + aside / 2 / eye.scale; eye.y = (bounds[1] + bounds[3]) / 2;
    };
    eye.turn();
    return eye;
  }

  // Vectors of all figures from the numbers of a scene; where z points down, the picture is turned about x.
  function vectors(figures, numbers, down) {
    let k = 0;
    return figures.map(function (figure) {
      const v = [];
      for (let j = 0; j < figure.count; j++, k += 3) {
        const s = down && figure.kind !== "dial" && figure.kind !== "bead" ? -1 : 1;
        v.push([numbers[k], s * numbers[k + 1], s * numbers[k + 2]]);
      }
      return v;
    });
  }

  // How near the middle of a figure is, rounded so that figures at one place stay in their order; what lies below is far.
  const MIDDLE = ["ellipse", "disc", "sphere", "box", "treads", "cylinder", "cone"];
  function depth(figure, v, eye) {
    if (figure.kind === "trace" || figure.kind === "net") { return -Infinity; }
    if (figure.kind === "dial" || figure.kind === "bead") { return Infinity; }
    const round = MIDDLE.includes(figure.kind), whole = v.reduce((m, p) => sum(m, p, 1 / v.length), [0, 0, 0]);
    const middle = figure.kind === "cone" ? sum(v[0], v[3], 0.25) : round ? v[0] : whole;
    return Math.round(100 * eye.scale * dot(middle, eye.towards));
  }
  function order(figures, all, eye) {
    const far = figures.map((f, k) => eye.plane ? 0 : depth(f, all[k], eye));
    return figures.map((_, k) => k).sort((a, b) => far[a] < far[b] ? -1 : far[a] > far[b] ? 1 : a - b);
  }

  function polylines(figure, v, eye) { return KINDS[figure.kind](v, eye, figure.label, figure.faces); }

  function element(name, attributes, parent) {
    const made = document.createElementNS(NAMESPACE, name);
    for (const key of Object.keys(attributes)) { made.setAttribute(key, attributes[key]); }
    if (parent) { parent.appendChild(made); }
    return made;
  }

  function written(points, eye) {
    let text = "";
    for (const p of points) { const s = eye.sheet(p); text += s[0].toFixed(1) + "," + s[1].toFixed(1) + " "; }
    return text;
  }

  // A layer of marks for figures; 'ghost' marks are faint and have no labels.
  function layer(svg, figures, ghost) {
    const group = element("g", { "class": ghost ? "ghosts" : "marks" }, svg), marks = [];
    const edge = figures.filter(f => f.kind === "dial" || f.kind === "bead");
    if (!ghost) {
      edge.forEach(function (figure, k) {
        const x = WIDTH - 60, y = 50 + 95 * k, rail = figure.kind === "bead";
        if (rail) { element("line", { "class": "rod", x1: x - EDGE, x2: x + EDGE, y1: y, y2: y }, group); }
        else { element("circle", { "class": "rod", cx: x, cy: y, r: EDGE }, group); }
        element("text", { "class": "label", "text-anchor": "middle", x: x, y: y + EDGE + 17 }, group).textContent = figure.shown;
      });
    }
    function mark(look, label, owner) {
      let made;
      if (look === "dot") {
        made = element("g", {}, group);
        element("circle", { "class": "dot", r: 5 }, made);
        if (label && !ghost) { element("text", { "class": "label", x: 9, y: -8 }, made).textContent = label; }
      } else {
        made = element(look === "area" ? "polygon" : "polyline", { "class": look }, group);
      }
      made.setAttribute("data-figure", owner);
      return made;
    }
    // What a dot is called stands to its right, at the right edge to its left.
    function beside(words, x) {
      if (!words) { return; }
      const back = x + 9 + 9 * words.textContent.length > WIDTH;
      words.setAttribute("x", back ? -9 : 9);
      words.setAttribute("text-anchor", back ? "end" : "start");
    }
    let drawn = figures.map((_, k) => k).join();  // in this order, what is nearer over what is farther
    return {
      group: group,
      show: function (all, eye, traces, ranges) {
        let used = 0, place = 0;
        const nearer = order(figures, all, eye);
        figures.forEach(function (figure, owner) {
          if (figure.kind === "dial" || figure.kind === "bead") {
            if (ghost) { return; }
            const x = WIDTH - 60, y = 50 + 95 * place, value = all[owner][0][0], range = ranges[owner];
            const made = marks[used] || (marks[used] = mark(figure.kind === "dial" ? "rod" : "dot", "", owner));
            used++; place++;
            if (figure.kind === "dial") {
              made.setAttribute("points", x + "," + y + " " + (x + EDGE * Math.cos(value)).toFixed(1) + "," + (y - EDGE * Math.sin(value)).toFixed(1));
            } else {
              const share = range && range[1] > range[0] ? (value - range[0]) / (range[1] - range[0]) : 0.5;
              made.setAttribute("transform", "translate(" + (x + EDGE * (2 * share - 1)).toFixed(1) + " " + y + ")");
            }
            return;
          }
          for (const line of polylines(figure, all[owner], eye)) {
            const made = marks[used] || (marks[used] = mark(line[0], figure.shown, owner));
            used++;
            if (line[0] === "dot") {
              const s = eye.sheet(line[1][0]);
              made.setAttribute("transform", "translate(" + s[0].toFixed(1) + " " + s[1].toFixed(1) + ")");
              beside(made.querySelector("text"), s[0]);
            } else if (line[0] === "trace") {
              made.setAttribute("points", written((traces[owner] || []).concat(line[1]), eye));
            } else {
              made.setAttribute("points", written(line[1], eye));
              if (line[0] === "wheel") {
                const a = eye.sheet(line[1][0]), b = eye.sheet(line[1][1]);
                made.setAttribute("stroke-width", Math.min(Math.max(0.3 * Math.hypot(b[0] - a[0], b[1] - a[1]), 1.5), 9).toFixed(1));
              }
            }
          }
        });
        if (drawn === nearer.join()) { return; }
        drawn = nearer.join();
        const owned = figures.map(() => []);
        for (const made of marks) { owned[Number(made.getAttribute("data-figure"))].push(made); }
        for (const owner of nearer) { group.append(...owned[owner]); }
      }
    };
  }

  function step(span) {
    const rough = span / 8, size = Math.pow(10, Math.floor(Math.log10(rough || 1)));
    return [1, 2, 5, 10].map(m => m * size).find(s => s >= rough) || 10 * size;
  }

  // What stands still below: a grid in the plane, a floor or the axes of space. 'feet' bounds the floor.
  function ground(path, eye, floor, feet) {
    const lines = [];
    function segment(a, b) { lines.push([eye.sheet(a), eye.sheet(b)]); }
    if (eye.plane) {
      const left = eye.x - WIDTH / 2 / eye.scale, right = eye.x + WIDTH / 2 / eye.scale;
      const low = eye.y - HEIGHT / 2 / eye.scale, high = eye.y + HEIGHT / 2 / eye.scale, s = step(Math.max(right - left, high - low));
      const at = function (u, v) { const p = [0, 0, 0]; p[eye.plane[0]] = u; p[eye.plane[1]] = v; return p; };
      for (let x = Math.ceil(left / s) * s; x <= right; x += s) { segment(at(x, low), at(x, high)); }
      for (let y = Math.ceil(low / s) * s; y <= high; y += s) { segment(at(left, y), at(right, y)); }
    } else if (floor) {
      const s = step(Math.max(feet[2] - feet[0], feet[3] - feet[1])), b = feet.map((x, k) => (k < 2 ? Math.floor(x / s) : Math.ceil(x / s)) * s);
      for (let x = b[0]; x <= b[2] + s / 2; x += s) { segment([x, b[1], 0], [x, b[3], 0]); }
      for (let y = b[1]; y <= b[3] + s / 2; y += s) { segment([b[0], y, 0], [b[2], y, 0]); }
    } else {
      const size = Math.max(Math.abs(feet[0]), Math.abs(feet[1]), Math.abs(feet[2]), Math.abs(feet[3]), 1e-9);
      for (let k = 0; k < 3; k++) { const one = [0, 0, 0]; one[k] = size; segment(one.map(x => -0.15 * x), one); }
    }
    path.setAttribute("class", eye.plane || floor ? "grid" : "axes");
    path.setAttribute("d", lines.map(l => "M" + l.map(p => p[0].toFixed(1) + " " + p[1].toFixed(1)).join("L")).join(""));
  }

  dalembert.pictures = {
    WIDTH: WIDTH, HEIGHT: HEIGHT, view: view, vectors: vectors, polylines: polylines, order: order, layer: layer, ground: ground,
    element: element
  };
})();

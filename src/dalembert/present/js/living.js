// The living report: the motion on the page is integrated on the page. 'source' is the text of the scripts, for a worker.
dalembert.living = function (box, source) {
  "use strict";
  const data = JSON.parse(box.querySelector(".living-data").textContent);
  const models = dalembert.models(), model = models[0], pictures = dalembert.pictures, curves = dalembert.curves;
  const SAMPLES = 600, SLICE = 12, FIRST = 300, BEGIN = data.begin, SPAN = data.end - data.begin;
  const word = label => data.words[label] || label;
  const variables = model.variables, n = variables.length, monitors = model.results.monitors || [];
  const state = {
    p: model.defaults.slice(), y: data.start.slice(), run: null, t: BEGIN, playing: false, speed: 1, began: 0, fitted: false,
    ghosts: [], cloud: null, message: "", near: 1
  };
  const still = window.matchMedia("(prefers-reduced-motion: reduce)").matches;

  // -- pieces of the page ---------------------------------------------------------------------------------------
  function made(name, attributes, parent, text) {
    const one = document.createElement(name);
    for (const key of Object.keys(attributes || {})) { one.setAttribute(key, attributes[key]); }
    if (text) { one.textContent = text; }
    if (parent) { parent.append(one); }
    return one;
  }
  const svg = box.querySelector("svg");
  const stage = made("div", { "class": "stage" });
  svg.replaceWith(stage); stage.append(svg);
  const still_ = Array.from(svg.children);  // the picture that Python made is seen until there is a motion
  const floor = pictures.element("path", {}, svg);
  const whole = pictures.element("g", { "class": "paths" }, svg);
  const sheet = made("canvas", { "class": "cloud", width: pictures.WIDTH, height: pictures.HEIGHT, hidden: "" }, stage);
  const controls = made("div", { "class": "controls" }, box);
  const button = made("button", { type: "button", "class": "play" }, controls, "Play");
  const slider = made("input", { type: "range", min: 0, max: 1000, value: 0, "aria-label": "time", "class": "time" }, controls);
  const clock = made("span", { "class": "clock" }, controls);
  const pace = made("select", { "aria-label": "speed" }, controls);
  for (const times of [0.125, 0.25, 0.5, 1, 2, 4, 8]) { made("option", { value: times }, pace, times + " x"); }
  const telling = made("p", { "class": "telling", role: "status" }, box);
  const tools = made("div", { "class": "tools" }, box);
  const panel = made("div", { "class": "panel" }, box);
  const plots = made("div", { "class": "plots live" }, box), resting = made("p", { "class": "resting" }, box);

  // -- what is seen ---------------------------------------------------------------------------------------------
  const eye = pictures.view(data.plane, data.view, data.floor < 0);
  const marks = pictures.layer(svg, data.figures, false);
  const numbers = new Array(3 * data.figures.reduce((many, f) => many + f.count, 0)), here = new Float64Array(n);
  const aside = data.figures.some(f => f.kind === "dial" || f.kind === "bead") ? 130 : 0;
  const ranges = {};
  const COLOURS = ["#8a5cc0", "#b0781a"];

  function places(which, time, y, u) {
    which.scene(time, y, state.p, u, numbers);
    return pictures.vectors(data.figures, numbers, data.floor < 0);
  }
  function seenAt(which, run, time) {
    const y = new Float64Array(which.variables.length), u = run.at(time, y);
    return places(which, time, y, u);
  }
  function times(run, many) {
    const last = run.end(), found = [];
    for (let k = 0; k <= many; k++) { found.push(BEGIN + (last - BEGIN) * k / many); }
    return found;
  }

  // Times within every step, so that a curve is smooth where the motion is fast: about so many, three in a step where that is more.
  function moments(run, many) {
    const steps = run.t.length - 1, parts = Math.max(1, Math.min(Math.max(3, Math.ceil(many / steps)), Math.floor(2400 / steps))), found = [run.t[0]];
    for (let k = 0; k < steps; k++) {
      for (let j = 1; j <= parts; j++) { found.push(run.t[k] + (run.t[k + 1] - run.t[k]) * j / parts); }
    }
    return found.filter(t => t < run.end()).concat(run.end());
  }

  // Traces and bounds of a whole motion: [paths by figure, bounds on the sheet, bounds of the feet].
  function survey(which, run) {
    const paths = {}, b = [Infinity, Infinity, -Infinity, -Infinity], feet = [Infinity, Infinity, -Infinity, -Infinity];
    function reach(into, x, y) {
      if (x - x === 0 && y - y === 0) { into[0] = Math.min(into[0], x); into[1] = Math.min(into[1], y); into[2] = Math.max(into[2], x); into[3] = Math.max(into[3], y); }
    }
    const when = moments(run, 240), stride = Math.ceil(when.length / 480);  // traces need more points than bounds
    when.forEach(function (time, at) {
      const all = seenAt(which, run, time);
      data.figures.forEach(function (figure, k) {
        if (figure.kind === "dial" || figure.kind === "bead") {
          const r = ranges[k] = time === when[0] ? [Infinity, -Infinity] : ranges[k];
          r[0] = Math.min(r[0], all[k][0][0]); r[1] = Math.max(r[1], all[k][0][0]);
          return;
        }
        if (figure.kind === "trace") { (paths[k] = paths[k] || []).push(all[k][0]); }
        if (at % stride) { return; }
        for (const line of pictures.polylines(figure, all[k], eye)) {
          for (const p of line[1]) { const s = eye.seen(p); reach(b, s[0], s[1]); reach(feet, p[0], p[1]); }
        }
      });
    });
    return { paths: paths, when: when, bounds: b[2] >= b[0] ? b : [-1, -1, 1, 1], feet: feet[2] >= feet[0] ? feet : [-1, -1, 1, 1] };
  }

  // Where the mechanism itself is, without what it leaves behind and stands on: on the sheet, and its feet.
  const STAYS = ["trace", "net", "dial", "bead"];
  function extent(all) {
    const b = [Infinity, Infinity, -Infinity, -Infinity], feet = b.slice();
    data.figures.forEach(function (figure, k) {
      if (STAYS.includes(figure.kind)) { return; }
      for (const line of pictures.polylines(figure, all[k], eye)) {
        for (const p of line[1]) {
          const s = eye.seen(p);
          if (s[0] - s[0] !== 0 || s[1] - s[1] !== 0) { continue; }
          b[0] = Math.min(b[0], s[0]); b[1] = Math.min(b[1], s[1]); b[2] = Math.max(b[2], s[0]); b[3] = Math.max(b[3], s[1]);
          feet[0] = Math.min(feet[0], p[0]); feet[1] = Math.min(feet[1], p[1]); feet[2] = Math.max(feet[2], p[0]); feet[3] = Math.max(feet[3], p[1]);
        }
      }
    });
    return b[2] >= b[0] ? { bounds: b, feet: feet, size: Math.max(b[2] - b[0], b[3] - b[1]) } : null;
  }
  // A mechanism that goes far beyond its size is followed, unless one says otherwise.
  const SMALL = 0.14, SHARE = 0.36;
  function consider() {
    const sizes = [0, 0.25, 0.5, 0.75, 1].map(s => extent(seenAt(model, state.run, BEGIN + s * (state.run.end() - BEGIN)))).filter(Boolean).map(e => e.size);
    state.size = Math.max(...sizes, 0);
    const b = state.survey.bounds, far = state.size > 0 && state.size < SMALL * Math.max(b[2] - b[0], b[3] - b[1]);
    if (state.follow === undefined && state.size > 0) { state.follow = far; followCheck.checked = far; }
    followLabel.style.visibility = state.size > 0 ? "visible" : "hidden";  // its place is kept
    if (state.follow) { box.setAttribute("data-follow", ""); } else { box.removeAttribute("data-follow"); }
  }
  function follows(all) {
    const now = state.follow && !dragging() && extent(all);
    if (!now) { return; }
    const b = now.bounds, wide = 4 * state.size, x = (now.feet[0] + now.feet[2]) / 2, y = (now.feet[1] + now.feet[3]) / 2;
    eye.scale = state.near * SHARE * pictures.HEIGHT / state.size;
    eye.x = (b[0] + b[2]) / 2 + aside / 2 / eye.scale; eye.y = (b[1] + b[3]) / 2;
    ground([x - wide, y - wide, x + wide, y + wide]);
  }

  function pathText(points) { return points.map(function (p) { const s = eye.sheet(p); return s[0].toFixed(1) + "," + s[1].toFixed(1); }).join(" "); }
  function ground(feet) {
    pictures.ground(floor, eye, data.floor, feet || state.survey.feet);
    while (whole.firstChild) { whole.removeChild(whole.firstChild); }
    for (const key of Object.keys(state.survey.paths)) { pictures.element("polyline", { "class": "ghost", points: pathText(state.survey.paths[key]) }, whole); }
  }
  function refit(always) {
    const b = state.survey.bounds, old = state.fitted;
    const wide = old ? Math.max((b[2] - b[0]) / (old[2] - old[0] || 1e-9), (b[3] - b[1]) / (old[3] - old[1] || 1e-9)) : 0;
    const out = !old || b[0] < old[0] || b[1] < old[1] || b[2] > old[2] || b[3] > old[3];
    if (always || out || wide < 0.4) { eye.fit(b, aside); state.fitted = b; }
  }

  function show() {
    if (!state.run) { return; }
    const last = state.run.end();
    state.t = Math.min(Math.max(state.t, BEGIN), last);
    const u = state.run.at(state.t, here), traces = {};
    for (const key of Object.keys(state.survey.paths)) {
      traces[key] = state.survey.paths[key].filter((_, k) => state.survey.when[k] <= state.t);
    }
    const all = places(model, state.t, here, u);
    follows(all);
    marks.show(all, eye, traces, ranges);
    for (const ghost of state.ghosts) {
      if (!ghost.run) { continue; }
      const end = ghost.run.end(), time = Math.min(state.t, end), past = {};
      for (const key of Object.keys(ghost.survey.paths)) { past[key] = ghost.survey.paths[key].filter((_, k) => ghost.survey.when[k] <= time); }
      ghost.layer.show(seenAt(ghost.model, ghost.run, time), eye, past, ranges);
    }
    slider.value = last > BEGIN ? Math.round(1000 * (state.t - BEGIN) / (last - BEGIN)) : 0;
    clock.textContent = "t = " + state.t.toFixed(2);
    slider.setAttribute("aria-valuetext", clock.textContent);
    box.setAttribute("data-time", state.t);
    drawCloud();
    tell();
  }

  const kept = monitors.indexOf("energy"), watch = new Array(monitors.length), held = (model.results.held || []), rest = new Array(held.length);
  function tell() {
    const run = state.run, words = [];
    if (state.message) { words.push(state.message); }
    if (kept >= 0 && run) {
      const u = run.at(state.t, here);
      model.monitors(state.t, here, state.p, u, watch);
      const change = watch[kept] - state.energy;
      words.push("energy " + Number(watch[kept].toPrecision(6)) + ", changed by " + (Math.abs(change) < 1e-15 ? "0" : Math.abs(change) < 1e-3 ? change.toExponential(1) : Number(change.toPrecision(3))));
    }
    if (held.length && run) {
      const u = run.at(state.t, here);
      model.held(state.t, here, state.p, u, rest);
      const most = rest.reduce((m, x) => Math.max(m, Math.abs(x)), 0);
      words.push("constraints hold to " + (most === 0 ? "rounding" : most.toExponential(1)));
    }
    if (run) { words.push(run.steps + " steps" + (run.message && run.message !== state.message ? ": " + run.message : "")); }
    for (const ghost of state.ghosts) { if (ghost.on && ghost.under) { words.push("the ghost is being computed: " + ghost.name + ", t = " + ghost.under.t[ghost.under.t.length - 1].toFixed(2) + " of " + data.end); } }
    for (const ghost of state.ghosts) { if (ghost.on && ghost.run && ghost.run.message) { words.push(ghost.name + " ends at t = " + ghost.run.end().toPrecision(4) + ": " + ghost.run.message); } }
    telling.textContent = words.join("; ");
  }

  // -- integration ------------------------------------------------------------------------------------------------
  let turn = 0;
  function begun(which, start, unknowns) {
    const own = which === model;  // a wrong motion may run into a pole, where steps would become small for ever
    return dalembert.motion(which, start, { parameters: own ? state.p : parametersOf(which), begin: BEGIN, end: data.end, tolerance: own ? data.tolerance : 1e-9, unknowns: unknowns, most: own ? 100000 : 5000 });
  }
  function parametersOf(which) {
    return which.parameters.map(function (label, k) { const at = model.parameters.indexOf(label); return at < 0 ? which.defaults[k] : state.p[at]; });
  }
  // Runs until it is over; what takes long goes on in the next frame, so that the page stays awake.
  function follow(run, mine, done) {
    const until = performance.now() + (state.run ? SLICE : FIRST);
    while (!run.over && performance.now() < until) { run.advance(20); }
    if (mine !== turn) { return; }
    if (run.over) { done(); } else { if (state.ghosts.some(g => g.under === run)) { tell(); } else { telling.textContent = "t = " + run.t[run.t.length - 1].toFixed(2) + " of " + data.end; } window.requestAnimationFrame(function () { follow(run, mine, done); }); }
  }
  function integrate(after) {
    const mine = ++turn, clockNow = performance.now(), run = begun(model, state.y, data.unknowns);
    state.cloud = null;
    follow(run, mine, function () {
      if (run.t.length < 2) { state.message = "no motion from here: " + run.message; telling.textContent = state.message; return; }
      state.message = "";
      if (dalembert.chartEnd(model, run, state.p)) { state.message = run.message; }
      if (model.rows && dalembert.rankLoss(model, run, state.p, { wide: data.wide, free: data.coordinates })) { state.message = run.message; }
      state.run = run; state.survey = survey(model, run);
      still_.splice(0).forEach(one => one.remove());
      box.setAttribute("data-milliseconds", (performance.now() - clockNow).toFixed(1));
      if (kept >= 0) { model.monitors(BEGIN, state.y, state.p, run.u[0], watch); state.energy = watch[kept]; }
      consider();
      if (!dragging()) { refit(false); }  // the sheet stays where it is below what is held
      ground(); show(); drawPlots();
      haunt(mine);
      if (after) { after(); }
    });
  }

  // -- ghosts: other principles from the same coordinates and velocities ---------------------------------------------
  function ghostStart(ghost) {
    const known = {};
    for (const table of ["begin", "momenta"]) {
      const labels = model.results[table] || [], values = new Array(labels.length);
      if (labels.length) { model[table](BEGIN, state.y, state.p, data.unknowns, values); }
      labels.forEach(function (label, k) { known[label] = values[k]; });
    }
    variables.forEach(function (label, k) { known[label] = state.y[k]; });
    const found = ghost.model.variables.map(label => label in known ? known[label] : NaN);
    return found.every(x => x - x === 0) ? found : null;
  }
  function haunt(mine) {
    state.ghosts.forEach(function (ghost) {
      ghost.under = null;
      if (!ghost.on) { ghost.run = null; ghost.layer.group.setAttribute("display", "none"); return; }
      const start = ghostStart(ghost) || ghost.start;
      if (!start) { return; }
      const run = ghost.under = begun(ghost.model, start, ghost.model.unknowns.map(() => 0));
      follow(run, mine, function () {
        ghost.under = null;
        if (run.t.length < 2) { ghost.run = null; state.message = ghost.name + ": " + run.message; tell(); return; }
        ghost.run = run; ghost.survey = survey(ghost.model, run);
        ghost.layer.group.removeAttribute("display");
        show();
      });
    });
  }
  (data.ghosts || []).forEach(function (told, k) {
    const other = models[k + 1];
    if (!other.scene) { return; }
    const ghost = { model: other, name: told.says, start: told.start, on: false, layer: pictures.layer(svg, data.figures, true) };
    ghost.layer.group.setAttribute("style", "--ghost: " + COLOURS[k % COLOURS.length]);
    ghost.layer.group.setAttribute("display", "none");
    const label = made("label", {}, tools), check = made("input", { type: "checkbox", "data-ghost": told.formalism, "aria-label": told.says + ", as a ghost" }, label), colour = made("span", { "class": "swatch", style: "background: " + COLOURS[k % COLOURS.length] }, label);
    colour.after(" " + told.says + ", as a ghost");
    check.addEventListener("change", function () { ghost.on = check.checked; haunt(turn); show(); });
    state.ghosts.push(ghost);
  });

  // -- a cloud of nearby starts, in a worker made of the same scripts --------------------------------------------------
  const MEMBERS = 1000, CLOUD = 60;
  let worker = null;
  function cloud(on) {
    if (worker) { worker.terminate(); worker = null; }
    state.cloud = null;
    if (!on) { drawCloud(); return; }
    const point = data.figures.findIndex(f => f.kind === "trace" || f.kind === "dot");
    const job = { p: state.p, y: state.y, u: data.unknowns, begin: BEGIN, end: data.end, figure: point < 0 ? 0 : point, figures: data.figures, down: data.floor < 0 };
    const text = source + "\n(" + members.toString() + ")(" + MEMBERS + "," + CLOUD + ");";
    worker = new Worker(URL.createObjectURL(new Blob([text], { type: "text/javascript" })));
    state.cloud = { points: [], end: data.end };
    worker.onmessage = function (event) {
      state.cloud.points.push(...event.data);
      cloudWords.textContent = " " + state.cloud.points.length + " of " + MEMBERS;
      box.setAttribute("data-cloud", state.cloud.points.length);
      drawCloud();
    };
    worker.postMessage(job);
  }
  function members(many, frames) {
    self.onmessage = function (event) {
      const job = event.data, model = dalembert.models()[0], pictures = dalembert.pictures;
      const numbers = new Array(3 * job.figures.reduce((sum, f) => sum + f.count, 0));
      let seed = 12345, batch = [];
      function chance() { seed = (1103515245 * seed + 12345) % 2147483648; return seed / 1073741824 - 1; }
      for (let k = 0; k < many; k++) {
        const y = job.y.map(v => v + 1e-3 * (1 + Math.abs(v)) * chance());
        const lost = dalembert.project(model, job.begin, y, job.p, job.u, true);
        if (lost !== lost) { continue; }
        const run = dalembert.motion(model, y, { parameters: job.p, begin: job.begin, end: job.end, tolerance: 1e-6, unknowns: job.u, most: 5000, every: (job.end - job.begin) / frames });
        while (!run.advance(100)) { /* on */ }
        const path = [], at = new Float64Array(y.length), last = run.end();
        for (let j = 0; j <= frames; j++) {
          const time = job.begin + (job.end - job.begin) * j / frames;
          if (time > last) { break; }
          model.scene(time, at, job.p, run.at(time, at), numbers);
          path.push(pictures.vectors(job.figures, numbers, job.down)[job.figure][0]);
        }
        batch.push(path);
        if (batch.length === 25 || k === many - 1) { self.postMessage(batch); batch = []; }
      }
    };
  }
  function drawCloud() {
    const pen = sheet.getContext("2d");
    sheet.hidden = !state.cloud;  // an empty sheet is printed white, over the mechanism
    pen.clearRect(0, 0, sheet.width, sheet.height);
    if (!state.cloud) { return; }
    pen.fillStyle = "#2f6fb3"; pen.globalAlpha = 0.55;
    for (const path of state.cloud.points) {
      const at = CLOUD * (state.t - BEGIN) / SPAN, k = Math.min(Math.floor(at), path.length - 1), j = Math.min(k + 1, path.length - 1), s = Math.min(at - k, 1);
      if (k < 0) { continue; }
      const p = eye.sheet([0, 1, 2].map(i => path[k][i] + s * (path[j][i] - path[k][i])));
      pen.fillRect(p[0] - 1.2, p[1] - 1.2, 2.4, 2.4);
    }
  }

  // -- time -------------------------------------------------------------------------------------------------------
  function frame(now) {
    if (!state.playing || !state.run) { return; }
    const last = state.run.end(), passed = BEGIN + (now - state.began) / 1000 * state.speed;
    state.t = passed > last + 0.8 * state.speed ? BEGIN : Math.min(passed, last);
    if (state.t === BEGIN) { state.began = now; }
    show();
    window.requestAnimationFrame(frame);
  }
  function play(on) {
    state.playing = on; button.textContent = on ? "Pause" : "Play";
    if (on) {
      if (state.run && state.t >= state.run.end()) { state.t = BEGIN; }
      state.began = performance.now() - 1000 * (state.t - BEGIN) / state.speed;
      window.requestAnimationFrame(frame);
    }
  }
  button.addEventListener("click", function () { play(!state.playing); });
  slider.addEventListener("input", function () { play(false); state.t = BEGIN + slider.value / 1000 * (state.run.end() - BEGIN); show(); });
  pace.addEventListener("change", function () { state.speed = Number(pace.value); play(state.playing); });
  const usual = [0.125, 0.25, 0.5, 1, 2, 4, 8].reduce((a, b) => Math.abs(Math.log(b * 8 / SPAN)) < Math.abs(Math.log(a * 8 / SPAN)) ? b : a);
  pace.value = usual; state.speed = usual;
  window.addEventListener("beforeprint", function () { play(false); state.t = Infinity; show(); });

  // -- sliders ------------------------------------------------------------------------------------------------------
  const fields = [];
  function field(parent, label, first, low, high, get, set) {
    const row = made("label", { "class": "field" }, parent), name = made("span", { title: label }, row);
    if (data.looks[label]) { name.innerHTML = data.looks[label]; } else { name.textContent = word(label); }
    const range = made("input", { type: "range", min: low, max: high, step: "any", "aria-label": label, "data-name": label }, row);
    const entry = made("input", { type: "number", step: "any", "aria-label": label + ", a number" }, row);
    function changed(value) {
      if (!(value - value === 0)) { return; }
      const old = get();
      set(value);
      const fits = SIGNS[data.domains[label]] || (() => true);
      if (fits(value) && complete()) { play(false); integrate(refresh); return; }
      set(old);
      state.message = fits(value) ? "there is no start near that where constraints and equations hold" : word(label) + " is declared " + data.domains[label];
      tell();
    }
    range.addEventListener("input", function () { changed(Number(range.value)); });
    entry.addEventListener("change", function () { changed(Number(entry.value)); });
    fields.push(function () {
      const value = get();
      if (document.activeElement !== range) { range.value = value; }
      if (document.activeElement !== entry) { entry.value = Number(value.toPrecision(6)); }
    });
  }
  function refresh() { fields.forEach(f => f()); }
  const standing = dalembert.standing(model, BEGIN, data.start, model.defaults, data.unknowns, ["holds"]);
  const SIGNS = { positive: x => x > 0, negative: x => x < 0, nonzero: x => x !== 0 };
  // The ends of a slider: where a domain was declared it keeps the sign of its value.
  function ends(label, v, wide) { return data.domains[label] in SIGNS && v ? [v / 10, 3 * v].sort((a, b) => a - b) : [v - wide, v + wide]; }
  // Brings the start to where the constraints and the equations hold; whether that is possible.
  function complete() {
    const y = state.y.slice(), moved = dalembert.project(model, BEGIN, y, state.p, data.unknowns, true);
    if (moved !== moved) { return false; }
    if (!dalembert.standing(model, BEGIN, y, state.p, data.unknowns, ["holds"]).every((x, k) => x * standing[k] > 0)) { return false; }
    state.y = y;
    return true;
  }
  function group(title, open) {
    const details = made("details", open ? { open: "" } : {}, panel);
    made("summary", {}, details, title);
    return made("div", { "class": "fields" }, details);
  }
  if (model.parameters.length) {
    const inside = group("Parameters", window.innerWidth > 700);
    model.parameters.forEach(function (label, k) {
      const v = model.defaults[k], [low, high] = v > 0 ? [v / 10, 3 * v] : ends(label, v, v ? 2 * Math.abs(v) : 1);
      field(inside, label, v, low, high, () => state.p[k], function (value) { state.p[k] = value; });
    });
  }
  const inside = group("Start", window.innerWidth > 700);
  variables.forEach(function (label, k) {
    const v = data.start[k], angle = data.kinds[k] === "angle", wide = angle ? Math.PI : Math.max(1, 2 * Math.abs(v));
    field(inside, label, v, ...ends(label, v, wide), () => state.y[k], function (value) { state.y[k] = value; });
  });

  function tool(text, act) { const one = made("button", { type: "button" }, tools, text); one.addEventListener("click", act); return one; }
  tool("As it was", function () { state.p = model.defaults.slice(); state.y = data.start.slice(); state.fitted = false; integrate(refresh); });
  const cloudLabel = made("label", {}, tools), cloudCheck = made("input", { type: "checkbox", "data-cloud": "", "aria-label": "a thousand nearby starts" }, cloudLabel);
  cloudLabel.append(" a thousand nearby starts");
  const cloudWords = made("span", {}, cloudLabel);
  cloudCheck.addEventListener("change", function () { cloudWords.textContent = ""; cloud(cloudCheck.checked); });
  tool("Save CSV", function () { curves.save(data.name + ".csv", "text/csv", table()); });
  if (data.model) { tool("Save model", function () { curves.save(data.name + ".toml", "application/toml", toml()); }); }
  const followLabel = made("label", {}, tools), followCheck = made("input", { type: "checkbox", "aria-label": "follow the mechanism" }, followLabel);
  followLabel.append(" follow the mechanism");
  function follow_(on) { state.follow = followCheck.checked = on; state.near = 1; consider(); }
  followCheck.addEventListener("change", function () { follow_(followCheck.checked); refit(true); ground(); show(); });

  function table() {
    const all = quantities(times(state.run, SAMPLES)), rows = [["t"].concat(all.map(q => q.label)).map(w => /[",\n]/.test(w) ? '"' + w.replace(/"/g, '""') + '"' : w).join(",")];
    times(state.run, SAMPLES).forEach(function (t, k) { rows.push([t].concat(all.map(q => q.values[k])).join(",")); });
    return rows.join("\n") + "\n";
  }
  // The model file with the parameters and the start as they are now.
  function toml() {
    const key = label => /^[A-Za-z_]\w*$/.test(label) ? label : JSON.stringify(label);
    const number = x => Number.isInteger(x) ? String(x) : String(x).replace(/^(-?\d+)e/, "$1.0e");
    let section = "", inStart = false;
    const lines = [];
    for (const line of data.model.split("\n")) {
      const head = /^\[([^\]]*)\]/.exec(line);
      if (head) { section = head[1]; inStart = /^start(\.|$)/.test(section); }
      if (inStart) { continue; }
      const entry = section === "parameters" && /^("?)([^"=]*?)\1\s*=\s*(.*)$/.exec(line), at = entry ? model.parameters.indexOf(entry[2]) : -1;
      lines.push(at >= 0 && state.p[at] !== model.defaults[at] && !entry[3].startsWith("{") ? key(entry[2]) + " = " + number(state.p[at]) : line);
    }
    const names = model.begin ? model.results.begin : variables, values = model.begin ? new Array(names.length) : state.y;
    if (model.begin) { model.begin(BEGIN, state.y, state.p, data.unknowns, values); }
    return lines.join("\n").trimEnd() + "\n\n[start]\n" + names.map((label, k) => key(label) + " = " + number(values[k])).join("\n") + "\n";
  }

  // -- curves ---------------------------------------------------------------------------------------------------------
  function quantities(when) {
    const y = new Float64Array(n), out = new Array(monitors.length);
    const all = variables.map((label, k) => ({ label: label, kind: data.kinds[k], values: new Float64Array(when.length) }));
    const watched = monitors.map(label => ({ label: label, kind: "monitor", values: new Float64Array(when.length) }));
    when.forEach(function (t, k) {
      const u = state.run.at(t, y);
      for (let i = 0; i < n; i++) { all[i].values[k] = y[i]; }
      if (monitors.length) { model.monitors(t, y, state.p, u, out); watched.forEach((w, i) => { w.values[k] = out[i]; }); }
    });
    for (const q of all.concat(watched)) {
      q.low = q.values.reduce((a, b) => Math.min(a, b)); q.high = q.values.reduce((a, b) => Math.max(a, b));
      q.size = q.high - q.low > 1e-9 * (1 + Math.abs(q.high)) ? q.high - q.low : 0;
    }
    return all.concat(watched);
  }
  function residuals(when) {
    const y = new Float64Array(n);
    return when.map(function (t) {
      const u = state.run.at(t, y);
      model.held(t, y, state.p, u, rest);
      return rest.reduce((most, x) => Math.max(most, Math.abs(x)), 0);
    });
  }
  // What a portrait shows first: a coordinate that swings, against its velocity; else two quantities of a kind that say more than a line.
  function firstPortrait(all) {
    const by = l => all.find(q => q.label === l), pairs = variables.filter(l => variables.includes(l + "'")).map(l => [by(l), by(l + "'")]);
    const swinging = pairs.find(p => p[0].size > 0 && p[1].low < 0 && p[1].high > 0 && p[1].size > 0) || pairs.find(p => p[0].size > 0 && p[1].size > 0);
    if (swinging) { return swinging; }
    const found = [];
    for (const kind of ["coordinate", "turning", "velocity", "component", "angle"]) {
      const moving = all.filter(q => q.kind === kind && q.size > 0);
      moving.forEach((p, k) => moving.slice(k + 1).forEach(q => found.push([p, q])));
    }
    return found.find(p => !inLine(p[0], p[1])) || found[0] || pairs[0] || [all[0], all[n - 1]];
  }
  function inLine(p, q) {
    const mean = v => v.reduce((a, b) => a + b, 0) / v.length, a = mean(p.values), b = mean(q.values);
    let xx = 0, xy = 0, yy = 0;
    p.values.forEach(function (v, k) { const x = v - a, y = q.values[k] - b; xx += x * x; xy += x * y; yy += y * y; });
    return xy * xy > 0.999 * xx * yy;
  }
  // Quantities of one kind whose sizes are alike share a plot; those of a rotation or direction stand by themselves.
  function grouped(all) {
    const groups = [], owner = q => q.label.includes(".") ? q.label.split(".")[0] : "";
    for (const q of all) {
      const found = groups.find(g => g.kind === q.kind && owner(g.list[0]) === owner(q) && g.list.length < 4 && (q.size <= 8 * g.size && g.size <= 8 * q.size || q.size === g.size));
      if (found) { found.list.push(q); found.size = Math.max(found.size, q.size); } else { groups.push({ kind: q.kind, size: q.size, list: [q] }); }
    }
    return groups;
  }
  const shown = [];
  const COURSES = ["coordinate", "angle", "component"], SPEEDS = ["velocity", "turning"];
  let layout = null, constants = [], drift = null, portrait = null, across = null, up = null, section = null;
  function drawPlots() {
    const when = moments(state.run, SAMPLES), all = quantities(when), chosen = layout && [across.value, up.value, section.value];
    if (layout && all.some(q => q.size > 0 && constants.includes(q.label))) { plots.textContent = ""; shown.length = 0; layout = null; }  // it moves now
    if (!layout) {
      const drawn = all.filter(q => COURSES.includes(q.kind) || SPEEDS.includes(q.kind)), moving = drawn.some(q => q.size > 0) ? drawn.filter(q => q.size > 0) : drawn;
      constants = drawn.filter(q => !moving.includes(q)).map(q => q.label);
      layout = grouped(moving.filter(q => COURSES.includes(q.kind))).concat(grouped(moving.filter(q => SPEEDS.includes(q.kind)))).slice(0, 4).map(g => g.list.map(q => q.label));
      layout.forEach(function (labels) {
        const angles = labels.every(l => all.find(q => q.label === l).kind === "angle");
        shown.push(curves.plot(plots, labels.map(word).join(", ") + " over time", { time: true, angles: angles, x: "t", y: labels.length === 1 ? word(labels[0]) : "" }));
      });
      drift = kept >= 0 || held.length ? curves.plot(plots, [kept >= 0 ? "change of the energy" : "", held.length ? "constraints" : ""].filter(Boolean).join(", "), { time: true, log: true, x: "t" }) : null;
      portrait = curves.plot(plots, "phase portrait", {});
      const bar = made("div", { "class": "tools" });
      portrait.box.prepend(bar);
      across = choice(bar, "to the right", all); up = choice(bar, "upwards", all); section = choice(bar, "section where 0 is passed upwards by", [{ label: "(none)" }].concat(all));
      [across.value, up.value, section.value] = chosen || firstPortrait(all).map(q => q.label).concat("(none)");
    }
    curves.spelled(resting, constants.length ? "constant: " + constants.map(l => word(l) + " = " + curves.short(all.find(q => q.label === l).values[0])).join(", ") : "");
    layout.forEach(function (labels, k) { shown[k].set(labels.map(function (l) { return { label: word(l), x: when, y: all.find(q => q.label === l).values }; })); });
    if (drift) {
      const first = state.energy, scale = Math.abs(first) || 1, lines = [];
      if (kept >= 0) { lines.push({ label: first ? "energy, relative" : "energy", x: when, y: all[n + kept].values.map(v => (v - first) / scale) }); }
      if (held.length) { lines.push({ label: "constraints", x: when, y: residuals(when) }); }
      drift.set(lines);
    }
    drawPortrait(all);
  }
  function choice(parent, title, list) {
    const label = made("label", {}, parent, title + " "), one = made("select", {}, label);
    list.forEach(q => made("option", { value: q.label }, one, curves.plain(word(q.label))));
    one.addEventListener("change", function () { drawPortrait(quantities(moments(state.run, SAMPLES))); });
    return one;
  }
  function drawPortrait(all) {
    const x = all.find(q => q.label === across.value).values, y = all.find(q => q.label === up.value).values;
    const cut = all.findIndex(q => q.label === section.value), words = [word(across.value), word(up.value), cut < 0 ? "phase portrait" : "section where " + word(section.value) + " = 0"];
    if (cut < 0) { portrait.set([{ label: word(up.value), x: x, y: y }], words); return; }
    const points = crossings(state.run, cut, all), mine = ++sectioning;
    function draw() { portrait.set([{ label: word(up.value), x: points[0], y: points[1], dots: true }], words); box.setAttribute("data-section", points[0].length); }
    draw();
    if (state.run.message) { return; }  // it goes no further
    // A section needs a long motion: on for so many times as long, in slices, keeping the crossings alone.
    const from = state.run, last = from.t.length - 1;
    const on = dalembert.motion(model, from.y[last], { parameters: state.p, begin: from.t[last], end: BEGIN + LONGER * SPAN, tolerance: data.tolerance, unknowns: from.u[last], most: 200000 });
    (function more() {
      const until = performance.now() + SLICE, before = points[0].length;
      while (!on.over && points[0].length < CROSSINGS && performance.now() < until) {
        on.advance(20);
        const found = crossings(on, cut, all);
        points[0].push(...found[0]); points[1].push(...found[1]);
        on.forget();
      }
      if (mine !== sectioning || state.run !== from) { return; }
      if (points[0].length > before) { draw(); }
      if (!on.over && points[0].length < CROSSINGS) { window.requestAnimationFrame(more); }
    })();
  }
  // Where a quantity passes zero upwards, by halving on the dense output; an angle passes any whole turn.
  const LONGER = 60, CROSSINGS = 2000;
  let sectioning = 0;
  function crossings(run, cut, all) {
    const turns = all[cut].kind === "angle" ? 2 * Math.PI : 0;
    function sign(value) { return turns ? Math.sin(value) : value; }
    function wrapped(k, value) { return all[k].kind === "angle" ? value - 2 * Math.PI * Math.round(value / (2 * Math.PI)) : value; }
    const y = new Float64Array(n), out = new Array(monitors.length), xs = [], ys = [];
    function at(t) {
      const u = run.at(t, y);
      if (monitors.length) { model.monitors(t, y, state.p, u, out); }
      return k => k < n ? y[k] : out[k - n];
    }
    const i = all.findIndex(q => q.label === across.value), j = all.findIndex(q => q.label === up.value), knots = run.t;
    for (let k = 0; k + 1 < knots.length; k++) {
      for (let part = 0; part < 4; part++) {
        let a = knots[k] + (knots[k + 1] - knots[k]) * part / 4, b = knots[k] + (knots[k + 1] - knots[k]) * (part + 1) / 4;
        const low = at(a)(cut), high = at(b)(cut);
        if (!(sign(low) < 0 && sign(high) >= 0) || turns && high - low > Math.PI) { continue; }
        for (let step = 0; step < 50; step++) { const m = (a + b) / 2; if (sign(at(m)(cut)) < 0) { a = m; } else { b = m; } }
        const found = at(b);
        xs.push(wrapped(i, found(i))); ys.push(wrapped(j, found(j)));
      }
    }
    return [xs, ys];
  }

  // -- pointer: drag the mechanism, turn space, move the sheet --------------------------------------------------------
  function place(event) {
    const r = svg.getBoundingClientRect();
    return [(event.clientX - r.left) * pictures.WIDTH / r.width, (event.clientY - r.top) * pictures.HEIGHT / r.height];
  }
  let held_ = null;
  function dragging() { return held_ !== null && held_.owner >= 0; }
  svg.addEventListener("pointerdown", function (event) {
    const mark = event.target.closest("[data-figure]"), at = place(event);
    const owner = mark && mark.closest(".marks") ? Number(mark.getAttribute("data-figure")) : -1;
    const taken = owner >= 0 && data.figures[owner].kind !== "trace";
    if (taken) { play(false); state.t = BEGIN; show(); }  // before it is held: then the sheet stays
    held_ = { owner: taken ? owner : -1, from: at };
    if (taken) {
      const there = gripsAt(held_.owner, state.y), far = there.map(p => Math.hypot(p[0] - at[0], p[1] - at[1]));
      const near = far.map((_, k) => k).sort((a, b) => far[a] - far[b]);
      held_.grip = near.find(k => data.coordinates.some(function (c) {  // what is taken hold of is what follows, if it can move
        const y = state.y.slice(); y[c] += 1e-4;
        const p = gripsAt(held_.owner, y)[k];
        return Math.hypot(p[0] - there[k][0], p[1] - there[k][1]) > 1e-7 * pictures.WIDTH;
      }));
      if (held_.grip === undefined) { held_.grip = near[0]; }
      held_.off = there[held_.grip].map((x, i) => at[i] - x);
    }
    svg.setPointerCapture(event.pointerId);
    event.preventDefault();
  });
  svg.addEventListener("pointermove", function (event) {
    if (!held_) { return; }
    const at = place(event), dx = at[0] - held_.from[0], dy = at[1] - held_.from[1];
    held_.from = at;
    if (held_.owner >= 0) { drag(held_.owner, at, dx, dy); return; }
    if (eye.plane && state.follow) { follow_(false); }
    if (eye.plane) { eye.x -= dx / eye.scale; eye.y += dy / eye.scale; }
    else { eye.azimuth -= 0.4 * dx; eye.elevation = Math.min(Math.max(eye.elevation + 0.4 * dy, -89), 89); eye.turn(); }
    ground(); show();
  });
  svg.addEventListener("pointerup", function () {
    const dragged = dragging(), turned = held_ && !eye.plane && !dragged;
    held_ = null;
    if (turned) { state.survey = survey(model, state.run); }
    if (turned || dragged) { refit(false); ground(); show(); }
  });
  svg.addEventListener("wheel", function (event) {
    if (!event.ctrlKey && !event.shiftKey) { return; }
    event.preventDefault();
    const times = Math.exp(-0.002 * (event.deltaY || event.deltaX));
    state.near *= times; eye.scale *= times; ground(); show();
  }, { passive: false });
  svg.addEventListener("dblclick", function () { eye.azimuth = data.view[0]; eye.elevation = data.view[1]; state.near = 1; eye.turn(); state.survey = survey(model, state.run); refit(true); ground(); show(); });

  // Moves the start so that a figure follows the pointer: the nearest in the kinetic metric that does.
  function drag(owner, at, dx, dy) {
    const free = data.coordinates, y = state.y.slice();
    if (data.figures[owner].kind === "dial") { const k = variables.indexOf(data.figures[owner].label); if (k >= 0) { y[k] = Math.atan2(50 + 95 * edgeOf(owner) - at[1], at[0] - (pictures.WIDTH - 60)); settle(y); } return; }
    if (data.figures[owner].kind === "bead") { const k = variables.indexOf(data.figures[owner].label), r = ranges[owner]; if (k >= 0) { y[k] += dx / 60 * Math.max(r[1] - r[0], 0.5); settle(y); } return; }
    const goal = [at[0] - held_.off[0], at[1] - held_.off[1]], far = z => { const p = gripsAt(owner, z)[held_.grip]; return Math.hypot(goal[0] - p[0], goal[1] - p[1]); };
    let z = y, left = far(y);
    for (let round = 0; round < ROUNDS && left > 0.5; round++) {
      const change = pulled(owner, z, goal);
      if (!change) { break; }
      const turned = Math.max(...free.map((k, i) => data.kinds[k] === "coordinate" ? 0 : Math.abs(change[i]))), before = left;
      for (let share = Math.min(1, TURN / turned), tries = 0; tries < 5 && left === before; share /= 2, tries++) {  // only nearer to the pointer
        const next = z.slice();
        free.forEach(function (k, i) { next[k] += share * change[i]; });
        const lost = dalembert.project(model, BEGIN, next, state.p, data.unknowns, true), now = far(next);
        if (lost === lost && now < 0.98 * left) { z = next; left = now; }
      }
      if (left === before) { break; }
    }
    if (z !== y) { settle(z); }
  }
  const ROUNDS = 8, TURN = 0.15;  // steps towards the pointer, and the largest turn in each: slopes hold no further
  // The least change in the kinetic metric that takes a point of a figure to a goal on the sheet, to first order; where constraints on
  // positions hold among those that these allow: what brings a state back takes away what they do not.
  function pulled(owner, y, goal) {
    const free = data.coordinates, many = free.length;
    function where(z) { return gripsAt(owner, z)[held_.grip]; }
    function apart(of) {
      return free.map(function (k) {
        const h = 1e-6 * (1 + Math.abs(y[k])), z = y.slice(), w = y.slice();
        z[k] += h; w[k] -= h;
        const a = of(z), b = of(w);
        return a.map((x, i) => (x - b[i]) / (2 * h));
      });
    }
    const now = where(y), slope = apart(where), held = (model.projection || [])[0], metric = new Array(many * many);
    if (model.metric) { model.metric(BEGIN, y, state.p, data.unknowns, metric); }
    const m = []; for (let i = 0; i < many; i++) { m.push([]); for (let j = 0; j < many; j++) { m[i].push(model.metric && metric[i * many + j] - metric[i * many + j] === 0 ? metric[i * many + j] : Number(i === j)); } }
    const units = {}, most = Math.max(...m.map((row, i) => Math.abs(row[i])), 1e-9);  // lengths of quaternions and directions are no way to move
    free.forEach(function (k, i) { const found = /^(.*)\.(?:q[0-3]|[xyz])$/.exec(variables[k]); if (found) { (units[found[1]] = units[found[1]] || []).push(i); } });
    Object.values(units).forEach(list => list.forEach(i => list.forEach(function (j) { m[i][j] += 1e4 * most * y[free[i]] * y[free[j]]; })));
    for (let i = 0; i < many; i++) { m[i][i] += 1e-9; }
    const back = held && held.places.every(k => free.includes(k)) ? apart(function (z) { const out = new Array(held.places.length); model[held.name](BEGIN, z, state.p, data.unknowns, out); return out; }) : null;
    function allowed(one) {
      if (!back) { return one; }
      const kept = one.slice();
      held.places.forEach(function (k, c) { kept[free.indexOf(k)] += one.reduce((t, x, i) => t + x * back[i][c], 0); });
      return kept.every(x => x - x === 0) ? kept : one;
    }
    const columns = [0, 1].map(c => allowed(solved(m, slope.map(s => s[c]))));
    const g = [0, 1].map(a => [0, 1].map(b => slope.reduce((t, s, i) => t + s[a] * columns[b][i], 0)));
    const soft = 1e-6 * (g[0][0] + g[1][1]) + 1e-300;
    const pull = solved([[g[0][0] + soft, g[0][1]], [g[1][0], g[1][1] + soft]], [goal[0] - now[0], goal[1] - now[1]]);
    return pull.every(x => x - x === 0) ? free.map((_, i) => columns[0][i] * pull[0] + columns[1][i] * pull[1]) : null;
  }
  function edgeOf(owner) { return data.figures.slice(0, owner).filter(f => f.kind === "dial" || f.kind === "bead").length; }
  // Where a figure can be taken hold of: at points of lines and outlines, in the middle of others and at the ends of their half axes.
  function grips(owner, v) {
    const kind = data.figures[owner].kind, beside = (p, q, c) => p.map((x, i) => x + c * q[i]);
    if (kind === "line" || kind === "area" || kind === "spring") { return v.map(p => eye.sheet(p)); }
    if (kind === "wheel") { return [eye.sheet(beside(v[0].map(x => x / 2), v[1], 0.5))]; }
    const axes = ["ellipse", "disc", "sphere", "box", "cylinder", "cone"].includes(kind) ? v.slice(1) : [];
    return [v[0]].concat(axes.map(a => beside(v[0], a, 1)), axes.map(a => beside(v[0], a, -1))).map(p => eye.sheet(p));
  }
  function gripsAt(owner, y) { return grips(owner, places(model, BEGIN, y, data.unknowns)[owner]); }
  function settle(y) {
    const old = state.y;
    state.y = y;
    if (complete()) { integrate(refresh); } else { state.y = old; }
  }
  function solved(matrix, right) {
    const size = right.length, a = matrix.map((row, i) => row.concat(right[i]));
    for (let k = 0; k < size; k++) {
      let best = k;
      for (let i = k + 1; i < size; i++) { if (Math.abs(a[i][k]) > Math.abs(a[best][k])) { best = i; } }
      [a[k], a[best]] = [a[best], a[k]];
      for (let i = 0; i < size; i++) { if (i !== k) { const f = a[i][k] / a[k][k]; for (let j = k; j <= size; j++) { a[i][j] -= f * a[k][j]; } } }
    }
    return a.map((row, i) => row[size] / row[i]);
  }

  box.living = { state: state, model: model, data: data };
  if (data.faults.length) { telling.after(made("p", { "class": "evidence faults" }, box, data.faults.join(" "))); }
  integrate(function () { refresh(); if (!still) { play(true); } });
};

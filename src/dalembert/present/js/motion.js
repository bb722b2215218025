// Motion on a page: DOP853 with its dense output, compensated sums, constraints brought back at the end of each step.
// TABLEAU is put in by whoever makes the page: { c, a, b, e5, e3, d }, rows as [[index, weight], ...].
var dalembert = (function () {
  "use strict";
  const SMALLEST = 4 * Number.EPSILON, SETTLED = 1e-9, ITERATIONS = 4;

  // Rows of the tableau as two arrays, and their combination with the stages of one variable: all stages of so many variables
  // are one array, for a look at an array in an array takes as long as the product.
  function flat(rows, n) {
    return rows.map(function (row) { return { of: Int32Array.from(row, e => n * e[0]), by: Float64Array.from(row, e => e[1]) }; });
  }
  function combined(row, k, i) {
    const of = row.of, by = row.by;
    let total = 0.0;
    for (let j = 0; j < of.length; j++) { total += by[j] * k[of[j] + i]; }
    return total;
  }

  const known = {};
  function tableau(n) {
    const T = dalembert.TABLEAU;
    known[n] = known[n] || { c: T.c, a: flat(T.a, n), b: flat([T.b], n)[0], e5: flat([T.e5], n)[0], e3: flat([T.e3], n)[0], d: flat(T.d, n) };
    return known[n];
  }

  // The rates of all variables, with the unknowns found; whether there are any.
  function rates(model, t, y, p, u, out) {
    if (u.length && !model.solve(t, y, p, u)) { return false; }
    (model.rates || model.field)(t, y, p, u, out);
    for (let i = 0; i < y.length; i++) { if (out[i] - out[i] !== 0.0) { return false; } }
    return true;
  }

  // Adds corrections until constraints hold, positions first; returns the largest, or NaN where that does not end.
  // From afar (a start made by hand) more steps are allowed than at the end of a step, and a step is cut to 'most'.
  function project(model, t, y, p, u, far) {
    let largest = 0.0;
    for (const group of model.projection || []) {
      const out = group.out = group.out || new Float64Array(group.places.length);
      let size = 1.0, moved = 0.0, before = Infinity;
      for (let step = 0; step < (far ? 60 : ITERATIONS) && size > (far ? 1e-15 : SETTLED) && !(size < 1e-12 && size >= before); step++) {
        model[group.name](t, y, p, u, out);
        before = size; size = 0.0;
        for (let j = 0; j < out.length; j++) {
          const part = Math.abs(out[j]) / (1.0 + Math.abs(y[group.places[j]]));
          if (!(part <= size)) { size = part; }
        }
        const share = far && size > 0.3 ? 0.3 / size : 1.0;
        for (let j = 0; j < out.length; j++) { y[group.places[j]] += share * out[j]; }
        moved += share * size;
      }
      if (!(size <= SETTLED)) { return NaN; }
      largest = Math.max(largest, moved);
    }
    return far && model.held ? Math.max(largest, sought(model, t, y, p, u)) : largest;
  }

  // What nothing brings back (constraints on higher derivatives): the constraints and their rates by Newton's method, with
  // the least change, derivatives by differences; returns how far the start was moved, or NaN.
  function sought(model, t, y, p, u) {
    const n = y.length, many = model.results.held.length, side = Math.cbrt(Number.EPSILON);
    function residual(z) {
      const out = new Array(many), more = new Array(many), less = new Array(many), rate = new Float64Array(n), v = u.slice();
      if (!rates(model, t, z, p, v, rate)) { return null; }
      model.held(t, z, p, v, out);
      const h = side / (1 + Math.max(...rate.map(Math.abs)));
      model.held(t + h, Array.from(z, (x, i) => x + h * rate[i]), p, v, more);
      model.held(t - h, Array.from(z, (x, i) => x - h * rate[i]), p, v, less);
      return out.concat(more.map((x, k) => (x - less[k]) / (2 * h)));
    }
    let moved = 0.0;
    for (let step = 0; step < 30; step++) {
      const here = residual(y);
      if (!here) { return NaN; }
      if (Math.max(...here.slice(0, many).map(Math.abs)) <= (step ? 1e-11 : 1e-10) && Math.max(...here.slice(many).map(Math.abs)) <= 1e-6) { return moved; }
      const columns = Array.from(y, function (x, i) {
        const h = side * (1 + Math.abs(x)), z = Array.from(y), w = Array.from(y);
        z[i] += h; w[i] -= h;
        const a = residual(z), b = residual(w);
        return a && b ? a.map((v, k) => (v - b[k]) / (2 * h)) : here.map(() => 0);
      });
      const size = here.length, gram = here.map((_, a) => here.map((_, b) => columns.reduce((s, c) => s + c[a] * c[b], 0)));
      const trace = gram.reduce((s, row, k) => s + row[k], 0);
      gram.forEach(function (row, k) { row[k] += 1e-13 * trace; row.push(here[k]); });
      for (let k = 0; k < size; k++) {
        for (let i = k + 1; i < size; i++) { const f = gram[i][k] / gram[k][k]; for (let j = k; j <= size; j++) { gram[i][j] -= f * gram[k][j]; } }
      }
      for (let k = size - 1; k >= 0; k--) { for (let j = k + 1; j < size; j++) { gram[k][size] -= gram[k][j] * gram[j][size]; } gram[k][size] /= gram[k][k]; }
      let largest = 0.0;
      const change = columns.map(c => c.reduce((s, v, k) => s + v * gram[k][size], 0));
      change.forEach(function (x) { largest = Math.max(largest, Math.abs(x)); if (x - x !== 0) { largest = NaN; } });
      if (largest !== largest) { return NaN; }
      const share = largest > 0.3 ? 0.3 / largest : 1.0;
      change.forEach(function (x, i) { y[i] -= share * x; });
      moved += share * largest;
    }
    return NaN;
  }

  function norm(values, y, tolerance) {
    let total = 0.0;
    for (let i = 0; i < y.length; i++) {
      const part = values[i] / (tolerance + tolerance * Math.abs(y[i]));
      total += part * part;
    }
    return Math.sqrt(total / Math.max(y.length, 1));
  }

  function eighth(value) { return Math.sqrt(Math.sqrt(Math.sqrt(value))); }

  function firstStep(model, t, y, k, p, u, span, tolerance) {
    const state = norm(y, y, tolerance), rate = norm(k, y, tolerance), bound = Math.abs(span);
    let trial = state < 1e-5 || rate < 1e-5 ? 1e-6 : 0.01 * state / rate;
    trial = Math.min(trial, bound);
    const h = Math.sign(span) * trial, moved = Array.from(y, function (v, i) { return v + h * k[i]; });
    const after = new Float64Array(y.length), there = u.slice();
    if (!rates(model, t + h, moved, p, there, after)) { return h * 1e-3; }
    const bend = norm(after.map(function (v, i) { return v - k[i]; }), y, tolerance) / trial;
    const steepest = Math.max(bend, rate);
    const second = steepest <= 1e-15 ? Math.max(1e-6, trial * 1e-3) : eighth(0.01 / steepest);
    return Math.sign(span) * Math.min(100 * trial, second, bound);
  }

  // A motion from t0 to t1. It can be asked for states between its knots: see at.
  // 'advance' takes so many steps and returns whether it is over, so that a page stays awake. Where states are asked for at
  // multiples of 'every' alone, the steps between these have none inside.
  function motion(model, start, options) {
    const n = start.length, p = options.parameters, t1 = options.end, tolerance = options.tolerance || 1e-10;
    const T = tableau(n), most = options.most || 100000, every = options.every || 0.0;
    const K = new Float64Array(16 * n), k = []; for (let j = 0; j < 16; j++) { k.push(K.subarray(j * n, (j + 1) * n)); }
    const stage = new Float64Array(n), next = new Float64Array(n), low = new Float64Array(n), rest = new Float64Array(n);
    let u = Array.from(options.unknowns || []), kept = u.slice(), y = Float64Array.from(start);
    let t = options.begin || 0.0, late = 0.0, h = 0.0, refused = false, previous = 0;
    const run = {
      t: [t], y: [y.slice()], u: [], dense: [], steps: 0, rejected: 0, corrections: 0.0, over: false, message: ""
    };

    function end(message) { run.over = true; run.message = message; return true; }
    function taken(j, at) { return rates(model, at, stage, p, u, k[j]); }
    function refuse(size) { h = size; refused = true; run.rejected++; u = kept.slice(); }

    function attempt() {
      for (let j = 1; j < 12; j++) {
        const row = T.a[j];
        for (let i = 0; i < n; i++) { stage[i] = y[i] + h * combined(row, K, i); }
        if (!taken(j, t + T.c[j] * h)) { return NaN; }
      }
      let fifth = 0.0, third = 0.0;
      for (let i = 0; i < n; i++) {
        const more = h * combined(T.b, K, i) + low[i], total = y[i] + more, shadow = total - y[i];
        next[i] = total;
        rest[i] = (y[i] - (total - shadow)) + (more - shadow);
        const scale = tolerance + tolerance * Math.max(Math.abs(y[i]), Math.abs(total));
        const a = combined(T.e5, K, i) / scale, b = combined(T.e3, K, i) / scale;
        fifth += a * a; third += b * b;
      }
      const under = fifth + 0.01 * third;
      return under === 0.0 ? 0.0 : Math.abs(h) * fifth / Math.sqrt(n * under);
    }

    function dense(begin) {
      for (let j = 13; j < 16; j++) {
        const row = T.a[j];
        for (let i = 0; i < n; i++) { stage[i] = y[i] + h * combined(row, K, i); }
        if (!taken(j, begin + T.c[j] * h)) { return null; }
      }
      const f = new Float64Array(7 * n);
      for (let i = 0; i < n; i++) {
        const jump = next[i] - y[i], lower = h * k[0][i] - jump;
        f[i] = jump; f[n + i] = lower; f[2 * n + i] = jump - h * k[12][i] - lower;
        for (let j = 0; j < 4; j++) { f[(3 + j) * n + i] = h * combined(T.d[j], K, i); }
      }
      return f;
    }
    // Whether a state inside a step may be asked for.
    const first = t;
    function inside(begin, time) { return !every || Math.floor(Math.abs(time - first) / every + 1e-9) !== Math.floor(Math.abs(begin - first) / every + 1e-9); }

    run.advance = function (steps) {
      if (run.over) { return true; }
      if (run.steps === 0 && h === 0.0) {
        if (!rates(model, t, y, p, u, k[0])) { return end("there are no rates at the start"); }
        run.u.push(u.slice()); kept = u.slice();
        h = firstStep(model, t, y, k[0], p, u, t1 - t, tolerance);
      }
      for (let count = 0; count < steps; count++) {
        const left = t1 - t - late;
        if (left === 0.0) { return end(""); }
        if (run.steps + run.rejected >= most) { return end("it takes more than " + most + " steps"); }
        const last = Math.abs(h) * 1.01 >= Math.abs(left);
        if (last) { h = left; }
        if (!last && Math.abs(h) <= Math.max(Math.abs(t) * SMALLEST, 1e-300)) {
          return end("steps become too small at t = " + t.toPrecision(6));
        }
        const error = attempt();
        if (!(error <= 1.0)) { refuse(error !== error ? h / 10 : h / Math.min(Math.max(eighth(error) / 0.9, 1 / 6), 3)); continue; }
        const more = h + late, total = t + more, shadow = total - t, begin = t;
        const time = last ? t1 : total;
        const moved = project(model, time, next, p, u, false);
        if (!(moved <= 100 * Math.max(tolerance, 1e-12))) { refuse(h / 10); continue; }
        stage.set(next);
        if (!taken(12, time)) { refuse(h / 10); continue; }
        const here = u.slice(), f = inside(begin, time) ? dense(begin) : undefined;
        if (f === null) { refuse(h / 10); continue; }
        run.corrections = Math.max(run.corrections, moved);
        late = last ? 0.0 : (t - (total - shadow)) + (more - shadow);
        t = time; y = next.slice(); low.set(rest); u = here; kept = u.slice();
        k[0].set(k[12]);
        run.t.push(t); run.y.push(y); run.u.push(kept); run.dense.push(f); run.steps++;
        const grown = h / Math.min(Math.max(eighth(error) / 0.9, 1 / 6), 3);
        h = refused && Math.abs(grown) > Math.abs(h) ? h : grown;
        refused = false;
        if (last) { return end(""); }
      }
      return false;
    };

    // Where it ends: at its last knot, or before, where it is stopped.
    run.end = function () { return run.stop === undefined ? run.t[run.t.length - 1] : run.stop; };
    // Keeps the last knot alone.
    run.forget = function () {
      for (const several of [run.t, run.y, run.u]) { several.splice(0, several.length - 1); }
      run.dense.length = 0;
    };

    // The unknowns at a time, found from those of the knot before; these where that fails.
    function unknowns(from, time, out) {
      const found = Array.from(run.u[from]);
      return found.length && model.solve(time, out, p, found) ? found : run.u[from];
    }

    // The state at a time, as far as the motion goes; returns the unknowns there.
    run.at = function (time, out) {
      const many = run.dense.length;
      let from = 0, to = many;
      while (to - from > 1) { const middle = (from + to) >> 1; if (run.t[middle] <= time) { from = middle; } else { to = middle; } }
      const begin = run.y[from], f = run.dense[from];
      if (!f) { for (let i = 0; i < n; i++) { out[i] = begin[i]; } return run.u[from] || u; }
      const s = Math.min(Math.max((time - run.t[from]) / (run.t[from + 1] - run.t[from]), 0), 1), r = 1 - s;
      for (let i = 0; i < n; i++) {
        out[i] = begin[i] + s * (f[i] + r * (f[n + i] + s * (f[2 * n + i] + r * (f[3 * n + i] + s * (f[4 * n + i] + r * (f[5 * n + i] + s * f[6 * n + i]))))));
      }
      return unknowns(from, run.t[from] + s * (run.t[from + 1] - run.t[from]), out);
    };
    return run;
  }

  // -- the rank of constraints -------------------------------------------------------------------------------------
  const LOST = 1e-6, STUCK = 1e-2, DEEP = 2.0, LOOKS = 4, ZOOMS = 10, AROUND = 24, NEARBY = 1e-3, DIFFERENT = 0.2;

  // An orthonormal basis of the rows of a matrix, the largest first, and how long each was when it was taken.
  function rowSpace(rows, most) {
    const left = rows.map(row => row.slice()), basis = [], sizes = [];
    while (basis.length < most) {
      let best = -1, size = 0.0;
      left.forEach(function (row, k) { const s = Math.sqrt(row.reduce((t, x) => t + x * x, 0)); if (s > size) { best = k; size = s; } });
      sizes.push(size);
      if (best < 0) { break; }
      const one = left[best].map(x => x / size);
      basis.push(one);
      for (const row of left) { for (let pass = 0; pass < 2; pass++) { const c = row.reduce((t, x, i) => t + x * one[i], 0); row.forEach((x, i) => { row[i] = x - c * one[i]; }); } }
    }
    return { basis: basis, sizes: sizes };
  }

  // Stops a motion where its constraints lose rank: 'rows' of the model are those of their Jacobian, each so 'wide'; 'free' are
  // the places of coordinates. A loss matters where the directions that are allowed differ at points around it.
  function rankLoss(model, run, p, told) {
    const wide = told.wide, entries = new Array(model.results.rows.length), y = new Float64Array(run.y[0].length);
    const norms = new Array(entries.length / wide).fill(0.0);
    function matrix(t, state, u) {
      model.rows(t, state, p, u, entries);
      return norms.map((_, k) => entries.slice(k * wide, (k + 1) * wide));
    }
    function scaled(rows) {
      rows.forEach(function (row, k) { norms[k] = Math.max(norms[k], Math.sqrt(row.reduce((t, x) => t + x * x, 0)) || 0); });
      return rows.map((row, k) => row.map(x => x / (norms[k] || 1)));
    }
    const first = rowSpace(scaled(matrix(run.t[0], run.y[0], run.u[0])), norms.length).sizes;
    const rank = first.filter(s => s > LOST * first[0]).length;
    function measure(t) { const u = run.at(t, y); return rowSpace(scaled(matrix(t, y, u)), rank).sizes[rank - 1] || 0; }
    function matters(t) {
      const u = run.at(t, y), seen = [];
      let seed = 7;
      for (let k = 0; k < AROUND; k++) {
        const z = y.slice();
        for (const i of told.free) { seed = (1103515245 * seed + 12345) % 2147483648; z[i] += NEARBY * (1 + Math.abs(z[i])) * (seed / 1073741824 - 1); }
        const basis = rowSpace(scaled(matrix(t, z, u)), rank).basis, one = [];
        for (let i = 0; i < wide; i++) { for (let j = 0; j < wide; j++) { one.push(basis.reduce((s, b) => s + b[i] * b[j], 0)); } }
        if (seen.some(other => other.some((x, i) => Math.abs(x - one[i]) > DIFFERENT))) { return true; }
        seen.push(one);
      }
      return false;
    }
    const times = [];
    for (let k = 0; k + 1 < run.t.length; k++) { for (let j = 0; j < LOOKS; j++) { times.push(run.t[k] + (run.t[k + 1] - run.t[k]) * j / LOOKS); } }
    times.push(run.t[run.t.length - 1]);
    const sizes = times.map(measure);
    let largest = 0.0;
    for (let k = 0; k < times.length; k++) {
      largest = Math.max(largest, sizes[k]);
      const before = k ? sizes[k - 1] : Infinity, after = k + 1 < sizes.length ? sizes[k + 1] : Infinity;
      if (sizes[k] > before || sizes[k] > after || !(Math.max(before, after) > DEEP * sizes[k])) { continue; }
      let from = times[Math.max(k - 1, 0)], to = times[Math.min(k + 1, times.length - 1)], best = [sizes[k], times[k]];
      for (let zoom = 0; zoom < ZOOMS; zoom++) {
        const step = (to - from) / 16;
        for (let j = 0; j <= 16; j++) { const m = measure(from + j * step); if (m < best[0]) { best = [m, from + j * step]; } }
        from = best[1] - step; to = best[1] + step;
      }
      if (best[0] < LOST * largest && matters(best[1])) {
        run.stop = Math.max(best[1], run.t[0]);
        run.message = "the constraints lose rank at t = " + run.stop.toPrecision(6) + ", and do not say how the motion goes on";
        return true;
      }
    }
    if (run.message && sizes[sizes.length - 1] < STUCK * largest) {
      run.message = "the constraints come near to losing rank at t = " + run.end().toPrecision(6) + ", and the motion cannot be continued";
      return true;
    }
    return false;
  }

  // Why a motion stops where a value of one of these tables of the model vanishes or changes its sign.
  const ENDINGS = {
    ends: (t, what) => "the variables end at t = " + t + ", where " + what + " vanishes; 'simulate' goes on in others",
    holds: (t, what) => "the equations hold only while " + what + ", and this ends at t = " + t + "; the motion itself may go on",
  };
  function standing(model, t, y, p, u, tables) {
    return tables.filter(table => model[table]).flatMap(function (table) { const values = new Array(model.results[table].length); model[table](t, y, p, u, values); return values; });
  }
  // Stops a motion where its variables end, or where its equations no longer hold.
  function chartEnd(model, run, p) {
    const y = new Float64Array(run.y[0].length), tables = Object.keys(ENDINGS).filter(table => model[table]);
    const told = tables.flatMap(table => model.results[table].map(what => [table, what]));
    function look(t) { const u = run.at(t, y); return standing(model, t, y, p, u, tables); }
    const first = look(run.t[0]);
    function gone(t) { return look(t).findIndex((x, i) => !(x * first[i] > 0)); }
    let good = run.t[0];
    for (let k = 0; k + 1 < run.t.length; k++) {
      for (let j = 1; j <= LOOKS; j++) {
        let bad = run.t[k] + (run.t[k + 1] - run.t[k]) * j / LOOKS, which = gone(bad);
        if (which < 0) { good = bad; continue; }
        for (let halved = 0; halved < 60; halved++) {
          const middle = (good + bad) / 2, there = gone(middle);
          if (there < 0) { good = middle; } else { bad = middle; which = there; }
        }
        run.stop = good;
        run.message = ENDINGS[told[which][0]](good.toPrecision(6), told[which][1]);
        return true;
      }
    }
    return false;
  }

  return { motion: motion, project: project, rates: rates, rankLoss: rankLoss, chartEnd: chartEnd, standing: standing };
})();
if (typeof module !== "undefined") { module.exports = dalembert; }

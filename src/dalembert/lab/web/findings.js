// What was decided and found, beside the page: as text, with buttons that put it into the model.
const MOST = 40, OTHER = "These results are of another model: the model has changed since.";

export function findings(box, acts) {
  function made(name, look, parent, text) { const one = document.createElement(name); if (look) { one.className = look; } if (text) { one.textContent = text; } if (parent) { parent.append(one); } return one; }
  function badge(kind, question, parent) { return made("span", "verdict " + (question && kind === "refuted" ? "no" : kind), parent, kind !== "refuted" ? kind : question ? "no" : "FAILS"); }
  function begin(title) {
    box.replaceChildren();
    const head = made("div", "head", box), close = made("button", "close", null, "×");
    made("b", "", head, title);
    close.type = "button"; close.setAttribute("aria-label", "close"); close.addEventListener("click", clear);
    head.append(close);
    return made("div", "list", box);
  }
  // Results are of one model, named by a key of what it states; for any other they are marked, and cannot be put into it.
  let pending = null, of = "", now = "";
  function clear() { pending = null; of = now; fit(); box.replaceChildren(); }
  function fit() {
    const other = of !== now;
    box.classList.toggle("other", other);
    for (const one of box.querySelectorAll(".put")) { one.disabled = other || one.dataset.put === "done"; }
  }
  function bound(list, key) { of = key; list.prepend(made("p", "other", null, OTHER)); fit(); }
  function button(text, parent, act) {
    const one = made("button", "put", parent, text);
    one.type = "button"; one.addEventListener("click", function () { if (act()) { pending = one; } });
  }
  function row(parent, kind, said, note, question) {
    const one = made("div", "row", parent);
    badge(kind, question, one);
    const words = made("div", "words", one);
    made("span", "said", words, said);
    if (note) { made("small", "", words, note); }
    return one;
  }
  function written(expression) { return typeof expression === "string" ? expression : expression.expression + ", where " + Object.entries(expression.where).map(p => p[0] + " = " + p[1]).join(", "); }

  return {
    clear: clear,
    // The model that is typed now; one with faults has no key.
    model: function (key) { now = key || ""; if (box.childElementCount) { fit(); } },
    // What was to be put into the model is there now, or was before.
    inserted: function (many) {
      if (!pending) { return; }
      pending.dataset.put = "done"; fit(); pending.textContent = many ? "it is in the model" : "it was there already"; pending = null;
    },
    say: function (said) { clear(); made("p", "note", box, said); },
    faults: function (what, faults) {
      const list = begin(what === "derive" ? "Nothing was derived" : what === "check" ? "Nothing was decided" : what === "insert" ? "The model stays as it is" : "Nothing was searched");
      for (const fault of faults.slice(0, MOST)) { made("p", "fault", list, (fault.line ? "line " + fault.line + ", " : "") + fault.said); }
    },
    claims: function (claims, spent, key) {
      const list = begin(claims.length === 1 ? "The claim" : claims.length + " claims");
      for (const claim of claims.slice(0, MOST)) { row(list, claim.verdict, claim.statement, claim.evidence + " (" + claim.formalism + ")", claim.role === "question"); }
      made("small", "spent", list, spent + ".");
      bound(list, key);
    },
    discovery: function (found, offers, facts, spent, key) {
      const list = begin("What was found");
      const fields = found.symmetries || [], integrals = found.integrals || [];
      const lasting = fields.filter(one => one.time === "0");
      if (fields.length) {
        const head = made("h2", "", list, "Symmetries of what is stated: " + found.algebra);
        if (Object.keys(offers).length > 1) { button("put all into the model", head, () => acts.insert("symmetry", offers, key)); }
      }
      for (const one of fields.slice(0, MOST)) {
        const line = row(list, one.verdict, one.field, one.gauge === "0" ? "" : "L changes by the rate of " + one.gauge), k = lasting.indexOf(one), name = "e" + (k + 1);
        if (k >= 0 && offers[name]) { button("put into the model", line, () => acts.insert("symmetry", { [name]: offers[name] }, key)); }
      }
      if (integrals.length) { made("h2", "", list, "Constant along the motions"); }
      integrals.slice(0, MOST).forEach(function (one, k) {
        const line = row(list, one.verdict, written(one.expression), one.name || "new");
        if (facts[k] && facts[k].length <= 2000) { button("put into the model", line, () => acts.insert("integrals", { [one.name ? one.name.slice(0, 50) : "found " + (k + 1)]: facts[k] }, key)); }
      });
      for (const [speed, is] of Object.entries(found.speeds || {})) { made("p", "", list, "with " + speed + " = " + written(is)); }
      if (!fields.length && !integrals.length) { made("p", "", list, "Nothing was found."); }
      const more = made("details", "", list);
      made("summary", "", more, "what was searched");
      for (const said of [found.searched].concat((found.searches || []).map(s => s.space), found.notes || []).filter(Boolean)) { made("p", "", more, said + (said.endsWith(".") ? "" : ".")); }
      made("small", "spent", list, spent + ".");
      bound(list, key);
    }
  };
}

// How the page talks to the server: one line for all of it. Whatever comes is shown as text, never as markup.
import { editor } from "/editor.js";
import { findings } from "/findings.js";

const by = id => document.getElementById(id);
const TYPING = 120, AGAIN = 1000, LONGEST_LINK = 30000;
let line = null, words = null, turn = 0, answered = 0, typing = 0, busy = "", sent = "", shown = "", pageText = null, began = false, first = "";

// -- the model ------------------------------------------------------------------------------------------------------
const model = editor(by("editor"), changed, () => ask("derive"));
const found = findings(by("findings"), {
  insert: function (kind, entries, of) {
    const text = model.text();
    if (busy || !say({ do: "insert", text: text, kind: kind, entries: entries, of: of })) { return false; }
    sent = text; begin("insert");
    return true;
  }
});

function changed() {
  window.clearTimeout(typing);
  typing = window.setTimeout(look, TYPING);
  by("stale").hidden = shown === "" || model.text() === shown;
  keep();
}
function look() {
  const text = model.text();
  if (tooLarge(text)) { model.faults([{ line: null, said: "a model in the lab has at most " + words.most + " bytes." }]); verdict("wrong", "It is too large for the lab."); return; }
  turn += 1;
  say({ do: "look", turn: turn, text: text });
}
function tooLarge(text) { return words && new TextEncoder().encode(text).length > words.most; }
function looked(told) {
  if (told.looked < answered) { return; }
  answered = told.looked;
  model.faults(told.faults);
  found.model(told.of);
  document.body.dataset.looked = told.looked === turn ? "now" : "before";
  if (told.faults.length) {
    const here = told.faults.filter(f => f.line).length;
    verdict("wrong", here ? (told.faults.length === 1 ? "1 fault" : told.faults.length + " faults") : told.faults[0].said, told.faults);
  } else { verdict("right", told.said); document.title = told.name + " · the lab"; }
}
function verdict(kind, said, faults) {
  const box = by("verdict");
  box.className = kind; box.textContent = said;
  const list = (faults || []).filter(f => f.line || faults.length > 1);
  if (list.length) {
    const all = document.createElement("ul");
    for (const fault of list.slice(0, 20)) {
      const item = document.createElement("li"), to = document.createElement("button");
      to.type = "button"; to.textContent = (fault.line ? "line " + fault.line + ": " : "") + fault.said;
      to.addEventListener("click", () => fault.line && model.go(fault.line));
      item.append(to); all.append(item);
    }
    box.append(all);
  }
}

// -- jobs -----------------------------------------------------------------------------------------------------------
function ask(what) {
  if (busy) { return; }
  const text = model.text();
  const asked = { do: what, text: text };
  if (what === "derive") { asked.formalism = by("formalism").value; }
  if (what === "check") { asked.that = by("that").value.trim(); asked.formalism = by("formalism").value === "all" ? "" : by("formalism").value; }
  if (what === "check" && !asked.that) { found.say("Write a claim first: x' conserved, x'' = -x, or x d/dy - y d/dx symmetry."); by("that").focus(); return; }
  if (what === "discover") { asked.deep = false; }
  if (tooLarge(text)) { look(); return; }
  if (say(asked)) { sent = text; begin(what); }
}
const DOING = { derive: "deriving", check: "deciding", discover: "searching", insert: "putting it into the model" };
function begin(what) {
  busy = what;
  document.body.dataset.busy = what;
  by("progress").textContent = DOING[what]; by("work").textContent = "";
  by("doing").hidden = false;
  for (const id of ["derive", "check", "discover"]) { by(id).disabled = true; }
}
function ended() {
  busy = "";
  delete document.body.dataset.busy;
  by("doing").hidden = true;
  for (const id of ["derive", "check", "discover"]) { by(id).disabled = false; }
}
function progress(told) {
  if (!busy) { return; }
  by("progress").textContent = told.said;
  by("work").textContent = told.work ? units(told.work) : "";
}
function units(work) { return (work > 0 && work < 0.01 ? "less than 0.01" : work.toFixed(work < 10 ? 2 : 1)) + " units of work"; }
function done(told) {
  ended();
  document.body.dataset.done = told.done;
  if (told.faults.length) { found.faults(told.done, told.faults); return; }
  const spent = units(told.work) + (told.stopped.length ? "; the safety net ended " + told.stopped.join(", ") : "");
  if (told.done === "derive") {
    shown = sent; by("stale").hidden = model.text() === shown;
    by("welcome").hidden = true; by("page").hidden = false;
    by("page").src = told.page; by("save-report").disabled = false;
    pageText = { address: told.page, name: told.name };
    found.clear();
    found.say(told.claims + " claims were decided" + (told.failed ? ", " + told.failed + " of them failed" : "") + "; " + spent + ".");
  } else if (told.done === "check") { found.claims(told.claims, spent, told.of);
  } else if (told.done === "discover") { found.discovery(told.discovery, told.offers, told.facts || [], spent, told.of);
  } else if (told.done === "insert") {
    if (model.text() !== sent) { found.say("The model has changed meanwhile, and nothing was put into it."); return; }
    if (told.inserted) { model.set(told.text); }
    found.inserted(told.inserted);
  }
}

// -- the line ---------------------------------------------------------------------------------------------------------
function say(what) {
  if (!line || line.readyState !== WebSocket.OPEN) { return false; }
  line.send(JSON.stringify(what));
  return true;
}
function connect() {
  line = new WebSocket("ws://" + window.location.host + "/talk");
  line.addEventListener("message", event => hear(JSON.parse(event.data)));
  line.addEventListener("open", () => { document.body.dataset.line = "open"; });
  line.addEventListener("close", () => {
    ended();
    const before = document.body.dataset.line;
    document.body.dataset.line = "closed";
    verdict("wrong", before === "open" || before === "closed" && words ? "The lab does not answer. Is it still running in its terminal?" : "This page opens nothing by itself: open the address that 'dalembert lab' has printed.");
    window.setTimeout(connect, AGAIN);
  });
}
async function hear(told) {
  if (told.hello) { await hello(told); }
  else if (told.looked) { looked(told); }
  else if (told.progress) { progress(told.progress); }
  else if (told.done) { done(told); }
  else if (told.example) { model.set(told.text); model.top(); }
  else if (told.refused) { ended(); found.say(told.refused); }
}
async function hello(told) {
  words = told.hello;
  model.know(words);
  if (!by("formalism").options.length) {
    option(by("formalism"), "", "it is meant"); for (const name of words.formalisms) { option(by("formalism"), name, name); }
    option(by("formalism"), "all", "all formalisms");
    for (const one of words.gallery) { option(by("gallery"), one.name, one.name).title = one.about; }
  }
  if (!began) { first = told.model; model.set(kept() || await fromLink() || first); model.top(); began = true; }
  look();
}
// This tab keeps what is typed over a reload: for the address and the model with which it began, and no others.
function keep() {
  if (!began) { return; }
  try { window.sessionStorage.setItem("model", JSON.stringify([window.location.hash, first, model.text()])); } catch { return; }
}
function kept() {
  try {
    const [hash, began, text] = JSON.parse(window.sessionStorage.getItem("model"));
    return hash === window.location.hash && began === first ? text : "";
  } catch { return ""; }
}
function option(parent, value, text) {
  const one = document.createElement("option");
  one.value = value; one.textContent = text; parent.append(one);
  return one;
}

// -- links: the model is in the fragment, which is never sent anywhere ----------------------------------------------
async function fromLink() {
  const packed = /^#model=([\w-]+)$/.exec(window.location.hash);
  if (!packed || packed[1].length > LONGEST_LINK) { return ""; }
  try {
    const raw = Uint8Array.from(atob(packed[1].replace(/-/g, "+").replace(/_/g, "/")), c => c.charCodeAt(0));
    return await limited(new Blob([raw]).stream().pipeThrough(new DecompressionStream("gzip")));
  } catch { found.say("The link is broken; here is what the lab began with."); return ""; }
}
// Reads no more of a packed text than a model may have.
async function limited(stream) {
  const reader = stream.getReader(), parts = [];
  let size = 0;
  for (let next = await reader.read(); !next.done; next = await reader.read()) {
    size += next.value.length;
    if (size > words.most) { throw new Error("too large"); }
    parts.push(next.value);
  }
  return new Blob(parts).text();
}
async function link() {
  const raw = new Uint8Array(await new Response(new Blob([model.text()]).stream().pipeThrough(new CompressionStream("gzip"))).arrayBuffer());
  const packed = btoa(Array.from(raw, c => String.fromCharCode(c)).join("")).replace(/\+/g, "-").replace(/\//g, "_").replace(/=+$/, "");
  if (packed.length > LONGEST_LINK) { found.say("The model is too long for a link; save it instead."); return; }
  window.history.replaceState(null, "", "#model=" + packed);
  keep();
  try { await navigator.clipboard.writeText(window.location.href); found.say("The link is copied; whoever has a lab open on the same port can open it."); }
  catch { found.say("The link is in the address of this page."); }
}

// -- files ----------------------------------------------------------------------------------------------------------
function save(name, kind, text) {
  const anchor = document.createElement("a");
  anchor.href = URL.createObjectURL(new Blob([text], { type: kind }));
  anchor.download = name; anchor.click();
  window.setTimeout(() => URL.revokeObjectURL(anchor.href), 10000);
}
function plain(name) { return name.toLowerCase().replace(/[^a-z0-9]+/g, "-").replace(/^-|-$/g, "") || "model"; }
async function saveReport() {
  const answer = await window.fetch(pageText.address);
  if (answer.ok) { save(plain(pageText.name) + ".html", "text/html", await answer.text()); } else { found.say(await answer.text()); }
}

by("derive").addEventListener("click", () => ask("derive"));
by("again").addEventListener("click", () => ask("derive"));
by("discover").addEventListener("click", () => ask("discover"));
by("asking").addEventListener("submit", event => { event.preventDefault(); ask("check"); });
by("stop").addEventListener("click", () => say({ do: "stop" }));
by("save-report").addEventListener("click", saveReport);
by("save-model").addEventListener("click", () => save(plain((/^name\s*=\s*"([^"]*)"/m.exec(model.text()) || ["", ""])[1]) + ".toml", "application/toml", model.text()));
by("link").addEventListener("click", link);
by("gallery").addEventListener("change", event => { if (event.target.value) { say({ do: "example", name: event.target.value }); event.target.value = ""; } });
connect();

"""What is asked of a page in a browser: each probe returns its complaints, and none where all is well."""

import re
import shutil
import subprocess
from contextlib import contextmanager
from dataclasses import dataclass, field

import numpy as np

LARGEST = 1_500_000
"""Bytes of a report."""
PATIENCE = 600_000
"""Milliseconds that a page may take: no answer depends on how busy the machine is."""
SHEETS = 12
"""A report on paper has fewer."""


@dataclass
class Visit:
    """A page that was opened, and what it said and asked for meanwhile."""

    page: object
    noise: list = field(default_factory=list)

    def ask(self, script, value=None):
        """Return what a function of the page says; all of them know what ``TOOLS`` defines."""
        return self.page.evaluate(f"(value) => {{ {TOOLS}; return ({script})(value); }}", value)

    def unfold(self):
        """Open everything, and wait until what was packed is there, and open too."""
        for _ in range(3):
            self.ask("() => unfold()")
            self.page.wait_for_function("() => !document.querySelector('details[open] > .packed')", timeout=300_000)


@contextmanager
def visit(browser, file, width=1280, *, height=900, scheme="light", still=False, slow=1):
    """Open a file offline, in a window of its own, on a processor that is so many times slower."""
    motion = "reduce" if still else "no-preference"
    context = browser.new_context(
        viewport={"width": width, "height": height}, color_scheme=scheme, reduced_motion=motion, offline=True
    )
    context.set_default_timeout(PATIENCE)
    page = context.new_page()
    page.context.new_cdp_session(page).send("Emulation.setCPUThrottlingRate", {"rate": slow})
    here = file.as_uri()
    seen = Visit(page)
    page.on("console", lambda m: seen.noise.append(f"console {m.type}: {m.text}"))
    page.on("pageerror", lambda e: seen.noise.append(f"error: {e}"))
    page.on("request", lambda r: seen.noise.append(f"asks for {r.url}") if r.url.partition("#")[0] != here else None)
    page.goto(here)
    page.wait_for_timeout(150)
    try:
        yield seen
    finally:
        context.close()


TOOLS = """
const all = (what, from) => Array.from((from || document).querySelectorAll(what));
const told = e => e.tagName.toLowerCase() + ' ' + (e.textContent || '').trim().slice(0, 40);
const unfold = () => all('details').forEach(d => { d.open = true; });
const drawn = e => {
  const r = e.getBoundingClientRect();
  return r.width > 0 && r.height > 0 && e.checkVisibility({visibilityProperty: true});
};
const scroller = e => {
  for (let p = e.parentElement; p && p !== document.body; p = p.parentElement) {
    if (['auto', 'scroll'].includes(getComputedStyle(p).overflowX)) { return p; }
  }
  return null;
};
"""


def noises(seen):
    """Errors, warnings and words in the console, and every address that the page asks for."""
    return list(seen.noise)


def size(file):
    """The size of the file."""
    large = file.stat().st_size
    return [f"{file.name} has {large} bytes"] if large >= LARGEST else []


def equations(seen):
    """Every equation has a box, inside the page or inside a box that scrolls; nothing makes the page wider."""
    seen.unfold()
    return seen.ask("""() => {
      const wide = document.documentElement.clientWidth, bad = [], found = all('math');
      if (!found.length) { bad.push('there are no equations'); }
      for (const m of found) {
        const r = m.getBoundingClientRect(), box = scroller(m);
        if (!drawn(m)) { bad.push('no box: ' + told(m)); continue; }
        const s = box && box.getBoundingClientRect();
        const left = box ? s.left : 0, right = box ? s.left + box.scrollWidth : wide;
        if (r.left < left - 1 || r.right > right + 1) { bad.push('sticks out: ' + told(m)); }
        if (box && (s.left < -1 || s.right > wide + 1)) { bad.push('its box sticks out: ' + told(m)); }
      }
      if (document.documentElement.scrollWidth > wide + 1) {
        bad.push('the page is ' + document.documentElement.scrollWidth + ' wide, the window ' + wide);
      }
      return bad;
    }""")


def cut(seen):
    """No formula and no table has to be moved to be read, or has letters too small for it: in columns, on a phone."""
    return seen.ask("""() => all('.formulas, .wide, .entries > div, section.part > div').filter(drawn)
      .filter(box => box.scrollWidth > box.clientWidth + 2)
      .map(box => 'cut by ' + (box.scrollWidth - box.clientWidth) + ': ' + told(box))
      .concat(all('.formulas > math').filter(drawn).filter(m => parseFloat(getComputedStyle(m).fontSize) < 9)
        .map(m => 'letters of ' + getComputedStyle(m).fontSize + ': ' + told(m)))""")


def told_by_size(file):
    """Formulas that are told by how large they are, but for those listed with the command that has them."""
    pattern = (
        r"too long to be (?:shown|read)(?!: [^<;]*; derive --as|; dalembert derive)|\d+ (?:operations|shared nodes)"
    )
    return re.findall(pattern, file.read_text(encoding="utf-8"))


def plots(seen):
    """Every plot is seen, has curves with numbers in them, and words that can be read beside each other."""
    seen.unfold()
    return seen.ask("""() => {
      const bad = [], found = all('svg.plot');
      if (!found.length) { bad.push('there are no plots'); }
      const apart = (a, b) => a.right <= b.left + 1 || b.right <= a.left + 1 || a.bottom <= b.top + 2
        || b.bottom <= a.top + 2;
      for (const svg of found) {
        const name = (svg.querySelector('title') || svg).textContent.slice(0, 40);
        if (!drawn(svg)) { bad.push(name + ': is not seen'); continue; }
        const curves = all('path.curve', svg), empty = svg.querySelector('.nothing');
        if (!curves.length && !empty) { bad.push(name + ': has no curve'); }
        for (const e of all('path, polyline, circle, text', svg)) {
          for (const a of e.attributes) {
            const odd = /NaN|Infinity|undefined|null/i.test(a.value);
            if (odd) { bad.push(name + ': ' + a.name + '=' + a.value.slice(0, 20)); }
          }
        }
        for (const c of curves) {
          const b = c.getBBox();
          if (!c.getAttribute('d') || !(b.width + b.height > 0)) { bad.push(name + ': an empty curve'); }
        }
        const frame = svg.getBoundingClientRect(), words = all('text', svg).map(e => e.getBoundingClientRect());
        const cut = words.some(r => r.left < frame.left - 1 || r.right > frame.right + 1);
        if (cut) { bad.push(name + ': words are cut'); }
        const scale = frame.width / svg.viewBox.baseVal.width;
        const small = all('text', svg).some(e => parseFloat(getComputedStyle(e).fontSize) * scale < 8);
        if (small) { bad.push(name + ': words too small to read'); }
        if (words.some((a, i) => words.slice(0, i).some(b => !apart(a, b)))) { bad.push(name + ': words on words'); }
      }
      return bad;
    }""")


def _time(seen):
    return float(seen.page.get_attribute(".living", "data-time") or -1)


def _picture(seen):
    return seen.ask(
        "() => all('.living [data-figure]').map(e => e.getAttribute('points') + e.getAttribute('transform')).join()"
    )


def animation(seen):
    """The mechanism moves, stops, and goes where the slider says, by hand and by key; nothing leaves the picture."""
    page, bad = seen.page, []
    if not page.query_selector(".living"):
        return ["nothing is alive"]
    page.wait_for_selector(".living[data-milliseconds]")
    button, slider = page.locator(".living .play"), page.locator(".living .time")
    first, looked = _time(seen), _picture(seen)
    page.wait_for_timeout(400)
    if _time(seen) == first:
        bad.append("it does not play")
    if _picture(seen) == looked:
        bad.append("nothing moves")
    button.click()
    page.wait_for_timeout(80)
    stopped, looked = _time(seen), _picture(seen)
    page.wait_for_timeout(300)
    if _time(seen) != stopped or _picture(seen) != looked:
        bad.append("it does not stop")
    slider.fill("500")
    half = _time(seen)
    slider.focus()
    page.keyboard.press("ArrowRight")
    if _time(seen) <= half:
        bad.append("the slider has no keys")
    for frame in range(0, 1001, 80):
        slider.fill(str(frame))
        bad += [f"{what} at frame {frame}" for what in seen.ask(_INSIDE)]
    if not 0 < half < _time(seen):
        bad.append("the slider does not set the time")
    button.focus()
    now = _time(seen)
    page.keyboard.press("Enter")
    page.wait_for_timeout(250)
    if _time(seen) == now:
        bad.append("it does not play again by key")
    return bad


_INSIDE = """() => {
  const svg = document.querySelector('.living svg').getBoundingClientRect();
  const followed = document.querySelector('.living').hasAttribute('data-follow');  // then paths lead out of it
  return all('.living [data-figure]').filter(e => !(followed && e.matches('.trace, .net')))
    .map(e => e.getBoundingClientRect())
    .filter(r => r.left < svg.left - 2 || r.right > svg.right + 2 || r.top < svg.top - 2 || r.bottom > svg.bottom + 2)
    .map(() => 'a shape leaves the picture');
}"""


def folds(seen):
    """What is folded is not seen, and unfolds when its heading is pressed, by hand and by key."""
    bad = []
    outer = seen.page.locator("body > details, section > details")
    for k in range(min(outer.count(), 40)):
        fold = outer.nth(k)
        name = fold.locator("summary").first.inner_text()[:40]
        inside = fold.locator(":scope > :not(summary)").first
        was = inside.is_visible()
        for press in (lambda s: s.click(), lambda s: (s.focus(), s.page.keyboard.press("Enter"))):
            press(fold.locator("summary").first)
            if inside.is_visible() == was:
                bad.append(f"{name}: does not turn")
            was = inside.is_visible()
    return bad if outer.count() else ["nothing is folded"]


def printed(seen):
    """On paper claims are folded, parts with names are not, nothing that is pressed is there, and nothing is cut."""
    page = seen.page
    page.set_viewport_size({"width": 720, "height": 1000})  # A4 between its margins
    page.emulate_media(media="print")
    bad = seen.ask("""() => {
      const bad = [], wide = document.documentElement.clientWidth;
      for (const d of all('details.where:not(.many)').filter(e => !e.parentElement.closest('details'))) {
        const inside = Array.from(d.children).find(e => e.tagName !== 'SUMMARY');
        if (inside && !(inside.getBoundingClientRect().height > 0 && inside.checkVisibility())) {
          bad.push('folded away on paper: ' + told(d));
        }
      }
      for (const d of all('details.claims')) {
        if (Array.from(d.children).some(e => e.tagName !== 'SUMMARY' && e.checkVisibility())) {
          bad.push('claims on paper: ' + told(d));
        }
      }
      for (const b of all('button, input')) { if (drawn(b)) { bad.push('to be pressed on paper: ' + told(b)); } }
      for (const e of all('math, svg, table, pre').filter(drawn)) {
        const r = e.getBoundingClientRect();
        if (r.right > wide + 2) { bad.push('wider than the paper by ' + Math.round(r.right - wide) + ': ' + told(e)); }
      }
      return bad;
    }""")
    sheet = page.pdf(format="A4", print_background=True)
    if not sheet.startswith(b"%PDF") or len(sheet) < 20_000:
        bad.append("it cannot be printed")
    sheets = len(re.findall(rb"/Type\s*/Page\b", sheet))
    return [*bad, f"{sheets} sheets"] if not 0 < sheets < SHEETS else bad


MARKS = 7
"""Points of the letters at an axis, on paper."""
INK = 0.01
"""The part of its box that a mechanism covers at least, on paper."""
_EDGE, _DOTS = 14 / 25.4, 100
"""The margin of a sheet in inches, and its dots per inch."""


def on_paper(seen, folder):
    """The mechanism is on the first sheet, about 80 mm wide, and the letters at the axes can be read."""
    page = seen.page
    page.set_viewport_size({"width": 688, "height": 1017})  # A4 between margins of 14 mm
    page.emulate_media(media="print")
    bad = seen.ask(
        """(least) => all('.living .curve text, svg.plot text').filter(e => drawn(e) && e.textContent.trim())
      .map(e => [e, 0.75 * parseFloat(getComputedStyle(e).fontSize) * e.getScreenCTM().a])
      .filter(([e, points]) => !e.matches('.key') && Math.abs(e.getScreenCTM().b) < 1e-9 && points < least)
      .map(([e, points]) => 'letters of ' + points.toFixed(1) + ' points: ' + told(e))""",
        MARKS,
    )
    box = seen.ask("""() => { const r = document.querySelector('.columns svg').getBoundingClientRect();
      return [r.left, r.top, r.right, r.bottom].map(x => x / 96); }""")
    wide = 25.4 * (box[2] - box[0])
    bad += [f"a mechanism {wide:.0f} mm wide"] if abs(wide - 80) > 2 else []
    paper = folder / "sheet.pdf"
    page.pdf(path=paper, format="A4", print_background=True)
    left, top, right, bottom = (round(_DOTS * (x + _EDGE)) for x in box)
    sheet = first_sheet(paper)[top:bottom, left:right]
    ink = (sheet.min(axis=2) < 200).mean()  # darker than a grid and a background
    return [*bad, f"{ink:.2%} of the mechanism is printed"] if ink < INK else bad


def first_sheet(paper):
    """Return the first sheet of a PDF as numbers: rows, columns, colours."""
    program = shutil.which("pdftoppm")
    assert program, "pdftoppm is not there: install poppler-utils"
    made = subprocess.run([program, "-r", str(_DOTS), "-l", "1", paper], capture_output=True, check=True).stdout
    head = re.match(rb"P6\s(\d+)\s(\d+)\s255\s", made)
    return np.frombuffer(made[head.end() :], np.uint8).reshape(int(head[2]), int(head[1]), 3)


def places(seen):
    """Return where the parts of the first screen are."""
    return seen.ask("""() => all('h1, .title p, .stage, .controls, .telling, .tools, .beside section')
      .filter(e => !e.closest('.curve')).map(e => { const r = e.getBoundingClientRect();
        return [told(e).split(' ')[0], r.left, r.top, r.width, r.height]; })""")


def shifts(seen):
    """Return what the browser has seen to move by itself on the screen, and by how much."""
    return seen.ask("""() => new Promise(done => {
      const found = [];
      new PerformanceObserver(list => list.getEntries().forEach(e => e.sources.forEach(s => {
        found.push(e.value.toFixed(4) + ' ' + (s.node ? s.node.nodeName + '.' + (s.node.className || '') : ''));
      }))).observe({ type: 'layout-shift', buffered: true });
      setTimeout(() => done(found), 100);
    })""")


def access(seen):
    """A language, a title, one first heading, names for all that is pressed and drawn, links that lead somewhere."""
    return seen.ask("""() => {
      const bad = [], name = e => e.getAttribute('aria-label') || (e.querySelector('title') || e).textContent.trim();
      if (!document.documentElement.lang) { bad.push('no language'); }
      if (!document.title) { bad.push('no title'); }
      if (all('h1').length !== 1) { bad.push('not one first heading'); }
      let level = 1;
      for (const h of all('h1, h2, h3, h4')) {
        const now = Number(h.tagName[1]);
        if (now > level + 1) { bad.push('a heading too deep: ' + told(h)); }
        level = now;
      }
      for (const b of all('button, summary')) { if (!name(b)) { bad.push('a nameless button'); } }
      for (const i of all('input')) { if (!i.getAttribute('aria-label')) { bad.push('a nameless control'); } }
      for (const s of all('svg')) {
        if (s.getAttribute('role') !== 'img' || !name(s)) { bad.push('a nameless picture'); }
      }
      for (const a of all('a[href^="#"]')) {
        if (!document.getElementById(a.getAttribute('href').slice(1))) { bad.push('a link to nowhere: ' + told(a)); }
      }
      const ids = all('[id]').map(e => e.id);
      if (new Set(ids).size !== ids.length) { bad.push('an id twice'); }
      return bad;
    }""")


def contrast(seen):
    """Words stand out from what is behind them, at least 4.5 to 1."""
    seen.unfold()
    return seen.ask("""() => {
      const canvas = matchMedia('(prefers-color-scheme: dark)').matches ? [18, 18, 18, 1] : [255, 255, 255, 1];
      const parse = c => { const n = c.match(/[\\d.]+/g).map(Number); return n.length === 3 ? [...n, 1] : n; };
      const over = (a, b) => [0, 1, 2].map(i => a[i] * a[3] + b[i] * (1 - a[3])).concat([1]);
      const light = c => [0, 1, 2].map(i => c[i] / 255)
        .map(v => v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4)
        .reduce((s, v, i) => s + v * [0.2126, 0.7152, 0.0722][i], 0);
      const bad = new Set();
      for (const e of all('body *')) {
        if (e.namespaceURI.endsWith('MathML')) { continue; }  // as dark as the words around it
        const own = Array.from(e.childNodes).some(n => n.nodeType === 3 && n.textContent.trim());
        if (!own || !drawn(e) || ['SCRIPT', 'STYLE', 'OPTION', 'BUTTON'].includes(e.tagName)) { continue; }
        const style = getComputedStyle(e), chain = [];
        let opacity = 1;
        for (let p = e; p; p = p.parentElement) { chain.unshift(p); opacity *= Number(getComputedStyle(p).opacity); }
        let behind = canvas;
        for (const p of chain) { behind = over(parse(getComputedStyle(p).backgroundColor), behind); }
        const ink = parse(e.namespaceURI.endsWith('svg') ? style.fill : style.color);
        const front = over([ink[0], ink[1], ink[2], ink[3] * opacity], behind);
        const [a, b] = [light(front), light(behind)].sort((x, y) => y - x);
        const ratio = (a + 0.05) / (b + 0.05);
        const which = e.tagName.toLowerCase() + '.' + (e.getAttribute('class') || '');
        if (ratio < 4.5) { bad.add(ratio.toFixed(1) + ': ' + which); }
      }
      return Array.from(bad);
    }""")

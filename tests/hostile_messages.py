"""Messages that mean harm: files and programs named wherever a text can stand, sizes, shapes, and plain noise.

Each names a mark; nothing that a process opens, starts or compiles may have it in its name or text.
"""

import json
from itertools import product
from random import Random

MARK = "MARKED_BY_A_STRANGER"
SPY = f"""
import os, sys
def _look(event, given):
    for one in given:
        parts = one if isinstance(one, (list, tuple)) else [one]
        for part in parts:
            if isinstance(part, bytes) and len(part) < 1_000_000:
                part = part.decode("latin-1")
            if isinstance(part, str) and {MARK!r} in part and event not in ("sys.excepthook", "object.__getattr__"):
                os._exit(77)
sys.addaudithook(_look)
"""
"""What a ``sitecustomize`` does in every process of the lab: it ends where the mark reaches the system."""
STATUS = 77
PLACES = [
    f"/var/{MARK}",
    f"../../{MARK}.toml",
    f"file:///{MARK}",
    f"package://{MARK}/mesh.stl",
    f"https://example.org/{MARK}",
    f"__import__('os').system('touch {MARK}')",
    f"open('{MARK}', 'w')",
    f"exec(open('{MARK}').read())",
    f"eval({MARK!r})",
    f"$(touch {MARK})",
    f"<script>{MARK}</script>",
    f"{{{{ {MARK} }}}}",
    f"%s{MARK}%n",
    f"{MARK}\u0000",
]
MODEL = """name = {0}
lagrangian = {1}
[coordinates]
x = {2}
[parameters]
m = {3}
[constraints]
c = {4}
[{5}]
a = {6}
"""
USUAL = ['"fall"', '"x\'^2/2 - m*x"', '"real"', "1", '"x\' = 0"', "notes2", "1"]
FILES = [
    '[bodies]\nb = {{ mass = 1, mesh = "{0}" }}',
    '[functions]\nf = {{ of = ["x"], table = "{0}" }}',
    '[functions]\nf = {{ of = ["x"], file = "{0}" }}',
    'include = "{0}"',
    '[start]\nx = "{0}"',
    '[run]\nengine = "{0}"\nformalism = "{0}"',
    '[drawing]\nshapes = [{{ image = "{0}" }}]',
    '[facts.integrals]\n"{0}" = "{0}"',
    "#:schema {0}",
    '<!DOCTYPE x [<!ENTITY a SYSTEM "{0}">]><robot name="{0}"><link name="&a;"/></robot>',
]


def models():
    """Yield models with something of a stranger's in every place."""
    for k, place in product(range(len(USUAL)), PLACES):
        yield MODEL.format(
            *(json.dumps(place) if j == k and k != 5 else place if j == k else one for j, one in enumerate(USUAL))
        )
    for pattern, place in product(FILES, PLACES[:6]):
        yield pattern.format(place) + '\nlagrangian = "x\'^2/2"\n[coordinates]\nx = "real"\n'


def shapes():
    """Yield messages that are none, and some that are too large or too deep."""
    yield from ("", "{", "null", "[]", '"derive"', "\u0000", "[" * 50_000, '{"do":' * 1_000, MARK, "NaN", "1e999")
    for do in ("open", "save", "page", "run", "__class__", "look\u0000", MARK, None, 3, [], {}):
        yield json.dumps({"do": do, "path": f"/var/{MARK}", "text": MARK})
    for name in (*PLACES, "..", "/etc/passwd", "kepler/../../x", "kepler\u0000.toml", ""):
        yield json.dumps({"do": "example", "name": name[:60]})
    for kind, entries in product(
        ("symmetry", "integrals", MARK), ({"e1": MARK}, {MARK: "1 }\n[x]\ny = { z = 1"}, [MARK])
    ):
        yield json.dumps({"do": "insert", "text": "", "kind": kind, "entries": entries, "of": MARK})
    yield json.dumps({"do": "look", "turn": 1, "text": "x" * 70_000})
    yield json.dumps({"do": "look", "turn": 2, "text": "é" * 40_000})


def messages():
    """Return two hundred of them, always the same."""
    looks = [json.dumps({"do": "look", "turn": 10 + k, "text": text}) for k, text in enumerate(models())]
    all_of_them = [*shapes(), *looks]
    Random(27).shuffle(all_of_them)
    assert len(all_of_them) >= 200, len(all_of_them)
    return all_of_them[:200]

"""Model files: nothing is lost on the way in or out, and everything wrong is told, with its line."""

import re
import tomllib
from decimal import Decimal
from fractions import Fraction
from pathlib import Path

import pytest
from clock import quickly
from hypothesis import given, settings
from hypothesis import strategies as st
from places import ROOT

from dalembert.errors import DalembertError, ExpressionError, ModelError
from dalembert.expr import number, symbol
from dalembert.expr.text import Limits, parse
from dalembert.model.faults import TABLES, Faults
from dalembert.model.files import MOST_BYTES, dumps, load, loads, save
from dalembert.model.lines import lines_of
from dalembert.model.machine.stated import PARTS
from dalembert.model.statement import read_system, stated_system
from dalembert.model.system import System
from dalembert.model.writing import tables_in_text, tables_of
from dalembert.testing.strategies import VOCABULARY, any_expressions, fractions

HERE = Path(__file__).parent
EVERYTHING = HERE / "everything.toml"
DOCUMENT = ROOT / "docs" / "model.md"
EXAMPLES = re.findall(r"^```toml\n(.*?)^```", DOCUMENT.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE)
DISC = EXAMPLES[0]


# -- there and back ------------------------------------------------------------------------------------------
def test_a_file_with_every_table_says_what_it_says():
    system = load(EVERYTHING)
    assert set(tomllib.loads(EVERYTHING.read_text(encoding="utf-8"))) == set(TABLES) - {
        "equations",
        "algebra",
        "bracket",
        *PARTS,
    }
    words = system.vocabulary
    assert [repr(q) for q in system.q] == ["x", "y", "phi", "psi", "r", "s"]
    assert system.parameters[words["m"]] == Fraction(5, 2)
    assert system.parameters[words["I"]] == Fraction(1, 3)
    assert system.parameters[words["y0"]] == Fraction(1, 10**20)
    assert system.parameters[words["huge"]] == 123456789012345678901234567890
    assert system.parameters[words["c"]] is None
    assert words["b"].data.domain == "negative"
    assert system.lagrangian is not None
    assert words["vx"] is parse("x' + m*sin(phi)*phi'", words)
    assert [c.origin for c in system.constraints.values()] == ["stated", "stated", "holonomic"]
    assert system.controls[words["u3"]] is None
    assert [one.data.name for one in system.speeds] == ["spin", "up", "turning"]
    assert words["up"] is parse("(1 + phi^2)*s' - (2*psi' + t*phi') + 1", words)
    assert words["half"] is parse("up/2 + vx", words)
    assert list(system.let) == ["vx", "vy", "half", "k", "wide"]
    assert [repr(q) for q in system.stated_forces] == ["phi", "psi", "up"]
    assert [repr(q) for q in system.forces] == ["phi", "psi", "s"]
    assert system.start.values[symbol("up")] is words["m"] / 2
    assert system.start.costates[words["x"]].value == Fraction(3, 2)
    assert set(system.start.multipliers) == {"rolls", "height"}
    assert system.end.multipliers["rolls too"].value == 0
    assert system.run.samples == 200
    assert system.bundle is not None
    assert [repr(q) for q in system.bundle.base] == ["phi", "psi", "s", "w"]
    assert list(system.symmetry["e3"].components) == [words["x"], words["y"], words["phi"]]
    assert system.symmetry["e3"].time is words["a"] * words["t"]
    assert system.metadata["drawing"]["shapes"][0]["radius"] == Fraction(3, 2)
    assert system.metadata["drawing"]["floor"] is True


@pytest.mark.parametrize("text", [*EXAMPLES, EVERYTHING.read_text(encoding="utf-8")], ids=lambda t: t.splitlines()[0])
def test_nothing_is_lost_on_the_way(text):
    system = loads(text)
    written = dumps(system)
    assert loads(written) == system
    assert dumps(loads(written)) == written
    assert system.but() == system


def test_every_table_counts():
    """The wrong twin of the round trip: what is left out is missed."""
    system = load(EVERYTHING)
    tables = tables_in_text(system)
    for name in tables:
        fewer = {key: value for key, value in tables.items() if key != name}
        assert read_system(fewer, Faults()) != system, name
    for name in ("coordinates", "constraints", "symmetry", "let", "speeds"):
        turned = {**tables, name: dict(reversed(tables[name].items()))}
        assert read_system(turned, Faults()) != system, name


def test_lets_are_called_by_name():
    system = loads("""
name = "arm"
lagrangian = "m*(px'^2 + py'^2)/2 - m*g*py"
[coordinates]
a = "angle"
b = "angle"
[parameters]
m = 1
g = 9.81
l = 2
[let]
px = "l*cos(a) + l*cos(a + b)"
py = "l*sin(a) + l*sin(a + b)"
""")
    assert "lagrangian = \"m*(px'^2 + py'^2)/2 - g*m*py\"" in dumps(system)


def test_numbers_keep_their_digits():
    names = {"a": 0.5, "b": 1, "c": "1/3", "d": 0.1, "e": 1e-30, "f": 1e22, "g": 10**40, "h": "1/1024", "i": 2.5e-7}
    system = System.of(name="numbers", coordinates="x", parameters=names, lagrangian="x'^2")
    values = tomllib.loads(dumps(system))["parameters"]
    assert values == {**names, "g": 1e40, "h": 1 / 1024}
    assert loads(dumps(system)) == system
    assert "a = 0.5\nb = 1\n" in dumps(system)
    assert system.parameters[system.vocabulary["d"]] == Fraction(1, 10)


@settings(max_examples=60)
@given(
    st.lists(any_expressions(most=6, solves=True), min_size=1, max_size=3), st.lists(fractions, min_size=4, max_size=4)
)
def test_random_systems_come_back(several, values):
    numbers = dict(zip(VOCABULARY.parameters, values, strict=True))
    signs = {"positive": "positive", "real": "any", "negative": "negative"}
    tables = {
        "name": "random",
        "lagrangian": "x'^2",
        "coordinates": dict(VOCABULARY.coordinates),
        "parameters": {
            name: {"value": numbers[name], "sign": signs[domain]} for name, domain in VOCABULARY.parameters.items()
        },
        "functions": {"V": {"of": ["x", "y"], "value": "x*y"}, "f": {"of": ["u"]}},
        "controls": {"w": number(Fraction(values[0]))},
        "let": {f"l{i}": expression for i, expression in enumerate(several)},
        "start": {"x": number(Fraction(values[1])), "p.phi": number(Fraction(values[2]))},
    }
    faults = Faults()
    system = read_system(tables, faults)
    faults.refuse()
    assert loads_unchecked(dumps(system)) == system


def loads_unchecked(text):
    faults = Faults()
    system = read_system(tomllib.loads(text, parse_float=Decimal), faults)
    faults.refuse()
    return system


def test_what_cannot_be_read_back_is_not_written():
    deep = "x'"
    system = System.of(name="deep", coordinates="x", lagrangian=deep)
    expression = system.lagrangian
    for _ in range(120):
        expression = 1 / (1 + expression)
    deeper = system.but(lagrangian=expression)
    with pytest.raises(ModelError, match="the system 'deep' is too large for a model file; name its parts by lets"):
        dumps(deeper)
    assert loads(dumps(deeper, Limits(depth=300)), Limits(depth=300)) == deeper


def test_files(tmp_path):
    system = loads(DISC)
    path = tmp_path / "disc.toml"
    save(system, path)
    assert load(path) == load(str(path)) == system
    path.write_bytes(b"\xef\xbb\xbf" + DISC.encode())  # as some editors write it
    assert load(path) == system
    path.write_text(DISC.split("\n", 1)[1])
    assert load(path).name == "disc"
    assert loads(DISC.split("\n", 1)[1]).name == "unnamed system"


def test_files_that_are_none(tmp_path):
    with pytest.raises(ModelError, match=r"nowhere.toml: the model cannot be read: there is no such file or folder\.$"):
        load(tmp_path / "nowhere.toml")
    with pytest.raises(ModelError, match=r"the model cannot be read: it is a folder\.$"):
        load(tmp_path)
    with pytest.raises(ModelError, match=r"the model cannot be read: this is not the name of a file\.$"):
        load("a\0b")
    with pytest.raises(DalembertError, match=r"where\.toml' cannot be written: there is no such folder\.$"):
        save(loads(DISC), tmp_path / "no" / "where.toml")
    path = tmp_path / "bad.toml"
    path.write_bytes(b"name = 'x'\nnotes = '\xff'\n")
    with pytest.raises(ModelError, match=r"^bad.toml, line 2: a model file must be UTF-8 text, and this is not\.$"):
        load(path)
    path.write_bytes(b"#" * (MOST_BYTES + 1))
    with pytest.raises(
        ModelError, match=r"^bad.toml: a model file may have at most 200000 bytes, and this one has more\.$"
    ):
        load(path)
    path.write_text(DISC + "[run]\n")
    with pytest.raises(ModelError, match=r"^bad.toml, line \d+: column \d+: this is not TOML: "):
        load(path)
    path.write_text(DISC + "tim = 3\n[forces]\nz = 1\n")
    with pytest.raises(ModelError) as caught:
        load(path)
    assert [line.split(":")[0] for line in str(caught.value).splitlines()] == [
        "bad.toml, line 23, [run] tim",
        "bad.toml, line 25, [forces] z",
    ]
    assert [fault.line for fault in caught.value.faults] == [23, 25]


# -- faults --------------------------------------------------------------------------------------------------
def faulty_files():
    """Read ``faulty.txt``: each case is a file, made from the disc at its head, and what is said about it."""
    head, *cases = re.split(r"^# ", (HERE / "faulty.txt").read_text(encoding="utf-8"), flags=re.MULTILINE)
    disc = [match[1] for match in re.finditer(r"^ ?\d+ (.*)$", head, re.MULTILINE)]
    for case in cases:
        name, *lines = case.splitlines()
        changed: dict[int, list[str]] = {}
        marked: dict[str, list[str]] = {"+": [], "^": [], "|": [], "->": []}
        for line in filter(None, lines):
            mark, _, rest = line.partition(" ")
            (changed.setdefault(int(mark), []) if mark.isdigit() else marked[mark]).append(rest)
        body = [new for i, old in enumerate(disc, 1) for new in changed.get(i, [old])]
        file = marked["|"] or [*marked["^"], *body, *marked["+"]]
        yield pytest.param("\n".join(file) + "\n", marked["->"], id=name)


FAULTY = list(faulty_files())


@pytest.mark.parametrize(("text", "said"), FAULTY)
def test_what_is_wrong_is_told_in_full(text, said):
    with pytest.raises(ModelError) as caught:
        loads(text)
    told = str(caught.value).splitlines()
    if "this is not TOML" in said[0]:  # the rest of that sentence is Python's
        said, told = ([line.partition("not TOML")[0] for line in lines] for lines in (said, told))
    assert told == said


def test_there_are_many_faulty_files_and_the_disc_is_none_of_them():
    assert len(FAULTY) >= 100
    assert len({case.id for case in FAULTY}) == len(FAULTY)
    text, _ = FAULTY[0].values
    assert loads(text.rpartition("x =")[0]).name == "disc"


def test_so_many_faults_that_the_search_ends():
    with pytest.raises(ModelError) as caught:
        loads(DISC + "".join(f"[q{i}]\n" for i in range(200)))
    assert len(caught.value.faults) == 51
    assert str(caught.value).endswith("\nthe search for faults ended here.")


def test_a_fault_is_not_told_again_in_other_words():
    text = DISC.replace("lagrangian = ", 'lagrangian = "x +"\nnotes = ').replace("rolls_in_y", "again")
    with pytest.raises(ModelError) as caught:
        loads(text.replace("y' = R*sin(psi)*phi'", "x' = R*cos(psi)*phi'") + "[fibration]\ndependent = ['x', 'y']\n")
    assert [fault.where for fault in caught.value.faults] == ["lagrangian", "[constraints] again"]


def test_lines():
    text = """name = '''
[no]
x = 1'''

[a.b] # [c]
"d e" = [
  1, # x = 2
  "y = 3",
]
f.g = { h = 1 }
[[k]]
'l' = 0
"""
    assert lines_of(text) == {
        ("name",): 1,
        ("a",): 5,
        ("a", "b"): 5,
        ("a", "b", "d e"): 6,
        ("a", "b", "f"): 10,
        ("a", "b", "f", "g"): 10,
        ("k",): 11,
        ("k", "1"): 11,
        ("k", "l"): 12,
    }


# -- hostile files -------------------------------------------------------------------------------------------
NAMES = "[coordinates]\nx = 'real'\ny = 'real'\nz = 'positive'\n[parameters]\nm = 1\n"
PLAIN = "name = 'h'\nlagrangian = \"x'^2 + y'^2 + z'^2\"\n" + NAMES
TERMS = "+".join(f"x^{i % 9 + 1}*sin({i}*y)*m" for i in range(900))
HOSTILE = {
    "brackets": "a = " + "[" * 90_000,
    "inline tables": "a = " + "{a = " * 30_000,
    "dotted key": "a" + ".a" * 90_000 + " = 1",
    "dotted header": "[a" + ".a" * 90_000 + "]",
    "dots inside": "a = {" + "a." * 50_000 + "a = 1}",
    "quotes": '"' * 190_000,
    "single quotes": "'" * 190_000,
    "escapes": 'a = "' + "\\" * 190_000,
    "nul": "\0" * 100_000,
    "digits": "a = " + "9" * 100_000,
    "large number": PLAIN + "k = " + "9" * 4_000,
    "exponent": PLAIN + "k = 1e999999999",
    "long name": f"[coordinates]\n{'x' * 100_000} = 'real'",
    "coordinates": "[coordinates]\n" + "".join(f"x{i} = 'real'\n" for i in range(9_000)),
    "lets": PLAIN + "[let]\n" + "".join(f"l{i} = 'x'\n" for i in range(9_000)),
    "tables": PLAIN + "".join(f"[w{i}]\n" for i in range(15_000)),
    "empty lines": "\n" * 190_000,
    "characters": f"lagrangian = '{TERMS}+{TERMS}'\n{NAMES}",
    "derivatives": PLAIN
    + "[let]\nl = '"
    + "*".join(f"sin(x+{i})" for i in range(150))
    + "'\n"
    + "".join(f'k{i} = "l\'"\n' for i in range(200)),
    "chain": PLAIN + "[let]\nl0 = 'x'\n" + "".join(f"l{i} = 'l{i - 1}^2 + l{i - 1}*y'\n" for i in range(1, 290)),
    "unknown names": PLAIN + "[constraints]\n" + "".join(f'c{i} = "w{i}\' = 0"\n' for i in range(290)),
    "constraints": PLAIN + "[constraints]\n" + "".join(f"c{i} = \"x' + {i}*y' = z'\"\n" for i in range(290)),
    "one constraint": PLAIN + f"[constraints]\na = \"(x' + y')*({TERMS[:9000]}1)\"\nb = \"x'*y' = z'\"\n",
    "roots": PLAIN + '[constraints]\na = "' + "sqrt(x'+" * 90 + "y'" + ")" * 90 + '"\nb = "x\' + y\' = sqrt(z)"\n',
    "roots in speeds": PLAIN
    + '[speeds]\na = "'
    + "sqrt(x'+" * 90
    + "y'"
    + ")" * 90
    + '"\nb = "x\' + y\'"\n[forces]\na = 1\n',
    "powers": PLAIN + '[constraints]\na = "' + "(x'+" * 90 + "y'" + ")^9" * 90 + '"\nb = "x\' = y\'"\n',
    "many coordinates": 'lagrangian = "x1\'^2"\n[coordinates]\n'
    + "".join(f"x{i} = 'real'\n" for i in range(500))
    + "[constraints]\n"
    + "".join(f"c{i} = \"x{i}' = x{i + 1}'\"\n" for i in range(499)),
    "start": PLAIN + "[start]\nx = '" + "(m+" * 90 + "m" + ")^999" * 90 + "'\n",
}


@pytest.mark.parametrize("name", HOSTILE)
def test_no_file_takes_long(name):
    def outcome() -> System | str:
        try:
            return loads(HOSTILE[name])
        except ModelError as error:
            return str(error)

    found = quickly(1.5, outcome)
    assert isinstance(found, System) or all(len(line) < 300 for line in found.splitlines())


def test_limits_hold_for_the_whole_model_and_can_be_raised():
    half = "+".join(f"x^{i % 9 + 1}*sin({i}*y)" for i in range(800))
    long = f"lagrangian = '{half}'\n{NAMES}[let]\na = '{half}'\n"
    assert 10_000 < len(half) < 20_000
    with pytest.raises(ModelError) as caught:
        loads(long)
    assert str(caught.value) == "line 1, lagrangian: the expressions of a model may have 20000 characters in all."
    assert loads(long, Limits(length=2 * len(half))).let
    with pytest.raises(ModelError, match="may have 20000 characters"):
        System.of(name="long", coordinates="x y", lagrangian=half, let={"a": half})
    assert System.of(name="long", coordinates="x y", lagrangian=half, let={"a": half}, limits=Limits(length=40_000)).let


def test_tables_of_a_system_state_it_again():
    system = load(EVERYTHING)
    assert stated_system(tables_of(system)) == system
    with pytest.raises(ExpressionError, match="is not linear in the velocities"):
        loads(EXAMPLES[4]).constraint_matrix()


@pytest.mark.parametrize(
    ("line", "what_to_do"),
    {
        "x' = 3": "write the name between double quotes.",
        "φ = 3": "write the name between double quotes.",
        "x = 9,81": "a decimal number has a point.",
        "notes = 'x' is the velocity'": "write text with primes between double quotes.",
        "notes = x'^2/2": "write the text between double quotes.",
    }.items(),
)
def test_text_that_is_no_toml_is_told_what_to_do(line, what_to_do):
    with pytest.raises(ModelError, match=f"this is not TOML: .*; {what_to_do}$"):
        loads(f"[start]\n{line}\n")

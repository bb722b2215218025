"""A strict reader of LaTeX: what it has no complaint about, a compiler that knows amsmath takes.

It knows the commands and environments that are used, in which mode each may stand, how many arguments it has, and that
groups, environments, mathematics and brackets that grow are closed where they were opened; scripts come once each.
"""

import re

from dalembert.present.latex_document import FITTING

TEXT = {
    "documentclass": 1, "usepackage": 1, "allowdisplaybreaks": 0, "setlength": 2, "newtheorem": 2, "title": 1,
    "author": 1, "date": 1, "maketitle": 0, "section": 1, "subsection": 1, "paragraph": 1, "textbf": 1, "emph": 1,
    "nocite": 1, "bibliographystyle": 1, "bibliography": 1, "footnotesize": 0, "parindent": 0, "parskip": 0,
    "textbackslash": 0, "textbraceleft": 0, "textbraceright": 0, "textasciitilde": 0, "textasciicircum": 0,
    "#": 0, "$": 0, "%": 0, "&": 0, "_": 0, "\\": 0, "item": 0, "sloppy": 0, "emergencystretch": 0, "allowbreak": 0,
}  # fmt: skip
GREEK = (
    "alpha beta gamma delta epsilon varepsilon zeta eta theta vartheta iota kappa lambda mu nu xi pi rho varrho sigma "
    "tau upsilon phi varphi chi psi omega Gamma Delta Theta Lambda Xi Pi Sigma Upsilon Phi Psi Omega ell partial wedge "
    "sim prime sin cos tan exp log arctan arcsin arccos sinh cosh tanh qquad quad cdot backslash infty to"
)
MATH = dict.fromkeys(GREEK.split(), 0) | {
    "frac": 2, "sqrt": 1, "dot": 1, "ddot": 1, "dddot": 1, "hat": 1, "mathrm": 1, "text": 1, "operatorname": 1,
    "{": 0, "}": 0, ",": 0, "#": 0, "$": 0, "%": 0, "&": 0, "_": 0, " ": 0, "\\": 0, "tilde": 1,
}  # fmt: skip
ENVIRONMENTS = {"document", "proposition", "fitting", "aligned", "pmatrix", "verbatim", "filecontents", "description"}
DISPLAYED = {"fitting"}
ALIGNED = {"fitting", "aligned", "pmatrix"}
TOKEN = re.compile(r"\\([A-Za-z]+\*?|.)|([{}$&_^#%~\[\]])|([^\\{}$&_^#%~\[\]]+)", re.DOTALL)


def faults(document):
    """Return what a compiler would stumble over."""
    bad = []
    document = document.replace(FITTING, "")  # programs of TeX are for a compiler
    for kind in ("verbatim", "filecontents"):
        document = re.sub(rf"\\begin{{{kind}}}.*?\\end{{{kind}}}", "", document, flags=re.DOTALL)
    stack, math, scripts, wanting = [], False, None, []
    at = 0
    tokens = list(TOKEN.finditer(document))
    k = 0
    while k < len(tokens):
        found = tokens[k]
        command, sign, plain = found.groups()
        near = document[max(0, found.start() - 25) : found.end() + 25].replace("\n", " ")
        at = found.start()
        k += 1
        if command in {"begin", "end"}:
            name = re.match(r"\{([a-z*]+)\}", document[found.end() :])
            if name is None or name[1] not in ENVIRONMENTS:
                bad.append(f"no environment: {near}")
                continue
            while k < len(tokens) and tokens[k].start() < found.end() + name.end():
                k += 1
            if command == "begin":
                stack.append(name[1])
                math = math or name[1] in DISPLAYED
            elif not stack or stack.pop() != name[1]:
                bad.append(f"ends what is not open: {near}")
            elif name[1] in DISPLAYED:
                math = False
            scripts = None
            continue
        if command in {"left", "right"}:
            after = document[found.end() : found.end() + 1]
            if not math or after not in "()[]|.":
                bad.append(f"no bracket that grows: {near}")
            if command == "left":
                stack.append("left")
            elif not stack or stack.pop() != "left":
                bad.append(f"a right without a left: {near}")
            scripts = None
            continue
        if command in {"[", "]"}:
            if (command == "[") == math:
                bad.append(f"mathematics in mathematics: {near}")
            math = command == "["
            stack.append("[") if math else stack.pop() == "[" or bad.append(f"not closed: {near}")
            continue
        if command is not None:
            known = MATH if math else TEXT
            name = command.rstrip("*") or command
            if name not in known:
                bad.append(f"no command {'of mathematics' if math else 'of text'}: {near}")
            elif known[name] and not re.match(r"(\[[^]]*\])?\s*[{\\0-9a-zA-Z]", document[found.end() :]):
                bad.append(f"an argument is missing: {near}")
            scripts = scripts if name == "prime" else None
            if name == "text":
                stack.append("text waits")
            continue
        if sign == "{":
            if stack and stack[-1] == "text waits":
                stack[-1] = "text"
                math = False
                continue
            stack.append("{" if scripts is None else f"script {''.join(sorted(scripts))}")
            scripts = None
        elif sign == "}":
            top = stack.pop() if stack else ""
            if top == "text":
                math = True
            elif not top.startswith(("{", "script")):
                bad.append(f"closes what is not open: {near}")
            scripts = set(top.removeprefix("script ").strip()) if top.startswith("script") else None
            scripts = wanting.pop() if wanting and top.startswith("script") else scripts
        elif sign == "$":
            if math and (not stack or stack[-1] != "$"):
                bad.append(f"a dollar in mathematics: {near}")
            stack.append("$") if not math else stack.pop()
            math, scripts = not math, None
        elif sign == "&":
            if not any(one in ALIGNED for one in stack):
                bad.append(f"aligned where nothing is: {near}")
            scripts = None
        elif sign in {"_", "^"}:
            if not math:
                bad.append(f"a script in text: {near}")
            used = scripts if isinstance(scripts, set) else set()
            if sign in used:
                bad.append(f"two scripts in one place: {near}")
            wanting.append({*used, sign}) if document[found.end() : found.end() + 1] == "{" else None
            scripts = {*used, sign}
            if document[found.end() : found.end() + 1] != "{":  # one letter, or one command
                single = re.match(r"\\[A-Za-z]+(\{[^{}]*\})?|.", document[found.end() :])
                while k < len(tokens) and tokens[k].end() <= found.end() + single.end():
                    k += 1
                if k < len(tokens) and tokens[k].start() < found.end() + single.end():
                    rest = document[found.end() + single.end() : tokens[k].end()]
                    scripts = scripts if not rest else None
                    k += 1
        elif sign in {"#", "%", "~"}:
            bad.append(f"a sign that means something: {near}")
        elif sign in {"[", "]"}:
            scripts = None
        else:
            if math and not plain.isascii():
                bad.append(f"not a letter of mathematics: {near}")
            scripts = None
    if stack or math:
        bad.append(f"not closed: {stack} at {at}")
    return bad

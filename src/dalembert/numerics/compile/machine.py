"""LLVM: text in, functions out."""

from __future__ import annotations

import ctypes
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from typing import Any

import llvmlite
import llvmlite.binding as llvm

from dalembert import cache as kept
from dalembert.model.remembered import worked_out
from dalembert.numerics.compile.assembling import ASSEMBLED, assembled_function
from dalembert.numerics.compile.pivoting import BASIC, basic_function, factorise_function, substitute_function
from dalembert.numerics.compile.writer import Writer

_OPTIMISED = 1
"""How far code is optimised, as LLVM counts it, unless it is made ``quickly``."""
_EMPTY = ""
"""A module in which nothing is: what is run comes as object code."""


class _Level(threading.local):
    def __init__(self) -> None:
        self.optimised = _OPTIMISED


_level = _Level()


@contextmanager
def quickly() -> Iterator[None]:
    """Have code of this thread made in a fifth of the time, which computes the same to the bit, at less speed.

    >>> with quickly():
    ...     level()
    0
    >>> level()
    1
    """
    before, _level.optimised = _level.optimised, 0
    try:
        yield
    finally:
        _level.optimised = before


def thoroughly() -> None:
    """Have code optimised from now on although it was to be made ``quickly``: it is run for long."""
    _level.optimised = _OPTIMISED


def level() -> int:
    """Return how far code of this thread is optimised."""
    return _level.optimised


@cache
def _host() -> tuple[str, str, str]:
    """Return triple, processor and features of this machine."""
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    features = llvm.get_host_cpu_features().flatten()
    return llvm.get_process_triple(), llvm.get_host_cpu_name(), features


@cache
def fused() -> bool:
    """Say whether this machine multiplies and adds in one operation, rounded once."""
    triple, _, features = _host()
    return "+fma" in features.split(",") or triple.startswith(("aarch64", "arm64"))


class Machine:
    """Compiled functions; they live as long as this object.

    >>> w = Writer("@twice", "double", [("double", "%x")])
    >>> w.give("double", w.one.add("%x", "%x"))
    >>> machine = Machine([w])
    >>> machine.function("twice", ctypes.c_double, [ctypes.c_double])(4.0)
    8.0
    """

    def __init__(self, functions: Iterable[Writer] | bytes, *beside: bytes) -> None:
        """Compile functions that may call each other, or take their code; what is ``beside`` them is object code."""
        code = functions if isinstance(functions, bytes) else object_code(functions)
        self._engine = llvm.create_mcjit_compiler(llvm.parse_assembly(_EMPTY), _compiler())
        for one in (code, *beside):
            self._engine.add_object_file(llvm.ObjectFileRef.from_data(one))
        self._engine.finalize_object()

    def address(self, name: str) -> int:
        """Return where a function is."""
        return int(self._engine.get_function_address(name))

    def function(self, name: str, returns: Any, arguments: Sequence[Any]) -> Any:
        """Return a function by its name; calling it releases the interpreter's lock."""
        made: Any = ctypes.CFUNCTYPE(returns, *arguments)(self.address(name))
        made.machine = self  # what it runs must outlive it
        return made


def object_code(functions: Iterable[Writer]) -> bytes:
    """Return functions compiled once, to stand beside those of any number of machines; either may call the other."""
    return _compiled(_module(list(functions)))[1]


def code_for(what: str, content: Any, functions: Callable[[], Iterable[Writer]]) -> bytes:
    """Return the functions that are written for a content, compiled; for one seen before they are not written again.

    ``content`` is all that they are written from: expressions, and where they find their symbols.
    """
    made: list[bytes] = []

    def named() -> str:
        name, code = _compiled(_module(list(functions())))
        made.append(code)
        return name

    name = worked_out("code", (what, content, *_target()), named)
    code = made[0] if made else kept.look(name)
    return object_code(functions()) if code is None else code


def _target() -> tuple[str, ...]:
    """Return all that code depends on beside its text."""
    versions = (llvmlite.__version__, ".".join(map(str, llvm.llvm_version_info)))
    return (*_host(), *versions, f"opt={level()}")


def _compiled(text: str) -> tuple[str, bytes]:
    """Return a module compiled, and the name it is kept by: all that the code depends on. No process does it twice."""
    name = kept.key("machine code", text, *_target())
    code: bytes | None = kept.look(name)
    if code is None:
        code = bytes(_compiler().emit_object(_checked(text)))
        kept.keep(name, code)
    return name, code


def _compiler() -> llvm.TargetMachine:
    triple, processor, features = _host()
    return llvm.Target.from_triple(triple).create_target_machine(cpu=processor, features=features, opt=level())


def _checked(text: str) -> llvm.ModuleRef:
    """Return a text as LLVM reads it, which is checked before anything runs."""
    _host()  # has LLVM know the machine
    module = llvm.parse_assembly(text)
    module.verify()
    return module


def _module(functions: list[Writer]) -> str:
    """Return all functions in one text, with the linear solver if it is called and declarations of what is not."""
    called = {name for function in functions for name in function.declared}
    if any(name.startswith("@pivoting.") for name in called):
        functions = [*functions, factorise_function(fused=fused()), substitute_function(fused=fused())]
    if ASSEMBLED in called:
        functions = [*functions, assembled_function(fused=fused())]
    if called & {BASIC, ASSEMBLED}:
        functions = [*functions, basic_function(fused=fused())]
    declared = {name: line for function in functions for name, line in function.declared.items()}
    texts = [function.text for function in functions]
    here = {text.split("(", 1)[0].rsplit(" ", 1)[1] for text in texts}
    outside = [line for name, line in declared.items() if name not in here]
    tables = {line: None for function in functions for line in function.tables.values()}
    return "\n\n".join([f'target triple = "{_host()[0]}"', "\n".join([*outside, *tables]), *texts, ""])

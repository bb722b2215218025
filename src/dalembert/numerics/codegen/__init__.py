"""Equations of motion as source code for elsewhere: C99, JAX, CasADi, Julia.

``model`` says what is written (functions of time, variables and parameters, with safe names), ``body`` turns
expressions into lines with shared parts named, and there is one file for each language.
"""

from dalembert.numerics.codegen.model import LANGUAGES, code

__all__ = ["LANGUAGES", "code"]

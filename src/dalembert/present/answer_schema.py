"""The shape of what commands answer with ``--json``, as JSON Schemas: names that are here stay, more may come."""

from __future__ import annotations

from typing import Any, Final, get_args

from dalembert.errors import ExpressionError
from dalembert.expr.truth.verdict import Kind
from dalembert.model.claim import ClaimRole
from dalembert.model.schema import DRAFT, Schema, model_schema

_TEXT: Final[Schema] = {"type": "string"}
_TEXTS: Final[Schema] = {"type": "array", "items": _TEXT}
_BY_NAME: Final[Schema] = {"type": "object", "additionalProperties": _TEXT}
_OBJECT: Final[Schema] = {"type": "object"}
_NUMBER: Final[Schema] = {"type": ["number", "null"]}
"""A number that is not finite is null."""
_CLAIM: Final[Schema] = {
    "type": "object",
    "properties": {
        "name": _TEXT,
        "statement": _TEXT,
        "role": {"enum": list(get_args(ClaimRole))},
        "place": _TEXT,
        "verdict": {"enum": list(get_args(Kind))},
        "evidence": _TEXT,
    },
    "required": ["name", "statement", "role", "verdict", "evidence"],
    "additionalProperties": False,
}
_CLAIMS: Final[Schema] = {"type": "array", "items": {"$ref": "#/definitions/claim"}}
_MATRIX: Final[Schema] = {"type": "array", "items": _TEXTS}
_FINDINGS: Final[Schema] = {
    "type": "object",
    "properties": {
        "symmetries": {"type": "array", "items": _OBJECT},
        "integrals": {"type": "array", "items": _OBJECT},
        "searched": _TEXTS,
    },
    "required": ["symmetries", "integrals", "searched"],
}
_DERIVED: Final[dict[str, Schema]] = {
    "system": _TEXT,
    "formalism": _TEXT,
    "parameters": {"type": "object", "additionalProperties": {"type": ["number", "string", "null"]}},
    "state": _TEXTS,
    "let": {"type": "array", "items": {"type": "array", "items": _TEXT, "minItems": 2, "maxItems": 2}},
    "field": _BY_NAME,
    "lift": _BY_NAME,
    "configuration": _BY_NAME,
    "implicit": _BY_NAME,
    "monitors": _BY_NAME,
    "objects": _OBJECT,
    "claims": _CLAIMS,
}
_SOMETIMES: Final[dict[str, Schema]] = {
    "speeds": _BY_NAME,
    "controls": {"type": "object", "additionalProperties": {"type": ["string", "null"]}},
    "saddle": {
        "type": "object",
        "properties": {
            **dict.fromkeys(("velocities", "constraints", "force", "right"), _TEXTS),
            **dict.fromkeys(("mass", "rows", "virtual"), _MATRIX),
            "rank": {"type": "integer"},
        },
        "required": ["velocities", "constraints", "mass", "force", "rows", "virtual", "right", "rank"],
    },
    "linear": {
        "type": "object",
        "properties": {"velocities": _TEXTS, "mass": _MATRIX, "force": _TEXTS},
        "required": ["velocities", "mass", "force"],
    },
    "left_out": {"type": "object", "additionalProperties": {"type": "integer"}},
    "found_symmetry": {"type": "object", "properties": {"said": _TEXT, "symmetry": _OBJECT}},
    "discovery": _FINDINGS,
    "stopped": _TEXTS,
}


def _answer(needed: dict[str, Schema], more: dict[str, Schema] | None = None) -> Schema:
    """Return the shape of an answer: the keys that are always there, those that may be, and any that are to come."""
    return {"type": "object", "properties": {**needed, **(more or {})}, "required": list(needed)}


def _by_formalism(shape: Schema) -> Schema:
    return {"type": "object", "additionalProperties": shape}


_ANSWERS: Final[dict[str, Schema]] = {
    "derive": _answer(_DERIVED, _SOMETIMES),
    "check": _by_formalism(_CLAIMS),
    "study": _answer(
        {
            "system": _TEXT,
            "sections": _by_formalism(_answer(_DERIVED, _SOMETIMES)),
            "first_integrals": {
                "type": "array",
                "items": _answer(dict.fromkeys(("name", "expression", "verdict"), _TEXT)),
            },
            "motions": _OBJECT,
            "agreement": _CLAIMS,
            "not_applicable": _by_formalism(_TEXTS),
            "stopped": _OBJECT,
        },
        {"discovery": _FINDINGS},
    ),
    "simulate": _answer(
        {
            "system": _TEXT,
            "formalism": _TEXT,
            "engine": _TEXT,
            "span": {"type": "array", "items": {"type": "number"}, "minItems": 2, "maxItems": 2},
            "start": {"type": "object", "additionalProperties": _NUMBER},
            "status": {"type": "integer"},
            "message": _TEXT,
            "end": {"type": "object", "additionalProperties": _NUMBER},
            "audit": _answer({"drifts": _OBJECT, "claims": _CLAIMS}),
        }
    ),
}


def schema_of(what: str = "model") -> Schema:
    """Return the JSON Schema of a model file, or of what a command answers.

    >>> schema_of("check")["additionalProperties"]["items"]
    {'$ref': '#/definitions/claim'}
    """
    if what == "model":
        return model_schema()
    if what not in _ANSWERS:
        raise ExpressionError(f"there is no schema of '{what}'; there are those of model, {', '.join(_ANSWERS)}.")
    return {"$schema": DRAFT, "title": f"What dalembert {what} --json prints", **_ANSWERS[what], **_SHARED}


_SHARED: Final[dict[str, Any]] = {"definitions": {"claim": _CLAIM}}

#!/usr/bin/env python3
"""Writes sdk/python/hyfair/answers.py, the dataclasses of the answers' JSON, from docs/reference/schema.

go generate ./host/internal/cli writes the schemas first, from the types of the host.
"""

import json
import keyword
import pathlib
import re
import textwrap

ROOT = pathlib.Path(__file__).resolve().parent.parent
SCHEMAS = ROOT / "docs" / "reference" / "schema"
OUT = ROOT / "sdk" / "python" / "hyfair" / "answers.py"

# The schemas of the commands that hyfair.Study has, and the classes of their answers.
ANSWERS = {
    "audit": "AuditAnswer", "certify": "CertifyAnswer", "certify-sets": "CertifySets", "quantify": "QuantifyAnswer",
    "quantify-sets": "QuantifySets", "quantify-groups": "QuantifyGroups", "search": "SearchAnswer",
    "explain": "ExplainAnswer", "mitigate": "MitigateAnswer", "report-study": "ReportAnswer", "diff": "DiffAnswer",
    "inspect": "InspectAnswer", "inspect-scores": "InspectScores",
}
HEAD = '''"""The answers of hyfair as dataclasses, one for each object of its JSON.

Written by scripts/python_results.py from docs/reference/schema.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Dict, List, Optional
'''
PLAIN = {"integer": "int", "number": "float", "string": "str", "boolean": "bool", "object": "Dict[str, Any]"}


def class_name(definition: str) -> str:
    """audit.KCount is AuditKCount."""
    return "".join(part[:1].upper() + part[1:] for part in re.split(r"\W+", definition))


def field_name(name: str) -> str:
    """The name itself, or the nearest that Python allows."""
    if not name.isidentifier():
        name = re.sub(r"\W+", "_", name).strip("_").lower()
    return name + "_" if keyword.iskeyword(name) else name


def kind(schema: dict) -> str:
    """The annotation of a value."""
    if "$ref" in schema:
        ref = schema["$ref"]
        if ref.startswith("#/$defs/"):
            return class_name(ref[len("#/$defs/"):])
        return ANSWERS[ref[:-len(".schema.json")]]
    if "anyOf" in schema:
        inner = [kind(s) for s in schema["anyOf"] if s.get("type") != "null"]
        assert len(inner) == 1, schema
        return optional(inner[0])
    type_ = schema.get("type")
    if isinstance(type_, list):
        inner = [t for t in type_ if t != "null"]
        assert len(inner) == 1, schema
        return optional(kind({**schema, "type": inner[0]}))
    if type_ == "array":
        return f"List[{kind(schema['items'])}]"
    if type_ == "object" and isinstance(schema.get("additionalProperties"), dict):
        return f"Dict[str, {kind(schema['additionalProperties'])}]"
    return PLAIN[type_] if type_ else "Any"


def optional(annotation: str) -> str:
    return annotation if annotation.startswith("Optional[") else f"Optional[{annotation}]"


def quoted(text: str, indent: str) -> str:
    """A docstring of any length."""
    text = text.replace("\\", "\\\\").replace('"""', "'''")
    lines = textwrap.wrap(text, 116 - len(indent)) or [""]
    if lines[-1].endswith('"'):
        lines[-1] += " "
    return f'{indent}"""' + f"\n{indent}".join(lines) + '"""'


def dataclass_of(name: str, schema: dict) -> str:
    required = set(schema.get("required", []))
    fields = sorted(schema.get("properties", {}).items(), key=lambda item: item[0] not in required)
    out = ["@dataclass(frozen=True)", f"class {name}:", quoted(schema.get("description", "An object."), "    ")]
    for key, value in fields:
        annotation, attribute = kind(value), field_name(key)
        other = "" if attribute == key else f'metadata={{"json": {json.dumps(key)}}}'
        if key in required:
            line = f"    {attribute}: {annotation}" + (f" = field({other})" if other else "")
        else:
            line = f"    {attribute}: {optional(annotation)} = " + (f"field(default=None, {other})" if other else "None")
        out.append("")
        out.append(line)
        if value.get("description"):
            out.append(quoted(value["description"], "    "))
    return "\n".join(out)


def written() -> str:
    classes = {}
    for schema, name in ANSWERS.items():
        root = json.loads((SCHEMAS / f"{schema}.schema.json").read_text("utf-8"))
        for definition, of in root.get("$defs", {}).items():
            text = dataclass_of(class_name(definition), of)
            assert classes.setdefault(class_name(definition), text) == text, f"two objects named {definition}"
        root["properties"].setdefault("interrupted", {"type": "boolean", "description": "A signal ended the command early."})
        classes[name] = dataclass_of(name, root)
    return HEAD + "".join(f"\n\n{classes[name]}\n" for name in sorted(classes))


if __name__ == "__main__":
    OUT.write_text(written(), "utf-8")

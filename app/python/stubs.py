"""Writes the types of scanlens.filters from the filters' own declarations: stubs.py OUTPUT. The module lies in
PYTHONPATH."""
import sys
from pathlib import Path

import _core


def annotation(parameter):
    if "choices" in parameter:
        return f"Literal[{', '.join(repr(one) for one in parameter['choices'])}] = {parameter['default']!r}"
    kind = "int" if parameter["whole"] else "float"
    default = int(parameter["default"]) if parameter["whole"] else parameter["default"]
    return f"{kind}{' | str' if parameter['percent'] else ''} = {default!r}"


def function(declared):
    keywords = [f"{declared['map']}: Any"] if declared["map"] else []
    keywords += [f"{one['name']}: {annotation(one)}" for one in declared["parameters"]]
    keywords += ["out: A | None = None", "stream: Any = None"]
    return f"def {declared['name']}(image: A, /, *, {', '.join(keywords)}) -> A: ..."


declarations = _core.filter_declarations()
Path(sys.argv[1]).write_text("\n".join([
    "from typing import Any, Literal, TypeVar", "", 'A = TypeVar("A")', "",
    f"__all__ = {[one['name'] for one in declarations]!r}", "", *map(function, declarations), ""]))

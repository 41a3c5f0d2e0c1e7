"""Writes the types of what the library declares, scanlens.filters and depth_of_field: stubs.py FOLDER. The module lies in
PYTHONPATH."""
import sys
from pathlib import Path

import _core


def annotation(parameter):
    if "choices" in parameter:
        return f"Literal[{', '.join(repr(one) for one in parameter['choices'])}] = {parameter['default']!r}"
    if "values" in parameter:
        return f"str = {parameter['default']!r}"
    default = int(parameter["default"]) if parameter["whole"] else parameter["default"]
    return f"{'int' if parameter['whole'] else 'float'} | str = {default!r}"


def function(name, before, declared):
    keywords = [*before, *(f"{one['name']}: {annotation(one)}" for one in declared),
                "out: A | None = None", "stream: Any = None"]
    return f"def {name}({', '.join(keywords)}) -> A: ..."


def write(name, lines):
    Path(sys.argv[1], name).write_text("\n".join([
        "from typing import Any, Literal, NamedTuple, TypeVar", "", 'A = TypeVar("A")', "", *lines, ""]))


def before(declared):
    """What a filter takes before its parameters, as scanlens/filters.py has it."""
    keys = ["where", "feather", *([] if declared["map"] else ["depth"])] if declared["where"] else []
    return ["image: A", "/", "*", *([f"{declared['map']}: Any"] if declared["map"] else []),
            *(f"{key}: Any = None" for key in keys)]


filters = _core.filter_declarations()
write("filters.pyi", [f"__all__ = {[one['name'] for one in filters]!r}", "", *(
    function(one["name"], before(one), one["parameters"])
    for one in filters)])
write("_dof.pyi", [
    "class Lens(NamedTuple):", "    focal_length: float = 50", "    f_number: float = 2", "    sensor_width: float = 36", "",
    function("depth_of_field", ["image: A", "depth: Any = None", "/", "*", "disparity: Any = None",
                                "lens: Lens | tuple[float, ...] | float | str | None = None", "bokeh_picture: Any = None",
                                "most: float = 1",
                                "white: float = 1"], _core.dof_declarations())])

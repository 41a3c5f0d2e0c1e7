"""Every filter as a function with keywords: ``filters.gaussian(image, sigma=4)``. They follow from the filters' own
declarations, so that a filter that is new to the library is here, too."""
from __future__ import annotations

import inspect
from typing import Any, Callable

from . import _pictures
from ._declared import declare


def _function(declared: dict[str, Any]) -> Callable[..., Any]:
    name: str = declared["name"]

    def run(image: Any, /, **keywords: Any) -> Any:
        return _pictures.filter(image, name, **keywords)

    run.__name__ = run.__qualname__ = name
    arguments = [inspect.Parameter("image", inspect.Parameter.POSITIONAL_ONLY)]
    text = f"{declared['help']}.\n\nPARAMETERS"
    if declared["map"]:
        arguments.append(inspect.Parameter(declared["map"], inspect.Parameter.KEYWORD_ONLY))
        shape = _pictures.SHAPES.get(declared["map"], "height x width, floats of 0 to 1, or unsigned integers by their range")
        text += f"\n    {declared['map']}: {shape}"
    if declared["where"]:
        more = ["where", "feather", *([] if declared["map"] else ["depth"])]
        arguments += [inspect.Parameter(key, inspect.Parameter.KEYWORD_ONLY, default=None) for key in more]
        text += "\n    where: the part to change, as in 'luma > 0.5'; feather: the width of its edge, as in '8px'"
    declare(run, arguments, declared["parameters"], text)
    return run


__all__ = [*_pictures.FILTERS]
for _declared in _pictures.FILTERS.values():
    globals()[_declared["name"]] = _function(_declared)

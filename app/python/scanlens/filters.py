"""Every filter as a function with keywords: ``filters.gaussian(image, sigma=4)``. They follow from the filters' own
declarations, so that a filter that is new to the library is here, too."""
from __future__ import annotations

import inspect
from typing import Any, Callable

from . import _pictures


def _text_of(one: dict[str, Any]) -> str:
    if "choices" in one:
        return f"    {one['name']}: {one['help']}; one of {', '.join(one['choices'])}"
    whole = "whole, " if one["whole"] else ""
    percent = "; also '2%' of the width" if one["percent"] else ""
    return f"    {one['name']}: {one['help']}; {whole}{one['least']:g} to {one['most']:g}{percent}"


def _function(declared: dict[str, Any]) -> Callable[..., Any]:
    name: str = declared["name"]
    keyword = inspect.Parameter.KEYWORD_ONLY
    parameters = [inspect.Parameter("image", inspect.Parameter.POSITIONAL_ONLY)]
    if declared["map"]:
        parameters.append(inspect.Parameter(declared["map"], keyword))
    parameters += [inspect.Parameter(one["name"], keyword, default=one["default"]) for one in declared["parameters"]]
    parameters += [inspect.Parameter(more, keyword, default=None) for more in ("out", "stream")]

    def run(image: Any, /, **keywords: Any) -> Any:
        return _pictures.filter(image, name, **keywords)

    run.__name__ = run.__qualname__ = name
    run.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    lines = [f"{declared['help']}.", "", *map(_text_of, declared["parameters"])]
    if declared["map"]:
        lines.append(f"    {declared['map']}: height x width, 0 to 1")
    run.__doc__ = "\n".join(lines)
    return run


__all__ = [*_pictures._FILTERS]
for _declared in _pictures._FILTERS.values():
    globals()[_declared["name"]] = _function(_declared)

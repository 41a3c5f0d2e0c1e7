"""Functions whose parameters the library declares: filters, and depth of field."""
from __future__ import annotations

import inspect
import numbers
from typing import Any, Callable, Sequence


def text_of(name: str, value: Any) -> str:
    """A parameter's value as the command line has it: a number, or text with a unit."""
    if isinstance(value, str):
        return value
    if isinstance(value, numbers.Integral):
        return str(int(value))
    if isinstance(value, numbers.Real):
        return repr(float(value))
    raise TypeError(f"{name} is {value!r}; give a number, or text with a unit, such as '2%' or '85mm'")


def _help_of(one: dict[str, Any]) -> str:
    if "choices" in one:
        return f"    {one['name']}: {one['help']}; one of {', '.join(one['choices'])}"
    if "values" in one:
        return f"    {one['name']}: {one['help']}{one['values']}"
    bounds = f"{one['least']:g} to {one['most']:g}" if one["most"] != float("inf") else f"above {one['least']:g}"
    return f"    {one['name']}: {one['help']}; {'whole, ' if one['whole'] else ''}{bounds}{one['units']}"


def declare(function: Callable[..., Any], arguments: Sequence[inspect.Parameter], declared: Sequence[dict[str, Any]],
            text: str) -> None:
    """Gives a function that takes its parameters by **keywords their names, defaults and help."""
    keyword = inspect.Parameter.KEYWORD_ONLY
    parameters = [*arguments, *(inspect.Parameter(one["name"], keyword, default=one["default"]) for one in declared),
                  *(inspect.Parameter(more, keyword, default=None) for more in ("out", "stream"))]
    function.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    function.__doc__ = text.replace("PARAMETERS", "\n".join(map(_help_of, declared)))

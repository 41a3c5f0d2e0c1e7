// Declarations of parameters, as Python sees them.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <string_view>

#include "filters/amount.h"

namespace scanlens::python {

/// A parameter of a filter, or of depth of field: a dictionary of what it declares. Its default is text where
/// that has a unit.
template <class Param>
nanobind::dict declared(const Param& param, Unit unit_of_default = Unit::none) {
  namespace nb = nanobind;
  nb::dict one;
  std::string name(param.name);
  one["key"] = name;
  std::replace(name.begin(), name.end(), '-', '_');
  one["name"] = name;
  std::string help(param.help);
  std::replace(help.begin(), help.end(), '\n', ' ');
  one["help"] = help;
  if (!param.names.empty()) {
    nb::list names;
    for (const std::string_view choice : param.names) names.append(std::string(choice));
    one["choices"] = names;
    one["default"] = std::string(param.names[static_cast<std::size_t>(param.value)]);
    return one;
  }
  if (param.measure == Measure::colour) {
    one["values"] = std::string(examples_of(param.measure));
    one["default"] = name_of_colour(param.value);
    return one;
  }
  one["least"] = param.least;
  one["most"] = param.most;
  one["whole"] = param.whole;
  one["units"] = std::string(examples_of(param.measure));
  one["percent"] = param.measure == Measure::pixels_or_percent;
  if (unit_of_default == Unit::percent)
    one["default"] = std::string(nb::str(nb::float_(param.value)).c_str()) + "%";
  else
    one["default"] = param.value;
  return one;
}

}  // namespace scanlens::python

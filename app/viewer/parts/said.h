// Values as people say them: "f/2.0", "1.50 m", "Fit".
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "app/viewer/model/state.h"
#include "filters/filter.h"

namespace scanlens {

/// Form in which a value is shown.
struct Saying {
  Measure measure = Measure::number;
  bool whole = false;
  ValueWords words = {};
};

Saying saying_of(const ViewParam& param, bool metric);
Saying saying_of(const Param& param);

/// Returns "Sensor width" for sensor-width.
std::string label_of(std::string_view name, const ValueWords& words = {});

std::string said(const Saying& saying, double value);

/// Rounds a value to the digits that are shown.
double rounded_as_said(const Saying& saying, double value);

/// Returns a value as a person types it: all its digits, in the unit that is shown.
std::string typed_text(const Saying& saying, double value);

/// Returns the value that a person has typed, with a unit or in the one that is shown.
std::optional<double> value_of_typed(const Saying& saying, std::string_view text);

}  // namespace scanlens

// Rows of the panels: a label, a value in words, and what sets it.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "app/viewer/parts/said.h"

namespace scanlens {

struct Row {
  std::string label;
  std::string help;             ///< a tooltip
  std::string option;           ///< that sets it on a command line
  std::optional<double> first;  ///< a double click brings it back
};

struct SliderRange {
  double least, most;
  bool logarithmic = false;
};

// Return true when a person has set the value.
bool slider_row(const Row& row, const Saying& saying, const SliderRange& range, double& value);
/// `left_out` has a bit for each choice that is not offered.
bool choice_row(const Row& row, std::span<const std::string_view> names, double& value,
                unsigned left_out = 0);
bool switch_row(const Row& row, double& value);

/// Begins a part of a panel; returns true if it is open.
bool begin_part(const std::string& name, bool open_at_first);

/// Adds a tooltip to the last item, beside its panel: when the pointer has rested there and no button is
/// down.
void tip(std::string_view help, std::string_view more = {});

}  // namespace scanlens

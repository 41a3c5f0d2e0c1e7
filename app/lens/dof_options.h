// The options of the command line that the table of depth of field's parameters stands for.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "app/options/options.h"
#include "filters/dof_params.h"

namespace scanlens {

/// Returns the value that a word gives a parameter, in the unit of the word, or else of the parameter;
/// nothing for a word that is no value, or one out of bounds.
std::optional<Amount> parse_dof(const DofParam& param, std::string_view text);

/// Adds the option of a parameter. `defaults` are what help shows; `of_scene` is true if depth always has a
/// unit.
Option& add_dof_option(Command& command, const DofParam& param, DofGiven& given, const DofValues& defaults,
                       bool of_scene);

/// Returns the radius in pixels that a value of --blur stands for, on a picture so wide.
double radius_of(const Amount& blur, std::int64_t width);

}  // namespace scanlens

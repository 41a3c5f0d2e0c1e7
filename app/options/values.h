// Values of options: what a person may write for them, and one sentence for text that is not allowed. A
// check's sentence begins with "takes"; the option's name is put in front of it.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "app/options/options.h"
#include "filters/amount.h"

namespace scanlens {

// Turn an amount with a unit into the bare number in the measure's own unit: 5cm into 50, for millimetres.
/// Accepts amounts from `least` to `most`, and not NaN.
Check within(double least, double most, Measure measure = Measure::number);
/// Accepts amounts above 0; infinity where the measure has it.
Check positive(Measure measure = Measure::number);
/// Accepts any finite number.
Check any_number();

/// Says what a value should have been: ", not '1,4'; write 1.4".
std::string not_taken(std::string_view text, Measure measure = Measure::number);

/// Accepts whole numbers from `least` to `most`.
Check whole_within(std::int64_t least, std::int64_t most);

/// Accepts these words alone.
Check one_of(std::vector<std::string> words);

// Turn a count, 1 or more, into its digits. It may be written as 1500000, 1.5e6 or with a unit: 1.5MB.
Check count_of_bytes();
Check count_of_pixels();

/// Turns a name into the number of its place, 0, 1, ..., which `into` takes. A number is no name.
Check named(std::span<const std::string_view> names);

/// Returns a target for enumerations whose names stand in the order of the values, 0, 1, ... `Enum` is that
/// of `value`, which may be optional.
template <class Enum, class Value>
TakeText into(Value& value) {
  return [&value](const std::string& number) {
    value = static_cast<Enum>(*parse_whole(number));
    return std::string();
  };
}

/// Offers these words.
Completion completion_of(const std::vector<std::string>& words);

/// Adds --size WIDTHxHEIGHT. `size` holds what counts where it is not given, and help shows.
void add_size_option(Command& command, std::pair<int, int>& size, const std::string& help);

}  // namespace scanlens

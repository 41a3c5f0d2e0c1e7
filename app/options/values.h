// Values of options: what a person may write for them, and one sentence for text that is not allowed. A
// check's sentence begins with "takes"; the option's name is put in front of it.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
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

/// Returns a target for one of these names: `take` gets its place, and `give` returns that of the value.
Target choice(std::vector<std::string> names, std::function<void(std::size_t)> take,
              std::function<std::optional<std::size_t>()> give);

/// Returns a target for an enumeration, which may be optional. Its names stand in the order of the values.
template <class Value>
Target choice(Value& value, std::span<const std::string_view> names) {
  return choice(
      {names.begin(), names.end()}, [&value](std::size_t at) { value = static_cast<Held<Value>>(at); },
      [&value] {
        const std::optional held = value;
        return held ? std::optional(static_cast<std::size_t>(*held)) : std::nullopt;
      });
}

/// Adds --size WIDTHxHEIGHT. `size` holds what counts where it is not given, and help shows.
void add_size_option(Command& command, std::pair<int, int>& size, const std::string& help);

}  // namespace scanlens

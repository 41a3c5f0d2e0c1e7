// The variables that options can have as targets.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "app/options/options.h"

namespace scanlens {

struct Target::Value {
  std::variant<std::monostate, bool*, int*, std::int64_t*, std::uint64_t*, float*, double*, std::string*,
               std::filesystem::path*, std::optional<int>*, std::optional<float>*, std::optional<double>*,
               std::optional<std::string>*, std::optional<std::filesystem::path>*, std::vector<double>*,
               std::vector<std::string>*, std::vector<std::filesystem::path>*, TakeText, TakeTexts>
      of;
};

}  // namespace scanlens

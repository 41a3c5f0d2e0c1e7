// The classes of CLI11 that headers name. Whoever adds an option includes <CLI/CLI.hpp>, which takes five
// seconds to compile wherever it is.
#pragma once

namespace CLI {
class App;
class Formatter;
class Option;
}  // namespace CLI

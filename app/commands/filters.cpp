// scanlens filters: what filters there are, from their own declarations.
#include <fmt/format.h>

#include <memory>
#include <string>
#include <vector>

#include "app/commands/commands.h"
#include "app/io/json.h"
#include "app/options/options.h"
#include "core/version.h"
#include "filters/registry.h"

namespace scanlens {
namespace {

Json facts_of(const Param& param) {
  Json facts = {{"name", param.name}, {"help", param.help},   {"min", param.least},
                {"max", param.most},  {"value", param.value}, {"whole", param.whole}};
  if (!param.names.empty()) facts["names"] = std::vector<std::string>(param.names.begin(), param.names.end());
  if (param.measure == Measure::colour) facts["colour"] = true;
  return facts;
}

Json facts_of_filters() {
  Json filters = Json::array();
  for (const Filter* filter : all_filters()) {
    Json params = Json::array();
    for (const Param& param : filter->params) params.push_back(facts_of(param));
    Json facts = {{"name", filter->name}, {"help", filter->help}, {"params", params}};
    facts["where"] = !changes_geometry(*filter);
    if (!filter->example.empty()) facts["example"] = filter->example;
    if (filter->map != MapKind::none) facts["map"] = name_of(filter->map);
    filters.push_back(std::move(facts));
  }
  return {{"command", "filters"}, {"version", kVersion}, {"filters", filters}};
}

}  // namespace

void add_filters_command(Program& program) {
  const auto json = std::make_shared<bool>(false);
  Command& command = program.add_command("filters", "list the filters and their parameters");
  command.add("--json", json.get(), "print the list as JSON");
  command.brief =
      "Each filter has a line, and each of its parameters one below it: its meaning, its range, and "
      "its\ndefault."
      " `scanlens filter` takes them as --filter name:key=value:key=value.\n";
  command.footer = command.brief +
                   "\nExamples:\n"
                   "  scanlens filters\n"
                   "  scanlens filters --json";
  command.run = [json] {
    if (*json)
      fmt::print("{}\n", facts_of_filters().dump(2));
    else
      fmt::print("{}", describe_filters());
    return 0;
  };
}

}  // namespace scanlens

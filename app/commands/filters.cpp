// scanlens filters: what filters there are, from their own declarations.
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "app/commands/commands.h"
#include "app/io/json.h"
#include "app/options/options.h"
#include "app/options/values.h"
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

Json facts_of(std::span<const Filter* const> shown) {
  Json filters = Json::array();
  for (const Filter* filter : shown) {
    Json params = Json::array();
    for (const Param& param : filter->params) params.push_back(facts_of(param));
    Json facts = {{"name", filter->name}, {"help", filter->help}, {"params", params}};
    facts["where"] = !changes_geometry(*filter);
    if (!filter->example.empty()) facts["example"] = filter->example;
    if (filter->map != MapKind::none) facts["map"] = name_of(filter->map);
    if (filter->map == MapKind::words) facts["font"] = true;
    filters.push_back(std::move(facts));
  }
  return {{"command", "filters"}, {"version", kVersion}, {"filters", filters}};
}

}  // namespace

void add_filters_command(Program& program) {
  struct Options {
    std::vector<std::string> names;
    bool json = false;
  };
  const auto self = std::make_shared<Options>();
  std::vector<std::string> known;
  for (const Filter* filter : all_filters()) known.emplace_back(filter->name);
  Command& command = program.add_command("filters", "list the filters and their parameters");
  command.add("FILTER", &self->names, "filters to list; by default all").check(one_of(known));
  command.add("--json", &self->json, "print the list as JSON");
  command.brief =
      "Each filter has a line, and each of its parameters one below it: its meaning, its range, and "
      "its\ndefault."
      " `scanlens filter` takes them as --filter name:key=value:key=value.\n";
  command.footer = command.brief +
                   "\nExamples:\n"
                   "  scanlens filters\n"
                   "  scanlens filters dof fog\n"
                   "  scanlens filters --json";
  command.run = [self] {
    std::vector<const Filter*> shown;
    for (const Filter* filter : all_filters())
      if (self->names.empty() || std::ranges::count(self->names, filter->name) > 0) shown.push_back(filter);
    fmt::print("{}", self->json ? facts_of(shown).dump(2) + "\n" : describe(shown));
    return 0;
  };
}

}  // namespace scanlens

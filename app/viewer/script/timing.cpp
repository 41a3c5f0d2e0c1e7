#include "app/viewer/script/timing.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "app/io/json.h"
#include "filters/statistics.h"

namespace scanlens {
namespace {

struct Spread {
  double least, median, p90, p99, most, mean;
};

/// Returns the spread of one number or more.
Spread spread_of(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const auto percentile = [&](double percent) {
    return percentile_of(values.size(), percent, [&](std::uint64_t i) { return values[i]; });
  };
  const double sum = std::accumulate(values.begin(), values.end(), 0.0);
  return {values.front(), percentile(50), percentile(90),
          percentile(99), values.back(),  sum / static_cast<double>(values.size())};
}

}  // namespace

void Timing::add(const std::vector<StageTime>& stages) {
  ++frames_;
  for (const StageTime& time : stages) {
    const auto known = std::find_if(stages_.begin(), stages_.end(),
                                    [&](const Stage& stage) { return stage.name == time.name; });
    Stage& stage = known != stages_.end() ? *known : stages_.emplace_back(Stage{time.name, {}});
    stage.milliseconds.push_back(time.milliseconds);
  }
}

std::string Timing::table() const {
  std::size_t widest = 5;
  for (const Stage& stage : stages_) widest = std::max(widest, stage.name.size());
  std::string table = fmt::format("{:<{}} {:>9} {:>9} {:>9} {:>9} {:>9} {:>9}", "ms", widest, "min", "50 %",
                                  "90 %", "99 %", "max", "mean");
  for (const Stage& stage : stages_) {
    const Spread s = spread_of(stage.milliseconds);
    table += fmt::format("\n{:<{}} {:>9.3f} {:>9.3f} {:>9.3f} {:>9.3f} {:>9.3f} {:>9.3f}", stage.name, widest,
                         s.least, s.median, s.p90, s.p99, s.most, s.mean);
  }
  return table;
}

std::string Timing::json() const {
  Json stages = Json::array();
  for (const Stage& stage : stages_) {
    const Spread s = spread_of(stage.milliseconds);
    stages.push_back({{"name", stage.name},
                      {"frames", stage.milliseconds.size()},
                      {"min", s.least},
                      {"p50", s.median},
                      {"p90", s.p90},
                      {"p99", s.p99},
                      {"max", s.most},
                      {"mean", s.mean}});
  }
  return Json{{"frames", frames_}, {"stages", std::move(stages)}}.dump(2) + "\n";
}

}  // namespace scanlens

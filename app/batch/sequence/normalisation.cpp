#include "app/batch/sequence/normalisation.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <string>

#include "app/batch/announced.h"
#include "app/batch/one_picture.h"
#include "app/batch/plan/plan.h"
#include "app/batch/progress.h"
#include "core/error.h"

namespace scanlens {
namespace {

/// Finds out what one map means, and keeps nothing of its values.
class SurveyedMap : public OnePicture {
 public:
  SurveyedMap(Shared& shared, const Item& item, const FindMeaning& find, std::optional<DepthMeaning>& found)
      : OnePicture(shared, item), find_(find), found_(found) {}

  void open() override {
    attempt([&] {
      Limits limits = talk_.settings.limits();
      limits.admit = [&](const RowFormat& format) {
        announced_.add(format);
        require_memory(announced_.bytes(true));
      };
      found_ = find_(item_.input, limits);
      end(Status::measured);
    });
  }
  void work() override {}

 private:
  void drop() override {}

  const FindMeaning& find_;
  std::optional<DepthMeaning>& found_;
  Announced announced_;
};

/// Returns what each map means; nothing for those that cannot be read.
std::vector<std::optional<DepthMeaning>> surveyed(const Plan& plan, const FindMeaning& find,
                                                  const Workers& workers, const Talk& talk) {
  std::vector<std::optional<DepthMeaning>> found(plan.items.size());
  BatchProgress progress(talk, ProgressKind::terminal, plan.items.size());
  Totals totals;
  run_batch(
      plan, workers, talk,
      [&](Shared& shared, const Item& item) {
        const auto place = static_cast<std::size_t>(&item - plan.items.data());
        return std::make_unique<SurveyedMap>(shared, item, find, found[place]);
      },
      [&](const Outcome& outcome) {
        totals.add(outcome);
        progress.show(totals);
      });
  return found;
}

/// Returns true if two maps can share one normalisation.
bool agree(const DepthMeaning& a, const DepthMeaning& b) {
  return a.metric == b.metric && (a.metric || a.form == b.form);
}

}  // namespace

std::optional<DepthRange> common_range(const std::vector<std::filesystem::path>& maps,
                                       const FindMeaning& find, const Workers& workers, Talk& talk) {
  Plan plan{{}, maps.size()};
  for (const std::filesystem::path& map : maps) plan.items.push_back({map, map.filename(), {}, {}});
  const std::vector<std::optional<DepthMeaning>> found = surveyed(plan, find, workers, talk);

  std::optional<std::size_t> first;
  std::optional<DepthRange> common;
  std::size_t farthest = 0, nearest = 0, surveys = 0;
  for (std::size_t i = 0; i < found.size(); ++i) {
    if (!found[i]) continue;
    if (!first) first = i;
    ++surveys;
    if (!agree(*found[*first], *found[i]))
      throw Error(ErrorKind::usage,
                  fmt::format("the frames' depth maps differ in meaning: {} is {}, {} is {}; name one for "
                              "all with --depth-kind",
                              maps[*first].string(), found[*first]->form, maps[i].string(), found[i]->form));
    const std::optional<DepthRange>& own = found[i]->range;
    if (!own) continue;
    if (!common || own->farthest < common->farthest) farthest = i;
    if (!common || own->nearest > common->nearest) nearest = i;
    common = common ? DepthRange{std::min(common->farthest, own->farthest),
                                 std::max(common->nearest, own->nearest)}
                    : *own;
  }
  if (!first) return std::nullopt;
  if (common)
    talk.assume(fmt::format(
        "depth: one normalisation for all {} maps, {:.6g} (of {}) .. {:.6g} (of {}): --depth-range {},{}",
        surveys, common->farthest, maps[farthest].filename().string(), common->nearest,
        maps[nearest].filename().string(), common->farthest, common->nearest));
  else
    talk.assume(fmt::format("depth: all {} maps alike: {}", surveys, found[*first]->form));
  return common;
}

}  // namespace scanlens

#include "app/viewer/model/history.h"

#include <algorithm>

namespace scanlens {
namespace {

constexpr std::size_t kMostKept = 1000;

}  // namespace

bool is_of_treatment(const ViewParam& param) {
  return param.group == kLensGroup || param.group == kLookGroup;
}

bool operator==(const Treatment& a, const Treatment& b) {
  const auto same_filter = [](const StackedFilter& one, const StackedFilter& other) {
    return one.on == other.on && filter_text(one.call) == filter_text(other.call);
  };
  const auto same = [](const std::shared_ptr<const Strokes>& one,
                       const std::shared_ptr<const Strokes>& other) {
    return one == other || (one && other && *one == *other);
  };
  return same(a.strokes, b.strokes) && same(a.sharp, b.sharp) && a.keys == b.keys && a.values == b.values &&
         a.options.depth == b.options.depth &&
         a.options.network.choice.model == b.options.network.choice.model &&
         std::equal(a.filters.begin(), a.filters.end(), b.filters.begin(), b.filters.end(), same_filter);
}

History::History(Treatment first) : steps_{first}, saved_(std::move(first)) {}

void History::note(const Treatment& now, bool held) {
  if (now == steps_[at_]) {
    goes_on_ = goes_on_ && held;
    return;
  }
  if (!goes_on_) {
    steps_.resize(at_ + 1, now);
    steps_.push_back(now);
    if (steps_.size() > kMostKept) steps_.erase(steps_.begin());
    at_ = steps_.size() - 1;
  }
  steps_[at_] = now;
  goes_on_ = true;
}

const Treatment* History::undo() {
  goes_on_ = false;
  return at_ == 0 ? nullptr : &steps_[--at_];
}

const Treatment* History::redo() {
  goes_on_ = false;
  return at_ + 1 == steps_.size() ? nullptr : &steps_[++at_];
}

}  // namespace scanlens

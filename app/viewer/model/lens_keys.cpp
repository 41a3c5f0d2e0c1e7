#include "app/viewer/model/lens_keys.h"

#include "app/photo/pulled.h"

namespace scanlens {
namespace {

bool is_pulled(const DofParam& param) {
  return !param.keys.example.empty();
}

}  // namespace

LensKeys::Values LensKeys::values_of(const ViewState& state) {
  Values values{};
  for (std::size_t i = 0; i < values.size(); ++i)
    if (is_pulled(kDofParams[i])) values[i] = state.*kDofParams[i].value_at;
  return values;
}

void LensKeys::apply(std::int64_t frame, bool metric, ViewState& state) const {
  if (keys_.empty()) return;
  for (std::size_t i = 0; i < std::size(kDofParams); ++i) {
    const DofParam& param = kDofParams[i];
    if (!is_pulled(param)) continue;
    Pulled pulled;
    for (const auto& [at, values] : keys_) pulled.add("", {static_cast<double>(at)}, Amount(values[i]));
    const bool reciprocal = metric && param.keys.reciprocal;
    state.*param.value_at = pulled.at({frame}, reciprocal ? Pulled::Space::reciprocal : Pulled::Space::value);
  }
}

bool LensKeys::agrees(std::int64_t frame, bool metric, const ViewState& state) const {
  ViewState at_frame = state;
  apply(frame, metric, at_frame);
  return values_of(at_frame) == values_of(state);
}

std::vector<LensKeys::Key> LensKeys::keys_of(const DofParam& param) const {
  const auto number = static_cast<std::size_t>(&param - kDofParams);
  std::vector<Key> keys;
  bool differs = false;
  if (!is_pulled(param)) return keys;
  for (const auto& [frame, values] : keys_) {
    keys.push_back({frame, values[number]});
    differs = differs || values[number] != keys.front().value;
  }
  if (!differs) keys.clear();
  return keys;
}

}  // namespace scanlens

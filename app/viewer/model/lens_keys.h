// Keys of the lens over a clip's frames.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <map>
#include <vector>

#include "app/viewer/model/state.h"
#include "filters/dof_params.h"

namespace scanlens {

/// Holds the values that `dof` pulls, such as the focus, at some frames. Between them they go as there: as
/// with --focus 0:0.2 48:0.8.
class LensKeys {
 public:
  bool empty() const { return keys_.empty(); }
  bool holds(std::int64_t frame) const { return keys_.contains(frame); }
  std::int64_t first() const { return keys_.begin()->first; }

  /// Takes the values of the state for a frame.
  void set(std::int64_t frame, const ViewState& state) { keys_[frame] = values_of(state); }
  void remove(std::int64_t frame) { keys_.erase(frame); }

  /// Sets the values of a frame, where there are keys.
  void apply(std::int64_t frame, bool metric, ViewState& state) const;

  /// Returns true if the values that a frame has are those of the state.
  bool agrees(std::int64_t frame, bool metric, const ViewState& state) const;

  /// Calls visit(frame) for each key.
  void for_each(const auto& visit) const {
    for (const auto& [frame, values] : keys_) visit(frame);
  }

  struct Key {
    std::int64_t frame;
    double value;
  };
  /// Returns the keys of one parameter; none where it has the same value at all.
  std::vector<Key> keys_of(const DofParam& param) const;

  friend bool operator==(const LensKeys&, const LensKeys&) = default;

 private:
  /// One for each of kDofParams, also for those that are not pulled.
  using Values = std::array<double, std::size(kDofParams)>;

  static Values values_of(const ViewState& state);

  std::map<std::int64_t, Values> keys_;
};

}  // namespace scanlens

// Values of a lens that are pulled from frame to frame of a sequence: `--focus 0:1.5 48:0.8`.
#pragma once

#include <array>
#include <cstdint>
#include <iterator>
#include <map>
#include <string>
#include <string_view>

#include "app/session/lens_options.h"
#include "filters/amount.h"

namespace scanlens {

class Command;

/// Holds values at key frames. Between keys the value follows the monotone cubic through them (Fritsch and
/// Butland, "A Method for Constructing Local Monotone Piecewise Cubic Interpolants", SIAM Journal on
/// Scientific and Statistical Computing 5, 1984), at rest at the first key and the last, whose values hold
/// before and after: it starts and stops gently, and never goes beyond two neighbouring keys.
class Pulled {
 public:
  /// The quantities that are pulled along the curve. Circles of confusion are linear in the reciprocals of
  /// the distance in focus and of the f-number.
  enum class Space { value, reciprocal };

  /// Throws Error (usage), which begins with `option`, for a second value at a frame.
  void add(const std::string& option, std::int64_t frame, const Amount& amount);

  bool empty() const { return keys_.empty(); }
  Unit unit() const { return unit_; }  ///< of the last key added

  /// Returns the value at a frame; at a key exactly its own. There must be a key.
  double at(std::int64_t frame, Space space) const;

  /// Returns "1.5 m at frame 0, 0.8 m at frame 48".
  std::string text() const;

 private:
  std::map<std::int64_t, double> keys_;
  Unit unit_ = Unit::none;
};

/// Returns whether a word is FRAME:VALUE, as far as the frame goes: "48:0.8".
bool is_key(std::string_view word);

/// The parameters of kDofParams that keys give.
class LensPull {
 public:
  /// Lets the options that have keys take them, in words joined by commas. The option's own check gets the
  /// last key's value.
  void add_keys(Command& command);

  bool empty() const;

  /// Returns the first option that keys are given for; "" for none.
  std::string first() const;
  bool pulls(const std::string& option) const;

  /// Returns the lens at a frame whose depth is metric, or has no unit.
  LensOptions at(std::int64_t frame, const LensOptions& lens, bool metric) const;

  /// Returns the words that stand for the lens at a frame, the same for the same values.
  std::string words_at(std::int64_t frame) const;

  /// Returns one sentence on every value that is pulled.
  std::vector<std::string> account() const;

 private:
  std::array<Pulled, std::size(kDofParams)> pulled_;
};

}  // namespace scanlens

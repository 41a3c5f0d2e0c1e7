// Values of a lens that are pulled from frame to frame: `--focus 0:1.5 48:0.8`, or in a clip also over
// seconds: `--focus 0s:1.5 2.5s:0.8`.
#pragma once

#include <array>
#include <cstdint>
#include <iterator>
#include <map>
#include <string>
#include <string_view>

#include "app/photo/lens_options.h"
#include "app/photo/moment.h"
#include "filters/amount.h"

namespace scanlens {

class Command;

/// When a frame is shown. Sequences have no seconds, and keys in seconds are refused for them.
struct FrameTime {
  std::int64_t number = 0;
  double seconds = 0;
};

/// Holds values at key frames, or at seconds. Between keys the value follows the monotone cubic through them
/// (Fritsch and Butland, "A Method for Constructing Local Monotone Piecewise Cubic Interpolants", SIAM
/// Journal on Scientific and Statistical Computing 5, 1984), at rest at the first key and the last, whose
/// values hold before and after: it starts and stops gently, and never goes beyond two neighbouring keys.
class Pulled {
 public:
  /// The quantities that are pulled along the curve. Circles of confusion are linear in the reciprocals of
  /// the distance in focus and of the f-number.
  enum class Space { value, reciprocal };

  /// Throws Error (usage), which begins with `option`, for a second value at a moment, and for frames beside
  /// seconds.
  void add(const std::string& option, const Moment& moment, const Amount& amount);

  bool empty() const { return keys_.empty(); }
  Unit unit() const { return unit_; }    ///< of the last key added
  bool timed() const { return timed_; }  ///< keys are at seconds

  /// Returns the value at a frame; at a key exactly its own. There must be a key.
  double at(const FrameTime& frame, Space space) const;

  /// Returns the last key's moment. There must be a key.
  Moment last() const { return {keys_.rbegin()->first, timed_}; }

  /// Returns "1.5 m at frame 0, 0.8 m at frame 48".
  std::string text() const;

 private:
  std::map<double, double> keys_;
  Unit unit_ = Unit::none;
  bool timed_ = false;
};

/// Returns true if a word is FRAME:VALUE or SECONDSs:VALUE, as far as the moment goes: "48:0.8", "2.5s:0.8".
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

  /// Throws Error (usage) where keys are at seconds, which frames of `what` do not have.
  void require_frames(const std::string& what) const;

  /// Returns the lens at a frame whose depth is metric, or has no unit.
  LensOptions at(const FrameTime& frame, const LensOptions& lens, bool metric) const;

  /// Returns the words that stand for the lens at a frame, the same for the same values.
  std::string words_at(std::int64_t frame) const;

  /// Returns a sentence on each option that has a key behind the last frame, which ends at these seconds.
  std::vector<std::string> keys_behind(const FrameTime& last) const;

  /// Returns one sentence on every value that is pulled.
  std::vector<std::string> account() const;

 private:
  std::array<Pulled, std::size(kDofParams)> pulled_;
};

}  // namespace scanlens

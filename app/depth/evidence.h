// What the values of an integer map betray of their meaning; inside scanlens_files.
#pragma once

#include <string>

#include "core/view.h"

namespace scanlens {

struct Evidence {
  bool relative;       ///< inverse depth stretched over all of 16 bits, as networks write it; else millimetres
  bool clear;          ///< else the other meaning is likely enough for a warning
  std::string reason;  ///< "it reaches from 0 to 65535 without a gap, as networks stretch inverse depth"
};

/// Tells millimetres from inverse depth without unit, which networks stretch over 0..65535. A sensor's zeros are
/// holes and stand apart, because it sees nothing nearer than some decimetres, and few values lie beyond 20 m.
Evidence weigh_16_bits(View<const float> values);

}  // namespace scanlens

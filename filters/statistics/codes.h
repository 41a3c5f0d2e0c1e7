// Comparisons of integer samples with numbers, as ranges of their codes.
#pragma once

#include "filters/selection.h"

namespace scanlens {

/// The same choice with Kind::within wherever a colour, alpha or luma is compared with a number: the codes
/// that hold are found once, and no pixel needs a division. T: uint8_t, uint16_t.
template <class T>
Selection in_codes(const Selection& selection);

}  // namespace scanlens

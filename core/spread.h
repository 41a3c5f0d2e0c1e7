// Spreading: every pixel adds its values to a box of pixels around it, in constant time whatever the box's
// size. It is the reverse of a box filter, where every pixel gathers: here the giver says how far it reaches.
#pragma once

#include <cstdint>

#include "core/context.h"
#include "core/view.h"

namespace scanlens {

/// No box of spread_boxes reaches farther than this, in pixels.
inline constexpr int kMostSpread = 1 << 24;

/// field(l, x, y, c) = the sum of values(i, j, c), modulo 2^32, over all pixels (i, j) of layer l whose box
/// covers (x, y).
///
/// boxes(i, j) holds three numbers: the layer, and how many columns and rows the box reaches beyond its pixel
/// to either side, 0 .. kMostSpread. A layer outside 0 .. layers - 1 spreads nothing. The part of a box
/// outside the picture is reflected at the border, so that the box gives all that it has. (A box more than
/// twice as large as the picture covers each pixel at most three times.) With values of 2^k / area a layer's
/// field of ones is its coverage. Another field divided by it is the mean of what came there.
///
/// Shapes: `values` of any number of channels from 1 to kMostSpreadChannels, `boxes` of 3 and as large;
/// `fields` of one channel, as wide, and layers x channels times as high: planes one beneath the other, all
/// channels of the first layer, then those of the next. Any pitch. Aliasing: the views must not overlap.
///
/// Each pixel is deposited at the four corners of its box, with alternating signs; the summed-area table of
/// the deposits, made in place, is the field. Determinism: sums of integers do not depend on their order, so
/// that all backends give the same bits. Workspace: what summed_area_table takes; on the CPU a tile for
/// each thread, as high as twice the farthest reach at most.
///
/// Source: Kosloff, Tao and Barsky, "Depth of Field Postprocessing For Layered Scenes Using Constant-Time
/// Rectangle Spreading", 2009; Heckbert, "Filtering by Repeated Integration", 1986.
void spread_boxes(Context& context, View<const std::uint32_t> values, View<const std::int32_t> boxes,
                  View<std::uint32_t> fields, int layers = 1);

inline constexpr int kMostSpreadChannels = 5;

}  // namespace scanlens

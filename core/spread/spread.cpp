#include "core/spread.h"

#include "core/runtime/checks.h"
#include "core/runtime/dispatch.h"
#include "core/spread/backends.h"

namespace scanlens {
namespace {

/// Coordinates are int, and boxes reach past them.
constexpr std::int64_t kMostSide = 1 << 24;

}  // namespace

void spread_boxes(Context& context, View<const std::uint32_t> values, View<const std::int32_t> boxes,
                  View<std::uint32_t> fields, int layers) {
  const char* call = "spread_boxes";
  require_valid(values, call, "values");
  require_valid(boxes, call, "boxes");
  require_valid(fields, call, "fields");
  SCANLENS_REQUIRE(
      values.channels <= kMostSpreadChannels,
      fmt::format("spread_boxes: {} channels are more than {}", values.channels, kMostSpreadChannels));
  SCANLENS_REQUIRE(
      same_size(values, boxes) && boxes.channels == 3,
      fmt::format("spread_boxes: `values` is {} but `boxes` is {}", shape(values), shape(boxes)));
  SCANLENS_REQUIRE(layers >= 1 && fields.channels == 1 && fields.width == values.width &&
                       fields.height == values.height * values.channels * layers,
                   fmt::format("spread_boxes: fields of {} do not fit {} layers of {}", shape(fields), layers,
                               shape(values)));
  SCANLENS_REQUIRE(values.width <= kMostSide && values.height <= kMostSide,
                   fmt::format("spread_boxes: {} is more than {} pixels a side", shape(values), kMostSide));
  SCANLENS_REQUIRE(!overlap(values, fields) && !overlap(boxes, fields),
                   "spread_boxes: `fields` overlaps another view");
  if (fields.empty()) return;
  const SpreadTask task{values, boxes, fields, layers};
  SCANLENS_DISPATCH(context, spread_boxes, task);
}

}  // namespace scanlens

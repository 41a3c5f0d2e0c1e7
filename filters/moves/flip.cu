// The picture's mirror image, pixel by pixel.
#include <cstdint>

#include "filters/moves/move.h"
#include "filters/moves/params.h"
#include "filters/parts/filter_of.h"

namespace scanlens {
namespace {

constexpr std::string_view kAxes[] = {"horizontal", "vertical"};

struct Flip {
  using Params = FlipParams;
  static constexpr std::string_view kName = "flip";
  static constexpr std::string_view kHelp = "the mirror image: left becomes right, or top bottom";
  static constexpr Param kParams[] = {choice<&FlipParams::axis>(
      "axis", "horizontal: left becomes right; vertical: top becomes bottom", kAxes)};

  static std::int64_t first_row(const FlipParams&, const RowFormat&) { return 0; }
  static std::int64_t reach(const FlipParams& params) { return params.axis == 0 ? 0 : kReachesAll; }

  template <class T>
  static void run(Context& context, const FlipParams& params, const BandTask<T>& task) {
    const Move move =
        params.axis == 0 ? Move{.xx = -1, .x0 = task.rows.width - 1} : Move{.yy = -1, .y0 = task.height - 1};
    move_pixels(context, move, kEdgeColour, 0, task);
  }
};

}  // namespace

extern constinit const Filter kFlip = filter_of<Flip>();

}  // namespace scanlens

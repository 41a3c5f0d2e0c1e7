// Brown tones of old photographs.
//
// Samples as they are (sRGB codes, or light in floats) are multiplied by the matrix that browsers have for
// sepia() (W3C, Filter Effects Module Level 1), and clipped where they are codes. Grey pictures of one
// channel and alpha stay as they are.
#include <cstdint>

#include "filters/parts/filter_of.h"
#include "filters/parts/for_each_pixel.h"
#include "filters/parts/sample.h"

namespace scanlens {
namespace {

struct SepiaParams {
  double amount = 1;
};

template <class T>
struct SepiaPixel {
  BandTask<T> task;
  float matrix[3][3];

  SCANLENS_HOST_DEVICE void operator()(int x, int y) const {
    const T* const in = &task.rows(x, task.first + y);
    T* const out = &task.out(x, y);
    const float colour[3] = {static_cast<float>(in[0]), static_cast<float>(in[1]), static_cast<float>(in[2])};
    for (int c = 0; c < 3; ++c)
      out[c] =
          clipped_sample<T>(matrix[c][0] * colour[0] + matrix[c][1] * colour[1] + matrix[c][2] * colour[2]);
    if (task.out.channels == 4) out[3] = in[3];
  }
};

struct Sepia {
  using Params = SepiaParams;
  static constexpr std::string_view kName = "sepia";
  static constexpr std::string_view kHelp = "brown tones of old photographs, as browsers make them";
  static constexpr Param kParams[] = {
      param<&SepiaParams::amount>("amount", "share of the brown tones", 0, 1, Values::any, Measure::share)};

  static std::int64_t reach(const SepiaParams&) { return 0; }

  template <class T>
  static void run(Context& context, const SepiaParams& params, const BandTask<T>& task) {
    if (task.out.channels == 1) return copy_rows(context, task);
    constexpr double kSepia[3][3] = {{0.393, 0.769, 0.189}, {0.349, 0.686, 0.168}, {0.272, 0.534, 0.131}};
    SepiaPixel<T> body{task, {}};
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 3; ++j)
        body.matrix[i][j] =
            static_cast<float>(params.amount * kSepia[i][j] + (1 - params.amount) * (i == j ? 1 : 0));
    for_each_pixel(context, task.out.width, task.out.height, body);
  }
};

}  // namespace

extern constinit const Filter kSepia = filter_of<Sepia>();

}  // namespace scanlens

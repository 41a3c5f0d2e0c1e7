#include "app/photo/autofocus.h"

#include <optional>

#include "app/photo/readable.h"
#include "filters/statistics.h"

namespace scanlens {

float autofocus(Context& context, const Picture& picture, const Image<float>& disparity,
                const std::filesystem::path& file, const Settings& settings) {
  const std::int64_t copies =
      context.on_cuda() ? static_cast<std::int64_t>(picture.bytes() + disparity.bytes()) : 0;
  settings.require_memory(context, file.string(), 0,
                          copies + sharpest_disparity_workspace(picture.width(), picture.height()));
  const std::optional<float> found = about(file, [&] {
    return std::visit(
        [&]<class T>(const Image<T>& image) {
          const Readable<T> samples(context, image);
          const Readable<float> depth(context, disparity);
          return sharpest_disparity(context, samples.view(), depth.view());
        },
        picture.samples);
  });
  // The blur need not take the same memory as this.
  context.trim();
  if (!found)
    throw Error(file.string() +
                ": --autofocus finds nothing sharp: the picture is of one tone; use --focus or --focus-at");
  return *found;
}

}  // namespace scanlens

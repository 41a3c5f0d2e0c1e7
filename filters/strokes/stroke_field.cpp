#include "filters/strokes/stroke_field.h"

#include <fmt/format.h>

#include <utility>

#include "core/runtime/checks.h"
#include "core/runtime/device.h"
#include "filters/strokes/parts.h"

namespace scanlens {

struct StrokeField::Impl {
  Context* context;
  strokes::Grid grid;
  strokes::Links links;
  strokes::Shares shares;
  strokes::Array<Solved> edges;
};

namespace {

strokes::Planes gathered(std::span<const StrokePlane> planes) {
  SCANLENS_REQUIRE(
      !planes.empty() && planes.size() <= kMostStrokePlanes,
      fmt::format("StrokeField: {} planes; at least 1 and at most {}", planes.size(), kMostStrokePlanes));
  strokes::Planes gathered = {};
  for (const StrokePlane& plane : planes) {
    if (!plane.is_level()) gathered.slope[gathered.slopes++] = gathered.count;
    gathered.plane[gathered.count++] = plane;
  }
  return gathered;
}

void require_views(const strokes::Grid& grid, const View<const std::int16_t>& numbers,
                   const View<float>& nearness) {
  require_valid(numbers, "StrokeField", "numbers");
  require_valid(nearness, "StrokeField", "nearness");
  const auto fits = [&grid](const auto& view) {
    return view.width == grid.columns && view.height == grid.rows && view.channels == 1;
  };
  SCANLENS_REQUIRE(fits(numbers) && fits(nearness),
                   fmt::format("StrokeField: `numbers` is {} and `nearness` {}, the photo {} x {}",
                               shape(numbers), shape(nearness), grid.columns, grid.rows));
}

}  // namespace

StrokeField::StrokeField(Context& context, View<const std::uint8_t> photo) {
  require_valid(photo, "StrokeField", "photo");
  SCANLENS_REQUIRE(!photo.empty() && photo.channels == 3 && photo.width * photo.height <= kMostStrokePixels,
                   fmt::format("StrokeField: `photo` is {}; it takes 3 channels and 1 to {} pixels",
                               shape(photo), kMostStrokePixels));
  refuse_capture(context, "StrokeField");
  impl_ = std::make_unique<Impl>(Impl{&context,
                                      strokes::make_grid(context, photo),
                                      strokes::make_links(context, photo),
                                      {},
                                      strokes::Array<Solved>(context, 1)});
  impl_->shares.level = strokes::Array<float>(context, impl_->grid.vertices);
  impl_->shares.solved = strokes::Array<Solved>(context, 1);
}

StrokeField::StrokeField(StrokeField&&) noexcept = default;
StrokeField& StrokeField::operator=(StrokeField&&) noexcept = default;
StrokeField::~StrokeField() = default;

void StrokeField::spread(std::span<const StrokePlane> planes, View<const std::int16_t> numbers,
                         View<float> nearness, bool warm) {
  const strokes::Planes own = gathered(planes);
  require_views(impl_->grid, numbers, nearness);
  Context& context = *impl_->context;
  strokes::find_shares(context, impl_->grid, own, numbers, warm, impl_->shares);
  strokes::solve_edges(context, impl_->grid, impl_->links, own, &impl_->shares, numbers, nearness,
                       impl_->edges.data());
}

void StrokeField::repair(std::span<const StrokePlane> planes, View<const std::int16_t> numbers,
                         View<float> nearness) {
  const strokes::Planes own = gathered(planes);
  require_views(impl_->grid, numbers, nearness);
  strokes::solve_edges(*impl_->context, impl_->grid, impl_->links, own, nullptr, numbers, nearness,
                       impl_->edges.data());
}

StrokeWork StrokeField::work() {
  Context& context = *impl_->context;
  StrokeWork work;
  work.vertices = impl_->grid.vertices;
  std::uint32_t values = 0;
  const auto fetch = [&context](const void* from, auto& to) {
    copy_bytes(context, from, sizeof to, &to, sizeof to, sizeof to, 1);
  };
  fetch(impl_->grid.row_begin.data() + impl_->grid.vertices, values);
  if (impl_->shares.planes > 0) fetch(impl_->shares.solved.data(), work.shares);
  if (impl_->shares.planes > 0) fetch(impl_->edges.data(), work.edges);
  context.synchronize();
  work.values = values;
  return work;
}

std::int64_t stroke_field_bytes(std::int64_t pixels, int planes) {
  constexpr std::int64_t kMostVertices = std::int64_t{1} << 17;
  // The photo in three widths, the tables of the guided filter, links, and the last stage's vectors.
  return pixels * 200 + std::min(pixels, kMostVertices) * (planes * 36 + 160) + (std::int64_t{1} << 20);
}

}  // namespace scanlens

#include "filters/strokes/stroke_field.h"

#include <fmt/format.h>

#include <utility>

#include "core/runtime/checks.h"
#include "core/runtime/device.h"
#include "filters/strokes/parts.h"

namespace scanlens {

struct StrokeField::Impl {
  Context* context;
  strokes::Grid grids[strokes::kGrids];
  strokes::Links links;
  strokes::Shares shares[strokes::kGrids];
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
  impl_ = std::make_unique<Impl>();
  impl_->context = &context;
  impl_->links = strokes::make_links(context, photo);
  impl_->edges = strokes::Array<Solved>(context, 1);
  for (int i = 0; i < strokes::kGrids; ++i) {
    impl_->grids[i] = strokes::make_grid(context, photo, i);
    impl_->shares[i].level = strokes::Array<float>(context, impl_->grids[i].vertices);
    impl_->shares[i].solved = strokes::Array<Solved>(context, 1);
  }
}

StrokeField::StrokeField(StrokeField&&) noexcept = default;
StrokeField& StrokeField::operator=(StrokeField&&) noexcept = default;
StrokeField::~StrokeField() = default;

void StrokeField::spread(std::span<const StrokePlane> planes, View<const std::int16_t> numbers,
                         View<float> nearness, bool warm) {
  const strokes::Planes own = gathered(planes);
  require_views(impl_->grids[0], numbers, nearness);
  Context& context = *impl_->context;
  for (int i = 0; i < strokes::kGrids; ++i)
    strokes::find_shares(context, impl_->grids[i], own, numbers, warm, impl_->shares[i]);
  strokes::solve_edges(context, impl_->grids, impl_->links, own, impl_->shares, numbers, nearness,
                       impl_->edges.data());
}

void StrokeField::repair(std::span<const StrokePlane> planes, View<const std::int16_t> numbers,
                         View<float> nearness) {
  const strokes::Planes own = gathered(planes);
  require_views(impl_->grids[0], numbers, nearness);
  strokes::solve_edges(*impl_->context, impl_->grids, impl_->links, own, nullptr, numbers, nearness,
                       impl_->edges.data());
}

StrokeWork StrokeField::work() {
  Context& context = *impl_->context;
  StrokeWork work;
  const auto fetch = [&context](const void* from, auto& to) {
    copy_bytes(context, from, sizeof to, &to, sizeof to, sizeof to, 1);
    context.synchronize();
  };
  for (int i = 0; i < strokes::kGrids; ++i) {
    const strokes::Grid& grid = impl_->grids[i];
    std::uint32_t values = 0;
    fetch(grid.row_begin.data() + grid.vertices, values);
    work.vertices += grid.vertices;
    work.values += values;
    Solved shares;
    if (impl_->shares[i].planes > 0) fetch(impl_->shares[i].solved.data(), shares);
    if (shares.iterations >= work.shares.iterations) work.shares = shares;
  }
  if (impl_->shares[0].planes > 0) fetch(impl_->edges.data(), work.edges);
  return work;
}

std::int64_t stroke_field_bytes(std::int64_t pixels, int planes) {
  constexpr std::int64_t kMostVertices = std::int64_t{1} << 17;
  // The photo in three widths, the tables of the guided filter, links, and the last stage's vectors.
  return pixels * 220 + std::min(pixels, kMostVertices) * strokes::kGrids * (planes * 36 + 160) +
         (std::int64_t{1} << 20);
}

}  // namespace scanlens

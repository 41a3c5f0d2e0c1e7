// The discs of lamps where shapes change over the frame: bands of rows between the outlines of four nodes.
#pragma once

#include <cstdint>

#include "filters/dof/frame_shapes.h"

namespace scanlens {

/// The outlines of a lamp: of each zone kOutlineRows.
struct LampOutlines {
  const FrameTask* frame;
  const FrameSide* side;
  NodeShares shares;

  SCANLENS_HOST_DEVICE LampOutlines(const FrameTask& of_frame, float circle, int x, int y)
      : frame(&of_frame),
        side(&of_frame.at.sides[side_of_circle(circle)]),
        shares(shares_of_nodes(x, y, of_frame.at.per_column, of_frame.at.per_row)) {}

  SCANLENS_HOST_DEVICE int zones() const { return side->lamp_zones; }
  SCANLENS_HOST_DEVICE std::uint32_t light(int zone) const { return frame->words[side->lamp_light + zone]; }
  /// Returns row i of a zone.
  SCANLENS_HOST_DEVICE OutlineRow row(int zone, int i) const {
    const std::uint32_t* const here =
        frame->words + side->outlines + zone * kZoneOutlines + shares.node * kNextOutline + i * kOutlineWords;
    const auto between = [&](int word, const auto& number_in) {
      return between_nodes(shares, number_in(here[word]), number_in(here[word + kNextOutline]),
                           number_in(here[word + kBelowOutline]),
                           number_in(here[word + kBelowOutline + kNextOutline]));
    };
    const auto first = [](uint word) { return first_of_box(word); };
    const auto last = [](uint word) { return last_of_box(word); };
    return {between(0, first), between(1, first), between(1, last)};
  }
  /// Writes it to the outlines of all zones, in kOutlineWords.
  SCANLENS_HOST_DEVICE void write(int zone, int i, std::uint32_t* outlines) const {
    const OutlineRow found = row(zone, i);
    outlines += zone * kNextOutline + i * kOutlineWords;
    outlines[0] = word_of_places(found.y, found.y);
    outlines[1] = word_of_places(found.left, found.right);
  }
};

/// A disc of a lamp between such outlines.
struct FrameDisc {
  const std::uint32_t* outlines;
  int zones;
  DiscBands bands;

  /// `disc` is the place of its radius among all. Its middle is in half pixels.
  SCANLENS_HOST_DEVICE FrameDisc(const FrameTask& frame, const std::uint32_t* of_lamp, int zones_of_lamp,
                                 int disc, int middle_x, int middle_y)
      : outlines(of_lamp), zones(zones_of_lamp) {
    const std::uint32_t* const size = frame.words + frame.at.discs + kDiscSizeWords * disc;
    bands = bands_of_disc(static_cast<int>(size[0]), static_cast<int>(size[1]), middle_x, middle_y,
                          row(0, 0).y, row(0, kOutlineRows - 1).y);
  }

  /// Calls visit(zone, band) for the part of band i in each zone, from the outermost in. It has no columns
  /// where it is not in a zone.
  template <class Visit>
  SCANLENS_HOST_DEVICE void for_each_zone(int i, const Visit& visit) const {
    SpreadBox band = band_of_disc(bands, i);
    const int y = height_of_band(bands, band);
    for (int zone = 0; zone < zones; ++zone) {
      int above = 0, last = kOutlineRows - 2;
      while (above < last) {
        const int middle = (above + last + 1) / 2;
        if (outline_steps(row(zone, middle).y, bands.radius) <= y)
          above = middle;
        else
          last = middle - 1;
      }
      band = clipped_band(band, bands, zone, y, row(zone, above), row(zone, above + 1));
      visit(zone, band);
    }
  }

 private:
  SCANLENS_HOST_DEVICE OutlineRow row(int zone, int i) const {
    const std::uint32_t* const words = outlines + zone * kNextOutline + i * kOutlineWords;
    return {first_of_box(words[0]), first_of_box(words[1]), last_of_box(words[1])};
  }
};

/// The light of a disc, by its bands.
struct DiscLight {
  double light = 0, area = 0;

  /// Adds a band of a zone whose light is given. Calls ask for a band's zones from the outermost in.
  SCANLENS_HOST_DEVICE void add(int zone, std::uint32_t of_zone, const SpreadBox& band) {
    const double pixels =
        static_cast<double>(band.right - band.left) * static_cast<double>(band.bottom - band.top);
    if (zone == 0) area += pixels;
    light += (static_cast<double>(of_zone) - (zone == 0 ? 0. : around_)) * pixels;
    around_ = of_zone;
  }

 private:
  double around_ = 0;  ///< light of the zone around
};

/// Calls add(layer, box, values) for every `count`th band of the discs of lamps in the cell from (x, y) on,
/// from the `first` band on, as spread_lamps does. A zone gets the difference from the one around it, modulo
/// 2^32, so that no light is below 0. Those that share a lamp share `outlines`, kNextOutline words a zone:
/// sum(value) adds up theirs, and wait() waits for them.
template <int kSamples, class Values, class Sum, class Wait, class Add>
SCANLENS_HOST_DEVICE void spread_frame_lamps(const LampTask& task, const FrameTask& frame,
                                             const LayerCuts& cuts, int x, int y, int width, int height,
                                             const LampsTogether<Values>& lamps, std::uint32_t* outlines,
                                             int first, int count, const Sum& sum, const Wait& wait,
                                             const Add& add) {
  const int middle_x = lamps.middle_x >> 1, middle_y = lamps.middle_y >> 1;
  const LampOutlines of_lamp(frame, lamps.circle, middle_x < width ? middle_x : width - 1,
                             middle_y < height ? middle_y : height - 1);
  const int zones = of_lamp.zones();
  wait();  // for those that read the outlines of the lamp before
  for (int i = first; i < zones * kOutlineRows; i += count)
    of_lamp.write(i / kOutlineRows, i % kOutlineRows, outlines);
  wait();
  for_each_disc<kSamples>(task, cuts, x, y, lamps, [&](int layer, int place, const auto& deposit) {
    const FrameDisc disc(frame, outlines, zones, place, lamps.middle_x, lamps.middle_y);
    DiscLight light;
    for (int i = first; i < disc.bands.count; i += count)
      disc.for_each_zone(
          i, [&](int zone, const SpreadBox& band) { light.add(zone, of_lamp.light(zone), band); });
    light.light = sum(light.light);
    light.area = sum(light.area);
    for (int i = first; i < disc.bands.count; i += count) {
      Values around = {};
      disc.for_each_zone(i, [&](int zone, const SpreadBox& band) {
        const Values whole = deposit(share_of_zone(of_lamp.light(zone), light.light, light.area));
        Values more = whole;
        for (int c = 0; c < kLightChannels<kSamples>; ++c) more.of[c] -= around.of[c];
        around = whole;
        const SpreadBox box = reflected_rows(
            {middle_x + band.left, middle_x + band.right, middle_y + band.top, middle_y + band.bottom},
            height);
        if (box.left < box.right && box.top < box.bottom) add(layer, box, more);
      });
    }
  });
}

}  // namespace scanlens

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
  SCANLENS_HOST_DEVICE std::uint32_t share(std::uint32_t of_zone) const {
    return share_of_zone(of_zone, light, area);
  }

 private:
  double around_ = 0;  ///< light of the zone around
};

/// Returns a band about a lamp's pixel, reflected.
SCANLENS_HOST_DEVICE inline SpreadBox placed_band(const SpreadBox& band, int x, int y, int height) {
  return reflected_rows({x + band.left, x + band.right, y + band.top, y + band.bottom}, height);
}

}  // namespace scanlens

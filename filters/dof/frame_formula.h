// Shapes that change over the frame: which node's shape a pixel takes, and the rows of a lamp between nodes.
// Stated once for C++, CUDA and GLSL.
#ifndef SCANLENS_FILTERS_DOF_FRAME_FORMULA_H
#define SCANLENS_FILTERS_DOF_FRAME_FORMULA_H

#include "filters/dof/lamps_formula.h"

#ifdef __cplusplus
namespace scanlens {
#endif

/// Places of the frame whose shapes are in the table; odd numbers, so that one lies in the middle.
SCANLENS_CONSTANT int kNodesAcross = 17;
SCANLENS_CONSTANT int kNodesDown = 11;
SCANLENS_CONSTANT int kNodes = 187;

/// Nodes per pixel along a side, in 2^-24.
SCANLENS_SHARED uint nodes_per_pixel(int nodes, int size) {
  return (uint(nodes - 1) << 24) / uint(size);
}
/// The place of a pixel's middle among the nodes along a side, in 2^-24.
SCANLENS_SHARED uint place_among_nodes(int at, uint per_pixel) {
  return uint(at) * per_pixel + per_pixel / 2u;
}
/// One of the two nodes around a place: the nearer it is, the more often. `lattice` is spread evenly.
SCANLENS_SHARED int node_near(uint place, uint lattice) {
  return int(place >> 24) + (lattice >> 8 < (place & 0xFFFFFFu) ? 1 : 0);
}
/// The node whose shape the pixel at (x, y) takes. Neighbours take those around them in the shares of their
/// distances, evenly by the lattice of the plastic number, so that no seam shows.
SCANLENS_SHARED int node_of_pixel(int x, int y, uint per_column, uint per_row) {
  uint across = uint(x) * 3242174889u + uint(y) * 2447445414u,
       down = uint(x) * 2447445414u + uint(y) * 1220387743u + 2654435769u;
  return node_near(place_among_nodes(y, per_row), down) * kNodesAcross +
         node_near(place_among_nodes(x, per_column), across);
}

/// The side of the focus of a circle: 0 before it, 1 behind it.
SCANLENS_SHARED int side_of_circle(float circle) {
  return circle > 0.0f ? 0 : 1;
}

/// A stack is its radius, 1 / (radius of the next - its own), and the columns and rows that its boxes lie in;
/// then the share of each zone; last of each zone its boxes, one above another, from the top down. Places
/// count from the first pixel of what is spread together.
SCANLENS_CONSTANT int kStackHead = 4;
SCANLENS_CONSTANT int kMostRuns = 5;
SCANLENS_CONSTANT int kMostZones = 3;
SCANLENS_SHARED int boxes_of_stack(int zones) {
  return kStackHead + zones;
}
SCANLENS_SHARED int words_of_stack(int zones, int runs) {
  return kStackHead + zones * (1 + runs * kBoxWords);
}

/// Each size of stacks has the least radius at which a node has it. Then come the columns and the rows that
/// boxes of this size, and of smaller ones, reach beyond what they surround.
SCANLENS_CONSTANT int kReachWords = 3;

/// A size of discs is its radius, in steps, and the most rows above the middle.
SCANLENS_CONSTANT int kDiscSizeWords = 2;

/// The outline of a zone of a node's shape: heights from its top to its bottom, and both ends there, in 2^-12
/// radii. Two words a row, as boxes have them: the height, then the left end and the right one.
SCANLENS_CONSTANT int kOutlineRows = 129;
SCANLENS_CONSTANT int kOutlineWords = 2;
SCANLENS_CONSTANT int kMostLampZones = 12;
/// Words from a node's outline to that of the next node, of the node below, and of the next zone.
SCANLENS_CONSTANT int kNextOutline = 258;
SCANLENS_CONSTANT int kBelowOutline = 4386;
SCANLENS_CONSTANT int kZoneOutlines = 48246;

/// The first words of the tables of shapes, and how many entries they have.
struct FrameSide {
  int zones, lamp_zones;
  int stacks[kGroupSizes];   ///< of all nodes, each of `sizes`
  int outlines, lamp_light;  ///< of each zone of lamps
};
struct FrameLayout {
  FrameSide sides[2];                          ///< before the focus, and behind it
  int runs;                                    ///< boxes of a stack
  int sizes[kGroupSizes], least[kGroupSizes];  ///< of stacks: how many, and the radius of the first
  int reaches[kGroupSizes], discs;
  uint per_column, per_row;  ///< nodes_per_pixel
};

/// Places of a group in the mirror of the picture's borders: of 3 along a side, the first is its own.
SCANLENS_SHARED int mirrored_place(int i, int at, int side, int size) {
  return i == 0 ? at : (i == 1 ? -side - at : 2 * size - side - at);
}
/// The part of a box that lies in the picture.
SCANLENS_SHARED SpreadBox cut_box(SpreadBox box, int width, int height) {
  box.left = box.left > 0 ? box.left : 0;
  box.right = box.right < width ? box.right : width;
  box.top = box.top > 0 ? box.top : 0;
  box.bottom = box.bottom < height ? box.bottom : height;
  return box;
}

/// Radii of lamps, and their ends, are in 2^-4 pixels: 32 bits hold each product of ends up to 32767 pixels.
SCANLENS_CONSTANT int kOutlineShift = 4;
SCANLENS_CONSTANT int kOutlineSteps = 16;

/// Shares of four nodes, of 2^16 in all.
struct NodeShares {
  int node;          ///< the left one above; others lie beside it and below
  int right, below;  ///< of 256
};
SCANLENS_SHARED NodeShares shares_of_nodes(int x, int y, uint per_column, uint per_row) {
  uint across = place_among_nodes(x, per_column), down = place_among_nodes(y, per_row);
  NodeShares shares;
  shares.node = int(down >> 24) * kNodesAcross + int(across >> 24);
  shares.right = int(across >> 16 & 255u);
  shares.below = int(down >> 16 & 255u);
  return shares;
}
/// A number between those of the four nodes.
SCANLENS_SHARED int between_nodes(NodeShares shares, int here, int right, int below, int both) {
  int above = here * (256 - shares.right) + right * shares.right;
  int under = below * (256 - shares.right) + both * shares.right;
  return (above * (256 - shares.below) + under * shares.below + 32768) >> 16;
}

/// Two places in a word: first_of_box, last_of_box.
SCANLENS_SHARED uint word_of_places(int first, int last) {
  return uint(first + kMiddleOfBox) | uint(last + kMiddleOfBox) << 16;
}
/// A row of an outline, between those of four nodes.
struct OutlineRow {
  int y, left, right;
};
/// A number of radii in steps of pixels.
SCANLENS_SHARED int outline_steps(int radii, int radius) {
  return (radii * radius + 2048) >> 12;
}
/// An end at height y, between those at two heights; all in steps.
SCANLENS_SHARED int outline_end(int y, int above, int below, int at_above, int at_below) {
  int span = below > above ? below - above : 1;
  int share = ((y - above) << 8) / span;
  return at_above + (((at_below - at_above) * share + 128) >> 8);
}
/// The first pixel whose middle lies at or behind a place, and the last one before it.
SCANLENS_SHARED int pixel_from(int steps) {
  return (steps + kOutlineSteps - 1) >> kOutlineShift;
}
SCANLENS_SHARED int pixel_to(int steps) {
  return steps >> kOutlineShift;
}

/// The rows of pixels of a disc, in bands of the same width. A disc's middle lies half a pixel right of a
/// pixel's if middle_x is odd, and below it if middle_y is.
struct DiscBands {
  int radius, beside, below;  ///< in steps
  int top, bottom;            ///< first and last row
  int rows, count;            ///< of a band, and how many bands there are
};
/// The outline lies between the heights `above` and `under`.
SCANLENS_SHARED DiscBands bands_of_disc(int radius, int most_rows, int middle_x, int middle_y, int above,
                                        int under) {
  DiscBands bands;
  bands.radius = radius;
  bands.beside = (middle_x & 1) * (kOutlineSteps / 2);
  bands.below = (middle_y & 1) * (kOutlineSteps / 2);
  bands.top = pixel_from(outline_steps(above, radius) + bands.below);
  int bottom = pixel_to(outline_steps(under, radius) + bands.below);
  bands.bottom = bottom > bands.top ? bottom : bands.top;
  bands.rows = 1 + (bands.bottom - bands.top) / (2 * most_rows);
  bands.count = (bands.bottom - bands.top) / bands.rows + 1;
  return bands;
}
/// Band i, with all columns that there may be.
SCANLENS_SHARED SpreadBox band_of_disc(DiscBands bands, int i) {
  SpreadBox band;
  band.left = -kMiddleOfBox;
  band.right = kMiddleOfBox;
  band.top = bands.top + i * bands.rows;
  band.bottom = band.top + bands.rows;
  if (band.bottom > bands.bottom + 1) band.bottom = bands.bottom + 1;
  return band;
}
/// The height of a band's middle, in steps.
SCANLENS_SHARED int height_of_band(DiscBands bands, SpreadBox band) {
  return (band.top + band.bottom - 1) * (kOutlineSteps / 2) - bands.below;
}
/// The part of a band at height y that lies in the outline of a zone, by its rows above and below y. It is a
/// pixel wide at least in the outermost zone, and has no columns where an inner one is not.
SCANLENS_SHARED SpreadBox clipped_band(SpreadBox band, DiscBands bands, int zone, int y, OutlineRow above,
                                       OutlineRow under) {
  int from = outline_steps(above.y, bands.radius), to = outline_steps(under.y, bands.radius);
  int at = y < from ? from : (y > to ? to : y);
  int left = outline_end(at, from, to, outline_steps(above.left, bands.radius),
                         outline_steps(under.left, bands.radius));
  int right = outline_end(at, from, to, outline_steps(above.right, bands.radius),
                          outline_steps(under.right, bands.radius));
  left = pixel_from(left + bands.beside);
  right = pixel_to(right + bands.beside) + 1;
  band.left = band.left > left ? band.left : left;
  band.right = band.right < right ? band.right : right;
  int least = zone == 0 ? band.left + 1 : band.left;
  if (band.right < least || (zone > 0 && at != y)) band.right = least;
  return band;
}

/// Light of a lamp's zones, in 1 / kZoneLight of the mean. Doubles hold all whole numbers that follow.
SCANLENS_CONSTANT uint kZoneLight = 4096u;
/// The light of a disc: that of its zones times their pixels. Zones that pixels are too coarse for are as
/// bright as the whole, which has `area` pixels.
SCANLENS_SHARED bool is_even_light(double light, double area) {
  return light * 20.0 < area * double(kZoneLight);
}
/// 2^32 times the light of a zone's pixel, by that of all the disc.
SCANLENS_SHARED uint share_of_zone(uint zone, double light, double area) {
  double share = is_even_light(light, area)
                     ? floor(4294967296.0 / area)
                     : floor(floor(17592186044416.0 / light) * double(zone) / double(kZoneLight));
  return share < 4294967296.0 ? uint(share) : 0xFFFFFFFFu;
}

#ifdef __cplusplus
}  // namespace scanlens
#endif
#endif

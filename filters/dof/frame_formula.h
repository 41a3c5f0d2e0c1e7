// Shapes that change over the frame: which node's shape a pixel takes, and the rows of a lamp between nodes.
// Stated once for C++, CUDA and GLSL.
#ifndef SCANLENS_FILTERS_DOF_FRAME_FORMULA_H
#define SCANLENS_FILTERS_DOF_FRAME_FORMULA_H

#include "core/exact_formula.h"

#ifdef __cplusplus
namespace scanlens {
#endif

/// Places of the frame whose shapes are in the table; odd numbers, so that one lies in the middle.
SCANLENS_CONSTANT int kNodesAcross = 17;
SCANLENS_CONSTANT int kNodesDown = 11;

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

/// The outline of a node's shape: heights from its top to its bottom, and both ends there, in 2^-12 radii.
SCANLENS_CONSTANT int kOutlineRows = 129;
/// Two words a row, as boxes have them: the height, then the left end and the right one.
SCANLENS_CONSTANT int kOutlineWords = 2;
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

#ifdef __cplusplus
}  // namespace scanlens
#endif
#endif

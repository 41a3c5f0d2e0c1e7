// Chooses the sizes that a benchmark runs over.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace scanlens::bench {

struct Shape {
  std::int64_t width = 0, height = 0;
};

/// Holds what --size and --quick ask for.
struct SizeChoice {
  std::vector<std::int64_t> lengths;  ///< array lengths; none: each primitive's own
  std::vector<Shape> shapes;          ///< two-dimensional arrays; none: each primitive's own
  bool quick = false;                 ///< the primitives' own sizes, cut to 2^18 and to 512 per side

  /// Takes "1000000", "2^20", "2^20-1" or "4096x2048". Throws Error (usage) for anything else.
  void add(const std::string& text);

  bool by_default() const { return lengths.empty() && shapes.empty(); }
  std::vector<std::int64_t> lengths_or(std::vector<std::int64_t> own) const;
  std::vector<Shape> shapes_or(std::vector<Shape> own) const;
};

/// Writes a length as people do: "2^20", "2^20-1", "1000000".
std::string length_name(std::int64_t length);
std::string shape_name(const Shape& shape);

}  // namespace scanlens::bench

#include "app/scene/patches.h"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>
#include <string>

#include "app/gl/embedded.h"
#include "core/error.h"

namespace scanlens {
namespace {

/// Columns are reversed where one axis is mirrored, so that the normal keeps pointing outwards.
BezierPatch mirrored(const BezierPatch& patch, bool x, bool y) {
  BezierPatch result;
  for (std::size_t row = 0; row < 4; ++row)
    for (std::size_t column = 0; column < 4; ++column) {
      glm::vec3 point = patch[4 * row + (x == y ? column : 3 - column)];
      if (x) point.x = -point.x;
      if (y) point.y = -point.y;
      result[4 * row + column] = point;
    }
  return result;
}

}  // namespace

std::vector<BezierPatch> parse_patches(std::string_view text) {
  std::vector<BezierPatch> patches;
  std::istringstream lines{std::string(text)};
  std::string line, mirrors;
  BezierPatch patch;
  std::size_t row = 4;  // 4: no patch is open
  for (int number = 1; std::getline(lines, line); ++number) {
    const auto fail = [&](const char* what) {
      throw Error(fmt::format("patches, line {}: {}", number, what));
    };
    line.erase(std::min(line.find('#'), line.size()));
    std::istringstream words(line);
    std::string word;
    if (!(words >> word)) continue;
    if (word == "patch") {
      if (row != 4) fail("the patch before this one has fewer than four rows");
      std::string name;
      if (!(words >> name >> mirrors) || (mirrors != "xy" && mirrors != "y"))
        fail("expected 'patch NAME xy' or 'patch NAME y'");
      row = 0;
      continue;
    }
    if (row == 4) fail("control points without a patch");
    words.clear();
    words.seekg(0);
    for (std::size_t column = 0; column < 4; ++column) {
      glm::vec3& point = patch[4 * row + column];
      if (!(words >> point.x >> point.y >> point.z)) fail("expected twelve numbers");
    }
    if (words >> word) fail("more than twelve numbers");
    if (++row < 4) continue;
    patches.push_back(patch);
    patches.push_back(mirrored(patch, false, true));
    if (mirrors == "xy") {
      patches.push_back(mirrored(patch, true, false));
      patches.push_back(mirrored(patch, true, true));
    }
  }
  if (row != 4 || patches.empty()) throw Error("patches: the text ends before a patch is complete");
  return patches;
}

std::vector<BezierPatch> teapot_patches() {
  for (const EmbeddedFile& file : embedded_files())
    if (file.name == "data/teapot.patches") return parse_patches(file.text);
  throw Error("the teapot was not put into this build");
}

}  // namespace scanlens

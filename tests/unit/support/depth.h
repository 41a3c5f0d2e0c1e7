// Common parts of the tests of depth maps.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "app/depth/depth.h"
#include "tests/unit/support/files.h"

namespace scanlens::test {

inline constexpr float kInfinity = std::numeric_limits<float>::infinity();
inline constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

using Floats = std::vector<float>;

inline std::string wide(std::initializer_list<int> values) {
  std::string bytes;
  for (const int value : values) bytes += bytes_of(value >> 8, value & 255);
  return bytes;
}

class DepthTest : public testing::Test {
 protected:
  Depth read(const std::string& name, const std::string& bytes, const DepthOptions& options = {}) {
    save(folder_ / name, bytes);
    return read_depth(folder_ / name, options, {});
  }

  // One row of values.
  Depth read_16(std::initializer_list<int> values, const DepthOptions& options = {}) {
    return read("a.png", png_file({static_cast<std::uint32_t>(values.size()), 1, 16, 0, wide(values), ""}),
                options);
  }
  Depth read_8(const std::string& values, const DepthOptions& options = {}) {
    return read("a.png", png_file({static_cast<std::uint32_t>(values.size()), 1, 8, 0, values, ""}), options);
  }
  Depth read_pfm(const Floats& values, const DepthOptions& options = {}) {
    return read("a.pfm", pfm_file(static_cast<int>(values.size()), 1, values), options);
  }

  template <class Call>
  void refused(Call call, const std::string& part, ErrorKind kind = ErrorKind::failed) {
    const Failure failure = failure_of(call);
    expect_failure(failure, part, kind);
    EXPECT_TRUE(failure.message.starts_with(folder_.path().string())) << failure.message;
  }

  TemporaryFolder folder_;
};

/// Returns whether a remark of a depth map, a warning or not, has a part of text.
template <class WithRemarks>
bool remarked(const WithRemarks& depth, const std::string& part, bool warning = false) {
  return std::any_of(depth.remarks.begin(), depth.remarks.end(), [&](const Remark& remark) {
    return remark.warning == warning && remark.text.find(part) != std::string::npos;
  });
}
template <class WithRemarks>
bool warned(const WithRemarks& depth, const std::string& part) {
  return remarked(depth, part, true);
}

inline Floats values_of(const Depth& depth) {
  const View<const float> view = std::as_const(depth.disparity).view();
  return {view.data, view.data + view.extent()};
}

inline void expect_near(const Depth& depth, const Floats& expected) {
  const Floats values = values_of(depth);
  ASSERT_EQ(values.size(), expected.size());
  for (std::size_t i = 0; i < values.size(); ++i)
    EXPECT_NEAR(values[i], expected[i], 1e-6 * std::max(1.0f, std::abs(expected[i]))) << i;
}

inline DepthOptions options_of(DepthKind kind, std::optional<double> scale = {}, double offset = 0,
                               bool invert = false) {
  return {kind, scale, offset, invert};
}

}  // namespace scanlens::test

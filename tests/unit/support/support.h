// Common parts of the tests: devices to run on, random input with a printed seed, and sequential references
// that know nothing of the code under test.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "core/context.h"
#include "core/image.h"

namespace scanlens::test {

/// True if the environment variable is 1.
inline bool is_set(const char* variable) {
  const char* value = std::getenv(variable);
  return value && std::string(value) == "1";
}

/// True if a missing GPU is a failure (set on GPU hosts, so that a skip cannot pass for a success).
inline bool gpu_required() {
  return is_set("SCANLENS_REQUIRE_GPU");
}

/// The cause why `device` cannot be used here, or nothing.
inline std::string why_not(const std::string& device) {
  try {
    Context::open(device);
    return "";
  } catch (const Error& error) {
    return error.what();
  }
}

#define SCANLENS_SKIP_OR_FAIL(cause)                         \
  do {                                                       \
    if (::scanlens::test::gpu_required()) FAIL() << (cause); \
    GTEST_SKIP() << (cause);                                 \
  } while (false)

/// Skips a test that takes tens of gigabytes everywhere but on GPU hosts, where it runs on both devices.
#define SCANLENS_NEEDS_A_LARGE_MACHINE() \
  if (!::scanlens::test::gpu_required()) GTEST_SKIP() << "takes tens of gigabytes; run on GPU hosts"

/// Leaves a test of seconds out of tests/run --fast.
#define SCANLENS_TAKES_SECONDS()                 \
  if (::scanlens::test::is_set("SCANLENS_FAST")) \
  GTEST_SKIP() << "takes seconds; tests/run without --fast runs it"

/// Tests of this fixture run once on every backend.
class OnDevice : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    if (const std::string cause = why_not(GetParam()); !cause.empty()) SCANLENS_SKIP_OR_FAIL(cause);
    context.emplace(Context::open(GetParam()));
  }
  std::optional<Context> context;
};

#define SCANLENS_ON_EVERY_DEVICE(suite)                                   \
  INSTANTIATE_TEST_SUITE_P(Device, suite, testing::Values("cpu", "cuda"), \
                           [](const auto& test) { return std::string(test.param); })

/// A generator whose seed is printed with every failure; SCANLENS_SEED repeats a run.
inline std::mt19937_64& generator() {
  static std::mt19937_64 engine = [] {
    const char* given = std::getenv("SCANLENS_SEED");
    const std::uint64_t seed = given ? std::strtoull(given, nullptr, 10) : std::random_device{}();
    std::printf("SCANLENS_SEED=%llu\n", static_cast<unsigned long long>(seed));
    return std::mt19937_64(seed);
  }();
  return engine;
}

template <class T>
Image<T> random_image(std::int64_t width, std::int64_t height, int channels = 1) {
  Image<T> image(width, height, channels);
  const View<T> view = image.view();
  for (std::int64_t i = 0; i < view.extent(); ++i) {
    if constexpr (std::is_floating_point_v<T>)
      view.data[i] = std::uniform_real_distribution<T>(0, 1)(generator());
    else
      view.data[i] = static_cast<T>(generator()());
  }
  return image;
}

/// Fails at the first sample that differs.
template <class T>
void expect_equal(View<const T> actual, View<const T> expected, const std::string& what) {
  ASSERT_EQ(actual.width, expected.width) << what;
  ASSERT_EQ(actual.height, expected.height) << what;
  ASSERT_EQ(actual.channels, expected.channels) << what;
  for (std::int64_t y = 0; y < expected.height; ++y) {
    // An assertion for each sample takes longer than what is tested.
    if (std::equal(actual.row(y), actual.row(y) + actual.row_samples(), expected.row(y))) continue;
    for (std::int64_t x = 0; x < expected.width; ++x)
      for (int c = 0; c < expected.channels; ++c)
        ASSERT_EQ(actual(x, y, c), expected(x, y, c))
            << what << " at (" << x << ", " << y << ") channel " << c;
  }
}

/// Sizes around what the kernels care about: warps, tiles of 32 and 2048, primes.
inline const std::vector<std::pair<std::int64_t, std::int64_t>>& sizes() {
  static const std::vector<std::pair<std::int64_t, std::int64_t>> all = {
      {1, 1},   {1, 7},    {7, 1},    {31, 33},  {32, 32},  {33, 31},   {64, 63},    {65, 257},
      {255, 3}, {256, 17}, {257, 97}, {2047, 2}, {2048, 2}, {2049, 65}, {4097, 131}, {3, 4099}};
  return all;
}

}  // namespace scanlens::test

// Depth files that were damaged.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <random>
#include <span>
#include <string>

#include "app/depth/files/raw.h"
#include "core/error.h"

namespace scanlens::test {

/// Reads the file cut at many places, and with bytes changed, in a seeded loop. Each is read or refused by an
/// Error; a crash, another exception or a sanitizer's complaint ends the test.
inline void damage(const std::string& whole, const std::string& name = "damaged") {
  const auto outcome = [&](const std::string& bytes) {
    try {
      read_raw({"damaged", std::as_bytes(std::span(bytes)), {1 << 16, 1 << 22}}, name);
    } catch (const Error& error) {
      EXPECT_NE(std::string(error.what()), "");
    }
  };
  for (std::size_t i = 0; i < 60; ++i)
    outcome(whole.substr(0, std::max<std::size_t>(1, whole.size() * i / 60)));
  std::mt19937 random(14);
  for (int i = 0; i < 300; ++i) {
    std::string bytes = whole;
    for (int flips = 0; flips < 1 + i % 4; ++flips)
      bytes[random() % bytes.size()] = static_cast<char>(random());
    outcome(bytes);
  }
}

}  // namespace scanlens::test

#include "app/depth/files/npy_encode.h"

#include <fmt/format.h>

#include <cstring>
#include <string>

#include "app/depth/files/mark.h"

namespace scanlens {

Memory encode_npy(View<const float> values, bool metres) {
  constexpr std::size_t kAlignment = 64, kPrefix = 10;  // magic, version and length
  std::string header = metres ? npy_of_metres(values.width, values.height)
                              : fmt::format("{{'descr': '<f4', 'fortran_order': False, 'shape': ({}, {}), }}",
                                            values.height, values.width);
  header.resize((kPrefix + header.size() + kAlignment) / kAlignment * kAlignment - kPrefix, ' ');
  header.back() = '\n';
  std::string prefix("\x93NUMPY\x01\x00", 8);
  prefix += static_cast<char>(header.size() & 255);
  prefix += static_cast<char>(header.size() >> 8);
  header.insert(0, prefix);
  const std::size_t row_bytes = static_cast<std::size_t>(values.width) * sizeof(float);
  Memory memory(Backend::cpu, header.size() + row_bytes * static_cast<std::size_t>(values.height));
  std::memcpy(memory.data(), header.data(), header.size());
  for (std::int64_t y = 0; y < values.height; ++y)
    std::memcpy(memory.data() + header.size() + row_bytes * static_cast<std::size_t>(y), values.row(y),
                row_bytes);
  return memory;
}

}  // namespace scanlens

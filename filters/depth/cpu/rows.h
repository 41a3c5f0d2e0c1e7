// Loops over rows on all threads, and vectors of four floats. Inside filters/depth/cpu.
#pragma once

#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>

#include <cstdint>
#include <cstring>

namespace scanlens::cpu {

/// Four floats of a processor's vector.
using Four [[gnu::vector_size(4 * sizeof(float))]] = float;

inline Four four_at(const float* from) {
  Four values;
  std::memcpy(&values, from, sizeof(values));
  return values;
}

inline float sum_of(const Four& values) {
  return (values[0] + values[1]) + (values[2] + values[3]);
}

template <class Work>
void for_each_of(std::int64_t count, const Work& work) {
  tbb::parallel_for(tbb::blocked_range<std::int64_t>(0, count), [&](const auto& range) {
    for (std::int64_t i = range.begin(); i < range.end(); ++i) work(i);
  });
}

}  // namespace scanlens::cpu

#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>

#include "core/cpu/interruption.h"
#include "filters/parts/for_each_pixel.h"

namespace scanlens::cpu {

void for_each_rows(std::int64_t rows, const std::function<void(std::int64_t, std::int64_t)>& work) {
  tbb::parallel_for(tbb::blocked_range<std::int64_t>(0, rows), [&](const auto& range) {
    Interruption::poll();
    work(range.begin(), range.end());
  });
}

}  // namespace scanlens::cpu

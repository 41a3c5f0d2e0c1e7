#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>

#include "filters/dof_backends.h"

namespace scanlens::cpu {

template <class T, class Sum>
void dof_gather(Context&, const DofTask<T, Sum>& shared) {
  tbb::parallel_for(tbb::blocked_range<int>(0, static_cast<int>(shared.image.height)), [&](const auto& rows) {
    const DofTask<T, Sum> task = shared;  // a copy that no written byte can be part of
    for (int y = rows.begin(); y < rows.end(); ++y)
      for (int x = 0; x < task.image.width; ++x) dof_pixel(task, x, y);
  });
}

SCANLENS_INSTANTIATE_DOF_GATHER

}  // namespace scanlens::cpu

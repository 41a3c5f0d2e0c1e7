#include "core/ranks/cpu.h"

#include "core/ranks.h"
#include "core/ranks/folds.h"
#include "core/reduce/backends.h"
#include "core/scan/cpu.h"
#include "core/scan_kinds.h"

namespace scanlens::cpu {

template <class T, bool kLeast>
void fold_located(Context&, const LocatedPart<T>* all, int count, Located<T>* result) {
  *result = located_of_all<T, kLeast>(all, count);
}

void fold_moments(Context&, const Moments* all, int count, Moments* result) {
  *result = moments_of_all(all, count);
}

void add_rows(Context&, const std::uint64_t* all, int count, std::int64_t width, std::uint64_t* result) {
  for (std::int64_t x = 0; x < width; ++x) {
    std::uint64_t sum = 0;
    for (int i = 0; i < count; ++i) sum += all[i * width + x];
    result[x] = sum;
  }
}

void set_count(Context&, std::uint64_t* where, std::uint64_t count) {
  *where = count;
}

#define SCANLENS_INSTANTIATE_FOLD(Part, Result, Op) \
  template void fold_gathered(Context&, const Part*, int, Result*, Op);
SCANLENS_FOR_EACH_RANK_FOLD(SCANLENS_INSTANTIATE_FOLD)
#define SCANLENS_INSTANTIATE_SCAN(name, In, Out, Op) \
  template void continue_scan(Context&, const In*, Out*, std::int64_t, bool, Op, const StartOf<Out, Op>*);
SCANLENS_RANK_SCANS(SCANLENS_INSTANTIATE_SCAN)
#define SCANLENS_INSTANTIATE_LOCATED(T)                                                   \
  template void fold_located<T, true>(Context&, const LocatedPart<T>*, int, Located<T>*); \
  template void fold_located<T, false>(Context&, const LocatedPart<T>*, int, Located<T>*);
SCANLENS_FOR_EACH_LOCATED_TYPE(SCANLENS_INSTANTIATE_LOCATED)

}  // namespace scanlens::cpu

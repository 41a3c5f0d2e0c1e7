// Reductions over all ranks: each reduces its part, all get the results, and each folds them in the order of
// the ranks.
#include "core/histogram.h"
#include "core/moments.h"
#include "core/ranks/backends.h"
#include "core/ranks/group.h"
#include "core/reduce/backends.h"
#include "core/runtime/checks.h"
#include "core/runtime/dispatch.h"

namespace scanlens {
namespace {

/// Checks that there are an array and a result for each rank of this process.
template <class In, class Result>
void require_reducible_parts(const Ranks::Impl& ranks, const char* call, Parts<const In> in,
                             std::span<Result* const> results) {
  require_parts(ranks, call, in.size(), "in");
  require_parts(ranks, call, results.size(), "results");
  for (std::size_t i = 0; i < in.size(); ++i)
    require_reducible(call, {"in", in[i]}, {"result", std::span<Result>(results[i], 1)});
}

/// find(context, part, Part*) and fold(context, all, Result*), on each rank of this process.
template <class Part, class In, class Result, class Find, class Fold>
void reduce_parts(Ranks::Impl& ranks, Parts<const In> in, std::span<Result* const> results, const Find& find,
                  const Fold& fold) {
  Scratch scratch(ranks);
  Gathered<Part> found(ranks, scratch);
  for (int i = 0; i < ranks.local(); ++i)
    find(ranks.context(i), in[static_cast<std::size_t>(i)], found.mine(i));
  found.gather();
  for (int i = 0; i < ranks.local(); ++i)
    fold(ranks.context(i), found.all(i), results[static_cast<std::size_t>(i)]);
}

template <bool kLeast, class T>
void locate(const char* call, Ranks::Impl& ranks, Parts<const T> in, std::span<Located<T>* const> results) {
  require_reducible_parts(ranks, call, in, results);
  require_agreement(ranks, call, names_of_types<T>());
  reduce_parts<LocatedPart<T>>(
      ranks, in, results,
      [](Context& context, std::span<const T> part, LocatedPart<T>* found) {
        if constexpr (kLeast)
          argmin(context, part, &found->extreme);
        else
          argmax(context, part, &found->extreme);
        SCANLENS_DISPATCH(context, set_count, &found->count, part.size());
      },
      [&](Context& context, const LocatedPart<T>* all, Located<T>* result) {
#ifdef SCANLENS_WITH_CUDA
        if (context.on_cuda()) {
          const gpu::DeviceGuard device(context);
          return gpu::fold_located<T, kLeast>(context, all, ranks.count, result);
        }
#endif
        cpu::fold_located<T, kLeast>(context, all, ranks.count, result);
      });
}

}  // namespace

template <class In, class Out, class Op>
void compiled::reduce(Ranks& ranks, Parts<const In> in, std::span<Out* const> results, Op op) {
  Ranks::Impl& impl = ranks.impl();
  require_reducible_parts(impl, "reduce", in, results);
  require_agreement(impl, "reduce", names_of_types<In, Out, Op>());
  using Part = PartialOf<In, Out, Op>;
  reduce_parts<Part>(
      impl, in, results,
      [&](Context& context, std::span<const In> part, Part* found) {
        compiled::reduce<In, Part, Op>(context, part, found, op);
      },
      [&](Context& context, const Part* all, Out* result) {
        SCANLENS_DISPATCH(context, fold_gathered, all, impl.count, result, op);
      });
}

template <NumberInLibrary T>
void argmin(Ranks& ranks, Parts<const T> in, std::span<Located<T>* const> results) {
  locate<true>("argmin", ranks.impl(), in, results);
}

template <NumberInLibrary T>
void argmax(Ranks& ranks, Parts<const T> in, std::span<Located<T>* const> results) {
  locate<false>("argmax", ranks.impl(), in, results);
}

template <MomentsInLibrary T>
void moments(Ranks& ranks, Parts<const T> in, std::span<Moments* const> results) {
  Ranks::Impl& impl = ranks.impl();
  require_reducible_parts(impl, "moments", in, results);
  require_agreement(impl, "moments", names_of_types<T>());
  reduce_parts<Moments>(
      impl, in, results,
      [](Context& context, std::span<const T> part, Moments* found) { moments(context, part, found); },
      [&](Context& context, const Moments* all, Moments* result) {
        SCANLENS_DISPATCH(context, fold_moments, all, impl.count, result);
      });
}

template <HistogramInLibrary T>
void histogram(Ranks& ranks, Parts<const T> in, double lower, double upper, Parts<std::uint64_t> bins) {
  Ranks::Impl& impl = ranks.impl();
  require_parts(impl, "histogram", in.size(), "in");
  require_parts(impl, "histogram", bins.size(), "bins");
  std::vector<std::uint64_t> widths;
  for (const std::span<std::uint64_t> part : bins) {
    SCANLENS_REQUIRE(part.size() == bins[0].size(),
                     fmt::format("histogram: ranks have {} and {} bins", bins[0].size(), part.size()));
    widths.push_back(part.size());
  }
  require_agreement(impl, "histogram", names_of_types<T>(), widths);
  const std::int64_t width = std::ssize(bins[0]);
  Scratch scratch(impl);
  Gathered<std::uint64_t> counts(impl, scratch, width);
  for (int i = 0; i < impl.local(); ++i)
    histogram(impl.context(i), in[static_cast<std::size_t>(i)], lower, upper,
              {counts.mine(i), static_cast<std::size_t>(width)});
  counts.gather();
  for (int i = 0; i < impl.local(); ++i)
    SCANLENS_DISPATCH(impl.context(i), add_rows, counts.all(i), impl.count, width,
                      bins[static_cast<std::size_t>(i)].data());
}

#define SCANLENS_INSTANTIATE(In, Out, Op) \
  template void compiled::reduce<In, Out, Op>(Ranks&, Parts<const In>, std::span<Out* const>, Op);
SCANLENS_REDUCTIONS(SCANLENS_INSTANTIATE)
#define SCANLENS_INSTANTIATE_LOCATE(T)                                           \
  template void argmin<T>(Ranks&, Parts<const T>, std::span<Located<T>* const>); \
  template void argmax<T>(Ranks&, Parts<const T>, std::span<Located<T>* const>);
SCANLENS_FOR_EACH_LOCATED_TYPE(SCANLENS_INSTANTIATE_LOCATE)
#define SCANLENS_INSTANTIATE_MOMENTS(T) \
  template void moments<T>(Ranks&, Parts<const T>, std::span<Moments* const>);
SCANLENS_FOR_EACH_MOMENTS_TYPE(SCANLENS_INSTANTIATE_MOMENTS)
template void histogram<std::uint8_t>(Ranks&, Parts<const std::uint8_t>, double, double,
                                      Parts<std::uint64_t>);
template void histogram<std::uint16_t>(Ranks&, Parts<const std::uint16_t>, double, double,
                                       Parts<std::uint64_t>);
template void histogram<std::uint32_t>(Ranks&, Parts<const std::uint32_t>, double, double,
                                       Parts<std::uint64_t>);
template void histogram<float>(Ranks&, Parts<const float>, double, double, Parts<std::uint64_t>);
template void histogram<double>(Ranks&, Parts<const double>, double, double, Parts<std::uint64_t>);

}  // namespace scanlens

#include "core/ranks/backends.h"
#include "core/ranks/scan_parts.h"
#include "core/runtime/dispatch.h"
#include "core/scan/checks.h"

namespace scanlens {
namespace {

template <class In, class Out, class Op>
void scan_all(const char* call, Ranks& ranks, Parts<const In> in, Parts<Out> out, bool inclusive, Op op) {
  Ranks::Impl& impl = ranks.impl();
  require_parts(impl, call, in.size(), "in");
  require_parts(impl, call, out.size(), "out");
  for (std::size_t i = 0; i < in.size(); ++i) require_scannable(call, {"in", in[i]}, {"out", out[i]});
  require_agreement(impl, call, names_of_types<In, Out, Op>());

  if (impl.count == 1)
    return compiled::scan<In, Out, Op>(impl.context(0), call, inclusive, in[0], out[0], op, {});

  using Partial = PartialOf<In, Out, Op>;
  using Start = StartOf<Out, Op>;
  scan_parts<Partial, Start, In, Out>(
      impl, in, out,
      [&](Context& context, std::span<const In> part, Partial* total) {
        compiled::reduce<In, Partial, Op>(context, part, total, op);
      },
      [&](Context& context, const Partial* all, int count, Start* start) {
        SCANLENS_DISPATCH(context, fold_gathered, all, count, start, op);
      },
      [&](Context& context, std::span<const In> from, std::span<Out> to, const Start* start) {
        SCANLENS_DISPATCH(context, continue_scan, from.data(), to.data(), std::ssize(from), inclusive, op,
                          start);
      });
}

}  // namespace

template <class In, class Out, class Op>
void compiled::inclusive_scan(Ranks& ranks, Parts<const In> in, Parts<Out> out, Op op) {
  scan_all<In, Out, Op>("inclusive_scan", ranks, in, out, true, op);
}

template <class In, class Out, class Op>
void compiled::exclusive_scan(Ranks& ranks, Parts<const In> in, Parts<Out> out, Op op) {
  scan_all<In, Out, Op>("exclusive_scan", ranks, in, out, false, op);
}

#define SCANLENS_INSTANTIATE(name, In, Out, Op)                                                 \
  template void compiled::inclusive_scan<In, Out, Op>(Ranks&, Parts<const In>, Parts<Out>, Op); \
  template void compiled::exclusive_scan<In, Out, Op>(Ranks&, Parts<const In>, Parts<Out>, Op);
SCANLENS_RANK_SCANS(SCANLENS_INSTANTIATE)

}  // namespace scanlens

// A scan over all parts, for what the library holds compiled and for operators of a user's own.
#pragma once

#include <span>

#include "core/ranks/group.h"
#include "core/ranks/partial.h"

namespace scanlens {

/// Each rank totals its part, all get the totals, and each goes on from those before it:
/// total(context, part, Partial*), start(context, all, count, Start*) and go_on(context, in, out, Start*).
template <class Partial, class Start, class In, class Out, class Total, class Before, class GoOn>
void scan_parts(Ranks::Impl& ranks, Parts<const In> in, Parts<Out> out, const Total& total,
                const Before& before, const GoOn& go_on) {
  Scratch scratch(ranks);
  Gathered<Partial> totals(ranks, scratch);
  for (int i = 0; i < ranks.local(); ++i)
    total(ranks.context(i), in[static_cast<std::size_t>(i)], totals.mine(i));
  totals.gather();
  for (int i = 0; i < ranks.local(); ++i) {
    const auto part = static_cast<std::size_t>(i);
    if (in[part].empty()) continue;
    Start* start = scratch.take<Start>(i, 1);
    before(ranks.context(i), totals.all(i), ranks.first + i, start);
    go_on(ranks.context(i), in[part], out[part], start);
  }
}

}  // namespace scanlens

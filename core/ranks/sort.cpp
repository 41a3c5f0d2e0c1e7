// Sort over ranks by exact splitters, without samples:
//
//   1. Each rank counts its keys by their top 12 bits, and all get the counts. They tell in which bin each
//      cut between two ranks' results falls.
//   2. A stable pass parts the keys into buckets: the bins of cuts, and what lies between them.
//   3. Those few bins are sorted; then rounds of searches in them, of 10 bits each, find the very word at
//   each
//      cut. Equal words are cut by rank and place.
//   4. Elements for another rank are one range; ranges are received in the order of the ranks, hence stable.
//   5. Each rank sorts what it got.
#include "core/sort.h"

#include <algorithm>

#include "core/ranks/backends.h"
#include "core/ranks/group.h"
#include "core/ranks/sort_backends.h"
#include "core/ranks/splitters.h"
#include "core/runtime/device.h"
#include "core/runtime/dispatch.h"
#include "core/sort/checks.h"

namespace scanlens {
namespace {

constexpr int kMostRanks = 128;  ///< buckets have to fit the 256 of a pass

/// The parts of one rank of this process.
template <class Bits, class Value>
struct SortPart {
  SortTask<Bits, Value> task;  ///< keys_out and values_out are the buckets
  Bits* keys_out;
  Value* values_out;
  std::int64_t out_count;
};

template <class Bits, class Value>
class RankSort {
 public:
  RankSort(Ranks::Impl& ranks, std::vector<SortPart<Bits, Value>> parts)
      : ranks_(ranks), scratch_(ranks), parts_(std::move(parts)) {
    const SortTask<Bits, Value>& task = parts_.front().task;
    word_ = {task.order, task.first_bit, task.bits()};
  }

  void run(const char* call) {
    Splitters splitters(count());
    // All ranks see the same in this check.
    SCANLENS_REQUIRE(in_ == out_,
                     fmt::format("{}: the ranks have {} elements and room for {}", call, in_, out_));
    place(splitters);
    search(splitters);
    send(splitters);
    for (int i = 0; i < ranks_.local(); ++i) {
      const SortPart<Bits, Value>& mine = part(i);
      sort_in_place(i, mine.keys_out, mine.values_out, mine.out_count);
    }
  }

 private:
  SortPart<Bits, Value>& part(int local) { return parts_[static_cast<std::size_t>(local)]; }

  std::vector<SortCounts> count() {
    Gathered<SortCounts> counts(ranks_, scratch_);
    for (int i = 0; i < ranks_.local(); ++i) {
      const SortTask<Bits, Value>& task = part(i).task;
      SortCounts* mine = counts.mine(i);
      SCANLENS_DISPATCH(ranks_.context(i), count_bins, task.keys_in, task.count, word_, mine->bins);
      SCANLENS_DISPATCH(ranks_.context(i), set_count, &mine->in, static_cast<std::uint64_t>(task.count));
      SCANLENS_DISPATCH(ranks_.context(i), set_count, &mine->out,
                        static_cast<std::uint64_t>(part(i).out_count));
    }
    counts.gather();
    std::vector<SortCounts> all = counts.on_host();
    for (const SortCounts& rank : all) {
      in_ += rank.in;
      out_ += rank.out;
    }
    return all;
  }

  /// `count` elements of the host's, where rank `local` can read them.
  template <class T>
  const T* upload(int local, const T* host, std::size_t count) {
    T* there = scratch_.take<T>(local, static_cast<std::int64_t>(count));
    const auto bytes = static_cast<std::int64_t>(count * sizeof(T));
    copy_bytes(ranks_.context(local), host, bytes, there, bytes, bytes, 1);
    return there;
  }

  void place(const Splitters& splitters) {
    for (int i = 0; i < ranks_.local(); ++i) {
      SortTask<Bits, Value>& task = part(i).task;
      task.keys_out = scratch_.take<Bits>(i, task.count);
      if constexpr (kHasValues<Value>) task.values_out = scratch_.take<Value>(i, task.count);
      if (task.count == 0) continue;
      std::vector<std::int64_t> starts;
      for (int b = 0; b < 256; ++b)
        starts.push_back(splitters.start(ranks_.first + i, std::min(b, splitters.buckets())));
      const auto* bucket_of = upload(i, splitters.bucket_of().data(), splitters.bucket_of().size());
      const auto* places = upload(i, starts.data(), starts.size());
      SCANLENS_DISPATCH(ranks_.context(i), place_buckets, task, word_, bucket_of, places);
    }
  }

  void sort_in_place(int local, Bits* keys, Value* values, std::int64_t count) {
    SortTask<Bits, Value> task = part(local).task;
    task.keys_in = task.keys_out = keys;
    task.values_in = task.values_out = values;
    task.count = count;
    if (count > 0) SCANLENS_DISPATCH(ranks_.context(local), radix_sort, task);
  }

  void search(Splitters& splitters) {
    int fine_bits = word_.fine_bits();
    std::vector<const Cut*> within;
    for (const Cut& cut : splitters.cuts())
      if (cut.within) within.push_back(&cut);
    if (fine_bits == 0 || within.empty()) return;

    for (int i = 0; i < ranks_.local(); ++i)
      for (const int bucket : splitters.cut_buckets()) {
        const std::int64_t start = splitters.start(ranks_.first + i, bucket);
        const std::int64_t end = splitters.start(ranks_.first + i, bucket + 1);
        Value* values = nullptr;
        if constexpr (kHasValues<Value>) values = part(i).task.values_out + start;
        sort_in_place(i, part(i).task.keys_out + start, values, end - start);
      }

    for (Cut& cut : splitters.cuts()) cut.prefix = static_cast<std::uint64_t>(cut.bin) << fine_bits;
    const int digit = within.size() <= 8 ? 10 : 6;
    while (fine_bits > 0) {
      const int bits = std::min(digit, fine_bits);
      fine_bits -= bits;
      const int answers = 1 << bits;
      Scratch scratch(ranks_);
      Gathered<std::uint64_t> counts(ranks_, scratch, std::ssize(within) * answers);
      for (int i = 0; i < ranks_.local(); ++i) {
        const auto rank = static_cast<std::size_t>(ranks_.first + i);
        std::vector<CutQuery> queries;
        for (const Cut* cut : within) {
          const std::int64_t start =
              splitters.start(static_cast<int>(rank), splitters.bucket_of_bin(cut->bin));
          queries.push_back({cut->prefix, start, static_cast<std::int64_t>(cut->low[rank]),
                             static_cast<std::int64_t>(cut->high[rank])});
        }
        const CutQuery* there = upload(i, queries.data(), queries.size());
        SCANLENS_DISPATCH(ranks_.context(i), count_below, part(i).task.keys_out, word_, there,
                          static_cast<int>(queries.size()), answers, fine_bits, counts.mine(i));
      }
      counts.gather();
      splitters.narrow(counts.on_host(), answers, fine_bits);
    }
  }

  void send(const Splitters& splitters) {
    std::vector<Transport::Message> key_sends, key_receives, value_sends, value_receives;
    for (int i = 0; i < ranks_.local(); ++i) {
      const int rank = ranks_.first + i;
      const SortPart<Bits, Value>& mine = part(i);
      std::int64_t received = 0;
      for (int peer = 0; peer < ranks_.count; ++peer) {
        const std::int64_t from = splitters.before_cut(rank, peer);
        const std::int64_t length = splitters.before_cut(rank, peer + 1) - from;
        const std::int64_t begin = splitters.before_cut(peer, rank);
        const std::int64_t incoming = splitters.before_cut(peer, rank + 1) - begin;
        add(key_sends, i, peer, mine.task.keys_out + from, length);
        add(key_receives, i, peer, mine.keys_out + received, incoming);
        if constexpr (kHasValues<Value>) {
          add(value_sends, i, peer, mine.task.values_out + from, length);
          add(value_receives, i, peer, mine.values_out + received, incoming);
        }
        received += incoming;
      }
    }
    ranks_.transport->exchange(key_sends, key_receives);
    if constexpr (kHasValues<Value>) ranks_.transport->exchange(value_sends, value_receives);
  }

  template <class T>
  static void add(std::vector<Transport::Message>& messages, int local, int peer, T* data,
                  std::int64_t count) {
    if (count > 0)
      messages.push_back(
          {local, peer, reinterpret_cast<std::byte*>(data), static_cast<std::size_t>(count) * sizeof(T)});
  }

  Ranks::Impl& ranks_;
  Scratch scratch_;
  std::vector<SortPart<Bits, Value>> parts_;
  SortWord<Bits> word_;
  std::uint64_t in_ = 0, out_ = 0;
};

/// An output may be its own input, of another length, too.
void require_apart_or_begun_together(const char* call, const ArrayArgument& in, const ArrayArgument& out) {
  if (in.data != out.data) require_apart(call, in, out);
}

void require_sortable(const Ranks::Impl& ranks, const char* call) {
  SCANLENS_REQUIRE(
      ranks.count <= kMostRanks,
      fmt::format("{}: {} ranks are more than the {} that a sort takes", call, ranks.count, kMostRanks));
  for (const Context* context : ranks.contexts) refuse_capture(*context, call);
}

std::uint64_t word_of(const SortOptions& options) {
  return static_cast<std::uint64_t>(options.descending) << 16 |
         static_cast<std::uint64_t>(options.first_bit) << 8 | static_cast<std::uint64_t>(options.last_bit);
}

}  // namespace

template <NumberInLibrary Key>
void sort_keys(Ranks& ranks, Parts<const Key> in, Parts<Key> out, const SortOptions& options) {
  constexpr const char* kCall = "sort_keys";
  Ranks::Impl& impl = ranks.impl();
  require_parts(impl, kCall, in.size(), "in");
  require_parts(impl, kCall, out.size(), "out");
  require_sortable(impl, kCall);
  std::vector<SortPart<BitsOf<Key>, NoValue>> parts;
  for (std::size_t i = 0; i < in.size(); ++i) {
    require_apart_or_begun_together(kCall, {"in", in[i]}, {"out", out[i]});
    SortPart<BitsOf<Key>, NoValue> part{{}, bits_of(out[i]), nullptr, std::ssize(out[i])};
    part.task.keys_in = bits_of(in[i]);
    part.task.count = std::ssize(in[i]);
    take_options<Key>(kCall, options, part.task);
    parts.push_back(part);
  }
  require_agreement(impl, kCall, names_of_types<Key>(), word_of(options));
  if (impl.count == 1 && in[0].size() == out[0].size())
    return sort_keys(impl.context(0), in[0], out[0], options);
  RankSort<BitsOf<Key>, NoValue>(impl, std::move(parts)).run(kCall);
}

template <class Key, class Value>
requires NumberInLibrary<Key> && PairSortInLibrary<Key, Value>
void sort_pairs(Ranks& ranks, Parts<const Key> keys_in, Parts<const Value> values_in, Parts<Key> keys_out,
                Parts<Value> values_out, const SortOptions& options) {
  constexpr const char* kCall = "sort_pairs";
  Ranks::Impl& impl = ranks.impl();
  require_parts(impl, kCall, keys_in.size(), "keys_in");
  require_parts(impl, kCall, values_in.size(), "values_in");
  require_parts(impl, kCall, keys_out.size(), "keys_out");
  require_parts(impl, kCall, values_out.size(), "values_out");
  require_sortable(impl, kCall);
  std::vector<SortPart<BitsOf<Key>, Value>> parts;
  for (std::size_t i = 0; i < keys_in.size(); ++i) {
    const ArrayArgument in{"keys_in", keys_in[i]}, out{"keys_out", keys_out[i]};
    const ArrayArgument with_in{"values_in", values_in[i]}, with_out{"values_out", values_out[i]};
    require_same_length(kCall, in, with_in);
    require_same_length(kCall, out, with_out);
    require_apart_or_begun_together(kCall, in, out);
    require_apart_or_begun_together(kCall, with_in, with_out);
    require_apart(kCall, in, with_out);
    require_apart(kCall, with_in, out);
    require_apart(kCall, out, with_out);
    SortPart<BitsOf<Key>, Value> part{
        {}, bits_of(keys_out[i]), values_out[i].data(), std::ssize(keys_out[i])};
    part.task.keys_in = bits_of(keys_in[i]);
    part.task.values_in = values_in[i].data();
    part.task.count = std::ssize(keys_in[i]);
    take_options<Key>(kCall, options, part.task);
    parts.push_back(part);
  }
  require_agreement(impl, kCall, names_of_types<Key, Value>(), word_of(options));
  if (impl.count == 1 && keys_in[0].size() == keys_out[0].size())
    return sort_pairs(impl.context(0), keys_in[0], values_in[0], keys_out[0], values_out[0], options);
  RankSort<BitsOf<Key>, Value>(impl, std::move(parts)).run(kCall);
}

#define SCANLENS_INSTANTIATE(Key)                                                         \
  template void sort_keys<Key>(Ranks&, Parts<const Key>, Parts<Key>, const SortOptions&); \
  SCANLENS_INSTANTIATE_PAIRS(Key, std::uint32_t)                                          \
  SCANLENS_INSTANTIATE_PAIRS(Key, std::uint64_t)
#define SCANLENS_INSTANTIATE_PAIRS(Key, Value)                                                   \
  template void sort_pairs<Key, Value>(Ranks&, Parts<const Key>, Parts<const Value>, Parts<Key>, \
                                       Parts<Value>, const SortOptions&);
SCANLENS_FOR_EACH_SORTED_KEY(SCANLENS_INSTANTIATE)

}  // namespace scanlens

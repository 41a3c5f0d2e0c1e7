// Sorts of lines on the CPU: many lines side by side; a long line's first by pieces; other long lines one by
// one, each by the radix sort.
#pragma once

#include <algorithm>
#include <compare>
#include <type_traits>

#include "core/cpu/pieces.h"
#include "core/held/sorts.h"
#include "core/sort.h"
#include "core/sort/checks.h"
#include "core/sort/lines.h"

namespace scanlens::cpu {

/// An encoded key and where it stands: no two are equal.
template <class Bits>
struct Placed {
  Bits key;
  std::int64_t place;
  auto operator<=>(const Placed&) const = default;
};
template <class Bits>
Bits key_of(const Placed<Bits>& item) {
  return item.key;
}
template <class Bits>
requires std::is_unsigned_v<Bits> Bits key_of(Bits item) {
  return item;
}

/// A line of the input, its keys encoded.
template <class Bits>
struct EncodedLine {
  const Bits* first;
  std::int64_t step;
  KeyOrder<Bits> order;

  Bits operator()(std::int64_t i) const { return order.encode(first[i * step]); }
};

template <class Item, class Bits>
Item item_of(Bits key, std::int64_t place) {
  if constexpr (std::is_same_v<Item, Bits>)
    return key;
  else
    return {key, place};
}

/// Items that select_first needs room for.
inline std::int64_t room_to_select(std::int64_t k, std::int64_t length) {
  constexpr std::int64_t kSpare = 1 << 10;
  return std::min(length, 2 * k + kSpare);
}

/// Puts the first k items of elements begin … end - 1 into `room`, in any order; returns how many there are.
/// Most elements are no match for the k-th of those before, and are passed over by blocks.
template <class Item, class Bits>
std::int64_t select_first(const EncodedLine<Bits>& line, std::int64_t begin, std::int64_t end, std::int64_t k,
                          Item* room) {
  constexpr std::int64_t kBlock = 64;
  const std::int64_t most = room_to_select(k, end - begin);
  std::int64_t count = 0;
  bool bounded = false;
  Bits bound = 0;
  const auto keep_first = [&] {
    std::nth_element(room, room + k - 1, room + count);
    count = k;
    bounded = true;
    bound = key_of(room[k - 1]);
  };
  for (std::int64_t block = begin; block < end; block += kBlock) {
    const std::int64_t block_end = std::min(block + kBlock, end);
    if (bounded) {
      Bits least = bound;
      for (std::int64_t i = block; i < block_end; ++i) least = std::min(least, line(i));
      if (least == bound) continue;
    }
    for (std::int64_t i = block; i < block_end; ++i) {
      const Bits key = line(i);
      if (bounded && key >= bound) continue;
      if (count == most) keep_first();
      if (!bounded || key < bound) room[count++] = item_of<Item>(key, i);
    }
  }
  if (count > k) keep_first();
  return count;
}

/// A line of the results.
template <class Bits>
struct SortedLine {
  Bits* keys;
  std::int64_t* places;  ///< or null
  std::int64_t step;
  KeyOrder<Bits> order;

  template <class Item>
  void write(const Item* items, std::int64_t k) const {
    for (std::int64_t i = 0; i < k; ++i) keys[i * step] = order.decode(key_of(items[i]));
    if constexpr (!std::is_same_v<Item, Bits>)
      for (std::int64_t i = 0; i < k; ++i) places[i * step] = items[i].place;
  }
};

/// True where it is faster to sort a line whole than to select from it.
inline bool sorts_whole(std::int64_t k, std::int64_t length) {
  return 8 * k > length;
}

template <class Key, class Item>
class LineSort {
 public:
  using Bits = BitsOf<Key>;

  LineSort(Context& context, const LinesToSort<Key>& task) : context_(context), task_(task) {}

  void run() {
    constexpr std::int64_t kLong = 1 << 16;
    const bool whole = sorts_whole(task_.k, length()), few = task_.lines() < 2 * thread_count();
    if (!few || length() < kLong) return side_by_side();
    for (std::int64_t line = 0; line < task_.lines(); ++line) whole ? by_radix(line) : by_pieces(line);
  }

 private:
  std::int64_t length() const { return task_.axis.length; }
  std::int64_t first_of(std::int64_t line, std::int64_t length) const {
    return line / task_.axis.inner * length * task_.axis.inner + line % task_.axis.inner;
  }
  EncodedLine<Bits> from(std::int64_t line) const {
    return {bits_of(task_.in) + first_of(line, length()), task_.axis.inner, order_of<Key>(task_.descending)};
  }
  SortedLine<Bits> to(std::int64_t line) const {
    const std::int64_t first = first_of(line, task_.k);
    return {bits_of(task_.out) + first, task_.places.empty() ? nullptr : task_.places.data() + first,
            task_.axis.inner, order_of<Key>(task_.descending)};
  }

  void side_by_side() {
    const bool whole = sorts_whole(task_.k, length());
    const std::int64_t room = whole ? length() : room_to_select(task_.k, length()), lines = task_.lines();
    Workspace workspace(context_);
    Item* const rooms = workspace.take<Item>(room * workers_for(lines, 1));
    for_each_task(lines, [&](std::int64_t line, int worker) {
      Item* const items = rooms + worker * room;
      const EncodedLine<Bits> encoded = from(line);
      std::int64_t count = length();
      if (whole)
        for (std::int64_t i = 0; i < count; ++i) items[i] = item_of<Item>(encoded(i), i);
      else
        count = select_first(encoded, 0, length(), task_.k, items);
      if (task_.k < count) std::nth_element(items, items + task_.k, items + count);
      std::sort(items, items + task_.k);
      to(line).write(items, task_.k);
    });
  }

  void by_pieces(std::int64_t line) {
    const std::int64_t k = task_.k, pieces = std::clamp<std::int64_t>(length() / (16 * k), 1, thread_count());
    const auto begin = [&](std::int64_t piece) { return length() / pieces * piece; };
    const std::int64_t room = room_to_select(k, length() - begin(pieces - 1));
    Workspace workspace(context_);
    Item* const rooms = workspace.take<Item>(room * pieces);
    std::int64_t* const counts = workspace.take<std::int64_t>(pieces);
    for_each_task(pieces, [&](std::int64_t piece) {
      counts[piece] = select_first(from(line), begin(piece), piece + 1 < pieces ? begin(piece + 1) : length(),
                                   k, rooms + piece * room);
    });
    Item* end = rooms;
    for (std::int64_t piece = 0; piece < pieces; ++piece)
      end = std::copy_n(rooms + piece * room, counts[piece], end);
    std::partial_sort(rooms, rooms + k, end);
    to(line).write(rooms, k);
  }

  void by_radix(std::int64_t line) {
    Workspace workspace(context_);
    const EncodedLine<Bits> encoded = from(line);
    const std::int64_t n = length();
    Bits* const keys = workspace.take<Bits>(n);
    std::uint64_t* const places = workspace.take<std::uint64_t>(task_.places.empty() ? 0 : n);
    const Pieces pieces = cut(n);
    pieces.for_each([&](int piece) {
      for (std::int64_t i = pieces.first(piece); i < pieces.first(piece + 1); ++i) {
        keys[i] = encoded.first[i * encoded.step];
        if (!task_.places.empty()) places[i] = static_cast<std::uint64_t>(i);
      }
    });
    const std::span<Key> sorted(reinterpret_cast<Key*>(keys), static_cast<std::size_t>(n));
    const SortOptions options{.descending = task_.descending};
    if (task_.places.empty())
      sort_held_keys(context_, std::span<const Key>(sorted), sorted, options);
    else
      sort_held_pairs(context_, std::span<const Key>(sorted),
                      std::span<const std::uint64_t>(places, sorted.size()), sorted,
                      std::span<std::uint64_t>(places, sorted.size()), options);
    const SortedLine<Bits> out = to(line);
    for (std::int64_t i = 0; i < task_.k; ++i) out.keys[i * out.step] = keys[i];
    if (!task_.places.empty())
      for (std::int64_t i = 0; i < task_.k; ++i)
        out.places[i * out.step] = static_cast<std::int64_t>(places[i]);
  }

  Context& context_;
  const LinesToSort<Key>& task_;
};

template <class Key>
void sort_lines(Context& context, const LinesToSort<Key>& task) {
  if (task.places.empty())
    LineSort<Key, BitsOf<Key>>(context, task).run();
  else
    LineSort<Key, Placed<BitsOf<Key>>>(context, task).run();
}

}  // namespace scanlens::cpu

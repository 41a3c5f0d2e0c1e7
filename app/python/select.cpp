// Calls that choose and order elements: compaction, partition, unique, sorts, histograms, transposition, CSR.
#include <algorithm>
#include <limits>
#include <numeric>
#include <string>

#include "app/python/contexts.h"
#include "app/python/groups.h"
#include "app/python/scan_call.h"
#include "core/compact.h"
#include "core/histogram.h"
#include "core/reduce.h"
#include "core/sort.h"
#include "core/sparse.h"
#include "core/transpose.h"

namespace scanlens::python {
namespace {

/// Calls work(T()) with the unsigned integer of the elements' size.
template <class Work>
void with_bits(const In& array, const Work& work) {
  type_of(array);
  switch (array.itemsize()) {
    case 1:
      return work(std::uint8_t());
    case 2:
      return work(std::uint16_t());
    case 4:
      return work(std::uint32_t());
    case 8:
      return work(std::uint64_t());
    default:
      refuse_type(array.dtype(), kTypes);
  }
}

void require_same_type(const In& in, const Out& out) {
  if (in.dtype() != out.dtype())
    throw nb::type_error(("out is " + type_name(out.dtype()) + "; give " + type_name(in.dtype())).c_str());
  require_dense(out);
}

/// Takes the number that a call keeps: in an array, or, on the host, in a variable that it returns.
class Kept {
 public:
  explicit Kept(const nb::object& array) {
    if (!array.is_none()) array_ = nb::cast<Out>(array);
  }
  void place(Placed& placed) const {
    if (array_.is_valid())
      placed.add(array_);
    else if (placed.place().ordinal >= 0)
      throw nb::value_error("a count is missing; give an array on the device");
  }
  std::uint64_t* data() { return array_.is_valid() ? data_of<std::uint64_t>(array_) : &number_; }
  std::uint64_t number() const { return number_; }

 private:
  Out array_;
  std::uint64_t number_ = 0;
};

std::uint64_t compact(In in, In flags, Out out, nb::object count, std::uintptr_t stream) {
  require_same_type(in, out);
  require_size(flags, in.size());
  require_size(out, in.size());
  if (type_of(flags) != Type::u8) throw nb::type_error("the mask is bool or uint8");
  Kept kept(count);
  Placed placed(stream, in, flags, out);
  kept.place(placed);
  with_bits(in, [&]<class T>(T) {
    run_brief_at(placed, [&](Context& context) {
      Workspace workspace(context);
      compact_flagged(context, dense<T>(context, workspace, in),
                      dense<std::uint8_t>(context, workspace, flags), std::span(data_of<T>(out), out.size()),
                      kept.data());
    });
  });
  return kept.number();
}

/// Writes the places of flags that are not 0, of host memory, and returns their number: numbers of one block
/// of flags stay in the cache.
std::int64_t places(In flags, Out out) {
  constexpr std::int64_t kBlock = 1 << 18;
  require_size(out, flags.size());
  auto* to = data_of<std::int64_t>(out);
  run_brief_at(Placed(0, flags, out), [&](Context& context) {
    Workspace workspace(context);
    const auto all = dense<std::uint8_t>(context, workspace, flags);
    const auto size = static_cast<std::size_t>(std::min<std::int64_t>(kBlock, std::ssize(all)));
    const auto room = [&] {
      return std::span(workspace.take<std::uint32_t>(static_cast<std::int64_t>(size)), size);
    };
    const std::span<std::uint32_t> numbers = room(), kept = room();
    std::iota(numbers.begin(), numbers.end(), 0u);
    for (std::size_t first = 0; first < all.size(); first += size) {
      const std::size_t n = std::min(size, all.size() - first);
      std::uint64_t many = 0;
      compact_flagged(context, numbers.first(n), all.subspan(first, n), kept, &many);
      to = std::transform(kept.begin(), kept.begin() + static_cast<std::ptrdiff_t>(many), to,
                          [first](std::uint32_t place) { return static_cast<std::int64_t>(first + place); });
    }
  });
  return to - data_of<std::int64_t>(out);
}

std::uint64_t partition(In in, In flags, Out kept, Out rejected, nb::object count, std::uintptr_t stream) {
  require_same_type(in, kept);
  require_same_type(in, rejected);
  require_size(flags, in.size());
  require_size(kept, in.size());
  require_size(rejected, in.size());
  if (type_of(flags) != Type::u8) throw nb::type_error("the mask is bool or uint8");
  Kept number(count);
  Placed placed(stream, in, flags, kept, rejected);
  number.place(placed);
  with_bits(in, [&]<class T>(T) {
    run_brief_at(placed, [&](Context& context) {
      Workspace workspace(context);
      partition_flagged(context, dense<T>(context, workspace, in),
                        dense<std::uint8_t>(context, workspace, flags),
                        std::span(data_of<T>(kept), kept.size()),
                        std::span(data_of<T>(rejected), rejected.size()), number.data());
    });
  });
  return number.number();
}

std::uint64_t unique_runs(In in, Out out, nb::object count, std::uintptr_t stream) {
  require_same_type(in, out);
  require_size(out, in.size());
  Kept kept(count);
  Placed placed(stream, in, out);
  kept.place(placed);
  const auto run = [&]<class T>(T) {
    run_brief_at(placed, [&](Context& context) {
      Workspace workspace(context);
      unique(context, dense<T>(context, workspace, in), std::span(data_of<T>(out), out.size()), kept.data());
    });
  };
  if (is_real(type_of(in)))
    with_type<float, double>(in, run);
  else
    with_bits(in, run);
  return kept.number();
}

/// Calls work(T()) for the types of keys.
template <class Work>
void with_keys(const In& keys, const Work& work) {
  with_type<std::uint32_t, std::int32_t, std::uint64_t, std::int64_t, float, double>(keys, work);
}

/// Keys side by side. A NaN on the host gets the sign and the bits of the quiet one, which comes last; on
/// CUDA Python has seen to that.
template <class T>
std::span<const T> keys_of(Context& context, Workspace& workspace, const In& keys) {
  const std::span<const T> all = dense<T>(context, workspace, keys);
  if constexpr (is_real(kTypeOf<T>))
    if (!context.on_cuda()) {
      const auto is_bad = [](T key) {
        const auto number = static_cast<CombinedIn<T>>(key);
        return number != number;
      };
      bool any = false;
      for (const T key : all) any |= is_bad(key);
      if (!any) return all;
      T* const cleaned = workspace.take<T>(std::ssize(all));
      std::replace_copy_if(all.begin(), all.end(), cleaned, is_bad,
                           static_cast<T>(std::numeric_limits<CombinedIn<T>>::quiet_NaN()));
      return {cleaned, all.size()};
    }
  return all;
}

/// Calls work(T()) for the types of keys that are sorted.
template <class Work>
void with_sorted(const In& keys, const Work& work) {
  with_type<std::uint8_t, std::int8_t, std::uint16_t, std::int16_t, std::uint32_t, std::int32_t,
            std::uint64_t, std::int64_t, Half, BFloat16, float, double>(keys, work);
}

/// Sorts a line of host memory by numbers of 4 bytes, which save half of each pass.
template <class T>
void sort_places(Context& context, std::span<const T> keys, std::span<T> sorted,
                 std::span<std::int64_t> places, bool descending) {
  Workspace workspace(context);
  const std::span<std::uint32_t> numbers(workspace.take<std::uint32_t>(std::ssize(keys)), keys.size());
  std::iota(numbers.begin(), numbers.end(), 0u);
  sort_pairs(context, keys, std::span<const std::uint32_t>(numbers), sorted, numbers,
             {.descending = descending});
  std::copy(numbers.begin(), numbers.end(), places.begin());
}

/// Sorts the lines along an axis, or makes the first k of each where k is not negative. `out` and `places`
/// may be None; one of them is not.
void sort(In in, nb::object out, nb::object places, int axis_number, std::int64_t k, bool descending,
          std::uintptr_t stream) {
  const Axis axis = axis_of(in, axis_number);
  const auto results = static_cast<std::size_t>(axis.outer * axis.inner * (k < 0 ? axis.length : k));
  Placed placed(stream, in);
  Out keys_out, places_out;
  for (const auto& [object, array] : {std::pair(&out, &keys_out), std::pair(&places, &places_out)}) {
    if (object->is_none()) continue;
    *array = nb::cast<Out>(*object);
    require_size(*array, results);
    require_dense(*array);
    placed.add(*array);
  }
  with_sorted(in, [&]<class T>(T) {
    run_brief_at(placed, [&](Context& context) {
      Workspace workspace(context);
      const std::span<const T> keys = keys_of<T>(context, workspace, in);
      const std::span<T> sorted(
          keys_out.is_valid() ? data_of<T>(keys_out) : workspace.take<T>(static_cast<std::int64_t>(results)),
          results);
      const std::span<std::int64_t> at(places_out.is_valid() ? data_of<std::int64_t>(places_out) : nullptr,
                                       places_out.is_valid() ? results : 0);
      const bool is_line = k < 0 && axis.outer * axis.inner == 1;
      if (is_line && at.empty())
        sort_keys(context, keys, sorted, {.descending = descending});
      else if (is_line && !context.on_cuda() && keys.size() < std::numeric_limits<std::uint32_t>::max())
        sort_places(context, keys, sorted, at, descending);
      else if (k < 0)
        sort_axis(context, keys, sorted, axis, descending, at);
      else
        top_k(context, keys, k, sorted, at, axis, descending);
    });
  });
}

void sort_with_values(In keys, In values, Out keys_out, Out values_out, bool descending,
                      std::uintptr_t stream) {
  require_same_type(keys, keys_out);
  require_same_type(values, values_out);
  require_size(values, keys.size());
  require_size(keys_out, keys.size());
  require_size(values_out, keys.size());
  if (values.itemsize() != 4 && values.itemsize() != 8) throw nb::type_error("values have 4 or 8 bytes");
  const Placed placed(stream, keys, values, keys_out, values_out);
  with_keys(keys, [&]<class Key>(Key) {
    const auto run = [&]<class Value>(Value) {
      run_brief_at(placed, [&](Context& context) {
        Workspace workspace(context);
        sort_pairs(context, keys_of<Key>(context, workspace, keys), dense<Value>(context, workspace, values),
                   std::span(data_of<Key>(keys_out), keys.size()),
                   std::span(data_of<Value>(values_out), keys.size()), {.descending = descending});
      });
    };
    if (values.itemsize() == 4)
      run(std::uint32_t());
    else
      run(std::uint64_t());
  });
}

/// Places of values among sorted keys: before equal ones, or behind them.
void search(In sorted, In values, Out places, bool behind, std::uintptr_t stream) {
  if (sorted.dtype() != values.dtype())
    throw nb::type_error(
        ("values are " + type_name(values.dtype()) + "; give " + type_name(sorted.dtype())).c_str());
  require_size(places, values.size());
  const Placed placed(stream, sorted, values, places);
  with_keys(sorted, [&]<class T>(T) {
    run_brief_at(placed, [&](Context& context) {
      Workspace workspace(context);
      const std::span<const T> keys = dense<T>(context, workspace, sorted),
                               wanted = dense<T>(context, workspace, values);
      const std::span to(data_of<std::int64_t>(places), places.size());
      if (behind)
        upper_bound(context, keys, wanted, to);
      else
        lower_bound(context, keys, wanted, to);
    });
  });
}

/// The least and the greatest of integers of host memory.
nb::tuple range_of(In in) {
  nb::tuple range;
  with_type<std::uint8_t, std::int8_t, std::uint16_t, std::int16_t, std::uint32_t, std::int32_t,
            std::uint64_t, std::int64_t>(in, [&]<class T>(T) {
    T least = 0, greatest = 0;
    run_brief_at(Placed(0, in), [&](Context& context) {
      Workspace workspace(context);
      const std::span<const T> all = dense<T>(context, workspace, in);
      reduce(context, all, &least, Min());
      reduce(context, all, &greatest, Max());
    });
    range = nb::make_tuple(least, greatest);
  });
  return range;
}

/// Counts each number among integers of host memory that are all below the number of counts.
void count_numbers(In in, Out counts) {
  with_type<std::uint8_t, std::int8_t, std::uint16_t, std::int16_t, std::uint32_t, std::int32_t,
            std::uint64_t, std::int64_t>(in, [&]<class T>(T) {
    run_brief_at(Placed(0, in, counts), [&](Context& context) {
      Workspace workspace(context);
      const std::span<const T> all = dense<T>(context, workspace, in);
      const std::span<std::uint32_t> numbers(workspace.take<std::uint32_t>(std::ssize(all)), all.size());
      std::transform(all.begin(), all.end(), numbers.begin(),
                     [](T x) { return static_cast<std::uint32_t>(x); });
      histogram(context, numbers, 0, static_cast<double>(counts.size()),
                std::span(data_of<std::uint64_t>(counts), counts.size()));
    });
  });
}

void histogram_of(In in, Out bins, double lower, double upper, std::uintptr_t stream) {
  require_dense(bins);
  if (bins.itemsize() != 8) throw nb::type_error("counts have 64 bits");
  const Placed placed(stream, in, bins);
  with_type<std::uint8_t, std::uint16_t, std::uint32_t, float, double>(in, [&]<class T>(T) {
    run_brief_at(placed, [&](Context& context) {
      Workspace workspace(context);
      histogram(context, dense<T>(context, workspace, in), lower, upper,
                std::span(data_of<std::uint64_t>(bins), bins.size()));
    });
  });
}

void transposed(In in, Out out, std::uintptr_t stream) {
  require_same_type(in, out);
  if (in.ndim() != 2 || out.ndim() != 2 || out.shape(0) != in.shape(1) || out.shape(1) != in.shape(0))
    throw nb::value_error("out is as wide as the array is high, and as high as it is wide");
  const Placed placed(stream, in, out);
  with_bits(in, [&]<class T>(T) {
    run_brief_at(placed, [&](Context& context) {
      Workspace workspace(context);
      const Frames frames = frames_of(in);
      transpose<T>(context, picture<T>(context, workspace, in, frames), picture<T>(out, frames_of(out)));
    });
  });
}

void multiply(In values, In columns, In row_begin, In x, Out y, std::uintptr_t stream) {
  require_dense(y);
  if (columns.itemsize() != 4 || row_begin.itemsize() != 4)
    throw nb::type_error("indices and indptr are int32 or uint32");
  if (values.dtype() != x.dtype() || values.dtype() != y.dtype())
    throw nb::type_error("data, x and out are of one type");
  require_size(row_begin, y.size() + 1);
  require_size(columns, values.size());
  const Placed placed(stream, values, columns, row_begin, x, y);
  with_type<float, double>(values, [&]<class T>(T) {
    run_brief_at(placed, [&](Context& context) {
      Workspace workspace(context);
      const CsrMatrix<T> matrix{static_cast<std::int64_t>(y.size()), static_cast<std::int64_t>(x.size()),
                                dense<std::uint32_t>(context, workspace, row_begin),
                                dense<std::uint32_t>(context, workspace, columns),
                                dense<T>(context, workspace, values)};
      if (!context.on_cuda()) check_csr<T>(matrix);
      spmv<T>(context, matrix, dense<T>(context, workspace, x), std::span(data_of<T>(y), y.size()));
    });
  });
}

}  // namespace

void bind_selections(nb::module_& module) {
  const auto count = nb::arg("count").none();
  module.def("compact", &compact, nb::arg(), nb::arg(), nb::arg(), count, nb::arg());
  module.def("places", &places);
  module.def("partition", &partition, nb::arg(), nb::arg(), nb::arg(), nb::arg(), count, nb::arg());
  module.def("unique", &unique_runs, nb::arg(), nb::arg(), count, nb::arg());
  module.def("search", &search);
  module.def("range", &range_of);
  module.def("count_numbers", &count_numbers);
  module.def("sort", &sort, nb::arg(), nb::arg("out").none(), nb::arg("places").none(), nb::arg(), nb::arg(),
             nb::arg(), nb::arg());
  module.def("sort_pairs", &sort_with_values);
  module.def("histogram", &histogram_of);
  module.def("transpose", &transposed);
  module.def("spmv", &multiply);
}

}  // namespace scanlens::python

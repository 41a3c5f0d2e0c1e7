// Calls that choose and order elements: compaction, partition, unique, sorts, histograms, transposition, CSR.
#include <algorithm>
#include <numeric>
#include <string>

#include "app/python/contexts.h"
#include "app/python/groups.h"
#include "core/compact.h"
#include "core/histogram.h"
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

void compact(In in, In flags, Out out, Out count, std::uintptr_t stream) {
  require_same_type(in, out);
  require_size(flags, in.size());
  require_size(out, in.size());
  if (type_of(flags) != Type::u8) throw nb::type_error("the mask is bool or uint8");
  const Placed placed(stream, in, flags, out, count);
  with_bits(in, [&]<class T>(T) {
    run_at(placed, [&](Context& context) {
      Workspace workspace(context);
      compact_flagged(context, dense<T>(context, workspace, in),
                      dense<std::uint8_t>(context, workspace, flags), std::span(data_of<T>(out), out.size()),
                      data_of<std::uint64_t>(count));
    });
  });
}

/// The places of flags that are not 0, of host memory: numbers of one block of flags stay in the cache.
void places(In flags, Out out, Out count) {
  constexpr std::int64_t kBlock = 1 << 18;
  require_size(out, flags.size());
  run_at(Placed(0, flags, out, count), [&](Context& context) {
    Workspace workspace(context);
    const auto all = dense<std::uint8_t>(context, workspace, flags);
    const auto size = static_cast<std::size_t>(std::min<std::int64_t>(kBlock, std::ssize(all)));
    const std::span<std::uint32_t> numbers(workspace.take<std::uint32_t>(kBlock), size),
        kept(workspace.take<std::uint32_t>(kBlock), size);
    std::iota(numbers.begin(), numbers.end(), 0u);
    auto* to = data_of<std::int64_t>(out);
    for (std::size_t first = 0; first < all.size(); first += size) {
      const std::size_t n = std::min(size, all.size() - first);
      std::uint64_t many = 0;
      compact_flagged(context, numbers.first(n), all.subspan(first, n), kept, &many);
      to = std::transform(kept.begin(), kept.begin() + static_cast<std::ptrdiff_t>(many), to,
                          [first](std::uint32_t place) { return static_cast<std::int64_t>(first + place); });
    }
    *data_of<std::uint64_t>(count) = static_cast<std::uint64_t>(to - data_of<std::int64_t>(out));
  });
}

void partition(In in, In flags, Out kept, Out rejected, Out count, std::uintptr_t stream) {
  require_same_type(in, kept);
  require_same_type(in, rejected);
  require_size(flags, in.size());
  require_size(kept, in.size());
  require_size(rejected, in.size());
  if (type_of(flags) != Type::u8) throw nb::type_error("the mask is bool or uint8");
  const Placed placed(stream, in, flags, kept, rejected, count);
  with_bits(in, [&]<class T>(T) {
    run_at(placed, [&](Context& context) {
      Workspace workspace(context);
      partition_flagged(context, dense<T>(context, workspace, in),
                        dense<std::uint8_t>(context, workspace, flags),
                        std::span(data_of<T>(kept), kept.size()),
                        std::span(data_of<T>(rejected), rejected.size()), data_of<std::uint64_t>(count));
    });
  });
}

void unique_runs(In in, Out out, Out count, std::uintptr_t stream) {
  require_same_type(in, out);
  require_size(out, in.size());
  const Placed placed(stream, in, out, count);
  const auto run = [&]<class T>(T) {
    run_at(placed, [&](Context& context) {
      Workspace workspace(context);
      unique(context, dense<T>(context, workspace, in), std::span(data_of<T>(out), out.size()),
             data_of<std::uint64_t>(count));
    });
  };
  if (is_real(type_of(in)))
    with_type<float, double>(in, run);
  else
    with_bits(in, run);
}

void sort(In in, Out out, bool descending, std::uintptr_t stream) {
  require_same_type(in, out);
  require_size(out, in.size());
  const Placed placed(stream, in, out);
  with_type<std::uint32_t, std::int32_t, std::uint64_t, std::int64_t, float, double>(in, [&]<class T>(T) {
    run_at(placed, [&](Context& context) {
      Workspace workspace(context);
      sort_keys(context, dense<T>(context, workspace, in), std::span(data_of<T>(out), out.size()),
                {.descending = descending});
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
  with_type<std::uint32_t, std::int32_t, std::uint64_t, std::int64_t, float, double>(keys, [&]<class Key>(
                                                                                               Key) {
    const auto run = [&]<class Value>(Value) {
      run_at(placed, [&](Context& context) {
        Workspace workspace(context);
        sort_pairs(context, dense<Key>(context, workspace, keys), dense<Value>(context, workspace, values),
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

void histogram_of(In in, Out bins, double lower, double upper, std::uintptr_t stream) {
  require_dense(bins);
  if (bins.itemsize() != 8) throw nb::type_error("counts have 64 bits");
  const Placed placed(stream, in, bins);
  with_type<std::uint8_t, std::uint16_t, std::uint32_t, float, double>(in, [&]<class T>(T) {
    run_at(placed, [&](Context& context) {
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
    run_at(placed, [&](Context& context) {
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
    run_at(placed, [&](Context& context) {
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
  module.def("compact", &compact);
  module.def("places", &places);
  module.def("partition", &partition);
  module.def("unique", &unique_runs);
  module.def("sort", &sort);
  module.def("sort_pairs", &sort_with_values);
  module.def("histogram", &histogram_of);
  module.def("transpose", &transposed);
  module.def("spmv", &multiply);
}

}  // namespace scanlens::python

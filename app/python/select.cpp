// Calls that choose and order elements: compaction, partition, unique, sorts, histograms, transposition, CSR.
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
void with_bits(const char* call, const In& array, const Work& work) {
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
      refuse_type(call, array.dtype());
  }
}

void require_same_type(const char* call, const In& in, const Out& out) {
  if (in.dtype() != out.dtype()) throw nb::type_error((std::string(call) + ": out has another type").c_str());
  require_dense(call, out);
}

void compact(In in, In flags, Out out, Out count, std::uintptr_t stream) {
  require_same_type("compact", in, out);
  require_size("compact", flags, in.size());
  require_size("compact", out, in.size());
  if (type_of(flags) != Type::u8) throw nb::type_error("compact: the mask is bool or uint8");
  const Placed placed(stream, in, flags, out, count);
  with_bits("compact", in, [&]<class T>(T) {
    run_at(placed, [&](Context& context) {
      Workspace workspace(context);
      compact_flagged<T>(context, dense<T>(context, workspace, in),
                         dense<std::uint8_t>(context, workspace, flags), {data_of<T>(out), out.size()},
                         data_of<std::uint64_t>(count));
    });
  });
}

void partition(In in, In flags, Out kept, Out rejected, Out count, std::uintptr_t stream) {
  require_same_type("partition", in, kept);
  require_same_type("partition", in, rejected);
  require_size("partition", flags, in.size());
  require_size("partition", kept, in.size());
  require_size("partition", rejected, in.size());
  if (type_of(flags) != Type::u8) throw nb::type_error("partition: the mask is bool or uint8");
  const Placed placed(stream, in, flags, kept, rejected, count);
  with_bits("partition", in, [&]<class T>(T) {
    run_at(placed, [&](Context& context) {
      Workspace workspace(context);
      partition_flagged<T>(context, dense<T>(context, workspace, in),
                           dense<std::uint8_t>(context, workspace, flags), {data_of<T>(kept), kept.size()},
                           {data_of<T>(rejected), rejected.size()}, data_of<std::uint64_t>(count));
    });
  });
}

void unique_runs(In in, Out out, Out count, std::uintptr_t stream) {
  require_same_type("unique", in, out);
  require_size("unique", out, in.size());
  const Placed placed(stream, in, out, count);
  const auto run = [&]<class T>(T) {
    run_at(placed, [&](Context& context) {
      Workspace workspace(context);
      unique<T>(context, dense<T>(context, workspace, in), {data_of<T>(out), out.size()},
                data_of<std::uint64_t>(count));
    });
  };
  const Type type = type_of(in);
  if (type == Type::f32)
    run(float());
  else if (type == Type::f64)
    run(double());
  else if (type == Type::f16 || type == Type::bf16)
    refuse_type("unique", in.dtype());
  else
    with_bits("unique", in, run);
}

void sort(In in, Out out, bool descending, std::uintptr_t stream) {
  require_same_type("sort", in, out);
  require_size("sort", out, in.size());
  const Placed placed(stream, in, out);
  with_type<std::uint32_t, std::int32_t, std::uint64_t, std::int64_t, float, double>(
      "sort", in, [&]<class T>(T) {
        run_at(placed, [&](Context& context) {
          Workspace workspace(context);
          sort_keys<T>(context, dense<T>(context, workspace, in), {data_of<T>(out), out.size()},
                       {.descending = descending});
        });
      });
}

void sort_with_values(In keys, In values, Out keys_out, Out values_out, bool descending,
                      std::uintptr_t stream) {
  require_same_type("sort_pairs", keys, keys_out);
  require_same_type("sort_pairs", values, values_out);
  require_size("sort_pairs", values, keys.size());
  require_size("sort_pairs", keys_out, keys.size());
  require_size("sort_pairs", values_out, keys.size());
  if (values.itemsize() != 4 && values.itemsize() != 8)
    throw nb::type_error("sort_pairs: values have 4 or 8 bytes");
  const Placed placed(stream, keys, values, keys_out, values_out);
  with_type<std::uint32_t, std::int32_t, std::uint64_t, std::int64_t, float, double>(
      "sort_pairs", keys, [&]<class Key>(Key) {
        const auto run = [&]<class Value>(Value) {
          run_at(placed, [&](Context& context) {
            Workspace workspace(context);
            sort_pairs<Key, Value>(context, dense<Key>(context, workspace, keys),
                                   dense<Value>(context, workspace, values),
                                   {data_of<Key>(keys_out), keys.size()},
                                   {data_of<Value>(values_out), keys.size()}, {.descending = descending});
          });
        };
        if (values.itemsize() == 4)
          run(std::uint32_t());
        else
          run(std::uint64_t());
      });
}

void histogram_of(In in, Out bins, double lower, double upper, std::uintptr_t stream) {
  require_dense("histogram", bins);
  if (bins.itemsize() != 8) throw nb::type_error("histogram: counts have 64 bits");
  const Placed placed(stream, in, bins);
  with_type<std::uint8_t, std::uint16_t, std::uint32_t, float, double>("histogram", in, [&]<class T>(T) {
    run_at(placed, [&](Context& context) {
      Workspace workspace(context);
      histogram<T>(context, dense<T>(context, workspace, in), lower, upper,
                   {data_of<std::uint64_t>(bins), bins.size()});
    });
  });
}

void transposed(In in, Out out, std::uintptr_t stream) {
  require_same_type("transpose", in, out);
  if (in.ndim() != 2 || out.ndim() != 2 || out.shape(0) != in.shape(1) || out.shape(1) != in.shape(0))
    throw nb::value_error("transpose: out is as wide as the array is high, and as high as it is wide");
  const Placed placed(stream, in, out);
  with_bits("transpose", in, [&]<class T>(T) {
    run_at(placed, [&](Context& context) {
      Workspace workspace(context);
      const Frames frames = frames_of("transpose", in);
      transpose<T>(context, picture<T>(context, workspace, in, frames),
                   picture<T>("transpose", out, frames_of("transpose", out)));
    });
  });
}

void multiply(In values, In columns, In row_begin, In x, Out y, std::uintptr_t stream) {
  require_dense("spmv", y);
  if (columns.itemsize() != 4 || row_begin.itemsize() != 4)
    throw nb::type_error("spmv: indices and indptr are int32 or uint32");
  if (values.dtype() != x.dtype() || values.dtype() != y.dtype())
    throw nb::type_error("spmv: data, x and out are of one type");
  require_size("spmv", row_begin, y.size() + 1);
  require_size("spmv", columns, values.size());
  const Placed placed(stream, values, columns, row_begin, x, y);
  with_type<float, double>("spmv", values, [&]<class T>(T) {
    run_at(placed, [&](Context& context) {
      Workspace workspace(context);
      const CsrMatrix<T> matrix{static_cast<std::int64_t>(y.size()), static_cast<std::int64_t>(x.size()),
                                dense<std::uint32_t>(context, workspace, row_begin),
                                dense<std::uint32_t>(context, workspace, columns),
                                dense<T>(context, workspace, values)};
      if (!context.on_cuda()) check_csr<T>(matrix);
      spmv<T>(context, matrix, dense<T>(context, workspace, x), {data_of<T>(y), y.size()});
    });
  });
}

}  // namespace

void bind_selections(nb::module_& module) {
  module.def("compact", &compact);
  module.def("partition", &partition);
  module.def("unique", &unique_runs);
  module.def("sort", &sort);
  module.def("sort_pairs", &sort_with_values);
  module.def("histogram", &histogram_of);
  module.def("transpose", &transposed);
  module.def("spmv", &multiply);
}

}  // namespace scanlens::python

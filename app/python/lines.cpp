// Extremes with their places, linear recurrences, and sums of segments.
#include "app/python/contexts.h"
#include "app/python/groups.h"
#include "app/python/scan_call.h"
#include "core/arg_scan.h"
#include "core/linear_recurrence.h"
#include "core/scan.h"
#include "core/segments.h"

namespace scanlens::python {
namespace {

void arg_scan(bool greatest, bool first, In in, Out values, Out indices, int axis, bool reverse,
              std::uintptr_t stream) {
  const AxisInOrder in_order = axis_in_order(in, values, axis);
  require_same_order(indices, values, in_order);
  if (type_of(in) != type_of(values) || type_of(indices) != Type::i64)
    throw nb::type_error("the values have the array's type, and the indices are int64");
  const Placed placed(stream, in, values, indices);
  with_type<std::int32_t, std::uint32_t, std::int64_t, std::uint64_t, float, double, Half, BFloat16>(
      in, [&]<class T>(T) {
        run_brief_at(placed, [&](Context& context) {
          Workspace workspace(context);
          const std::span<const T> from = dense<T>(context, workspace, in, in_order.order);
          const std::span<T> to(data_of<T>(values), values.size());
          const std::span<std::int64_t> at(data_of<std::int64_t>(indices), indices.size());
          const Ties ties = first ? Ties::first : Ties::last;
          const ScanOptions<T> options{.reverse = reverse};
          if (greatest)
            argmax_scan_axis(context, from, to, at, in_order.axis, ties, options);
          else
            argmin_scan_axis(context, from, to, at, in_order.axis, ties, options);
        });
      });
}

void recurrence(In a, In b, Out h, int axis, bool reverse, nb::object initial, std::uintptr_t stream) {
  const AxisInOrder in_order = axis_in_order(a, h, axis);
  axis_in_order(b, h, axis);
  if (type_of(a) != type_of(h) || type_of(b) != type_of(h))
    throw nb::type_error("a, b and out are of several types; give one");
  const Number number = number_of(initial, type_of(h));
  const Placed placed(stream, a, b, h);
  with_type<float, double, Half, BFloat16>(a, [&]<class T>(T) {
    run_brief_at(placed, [&](Context& context) {
      Workspace workspace(context);
      const std::span<const T> factors = dense<T>(context, workspace, a, in_order.order),
                               terms = dense<T>(context, workspace, b, in_order.order);
      const std::span<T> to(data_of<T>(h), h.size());
      ScanOptions<T> options;
      options.initial = number.as<T>();
      options.reverse = reverse;
      linear_recurrence_axis(context, factors, terms, to, in_order.axis, options);
    });
  });
}

/// Sums that begin afresh where heads, keys or offsets say so: `marks` by its kind.
enum class Marks { heads, keys, offsets };

template <class T>
struct SegmentedSum {
  Context& context;
  std::span<const T> in;
  std::span<T> out;
  bool exclusive;

  void by_heads(std::span<const std::uint8_t> heads) const {
    if (exclusive)
      exclusive_segmented_scan(context, in, heads, out);
    else
      inclusive_segmented_scan(context, in, heads, out);
  }
  template <class Key>
  void by_keys(std::span<const Key> keys) const {
    if (exclusive)
      exclusive_scan_by_key(context, keys, in, out);
    else
      inclusive_scan_by_key(context, keys, in, out);
  }
  void by_offsets(std::span<const std::int64_t> offsets) const {
    if (exclusive)
      exclusive_scan_segments(context, in, offsets, out);
    else
      inclusive_scan_segments(context, in, offsets, out);
  }
};

/// Throws TypeError unless marks are of a type of their kind.
void require_marks(const In& marks, Marks kind) {
  const Type type = type_of(marks);
  if (kind == Marks::heads && type != Type::u8)
    throw nb::type_error(("heads are " + type_name(marks.dtype()) + "; give bool or uint8").c_str());
  if (kind == Marks::keys && type != Type::u32 && type != Type::i32 && type != Type::u64 && type != Type::i64)
    throw nb::type_error(
        ("keys are " + type_name(marks.dtype()) + "; give integers of 32 or 64 bits").c_str());
  if (kind == Marks::offsets && type != Type::i64)
    throw nb::type_error(("offsets are " + type_name(marks.dtype()) + "; give int64").c_str());
}

void require_same_type(const In& in, const Out& out) {
  if (type_of(in) != type_of(out))
    throw nb::type_error(("out is " + type_name(out.dtype()) + "; give " + type_name(in.dtype())).c_str());
}

/// Offsets, which are looked at where the host can read them.
std::span<const std::int64_t> offsets_of(Context& context, Workspace& workspace, const In& marks,
                                         std::size_t length) {
  const auto offsets = dense<std::int64_t>(context, workspace, marks);
  if (!context.on_cuda()) check_offsets(offsets, static_cast<std::int64_t>(length));
  return offsets;
}

bool has_short_keys(const In& keys) {
  return keys.itemsize() == 4;
}

void segmented_sum(In in, In marks, int kind_number, Out out, bool exclusive, std::uintptr_t stream) {
  const auto kind = static_cast<Marks>(kind_number);
  require_dense(out);
  require_size(out, in.size());
  if (kind != Marks::offsets) require_size(marks, in.size());
  require_marks(marks, kind);
  require_same_type(in, out);
  const Placed placed(stream, in, marks, out);
  with_type<std::uint32_t, std::int32_t, std::uint64_t, std::int64_t, float, double>(in, [&]<class T>(T) {
    using As = SameBits<T, Sum>;
    run_brief_at(placed, [&](Context& context) {
      Workspace workspace(context);
      const SegmentedSum<As> sum{context, dense<As>(context, workspace, in),
                                 std::span(data_of<As>(out), out.size()), exclusive};
      if (kind == Marks::heads)
        sum.by_heads(dense<std::uint8_t>(context, workspace, marks));
      else if (kind == Marks::offsets)
        sum.by_offsets(offsets_of(context, workspace, marks, in.size()));
      else if (has_short_keys(marks))
        sum.template by_keys<std::uint32_t>(dense<std::uint32_t>(context, workspace, marks));
      else
        sum.template by_keys<std::uint64_t>(dense<std::uint64_t>(context, workspace, marks));
    });
  });
}

/// Calls work(T(), Op()) for the operator and the type, where the library combines segments so.
template <class Work>
void with_segments(int kind, const In& in, const Work& work) {
  bool found = false;
#define SCANLENS_TRY(name, From, T, Op)                                       \
  if (!found && kind == static_cast<int>(kKindOf<Op>) &&                      \
      types_of(kKindOf<Op>, type_of(in), type_of(in)).second == kTypeOf<T>) { \
    found = true;                                                             \
    work(T(), Op());                                                          \
  }
  SCANLENS_SEGMENTED_SCANS(SCANLENS_TRY)
#undef SCANLENS_TRY
  if (!found)
    throw nb::type_error((type_name(in.dtype()) +
                          " segments are not combined by this operator; convert them to "
                          "int32, uint32, float32 or float64")
                             .c_str());
}

void segment_reduction(int kind, In in, In offsets, Out out, std::uintptr_t stream) {
  require_marks(offsets, Marks::offsets);
  require_same_type(in, out);
  const Placed placed(stream, in, offsets, out);
  with_segments(kind, in, [&]<class T, class Op>(T, Op) {
    run_brief_at(placed, [&](Context& context) {
      Workspace workspace(context);
      reduce_segments(context, dense<T>(context, workspace, in),
                      offsets_of(context, workspace, offsets, in.size()),
                      std::span(data_of<T>(out), out.size()), Op());
    });
  });
}

void reduction_by_key(int kind, In keys, In in, Out keys_out, Out out, Out count, std::uintptr_t stream) {
  require_marks(keys, Marks::keys);
  require_size(keys, in.size());
  require_same_type(keys, keys_out);
  require_same_type(in, out);
  const Placed placed(stream, keys, in, keys_out, out, count);
  with_segments(kind, in, [&]<class T, class Op>(T, Op) {
    const auto run = [&]<class Key>(Key) {
      run_brief_at(placed, [&](Context& context) {
        Workspace workspace(context);
        reduce_by_key(context, dense<Key>(context, workspace, keys), dense<T>(context, workspace, in),
                      std::span(data_of<Key>(keys_out), keys.size()), std::span(data_of<T>(out), out.size()),
                      data_of<std::uint64_t>(count), Op());
      });
    };
    if (has_short_keys(keys))
      run(std::uint32_t());
    else
      run(std::uint64_t());
  });
}

}  // namespace

void bind_lines(nb::module_& module) {
  module.def("arg_scan", &arg_scan);
  module.def("linear_recurrence", &recurrence, nb::arg(), nb::arg(), nb::arg(), nb::arg(), nb::arg(),
             nb::arg("initial").none(), nb::arg());
  module.def("segmented_sum", &segmented_sum);
  module.def("segment_reduction", &segment_reduction);
  module.def("reduce_by_key", &reduction_by_key);
}

}  // namespace scanlens::python

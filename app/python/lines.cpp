// Extremes with their places, linear recurrences, and sums of segments.
#include "app/python/contexts.h"
#include "app/python/groups.h"
#include "app/python/scan_call.h"
#include "core/arg_scan.h"
#include "core/linear_recurrence.h"
#include "core/segments.h"

namespace scanlens::python {
namespace {

void arg_scan(bool greatest, bool first, In in, Out values, Out indices, int axis, bool reverse,
              std::uintptr_t stream) {
  const char* call = greatest ? "cumargmax" : "cumargmin";
  const AxisInOrder in_order = axis_in_order(in, values, axis);
  require_same_order(indices, values, in_order);
  if (type_of(in) != type_of(values) || type_of(indices) != Type::i64)
    throw nb::type_error("the values have the array's type, and the indices are int64");
  const Placed placed(stream, in, values, indices);
  with_type<std::int32_t, std::uint32_t, std::int64_t, std::uint64_t, float, double, Half, BFloat16>(
      call, in, [&]<class T>(T) {
        run_at(placed, [&](Context& context) {
          Workspace workspace(context);
          const std::span<const T> from = dense<T>(context, workspace, in, in_order.order);
          const std::span<T> to(data_of<T>(values), values.size());
          const std::span<std::int64_t> at(data_of<std::int64_t>(indices), indices.size());
          const Ties ties = first ? Ties::first : Ties::last;
          const ScanOptions<T> options{.reverse = reverse};
          if (greatest)
            argmax_scan_axis<T>(context, from, to, at, in_order.axis, ties, options);
          else
            argmin_scan_axis<T>(context, from, to, at, in_order.axis, ties, options);
        });
      });
}

void recurrence(In a, In b, Out h, int axis, bool reverse, nb::object initial, std::uintptr_t stream) {
  const AxisInOrder in_order = axis_in_order(a, h, axis);
  axis_in_order(b, h, axis);
  if (type_of(a) != type_of(h) || type_of(b) != type_of(h))
    throw nb::type_error("linear_recurrence: a, b and the result have one type");
  const Number number = number_of(initial, type_of(h));
  const Placed placed(stream, a, b, h);
  with_type<float, double, Half, BFloat16>("linear_recurrence", a, [&]<class T>(T) {
    run_at(placed, [&](Context& context) {
      Workspace workspace(context);
      const std::span<const T> factors = dense<T>(context, workspace, a, in_order.order),
                               terms = dense<T>(context, workspace, b, in_order.order);
      const std::span<T> to(data_of<T>(h), h.size());
      ScanOptions<T> options;
      options.initial = number.as<T>();
      options.reverse = reverse;
      linear_recurrence_axis<T>(context, factors, terms, to, in_order.axis, options);
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
      segmented_exclusive_scan<T, Sum>(context, in, heads, out);
    else
      segmented_inclusive_scan<T, Sum>(context, in, heads, out);
  }
  template <class Key>
  void by_keys(std::span<const Key> keys) const {
    if (exclusive)
      exclusive_scan_by_key<Key, T, Sum>(context, keys, in, out);
    else
      inclusive_scan_by_key<Key, T, Sum>(context, keys, in, out);
  }
  void by_offsets(std::span<const std::int64_t> offsets) const {
    if (exclusive)
      exclusive_scan_segments<T, Sum>(context, in, offsets, out);
    else
      scan_segments<T, Sum>(context, in, offsets, out);
  }
};

void segmented_sum(In in, In marks, int kind_number, Out out, bool exclusive, std::uintptr_t stream) {
  const char* call = "segmented_cumsum";
  const auto kind = static_cast<Marks>(kind_number);
  require_dense(call, out);
  require_size(call, out, in.size());
  if (kind != Marks::offsets) require_size(call, marks, in.size());
  const Type type = type_of(marks);
  if (kind == Marks::heads && type != Type::u8)
    throw nb::type_error("segmented_cumsum: heads are bool or uint8");
  if (kind == Marks::keys && type != Type::u32 && type != Type::i32 && type != Type::u64 && type != Type::i64)
    throw nb::type_error("segmented_cumsum: keys are integers of 32 or 64 bits");
  if (kind == Marks::offsets && type != Type::i64)
    throw nb::type_error("segmented_cumsum: offsets are int64");
  if (type_of(in) != type_of(out))
    throw nb::type_error("segmented_cumsum: out has another type than the array");
  const Placed placed(stream, in, marks, out);
  with_type<std::uint32_t, std::int32_t, std::uint64_t, std::int64_t, float, double>(
      call, in, [&]<class T>(T) {
        using As = SameBits<T, Sum>;
        run_at(placed, [&](Context& context) {
          Workspace workspace(context);
          const SegmentedSum<As> sum{
              context, dense<As>(context, workspace, in), {data_of<As>(out), out.size()}, exclusive};
          if (kind == Marks::heads)
            sum.by_heads(dense<std::uint8_t>(context, workspace, marks));
          else if (kind == Marks::offsets)
            sum.by_offsets(dense<std::int64_t>(context, workspace, marks));
          else if (type == Type::u32 || type == Type::i32)
            sum.template by_keys<std::uint32_t>(dense<std::uint32_t>(context, workspace, marks));
          else
            sum.template by_keys<std::uint64_t>(dense<std::uint64_t>(context, workspace, marks));
        });
      });
}

}  // namespace

void bind_lines(nb::module_& module) {
  module.def("arg_scan", &arg_scan);
  module.def("linear_recurrence", &recurrence, nb::arg("a"), nb::arg("b"), nb::arg("h"), nb::arg("axis"),
             nb::arg("reverse"), nb::arg("initial").none(), nb::arg("stream"));
  module.def("segmented_sum", &segmented_sum);
}

}  // namespace scanlens::python

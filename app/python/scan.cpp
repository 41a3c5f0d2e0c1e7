// The cumulative family, and reductions to one value.
#include "core/scan.h"

#include <algorithm>
#include <string>

#include "app/python/contexts.h"
#include "app/python/groups.h"
#include "app/python/scan_call.h"
#include "core/reduce.h"
#include "core/reduce/axis.h"
#include "core/reduce/cpu.h"
#include "core/scan_axis.h"

namespace scanlens::python {
namespace {

struct ScanCall {
  Kind kind;
  const In& in;
  const Out& out;
  Axis axis;
  std::span<const int> order;
  bool exclusive, reverse;
  Number initial;

  template <class From, class To, class Op>
  void run(Context& context) const {
    Workspace workspace(context);
    const std::span<const From> from = dense<From>(context, workspace, in, order);
    const std::span<To> to(data_of<To>(out), out.size());
    ScanOptions<To> options;
    options.initial = initial.as<To>();
    options.reverse = reverse;
    if (exclusive)
      exclusive_scan_axis(context, from, to, axis, Op(), options);
    else
      inclusive_scan_axis(context, from, to, axis, Op(), options);
  }
};

void scan(int kind, In in, Out out, int axis, bool exclusive, bool reverse, nb::object initial,
          std::uintptr_t stream) {
  const AxisInOrder in_order = axis_in_order(in, out, axis);
  const ScanCall call{static_cast<Kind>(kind), in,        out,     in_order.axis,
                      in_order.order,          exclusive, reverse, number_of(initial, type_of(out))};
  const auto [from, to] = types_of(call.kind, type_of(in), type_of(out));
  const Placed placed(stream, in, out);
#define SCANLENS_TRY(name, From, To, Op)                                              \
  if (call.kind == kKindOf<Op> && from == kTypeOf<From> && to == kTypeOf<To>) {       \
    run_brief_at(placed, [&](Context& context) { call.run<From, To, Op>(context); }); \
    return;                                                                           \
  }
  SCANLENS_AXIS_SCANS(SCANLENS_TRY)
  SCANLENS_LOG_SCANS(SCANLENS_TRY)
#undef SCANLENS_TRY
  throw nb::type_error(("no scan from " + type_name(in.dtype()) + " to " + type_name(out.dtype())).c_str());
}

bool has_scan(Kind kind, Type from_type, Type to_type) {
  const auto [from, to] = types_of(kind, from_type, to_type);
#define SCANLENS_TRY(name, From, To, Op) \
  if (kind == kKindOf<Op> && from == kTypeOf<From> && to == kTypeOf<To>) return true;
  SCANLENS_AXIS_SCANS(SCANLENS_TRY)
  SCANLENS_LOG_SCANS(SCANLENS_TRY)
#undef SCANLENS_TRY
  return false;
}

#define SCANLENS_TRY(From, To, Op) \
  if (kind == kKindOf<Op> && from == kTypeOf<From> && to == kTypeOf<To>) return true;
bool has_reduction(Kind kind, Type from_type, Type to_type) {
  const auto [from, to] = types_of(kind, from_type, to_type);
  SCANLENS_REDUCTIONS(SCANLENS_TRY)
  return false;
}
bool has_axis_reduction(Kind kind, Type from_type, Type to_type) {
  const auto [from, to] = types_of(kind, from_type, to_type);
  SCANLENS_AXIS_REDUCTIONS(SCANLENS_TRY)
  return false;
}
#undef SCANLENS_TRY

/// All (kind, from, to) that the library holds.
nb::set held(bool (&has)(Kind, Type, Type)) {
  nb::set all;
  for (const Kind kind : {Kind::sum, Kind::product, Kind::least, Kind::greatest, Kind::log_sum})
    for (const Type from : kTypes)
      for (const Type to : kTypes)
        if (has(kind, from, to)) all.add(nb::make_tuple(static_cast<int>(kind), name_of(from), name_of(to)));
  return all;
}

/// Throws TypeError: nothing reduces arrays of the one type to the other.
[[noreturn]] void refuse_reduction(const In& in, const Out& out) {
  throw nb::type_error(
      ("no reduction of " + type_name(in.dtype()) + " to " + type_name(out.dtype())).c_str());
}

void reduction(int kind_number, In in, Out out, std::uintptr_t stream) {
  const auto kind = static_cast<Kind>(kind_number);
  require_size(out, 1);
  const auto [from, to] = types_of(kind, type_of(in), type_of(out));
  const Placed placed(stream, in, out);
#define SCANLENS_TRY(From, To, Op)                                                  \
  if (kind == kKindOf<Op> && from == kTypeOf<From> && to == kTypeOf<To>) {          \
    run_brief_at(placed, [&](Context& context) {                                    \
      Workspace workspace(context);                                                 \
      reduce(context, dense<From>(context, workspace, in), data_of<To>(out), Op()); \
    });                                                                             \
    return;                                                                         \
  }
  SCANLENS_REDUCTIONS(SCANLENS_TRY)
#undef SCANLENS_TRY
  refuse_reduction(in, out);
}

/// Reductions along an axis, of host memory.
void axis_reduction(int kind_number, In in, Out out, int axis_number) {
  const auto kind = static_cast<Kind>(kind_number);
  const Axis axis = axis_of(in, axis_number);
  require_size(out, static_cast<std::size_t>(axis.outer * axis.inner));
  const auto [from, to] = types_of(kind, type_of(in), type_of(out));
  const Placed placed(0, in, out);
#define SCANLENS_TRY(From, To, Op)                                                                         \
  if (kind == kKindOf<Op> && from == kTypeOf<From> && to == kTypeOf<To>) {                                 \
    run_brief_at(placed, [&](Context& context) {                                                           \
      Workspace workspace(context);                                                                        \
      cpu::reduce_axis(context, dense<From>(context, workspace, in).data(), axis, data_of<To>(out), Op()); \
    });                                                                                                    \
    return;                                                                                                \
  }
  SCANLENS_AXIS_REDUCTIONS(SCANLENS_TRY)
#undef SCANLENS_TRY
  refuse_reduction(in, out);
}

void locate(bool greatest, In in, Out result, std::uintptr_t stream) {
  const Placed placed(stream, in, result);
  with_type<std::int32_t, std::uint32_t, std::int64_t, std::uint64_t, float, double>(in, [&]<class T>(T) {
    if (result.nbytes() != sizeof(Located<T>)) throw nb::value_error("the result has 16 bytes");
    run_brief_at(placed, [&](Context& context) {
      Workspace workspace(context);
      const std::span<const T> from = dense<T>(context, workspace, in);
      if (greatest)
        argmax(context, from, data_of<Located<T>>(result));
      else
        argmin(context, from, data_of<Located<T>>(result));
    });
  });
}

/// Finds the first places of the extremes along an axis, of host memory.
void axis_places(bool greatest, In in, Out places, int axis_number) {
  const Axis axis = axis_of(in, axis_number);
  require_size(places, static_cast<std::size_t>(axis.outer * axis.inner));
  const Placed placed(0, in, places);
  with_type<std::uint8_t, std::int8_t, std::uint16_t, std::int16_t, std::int32_t, std::uint32_t, std::int64_t,
            std::uint64_t, float, double>(in, [&]<class T>(T) {
    run_brief_at(placed, [&](Context& context) {
      Workspace workspace(context);
      const T* const from = dense<T>(context, workspace, in).data();
      if (greatest)
        cpu::locate_axis<T, false>(context, from, axis, data_of<std::int64_t>(places));
      else
        cpu::locate_axis<T, true>(context, from, axis, data_of<std::int64_t>(places));
    });
  });
}

/// The squares of an array's elements less a number, made where they are summed.
template <class T>
struct SquaresSource {
  const T* data;
  T mean;

  template <int N>
  const T* batch(std::int64_t first, T* room) const {
    for (int i = 0; i < N; ++i) room[i] = (data[first + i] - mean) * (data[first + i] - mean);
    return room;
  }
};

/// The sum of squared deviations from a mean, of host memory.
double squared_deviations(In in, double mean) {
  double sum = 0;
  with_type<float, double>(in, [&]<class T>(T) {
    run_brief_at(Placed(0, in), [&](Context& context) {
      Workspace workspace(context);
      const std::span<const T> from = dense<T>(context, workspace, in);
      cpu::fold_array(context, SquaresSource<T>{from.data(), static_cast<T>(mean)}, std::ssize(from),
                      make_fold<T, double>(Sum()), &sum);
    });
  });
  return sum;
}

void moments_of(In in, Out result, std::uintptr_t stream) {
  if (result.nbytes() != sizeof(Moments)) throw nb::value_error("the result has 40 bytes");
  const Placed placed(stream, in, result);
  with_type<std::uint8_t, std::uint16_t, std::uint32_t, float, double>(in, [&]<class T>(T) {
    run_brief_at(placed, [&](Context& context) {
      Workspace workspace(context);
      moments(context, dense<T>(context, workspace, in), data_of<Moments>(result));
    });
  });
}

}  // namespace

void bind_scans(nb::module_& module) {
  module.def("scan", &scan, nb::arg(), nb::arg(), nb::arg(), nb::arg(), nb::arg(), nb::arg(),
             nb::arg("initial").none(), nb::arg());
  module.attr("scans") = held(has_scan);
  module.attr("reductions") = held(has_reduction);
  module.attr("axis_reductions") = held(has_axis_reduction);
  module.def("reduction", &reduction);
  module.def("axis_reduction", &axis_reduction);
  module.def("locate", &locate);
  module.def("axis_places", &axis_places);
  module.def("squared_deviations", &squared_deviations);
  module.def("moments", &moments_of);
}

}  // namespace scanlens::python

#include "app/python/scan_call.h"

namespace scanlens::python {
namespace {

template <class A, class B>
bool same_shape(const A& a, const B& b) {
  if (a.ndim() != b.ndim()) return false;
  for (std::size_t k = 0; k < a.ndim(); ++k)
    if (a.shape(k) != b.shape(k)) return false;
  return true;
}

}  // namespace

bool is_real(Type type) {
  return type == Type::f16 || type == Type::bf16 || type == Type::f32 || type == Type::f64;
}

Number number_of(nb::handle object, Type type) {
  Number number;
  if (object.is_none()) return number;
  number.given = true;
  if (is_real(type)) {
    number.real = nb::cast<double>(nb::float_(object));
  } else if (type == Type::u64 || type == Type::u32) {
    number.whole = nb::cast<std::uint64_t>(nb::int_(object));
    if (type == Type::u32 && number.whole > UINT32_MAX) throw nb::value_error("initial is beyond uint32");
  } else {
    const auto value = nb::cast<std::int64_t>(nb::int_(object));
    if (type == Type::i32 && value != static_cast<std::int32_t>(value))
      throw nb::value_error("initial is beyond int32");
    number.whole = static_cast<std::uint64_t>(value);
  }
  return number;
}

AxisInOrder axis_in_order(const In& in, const Out& out, int axis) {
  if (!same_shape(in, out)) throw nb::value_error("out has another shape than the array");
  AxisInOrder found{axes_by_stride(out), {}};
  if (!is_dense(out, found.order)) throw nb::buffer_error("out has to be dense, in any order of its axes");
  found.axis.length = 1;
  bool behind = false;
  for (const int k : found.order) {
    const auto extent = static_cast<std::int64_t>(in.shape(static_cast<std::size_t>(k)));
    if (k == axis) {
      found.axis.length = extent;
      behind = true;
    } else {
      (behind ? found.axis.inner : found.axis.outer) *= extent;
    }
  }
  return found;
}

void require_same_order(const Out& other, const Out& out, const AxisInOrder& in_order) {
  if (!same_shape(other, out)) throw nb::value_error("the results have different shapes");
  if (!is_dense(other, in_order.order))
    throw nb::buffer_error("the results have to be dense, in the same order of their axes");
}

}  // namespace scanlens::python

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

std::pair<Type, Type> types_of(Kind kind, Type from, Type to) {
  if ((kind != Kind::sum && kind != Kind::product) || is_real(from) || is_real(to)) return {from, to};
  const bool to_short = to == Type::i32 || to == Type::u32;
  if (to == Type::i64) to = Type::u64;
  if (to == Type::i32) to = Type::u32;
  if (from == Type::i64) from = Type::u64;
  if (from == Type::i32 && to_short) from = Type::u32;
  return {from, to};
}

Number number_of(nb::handle object, Type type) {
  Number number;
  if (object.is_none()) return number;
  number.given = true;
  if (is_real(type))
    number.real = nb::cast<double>(object);
  else if (type == Type::u64)
    number.whole = nb::cast<std::uint64_t>(object);
  else
    number.whole = static_cast<std::uint64_t>(nb::cast<std::int64_t>(object));
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

Axis axis_of(const In& in, int axis) {
  if (axis < 0) return {1, static_cast<std::int64_t>(in.size()), 1};
  Axis found{1, 1, 1};
  for (int k = 0; k < static_cast<int>(in.ndim()); ++k)
    (k < axis    ? found.outer
     : k == axis ? found.length
                 : found.inner) *= static_cast<std::int64_t>(in.shape(static_cast<std::size_t>(k)));
  return found;
}

void require_same_order(const Out& other, const Out& out, const AxisInOrder& in_order) {
  if (!same_shape(other, out)) throw nb::value_error("the results have different shapes");
  if (!is_dense(other, in_order.order))
    throw nb::buffer_error("the results have to be dense, in the same order of their axes");
}

}  // namespace scanlens::python

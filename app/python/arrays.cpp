#include "app/python/arrays.h"

#include <algorithm>
#include <numeric>

namespace scanlens::python {

using nb::dlpack::dtype_code;

const char* name_of(Type type) {
  constexpr const char* kNames[] = {"uint8",  "int8",  "uint16",  "int16",    "uint32",  "int32",
                                    "uint64", "int64", "float16", "bfloat16", "float32", "float64"};
  return kNames[static_cast<std::size_t>(type)];
}

std::string type_name(nb::dlpack::dtype type) {
  const std::string bits = std::to_string(type.bits);
  switch (static_cast<dtype_code>(type.code)) {
    case dtype_code::Int:
      return "int" + bits;
    case dtype_code::UInt:
      return "uint" + bits;
    case dtype_code::Float:
      return "float" + bits;
    case dtype_code::Bfloat:
      return "bfloat" + bits;
    case dtype_code::Complex:
      return "complex" + bits;
    case dtype_code::Bool:
      return "bool";
    default:
      return "a type of " + bits + " bits";
  }
}

Type type_of(nb::dlpack::dtype type) {
  const auto code = static_cast<dtype_code>(type.code);
  if (type.lanes == 1) {
    if (code == dtype_code::Bool && type.bits == 8) return Type::u8;
    if (code == dtype_code::Bfloat && type.bits == 16) return Type::bf16;
    const auto of_bits = [&](Type of8, Type of16, Type of32, Type of64) {
      return type.bits == 8    ? of8
             : type.bits == 16 ? of16
             : type.bits == 32 ? of32
             : type.bits == 64 ? of64
                               : Type::none;
    };
    Type found = Type::none;
    if (code == dtype_code::Int) found = of_bits(Type::i8, Type::i16, Type::i32, Type::i64);
    if (code == dtype_code::UInt) found = of_bits(Type::u8, Type::u16, Type::u32, Type::u64);
    if (code == dtype_code::Float) found = of_bits(Type::none, Type::f16, Type::f32, Type::f64);
    if (found != Type::none) return found;
  }
  throw nb::type_error((type_name(type) + " arrays are not taken").c_str());
}

void refuse_type(nb::dlpack::dtype type, std::span<const Type> taken) {
  std::string text = type_name(type) + " arrays are not taken; convert it to one of ";
  for (const Type& one : taken) text += std::string(&one == taken.data() ? "" : ", ") + name_of(one);
  throw nb::type_error(text.c_str());
}

std::vector<int> axes_by_stride(const Out& array) {
  std::vector<int> order(array.ndim());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](int a, int b) {
    return array.stride(static_cast<std::size_t>(a)) > array.stride(static_cast<std::size_t>(b));
  });
  return order;
}

void require_dense(const Out& out) {
  if (!is_dense(out))
    throw nb::buffer_error("out is not contiguous; give an array whose elements lie side by side");
}

Frames frames_of(const nb::dlpack::dltensor& tensor, bool batch) {
  const int spatial = tensor.ndim - (batch ? 1 : 0);
  if (spatial < 2 || spatial > 3)
    throw nb::value_error(("the picture has " + std::to_string(tensor.ndim) +
                           " axes; give height, width and maybe channels" + (batch ? " of each image" : ""))
                              .c_str());
  const std::int64_t* shape = tensor.shape + (batch ? 1 : 0);
  Frames frames{batch ? tensor.shape[0] : 1, shape[0], shape[1], 1};
  if (spatial == 3) {
    if (shape[2] != 1 && shape[2] != 3 && shape[2] != 4)
      throw nb::value_error(
          ("the picture has " + std::to_string(shape[2]) + " channels on its last axis; give 1, 3 or 4")
              .c_str());
    frames.channels = static_cast<int>(shape[2]);
  }
  return frames;
}

}  // namespace scanlens::python

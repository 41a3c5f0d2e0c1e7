// Arrays as the public functions take them, and the types that they are compiled for.
//
// core/questions/conventions.md says in what all calls agree; headers say what differs. A concept
// ...InLibrary is true of the types for which the library holds calls compiled; core/held declares these.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>
#include <utility>

namespace scanlens {

template <class T, class... Us>
inline constexpr bool kOneOf = (std::same_as<T, Us> || ...);

/// True of the numbers that most calls are compiled for.
template <class T>
concept NumberInLibrary = kOneOf<T, std::int32_t, std::uint32_t, std::int64_t, std::uint64_t, float, double>;

/// The middle axis of a dense array of outer x length x inner elements, in C order: axis k of an array of any
/// rank has the axes before k as its outer, and those behind it as its inner ones.
struct Axis {
  std::int64_t outer = 1;
  std::int64_t length = 0;
  std::int64_t inner = 1;
};

/// Makes a std::span without naming its type, from std::vector, std::array, a C array, a span. Its elements
/// lie in memory of the context's backend, as everywhere.
template <class A>
concept ContiguousArray = requires(A& array) {
  std::span{array};
};

/// The type of its elements, without const.
template <ContiguousArray A>
using ElementOf = typename decltype(std::span{std::declval<A&>()})::value_type;

/// The array's elements, to be read.
template <ContiguousArray A>
std::span<const ElementOf<A>> elements_of(const A& array) {
  return std::span{array};
}

/// The array's elements, to be written.
template <class A>
requires ContiguousArray<std::remove_reference_t<A>> std::span<ElementOf<A>> room_of(A&& array) {
  return std::span{array};
}

/// The unsigned integer of kBytes bytes.
template <std::size_t kBytes>
using UnsignedOf =
    std::conditional_t<kBytes == 1, std::uint8_t,
                       std::conditional_t<kBytes == 2, std::uint16_t,
                                          std::conditional_t<kBytes == 4, std::uint32_t, std::uint64_t>>>;

/// The elements as those of another type of their size.
template <class As, class T>
std::span<std::conditional_t<std::is_const_v<T>, const As, As>> elements_as(std::span<T> elements) {
  static_assert(sizeof(As) == sizeof(T));
  return {reinterpret_cast<std::conditional_t<std::is_const_v<T>, const As, As>*>(elements.data()),
          elements.size()};
}

/// The elements as unsigned integers of their size.
template <ContiguousArray A>
auto bits_of_array(const A& array) {
  return elements_as<UnsignedOf<sizeof(ElementOf<A>)>>(elements_of(array));
}
template <class A>
auto bits_of_room(A&& array) {
  return elements_as<UnsignedOf<sizeof(ElementOf<std::remove_reference_t<A>>)>>(room_of(array));
}

}  // namespace scanlens

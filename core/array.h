// Arrays as the public functions take them, and the types that they are compiled for.
//
// A header's functions are compiled in the library for the types that it names; a concept ...InLibrary says
// which. Namespace `compiled` declares the calls as the library holds them. Calls with other types are
// compiled where they stand, or refused with a message.
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

}  // namespace scanlens

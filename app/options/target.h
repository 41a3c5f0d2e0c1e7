// The place of an option's value: words go in, and come out as they are typed.
#pragma once

#include <fmt/format.h>

#include <charconv>
#include <concepts>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace scanlens {

template <class T>
struct HeldIn {
  using Type = T;
};
template <class T>
struct HeldIn<std::optional<T>> {
  using Type = T;
};
template <class T>
struct HeldIn<std::vector<T>> {
  using Type = T;
};
/// The type of a value, or of those in an optional or a vector.
template <class T>
using Held = typename HeldIn<T>::Type;

/// A variable, or functions that take a value and give it back. A bool makes the option a flag, a vector lets
/// it take many words. Numbers are read as the option's check leaves them.
class Target {
 public:
  using Words = std::vector<std::string>;
  using Take = std::function<std::string(const std::string&)>;  ///< returns as Check does
  using TakeAll = std::function<std::string(const Words&)>;
  using Give = std::function<std::string()>;  ///< "" for no value

  Target() = default;  ///< of options that the parser answers itself
  template <class T>
  Target(T* held)
      : take([held](const Words& words) { return read(words, *held), std::string(); }),
        words([held] { return words_of(*held); }),
        is_flag(std::is_same_v<T, bool>),
        is_list(std::is_same_v<T, std::vector<Held<T>>>),
        is_path(std::is_same_v<Held<T>, std::filesystem::path>),
        is_number(std::is_arithmetic_v<Held<T>> && !std::is_same_v<T, bool>) {}
  template <std::convertible_to<Take> Lambda>
  Target(Lambda one, Give give = {})
      : Target(TakeAll([one = std::move(one)](const Words& words) {
                 std::string complaint;
                 for (std::size_t i = 0; i < words.size() && complaint.empty(); ++i)
                   complaint = one(words[i]);
                 return complaint;
               }),
               std::move(give)) {}
  template <std::convertible_to<TakeAll> Lambda>
  Target(Lambda all, Give give = {})
      : take(std::move(all)),
        words([give = std::move(give)] {
          const std::string word = give ? give() : "";
          return word.empty() ? Words() : Words{word};
        }),
        is_flag(false) {}

  TakeAll take;
  std::function<Words()> words;  ///< that it holds
  Words choices;                 ///< all words that it takes; none: not known
  bool is_flag = true, is_list = false;
  bool is_path = false;    ///< true if it takes names of files
  bool is_number = false;  ///< true if only a check keeps words from it that are no numbers

 private:
  template <class T>
  static void read(const Words& words, T& value) {
    if constexpr (std::is_same_v<T, std::vector<Held<T>>>) {
      value.clear();
      for (const std::string& word : words) read({word}, value.emplace_back());
    } else if constexpr (!std::is_same_v<T, Held<T>>) {
      read(words, value.emplace());
    } else if constexpr (std::is_same_v<T, bool>) {
      value = true;
    } else if constexpr (std::is_arithmetic_v<T>) {
      std::from_chars(words.back().data(), words.back().data() + words.back().size(), value);
    } else {
      value = words.back();
    }
  }

  template <class T>
  static Words words_of(const T& value) {
    Words words;
    if constexpr (std::is_same_v<T, std::vector<Held<T>>>) {
      for (const auto& one : value)
        for (std::string& word : words_of(one)) words.push_back(std::move(word));
    } else if constexpr (!std::is_same_v<T, Held<T>>) {
      if (value) words = words_of(*value);
    } else if constexpr (std::is_same_v<T, bool>) {
      if (value) words = {"true"};
    } else if constexpr (std::is_arithmetic_v<T>) {
      words = {fmt::format("{}", value)};
    } else {
      if (!value.empty()) words = {std::string(value)};
    }
    return words;
  }
};

}  // namespace scanlens

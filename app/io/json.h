// JSON values, to be built, printed and read. Behind json.cpp the text is nlohmann's.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace scanlens {

/// A JSON value. Objects keep the order in which their members were added.
class Json {
 public:
  using Array = std::vector<Json>;
  using Object = std::vector<std::pair<std::string, Json>>;

  Json(std::nullptr_t = nullptr) {}
  Json(bool value) : value_(value) {}
  Json(double value) : value_(value) {}
  Json(std::signed_integral auto value) : value_(std::int64_t{value}) {}
  Json(std::unsigned_integral auto value) : value_(std::uint64_t{value}) {}
  Json(std::string text) : value_(std::move(text)) {}
  Json(std::string_view text) : value_(std::string(text)) {}
  Json(const char* text) : value_(std::string(text)) {}
  Json(Array values) : value_(std::move(values)) {}
  Json(Object members) : value_(std::move(members)) {}
  template <class T>
  Json(const std::vector<T>& values) : value_(Array(values.begin(), values.end())) {}

  /// An object where all are pairs of a name and a value, {{"x", 1}, {"y", 2}}; else an array.
  Json(std::initializer_list<Json> values);
  static Json array() { return Json(Array()); }
  static Json object() { return Json(Object()); }

  Json(const Json&);
  Json(Json&&) noexcept;
  Json& operator=(Json) noexcept;
  ~Json();

  void push_back(Json value);               ///< to an array
  Json& operator[](std::string_view name);  ///< of an object, or of null, which becomes one; added if missing

  bool is_null() const { return std::holds_alternative<std::nullptr_t>(value_); }
  bool is_string() const { return std::holds_alternative<std::string>(value_); }
  bool is_object() const { return std::holds_alternative<Object>(value_); }
  const Json* find(std::string_view name) const;        ///< the last of that name in an object, or null
  const Json& operator[](std::string_view name) const;  ///< the same, or a value that is null
  const std::string& text() const;                      ///< "" where it is no string
  std::optional<bool> truth() const;
  std::optional<double> number() const;
  std::optional<std::int64_t> whole() const;  ///< a number without a fraction or an exponent
  const Array& elements() const;              ///< none where it is no array
  const Object& members() const;              ///< none where it is no object

  /// Returns the value as text, on one line, or with lines indented by `indent` spaces. Bytes that are not
  /// UTF-8 are replaced; infinity and NaN are null.
  std::string dump(int indent = -1) const;

  /// Reads text. Returns nothing when it is not JSON, or nested more than kMostNesting levels deep.
  static std::optional<Json> parse(std::string_view text);

 private:
  using Value =
      std::variant<std::nullptr_t, bool, std::int64_t, std::uint64_t, double, std::string, Array, Object>;
  void append_to(std::string& text, int indent, int depth) const;

  Value value_;
};

}  // namespace scanlens

#include "app/io/json.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "filters/nesting.h"

namespace scanlens {
namespace {

using Parsed = nlohmann::json;

std::string quoted(const std::string& text) {
  return Parsed(text).dump(-1, ' ', false, Parsed::error_handler_t::replace);
}

/// Builds values from what the parser meets. Members come in the order of their names; of those with one name
/// the last counts.
class Builder : public nlohmann::json_sax<Parsed> {
 public:
  Json take() { return std::move(whole_); }

  bool null() override { return add(nullptr); }
  bool boolean(bool value) override { return add(value); }
  bool number_integer(std::int64_t value) override { return add(value); }
  bool number_unsigned(std::uint64_t value) override { return add(value); }
  bool number_float(double value, const std::string&) override { return add(value); }
  bool string(std::string& value) override { return add(std::move(value)); }
  bool binary(Parsed::binary_t&) override { return false; }
  bool start_object(std::size_t) override { return begin(true); }
  bool start_array(std::size_t) override { return begin(false); }
  bool key(std::string& name) override {
    open_.back().members.emplace_back(std::move(name), nullptr);
    return true;
  }
  bool end_object() override {
    Json::Object members = std::move(open_.back().members);
    open_.pop_back();
    std::stable_sort(members.begin(), members.end(),
                     [](const auto& a, const auto& b) { return a.first < b.first; });
    const auto last_of_each = std::unique(members.rbegin(), members.rend(),
                                          [](const auto& a, const auto& b) { return a.first == b.first; });
    members.erase(members.begin(), last_of_each.base());
    return add(std::move(members));
  }
  bool end_array() override {
    Json::Array values = std::move(open_.back().values);
    open_.pop_back();
    return add(std::move(values));
  }
  bool parse_error(std::size_t, const std::string&, const nlohmann::detail::exception&) override {
    return false;
  }

 private:
  struct Open {
    bool is_object;
    Json::Object members;
    Json::Array values;
  };

  bool begin(bool is_object) {
    open_.push_back({is_object, {}, {}});
    return open_.size() <= static_cast<std::size_t>(kMostNesting);
  }

  bool add(Json value) {
    if (open_.empty())
      whole_ = std::move(value);
    else if (open_.back().is_object)
      open_.back().members.back().second = std::move(value);
    else
      open_.back().values.push_back(std::move(value));
    return true;
  }

  Json whole_;
  std::vector<Open> open_;
};

}  // namespace

Json::Json(const Json&) = default;
Json::Json(Json&&) noexcept = default;
Json::~Json() = default;

Json& Json::operator=(Json other) noexcept {
  value_.swap(other.value_);
  return *this;
}

Json::Json(std::initializer_list<Json> values) {
  const auto is_member = [](const Json& value) {
    const Array& pair = value.elements();
    return pair.size() == 2 && std::holds_alternative<std::string>(pair[0].value_);
  };
  if (!std::all_of(values.begin(), values.end(), is_member)) {
    value_ = Array(values);
    return;
  }
  Object members;
  for (const Json& value : values) members.emplace_back(value.elements()[0].text(), value.elements()[1]);
  value_ = std::move(members);
}

void Json::push_back(Json value) {
  std::get<Array>(value_).push_back(std::move(value));
}

Json& Json::operator[](std::string_view name) {
  if (is_null()) value_ = Object();
  if (const Json* found = find(name)) return const_cast<Json&>(*found);
  return std::get<Object>(value_).emplace_back(name, nullptr).second;
}

const Json* Json::find(std::string_view name) const {
  const Object& all = members();
  const auto has_name = [&](const auto& member) { return member.first == name; };
  const auto found = std::find_if(all.begin(), all.end(), has_name);
  return found == all.end() ? nullptr : &found->second;
}

const Json& Json::operator[](std::string_view name) const {
  static const Json null;
  const Json* found = find(name);
  return found ? *found : null;
}

const std::string& Json::text() const {
  static const std::string none;
  const std::string* text = std::get_if<std::string>(&value_);
  return text ? *text : none;
}

std::optional<bool> Json::truth() const {
  const bool* truth = std::get_if<bool>(&value_);
  return truth ? std::optional(*truth) : std::nullopt;
}

std::optional<double> Json::number() const {
  if (const double* number = std::get_if<double>(&value_)) return *number;
  if (const std::uint64_t* number = std::get_if<std::uint64_t>(&value_)) return static_cast<double>(*number);
  const std::optional<std::int64_t> number = whole();
  return number ? std::optional(static_cast<double>(*number)) : std::nullopt;
}

std::optional<std::int64_t> Json::whole() const {
  constexpr std::uint64_t kMost = std::numeric_limits<std::int64_t>::max();
  if (const std::int64_t* number = std::get_if<std::int64_t>(&value_)) return *number;
  if (const std::uint64_t* number = std::get_if<std::uint64_t>(&value_))
    return static_cast<std::int64_t>(std::min(*number, kMost));
  return std::nullopt;
}

const Json::Array& Json::elements() const {
  static const Array none;
  const Array* array = std::get_if<Array>(&value_);
  return array ? *array : none;
}

const Json::Object& Json::members() const {
  static const Object none;
  const Object* object = std::get_if<Object>(&value_);
  return object ? *object : none;
}

std::string Json::dump(int indent) const {
  std::string text;
  append_to(text, indent, 0);
  return text;
}

void Json::append_to(std::string& text, int indent, int depth) const {
  const auto begin_line = [&](int level) {
    if (indent < 0) return;
    text += '\n';
    text.append(static_cast<std::size_t>(indent * level), ' ');
  };
  if (const bool* truth = std::get_if<bool>(&value_)) {
    text += *truth ? "true" : "false";
  } else if (const std::int64_t* number = std::get_if<std::int64_t>(&value_)) {
    text += std::to_string(*number);
  } else if (const std::uint64_t* count = std::get_if<std::uint64_t>(&value_)) {
    text += std::to_string(*count);
  } else if (const double* real = std::get_if<double>(&value_)) {
    text += Parsed(*real).dump();
  } else if (const std::string* string = std::get_if<std::string>(&value_)) {
    text += quoted(*string);
  } else if (is_null()) {
    text += "null";
  } else {
    text += is_object() ? '{' : '[';
    bool first = true;
    const auto next = [&] {
      if (!first) text += ',';
      first = false;
      begin_line(depth + 1);
    };
    for (const Json& element : elements()) {
      next();
      element.append_to(text, indent, depth + 1);
    }
    for (const auto& [name, value] : members()) {
      next();
      text += quoted(name) + (indent < 0 ? ":" : ": ");
      value.append_to(text, indent, depth + 1);
    }
    if (!first) begin_line(depth);
    text += is_object() ? '}' : ']';
  }
}

std::optional<Json> Json::parse(std::string_view text) {
  Builder builder;
  if (!Parsed::sax_parse(text, &builder)) return std::nullopt;
  return builder.take();
}

}  // namespace scanlens

#include "app/io/json.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

namespace scanlens {
namespace {

using Parsed = nlohmann::json;

std::string quoted(const std::string& text) {
  return Parsed(text).dump(-1, ' ', false, Parsed::error_handler_t::replace);
}

Json of(const Parsed& parsed) {
  switch (parsed.type()) {
    case Parsed::value_t::boolean:
      return parsed.get<bool>();
    case Parsed::value_t::number_integer:
      return parsed.get<std::int64_t>();
    case Parsed::value_t::number_unsigned:
      return parsed.get<std::uint64_t>();
    case Parsed::value_t::number_float:
      return parsed.get<double>();
    case Parsed::value_t::string:
      return parsed.get_ref<const std::string&>();
    case Parsed::value_t::array: {
      Json array = Json::array();
      for (const Parsed& element : parsed) array.push_back(of(element));
      return array;
    }
    case Parsed::value_t::object: {
      Json::Object members;
      for (const auto& [name, value] : parsed.items()) members.emplace_back(name, of(value));
      return members;
    }
    default:
      return nullptr;
  }
}

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
  const Parsed parsed = Parsed::parse(text, nullptr, false);
  return parsed.is_discarded() ? std::nullopt : std::optional(of(parsed));
}

}  // namespace scanlens

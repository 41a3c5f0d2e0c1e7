// Reads NPY headers by numpy's NEP 1: magic, version, length, and a Python dictionary of three entries.
#include "app/depth/files/npy_header.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <system_error>

#include "core/error.h"

namespace scanlens {
namespace {

constexpr std::size_t kMostDimensions = 32;

/// Walks through the dictionary. Every step throws Error at what does not belong there.
class Dictionary {
 public:
  Dictionary(const std::string& name, std::string_view text) : name_(name), text_(text) {}

  [[noreturn]] void fail() const { throw Error(name_ + ": the NPY header is corrupt"); }

  bool take(char c) {
    skip_space();
    if (!text_.starts_with(c)) return false;
    text_.remove_prefix(1);
    return true;
  }
  void need(char c) {
    if (!take(c)) fail();
  }
  std::string_view quoted() {
    skip_space();
    const char quote = text_.empty() ? '\0' : text_[0];
    if (quote != '\'' && quote != '"') fail();
    const std::size_t end = text_.find(quote, 1);
    if (end == std::string_view::npos) fail();
    const std::string_view word = text_.substr(1, end - 1);
    text_.remove_prefix(end + 1);
    return word;
  }
  bool truth() {
    skip_space();
    for (const bool value : {true, false})
      if (const std::string_view word = value ? "True" : "False"; text_.starts_with(word)) {
        text_.remove_prefix(word.size());
        return value;
      }
    fail();
  }
  std::vector<std::int64_t> tuple() {
    std::vector<std::int64_t> numbers;
    need('(');
    while (!take(')')) {
      skip_space();
      std::int64_t number = 0;
      const auto [end, error] = std::from_chars(text_.data(), text_.data() + text_.size(), number);
      if (error != std::errc() || number < 0 || numbers.size() == kMostDimensions) fail();
      text_.remove_prefix(static_cast<std::size_t>(end - text_.data()));
      numbers.push_back(number);
      if (take(',')) continue;
      need(')');
      break;
    }
    return numbers;
  }
  bool at_end() {
    skip_space();
    return text_.empty();
  }
  bool at_quote() {
    skip_space();
    return text_.starts_with('\'') || text_.starts_with('"');
  }

 private:
  void skip_space() {
    const std::size_t first = text_.find_first_not_of(" \t\r\n");
    text_.remove_prefix(std::min(first, text_.size()));
  }

  const std::string& name_;
  std::string_view text_;
};

void take_type(NpyHeader& header, const std::string& name, std::string_view type) {
  const auto number = [&] { return type.size() == 3 ? type[2] - '0' : 0; };
  const bool known = type.size() == 3 && std::string_view("<>|=").find(type[0]) != std::string_view::npos &&
                     (number() == 1 || number() == 2 || number() == 4 || number() == 8) &&
                     (type[1] == 'i' || type[1] == 'u' || (type[1] == 'f' && number() > 1));
  if (!known)
    throw Error(
        fmt::format("{}: an array of type '{}' is not a depth map; expected floats or integers", name, type));
  header.kind = type[1];
  header.item_bytes = number();
  header.big_endian = type[0] == '>';
}

}  // namespace

std::string NpyHeader::type() const {
  return fmt::format("{}{}", kind == 'f' ? "float" : kind == 'i' ? "int" : "uint", 8 * item_bytes);
}

std::string NpyHeader::shape_text() const {
  return fmt::format("({})", fmt::join(shape, ", "));
}

namespace {

bool is_channels(std::int64_t side) {
  return side == 3 || side == 4;
}

/// Leaves out sides of 1, from the front, then from the back, until two are left.
std::vector<std::int64_t> without_ones(const std::vector<std::int64_t>& shape) {
  std::size_t first = 0, last = shape.size();
  while (last - first > 2 && shape[first] == 1) ++first;
  while (last - first > 2 && shape[last - 1] == 1) --last;
  return {shape.begin() + static_cast<std::ptrdiff_t>(first),
          shape.begin() + static_cast<std::ptrdiff_t>(last)};
}

}  // namespace

bool NpyHeader::is_map() const {
  return without_ones(shape).size() == 2;
}

bool NpyHeader::is_picture() const {
  const std::vector<std::int64_t> all = without_ones(shape);
  return all.size() == 3 && (is_channels(all[2]) || is_channels(all[0]));
}

bool NpyHeader::has_planes() const {
  return is_picture() && !is_channels(without_ones(shape)[2]);
}

std::vector<std::int64_t> NpyHeader::sides() const {
  const std::vector<std::int64_t> all = without_ones(shape);
  if (all.size() == 2) return {all[0], all[1], 1};
  return has_planes() ? std::vector{all[1], all[2], all[0]} : all;
}

NpyHeader parse_npy_header(const std::string& name, Bytes bytes) {
  constexpr std::size_t kVersionEnd = 8;
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  if (!text.starts_with("\x93NUMPY")) throw Error(name + ": this is not an NPY array");
  const int version = text.size() > 6 ? text[6] : 0;
  const std::size_t digits = version == 1 ? 2 : 4;
  if (text.size() < kVersionEnd + digits) throw Error(name + ": the NPY header is truncated");
  if (version < 1 || version > 3) throw Error(fmt::format("{}: NPY version {} is unknown", name, version));
  std::size_t length = 0;
  for (std::size_t i = digits; i-- > 0;)
    length = length << 8 | static_cast<unsigned char>(text[kVersionEnd + i]);
  const std::size_t start = kVersionEnd + digits;
  if (length > text.size() - start) throw Error(name + ": the NPY header is truncated");

  NpyHeader header;
  header.length = start + length;
  Dictionary in(name, text.substr(start, length));
  bool has_type = false, has_order = false, has_shape = false;
  in.need('{');
  while (!in.take('}')) {
    const std::string_view key = in.quoted();
    in.need(':');
    if (key == "descr" && !has_type) {
      if (!in.at_quote())
        throw Error(name + ": an array of records is not a depth map; expected floats or integers");
      take_type(header, name, in.quoted());
      has_type = true;
    } else if (key == "fortran_order" && !has_order) {
      header.fortran = in.truth();
      has_order = true;
    } else if (key == "shape" && !has_shape) {
      header.shape = in.tuple();
      has_shape = true;
    } else {
      in.fail();
    }
    if (in.take(',')) continue;
    in.need('}');
    break;
  }
  if (!has_type || !has_order || !has_shape || !in.at_end()) in.fail();
  return header;
}

}  // namespace scanlens

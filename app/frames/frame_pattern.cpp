#include "app/frames/frame_pattern.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <utility>

#include "core/error.h"

namespace scanlens {
namespace {

constexpr std::string_view kDigits = "0123456789";

/// More digits than these make no number of 64 bits.
constexpr std::size_t kMostDigits = 18;

/// The field at the beginning of a text.
struct Field {
  std::size_t length = 0;  ///< 0: no field
  std::size_t width = 0;
  bool zeros = false;
};

Field field_at(std::string_view text) {
  if (const std::size_t marks = std::min(text.find_first_not_of('#'), text.size()); marks > 1)
    return {marks, std::min(marks, kMostDigits), true};
  if (!text.starts_with('%')) return {};
  const std::size_t end = std::min(text.find_first_not_of(kDigits, 1), text.size());
  if (end == text.size() || text[end] != 'd') return {};
  Field field{end + 1, 0, text[1] == '0'};
  std::from_chars(text.data() + 1, text.data() + end, field.width);
  if (field.width > kMostDigits) return {};
  return field;
}

}  // namespace

std::optional<FramePattern> FramePattern::of(const std::filesystem::path& path) {
  const std::string name = path.filename().string();
  FramePattern pattern;
  pattern.path_ = path;
  std::string literal;
  int fields = 0;
  for (std::size_t at = 0; at < name.size();) {
    const std::string_view rest = std::string_view(name).substr(at);
    const Field field = field_at(rest);
    if (rest.starts_with('*') || field.length > 0) {
      ++fields;
      pattern.before_ = std::exchange(literal, {});
      pattern.star_ = rest.starts_with('*');
      pattern.width_ = field.width;
      pattern.zeros_ = field.zeros;
      at += std::max<std::size_t>(field.length, 1);
    } else {
      literal += rest.front();
      at += rest.starts_with("%%") ? 2 : 1;
    }
  }
  if (fields == 0) return std::nullopt;
  if (fields > 1)
    throw Error(ErrorKind::usage,
                fmt::format("{}: a sequence has one number in its names, one %04d, one #### or one *, not {}",
                            path.string(), fields));
  pattern.behind_ = std::move(literal);
  return pattern;
}

std::string FramePattern::digits_of(const Frame& frame) const {
  if (star_) return frame.digits;
  return zeros_ ? fmt::format("{:0{}}", frame.number, width_) : fmt::format("{:{}}", frame.number, width_);
}

std::optional<Frame> FramePattern::match(std::string_view name) const {
  if (name.size() <= before_.size() + behind_.size() || !name.starts_with(before_) ||
      !name.ends_with(behind_))
    return std::nullopt;
  const std::string_view field = name.substr(before_.size(), name.size() - before_.size() - behind_.size());
  const std::string_view digits = field.substr(std::min(field.find_first_not_of(' '), field.size()));
  if (digits.empty() || digits.size() > kMostDigits ||
      digits.find_first_not_of(kDigits) != std::string_view::npos)
    return std::nullopt;
  Frame frame{0, std::string(digits)};
  std::from_chars(digits.data(), digits.data() + digits.size(), frame.number);
  if (field != digits_of(frame)) return std::nullopt;
  return frame;
}

std::filesystem::path FramePattern::path_of(const Frame& frame) const {
  return path_.parent_path() / (before_ + digits_of(frame) + behind_);
}

FramePattern FramePattern::starred() const {
  FramePattern star = *this;
  star.star_ = true;
  return star;
}

std::string FramePattern::text_with(std::string_view field) const {
  return (path_.parent_path() / fmt::format("{}{}{}", before_, field, behind_)).string();
}

std::filesystem::path FramePattern::folder() const {
  return path_.has_parent_path() ? path_.parent_path() : std::filesystem::path(".");
}

}  // namespace scanlens

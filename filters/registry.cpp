#include "filters/registry.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>

#include "core/error.h"
#include "filters/box.h"

namespace scanlens {
namespace {

/// A stream of rows of type T, for callers who know bytes only.
template <class T, class Stream>
class RowsOf : public RowFilter {
 public:
  RowsOf(const RowFormat& format, Stream stream) : format_(format), stream_(std::move(stream)) {}

  std::span<const std::byte> push(std::span<const std::byte> rows) override {
    const auto count = static_cast<std::int64_t>(rows.size() / format_.row_bytes());
    return bytes(stream_.push(
        View<const T>(reinterpret_cast<const T*>(rows.data()), format_.width, count, format_.channels)));
  }
  std::span<const std::byte> finish() override { return bytes(stream_.finish()); }

 private:
  static std::span<const std::byte> bytes(View<const T> rows) {
    return std::as_bytes(std::span(rows.data, static_cast<std::size_t>(rows.extent())));
  }

  RowFormat format_;
  Stream stream_;
};

template <class T>
std::unique_ptr<RowFilter> box_of(Context& context, const RowFormat& format, std::span<const double> values,
                                  std::int64_t band_rows) {
  return std::make_unique<RowsOf<T, BoxFilterStream<T>>>(
      format, BoxFilterStream<T>(context, format.width, format.height, format.channels,
                                 static_cast<std::int64_t>(values[0]), band_rows));
}

std::unique_ptr<RowFilter> run_box(Context& context, const RowFormat& format, std::span<const double> values,
                                   std::int64_t band_rows) {
  return format.sample_bytes == 1 ? box_of<std::uint8_t>(context, format, values, band_rows)
                                  : box_of<std::uint16_t>(context, format, values, band_rows);
}

std::int64_t box_memory(const RowFormat& format, std::span<const double> values, std::int64_t band_rows) {
  return box_filter_stream_bytes(format.width, format.height, format.channels, format.sample_bytes,
                                 static_cast<std::int64_t>(values[0]), band_rows);
}

constexpr Param kBoxParams[] = {
    {"radius", "pixels from the middle of the box to its edge", 0, kMostBoxRadius, 8, true}};

constexpr Filter kFilters[] = {
    {"box", "the mean over a square, of sample values as they are (sRGB codes)", kBoxParams, run_box,
     box_memory},
};

[[noreturn]] void refuse(std::string_view text, const std::string& cause) {
  throw Error(ErrorKind::usage, fmt::format("--filter {}: {}", text, cause));
}

template <class Named>
std::string names(std::span<const Named> all) {
  std::string text;
  for (const Named& one : all) text += fmt::format("{}{}", text.empty() ? "" : ", ", one.name);
  return text;
}

/// The first of `all` that is called `name`, or null.
template <class Named>
const Named* find(std::span<const Named> all, std::string_view name) {
  for (const Named& one : all)
    if (one.name == name) return &one;
  return nullptr;
}

double parse_value(std::string_view text, const Param& param, std::string_view digits) {
  double value = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (error != std::errc() || end != digits.data() + digits.size() || !(value >= param.least) ||
      !(value <= param.most) || (param.whole && value != std::floor(value)))
    refuse(text, fmt::format("{} is '{}', but has to be a {}number from {} to {}", param.name, digits,
                             param.whole ? "whole " : "", param.least, param.most));
  return value;
}

/// The text up to the next colon, which leaves `rest` with what is behind it.
std::string_view next_part(std::string_view& rest) {
  const std::size_t end = std::min(rest.find(':'), rest.size());
  const std::string_view part = rest.substr(0, end);
  rest.remove_prefix(std::min(end + 1, rest.size()));
  return part;
}

}  // namespace

std::span<const Filter> all_filters() {
  return kFilters;
}

FilterCall parse_filter(std::string_view text) {
  std::string_view rest = text;
  const std::string_view name = next_part(rest);
  FilterCall call;
  call.filter = find(all_filters(), name);
  if (!call.filter)
    refuse(text, fmt::format("there is no filter '{}'; there is: {}", name, names(all_filters())));
  const std::span<const Param> params = call.filter->params;
  for (const Param& param : params) call.values.push_back(param.value);
  std::vector<bool> given(params.size());
  while (!rest.empty()) {
    const std::string_view part = next_part(rest);
    const std::size_t equals = part.find('=');
    if (equals == std::string_view::npos) refuse(text, fmt::format("'{}' is not key=value", part));
    const Param* param = find(params, part.substr(0, equals));
    if (!param)
      refuse(text, fmt::format("{} has no parameter '{}'; it has: {}", name, part.substr(0, equals),
                               names(params)));
    const auto i = static_cast<std::size_t>(param - params.data());
    if (given[i]) refuse(text, fmt::format("{} is given twice", param->name));
    given[i] = true;
    call.values[i] = parse_value(text, *param, part.substr(equals + 1));
  }
  return call;
}

std::string describe_filters() {
  std::string text = "Filters:\n";
  for (const Filter& filter : all_filters()) {
    text += fmt::format("  {}: {}\n", filter.name, filter.help);
    for (const Param& param : filter.params)
      text += fmt::format("    {}: {}; {} to {}, {} if not given\n", param.name, param.help, param.least,
                          param.most, param.value);
  }
  return text;
}

}  // namespace scanlens

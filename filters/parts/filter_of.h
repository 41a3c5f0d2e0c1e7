// From a struct that says what a filter is to the Filter that the registry holds.
#pragma once

#include <any>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

#include "filters/amount.h"
#include "filters/bands/window.h"
#include "filters/filter.h"
#include "filters/parts/tone_tables.h"

namespace scanlens {

template <class Params>
Params params_of(double Params::*);

enum class Values { any, whole };

/// The declaration of a parameter, a double in the filter's struct, whose initializer is what it is where
/// none is given: param<&BoxParams::radius>("radius", "pixels from …", 0, 100, Values::whole). `measure` says
/// which units it may have.
template <auto kMember>
constexpr Param param(std::string_view name, std::string_view help, double least, double most,
                      Values values = Values::any, Measure measure = Measure::number) {
  using Params = decltype(params_of(kMember));
  return {name,
          help,
          least,
          most,
          Params{}.*kMember,
          values == Values::whole,
          [](std::any& params) -> double& { return std::any_cast<Params&>(params).*kMember; },
          {},
          measure};
}

/// The declaration of a parameter that is a choice: choice<&Params::method>("method", "how …", kMethods),
/// where kMethods is an array of names that lasts as long as the program.
template <auto kMember, std::size_t kNames>
constexpr Param choice(std::string_view name, std::string_view help,
                       const std::string_view (&names)[kNames]) {
  Param made = param<kMember>(name, help, 0, kNames - 1, Values::whole);
  made.names = names;
  return made;
}

/// Copies the rows of a task that stay as they are.
template <class T>
void copy_rows(Context& context, const BandTask<T>& task) {
  const View<const T> rows = task.rows.region(0, task.first, task.out.width, task.out.height);
  if (rows.data != task.out.data) copy(context, rows, task.out);
}

template <class F>
constexpr MapKind map_of() {
  if constexpr (requires { F::kMap; }) return F::kMap;
  return MapKind::none;
}

template <class F>
constexpr bool takes_tones() {
  if constexpr (requires { F::kTakesTones; }) return F::kTakesTones;
  return false;
}

/// Runs a filter F on rows of one picture, with the tables that it reads.
template <class F>
struct RunOf {
  RunOf(Context& context, const FilterCall& call, int channels, int sample_bytes)
      : params(std::any_cast<const typename F::Params&>(call.params)), metric(call.metric) {
    if (is_overlay(map_of<F>())) overlay = call.map;
    if constexpr (takes_tones<F>()) {
      FilterCall own = call;
      if constexpr (requires { &F::toned; })
        if (sample_bytes <= 2 && !counts(context))
          own.tones = std::make_shared<const Tones>(
              F::toned(params, call.tones ? *call.tones : srgb_tones(sample_bytes), channels));
      tones = std::make_shared<ReadableTones>(context, own, sample_bytes);
    }
  }

  template <class T>
  void operator()(Context& context, BandTask<T> task) const {
    task.metric = metric;
    if (is_overlay(map_of<F>())) task.map = overlay;
    if constexpr (takes_tones<F>())
      F::run(context, params, task, tones->view());
    else
      F::run(context, params, task);
  }

  typename F::Params params;
  bool metric;
  View<const float> overlay = {};  ///< whole; maps come with their rows
  std::shared_ptr<const ReadableTones> tones;
};

/// Windows of rows for a filter F that keeps nothing between calls.
template <class F>
struct Windowed {
  using Params = typename F::Params;

  template <class T>
  static void run(Context& context, const FilterCall& call, const BandTask<T>& whole) {
    RunOf<F>(context, call, whole.out.channels, sizeof(T))(context, whole);
  }

  template <class T>
  static std::unique_ptr<BandWork> open(Context& context, const FilterCall& call, const RowFormat& format,
                                        std::int64_t band_rows) {
    const RunOf<F> run(context, call, format.channels, sizeof(T));
    const std::int64_t first_row = call.filter->first_row ? call.filter->first_row(call.params, format) : 0;
    const WindowShape shape(format, output_of(call, format), first_row, F::reach(run.params), band_rows);
    return open_window<T>(context, shape, is_overlay(map_of<F>()) ? View<const float>() : call.map, run);
  }
};

/// Bands as F has them, or else windows.
template <class F>
struct BandsOf : Windowed<F> {};
template <class F>
requires requires {
  typename F::Bands;
}
struct BandsOf<F> : F::Bands {};

/// Filter's functions, which find F's own struct in `params`.
template <class F>
struct FunctionsOf {
  using Params = typename F::Params;

  static const Params& own(const std::any& params) { return std::any_cast<const Params&>(params); }
  static constexpr bool same_everywhere() {
    if constexpr (requires { F::kSameEverywhere; }) return F::kSameEverywhere;
    return true;
  }
  static constexpr std::string_view example() {
    if constexpr (requires { F::kExample; }) return F::kExample;
    return {};
  }
  static constexpr RowFormat (*output())(const std::any&, const RowFormat&) {
    if constexpr (requires { &F::output; })
      return [](const std::any& params, const RowFormat& format) { return F::output(own(params), format); };
    else
      return nullptr;
  }
  static constexpr std::int64_t (*first_row())(const std::any&, const RowFormat&) {
    if constexpr (requires { &F::first_row; })
      return
          [](const std::any& params, const RowFormat& format) { return F::first_row(own(params), format); };
    else
      return nullptr;
  }
  static std::any defaults() { return Params{}; }
  static std::string problem(const std::any& params) {
    if constexpr (requires { &F::problem; }) return F::problem(own(params));
    return {};
  }
  static std::int64_t reach(const std::any& params) { return F::reach(own(params)); }

  template <class T>
  static void run(Context& context, const FilterCall& call, View<const T> image, View<T> out) {
    const RowFormat format{image.width, image.height, image.channels, sizeof(T)};
    const std::int64_t first = call.filter->first_row ? call.filter->first_row(call.params, format) : 0;
    BandsOf<F>::template run<T>(context, call, BandTask<T>{image, first, out, call.map, 0, image.height});
  }

  static std::unique_ptr<BandWork> open_bands(Context& context, const FilterCall& call,
                                              const RowFormat& format, std::int64_t band_rows) {
    const auto open = format.sample_bytes == 1   ? BandsOf<F>::template open<std::uint8_t>
                      : format.sample_bytes == 2 ? BandsOf<F>::template open<std::uint16_t>
                                                 : BandsOf<F>::template open<float>;
    return open(context, call, format, band_rows);
  }
};

/// F has
/// - `Params`: a struct of doubles, each with its initializer;
/// - `kName`, `kHelp`, `kParams` (an array of Param); `kMap` if it takes a map; `kSameEverywhere` = false if
///   backends may differ by a code; `kTakesTones` = true if it works in linear light;
///   `toned(params, tones, channels)` may give other tables of light;
/// - `problem(params)` and `kExample` where values may not go together (filters/filter.h);
/// - `output(params, format)` where the result may have another size, and then `Bands` or `first_row`;
/// - `first_row(params, format)` where pixels lie elsewhere: the row at which the result begins;
/// - `reach(params)`: how many columns and rows away a pixel depends on others, at most;
/// - `run<T>(context, params, BandTask<T>)`, which gets the picture's ToneView in the end with `kTakesTones`:
/// makes the rows asked for, of uint8_t, uint16_t and float, of
///   1, 3 and 4 channels; where the whole picture is given, `out` may be `rows`. Its memory comes from
///   Workspaces, and how much follows from the arguments without their samples.
/// A filter that knows a better way through bands has, in place of `run`, `Bands`: a struct with `run`
/// and `open` as Windowed has them.
template <class F>
constexpr Filter filter_of() {
  using Functions = FunctionsOf<F>;
  return {F::kName,
          F::kHelp,
          F::kParams,
          map_of<F>(),
          Functions::same_everywhere(),
          takes_tones<F>(),
          Functions::example(),
          Functions::defaults,
          Functions::problem,
          Functions::output(),
          Functions::first_row(),
          Functions::reach,
          {Functions::template run<std::uint8_t>, Functions::template run<std::uint16_t>,
           Functions::template run<float>},
          Functions::open_bands};
}

}  // namespace scanlens

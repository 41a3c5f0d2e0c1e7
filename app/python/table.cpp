// Summed-area tables.
#include <optional>

#include "app/python/contexts.h"
#include "app/python/groups.h"
#include "core/sat.h"
#include "filters/depth_of_field.h"

namespace scanlens::python {
namespace {

struct TableCall {
  In image;
  Out table;
  std::optional<Out> squares;
  bool linear, batch;
  Frames frames, table_frames;

  template <class T, class S>
  void run(Context& context) const {
    Workspace workspace(context);
    const View<const T> from = picture<T>(context, workspace, image, frames, batch);
    const View<S> to = picture<S>(table, table_frames, batch);
    Terms terms;
    if constexpr (std::is_integral_v<T> && sizeof(T) <= 2)
      if (linear) terms = dof_terms<T>(context, frames.channels);
    if (!squares) {
      summed_area_table<T, S>(context, from, to, terms, frames.images);
    } else if constexpr (SquaresInLibrary<T, S>) {
      const auto second = picture<SquareSum<S>>(*squares, table_frames, batch);
      summed_area_tables<T, S>(context, from, to, second, terms, frames.images);
    }
  }
};

void integral(In image, Out table, nb::object squares, bool linear, bool batch, std::uintptr_t stream) {
  TableCall call{image, table, {}, linear, batch, frames_of(image, batch), frames_of(table, batch)};
  Placed placed(stream, image, table);
  if (!squares.is_none()) {
    call.squares = nb::cast<Out>(squares);
    placed.add(*call.squares);
  }
  const Type from = type_of(image), to = type_of(table);
#define SCANLENS_TRY(T, S, summed, looked_up, squared)                                                \
  if (from == kTypeOf<T> && to == kTypeOf<S>) {                                                       \
    if (call.squares && (!SquaresInLibrary<T, S> || type_of(*call.squares) != kTypeOf<SquareSum<S>>)) \
      throw nb::type_error("squares take tables of uint64 or float64");                               \
    run_at(placed, [&](Context& context) { call.run<T, S>(context); });                               \
    return;                                                                                           \
  }
  SCANLENS_FOR_EACH_TABLE(SCANLENS_TRY)
#undef SCANLENS_TRY
  throw nb::type_error(
      ("no table of " + type_name(table.dtype()) + " from " + type_name(image.dtype())).c_str());
}

}  // namespace

void bind_tables(nb::module_& module) {
  module.def("integral", &integral, nb::arg("image"), nb::arg("table"), nb::arg("squares").none(),
             nb::arg("linear"), nb::arg("batch"), nb::arg("stream"));
}

}  // namespace scanlens::python

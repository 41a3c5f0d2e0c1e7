#include "core/transpose.h"

#include "core/runtime/checks.h"
#include "core/runtime/count.h"
#include "core/runtime/dispatch.h"
#include "core/transpose/backends.h"

namespace scanlens {

template <class T>
void compiled::transpose(Context& context, View<const T> in, View<T> out) {
  require_valid(in, "transpose", "in");
  require_valid(out, "transpose", "out");
  SCANLENS_REQUIRE(in.channels == 1 && out.channels == 1, "transpose: the views must have one channel");
  SCANLENS_REQUIRE(in.width == out.height && in.height == out.width,
                   fmt::format("transpose: `in` is {} but `out` is {}", shape(in), shape(out)));
  const bool in_place = in.data == out.data && in.width == in.height && in.pitch == out.pitch;
  SCANLENS_REQUIRE(in_place || !overlap(in, out),
                   "transpose: `in` and `out` overlap without being the same square");
  if (in.empty() || counts(context)) return;
  SCANLENS_DISPATCH(context, transpose, in, out);
}

namespace compiled {
SCANLENS_INSTANTIATE_TRANSPOSES
}

}  // namespace scanlens

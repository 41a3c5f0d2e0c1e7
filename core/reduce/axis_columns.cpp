// Folds of columns by vectors, which the compiler makes of plain loops for each instruction set.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "core/reduce/axis_columns.cpp"
#include <hwy/foreach_target.h>  // must come first
//
#include <hwy/highway.h>

#include "core/reduce/axis_columns.h"

HWY_BEFORE_NAMESPACE();
namespace scanlens::cpu::HWY_NAMESPACE {
namespace {

template <class State, class In, class Op>
HWY_INLINE void Take(State& state, const In& x, Op op) {
  if constexpr (std::is_same_v<State, CompensatedSum>) {
    const double next = x, total = state.sum + next, added = total - state.sum;
    state.lost += (state.sum - (total - added)) + (next - added);
    state.sum = total;
  } else if constexpr (std::is_integral_v<In> || std::is_same_v<State, In>) {
    state = op(state, static_cast<State>(x));
  } else {
    state += static_cast<State>(static_cast<float>(x));
  }
}

template <class In, class State, class Op>
HWY_INLINE void TakeRows(const Rows<In>& rows, State* HWY_RESTRICT state, Op op) {
  for (std::int64_t k = 0; k < rows.count; ++k) {
    const In* HWY_RESTRICT x = rows.data + k * rows.step;
    for (std::int64_t i = 0; i < rows.width; ++i) Take(state[i], x[i], op);
  }
}

template <class T, bool kLeast>
HWY_INLINE void PlaceRows(const Rows<T>& rows, T* HWY_RESTRICT best, std::int64_t* HWY_RESTRICT at) {
  for (std::int64_t k = 0; k < rows.count; ++k) {
    const T* HWY_RESTRICT x = rows.data + k * rows.step;
    const std::int64_t place = rows.first + k;
    for (std::int64_t i = 0; i < rows.width; ++i) {
      const T one = x[i], other = best[i];
      const bool better = (kLeast ? one < other : other < one) | ((one != one) & (other == other));
      best[i] = better ? one : other;
      at[i] = better ? place : at[i];
    }
  }
}

#define SCANLENS_DEFINE_TAKE(name, In, State, Op)              \
  void Take##name(const Rows<In>& rows, State* state, Op op) { \
    TakeRows(rows, state, op);                                 \
  }
SCANLENS_COLUMN_FOLDS(SCANLENS_DEFINE_TAKE)
#define SCANLENS_DEFINE_PLACE(T, name)                                       \
  void PlaceLeast##name(const Rows<T>& rows, T* best, std::int64_t* at) {    \
    PlaceRows<T, true>(rows, best, at);                                      \
  }                                                                          \
  void PlaceGreatest##name(const Rows<T>& rows, T* best, std::int64_t* at) { \
    PlaceRows<T, false>(rows, best, at);                                     \
  }
SCANLENS_FOR_EACH_EXTREME(SCANLENS_DEFINE_PLACE)

}  // namespace
}  // namespace scanlens::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace scanlens::cpu {

#define SCANLENS_EXPORT_TAKE(name, In, State, Op)             \
  HWY_EXPORT(Take##name);                                     \
  template <>                                                 \
  void take_rows(const Rows<In>& rows, State* state, Op op) { \
    return HWY_DYNAMIC_DISPATCH(Take##name)(rows, state, op); \
  }
SCANLENS_COLUMN_FOLDS(SCANLENS_EXPORT_TAKE)
#define SCANLENS_EXPORT_PLACE(T, name)                                        \
  HWY_EXPORT(PlaceLeast##name);                                               \
  HWY_EXPORT(PlaceGreatest##name);                                            \
  template <>                                                                 \
  void place_rows<T, true>(const Rows<T>& rows, T* best, std::int64_t* at) {  \
    return HWY_DYNAMIC_DISPATCH(PlaceLeast##name)(rows, best, at);            \
  }                                                                           \
  template <>                                                                 \
  void place_rows<T, false>(const Rows<T>& rows, T* best, std::int64_t* at) { \
    return HWY_DYNAMIC_DISPATCH(PlaceGreatest##name)(rows, best, at);         \
  }
SCANLENS_FOR_EACH_EXTREME(SCANLENS_EXPORT_PLACE)

}  // namespace scanlens::cpu
#endif  // HWY_ONCE

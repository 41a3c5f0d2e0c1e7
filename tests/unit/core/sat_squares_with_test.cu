// Tables of squares of kinds that the library does not hold compiled, by nvcc for both backends.
#include "core/sat_with.h"
#include "tests/unit/support/boxes.h"
#include "tests/unit/support/own_sat.h"

namespace scanlens {
namespace {

using test::check_kind;
using test::looked_up;
using test::Own;

class SatSquaresWith : public test::OnDevice {};

TEST_P(SatSquaresWith, OfFourChannels) {
  check_kind<std::uint8_t, std::uint32_t, 4, 4, true>(*context);
  check_kind<std::uint8_t, std::uint64_t, 4, 4, true>(*context, looked_up(false));
  check_kind<std::uint16_t, std::uint64_t, 4, 4, true>(*context);
}

TEST_P(SatSquaresWith, OfLookedUpSamples) {
  for (const bool wide : {false, true})
    check_kind<std::uint8_t, std::uint64_t, 3, 3, true>(*context, looked_up(wide));
}

TEST_P(SatSquaresWith, OfFloatsInIntegers) {
  Terms terms;
  terms.scale = 65535;
  terms.most = 65000;
  check_kind<float, std::uint64_t, 4, 4, true>(*context, terms);
}

TEST_P(SatSquaresWith, OfWords) {
  check_kind<std::uint32_t, std::uint32_t, 1, 1, true>(*context);
}

TEST_P(SatSquaresWith, OfTermsThatAreWeighed) {
  for (Terms terms : {Terms{}, looked_up(false), looked_up(true)}) {
    terms.weigh_by_alpha = true;
    check_kind<std::uint8_t, std::uint64_t, 4, 4, true>(*context, terms);
    check_kind<std::uint16_t, std::uint64_t, 4, 4, true>(*context, terms);
    if (HasFatalFailure()) return;
  }
  Terms terms;
  terms.weigh_by_alpha = true;
  terms.scale = 4095;
  terms.most = 4000;
  check_kind<float, std::uint64_t, 4, 4, true>(*context, terms);
}

TEST_P(SatSquaresWith, EveryBoxOfBothTables) {
  for (const auto& [width, height] : {std::pair{1, 1}, {9, 1}, {1, 9}, {13, 11}}) {
    test::check_boxes<std::uint8_t, std::uint32_t, Own<4, 4, true>>(
        *context, test::random_image<std::uint8_t>(width, height, 4));
    test::check_boxes<std::uint16_t, std::uint64_t, Own<4, 4, true>>(
        *context, test::random_image<std::uint16_t>(width, height, 4));
    if (HasFatalFailure()) return;
  }
}

TEST_P(SatSquaresWith, RefusesChannelsThatTheCallIsNotCompiledFor) {
  const Image<std::uint8_t> rgb(*context, 8, 6, 3), rgba(*context, 8, 6, 4);
  Image<std::uint32_t> table(*context, 8, 6, 4), planes(*context, 8, 6 * 4), narrow(*context, 8, 6, 3);
  Image<std::uint64_t> squares(*context, 8, 6, 4);
  EXPECT_NO_THROW((summed_area_tables<4, 4>(*context, rgba.view(), table.view(), squares.view())));
  EXPECT_THROW((summed_area_tables<4, 4>(*context, rgb.view(), table.view(), squares.view())), Error);
  EXPECT_NO_THROW((summed_area_table<4, 4>(*context, rgba.view(), planes.view())));
  EXPECT_THROW((summed_area_table<4, 4>(*context, rgb.view(), narrow.view())), Error);
}

SCANLENS_ON_EVERY_DEVICE(SatSquaresWith);

}  // namespace
}  // namespace scanlens

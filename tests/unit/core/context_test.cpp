#include "core/context.h"

#include "support/support.h"

namespace scanlens {
namespace {

using test::OnDevice;

TEST(Context, OpensTheCpuByName) {
  const Context context = Context::open("cpu");
  EXPECT_EQ(context.backend(), Backend::cpu);
  EXPECT_EQ(context.device().id, "cpu");
  EXPECT_FALSE(context.device().name.empty());
  EXPECT_EQ(context.cuda_ordinal(), -1);
}

TEST(Context, AutoTakesTheFirstDeviceListed) {
  EXPECT_EQ(Context::open("auto").device().id, Context::devices().front().id);
  EXPECT_EQ(Context::devices().back().id, "cpu");
}

TEST(Context, RefusesAnUnknownDevice) {
  try {
    Context::open("gpu");
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::usage);
    EXPECT_NE(std::string(error.what()).find("'gpu'"), std::string::npos);
  }
}

TEST(Context, NeverFallsBackFromADeviceAskedForByName) {
  try {
    Context::open("cuda:99");
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("'cuda:99' is not available"), std::string::npos)
        << error.what();
  }
}

TEST(Memory, SaysSoWhenThereIsNotThatMuch) {
  try {
    Memory memory(Backend::cpu, std::size_t{1} << 62);
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::retry);
  }
}

TEST(Memory, IsAlignedAndMoves) {
  Memory memory(Backend::cpu, 100);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(memory.data()) % 64, 0u);
  std::byte* const data = memory.data();
  Memory moved = std::move(memory);
  EXPECT_EQ(moved.data(), data);
  EXPECT_EQ(memory.data(), nullptr);
}

TEST_P(OnDevice, WorkspaceIsReusedFromCallToCall) {
  std::vector<std::byte*> first;
  for (int round = 0; round < 3; ++round) {
    Workspace outer(*context);
    std::vector<std::byte*> taken = {outer.take<std::byte>(100), outer.take<std::byte>(3 << 20)};
    {
      Workspace inner(*context);
      taken.push_back(inner.take<std::byte>(5000));
    }
    taken.push_back(outer.take<std::byte>(5000));
    EXPECT_EQ(taken[2], taken[3]) << "an inner workspace gives back what it took";
    EXPECT_GE(std::abs(taken[0] - taken[1]), 100);
    if (round == 0) first = taken;
    EXPECT_EQ(taken, first);
  }
}

TEST_P(OnDevice, CopiesRegionsBothWays) {
  const Image<std::uint16_t> source = test::random_image<std::uint16_t>(37, 21, 3);
  test::Padded<std::uint16_t> device(*context, source.view());
  Image<std::uint16_t> back(37, 21, 3);
  copy(*context, View<const std::uint16_t>(device.view), back.view());
  context->synchronize();
  test::expect_equal<std::uint16_t>(back.view(), source.view(), "copy");
}

TEST_P(OnDevice, CopyRefusesViewsThatDifferOrOverlap) {
  Image<std::uint8_t> image(*context, 8, 8);
  EXPECT_THROW(copy(*context, image.view(), image.view()), Error);
  EXPECT_THROW(copy(*context, image.view().region(0, 0, 4, 4), image.view().region(4, 4, 4, 3)), Error);
}

TEST_P(OnDevice, ResidentTablesAreReadableAndMadeOnce) {
  static const std::uint32_t table[] = {3, 1, 4, 1, 5};
  const std::uint32_t* resident = context->resident(table, 5);
  EXPECT_EQ(context->resident(table, 5), resident);
  Image<std::uint32_t> back(5, 1);
  if (context->on_cuda())
    copy(*context, View<const std::uint32_t>(resident, 5, 1), back.view());
  else
    EXPECT_EQ(resident, table);
  context->synchronize();
  if (context->on_cuda()) {
    test::expect_equal<std::uint32_t>(back.view(), View<const std::uint32_t>(table, 5, 1), "resident");
  }
}

TEST_P(OnDevice, TimesWork) {
  EXPECT_GE(context->time([] {}), 0.0);
}

SCANLENS_ON_EVERY_DEVICE(OnDevice);

}  // namespace
}  // namespace scanlens

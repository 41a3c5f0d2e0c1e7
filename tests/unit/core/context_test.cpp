#include "core/context.h"

#include <algorithm>
#include <memory>

#include "core/devices.h"
#include "core/graph.h"
#include "core/runtime/context_impl.h"
#include "core/runtime/count.h"
#include "core/sat.h"
#include "tests/unit/support/guarded.h"

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
  EXPECT_EQ(Context::open("auto").device().id, devices().front().id);
  EXPECT_EQ(devices().back().id, "cpu");
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

/// Opens `device` on a machine of three GPUs; those from `first_good` on work.
std::unique_ptr<Context::Impl> open_beside_bad(std::string_view device, int first_good) {
  return open_first(device, 3, "", [&](int ordinal) {
    if (ordinal < first_good) throw Error(ErrorKind::retry, "GPU " + std::to_string(ordinal) + " is broken");
    auto impl = std::make_unique<Context::Impl>();
    impl->backend = Backend::cuda;
    impl->device.id = "cuda:" + std::to_string(ordinal);
    return impl;
  });
}

TEST(Context, GoesOnToTheNextDeviceWhenOneDoesNotOpen) {
  for (const char* device : {"auto", "cuda"}) {
    EXPECT_EQ(open_beside_bad(device, 0)->device.id, "cuda:0");
    EXPECT_EQ(open_beside_bad(device, 2)->device.id, "cuda:2");
  }
  EXPECT_EQ(open_beside_bad("auto", 3)->backend, Backend::cpu);
  EXPECT_EQ(open_beside_bad("cpu", 0)->backend, Backend::cpu);
  EXPECT_EQ(open_beside_bad("cuda:1", 1)->device.id, "cuda:1");
}

TEST(Context, SaysWhyADeviceAskedForByNameDoesNotOpen) {
  const auto cause = [](std::string_view device, ErrorKind kind) {
    try {
      open_beside_bad(device, 3);
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), kind) << device;
      return std::string(error.what());
    }
    return std::string("no error");
  };
  EXPECT_EQ(cause("cuda:1", ErrorKind::retry), "device 'cuda:1' is not available: GPU 1 is broken");
  EXPECT_EQ(cause("cuda", ErrorKind::retry), "device 'cuda' is not available: GPU 2 is broken");
  EXPECT_EQ(cause("cuda:3", ErrorKind::failed),
            "device 'cuda:3' is not available: there is no CUDA device of that number");
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

TEST(CountMemory, CountsTheMostThatWorkspacesHoldAtOnce) {
  std::byte *whole = nullptr, *part = nullptr, *later = nullptr;
  const CallMemory memory = count_memory([&](Context& context) {
    EXPECT_TRUE(counts(context));
    Workspace outer(context);
    whole = outer.take<std::byte>(std::int64_t{1} << 50);
    {
      Workspace inner(context);
      part = inner.take<std::byte>(5000);
      count_beside(context, 70);
    }
    later = outer.take<std::byte>(100);
    count_beside(context, 50);
    EXPECT_EQ(context.kept_bytes(), 0u);
  });
  EXPECT_EQ(memory.workspace, (std::int64_t{1} << 50) + 5120);
  EXPECT_EQ(memory.beside, 70);
  EXPECT_GE(part - whole, std::int64_t{1} << 50);
  EXPECT_EQ(part, later);
}

TEST(CountMemory, CountsWhatLibraryCallsTake) {
  const View<const std::uint8_t> image(nowhere<const std::uint8_t>(1), 300, 200);
  const auto count = [&](bool squares) {
    return count_memory([&](Context& context) {
             Workspace workspace(context);
             const View<std::uint32_t> table(workspace.take<std::uint32_t>(300 * 200), 300, 200);
             if (!squares) return summed_area_table(context, image, table);
             const View<std::uint64_t> of_squares(workspace.take<std::uint64_t>(300 * 200), 300, 200);
             summed_area_tables(context, image, table, of_squares);
           })
        .workspace;
  };
  EXPECT_GE(count(false), 300 * 200 * 4 + summed_area_table_workspace(300, 200, 1, 4));
  EXPECT_GE(count(true), 300 * 200 * 12 + summed_area_table_workspace(300, 200, 1, 12));
}

TEST_P(OnDevice, WorkspacesThatGrowSlowlyKeepLittle) {
  constexpr std::int64_t kFirst = 4 << 20, kStep = kFirst / 100;
  for (std::int64_t bytes = kFirst; bytes < 2 * kFirst; bytes += kStep) {
    Workspace outer(*context);
    std::byte* const whole = outer.take<std::byte>(bytes);
    Workspace inner(*context);
    std::byte* const half = inner.take<std::byte>(bytes / 2);
    EXPECT_TRUE(half >= whole + bytes || half + bytes / 2 <= whole) << "scratch in use was given away";
    EXPECT_LE(context->kept_bytes(), static_cast<std::size_t>(3 * bytes)) << bytes;
  }
}

TEST_P(OnDevice, TrimGivesBackWhatNoWorkspaceUses) {
  const std::size_t before = context->kept_bytes();
  {
    Workspace outer(*context);
    outer.take<std::byte>(3 << 20);
    {
      Workspace inner(*context);
      inner.take<std::byte>(5 << 20);
    }
    EXPECT_GE(context->kept_bytes(), before + (8 << 20));
    context->trim();
    EXPECT_GE(context->kept_bytes(), before + (3 << 20)) << "an open workspace lost its memory";
    EXPECT_LT(context->kept_bytes(), before + (5 << 20));
  }
  context->trim();
  EXPECT_EQ(context->kept_bytes(), before);
}

TEST_P(OnDevice, TrimLeavesWhatAGraphMayName) {
  if (!context->on_cuda()) GTEST_SKIP() << "a graph on the CPU makes its calls again";
  constexpr std::int64_t kBytes = 4 << 20;
  const auto take = [&] {
    Workspace workspace(*context);
    workspace.take<std::byte>(kBytes);
  };
  {
    Graph graph(*context, take);
    context->trim();
    EXPECT_GE(context->kept_bytes(), std::size_t{kBytes});
    Workspace larger(*context);
    larger.take<std::byte>(2 * kBytes);
    EXPECT_GE(context->kept_bytes(), std::size_t{3 * kBytes}) << "the block of the recording is gone";
  }
  context->trim();
  EXPECT_LT(context->kept_bytes(), std::size_t{kBytes});
}

TEST_P(OnDevice, ScratchThatIsNotToBeHadLeavesTheContextUsable) {
  Workspace workspace(*context);
  EXPECT_THROW(workspace.take<std::byte>(std::int64_t{1} << 60), Error);
  EXPECT_NE(workspace.take<std::byte>(1 << 20), nullptr);
}

TEST_P(OnDevice, ACopyFromHostMemoryIsCompleteWhenItReturns) {
  constexpr std::int64_t kWidth = 8 << 20;
  Image<std::uint32_t> device(*context, kWidth, 1);
  std::vector<std::uint32_t> host(kWidth), back(kWidth);
  for (std::uint32_t round = 1; round < 4; ++round) {
    std::fill(host.begin(), host.end(), round);
    copy(*context, View<const std::uint32_t>(host.data(), kWidth, 1), device.view());
    std::fill(host.begin(), host.end(), 0u);
    copy(*context, View<const std::uint32_t>(device.view()), View<std::uint32_t>(back.data(), kWidth, 1));
    EXPECT_EQ(std::count(back.begin(), back.end(), round), kWidth);
  }
}

TEST_P(OnDevice, CopiesRegionsBothWays) {
  const Image<std::uint16_t> source = test::random_image<std::uint16_t>(37, 21, 3);
  test::GuardedArray<std::uint16_t> device(*context, source.view());
  Image<std::uint16_t> back(37, 21, 3);
  copy(*context, View<const std::uint16_t>(device.view()), back.view());
  context->synchronize();
  test::expect_equal<std::uint16_t>(back.view(), source.view(), "copy");
}

TEST_P(OnDevice, CopiesLargeImagesBothWays) {
  // Bytes around the sizes from which CUDA copies by chunks, around whole chunks, and of odd rows.
  for (const std::int64_t bytes :
       {(4 << 20) - 1, 4 << 20, (4 << 20) + 1, 8 << 20, (10 << 20) + 1, 25165843}) {
    const Image<std::uint8_t> source = test::random_image<std::uint8_t>(bytes, 1);
    Image<std::uint8_t> device(*context, bytes, 1), back(bytes, 1);
    copy(*context, source.view(), device.view());
    copy(*context, View<const std::uint8_t>(device.view()), back.view());
    test::expect_equal<std::uint8_t>(back.view(), source.view(), "copy");
  }
  const Image<std::uint8_t> source = test::random_image<std::uint8_t>(1999, 1501, 3);
  Image<std::uint8_t> device(*context, 2100, 1600, 3), back(1999, 1501, 3);
  copy(*context, source.view(), device.view().region(50, 40, 1999, 1501));
  copy(*context, View<const std::uint8_t>(device.view()).region(50, 40, 1999, 1501), back.view());
  context->synchronize();
  test::expect_equal<std::uint8_t>(back.view(), source.view(), "copy of a region");
}

TEST_P(OnDevice, CopyRefusesViewsThatDifferOrOverlap) {
  Image<std::uint8_t> image(*context, 8, 8);
  EXPECT_THROW(copy(*context, image.view(), image.view()), Error);
  EXPECT_THROW(copy(*context, image.view().region(0, 0, 4, 4), image.view().region(4, 4, 4, 3)), Error);
}

TEST_P(OnDevice, ResidentTablesAreReadableAndMadeOnce) {
  static const std::uint32_t table[] = {3, 1, 4, 1, 5};
  const std::uint32_t* readable = context->readable(table, 5);
  EXPECT_EQ(context->readable(table, 5), readable);
  Image<std::uint32_t> back(5, 1);
  if (context->on_cuda())
    copy(*context, View<const std::uint32_t>(readable, 5, 1), back.view());
  else
    EXPECT_EQ(readable, table);
  context->synchronize();
  if (context->on_cuda()) {
    test::expect_equal<std::uint32_t>(back.view(), View<const std::uint32_t>(table, 5, 1), "readable");
  }
}

TEST_P(OnDevice, TimesWork) {
  EXPECT_GE(context->time([] {}), 0.0);
}

SCANLENS_ON_EVERY_DEVICE(OnDevice);

}  // namespace
}  // namespace scanlens

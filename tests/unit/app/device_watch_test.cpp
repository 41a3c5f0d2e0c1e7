// Waits for devices are seen, and one without an end is told.
#include "app/session/device_watch.h"

#include <gtest/gtest.h>

#include <chrono>
#include <future>
#include <string>
#include <thread>

#include "core/devices.h"
#include "core/runtime/wait_mark.h"

namespace scanlens {
namespace {

using namespace std::chrono_literals;

TEST(DeviceWait, TheOldestMarkIsTheLongest) {
  EXPECT_FALSE(longest_device_wait());
  {
    const WaitMark first(2);
    std::this_thread::sleep_for(2ms);
    const WaitMark second(1);
    const auto wait = longest_device_wait();
    ASSERT_TRUE(wait);
    EXPECT_EQ(wait->cuda_ordinal, 2);
    EXPECT_GE(wait->lasts, 2ms);
  }
  EXPECT_FALSE(longest_device_wait());
}

TEST(DeviceWatch, NamesADeviceThatIsSilent) {
  std::promise<std::string> said;
  std::future<std::string> cause = said.get_future();
  const WaitMark mark(3);
  const DeviceWatch watch(20ms, [&](const std::string& line) { said.set_value(line); });
  ASSERT_EQ(cause.wait_for(60s), std::future_status::ready);
  EXPECT_TRUE(cause.get().starts_with("cuda:3: gives no sign of life for "));
}

TEST(DeviceWatch, GoesWithoutWaitingForItsPatience) {
  const auto begin = std::chrono::steady_clock::now();
  {
    const DeviceWatch watch(1h, [](const std::string& line) { ADD_FAILURE() << line; });
  }
  EXPECT_LT(std::chrono::steady_clock::now() - begin, 30min);
}

}  // namespace
}  // namespace scanlens

// Simulated ranks: all on one context.
#include <vector>

#include "core/image.h"
#include "core/ranks/transport.h"

namespace scanlens {
namespace {

class Simulated final : public Transport {
 public:
  Simulated(Context& context, int count) : context_(context), count_(static_cast<std::size_t>(count)) {}

  void all_gather(std::span<std::byte* const>, std::size_t) override {}

  void exchange(std::span<const Message> sends, std::span<const Message> receives) override {
    std::vector<const Message*> sent(count_ * count_);
    for (const Message& send : sends)
      sent[static_cast<std::size_t>(send.local) * count_ + static_cast<std::size_t>(send.peer)] = &send;
    for (const Message& receive : receives) {
      const Message& send =
          *sent[static_cast<std::size_t>(receive.peer) * count_ + static_cast<std::size_t>(receive.local)];
      const auto bytes = static_cast<std::int64_t>(send.bytes);
      copy_bytes(context_, send.data, bytes, receive.data, bytes, bytes, 1);
    }
  }

  void wait(int) override { context_.synchronize(); }
  bool shares_memory() const override { return true; }

 private:
  Context& context_;
  std::size_t count_;
};

}  // namespace

std::unique_ptr<Transport> simulated_transport(Context& context, int count) {
  return std::make_unique<Simulated>(context, count);
}

}  // namespace scanlens

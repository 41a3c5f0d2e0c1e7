// The memory that a context keeps from call to call.
#include <algorithm>
#include <optional>
#include <utility>

#include "core/error.h"
#include "core/runtime/context_impl.h"
#include "core/runtime/cuda_backend.h"

namespace scanlens {
namespace {

constexpr std::size_t kAlignment = 256;
constexpr std::size_t kLeastBlock = std::size_t{1} << 20;

std::size_t bytes_of(const std::vector<Block>& blocks) {
  std::size_t bytes = 0;
  for (const Block& block : blocks) bytes += block.memory.bytes();
  return bytes;
}

/// Returns the size of a block that replaces one of `bytes`, which is too small. Requests that grow slowly
/// then allocate seldom, and hold at most half as much again as the largest needs.
std::size_t grown(std::size_t bytes) {
  return bytes + bytes / 2;
}

/// Adds a block of at least `bytes` behind those in use. Blocks that are there already are too small, and are
/// freed unless a graph can name them.
void add_block(Context::Impl& arena, std::size_t bytes) {
  std::size_t outgrown = 0;
  for (std::size_t i = arena.first_idle(); i < arena.blocks.size(); ++i)
    outgrown = std::max(outgrown, arena.blocks[i].memory.bytes());
  if (outgrown > 0) arena.trim();
  const std::size_t least = std::max(bytes, kLeastBlock);
  Memory memory;
  try {
    memory = arena.allocate(std::max(least, grown(outgrown)));
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::retry || grown(outgrown) <= least) throw;
    memory = arena.allocate(least);
  }
  arena.blocks.push_back({std::move(memory)});
}

}  // namespace

Memory Context::Impl::allocate(std::size_t bytes) {
  const int ordinal = std::max(cuda_ordinal, 0);
  try {
    return Memory(backend, bytes, ordinal);
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::retry || !trim()) throw;
  }
  return Memory(backend, bytes, ordinal);
}

bool Context::Impl::trim() {
  const auto idle = blocks.begin() + static_cast<std::ptrdiff_t>(std::min(first_idle(), blocks.size()));
  const auto can_go = [this](const Block& block) { return !pinned(block); };
  const auto nobody_holds = [](const auto& thing) { return thing.second.use_count() <= 1; };
  bool any = std::any_of(idle, blocks.end(), can_go) || !spare.empty() ||
             std::any_of(things.begin(), things.end(), nobody_holds);
  for (const Meeting& meeting : meetings)
    any = any || std::any_of(meeting.memories.begin(), meeting.memories.end() - 1, can_go);
  if (!any) return false;

  if (backend == Backend::cuda) gpu::synchronize(*this);  // work still queued may use them
  blocks.erase(std::remove_if(idle, blocks.end(), can_go), blocks.end());
  spare.clear();
  if (!things.empty()) {
    std::optional<gpu::DeviceGuard> device;
    if (backend == Backend::cuda) device.emplace(*this);
    std::erase_if(things, nobody_holds);
  }
  for (Meeting& meeting : meetings)
    meeting.memories.erase(std::remove_if(meeting.memories.begin(), meeting.memories.end() - 1, can_go),
                           meeting.memories.end() - 1);
  return true;
}

std::shared_ptr<const char> Context::Impl::pin() {
  for (Block& each : blocks) each.recorded = true;
  for (Meeting& meeting : meetings)
    for (Block& each : meeting.memories) each.recorded = true;
  return recordings;
}

std::byte* Context::Impl::meeting_memory(const MeetingPlace& place, std::size_t bytes) {
  // The search is linear: there are as many meetings as kinds of kernels whose blocks meet, a handful.
  auto found = std::find_if(meetings.begin(), meetings.end(),
                            [&](const Meeting& meeting) { return meeting.place == &place; });
  const std::size_t has = found == meetings.end() ? 0 : found->memories.back().memory.bytes();
  if (has >= bytes) return found->memories.back().memory.data();
  Memory memory = allocate(std::max(bytes, 2 * has));
  gpu::zero(*this, memory.data(), memory.bytes());
  if (found == meetings.end()) {
    std::vector<Block> first;
    first.push_back({std::move(memory)});
    found = meetings.insert(meetings.end(), Meeting{&place, std::move(first)});
  } else {
    found->memories.push_back({std::move(memory)});
  }
  return found->memories.back().memory.data();
}

void Context::trim() {
  impl_->trim();
}

std::size_t Context::kept_bytes() const {
  std::size_t bytes = bytes_of(impl_->blocks);
  for (const Memory& memory : impl_->spare) bytes += memory.bytes();
  for (const Impl::Meeting& meeting : impl_->meetings) bytes += bytes_of(meeting.memories);
  return bytes;
}

Workspace::Workspace(Context& context)
    : context_(context), block_(context.impl().block), used_(context.impl().used) {}

Workspace::~Workspace() {
  context_.impl().block = block_;
  context_.impl().used = used_;
}

std::byte* Workspace::take_bytes(std::size_t bytes) {
  Context::Impl& arena = context_.impl();
  bytes = (bytes + kAlignment - 1) / kAlignment * kAlignment;
  std::size_t block = arena.block, used = arena.used;
  while (block < arena.blocks.size() && bytes > arena.blocks[block].memory.bytes() - used) {
    ++block;
    used = 0;
  }
  if (block == arena.blocks.size()) {
    add_block(arena, bytes);
    block = arena.blocks.size() - 1;
    used = 0;
  }
  arena.block = block;
  arena.used = used + bytes;
  return arena.blocks[block].memory.data() + used;
}

}  // namespace scanlens

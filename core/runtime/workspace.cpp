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

std::size_t bytes_of(const std::vector<Memory>& memories) {
  std::size_t bytes = 0;
  for (const Memory& memory : memories) bytes += memory.bytes();
  return bytes;
}

/// Returns the size of a block that replaces one of `bytes`, which is too small. Requests that grow slowly
/// then allocate seldom, and hold at most half as much again as the largest needs.
std::size_t grown(std::size_t bytes) {
  return bytes + bytes / 2;
}

/// Adds a block of at least `bytes` behind those in use. Blocks that are there already are too small, and are
/// freed unless a graph names them.
void add_block(Context::Impl& context, Arena& arena, std::size_t bytes) {
  std::size_t outgrown = 0;
  for (std::size_t i = arena.first_idle(); i < arena.blocks.size(); ++i)
    outgrown = std::max(outgrown, arena.blocks[i].bytes());
  if (outgrown > 0 && &arena == context.live.get()) context.trim();
  const std::size_t least = std::max(bytes, kLeastBlock);
  Memory memory;
  try {
    memory = context.allocate(std::max(least, grown(outgrown)));
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::retry || grown(outgrown) <= least) throw;
    memory = context.allocate(least);
  }
  arena.blocks.push_back(std::move(memory));
}

}  // namespace

std::size_t Arena::bytes() const {
  std::size_t bytes = bytes_of(blocks) + bytes_of(spare);
  for (const Meeting& meeting : meetings) bytes += bytes_of(meeting.memories);
  return bytes;
}

std::shared_ptr<Arena> Context::Impl::arena() {
  if (recording) return recording;
  if (owns_stream || backend == Backend::cpu) return live;
  const gpu::Capture capture = gpu::capture_of(*this);
  if (capture.id == 0) return live;
  for (const Captured& each : captured)
    if (each.id == capture.id)
      if (std::shared_ptr<Arena> known = each.arena.lock()) return known;
  auto own = std::make_shared<Arena>();
  gpu::let_own(capture.graph, own);
  add_captured(capture.id, own);
  return own;
}

void Context::Impl::add_captured(std::uint64_t id, const std::shared_ptr<Arena>& arena) {
  std::erase_if(captured, [](const Captured& each) { return each.arena.expired(); });
  captured.push_back({id, arena});
}

Memory Context::Impl::allocate(std::size_t bytes, Use use) {
  if (backend == Backend::cpu) return Memory(backend, bytes);
  gpu::free_ended_arenas();
  const bool capturing = gpu::capture_of(*this).id != 0;
  const bool by_allocator =
      allocator && ((!capturing && !recording) ||
                    (allocator->keeps_through_capture() && !(capturing && use == Use::meeting)));
  const auto memory = [&] {
    return by_allocator ? Memory(allocator, bytes, cuda_ordinal, stream)
                        : Memory(backend, bytes, cuda_ordinal);
  };
  try {
    return memory();
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::retry || capturing || !trim()) throw;
  }
  return memory();
}

bool Context::Impl::trim() {
  Arena& arena = *live;
  const auto idle =
      arena.blocks.begin() + static_cast<std::ptrdiff_t>(std::min(arena.first_idle(), arena.blocks.size()));
  const auto nobody_holds = [](const auto& thing) { return thing.second.use_count() <= 1; };
  bool any = idle != arena.blocks.end() || !arena.spare.empty() ||
             std::any_of(things.begin(), things.end(), nobody_holds);
  for (const Arena::Meeting& meeting : arena.meetings) any = any || meeting.memories.size() > 1;
  if (!any) return false;

  if (backend == Backend::cuda) gpu::synchronize(*this);  // work still queued may use them
  arena.blocks.erase(idle, arena.blocks.end());
  arena.spare.clear();
  if (!things.empty()) {
    std::optional<gpu::DeviceGuard> device;
    if (backend == Backend::cuda) device.emplace(*this);
    std::erase_if(things, nobody_holds);
  }
  for (Arena::Meeting& meeting : arena.meetings)
    meeting.memories.erase(meeting.memories.begin(), meeting.memories.end() - 1);
  return true;
}

std::byte* Context::Impl::meeting_memory(const MeetingPlace& place, std::size_t bytes) {
  const std::shared_ptr<Arena> own = arena();
  // The search is linear: there are as many meetings as kinds of kernels whose blocks meet, a handful.
  auto found = std::find_if(own->meetings.begin(), own->meetings.end(),
                            [&](const Arena::Meeting& meeting) { return meeting.place == &place; });
  const std::size_t has = found == own->meetings.end() ? 0 : found->memories.back().bytes();
  if (has >= bytes) return found->memories.back().data();
  Memory memory = allocate(std::max(bytes, 2 * has), Use::meeting);
  gpu::zero(*this, memory.data(), memory.bytes());
  if (found == own->meetings.end()) {
    std::vector<Memory> first;
    first.push_back(std::move(memory));
    found = own->meetings.insert(own->meetings.end(), {&place, std::move(first)});
  } else {
    found->memories.push_back(std::move(memory));
  }
  return found->memories.back().data();
}

void Context::trim() {
  refuse_capture(*this, "trim");
  if (on_cuda()) gpu::free_ended_arenas();
  impl_->trim();
}

void Context::reserve(std::size_t bytes) {
  Workspace workspace(*this);
  workspace.take<std::byte>(static_cast<std::int64_t>(bytes));
}

std::size_t Context::kept_bytes() const {
  std::size_t bytes = impl_->live->bytes();
  for (const Impl::Captured& each : impl_->captured)
    if (const std::shared_ptr<Arena> arena = each.arena.lock()) bytes += arena->bytes();
  return bytes;
}

Workspace::Workspace(Context& context)
    : context_(context), arena_(*context.impl().arena()), block_(arena_.block), used_(arena_.used) {}

Workspace::~Workspace() {
  arena_.block = block_;
  arena_.used = used_;
}

std::byte* Workspace::take_bytes(std::size_t bytes) {
  bytes = (bytes + kAlignment - 1) / kAlignment * kAlignment;
  if (CallMemory* const counted = context_.impl().counted) {
    std::byte* const place = nowhere<std::byte>(8) + arena_.used;
    arena_.used += bytes;
    counted->workspace = std::max(counted->workspace, static_cast<std::int64_t>(arena_.used));
    return place;
  }
  std::size_t block = arena_.block, used = arena_.used;
  while (block < arena_.blocks.size() && bytes > arena_.blocks[block].bytes() - used) {
    ++block;
    used = 0;
  }
  if (block == arena_.blocks.size()) {
    add_block(context_.impl(), arena_, bytes);
    block = arena_.blocks.size() - 1;
    used = 0;
  }
  arena_.block = block;
  arena_.used = used + bytes;
  return arena_.blocks[block].data() + used;
}

CallMemory count_memory(const std::function<void(Context&)>& call) {
  Context context = Context::open("cpu");
  CallMemory counted;
  context.impl().counted = &counted;
  call(context);
  return counted;
}

bool counts(const Context& context) {
  return context.impl().counted != nullptr;
}

void count_beside(const Context& context, std::int64_t bytes) {
  if (CallMemory* const counted = context.impl().counted) counted->beside = std::max(counted->beside, bytes);
}

}  // namespace scanlens

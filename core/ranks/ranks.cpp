#include "core/ranks.h"

#include <set>
#include <utility>

#include "core/ranks/group.h"
#include "core/runtime/checks.h"
#include "core/runtime/context_impl.h"

namespace scanlens {
namespace {

std::unique_ptr<Ranks::Impl> make(std::vector<Context*> contexts, std::unique_ptr<Transport> transport,
                                  nccl::Membership membership, [[maybe_unused]] const RanksOptions& options) {
  auto impl = std::make_unique<Ranks::Impl>();
  impl->contexts = std::move(contexts);
  impl->transport = std::move(transport);
  impl->first = membership.rank;
  impl->count = membership.count;
#ifdef NDEBUG
  impl->check = options.check;
#else
  impl->check = true;
#endif
  if (!impl->transport->shares_memory())
    for (int i = 0; i < impl->local(); ++i)
      impl->context(i).impl().wait = [transport = impl->transport.get(), i] { transport->wait(i); };
  return impl;
}

void require_cuda(const char* call, const Context& context) {
  SCANLENS_REQUIRE(context.on_cuda(), std::string(call) +
                                          ": several ranks take CUDA contexts; simulated() takes one of the "
                                          "CPU");
}

}  // namespace

Ranks::Impl::~Impl() {
  for (Context* context : contexts)
    if (context->impl().wait) context->impl().wait = nullptr;
}

Ranks::Ranks(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Ranks::Ranks(Ranks&&) noexcept = default;
Ranks& Ranks::operator=(Ranks&&) noexcept = default;
Ranks::~Ranks() = default;

Ranks::Id Ranks::make_id() {
  return nccl::make_id();
}

Ranks Ranks::join(Context& context, const Id& id, int rank, int count, const RanksOptions& options) {
  SCANLENS_REQUIRE(0 <= rank && rank < count, fmt::format("join: rank {} is not one of {}", rank, count));
  require_cuda("join", context);
  return Ranks(
      make({&context}, nccl::join(context, id, {rank, count}, options.time_limit), {rank, count}, options));
}

Ranks Ranks::of(Context& context, void* nccl_communicator, const RanksOptions& options) {
  require_cuda("of", context);
  return Ranks(make({&context}, nccl::borrow(context, nccl_communicator, options.time_limit),
                    nccl::membership_of(nccl_communicator), options));
}

Ranks Ranks::of(std::span<Context> contexts, const RanksOptions& options) {
  SCANLENS_REQUIRE(!contexts.empty(), "of: there is no context");
  if (contexts.size() == 1) return simulated(contexts.front(), 1, options);
  std::vector<Context*> all;
  std::set<int> ordinals;
  for (Context& context : contexts) {
    require_cuda("of", context);
    SCANLENS_REQUIRE(
        ordinals.insert(context.cuda_ordinal()).second,
        fmt::format("of: two contexts are on cuda:{}; NCCL takes one rank a GPU", context.cuda_ordinal()));
    all.push_back(&context);
  }
  auto transport = nccl::connect(all, options.time_limit);
  const int count = static_cast<int>(all.size());
  return Ranks(make(std::move(all), std::move(transport), {0, count}, options));
}

Ranks Ranks::simulated(Context& context, int count, const RanksOptions& options) {
  SCANLENS_REQUIRE(count >= 1, fmt::format("simulated: {} ranks are not possible", count));
  return Ranks(make(std::vector<Context*>(static_cast<std::size_t>(count), &context),
                    simulated_transport(context, count), {0, count}, options));
}

int Ranks::count() const {
  return impl_->count;
}
int Ranks::first() const {
  return impl_->first;
}
int Ranks::local() const {
  return impl_->local();
}
Context& Ranks::context(int local) const {
  return impl_->context(local);
}
void Ranks::synchronize() {
  for (int i = 0; i < impl_->local(); ++i) impl_->transport->wait(i);
}

void require_parts(const Ranks::Impl& ranks, const char* call, std::size_t parts, const char* what) {
  SCANLENS_REQUIRE(parts == ranks.contexts.size(), fmt::format("{}: `{}` has {} parts for {} ranks", call,
                                                               what, parts, ranks.contexts.size()));
}

}  // namespace scanlens

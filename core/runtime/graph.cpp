#include "core/graph.h"

#include <utility>

#include "core/runtime/context_impl.h"
#include "core/runtime/cuda_backend.h"

namespace scanlens {

struct Graph::Impl {
  Context& context;
  std::function<void()> work;
  int cuda_ordinal = context.cuda_ordinal();  ///< kept, because the context may be gone first
  void* recorded = nullptr;                   ///< cudaGraphExec_t
  std::shared_ptr<const char> pin = {};       ///< of the context's memory, which the recording names

  ~Impl() {
    if (recorded) gpu::destroy_graph(cuda_ordinal, recorded);
  }
};

Graph::Graph(Context& context, std::function<void()> work) : impl_(new Impl{context, std::move(work)}) {
  impl_->work();
  if (!context.on_cuda()) return;
  context.synchronize();
  impl_->recorded = gpu::record(context, impl_->work);
  impl_->pin = context.impl().pin();
}

Graph::Graph(Graph&&) noexcept = default;
Graph& Graph::operator=(Graph&&) noexcept = default;
Graph::~Graph() = default;

void Graph::replay(int times) {
  for (int i = 0; i < times; ++i) {
    if (impl_->recorded)
      gpu::launch_graph(impl_->context, impl_->recorded);
    else
      impl_->work();
  }
}

}  // namespace scanlens

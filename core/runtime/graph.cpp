#include "core/graph.h"

#include <utility>

#include "core/error.h"
#include "core/runtime/context_impl.h"
#include "core/runtime/cuda_backend.h"

namespace scanlens {

struct Graph::Impl {
  Context& context;
  std::function<void()> work;
  int cuda_ordinal = context.cuda_ordinal();  ///< kept, because the context may be gone first
  void* recorded = nullptr;                   ///< cudaGraphExec_t
  std::shared_ptr<Arena> arena = {};          ///< the memory that the recording names

  ~Impl() {
    if (recorded) gpu::destroy_graph(cuda_ordinal, recorded);
  }
};

Graph::Graph(Context& context, std::function<void()> work) : impl_(new Impl{context, std::move(work)}) {
  if (!context.on_cuda()) {
    impl_->work();
    return;
  }
  refuse_capture(context, "Graph");
  Context::Impl& of = context.impl();
  if (of.recording) throw Error(ErrorKind::usage, "Graph: the context is recording another one");
  of.add_captured(0, impl_->arena = of.recording = std::make_shared<Arena>());
  try {
    impl_->work();
    context.synchronize();
    impl_->recorded = gpu::record(context, impl_->work);
  } catch (...) {
    of.recording.reset();
    throw;
  }
  of.recording.reset();
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

// A model loaded by ONNX Runtime.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "app/depth/network/runtime.h"
#include "app/io/picture.h"

namespace scanlens {

/// An input or output: its sides, and 0 for those that the model leaves open.
struct OnnxPort {
  std::string name;
  int type = 0;  ///< of its elements, as ONNX numbers them; 0: no tensor
  std::vector<std::int64_t> shape;
};

/// A result of a run.
struct OnnxOutput {
  std::vector<std::int64_t> shape;
  std::vector<float> values;
};

class OnnxSession {
 public:
  /// Loads a model, onto the GPU of this number where the library has CUDA, else onto the CPU. Throws Error
  /// "MODEL: cause".
  OnnxSession(std::shared_ptr<const OnnxRuntime> runtime, const std::filesystem::path& model, int threads,
              std::optional<int> gpu);
  ~OnnxSession();
  OnnxSession(const OnnxSession&) = delete;
  OnnxSession& operator=(const OnnxSession&) = delete;

  const std::vector<OnnxPort>& inputs() const { return inputs_; }
  const std::vector<OnnxPort>& outputs() const { return outputs_; }

  /// Says which library works where; a warning where a GPU was asked for in vain.
  const Remark& place() const { return place_; }

  /// Runs the model on its only input, and returns the outputs of these places. Throws Error.
  std::vector<OnnxOutput> run(std::span<const float> input, const std::vector<std::int64_t>& shape,
                              const std::vector<std::size_t>& wanted) const;

 private:
  template <class Type>
  using Held = std::unique_ptr<Type, void (*)(Type*)>;
  template <class Type>
  Held<Type> held(Type* object, onnx::Entry<void(Type*)> release) const {
    return {object, (*runtime_)(release)};
  }

  void append_cuda(OrtSessionOptions* options, int gpu) const;
  bool takes_cuda(OrtSessionOptions* options, int gpu, std::string& cause) const;
  void read_ports();
  OnnxPort port(std::size_t place,
                onnx::Entry<onnx::Failure(const OrtSession*, std::size_t, OrtTypeInfo**)> type,
                onnx::Entry<onnx::Failure(const OrtSession*, std::size_t, OrtAllocator*, char**)> name) const;
  OnnxOutput taken(OrtValue* value, const std::string& name) const;

  const std::shared_ptr<const OnnxRuntime> runtime_;
  const std::string name_;
  OrtSession* session_ = nullptr;
  std::vector<OnnxPort> inputs_, outputs_;
  Remark place_;
};

}  // namespace scanlens

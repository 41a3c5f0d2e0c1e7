// ONNX Runtime, a library that the user has and that is loaded when a network is asked for.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "app/depth/network/onnx_api.h"

namespace scanlens {

/// The environment variable that names the library.
inline constexpr const char* kOnnxRuntimeVariable = "SCANLENS_ONNXRUNTIME";

/// The loaded library. It stays loaded to the end of the process: its threads may outlive a session.
class OnnxRuntime {
 public:
  /// Loads the library that `named` is, or the folder `named` holds; without a name the one of
  /// SCANLENS_ONNXRUNTIME, else the one that the system's loader finds, else python3's. Throws Error that
  /// says what is missing and which package has it.
  explicit OnnxRuntime(const std::filesystem::path& named);
  ~OnnxRuntime();
  OnnxRuntime(const OnnxRuntime&) = delete;
  OnnxRuntime& operator=(const OnnxRuntime&) = delete;

  template <class Signature>
  Signature* operator()(onnx::Entry<Signature> entry) const {
    return reinterpret_cast<Signature*>(const_cast<void*>(table_[entry.place]));
  }

  /// Calls a function of the table. Throws Error "NAME: cause" where it fails.
  template <class Signature, class... Arguments>
  void call(std::string_view name, onnx::Entry<Signature> entry, Arguments... arguments) const {
    if (OrtStatus* const failed = (*this)(entry)(arguments...)) fail(name, failed);
  }

  /// Releases a failure and returns what it says, in one line.
  std::string cause(OrtStatus* failed) const;

  const OrtEnv* environment() const { return environment_; }
  const std::string& version() const { return version_; }
  std::filesystem::path file() const;          ///< where the library lies
  std::vector<std::string> providers() const;  ///< "CUDAExecutionProvider", "CPUExecutionProvider"

 private:
  [[noreturn]] void fail(std::string_view name, OrtStatus* failed) const;

  const onnx::ApiBase* base_ = nullptr;
  const void* const* table_ = nullptr;
  OrtEnv* environment_ = nullptr;
  std::string version_;
};

}  // namespace scanlens

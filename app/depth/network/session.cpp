#include "app/depth/network/session.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <utility>

#include "app/io/text.h"
#include "core/error.h"
#include "core/half.h"

namespace scanlens {
namespace {

constexpr const char* kCudaProvider = "CUDAExecutionProvider";

std::vector<Half> halves_of(std::span<const float> values) {
  std::vector<Half> halves(values.size());
  std::transform(values.begin(), values.end(), halves.begin(), [](float value) { return Half(value); });
  return halves;
}

std::vector<std::uint8_t> bytes_of(std::span<const float> values) {
  std::vector<std::uint8_t> bytes(values.size());
  std::transform(values.begin(), values.end(), bytes.begin(), [](float value) {
    return static_cast<std::uint8_t>(std::lround(std::clamp(value, 0.f, 255.f)));
  });
  return bytes;
}

/// Returns the number of elements. Throws Error for shapes that no memory holds.
std::size_t elements_of(const std::vector<std::int64_t>& shape, const std::string& name) {
  constexpr std::uint64_t kMost = std::uint64_t{1} << 31;
  std::uint64_t elements = 1;
  for (const std::int64_t side : shape) {
    if (side < 0 || static_cast<std::uint64_t>(side) > kMost ||
        elements * static_cast<std::uint64_t>(side) > kMost)
      throw Error(fmt::format("{}: the model makes an output of more than {} numbers", name, kMost));
    elements *= static_cast<std::uint64_t>(side);
  }
  return static_cast<std::size_t>(elements);
}

}  // namespace

OnnxSession::OnnxSession(std::shared_ptr<const OnnxRuntime> runtime, const std::filesystem::path& model,
                         int threads, std::optional<int> gpu)
    : runtime_(std::move(runtime)), name_(model.string()) {
  OrtSessionOptions* created = nullptr;
  runtime_->call(name_, onnx::kCreateSessionOptions, &created);
  const auto options = held(created, onnx::kReleaseSessionOptions);
  runtime_->call(name_, onnx::kSetIntraOpNumThreads, options.get(), threads);
  std::string cause;
  const bool on_gpu = gpu && takes_cuda(options.get(), *gpu, cause);
  place_ = {gpu && !on_gpu,
            fmt::format("run by ONNX Runtime {} {}", runtime_->version(),
                        on_gpu ? fmt::format("on CUDA, GPU {}", *gpu)
                        : gpu  ? fmt::format("on the CPU, not on the GPU as --device asks: {}", cause)
                               : fmt::format("on the CPU, {} thread{}", threads, threads == 1 ? "" : "s"))};
  runtime_->call(name_, onnx::kCreateSession, runtime_->environment(), name_.c_str(), options.get(),
                 &session_);
  try {
    read_ports();
  } catch (...) {
    (*runtime_)(onnx::kReleaseSession)(session_);
    throw;
  }
}

OnnxSession::~OnnxSession() {
  (*runtime_)(onnx::kReleaseSession)(session_);
}

bool OnnxSession::takes_cuda(OrtSessionOptions* options, int gpu, std::string& cause) const {
  const std::vector<std::string> providers = runtime_->providers();
  if (std::find(providers.begin(), providers.end(), kCudaProvider) == providers.end()) {
    cause = "this build of it has no CUDA; the package onnxruntime-gpu has";
    return false;
  }
  try {
    append_cuda(options, gpu);
    return true;
  } catch (const Error& error) {
    cause = error.what();
    return false;
  }
}

void OnnxSession::append_cuda(OrtSessionOptions* options, int gpu) const {
  OrtCUDAProviderOptionsV2* created = nullptr;
  runtime_->call("CUDA", onnx::kCreateCudaOptions, &created);
  const auto cuda = held(created, onnx::kReleaseCudaOptions);
  const std::string number = std::to_string(gpu);
  const char* const key = "device_id";
  const char* const value = number.c_str();
  runtime_->call("CUDA", onnx::kUpdateCudaOptions, cuda.get(), &key, &value, std::size_t{1});
  runtime_->call("CUDA", onnx::kAppendCuda, options, cuda.get());
}

void OnnxSession::read_ports() {
  std::size_t inputs = 0, outputs = 0;
  runtime_->call(name_, onnx::kGetInputCount, session_, &inputs);
  runtime_->call(name_, onnx::kGetOutputCount, session_, &outputs);
  for (std::size_t i = 0; i < inputs; ++i)
    inputs_.push_back(port(i, onnx::kGetInputType, onnx::kGetInputName));
  for (std::size_t i = 0; i < outputs; ++i)
    outputs_.push_back(port(i, onnx::kGetOutputType, onnx::kGetOutputName));
}

OnnxPort OnnxSession::port(
    std::size_t place, onnx::Entry<onnx::Failure(const OrtSession*, std::size_t, OrtTypeInfo**)> type,
    onnx::Entry<onnx::Failure(const OrtSession*, std::size_t, OrtAllocator*, char**)> name) const {
  OnnxPort port;
  OrtAllocator* allocator = nullptr;
  runtime_->call(name_, onnx::kGetDefaultAllocator, &allocator);
  char* text = nullptr;
  runtime_->call(name_, name, session_, place, allocator, &text);
  port.name = text;
  runtime_->call(name_, onnx::kFree, allocator, text);
  OrtTypeInfo* created = nullptr;
  runtime_->call(name_, type, session_, place, &created);
  const auto info = held(created, onnx::kReleaseTypeInfo);
  const OrtTensorTypeAndShapeInfo* tensor = nullptr;
  runtime_->call(name_, onnx::kGetTensorInfo, info.get(), &tensor);
  if (!tensor) return port;
  runtime_->call(name_, onnx::kGetElementType, tensor, &port.type);
  std::size_t dimensions = 0;
  runtime_->call(name_, onnx::kGetDimensionsCount, tensor, &dimensions);
  port.shape.resize(dimensions);
  runtime_->call(name_, onnx::kGetDimensions, tensor, port.shape.data(), dimensions);
  for (std::int64_t& side : port.shape) side = std::max<std::int64_t>(side, 0);
  return port;
}

std::vector<OnnxOutput> OnnxSession::run(std::span<const float> input, const std::vector<std::int64_t>& shape,
                                         const std::vector<std::size_t>& wanted) const {
  OrtMemoryInfo* created = nullptr;
  runtime_->call(name_, onnx::kCreateCpuMemoryInfo, onnx::kDeviceAllocator, onnx::kDefaultMemory, &created);
  const auto memory = held(created, onnx::kReleaseMemoryInfo);
  const int type = inputs_[0].type;
  std::vector<Half> halves;
  std::vector<std::uint8_t> bytes;
  if (type == onnx::kFloat16) halves = halves_of(input);
  if (type == onnx::kByte) bytes = bytes_of(input);
  const std::span<const std::byte> data = type == onnx::kFloat16 ? std::as_bytes(std::span(halves))
                                          : type == onnx::kByte  ? std::as_bytes(std::span(bytes))
                                                                 : std::as_bytes(input);
  OrtValue* value = nullptr;
  runtime_->call(name_, onnx::kCreateTensor, memory.get(), const_cast<std::byte*>(data.data()), data.size(),
                 shape.data(), shape.size(), type, &value);
  const auto image = held(value, onnx::kReleaseValue);
  const char* const input_name = inputs_[0].name.c_str();
  const OrtValue* const images = image.get();
  std::vector<const char*> names;
  for (const std::size_t place : wanted) names.push_back(outputs_[place].name.c_str());
  std::vector<OrtValue*> made(wanted.size(), nullptr);
  const OrtRunOptions* const usual = nullptr;
  runtime_->call(name_, onnx::kRun, session_, usual, &input_name, &images, std::size_t{1}, names.data(),
                 names.size(), made.data());
  std::vector<Held<OrtValue>> owned;
  for (OrtValue* each : made) owned.push_back(held(each, onnx::kReleaseValue));
  std::vector<OnnxOutput> result;
  for (std::size_t i = 0; i < made.size(); ++i) result.push_back(taken(made[i], names[i]));
  return result;
}

OnnxOutput OnnxSession::taken(OrtValue* value, const std::string& name) const {
  int is_tensor = 0;
  runtime_->call(name_, onnx::kIsTensor, value, &is_tensor);
  if (!is_tensor) throw Error(fmt::format("{}: the output {} holds no numbers", name_, printable(name)));
  OrtTensorTypeAndShapeInfo* created = nullptr;
  runtime_->call(name_, onnx::kGetTypeAndShape, value, &created);
  const auto info = held(created, onnx::kReleaseTypeAndShape);
  int type = 0;
  std::size_t dimensions = 0;
  runtime_->call(name_, onnx::kGetElementType, info.get(), &type);
  runtime_->call(name_, onnx::kGetDimensionsCount, info.get(), &dimensions);
  OnnxOutput output;
  output.shape.resize(dimensions);
  runtime_->call(name_, onnx::kGetDimensions, info.get(), output.shape.data(), dimensions);
  void* data = nullptr;
  runtime_->call(name_, onnx::kGetTensorData, value, &data);
  output.values.resize(elements_of(output.shape, name_));
  if (type == onnx::kFloat) {
    std::copy_n(static_cast<const float*>(data), output.values.size(), output.values.begin());
  } else if (type == onnx::kFloat16) {
    std::transform(static_cast<const Half*>(data), static_cast<const Half*>(data) + output.values.size(),
                   output.values.begin(), [](Half half) { return static_cast<float>(half); });
  } else {
    throw Error(fmt::format("{}: the output {} is no floating-point tensor", name_, printable(name)));
  }
  return output;
}

}  // namespace scanlens

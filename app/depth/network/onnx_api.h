// The part of ONNX Runtime's C interface that is used, declared by ourselves. The library gives a table of
// functions, OrtApi. Its order is documented and never changes: a newer library has a longer table.
#pragma once

#include <cstddef>
#include <cstdint>

// The library's own types, which only it looks into.
struct OrtAllocator;
struct OrtCUDAProviderOptionsV2;
struct OrtEnv;
struct OrtMemoryInfo;
struct OrtRunOptions;
struct OrtSession;
struct OrtSessionOptions;
struct OrtStatus;
struct OrtTensorTypeAndShapeInfo;
struct OrtTypeInfo;
struct OrtValue;

namespace scanlens::onnx {

/// The result of OrtGetApiBase().
struct ApiBase {
  const void* (*get_api)(std::uint32_t version);  ///< null where the library is older
  const char* (*get_version)();
};

/// The table of ONNX Runtime 1.11, the first one that holds all entries below.
inline constexpr std::uint32_t kApiVersion = 11;
inline constexpr const char* kOldestVersion = "1.11";

/// A function by its place in the table.
template <class Signature>
struct Entry {
  int place;
};

using Failure = OrtStatus*;  ///< null where the call has succeeded

inline constexpr Entry<const char*(const OrtStatus*)> kGetErrorMessage{2};
inline constexpr Entry<Failure(int level, const char* name, OrtEnv**)> kCreateEnv{3};
inline constexpr Entry<Failure(const OrtEnv*, const char* path, const OrtSessionOptions*, OrtSession**)>
    kCreateSession{7};
inline constexpr Entry<Failure(OrtSession*, const OrtRunOptions*, const char* const* inputs,
                               const OrtValue* const* values, std::size_t count, const char* const* outputs,
                               std::size_t output_count, OrtValue** made)>
    kRun{9};
inline constexpr Entry<Failure(OrtSessionOptions**)> kCreateSessionOptions{10};
inline constexpr Entry<Failure(OrtSessionOptions*, int threads)> kSetIntraOpNumThreads{24};
inline constexpr Entry<Failure(const OrtSession*, std::size_t*)> kGetInputCount{30}, kGetOutputCount{31};
inline constexpr Entry<Failure(const OrtSession*, std::size_t place, OrtTypeInfo**)> kGetInputType{33},
    kGetOutputType{34};
inline constexpr Entry<Failure(const OrtSession*, std::size_t place, OrtAllocator*, char**)> kGetInputName{
    36},
    kGetOutputName{37};
inline constexpr Entry<Failure(const OrtMemoryInfo*, void* data, std::size_t bytes, const std::int64_t* shape,
                               std::size_t dimensions, int type, OrtValue**)>
    kCreateTensor{49};
inline constexpr Entry<Failure(const OrtValue*, int*)> kIsTensor{50};
inline constexpr Entry<Failure(OrtValue*, void**)> kGetTensorData{51};
inline constexpr Entry<Failure(const OrtTypeInfo*, const OrtTensorTypeAndShapeInfo**)> kGetTensorInfo{55};
inline constexpr Entry<Failure(const OrtTensorTypeAndShapeInfo*, int*)> kGetElementType{60};
inline constexpr Entry<Failure(const OrtTensorTypeAndShapeInfo*, std::size_t*)> kGetDimensionsCount{61};
inline constexpr Entry<Failure(const OrtTensorTypeAndShapeInfo*, std::int64_t*, std::size_t)> kGetDimensions{
    62};
inline constexpr Entry<Failure(const OrtValue*, OrtTensorTypeAndShapeInfo**)> kGetTypeAndShape{65};
inline constexpr Entry<Failure(int allocator, int memory, OrtMemoryInfo**)> kCreateCpuMemoryInfo{69};
inline constexpr Entry<Failure(OrtAllocator*, void*)> kFree{76};
inline constexpr Entry<Failure(OrtAllocator**)> kGetDefaultAllocator{78};
inline constexpr Entry<void(OrtEnv*)> kReleaseEnv{92};
inline constexpr Entry<void(OrtStatus*)> kReleaseStatus{93};
inline constexpr Entry<void(OrtMemoryInfo*)> kReleaseMemoryInfo{94};
inline constexpr Entry<void(OrtSession*)> kReleaseSession{95};
inline constexpr Entry<void(OrtValue*)> kReleaseValue{96};
inline constexpr Entry<void(OrtTypeInfo*)> kReleaseTypeInfo{98};
inline constexpr Entry<void(OrtTensorTypeAndShapeInfo*)> kReleaseTypeAndShape{99};
inline constexpr Entry<void(OrtSessionOptions*)> kReleaseSessionOptions{100};
inline constexpr Entry<Failure(char***, int*)> kGetAvailableProviders{125};
inline constexpr Entry<Failure(char**, int)> kReleaseAvailableProviders{126};
inline constexpr Entry<Failure(OrtSessionOptions*, const OrtCUDAProviderOptionsV2*)> kAppendCuda{204};
inline constexpr Entry<Failure(OrtCUDAProviderOptionsV2**)> kCreateCudaOptions{205};
inline constexpr Entry<Failure(OrtCUDAProviderOptionsV2*, const char* const* keys, const char* const* values,
                               std::size_t count)>
    kUpdateCudaOptions{206};
inline constexpr Entry<void(OrtCUDAProviderOptionsV2*)> kReleaseCudaOptions{208};

// Values of the interface's enumerations.
inline constexpr int kLogFatal = 4;
inline constexpr int kFloat = 1, kByte = 2, kFloat16 = 10;
inline constexpr int kDeviceAllocator = 0, kDefaultMemory = 0;

}  // namespace scanlens::onnx

#include "app/depth/network/runtime.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <system_error>

#include "app/io/text.h"
#include "core/error.h"

namespace scanlens {
namespace {

namespace fs = std::filesystem;

constexpr const char* kLoaderName = "libonnxruntime.so.1";
constexpr std::string_view kLibrary = "libonnxruntime.so";

/// Returns the library in a folder, such as that of Python's package, which keeps it in capi; else the path.
fs::path library_in(const fs::path& path) {
  std::error_code error;
  if (!fs::is_directory(path, error)) return path;
  for (const fs::path& folder : {path, path / "capi", path / "lib"}) {
    std::vector<fs::path> found;
    for (const fs::directory_entry& entry : fs::directory_iterator(folder, error))
      if (entry.path().filename().string().starts_with(kLibrary)) found.push_back(entry.path());
    if (!found.empty()) return *std::max_element(found.begin(), found.end());
  }
  return path / kLibrary;
}

/// Returns the library of the package onnxruntime that python3 has; empty for none.
fs::path library_of_python() {
  constexpr const char* kAsk =
      "timeout 10 python3 -c 'import importlib.util as u; s = u.find_spec(\"onnxruntime\"); "
      "print(s.submodule_search_locations[0] if s else \"\", end=\"\")' 2>/dev/null </dev/null";
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> answer(popen(kAsk, "re"), pclose);
  if (!answer) return {};
  std::string folder(4096, '\0');
  folder.resize(std::fread(folder.data(), 1, folder.size(), answer.get()));
  return folder.empty() ? fs::path() : library_in(folder);
}

struct Named {
  fs::path file;
  std::string by;  ///< what names it, for messages
};

Named choose(const fs::path& named) {
  if (!named.empty()) return {library_in(named), "--onnxruntime"};
  const char* const variable = std::getenv(kOnnxRuntimeVariable);
  if (variable && *variable) return {library_in(variable), kOnnxRuntimeVariable};
  return {kLoaderName, ""};
}

/// Throws Error that says how to get the library.
[[noreturn]] void refuse(const Named& named, const std::string& cause) {
  const std::string what =
      named.by.empty() ? cause : fmt::format("{} names {}: {}", named.by, named.file.string(), cause);
  throw Error(
      fmt::format("ONNX Runtime, which runs networks, cannot be loaded ({}); get it by `pip install "
                  "onnxruntime`, or name "
                  "the file onnxruntime/capi/libonnxruntime.so.* of its .whl by --onnxruntime FILE or {}",
                  what, kOnnxRuntimeVariable));
}

}  // namespace

OnnxRuntime::OnnxRuntime(const fs::path& named) {
  Named library = choose(named);
  // A name without a slash would be searched for on the loader's path, not in the working folder.
  const fs::path file = library.by.empty() ? library.file : fs::absolute(library.file);
  void* loaded = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (const fs::path own = loaded || !library.by.empty() ? fs::path() : library_of_python(); !own.empty()) {
    library = {own, "python3's package onnxruntime"};
    loaded = dlopen(own.c_str(), RTLD_NOW | RTLD_LOCAL);
  }
  if (!loaded) refuse(library, printable(dlerror()));
  using GetBase = const onnx::ApiBase*();
  GetBase* const get_base = reinterpret_cast<GetBase*>(dlsym(loaded, "OrtGetApiBase"));
  if (!get_base) refuse(library, "the library has no OrtGetApiBase");
  base_ = get_base();
  version_ = base_->get_version();
  table_ = static_cast<const void* const*>(base_->get_api(onnx::kApiVersion));
  if (!table_)
    refuse(library,
           fmt::format("version {} is too old, {} or newer is needed", version_, onnx::kOldestVersion));
  call("ONNX Runtime", onnx::kCreateEnv, onnx::kLogFatal, "scanlens", &environment_);
}

OnnxRuntime::~OnnxRuntime() {
  if (environment_) (*this)(onnx::kReleaseEnv)(environment_);
}

std::string OnnxRuntime::cause(OrtStatus* failed) const {
  std::string text = printable(without_line_end((*this)(onnx::kGetErrorMessage)(failed)));
  (*this)(onnx::kReleaseStatus)(failed);
  return text;
}

void OnnxRuntime::fail(std::string_view name, OrtStatus* failed) const {
  const std::string text = cause(failed);
  const bool out_of_memory = text.find("bad_alloc") != std::string::npos ||
                             text.find("Failed to allocate memory") != std::string::npos;
  throw Error(out_of_memory ? ErrorKind::retry : ErrorKind::failed, fmt::format("{}: {}", name, text));
}

fs::path OnnxRuntime::file() const {
  Dl_info info;
  return dladdr(reinterpret_cast<const void*>(base_->get_api), &info) ? fs::path(info.dli_fname) : fs::path();
}

std::vector<std::string> OnnxRuntime::providers() const {
  char** names = nullptr;
  int count = 0;
  call("ONNX Runtime", onnx::kGetAvailableProviders, &names, &count);
  std::vector<std::string> result(names, names + count);
  call("ONNX Runtime", onnx::kReleaseAvailableProviders, names, count);
  return result;
}

}  // namespace scanlens

// cuSPARSE and cuBLAS, loaded where they are installed: products, and conjugate gradients as their users
// write them.
#include "tests/bench/peers/cub.cuh"
#if __has_include(<cublas_v2.h>) && __has_include(<cusparse.h>)
#include <cublas_v2.h>
#include <cusparse.h>
#include <dlfcn.h>

#include <memory>
#include <string>

#include "core/error.h"

namespace scanlens::bench::gpu {
namespace {

/// Calls a function of a library, and throws when it fails.
#define SCANLENS_CALL(library, function, ...)                                                \
  do {                                                                                       \
    const auto called = reinterpret_cast<decltype(&function)>(dlsym(library, #function));    \
    const int status = called ? static_cast<int>(called(__VA_ARGS__)) : -1;                  \
    if (status != 0) throw Error(#function " failed with status " + std::to_string(status)); \
  } while (false)

void* open_library(const std::string& name) {
  for (const char* version : {".so.13", ".so.12", ".so"})
    if (void* library = dlopen((name + version).c_str(), RTLD_NOW | RTLD_LOCAL)) return library;
  return nullptr;
}

constexpr float kOne = 1, kZero = 0;
constexpr auto kAsIs = CUSPARSE_OPERATION_NON_TRANSPOSE;

/// A x for one vector, or for several whose elements lie side by side. Handles live as long as the process,
/// as the libraries do.
class CusparseProduct {
 public:
  CusparseProduct(Context& context, void* library, const CsrMatrix<float>& a, const float* x, int columns,
                  float* y)
      : context_(context), library_(library), columns_(columns) {
    const scanlens::gpu::DeviceGuard device(context);
    SCANLENS_CALL(library_, cusparseCreate, &handle_);
    SCANLENS_CALL(library_, cusparseSetStream, handle_, scanlens::gpu::stream_of(context));
    SCANLENS_CALL(library_, cusparseCreateConstCsr, &a_, a.rows, a.width,
                  static_cast<int64_t>(a.values.size()), a.row_begin.data(), a.columns.data(),
                  a.values.data(), CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO,
                  CUDA_R_32F);
    std::size_t bytes = 0;
    if (columns == 1) {
      SCANLENS_CALL(library_, cusparseCreateConstDnVec, &x_, a.width, x, CUDA_R_32F);
      SCANLENS_CALL(library_, cusparseCreateDnVec, &y_, a.rows, y, CUDA_R_32F);
      SCANLENS_CALL(library_, cusparseSpMV_bufferSize, handle_, kAsIs, &kOne, a_, x_, &kZero, y_, CUDA_R_32F,
                    CUSPARSE_SPMV_ALG_DEFAULT, &bytes);
      scratch_ = Memory(context, bytes + 1);
      SCANLENS_CALL(library_, cusparseSpMV_preprocess, handle_, kAsIs, &kOne, a_, x_, &kZero, y_, CUDA_R_32F,
                    CUSPARSE_SPMV_ALG_DEFAULT, scratch_.data());
    } else {
      SCANLENS_CALL(library_, cusparseCreateConstDnMat, &xs_, a.width, columns, columns, x, CUDA_R_32F,
                    CUSPARSE_ORDER_ROW);
      SCANLENS_CALL(library_, cusparseCreateDnMat, &ys_, a.rows, columns, columns, y, CUDA_R_32F,
                    CUSPARSE_ORDER_ROW);
      SCANLENS_CALL(library_, cusparseSpMM_bufferSize, handle_, kAsIs, kAsIs, &kOne, a_, xs_, &kZero, ys_,
                    CUDA_R_32F, kRows, &bytes);
      scratch_ = Memory(context, bytes + 1);
      SCANLENS_CALL(library_, cusparseSpMM_preprocess, handle_, kAsIs, kAsIs, &kOne, a_, xs_, &kZero, ys_,
                    CUDA_R_32F, kRows, scratch_.data());
    }
    context.synchronize();
  }

  void operator()() const {
    const scanlens::gpu::DeviceGuard device(context_);
    if (columns_ == 1)
      SCANLENS_CALL(library_, cusparseSpMV, handle_, kAsIs, &kOne, a_, x_, &kZero, y_, CUDA_R_32F,
                    CUSPARSE_SPMV_ALG_DEFAULT, scratch_.data());
    else
      SCANLENS_CALL(library_, cusparseSpMM, handle_, kAsIs, kAsIs, &kOne, a_, xs_, &kZero, ys_, CUDA_R_32F,
                    kRows, scratch_.data());
  }

 private:
  static constexpr auto kRows = CUSPARSE_SPMM_CSR_ALG2;  // its manual's choice for vectors side by side

  Context& context_;
  void* library_;
  int columns_;
  cusparseHandle_t handle_ = nullptr;
  cusparseConstSpMatDescr_t a_ = nullptr;
  cusparseConstDnVecDescr_t x_ = nullptr;
  cusparseDnVecDescr_t y_ = nullptr;
  cusparseConstDnMatDescr_t xs_ = nullptr;
  cusparseDnMatDescr_t ys_ = nullptr;
  Memory scratch_;
};

/// The scalars of conjugate gradients: rz of the last step and of this one, and p A p.
struct Scalars {
  float rz[2], pq;
};

/// r = b, z = r / d, p = z, x = 0.
__global__ void begin_kernel(const float* b, const float* inverse, float* x, float* r, float* z, float* p,
                             std::int64_t n) {
  const std::int64_t i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i >= n) return;
  x[i] = 0;
  r[i] = b[i];
  p[i] = z[i] = b[i] * inverse[i];
}

/// x += alpha p, r -= alpha q, z = r / d in one pass.
__global__ void step_kernel(const Scalars* s, int now, const float* p, const float* q, const float* inverse,
                            float* x, float* r, float* z, std::int64_t n) {
  const std::int64_t i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const float alpha = s->rz[now] / s->pq;
  x[i] += alpha * p[i];
  const float rest = r[i] - alpha * q[i];
  r[i] = rest;
  z[i] = rest * inverse[i];
}

__global__ void turn_kernel(const Scalars* s, int now, const float* z, float* p, std::int64_t n) {
  const std::int64_t i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < n) p[i] = z[i] + s->rz[now] / s->rz[1 - now] * p[i];
}

__global__ void inverse_diagonal_kernel(CsrMatrix<float> a, float* inverse) {
  const std::int64_t row = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (row >= a.rows) return;
  for (std::uint32_t k = a.row_begin[row]; k < a.row_begin[row + 1]; ++k)
    if (a.columns[k] == row) inverse[row] = 1 / a.values[k];
}

/// Solves as a program does that has cuSPARSE's product, cuBLAS's dots and kernels of its own for the rest.
/// It never waits for the device: it iterates as often as it is told, without a look at the residual.
class CusparseSolve {
 public:
  CusparseSolve(Context& context, void* cusparse, void* cublas, const CsrMatrix<float>& a, const float* b,
                float* x, int iterations)
      : context_(context),
        cublas_(cublas),
        n_(a.rows),
        b_(b),
        x_(x),
        iterations_(iterations),
        memory_(context, static_cast<std::size_t>(n_) * 5 * sizeof(float) + kAlignment),
        inverse_(reinterpret_cast<float*>(memory_.data() + kAlignment)),
        r_(inverse_ + n_),
        z_(r_ + n_),
        p_(z_ + n_),
        q_(p_ + n_),
        scalars_(reinterpret_cast<Scalars*>(memory_.data())),
        product_(context, cusparse, a, p_, 1, q_) {
    const scanlens::gpu::DeviceGuard device(context);
    SCANLENS_CALL(cublas_, cublasCreate_v2, &handle_);
    SCANLENS_CALL(cublas_, cublasSetStream_v2, handle_, scanlens::gpu::stream_of(context));
    SCANLENS_CALL(cublas_, cublasSetPointerMode_v2, handle_, CUBLAS_POINTER_MODE_DEVICE);
    launch(inverse_diagonal_kernel, a, inverse_);
    context.synchronize();
  }

  void operator()() const {
    const scanlens::gpu::DeviceGuard device(context_);
    launch(begin_kernel, b_, inverse_, x_, r_, z_, p_, n_);
    dot(r_, z_, &scalars_->rz[0]);
    for (int i = 0; i < iterations_; ++i) {
      const int now = i % 2;
      product_();
      dot(p_, q_, &scalars_->pq);
      launch(step_kernel, scalars_, now, p_, q_, inverse_, x_, r_, z_, n_);
      dot(r_, z_, &scalars_->rz[1 - now]);
      launch(turn_kernel, scalars_, 1 - now, z_, p_, n_);
    }
  }

 private:
  void dot(const float* a, const float* b, float* result) const {
    SCANLENS_CALL(cublas_, cublasSdot_v2, handle_, static_cast<int>(n_), a, 1, b, 1, result);
  }
  template <class... Parameters, class... Arguments>
  void launch(void (*kernel)(Parameters...), Arguments... arguments) const {
    SCANLENS_CUDA_CHECK(scanlens::gpu::launch_kernel(kernel, static_cast<unsigned>((n_ + 255) / 256), 256, 0,
                                                     scanlens::gpu::stream_of(context_), arguments...));
  }

  static constexpr std::size_t kAlignment = 256;

  Context& context_;
  void* cublas_;
  std::int64_t n_;
  const float* b_;
  float* x_;
  int iterations_;
  Memory memory_;
  float *inverse_, *r_, *z_, *p_, *q_;
  Scalars* scalars_;
  CusparseProduct product_;
  cublasHandle_t handle_ = nullptr;
};

}  // namespace

Peers product_peers(Context& context, const CsrMatrix<float>& a, std::span<const float> x, int columns,
                    std::span<float> y) {
  void* library = open_library("libcusparse");
  if (!library) return {};
  const auto product = std::make_shared<CusparseProduct>(context, library, a, x.data(), columns, y.data());
  return {Peer{columns == 1 ? "cusparseSpMV" : "cusparseSpMM", [product] { (*product)(); }}};
}

Peers solve_peers(Context& context, const CsrMatrix<float>& a, std::span<const float> b, std::span<float> x,
                  int iterations) {
  void* cusparse = open_library("libcusparse");
  void* cublas = open_library("libcublas");
  if (!cusparse || !cublas) return {};
  const auto solve =
      std::make_shared<CusparseSolve>(context, cusparse, cublas, a, b.data(), x.data(), iterations);
  return {Peer{"cuSPARSE, cuBLAS", [solve] { (*solve)(); }}};
}

}  // namespace scanlens::bench::gpu

#else

namespace scanlens::bench::gpu {
Peers product_peers(Context&, const CsrMatrix<float>&, std::span<const float>, int, std::span<float>) {
  return {};
}
Peers solve_peers(Context&, const CsrMatrix<float>&, std::span<const float>, std::span<float>, int) {
  return {};
}
}  // namespace scanlens::bench::gpu

#endif

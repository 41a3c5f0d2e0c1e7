// The module scanlens._core: arrays in, arrays out. Users call Python, in scanlens/.
#include <exception>

#include "app/python/contexts.h"
#include "app/python/groups.h"
#include "core/error.h"

namespace scanlens::python {
namespace {

constexpr int kCudaOutOfMemory = 2;
PyObject* device_error = nullptr;

void raise(const Error& error) {
  if (error.kind() == ErrorKind::usage) {
    PyErr_SetString(PyExc_ValueError, error.what());
  } else if (error.cuda_code() == kCudaOutOfMemory ||
             (error.cuda_code() == 0 && error.kind() == ErrorKind::retry)) {
    PyErr_SetString(PyExc_MemoryError, error.what());
  } else if (error.cuda_code() != 0) {
    const nb::object instance = nb::handle(device_error)(error.what());
    instance.attr("cuda_code") = error.cuda_code();
    PyErr_SetObject(device_error, instance.ptr());
  } else {
    PyErr_SetString(PyExc_RuntimeError, error.what());
  }
}

}  // namespace

void bind_errors(nb::module_& module) {
  device_error = PyErr_NewException("scanlens.DeviceError", PyExc_RuntimeError, nullptr);
  module.attr("DeviceError") = nb::borrow(device_error);
  nb::register_exception_translator([](const std::exception_ptr& thrown, void*) {
    try {
      std::rethrow_exception(thrown);
    } catch (const Error& error) {
      raise(error);
    }
  });
}

}  // namespace scanlens::python

NB_MODULE(_core, module) {
  namespace python = scanlens::python;
  python::bind_errors(module);
  python::bind_contexts(module);
  python::bind_scans(module);
  python::bind_lines(module);
  python::bind_selections(module);
  python::bind_tables(module);
  python::bind_filters(module);
  python::bind_pictures(module);
  python::bind_statistics(module);
#if defined(SCANLENS_WITH_CUDA)
  module.attr("with_cuda") = true;
#else
  module.attr("with_cuda") = false;
#endif
}

#include "app/python/contexts.h"

#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>
#include <oneapi/tbb/global_control.h>
#include <pthread.h>

#include <atomic>
#include <map>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "app/python/device.h"
#include "core/device_allocator.h"
#include "core/devices.h"
#include "core/error.h"
#include "core/image.h"
#include "core/version.h"

namespace scanlens::python {

struct Stream {
  std::mutex mutex;
  std::optional<Context> context;
};

namespace {

constexpr int kHost = nb::device::cpu::value, kPinned = nb::device::cuda_host::value;
constexpr int kDevice = nb::device::cuda::value, kManaged = nb::device::cuda_managed::value;

/// Memory by functions of Python's: allocate(bytes, ordinal, stream) -> address, and release(address).
class PythonAllocator : public DeviceAllocator {
 public:
  PythonAllocator(nb::object allocate, nb::object release)
      : allocate_(std::move(allocate)), release_(std::move(release)) {}
  void* allocate(std::size_t bytes, int ordinal, void* stream) override {
    const nb::gil_scoped_acquire gil;
    try {
      return reinterpret_cast<void*>(
          nb::cast<std::uintptr_t>(allocate_(bytes, ordinal, reinterpret_cast<std::uintptr_t>(stream))));
    } catch (const nb::python_error&) {
      return nullptr;
    }
  }
  void release(void* memory, std::size_t, int, void*) noexcept override {
    const nb::gil_scoped_acquire gil;
    try {
      release_(reinterpret_cast<std::uintptr_t>(memory));
    } catch (nb::python_error& error) {
      error.discard_as_unraisable("scanlens: releasing device memory");
    }
  }
  bool keeps_through_capture() const override { return true; }

 private:
  nb::object allocate_, release_;
};

/// All contexts on CUDA. Never destroyed: at the process's end CUDA may be gone before.
struct Streams {
  std::mutex mutex;
  std::map<std::pair<int, void*>, std::shared_ptr<Stream>> open;
  std::string allocator = "own";
  std::shared_ptr<DeviceAllocator> python;
};

Streams& streams() {
  static Streams* const all = new Streams;
  return *all;
}

Context& context_of_this_thread() {
  thread_local Context context = Context::open("cpu");
  return context;
}

std::shared_ptr<Stream> stream_at(const Place& place) {
  Streams& all = streams();
  const std::lock_guard lock(all.mutex);
  std::shared_ptr<Stream>& stream = all.open[{place.ordinal, place.stream}];
  if (!stream) stream = std::make_shared<Stream>();
  return stream;
}

std::shared_ptr<DeviceAllocator> allocator_for(int ordinal) {
  Streams& all = streams();
  const std::lock_guard lock(all.mutex);
  return all.allocator == "pool" ? pool_allocator(ordinal) : all.python;
}

/// Forgets all streams, gone ones too, and ends their contexts once their work is done, which frees what they
/// keep. A call in work keeps its context until it ends.
void trim() {
  const nb::gil_scoped_release release;
  context_of_this_thread().trim();
  // A call holds its stream's lock where it asks for that of all: the locks are taken one after the other
  // here.
  std::map<std::pair<int, void*>, std::shared_ptr<Stream>> open;
  {
    Streams& all = streams();
    const std::lock_guard lock(all.mutex);
    open.swap(all.open);
  }
  for (const auto& [place, stream] : open) {
    const std::lock_guard one(stream->mutex);
    if (stream->context) stream->context->synchronize();
    stream->context.reset();
  }
}

void use_allocator(const std::string& name, nb::object allocate, nb::object take_back) {
  trim();
  std::shared_ptr<DeviceAllocator> python;
  if (name == "torch") python = std::make_shared<PythonAllocator>(std::move(allocate), std::move(take_back));
  Streams& all = streams();
  const nb::gil_scoped_release release;
  const std::lock_guard lock(all.mutex);
  all.allocator = name;
  std::swap(all.python, python);
}

/// Threads that the CPU's calls may use, of all threads of the process together; 0: as many as there are.
void set_threads(int count) {
  static std::optional<tbb::global_control> limit;
  limit.reset();
  if (count > 0) limit.emplace(tbb::global_control::max_allowed_parallelism, static_cast<std::size_t>(count));
}

/// Device memory that Python holds (scanlens.Array).
struct DeviceMemory {
  Memory memory;
  Place place;
};

void order_streams(int ordinal, std::uintptr_t stream, std::uintptr_t other, bool before) {
  const nb::gil_scoped_release release;
  Lease lease({ordinal, reinterpret_cast<void*>(stream)});
  if (before)
    lease.context().before_stream(reinterpret_cast<void*>(other));
  else
    lease.context().after_stream(reinterpret_cast<void*>(other));
}

}  // namespace

void Placed::add(const In& array) {
  const int device_type = array.device_type(), device_id = array.device_id();
  if (device_type != kHost && device_type != kPinned && device_type != kDevice && device_type != kManaged)
    throw nb::buffer_error("arrays are taken of the CPU and of CUDA devices");
  const bool on_cuda = device_type == kDevice || device_type == kManaged;
  const int ordinal = on_cuda ? device_id : -1;
  if (known_ && place_.ordinal != ordinal) throw nb::value_error("the arrays are on different devices");
  place_.ordinal = ordinal;
  bytes_ += array.nbytes();
  known_ = true;
}

/// Throws Error in a process that was forked after calls were made: oneTBB's threads and CUDA's are not
/// there.
static void refuse_forked() {
  static std::atomic<bool> is_forked = false;
  static const int watched = pthread_atfork(nullptr, nullptr, [] { is_forked = true; });
  if (is_forked || watched != 0)
    throw Error("scanlens was used before this process was forked; start it by multiprocessing's 'spawn'");
}

void ask_python() {
  const nb::gil_scoped_acquire gil;
  if (PyErr_CheckSignals() != 0) throw nb::python_error();
}

Lease::Lease(const Place& place) {
  refuse_forked();
  if (place.ordinal < 0) {
    context_ = &context_of_this_thread();
    return;
  }
  stream_ = stream_at(place);
  lock_ = std::unique_lock(stream_->mutex);
  if (!stream_->context)
    stream_->context = Context::on_stream(place.stream, place.ordinal, allocator_for(place.ordinal));
  context_ = &*stream_->context;
}

void bind_contexts(nb::module_& module) {
  module.attr("version") = kVersion;
  module.def("refuse_forked", refuse_forked);
  module.def("devices", [] {
    std::vector<DeviceInfo> found;
    {
      const nb::gil_scoped_release release;
      found = devices();
    }
    std::vector<nb::tuple> rows;
    for (const DeviceInfo& device : found)
      rows.push_back(nb::make_tuple(device.id, device.name, device.detail, device.passed_over));
    return rows;
  });
  module.def("trim", &trim);
  module.def("use_allocator", &use_allocator, nb::arg("name"), nb::arg("allocate").none(),
             nb::arg("release").none());
  module.def("threads", &set_threads);
  module.def("order_streams", &order_streams);

  nb::class_<DeviceMemory>(module, "DeviceMemory")
      .def("__init__",
           [](DeviceMemory* self, std::size_t bytes, int ordinal, std::uintptr_t stream) {
             const Place place{ordinal, reinterpret_cast<void*>(stream)};
             const nb::gil_scoped_release release;
             Lease lease(place);
             new (self) DeviceMemory{Memory(lease.context(), bytes), place};
           })
      .def_prop_ro(
          "address",
          [](const DeviceMemory& self) { return reinterpret_cast<std::uintptr_t>(self.memory.data()); })
      .def("to_host", [](const DeviceMemory& self, Out host, std::size_t offset) {
        const nb::gil_scoped_release release;
        Lease lease(self.place);
        const auto bytes = static_cast<std::int64_t>(host.nbytes());
        copy_bytes(lease.context(), self.memory.data() + offset, bytes, data_of<void>(host), bytes, bytes, 1);
        lease.context().synchronize();
      });

  module.def("address", [](In array) { return reinterpret_cast<std::uintptr_t>(array.data()); });
  // An array at an address, which keeps its owner: strides count elements, None is C order.
  module.def(
      "wrap",
      [](std::uintptr_t address, std::vector<std::size_t> shape, nb::object strides, int code, int bits,
         int ordinal, nb::object owner) {
        std::vector<std::int64_t> steps;
        if (!strides.is_none()) steps = nb::cast<std::vector<std::int64_t>>(strides);
        const nb::dlpack::dtype type{static_cast<std::uint8_t>(code), static_cast<std::uint8_t>(bits), 1};
        return nb::ndarray<nb::array_api>(reinterpret_cast<void*>(address), shape.size(), shape.data(), owner,
                                          strides.is_none() ? nullptr : steps.data(), type,
                                          ordinal < 0 ? kHost : kDevice, ordinal < 0 ? 0 : ordinal);
      },
      nb::arg("address"), nb::arg("shape"), nb::arg("strides").none(), nb::arg("code"), nb::arg("bits"),
      nb::arg("ordinal"), nb::arg("owner"));
  module.def("own_stream", [](int ordinal) {
    static std::map<int, Context>* const own = new std::map<int, Context>;
    auto found = own->find(ordinal);
    if (found == own->end())
      found = own->emplace(ordinal, Context::open("cuda:" + std::to_string(ordinal))).first;
    return reinterpret_cast<std::uintptr_t>(found->second.native_stream());
  });
  module.def("device_of_address", [](std::uintptr_t address) {
    return device_of_address(reinterpret_cast<const void*>(address));
  });
}

}  // namespace scanlens::python

// The module scanlens._files: pictures and depth maps, from and to files.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>

#include <algorithm>
#include <exception>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>

#include "app/depth/depth.h"
#include "app/io/letters.h"
#include "app/io/picture.h"
#include "core/error.h"

namespace scanlens::python {
namespace {

namespace nb = nanobind;

/// A picture's metadata, for the file that is written.
struct Info {
  Metadata metadata;
  std::string description;
  int orientation;
};

nb::list listed(const std::vector<Remark>& remarks) {
  nb::list all;
  for (const Remark& remark : remarks) all.append(nb::make_tuple(remark.warning, remark.usual, remark.text));
  return all;
}

/// The samples as an array of NumPy's, which keeps them.
template <class T>
nb::object array_of(Image<T> image, bool grey_has_channel = false) {
  auto* const kept = new Image<T>(std::move(image));
  const nb::capsule owner(kept, [](void* memory) noexcept { delete static_cast<Image<T>*>(memory); });
  const auto view = kept->view();
  const std::size_t shape[] = {static_cast<std::size_t>(view.height), static_cast<std::size_t>(view.width),
                               static_cast<std::size_t>(view.channels)};
  const std::size_t axes = view.channels == 1 && !grey_has_channel ? 2 : 3;
  return nb::cast(nb::ndarray<nb::numpy, T>(view.data, axes, shape, owner));
}

template <class T>
Image<T> image_of(const nb::ndarray<nb::ro>& array) {
  if (array.ndim() < 2 || array.ndim() > 3)
    throw nb::value_error("a picture has the axes height, width and maybe channels");
  Image<T> image(static_cast<std::int64_t>(array.shape(1)), static_cast<std::int64_t>(array.shape(0)),
                 array.ndim() == 3 ? static_cast<int>(array.shape(2)) : 1);
  const auto view = image.view();
  const auto* const from = static_cast<const T*>(array.data());
  for (std::int64_t y = 0; y < view.height; ++y)
    for (std::int64_t x = 0; x < view.width; ++x)
      for (int c = 0; c < view.channels; ++c)
        view(x, y, c) =
            from[y * array.stride(0) + x * array.stride(1) + (array.ndim() == 3 ? c * array.stride(2) : 0)];
  return image;
}

Picture picture_of(const nb::ndarray<nb::ro>& array) {
  if (array.dtype() == nb::dtype<std::uint8_t>()) return {image_of<std::uint8_t>(array)};
  if (array.dtype() == nb::dtype<std::uint16_t>()) return {image_of<std::uint16_t>(array)};
  if (array.dtype() == nb::dtype<float>()) return {image_of<float>(array)};
  throw nb::type_error("a picture is of another type; convert it to uint8, uint16 or float32");
}

nb::tuple read(const std::string& path, std::int64_t max_pixels) {
  Picture picture;
  {
    const nb::gil_scoped_release release;
    picture = read_picture(path, {.max_pixels = max_pixels});
  }
  const std::string description = picture.description();
  Info info{std::move(picture.metadata), description, picture.orientation};
  nb::object array = std::visit([](auto& samples) { return array_of(std::move(samples)); }, picture.samples);
  return nb::make_tuple(array, std::move(info), listed(picture.remarks));
}

nb::list write(const std::string& path, const nb::ndarray<nb::ro>& array, int quality, const Info* info,
               bool strip, bool overwrite) {
  Picture picture = picture_of(array);
  if (info) picture.metadata = info->metadata;
  std::vector<Remark> remarks;
  {
    const nb::gil_scoped_release release;
    WriteOptions options;
    options.quality = quality;
    options.strip = strip;
    options.overwrite.never = !overwrite;
    check_output(path, {}, options, picture.channels());
    write_picture(path, picture, options, [&](const Remark& remark) { remarks.push_back(remark); });
  }
  return listed(remarks);
}

DepthKind kind_of(const std::string& name) {
  if (name == "depth") return DepthKind::depth;
  if (name == "disparity") return DepthKind::disparity;
  if (name == "inverse") return DepthKind::inverse;
  throw nb::value_error(("kind is '" + name + "', but has to be one of depth, disparity, inverse").c_str());
}

nb::tuple read_map(const std::string& path, const std::optional<std::string>& kind,
                   std::optional<double> scale, double offset, bool invert,
                   const std::optional<std::string>& channel, std::int64_t width, std::int64_t height,
                   const std::optional<nb::ndarray<nb::ro>>& photo, std::int64_t max_pixels) {
  DepthOptions options;
  if (kind) options.kind = kind_of(*kind);
  options.scale = scale;
  options.offset = offset;
  options.invert = invert;
  if (channel) options.channel = *channel;
  std::optional<Picture> picture;
  if (photo) picture = picture_of(*photo);
  Depth depth;
  {
    const nb::gil_scoped_release release;
    depth = read_depth(path, options, {.max_pixels = max_pixels});
    if (picture)
      depth = resized(std::move(depth), rows_of(*picture), DepthResample::edges);
    else if (width > 0)
      depth = resized(std::move(depth), width, height);
  }
  return nb::make_tuple(array_of(std::move(depth.disparity)), depth.metric, depth.convention,
                        depth.decided_by, depth.unknown, listed(depth.remarks));
}

void write_map(const std::string& path, const nb::ndarray<nb::ro>& disparity, bool metric, bool overwrite) {
  if (disparity.dtype() != nb::dtype<float>())
    throw nb::type_error("disparity is of another type; convert it to float32");
  const Image<float> image = image_of<float>(disparity);
  const nb::gil_scoped_release release;
  DepthWriteOptions options;
  options.overwrite.never = !overwrite;
  check_depth_output(path, {}, options);
  write_depth(path, image.view(), metric, options);
}

nb::tuple letters(const std::string& words, double height, std::int64_t most_width, const std::string& font) {
  constexpr double kMostHeight = 16384;
  if (!(height >= 1 && height <= kMostHeight) || most_width < 1 || most_width > 1 << 20)
    throw nb::value_error("height is 1 to 16384 pixels, and most_width at most 2**20");
  const auto lines =
      std::count(words.begin(), words.end(), '\n') + std::count(words.begin(), words.end(), '\\') + 1;
  Letters made = letters_of(words, {most_width, static_cast<std::int64_t>(2 * height) * lines, height}, font);
  return nb::make_tuple(array_of(std::move(made.coverage)), made.font.string(), made.missing);
}

void raise(const Error& error) {
  PyObject* const type = error.kind() == ErrorKind::usage   ? PyExc_ValueError
                         : error.kind() == ErrorKind::retry ? PyExc_MemoryError
                                                            : PyExc_OSError;
  PyErr_SetString(type, error.what());
}

}  // namespace
}  // namespace scanlens::python

NB_MODULE(_files, module) {
  namespace nb = nanobind;
  namespace python = scanlens::python;
  nb::register_exception_translator([](const std::exception_ptr& thrown, void*) {
    try {
      std::rethrow_exception(thrown);
    } catch (const scanlens::Error& error) {
      python::raise(error);
    }
  });
  nb::class_<python::Info>(module, "Info")
      .def_ro("description", &python::Info::description)
      .def_ro("orientation", &python::Info::orientation)
      .def_prop_ro("has_profile", [](const python::Info& self) { return !self.metadata.icc.empty(); })
      .def_prop_ro("exif", [](const python::Info& self) {
        return nb::bytes(reinterpret_cast<const char*>(self.metadata.exif.data()), self.metadata.exif.size());
      });
  module.def("read", &python::read);
  module.def("write", &python::write, nb::arg("path"), nb::arg("array"), nb::arg("quality"),
             nb::arg("info").none(), nb::arg("strip"), nb::arg("overwrite"));
  module.def("read_depth", &python::read_map, nb::arg("path"), nb::arg("kind").none(),
             nb::arg("scale").none(), nb::arg("offset"), nb::arg("invert"), nb::arg("channel").none(),
             nb::arg("width"), nb::arg("height"), nb::arg("photo").none(), nb::arg("max_pixels"));
  module.def("write_depth", &python::write_map);
  module.def("letters", &python::letters);
}

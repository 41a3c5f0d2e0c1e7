// Tensors of DLPack as spans, views, strided arrays and axes.
#include "core/dlpack.h"

#include <numeric>

#include "tests/unit/support/arrays.h"

namespace scanlens {
namespace {

/// A struct with the members of DLTensor, as any library may have it.
struct Tensor {
  void* data = nullptr;
  struct {
    int device_type = 1;
    int device_id = 0;
  } device;
  std::int32_t ndim = 0;
  struct {
    std::uint8_t code = 2;
    std::uint8_t bits = 32;
    std::uint16_t lanes = 1;
  } dtype;
  std::int64_t* shape = nullptr;
  std::int64_t* strides = nullptr;
  std::uint64_t byte_offset = 0;
};

class DlPack : public testing::Test {
 protected:
  DlPack() { std::iota(floats.begin(), floats.end(), 0.0f); }

  Tensor tensor(std::vector<std::int64_t> its_shape, std::vector<std::int64_t> its_strides = {}) {
    shape = std::move(its_shape);
    strides = std::move(its_strides);
    Tensor made;
    made.data = floats.data();
    made.ndim = static_cast<std::int32_t>(shape.size());
    made.shape = shape.data();
    made.strides = strides.empty() ? nullptr : strides.data();
    return made;
  }
  template <class Call>
  static void expect_refused(const Call& call, const std::string& words) {
    try {
      call();
      ADD_FAILURE() << "took a tensor: " << words;
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::usage);
      EXPECT_NE(std::string(error.what()).find(words), std::string::npos) << error.what();
    }
  }

  std::vector<float> floats = std::vector<float>(100);
  std::vector<std::int64_t> shape, strides;
};

TEST_F(DlPack, DenseTensorsAreSpans) {
  EXPECT_EQ(span_of_dlpack<float>(tensor({4, 5})).size(), 20u);
  EXPECT_EQ(span_of_dlpack<const float>(tensor({4, 5}, {5, 1})).data(), floats.data());
  EXPECT_EQ(span_of_dlpack<float>(tensor({4, 1, 5}, {5, 77, 1})).size(), 20u);  // one of them: any stride
  EXPECT_EQ(span_of_dlpack<float>(tensor({})).size(), 1u);
  EXPECT_EQ(span_of_dlpack<float>(tensor({3, 0}, {9, 9})).size(), 0u);
  Tensor later = tensor({7});
  later.byte_offset = 12;
  EXPECT_EQ(span_of_dlpack<float>(later)[0], 3.0f);
  expect_refused([&] { span_of_dlpack<float>(tensor({4, 5}, {6, 1})); }, "(4, 5) is not dense");
  expect_refused([&] { span_of_dlpack<float>(tensor({4}, {2})); }, "not dense");
  expect_refused([&] { span_of_dlpack<float>(tensor({4, 5}, {1, 4})); }, "not dense");
}

TEST_F(DlPack, TypesAndDevicesAreChecked) {
  Tensor other = tensor({3});
  expect_refused([&] { span_of_dlpack<std::int32_t>(other); }, "is of float32 x 1, not of int32");
  other.dtype = {1, 16, 1};
  EXPECT_EQ(span_of_dlpack<std::uint16_t>(other).size(), 3u);
  expect_refused([&] { span_of_dlpack<Half>(other); }, "uint16 x 1, not of float16");
  other.dtype = {2, 16, 1};
  EXPECT_EQ(span_of_dlpack<Half>(other).size(), 3u);
  other.dtype = {4, 16, 1};
  EXPECT_EQ(span_of_dlpack<BFloat16>(other).size(), 3u);
  other.dtype = {6, 8, 1};
  EXPECT_EQ(span_of_dlpack<std::uint8_t>(other).size(), 3u);
  other.dtype = {2, 32, 4};
  expect_refused([&] { span_of_dlpack<float>(other); }, "float32 x 4");
  other.dtype = {2, 32, 1};
  EXPECT_EQ(backend_of_dlpack(other), Backend::cpu);
  other.device.device_type = 13;
  EXPECT_EQ(backend_of_dlpack(other), Backend::cuda);
  other.device.device_type = 10;
  expect_refused([&] { span_of_dlpack<float>(other); }, "device of type 10");
}

TEST_F(DlPack, PicturesAreViews) {
  const View<float> grey = view_of_dlpack<float>(tensor({4, 5}, {7, 1}));
  EXPECT_EQ(grey.width, 5);
  EXPECT_EQ(grey.height, 4);
  EXPECT_EQ(grey.pitch, 7);
  EXPECT_EQ(grey(2, 3), 23.0f);
  const View<const float> rgb = view_of_dlpack<const float>(tensor({4, 5, 3}));
  EXPECT_EQ(rgb.channels, 3);
  EXPECT_EQ(rgb(1, 2, 2), 35.0f);
  EXPECT_EQ(view_of_dlpack<float>(tensor({1, 5}, {0, 1})).pitch, 5);
  expect_refused([&] { view_of_dlpack<float>(tensor({4, 5}, {-7, 1})); }, "no view");
  expect_refused([&] { view_of_dlpack<float>(tensor({4, 5}, {0, 1})); }, "no view");
  expect_refused([&] { view_of_dlpack<float>(tensor({3, 4, 5}, {1, 15, 3})); }, "no view");
  expect_refused([&] { view_of_dlpack<float>(tensor({5})); }, "1 axes; 2 or 3 make a view");
}

TEST_F(DlPack, AnyStridesArePacked) {
  Context context = Context::open("cpu");
  std::vector<float> packed(6);
  pack(context, strided_of_dlpack<const float>(tensor({2, 3}, {1, 10})), std::span(packed));
  EXPECT_EQ(packed, (std::vector<float>{0, 10, 20, 1, 11, 21}));
  expect_refused([&] { strided_of_dlpack<float>(tensor(std::vector<std::int64_t>(9, 1))); }, "9 axes");
}

TEST_F(DlPack, AnAxisHasOuterAndInnerOnes) {
  const auto expect_axis = [&](int axis, std::int64_t outer, std::int64_t length, std::int64_t inner) {
    const Axis found = axis_of_dlpack(tensor({2, 3, 4, 5}), axis);
    EXPECT_EQ(found.outer, outer);
    EXPECT_EQ(found.length, length);
    EXPECT_EQ(found.inner, inner);
  };
  expect_axis(0, 1, 2, 60);
  expect_axis(1, 2, 3, 20);
  expect_axis(-1, 24, 5, 1);
  expect_refused([&] { axis_of_dlpack(tensor({2, 3}), 2); }, "no axis 2");
  expect_refused([&] { axis_of_dlpack(tensor({2, 3}), -3); }, "no axis -3");
}

/// The members that std::mdspan, cuda::std::mdspan and Kokkos::mdspan have in common.
struct Layout {
  using element_type = float;
  using rank_type = std::size_t;
  float* data;
  std::int64_t extents[2], strides[2];

  static constexpr rank_type rank() { return 2; }
  float* data_handle() const { return data; }
  std::int64_t extent(rank_type k) const { return extents[k]; }
  std::int64_t stride(rank_type k) const { return strides[k]; }
};

TEST_F(DlPack, AnMdspanIsAViewOrPacked) {
  Context context = Context::open("cpu");
  const View<float> view = view_of(Layout{floats.data(), {4, 5}, {7, 1}});
  EXPECT_EQ(view.height, 4);
  EXPECT_EQ(view(2, 3), 23.0f);
  std::vector<float> packed(6);
  pack(context, strided_of(Layout{floats.data(), {2, 3}, {1, 10}}), std::span(packed));
  EXPECT_EQ(packed, (std::vector<float>{0, 10, 20, 1, 11, 21}));
  expect_refused([&] { view_of(Layout{floats.data(), {4, 5}, {1, 4}}); }, "no view");
}

}  // namespace
}  // namespace scanlens

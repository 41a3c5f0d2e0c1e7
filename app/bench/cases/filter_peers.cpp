#include "app/bench/cases/filter_peers.h"

#include <opencv2/core.hpp>
#include <opencv2/imgproc.hpp>
#include <optional>
#include <string_view>

#include "app/bench/peers/npp.h"
#include "core/error.h"

namespace scanlens::bench {
namespace {

/// A filter's call between two pictures.
struct Task {
  Context& context;
  const FilterCall& call;
  View<const std::uint8_t> image;
  View<std::uint8_t> out;

  double value(std::string_view name) const {
    std::any params = call.params;
    for (const Param& param : call.filter->params)
      if (param.name == name) return param.in(params);
    throw Error(ErrorKind::usage, "a filter's peer asks for a parameter that it has not");
  }
  int whole(std::string_view name) const { return static_cast<int>(value(name)); }
};

cv::Mat mat(const View<const std::uint8_t>& view) {
  return cv::Mat(static_cast<int>(view.height), static_cast<int>(view.width), CV_8UC(view.channels),
                 const_cast<std::uint8_t*>(view.data));
}

/// The mean over squares.
void blur(const cv::Mat& from, int radius, cv::Mat& to) {
  cv::blur(from, to, {2 * radius + 1, 2 * radius + 1}, {-1, -1}, cv::BORDER_REPLICATE);
}

Peer box(const Task& task) {
  return {"cv::blur", [from = mat(task.image), to = mat(task.out), radius = task.whole("radius")]() mutable {
            blur(from, radius, to);
          }};
}
std::optional<Peer> npp_box(const Task& task) {
  return npp_box_filter(task.context, task.image, task.whole("radius"), task.out);
}

Peer gaussian(const Task& task) {
  return {"cv::GaussianBlur",
          [from = mat(task.image), to = mat(task.out), sigma = task.value("sigma")]() mutable {
            cv::GaussianBlur(from, to, {0, 0}, sigma, sigma, cv::BORDER_REPLICATE);
          }};
}
std::optional<Peer> npp_gaussian(const Task& task) {
  return npp_gaussian_filter(task.context, task.image, task.value("sigma"), task.out);
}

Peer unsharp(const Task& task) {
  return {"cv::blur, addWeighted", [from = mat(task.image), to = mat(task.out), means = cv::Mat(),
                                    radius = task.whole("radius"), amount = task.value("amount")]() mutable {
            blur(from, radius, means);
            cv::addWeighted(from, 1 + amount, means, -amount, 0, to);
          }};
}
std::optional<Peer> npp_unsharp(const Task& task) {
  return npp_unsharp_filter(task.context, task.image, task.whole("radius"), task.value("amount"), task.out);
}

Peer flatten(const Task& task) {
  return {"cv::blur, divide", [from = mat(task.image), to = mat(task.out), means = cv::Mat(),
                               radius = task.whole("radius"), white = 255 * task.value("target")]() mutable {
            blur(from, radius, means);
            cv::divide(from, means, to, white);
          }};
}

/// The peers of a filter, null where there is none.
struct Row {
  std::string_view filter;
  Peer (*opencv)(const Task&);
  std::optional<Peer> (*npp)(const Task&);
};
constexpr Row kRows[] = {
    {"box", box, npp_box},
    {"flatten", flatten, nullptr},
    {"gaussian", gaussian, npp_gaussian},
    {"unsharp", unsharp, npp_unsharp},
};

}  // namespace

std::vector<Peer> filter_peers(Context& context, const FilterCall& call, View<const std::uint8_t> image,
                               View<std::uint8_t> out) {
  const Task task{context, call, image, out};
  std::vector<Peer> peers;
  for (const Row& row : kRows) {
    if (row.filter != call.filter->name) continue;
    if (!context.on_cuda() && row.opencv) peers.push_back(row.opencv(task));
    if (context.on_cuda() && row.npp)
      if (const std::optional<Peer> peer = row.npp(task)) peers.push_back(*peer);
  }
  for (Peer& peer : peers) peer.same_result = false;
  return peers;
}

}  // namespace scanlens::bench

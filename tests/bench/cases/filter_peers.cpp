#include "tests/bench/cases/filter_peers.h"

#include <opencv2/core.hpp>
#include <opencv2/imgproc.hpp>
#include <optional>
#include <string_view>
#include <vector>

#include "core/error.h"
#include "tests/bench/peers/npp.h"

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
Peer flatten(const Task& task) {
  return {"cv::blur, divide", [from = mat(task.image), to = mat(task.out), means = cv::Mat(),
                               radius = task.whole("radius"), white = 255 * task.value("target")]() mutable {
            blur(from, radius, means);
            cv::divide(from, means, to, white);
          }};
}

/// The mean of codes, not of light.
Peer resize(const Task& task) {
  return {"cv::resize, INTER_AREA", [from = mat(task.image), to = mat(task.out)]() mutable {
            cv::resize(from, to, to.size(), 0, 0, cv::INTER_AREA);
          }};
}

/// Means and variances over squares, in floats: what OpenCV's users make these filters of.
struct CvMoments {
  cv::Mat mean, variance;

  void of(const cv::Mat& from, int radius) {
    const cv::Size size(2 * radius + 1, 2 * radius + 1);
    cv::boxFilter(from, mean, CV_32F, size, {-1, -1}, true, cv::BORDER_REPLICATE);
    cv::sqrBoxFilter(from, variance, CV_32F, size, {-1, -1}, true, cv::BORDER_REPLICATE);
    variance -= mean.mul(mean);
  }
};

Peer denoise(const Task& task) {
  const double noise = 255 * task.value("noise");
  return {"boxFilter, sqrBoxFilter", [from = mat(task.image), to = mat(task.out),
                                      radius = task.whole("radius"), least = noise * noise]() mutable {
            CvMoments local;
            local.of(from, radius);
            cv::Mat floats, gain, more;
            from.convertTo(floats, CV_32F);
            cv::max(local.variance - cv::Scalar::all(least), 0, gain);
            cv::max(local.variance, least + 1e-6, more);
            cv::divide(gain, more, gain);
            cv::Mat(local.mean + gain.mul(floats - local.mean)).convertTo(to, CV_8U);
          }};
}

Peer adaptive_threshold(const Task& task) {
  return {"boxFilter, sqrBoxFilter", [from = mat(task.image), to = mat(task.out),
                                      radius = task.whole("radius"), k = task.value("k")]() mutable {
            cv::Mat grey, deviation, floats;
            cv::cvtColor(from, grey, cv::COLOR_RGB2GRAY);
            CvMoments local;
            local.of(grey, radius);
            cv::sqrt(cv::max(local.variance, 0), deviation);
            grey.convertTo(floats, CV_32F);
            const cv::Mat threshold = local.mean.mul(1 + k * (deviation / 128 - 1));
            cv::cvtColor(floats > threshold, to, cv::COLOR_GRAY2RGB);
          }};
}

Peer local_contrast(const Task& task) {
  return {"boxFilter, sqrBoxFilter",
          [from = mat(task.image), to = mat(task.out), radius = task.whole("radius"),
           wanted = 255 * task.value("deviation"), limit = task.value("limit")]() mutable {
            cv::Mat grey, deviation, floats, gain, gains;
            cv::cvtColor(from, grey, cv::COLOR_RGB2GRAY);
            CvMoments local;
            local.of(grey, radius);
            cv::sqrt(cv::max(local.variance, 1e-3), deviation);
            cv::divide(wanted, deviation, gain);
            cv::min(gain, limit, gain);
            grey.convertTo(floats, CV_32F);
            gain = (local.mean + gain.mul(floats - local.mean)) / (floats + 1e-3);
            cv::merge(std::vector<cv::Mat>(3, gain), gains);
            cv::multiply(from, gains, to, 1, CV_8U);
          }};
}

Peer guided(const Task& task) {
  const double deviation = 255 * task.value("deviation");
  return {"boxFilter", [from = mat(task.image), to = mat(task.out), radius = task.whole("radius"),
                        epsilon = deviation * deviation]() mutable {
            const auto means = [&](const cv::Mat& image) {
              cv::Mat mean;
              cv::boxFilter(image, mean, CV_32F, {2 * radius + 1, 2 * radius + 1}, {-1, -1}, true,
                            cv::BORDER_REPLICATE);
              return mean;
            };
            const auto three = [](const cv::Mat& image) {
              cv::Mat all;
              cv::merge(std::vector<cv::Mat>(3, image), all);
              return all;
            };
            cv::Mat grey, guide, input, slope;
            cv::cvtColor(from, grey, cv::COLOR_RGB2GRAY);
            grey.convertTo(guide, CV_32F);
            from.convertTo(input, CV_32F);
            const cv::Mat guide_mean = means(guide), guide3 = three(guide), guide_mean3 = three(guide_mean);
            const cv::Mat variance = means(guide.mul(guide)) - guide_mean.mul(guide_mean),
                          mean = means(input);
            const cv::Mat covariance = means(guide3.mul(input)) - guide_mean3.mul(mean);
            cv::divide(covariance, three(variance + epsilon), slope);
            const cv::Mat offset = mean - slope.mul(guide_mean3);
            cv::Mat(means(slope).mul(guide3) + means(offset)).convertTo(to, CV_8U);
          }};
}

/// The peers of a filter; null without a peer.
struct Row {
  std::string_view filter;
  Peer (*opencv)(const Task&);
  std::optional<Peer> (*npp)(const Task&);
};
constexpr Row kRows[] = {
    {"adaptive_threshold", adaptive_threshold, nullptr},
    {"box", box, npp_box},
    {"denoise", denoise, nullptr},
    {"flatten", flatten, nullptr},
    {"gaussian", gaussian, npp_gaussian},
    {"guided", guided, nullptr},
    {"local_contrast", local_contrast, nullptr},
    {"resize", resize, nullptr},
    {"unsharp", unsharp, nullptr},
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

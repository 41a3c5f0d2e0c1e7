// Images of the host, where the context's backend can read them.
#pragma once

#include "core/image.h"

namespace scanlens {

/// Shows an image in host memory to the context's backend: the image itself on the CPU, which has to live as
/// long, or a copy on the device.
template <class T>
class Readable {
 public:
  Readable(Context& context, const Image<T>& host) : view_(host.view()) {
    if (!context.on_cuda() || host.empty()) return;
    device_ = Image<T>(context, host.width(), host.height(), host.channels());
    copy(context, host.view(), device_.view());
    view_ = device_.view();
  }

  View<const T> view() const { return view_; }

 private:
  Image<T> device_;
  View<const T> view_;
};

}  // namespace scanlens

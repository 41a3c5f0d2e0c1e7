// Images where the context's backend can read them.
#pragma once

#include "core/image.h"

namespace scanlens {

/// Shows an image to the context's backend: the image itself where that can read it, which has to live as
/// long, or a copy on the device.
template <class T>
class Readable {
 public:
  Readable(Context& context, const Image<T>& image) : view_(image.view()) {
    if (context.cuda_ordinal() == image.cuda_ordinal() || image.empty()) return;
    device_ = Image<T>(context, image.width(), image.height(), image.channels());
    copy(context, image.view(), device_.view());
    view_ = device_.view();
  }

  View<const T> view() const { return view_; }

 private:
  Image<T> device_;
  View<const T> view_;
};

}  // namespace scanlens

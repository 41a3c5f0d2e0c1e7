// Makes the views other than the result, once the picture is at rest.
#include "app/viewer/model/stage.h"

namespace scanlens {

/// Renders what a real lens would show of a scene, once it is at rest and asked for.
void Stage::make_reference() {
  const bool wanted = scene_ && open_.state.shown_view() == ShownView::difference;
  if (!wanted || !at_rest()) return;
  if (reference_of_ == blur_of_) return;
  constexpr int kViews = 128, kViewsBySoftware = 16;
  reference_ = scene_->reference(open_.state, image_->width(), image_->height(), shown_.blur,
                                 gl_.software() ? kViewsBySoftware : kViews);
  reference_of_ = blur_of_;
}

/// Shows how layers cover the picture, once it is at rest and asked for.
void Stage::make_layers() {
  const bool wanted = open_.state.seen_view(open_.has_depth()) == ShownView::layers &&
                      open_.state.style().quality != DofQuality::draft;
  if (!wanted || !at_rest() || layers_of_ == blur_of_) return;
  layers_of_ = blur_of_;  // tried once
  layers_ = {};
  const std::int64_t pixels = std::int64_t{image_->width()} * image_->height();
  const DofStyle style = open_.state.style();
  const std::int64_t workspace =
      depth_of_field_workspace(image_->width(), image_->height(), 3, 1, shown_.blur, style);
  require_memory(settings_, compute_, gl_, "the view of layers", {10 * pixels, workspace, 4 * pixels});
  if (scene_) bring_to_host(gl_, *image_);
  layers_ = effects_->layers(*image_, *host_depth(), shown_.blur, style);
}

}  // namespace scanlens

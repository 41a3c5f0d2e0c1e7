// The stack of filters as cards that can be moved and switched off.
#pragma once

#include <functional>
#include <vector>

#include "app/viewer/model/effects.h"

namespace scanlens {

/// Adds a card for each filter, in the order in which they act: a switch, a title to drag onto another
/// card's, arrows and a cross; below them, where it is on, what `build_values` adds. `size` is that of
/// letters.
void build_filter_cards(std::vector<StackedFilter>& filters, float size,
                        const std::function<void(StackedFilter&)>& build_values);

/// Moves a filter to the place of another one; those between make room.
void move_filter(std::vector<StackedFilter>& filters, std::size_t from, std::size_t to);

}  // namespace scanlens

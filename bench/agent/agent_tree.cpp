// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
#include "agent/agent_tree.hpp"

namespace nccl_sweep::agent {

// The subtree over [first, end) has `first` as its root and the two halves of the rest below it.
TreePlace place_in_tree(int number, int size) {
  TreePlace place;
  int first = 0;
  int end = size;
  for (;;) {
    const int left = first + 1;
    const int right = left + (end - left + 1) / 2;
    if (number == first) {
      if (left < end) place.children.push_back(left);
      if (right < end) place.children.push_back(right);
      return place;
    }
    place.parent = first;
    first = number < right ? left : right;
    end = number < right ? right : end;
  }
}

// The first child has the larger half.
int height_in_tree(int number, int size) {
  int height = 0;
  for (TreePlace place = place_in_tree(number, size); !place.children.empty();
       place = place_in_tree(place.children.front(), size)) {
    ++height;
  }
  return height;
}

}  // namespace nccl_sweep::agent

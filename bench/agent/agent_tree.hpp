// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
//
// The tree that control messages travel: who is above and below whom among n agents. A node has at
// most two children, so what the root handles does not grow with n, and a subtree is a range of
// neighbouring ranks, so groups of neighbours are complete far below the root. Depth: log2(n).
#pragma once

#include <vector>

namespace nccl_sweep::agent {

struct TreePlace {
  int parent = -1;            // -1: the root, which is number 0
  std::vector<int> children;  // ascending; the subtrees hold all numbers in this order
};

TreePlace place_in_tree(int number, int size);

// Levels below it: 0 without children.
int height_in_tree(int number, int size);

}  // namespace nccl_sweep::agent

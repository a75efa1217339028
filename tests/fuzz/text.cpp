// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
#include "fuzz/imported.hpp"

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  using namespace nccl_sweep;
  const std::string text(data, data + size);
  fuzz::make_a_run(read_text_launches(text, "all_gather.log"));
  return 0;
}

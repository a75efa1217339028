// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
#include "fuzz/imported.hpp"

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  using namespace nccl_sweep;
  const std::string text(data, data + size);
  if (!is_nccl_tests_json(text)) return 0;
  std::vector<RawLaunch> read;
  read.push_back(read_json_launch(text, "all_gather.json"));
  fuzz::make_a_run(std::move(read));
  return 0;
}

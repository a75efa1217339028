// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
#include <string>

#include "core/baseline_file.hpp"
#include "fuzz/promise.hpp"

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  using namespace nccl_sweep;
  const std::string text(data, data + size);
  try {
    const std::string written = to_json_text(parse_baseline(text, "input"));
    fuzz::promise(to_json_text(parse_baseline(written, "written")) == written,
                  "a baseline reads as it was written");
  } catch (const Error& error) {
    fuzz::expect_clear(error);
  }
  return 0;
}

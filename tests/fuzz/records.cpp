// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
#include "core/records.hpp"

#include <string>

#include "fuzz/promise.hpp"

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  using namespace nccl_sweep;
  const std::string line(data, data + size);
  try {
    const std::string written = to_line(parse_record(line, "line"));
    fuzz::promise(to_line(parse_record(written, "line")) == written,
                  "a record reads as it was written");
  } catch (const Error& error) {
    fuzz::expect_clear(error);
  }
  return 0;
}

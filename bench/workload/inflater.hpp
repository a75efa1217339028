// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
//
// One gzip stream, unpacked piece by piece with its checksum verified: zlib (inflater_zlib.cpp),
// or ISA-L where the build found it (inflater_isal.cpp), about twice as fast.
#pragma once

#include <cstddef>
#include <memory>

namespace nccl_sweep {

class Inflater {
 public:
  struct Step {
    std::size_t consumed = 0;
    std::size_t produced = 0;
    bool member_ended = false;  // checksum verified; call restart() for the next member
    bool corrupt = false;
  };

  Inflater();
  ~Inflater();
  Inflater(const Inflater&) = delete;
  Inflater& operator=(const Inflater&) = delete;

  Step step(const char* in, std::size_t in_size, char* out, std::size_t out_size);
  void restart();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace nccl_sweep

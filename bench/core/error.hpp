// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
//
// What a user's mistake or a broken environment looks like in code: one exception type that says
// what failed, where (file, line or JSON pointer) and what to try, and knows its exit code.
// Expected failures of trials (timeout, crash, wrong data) are values, see core/trial.hpp.
#pragma once

#include <span>
#include <stdexcept>
#include <string>
#include <string_view>

namespace nccl_sweep {

enum class ExitCode : int {
  ok = 0,
  usage = 1,             // command line, spec, trace or record file
  environment = 2,       // launcher, permissions, disk, missing devices
  baseline_failed = 3,   // the baseline or a sentinel failed (any candidate with --strict)
  below_threshold = 4,   // compare
  undecided = 5,         // compare: too little data
  interrupted = 130,     // soft stop, the run can be resumed
};

class Error : public std::runtime_error {
 public:
  // `where` is "file:line", "file#/json/pointer" or empty; `hint` says what to try, or is empty.
  Error(ExitCode code, std::string what, std::string where = {}, std::string hint = {});

  ExitCode exit_code() const { return code_; }
  const std::string& message() const { return message_; }
  const std::string& where() const { return where_; }
  const std::string& hint() const { return hint_; }

 private:
  ExitCode code_;
  std::string message_;
  std::string where_;
  std::string hint_;
};

// Shorthands for the two kinds that occur everywhere.
Error usage_error(std::string what, std::string where = {}, std::string hint = {});
Error environment_error(std::string what, std::string where = {}, std::string hint = {});

// "did you mean 'X'?" for the known word nearest to `word` by edit distance (at most a third of
// its length away), otherwise the list of known words when it is short, otherwise empty.
std::string did_you_mean(std::string_view word, std::span<const std::string> known);

}  // namespace nccl_sweep

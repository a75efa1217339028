// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
//
// What a site lets sweeps do: settings that must not be tried, the largest price of a run, rest
// between trials, nodes to leave alone. Several policy files can be in force at once; the strictest
// word counts, so a user's file adds to the site's and never loosens it. Enforcing is cli/'s and
// the sweep loop's.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace nccl_sweep {

struct Forbidden {
  std::string knob;
  std::vector<std::string> values;  // empty: the knob must not be varied at all
};

struct PolicyFile {
  std::string file;
  std::string reason;  // said beside whatever it refuses; may be empty
  std::vector<Forbidden> forbidden;
  double largest_gpu_hours = 0;              // of one run; 0: no limit
  double quiet_seconds = 0;                  // between the end of a trial and the start of the next
  std::vector<std::string> leave_out_nodes;  // host names, or shell patterns such as rack3-*
};

using Policy = std::vector<PolicyFile>;  // all of them hold

// Strict: unknown keys and wrong types are usage Errors with file and JSON pointer; comments are
// allowed. `file` is for messages.
PolicyFile parse_policy(std::string_view json_text, const std::string& file);
PolicyFile load_policy(const std::filesystem::path& file);

// The site's file where it exists, and the user's where one is named. A broken site file is an
// environment Error: no user can mend it.
Policy load_policies(const std::filesystem::path& site_file, const std::string& user_file);

// The file that forbids this, or null. `varied` false: the value comes from the environment, which
// only a list of values speaks of. Words in lists count each by itself and case does not: NVLS is
// in "ring,nvls".
const PolicyFile* forbids(const Policy&, std::string_view knob, std::string_view value,
                          bool varied);

const PolicyFile* leaves_out(const Policy&, const std::string& host);

// The file with the lowest limit, or null.
const PolicyFile* lowest_gpu_hours(const Policy&);

double quiet_seconds(const Policy&);  // the longest

// "forbids NCCL_IB_TIMEOUT, NCCL_ALGO=NVLS; at most 4 GPU-h a run; ..." without the file's name.
std::string summary(const PolicyFile&);

// " (why, by the file's words)" or "".
std::string reason_text(const PolicyFile&);

}  // namespace nccl_sweep

// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
#include "cli/site_policy.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "core/error.hpp"
#include "core/knob.hpp"

namespace nccl_sweep::cli {
namespace {

// What the policy of another day or another user said holds on; a file that is here again is read
// anew.
void add_remembered(Policy& policy, const Policy& remembered) {
  for (const PolicyFile& old : remembered) {
    const bool here = std::any_of(policy.begin(), policy.end(),
                                  [&](const PolicyFile& file) { return file.file == old.file; });
    if (!here && old.file != kSitePolicy) policy.push_back(old);
  }
}

// Values as candidates have them: "512K" is 524288. What is forbidden under one name is forbidden
// under every other that sets the same thing.
Policy spelt_out(Policy policy, const KnobCatalogue& catalogue, const std::string& backend) {
  for (PolicyFile& file : policy) {
    std::vector<Forbidden> under_all_names;
    for (Forbidden& forbidden : file.forbidden) {
      if (const Knob* knob = catalogue.find(backend, forbidden.knob)) {
        const std::string where = fmt::format("{}#/forbidden/{}", file.file, knob->name);
        for (std::string& value : forbidden.values) {
          catalogue.check_value(*knob, value, where);
          value = normalise_value(*knob, value);
        }
      }
      for (std::string& name : catalogue.names_of_same(backend, forbidden.knob)) {
        under_all_names.push_back({std::move(name), forbidden.values});
      }
    }
    file.forbidden = std::move(under_all_names);
  }
  return policy;
}

// What is enforced, and the words of the files that it follows from.
struct Restrictions {
  const Policy& said;
  const KnobCatalogue& catalogue;
  std::string backend;
  Policy exact = spelt_out(said, catalogue, backend);

  // ", which sets what NCCL_MAX_CTAS sets," where no file has the name itself.
  std::string why(const std::string& knob) const {
    for (const std::string& name : catalogue.names_of_same(backend, knob)) {
      for (const PolicyFile& file : said) {
        const bool named = std::ranges::any_of(
            file.forbidden, [&](const Forbidden& forbidden) { return forbidden.knob == name; });
        if (named && name == knob) return {};
        if (named) return fmt::format(", which sets what {} sets,", name);
      }
    }
    return {};
  }
};

Error forbidden_error(const PolicyFile& file, const std::string& what, std::string hint) {
  return usage_error(fmt::format("{} is forbidden by the policy{}", what, reason_text(file)),
                     file.file, std::move(hint));
}

void refuse_settings(const Restrictions& restrictions, const std::vector<Candidate>& candidates) {
  const Policy& policy = restrictions.exact;
  for (const Candidate& candidate : candidates) {
    for (const auto& [knob, value] : candidate.assignments) {
      const PolicyFile* file = forbids(policy, knob, value, true);
      if (file == nullptr) continue;
      const bool any_value = forbids(policy, knob, {}, true) != nullptr;
      throw forbidden_error(
          *file,
          (any_value ? "varying " + knob : fmt::format("{}={}", knob, value)) +
              restrictions.why(knob),
          any_value ? fmt::format("leave {} out of the sweep", knob)
                    : fmt::format("leave this value of {} out", knob));
    }
  }
}

void refuse_environment(const Restrictions& restrictions, const agent::Variables& variables,
                        const std::string& who) {
  for (const auto& [name, value] : variables) {
    const PolicyFile* file = forbids(restrictions.exact, name, value, false);
    if (file == nullptr) continue;
    const std::string why = restrictions.why(name);
    throw forbidden_error(
        *file,
        fmt::format("{}={}, which {} sets{}", name, value, who, why.empty() ? "," : why),
        fmt::format("take {} out of it", name));
  }
}

void warn_of_unknown_names(PreparedRun& run, const KnobCatalogue& catalogue) {
  for (const PolicyFile& file : run.record.policy) {
    std::vector<std::string> names;
    for (const Forbidden& forbidden : file.forbidden) names.push_back(forbidden.knob);
    for (const std::string& line : unknown_variables(names, catalogue)) {
      run.warnings.push_back(fmt::format("{} forbids what is not there: {}", file.file, line));
    }
  }
}

// 0: no limit. What costs GPU-hours are GPUs.
double largest_seconds(const PreparedRun& run) {
  const PolicyFile* file = lowest_gpu_hours(run.record.policy);
  if (file == nullptr || run.spec.backend != "nccl") return 0;
  return file->largest_gpu_hours * 3600 / run.plan.ranks;
}

}  // namespace

void obey_policy(PreparedRun& run, const KnobCatalogue& catalogue, const std::string& user_file,
                 const std::vector<agent::Machine>& machines) {
  Policy policy = load_policies(kSitePolicy, user_file);
  add_remembered(policy, run.record.policy);
  run.record.policy = std::move(policy);
  const Restrictions restrictions{run.record.policy, catalogue, run.spec.backend};
  refuse_settings(restrictions, run.setup.candidates);
  refuse_environment(restrictions, run.setup.site, "the environment");
  for (const agent::Machine& machine : machines) {
    agent::Variables own = machine.library;
    std::erase_if(own, [](const auto& entry) { return !agent::is_node_variable(entry.first); });
    refuse_environment(restrictions, own, "the environment of " + machine.host);
    if (run.spec.backend != "nccl") continue;
    refuse_environment(restrictions, machine.conf.value_or(agent::Variables{}),
                       "a conf file of NCCL on " + machine.host);
  }
  warn_of_unknown_names(run, catalogue);
}

void check_price(const PreparedRun& run) {
  const double largest = largest_seconds(run);
  if (largest <= 0) return;
  const double budget = run.spec.budget.count();
  const double planned =
      budget > 0 ? std::min(budget, run.record.estimated_seconds) : run.record.estimated_seconds;
  if (planned <= largest) return;
  const PolicyFile& file = *lowest_gpu_hours(run.record.policy);
  throw usage_error(
      fmt::format("about {:.1f} GPU-h are planned ({} on {} GPUs), the policy's largest are {:g}{}",
                  planned * run.plan.ranks / 3600, format_seconds(Seconds{planned}), run.plan.ranks,
                  file.largest_gpu_hours, reason_text(file)),
      file.file,
      fmt::format("fewer settings, sizes or GPUs, or --budget {:.0f}s", std::floor(largest)));
}

void check_nodes(const PreparedRun& run, const std::vector<agent::Machine>& machines) {
  std::set<std::string> hosts;
  const PolicyFile* file = nullptr;
  for (const agent::Machine& machine : machines) {
    const PolicyFile* found = leaves_out(run.record.policy, machine.host);
    if (found == nullptr) continue;
    file = found;
    hosts.insert(machine.host);
  }
  if (file == nullptr) return;
  constexpr std::size_t kShown = 8;
  const std::vector<std::string> shown(
      hosts.begin(),
      std::next(hosts.begin(), static_cast<std::ptrdiff_t>(std::min(hosts.size(), kShown))));
  throw environment_error(
      fmt::format("the policy leaves out {}{}{}", fmt::join(shown, " "),
                  hosts.size() > kShown ? fmt::format(" and {} more", hosts.size() - kShown) : "",
                  reason_text(*file)),
      file->file,
      fmt::format("start without: sbatch or srun --exclude={}, or mpirun --host without them",
                  fmt::join(shown, ",")));
}

double allowed_seconds(const PreparedRun& run, double used_seconds) {
  const double budget = run.spec.budget.count();
  const double largest = largest_seconds(run);
  if (largest <= 0) return budget;
  const PolicyFile& file = *lowest_gpu_hours(run.record.policy);
  const double left = largest - used_seconds;
  if (left <= 0) {
    throw usage_error(fmt::format("this run has used the {:g} GPU-h that the policy allows{}",
                                  file.largest_gpu_hours, reason_text(file)),
                      file.file, "read what it found with report");
  }
  return budget > 0 ? std::min(budget, left) : left;
}

std::vector<std::string> policy_lines(const PreparedRun& run) {
  std::vector<std::string> lines;
  const PolicyFile* lowest = lowest_gpu_hours(run.record.policy);
  for (const PolicyFile& file : run.record.policy) {
    std::string line = fmt::format("policy  {}: {}", file.file, summary(file));
    if (&file == lowest && largest_seconds(run) > 0) {
      line += fmt::format("; {} on {} GPUs", format_seconds(Seconds{largest_seconds(run)}),
                          run.plan.ranks);
    }
    lines.push_back(std::move(line));
  }
  return lines;
}

}  // namespace nccl_sweep::cli

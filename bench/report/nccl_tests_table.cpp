// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
#include "report/nccl_tests_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <tuple>
#include <vector>

#include "analysis/verdict.hpp"
#include "core/error.hpp"
#include "core/spec.hpp"

namespace nccl_sweep {
namespace {

constexpr int kTimeWidth = 7;
constexpr int kBandwidthWidth = 6;

std::size_t index(int i) { return static_cast<std::size_t>(i); }

struct Row {
  Case c;                           // of either placement
  std::optional<int> out_of_place;  // case indices
  std::optional<int> in_place;
};

struct Block {
  std::string collective;  // the program's name: all_gather_perf
  std::vector<Row> rows;   // by rising size
};

std::vector<Block> blocks_of(const RunRecord& run) {
  using Group = std::tuple<Collective, DataType, ReduceOp, GroupShape, bool, bool>;
  std::vector<Block> blocks;
  std::map<Group, std::size_t> block_of;
  std::map<std::pair<Group, std::int64_t>, std::size_t> row_of;
  for (int i = 0; i < static_cast<int>(run.cases.size()); ++i) {
    const Case& c = run.cases[index(i)];
    const Group group{c.collective, c.dtype, c.op, c.group, c.scaled(), c.graph};
    const auto [block, new_block] = block_of.try_emplace(group, blocks.size());
    if (new_block) blocks.push_back({fmt::format("{}_perf", to_string(c.collective)), {}});
    std::vector<Row>& rows = blocks[block->second].rows;
    const auto [row, new_row] = row_of.try_emplace({group, c.size.value}, rows.size());
    if (new_row) rows.push_back({c, {}, {}});
    Row& chosen = rows[row->second];
    (c.placement == Placement::in_place ? chosen.in_place : chosen.out_of_place) = i;
  }
  for (Block& block : blocks) {
    std::stable_sort(block.rows.begin(), block.rows.end(),
                     [](const Row& a, const Row& b) { return a.c.size < b.c.size; });
  }
  return blocks;
}

// Over all trials of the baseline; nothing where none was verified.
std::optional<std::int64_t> wrong_elements(const RunData& data, int case_index) {
  std::optional<std::int64_t> wrong;
  for (const TrialOutcome& trial : data.trials) {
    if (trial.order.candidate != 0) continue;
    for (const CaseTiming& timing : trial.cases) {
      if (timing.case_index != case_index || timing.wrong_elements < 0) continue;
      wrong = std::max(wrong.value_or(0), timing.wrong_elements);
    }
  }
  return wrong;
}

// Nothing where it is of another version: only the header's figures depend on it.
std::optional<SweepSpec> spec_of(const RunRecord& run) {
  if (run.spec.empty()) return std::nullopt;
  try {
    return parse_spec(run.spec, "the run's spec");
  } catch (const Error&) {
    return std::nullopt;
  }
}

// With nccl-tests' recipe the user's number, else the method's least.
int warm_up_iterations(const std::optional<SweepSpec>& spec) {
  constexpr int kMethod = 5;
  return spec && spec->warmup_iters >= 0 ? spec->warmup_iters : kMethod;
}

// The sizes asked for, rising; of a workload those of the block.
std::vector<std::int64_t> requested_sizes(const std::optional<SweepSpec>& spec,
                                          const Block& block) {
  std::vector<std::int64_t> sizes;
  if (spec && !spec->workload_sizes) {
    for (const Bytes size : spec->sizes) sizes.push_back(size.value);
  }
  if (sizes.empty()) {
    for (const Row& row : block.rows) sizes.push_back(row.c.requested.value);
  }
  std::sort(sizes.begin(), sizes.end());
  sizes.erase(std::unique(sizes.begin(), sizes.end()), sizes.end());
  return sizes;
}

// "4096(bytes)" for three or more sizes at equal distances, else "4(factor)". Rising sizes are
// never both.
std::string step_text(const std::vector<std::int64_t>& sizes) {
  if (sizes.size() < 2) return "1(factor)";
  const std::int64_t step = sizes[1] - sizes[0];
  bool arithmetic = sizes.size() > 2;
  for (std::size_t i = 1; i < sizes.size(); ++i) {
    arithmetic = arithmetic && sizes[i] - sizes[i - 1] == step;
  }
  if (arithmetic) return fmt::format("{}(bytes)", step);
  return fmt::format("{}(factor)", sizes[0] > 0 ? sizes[1] / sizes[0] : 1);
}

class Printer {
 public:
  Printer(const RunData& data, const RunFindings& findings)
      : data_(data), findings_(findings), spec_(spec_of(data.run)) {}

  std::string print(const Block& block) {
    text_ += fmt::format("# Collective test starting: {}\n", block.collective);
    print_parameters(block);
    print_devices();
    print_header();
    const Case& first = block.rows.front().c;
    if (first.scaled()) text_ += fmt::format("# {}\n", scaled_note(first));
    sum_ = 0;
    count_ = 0;
    failed_checks_ = 0;
    for (const Row& row : block.rows) print_row(row);
    if (count_ > 0) {
      text_ += fmt::format("# Out of bounds values : {} {}\n", failed_checks_,
                           failed_checks_ == 0 ? "OK" : "FAILED");
      text_ += fmt::format("# Avg bus bandwidth    : {:g} \n", sum_ / count_);
    } else {
      text_ += "# no trial was measured\n";
    }
    text_ += fmt::format("#\n# Collective test concluded: {}\n#\n\n", block.collective);
    return std::exchange(text_, {});
  }

 private:
  void print_parameters(const Block& block) {
    const std::vector<std::int64_t> sizes = requested_sizes(spec_, block);
    const int iters = iterations(any_case(block.rows.front()));
    const bool verified = wrong_elements(data_, any_case(block.rows.front())).has_value();
    text_ += fmt::format(
        "# nThread 1 nGpus 1 minBytes {} maxBytes {} step: {} warmup iters: {} iters: {} agg "
        "iters: 1 validation: {} graph: {} unalign: 0\n#\n",
        sizes.front(), sizes.back(), step_text(sizes), warm_up_iterations(spec_), iters,
        verified ? 1 : 0, block.rows.front().c.graph ? 1 : 0);
  }

  static int any_case(const Row& row) {
    return row.out_of_place ? *row.out_of_place : *row.in_place;
  }

  int iterations(int case_index) const {
    for (const TrialOutcome& trial : data_.trials) {
      for (const CaseTiming& timing : trial.cases) {
        if (timing.case_index == case_index) return timing.ops_per_block;
      }
    }
    return 0;
  }

  // Process and bus numbers are those of one launch there; here every trial has its own.
  void print_devices() {
    const Fabric& fabric = data_.run.fabric;
    text_ += "# Using devices\n";
    const int per_node = std::max(1, fabric.ranks_per_node);
    for (int rank = 0; rank < data_.run.ranks; ++rank) {
      const std::size_t node = index(rank / per_node);
      const std::string host = node < fabric.hosts.size() ? fabric.hosts[node] : "-";
      text_ += fmt::format("#  Rank {:2} Group {:2} Pid {:6} on {:>10} device {:2} [-] {}\n", rank,
                           0, 0, host.substr(0, host.find('.')), rank % per_node, fabric.device);
    }
    text_ += "#\n";
  }

  void print_header() {
    text_ += fmt::format("#{:62}{:<35}{:<18}\n", "", "out-of-place", "in-place");
    const std::string columns =
        fmt::format("  {:>7}  {:>6}  {:>6}  {:>6}", "time", "algbw", "busbw", "#wrong");
    text_ += fmt::format("# {:>10}  {:>12}  {:>8}  {:>6}  {:>6}{}{} \n", "size", "count", "type",
                         "redop", "root", columns, columns);
    text_ += fmt::format("# {:>10}  {:>12}  {:>8}  {:>6}  {:>6}", "(B)", "(elements)", "", "", "");
    for (int placement = 0; placement < 2; ++placement) {
      text_ += fmt::format("  {:>7}  {:>6}  {:>6}  {:>6}", "(us)", "(GB/s)", "(GB/s)", "");
    }
    text_ += " \n";
  }

  void print_row(const Row& row) {
    const Case& c = row.c;
    text_ += fmt::format("{:12}  {:12}  {:>8}  {:>6}  {:>6}", c.size.value, c.count,
                         nccl_tests_word(c.dtype), reduces(c.collective) ? to_string(c.op) : "none",
                         rooted(c.collective) ? 0 : -1);
    print_placement(row.out_of_place);
    print_placement(row.in_place);
    text_ += "\n";
  }

  void print_placement(std::optional<int> case_index) {
    const Point* point = case_index ? findings_.point(0, *case_index) : nullptr;
    if (point == nullptr) {
      text_ += fmt::format("  {:>7}  {:>6}  {:>6}  {:>6}", "N/A", "N/A", "N/A", "N/A");
      return;
    }
    const double busbw = point->busbw.bytes_per_second / 1e9;
    sum_ += busbw;
    ++count_;
    const auto wrong = wrong_elements(data_, *case_index);
    if (wrong.value_or(0) > 0) ++failed_checks_;
    text_ += fmt::format("  {:>7}  {:>6}  {:>6}  {:>6}",
                         nccl_tests_number(point->median.count() * 1e6, kTimeWidth),
                         nccl_tests_number(point->algbw.bytes_per_second / 1e9, kBandwidthWidth),
                         nccl_tests_number(busbw, kBandwidthWidth),
                         wrong ? fmt::format("{:g}", static_cast<double>(*wrong)) : "N/A");
  }

  const RunData& data_;
  const RunFindings& findings_;
  std::optional<SweepSpec> spec_;
  std::string text_;
  double sum_ = 0;
  int count_ = 0;
  int failed_checks_ = 0;
};

}  // namespace

std::string nccl_tests_number(double value, int width) {
  for (int decimals = 2; decimals >= 0; --decimals) {
    std::string text = fmt::format("{:.{}f}", value, decimals);
    if (static_cast<int>(text.size()) <= width) return text;
  }
  return fmt::format("{:.1e}", value);
}

std::string nccl_tests_tables(const RunData& data) {
  const auto nccl = data.run.fabric.versions.find("nccl");
  const RunFindings findings = find(data);
  std::string text = fmt::format("# nccl-sweep version {}", data.run.version);
  if (nccl != data.run.fabric.versions.end()) text += " nccl-library=" + nccl->second;
  if (data.run.simulated) text += " SIMULATED";
  const int trials = findings.candidates.front().trials;
  text += trials == 0   ? " no trial"
          : trials == 1 ? " one trial"
                        : fmt::format(" medians over {} trials", trials);
  text += " of the default, in nccl-tests' table\n";
  for (const std::string& line : data.run.mismatches) text += "# NODES DIFFER " + line + "\n";
  Printer printer(data, findings);
  for (const Block& block : blocks_of(data.run)) text += printer.print(block);
  return text;
}

}  // namespace nccl_sweep

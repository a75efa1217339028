// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <memory>
#include <string>
#include <vector>

#include "agent/knob_here.hpp"
#include "cli/commands.hpp"
#include "core/error.hpp"
#include "core/knob.hpp"
#include "core/units.hpp"

namespace nccl_sweep::cli {
namespace {

struct KnobsOptions {
  std::string name;
  std::string backend;
};

std::string limit_text(const Knob& knob, const std::optional<std::int64_t>& limit) {
  if (!limit) return "any";
  const bool unit = knob.type == KnobType::size && *limit >= 1024;
  return unit ? format_size_exact(Bytes{*limit}) : std::to_string(*limit);
}

std::string values_text(const Knob& knob) {
  switch (knob.type) {
    case KnobType::boolean:
      return "0, 1";
    case KnobType::choice:
      return fmt::format("{}", fmt::join(knob.choices, ", "));
    case KnobType::integer:
    case KnobType::size:
      return fmt::format("{} to {}{}", limit_text(knob, knob.minimum),
                         limit_text(knob, knob.maximum), knob.power_of_two ? ", 2^n" : "");
    case KnobType::text:
      return "text";
    case KnobType::path:
      return "file";
  }
  return {};
}

std::string shortened(std::string text, std::size_t width) {
  if (text.size() > width) text.replace(width - 3, std::string::npos, "...");
  return text;
}

// "0" of "0 (1 in 2.18-2.19)": the history is shown with the knob in full.
std::string without_history(const std::string& text) {
  return text.substr(0, std::min({text.find(": "), text.find(" ("), text.find(", ")}));
}

void print_table(const std::vector<const Knob*>& knobs) {
  using Row = std::array<std::string, 5>;
  std::vector<Row> rows{{"name", "values", "default", "class", "what it is"}};
  constexpr std::size_t kValuesWidth = 18;  // with these a row of most knobs fits 160 columns
  constexpr std::size_t kDefaultWidth = 22;
  for (const Knob* knob : knobs) {
    rows.push_back({knob->name, shortened(values_text(*knob), kValuesWidth),
                    shortened(without_history(knob->default_value), kDefaultWidth),
                    to_string(knob->knob_class), knob->summary});
  }
  std::array<std::size_t, 4> width{};
  for (const Row& row : rows) {
    for (std::size_t i = 0; i < width.size(); ++i) width[i] = std::max(width[i], row[i].size());
  }
  for (const Row& row : rows) {
    fmt::print("{:<{}}  {:<{}}  {:<{}}  {:<{}}  {}\n", row[0], width[0], row[1], width[1], row[2],
               width[2], row[3], width[3], row[4]);
  }
}

void print_in_full(const Knob& knob, const KnobCatalogue& catalogue) {
  const auto line = [](const char* label, const std::string& text) {
    if (!text.empty()) fmt::print("  {:<10}  {}\n", label, text);
  };
  std::vector<std::string> same = catalogue.names_of_same(knob.backend, knob.name);
  same.erase(same.begin());
  fmt::print("{}  (backend {})\n", knob.name, knob.backend);
  line("what", knob.summary);
  line("kind", to_string(knob.kind));
  line("values", values_text(knob));
  line("default", knob.default_value);
  line("since", knob.since.empty() ? "" : "NCCL " + knob.since);
  line("same as", fmt::format("{}", fmt::join(same, " ")));
  line("acts on", knob.acts_on);
  line("no effect", knob.no_op_when);
  line("here", agent::knob_here(knob, agent::this_machine()));
  line("danger", knob.danger);
  const bool free_to_vary = knob.knob_class == KnobClass::tuning;
  line("class", to_string(knob.knob_class) +
                    (free_to_vary ? "" : fmt::format(", varied with --allow {} only", knob.name)));
}

void print_all(const std::vector<const Knob*>& knobs) {
  std::vector<const Knob*> of_backend;
  for (std::size_t i = 0; i < knobs.size(); ++i) {  // they come backend by backend
    of_backend.push_back(knobs[i]);
    if (i + 1 < knobs.size() && knobs[i + 1]->backend == knobs[i]->backend) continue;
    fmt::print("backend {}\n", knobs[i]->backend);
    print_table(of_backend);
    fmt::print("\n");
    of_backend.clear();
  }
  fmt::print("nccl-sweep knobs NAME shows one in full\n");
}

void print_named(const std::vector<const Knob*>& knobs, const std::string& name,
                 const KnobCatalogue& catalogue) {
  std::vector<std::string> names;
  bool found = false;
  for (const Knob* knob : knobs) {
    names.push_back(knob->name);
    if (knob->name != name) continue;
    print_in_full(*knob, catalogue);
    found = true;
  }
  if (found) return;
  std::vector<std::string> longer;  // part of a name is the most frequent mistake
  std::ranges::copy_if(names, std::back_inserter(longer),
                       [&](const std::string& known) { return known.starts_with(name); });
  std::string hint = did_you_mean(name, longer.empty() ? names : longer);
  if (hint.empty()) hint = "nccl-sweep knobs lists them all";
  throw usage_error(fmt::format("'{}' is not a known knob", name), {}, hint);
}

ExitCode show_knobs(const KnobsOptions& options) {
  const KnobCatalogue catalogue = KnobCatalogue::load(data_folder() / "knobs");
  std::vector<const Knob*> chosen;
  std::vector<std::string> backends;
  for (const Knob& knob : catalogue.knobs()) {
    if (backends.empty() || backends.back() != knob.backend) backends.push_back(knob.backend);
    if (options.backend.empty() || knob.backend == options.backend) chosen.push_back(&knob);
  }
  if (chosen.empty()) {
    throw usage_error(fmt::format("no knobs are listed for backend '{}'", options.backend), {},
                      did_you_mean(options.backend, backends));
  }
  if (options.name.empty()) {
    print_all(chosen);
  } else {
    print_named(chosen, options.name, catalogue);
  }
  return ExitCode::ok;
}

}  // namespace

void add_knobs_command(CLI::App& app, Chosen& chosen) {
  auto options = std::make_shared<KnobsOptions>();
  CLI::App* command =
      app.add_subcommand("knobs", "What can be varied: values, defaults, what it acts on");
  command->add_option("NAME", options->name, "Show this one in full");
  command->add_option("--backend", options->backend, "Only the knobs of nccl, host ...");
  command->callback([options, &chosen] { chosen = [options] { return show_knobs(*options); }; });
}

}  // namespace nccl_sweep::cli

// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
//
// Reference busbw (results/baselines/*.json): figures by fabric and source, each with what kind of
// statement it is. Figures of different sources are never merged, also where they contradict each
// other. Format: sweeps/schemas/baseline.schema.json. Comparing is
// analysis/baseline_comparison.hpp.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/collective.hpp"
#include "core/units.hpp"

namespace nccl_sweep {

inline constexpr int kBaselineSchema = 1;

// What a figure is worth: only the first three fail a run unless the user asks for more.
enum class FigureClass {
  measured,   // from a run's records, by `baseline make`
  imported,   // from logs of nccl-tests, by `import` and `baseline make`
  published,  // measured by somebody else, who published it
  floor,      // an acceptance threshold of somebody's health check
  expert,     // said by somebody who should know
  derived     // calculated, or simulation input
};
std::string_view to_string(FigureClass);  // "measured by us", "imported from logs", "floor" ...
bool is_of_a_run(FigureClass);            // made by `baseline make`
bool is_measured(FigureClass);            // by whomever: it can fail a run

// The key by which a run's fabric is found. 0 and "" mean that the source does not say.
struct BaselineFabric {
  std::string name;         // as a run's fabric is named where all is known
  std::string fingerprint;  // of figures from a run
  std::string gpu;          // "H100", or the whole device name
  int nodes = 0;
  int gpus_per_node = 0;
  int ranks = 0;
  std::string link;     // between GPUs of a node: "NVLink", "PCI", "MNNVL"
  std::string network;  // "IB", "RoCE", "EFA", "Socket", a plugin's name
  int adapters = 0;     // of a node
  int gbit_per_s = 0;   // of one adapter
  bool simulated = false;
  bool imported = false;  // told by nccl-tests, which leaves out links and networks
};

struct BaselineSource {
  std::string id;  // unique in its file
  FigureClass figure_class = FigureClass::published;
  std::string title;  // where the figures stand, with the version looked at
  std::string url;
  std::string platform;  // "Azure ND H100 v5"
  std::string date;      // of the measurement, as far as known
  std::string nccl;      // version, "" unknown
  std::string setting;  // what was not left at its default: such figures are shown and never decide
  std::string note;
  std::string recipe;                              // of a run: how it measured; "" unknown
  std::map<std::string, std::string> environment;  // of a run: the library's variables
};

enum class FigureKind {
  at_size,
  average,  // of the busbw of the sizes from .. to
  peak      // the best size within from .. to
};

struct Figure {
  FigureKind kind = FigureKind::at_size;
  Bytes size;        // at_size
  Bytes from;        // average, peak: inclusive
  Bytes to;          // 0: no limit
  double busbw = 0;  // GB/s, as everywhere in these files; geometric mean over launches
  double low = 0;    // 95 % interval of that mean; 0: none
  double high = 0;
  int launches = 0;  // 0: the source does not say
  bool has_interval() const { return low > 0; }
};

std::string figure_label(const Figure&);  // "16 MiB", "average of 1 GiB to 16 GiB", "peak"

struct BaselineSeries {
  std::string fabric;
  std::string source;
  Collective collective = Collective::all_reduce;
  std::optional<DataType> dtype;  // nothing: the source does not say
  std::optional<ReduceOp> op;
  std::optional<Placement> placement;
  std::string group = "world";  // as core/case.hpp has it
  int group_size = 0;           // 0: unknown
  bool graph = false;
  std::vector<Figure> figures;
};

// Figures that cannot all be right, or floors above what was measured.
struct Contradiction {
  std::string text;
  std::vector<std::string> sources;  // of this file; others are named by the text
};

struct BaselineFile {
  std::string name;  // file name without .json
  std::vector<BaselineFabric> fabrics;
  std::vector<BaselineSource> sources;
  std::vector<BaselineSeries> series;
  std::vector<Contradiction> contradictions;

  // Of a name that stands in a series; parsing made sure that it is there.
  const BaselineFabric& fabric(std::string_view name) const;
  const BaselineSource& source(std::string_view id) const;
};

// "floor, some-repository@1234567: all_reduce peak up to 128 MiB 800 GB/s": of each series the
// last.
std::string source_and_figures(const BaselineFile& file, std::string_view source_id);

// Throw a usage Error with file and JSON pointer: unknown key, missing source, a value outside its
// interval, a size twice, a name that is not declared.
BaselineFile load_baseline(const std::filesystem::path& file);
BaselineFile parse_baseline(std::string_view text, std::string_view where);

std::string to_json_text(const BaselineFile&);  // a figure a line

// By name; a folder that is not there has none.
std::vector<std::filesystem::path> baseline_files(const std::filesystem::path& folder);

}  // namespace nccl_sweep

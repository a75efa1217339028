// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
#include "core/baseline_file.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <iterator>
#include <stdexcept>

#include "core/error.hpp"

namespace nccl_sweep {
namespace {

template <class T>
const T& named(const std::vector<T>& all, std::string T::*name, std::string_view wanted) {
  const auto found =
      std::find_if(all.begin(), all.end(), [&](const T& one) { return one.*name == wanted; });
  if (found == all.end()) throw std::logic_error("a baseline names what it does not hold");
  return *found;
}

}  // namespace

std::string_view to_string(FigureClass figure_class) {
  constexpr std::array kWords{"measured by us", "imported from logs", "measured and published",
                              "floor",          "expert statement",   "derived"};
  return kWords.at(static_cast<std::size_t>(figure_class));
}

bool is_of_a_run(FigureClass figure_class) {
  return figure_class == FigureClass::measured || figure_class == FigureClass::imported;
}

bool is_measured(FigureClass figure_class) {
  return is_of_a_run(figure_class) || figure_class == FigureClass::published;
}

std::string figure_label(const Figure& figure) {
  if (figure.kind == FigureKind::at_size) return format_size(figure.size);
  const char* what = figure.kind == FigureKind::average ? "average" : "peak";
  if (figure.to.value == 0) {
    return figure.from.value == 0 ? what
                                  : fmt::format("{} from {}", what, format_size(figure.from));
  }
  if (figure.from.value == 0) return fmt::format("{} up to {}", what, format_size(figure.to));
  return fmt::format("{} of {} to {}", what, format_size(figure.from), format_size(figure.to));
}

const BaselineFabric& BaselineFile::fabric(std::string_view wanted) const {
  return named(fabrics, &BaselineFabric::name, wanted);
}

const BaselineSource& BaselineFile::source(std::string_view wanted) const {
  return named(sources, &BaselineSource::id, wanted);
}

std::string source_and_figures(const BaselineFile& file, std::string_view source_id) {
  const BaselineSource& source = file.source(source_id);
  std::vector<std::string> figures;
  for (const BaselineSeries& series : file.series) {
    if (series.source != source_id) continue;
    const Figure& last = series.figures.back();
    figures.push_back(fmt::format("{} {} {:g} GB/s", to_string(series.collective),
                                  figure_label(last), last.busbw));
  }
  return fmt::format("{}, {}: {}", to_string(source.figure_class), source.title,
                     fmt::join(figures, ", "));
}

BaselineFile load_baseline(const std::filesystem::path& file) {
  std::error_code ignored;
  if (std::filesystem::is_directory(file, ignored)) {
    throw usage_error("is a folder, a baseline is a file", file.string(),
                      "nccl-sweep baseline make RUN makes one of a run");
  }
  std::ifstream stream(file);
  if (!stream) {
    throw usage_error("the baseline cannot be read", file.string(),
                      "nccl-sweep baseline list shows those that are known");
  }
  const std::string text{std::istreambuf_iterator<char>(stream), {}};
  BaselineFile baseline = parse_baseline(text, file.string());
  baseline.name = file.stem().string();
  return baseline;
}

std::vector<std::filesystem::path> baseline_files(const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> files;
  std::error_code not_there;
  for (const auto& entry : std::filesystem::directory_iterator(folder, not_there)) {
    if (entry.path().extension() == ".json") files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  return files;
}

}  // namespace nccl_sweep

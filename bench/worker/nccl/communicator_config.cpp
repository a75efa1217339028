// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
#include "worker/nccl/communicator_config.hpp"

#include <fmt/format.h>

#include <charconv>
#include <functional>
#include <string_view>
#include <vector>

#include "worker/backend.hpp"

namespace nccl_sweep::worker {
namespace {

struct Field {
  std::string_view knob;
  int since;                                                   // NCCL version that has it
  std::function<void(ncclConfig_t&, const std::string&)> set;  // empty: not in this build's nccl.h
};

auto number(int ncclConfig_t::*field) {
  return [field](ncclConfig_t& config, const std::string& value) {
    const auto [end, error] =
        std::from_chars(value.data(), value.data() + value.size(), config.*field);
    if (error != std::errc{} || end != value.data() + value.size()) {
      throw Unsupported(fmt::format("'{}' is not a whole number", value));
    }
  };
}

std::vector<Field> fields() {
  std::vector<Field> all{{"cga_cluster_size", 21700, number(&ncclConfig_t::cgaClusterSize)},
                         {"min_ctas", 21700, number(&ncclConfig_t::minCTAs)},
                         {"max_ctas", 21700, number(&ncclConfig_t::maxCTAs)},
                         {"net_name", 21700, [](ncclConfig_t& config, const std::string& value) {
                            config.netName = value.c_str();
                          }}};
  const auto later = [&](std::string_view knob, int since, auto set) {
    all.push_back({knob, since, std::move(set)});
  };
  using Setter = std::function<void(ncclConfig_t&, const std::string&)>;
#if NCCL_VERSION_CODE >= NCCL_VERSION(2, 26, 0)
  later("traffic_class", 22600, Setter(number(&ncclConfig_t::trafficClass)));
#else
  later("traffic_class", 22600, Setter());
#endif
#if NCCL_VERSION_CODE >= NCCL_VERSION(2, 27, 0)
  later("collnet_enable", 22700, Setter(number(&ncclConfig_t::collnetEnable)));
  later("cta_policy", 22700, Setter(number(&ncclConfig_t::CTAPolicy)));
  later("nvls_ctas", 22700, Setter(number(&ncclConfig_t::nvlsCTAs)));
#else
  for (const char* knob : {"collnet_enable", "cta_policy", "nvls_ctas"}) {
    later(knob, 22700, Setter());
  }
#endif
#if NCCL_VERSION_CODE >= NCCL_VERSION(2, 28, 0)
  later("n_channels_per_net_peer", 22800, Setter(number(&ncclConfig_t::nChannelsPerNetPeer)));
  later("nvlink_centric_sched", 22800, Setter(number(&ncclConfig_t::nvlinkCentricSched)));
#else
  for (const char* knob : {"n_channels_per_net_peer", "nvlink_centric_sched"}) {
    later(knob, 22800, Setter());
  }
#endif
  return all;
}

}  // namespace

ncclConfig_t communicator_config(const std::map<std::string, std::string>& knobs,
                                 int library_version) {
  ncclConfig_t config = NCCL_CONFIG_INITIALIZER;
  for (const Field& field : fields()) {
    const auto found = knobs.find(std::string(field.knob));
    if (found == knobs.end()) continue;
    if (library_version < field.since) {
      throw Unsupported(fmt::format("{} needs NCCL {}.{}", field.knob, field.since / 10000,
                                    field.since % 10000 / 100));
    }
    if (!field.set) {
      throw Unsupported(
          fmt::format("this nccl-sweep-worker was built with an nccl.h that is too "
                      "old for {}",
                      field.knob));
    }
    field.set(config, found->second);
  }
  return config;
}

}  // namespace nccl_sweep::worker

// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
//
// How ranks reach each other: adapters, transport per channel, queue pairs, sockets, topology.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "evidence/rank_facts.hpp"
#include "evidence/text_scan.hpp"

namespace nccl_sweep::evidence {
namespace {

std::vector<std::string_view> parts_of(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  while (true) {
    const std::size_t end = text.find(separator);
    parts.push_back(text.substr(0, end));
    if (end == text.npos) return parts;
    text.remove_prefix(end + 1);
  }
}

// The transport without what differs from channel to channel: "NET/IB/2(4)/GDRDMA(PCI)/Shared" is
// "NET/IB/PXN/GDRDMA": by way of local rank 4.
std::string transport_kind(std::string_view via) {
  const auto parts = parts_of(via, '/');
  const std::string_view family = parts.front();
  std::string kind(family);
  if (parts.size() < 2) return kind;
  if (family == "NET" || family == "COLLNET") {
    kind += fmt::format("/{}", parts[1]);
    if (parts.size() > 2 && parts[2].find('(') != via.npos) kind += "/PXN";
    const bool direct = std::ranges::any_of(
        parts, [](std::string_view part) { return part.starts_with("GDRDMA"); });
    return direct ? kind + "/GDRDMA" : kind;
  }
  const bool copies = std::ranges::find(parts, "CE") != parts.end();
  if (family == "SHM") return copies ? kind + "/CE" : kind;
  kind += fmt::format("/{}", parts[1]);
  if (std::ranges::find(parts, "read") != parts.end()) kind += "/read";
  return copies ? kind + "/CE" : kind;
}

// "Channel 00/0 : 0[0] -> 1[1] [send] via NET/Socket/0"; without an arrow it is a ring's order.
bool read_channel(std::string_view text, RankFacts& facts) {
  TextScan scan(text);
  int channel = 0;
  int connection = 0;  // 0 for collectives, 1 for send/recv; shared memory does not print it
  const bool collnet = scan.skip("CollNet ");
  if (!collnet && !scan.skip("Channel ")) return false;
  if (!scan.number(channel)) return false;
  if (scan.skip("/") && !scan.number(connection)) return false;
  if (!scan.skip(" : ")) return false;
  std::string_view ends;
  if (!scan.until(" via ", ends) || scan.rest().empty()) return false;
  if (!collnet && ends.find("->") == ends.npos) return false;
  RankFacts::Channels& channels = facts.transports[transport_kind(scan.rest())];
  (connection == 0 ? channels.collective : channels.point_to_point).insert(channel);
  return true;
}

// "NET/IB : Using [0]mlx5_0:1/IB [1]mlx5_1:1/RoCE [RO]; OOB eth0:192.0.2.2<0>". A list that was
// cut ends in half a device, which has no blank behind it.
bool read_ib_list(std::string_view text, RankFacts& facts) {
  TextScan scan(text);
  if (!scan.skip("NET/IB : Using ")) return false;
  int number = 0;
  std::string_view name;
  while (scan.skip("[") && scan.number(number) && scan.skip("]")) {
    std::string_view entry = scan.word();
    if (scan.rest().empty()) break;
    scan.skip_blanks();
    if (entry.ends_with(';')) entry.remove_suffix(1);
    TextScan device(entry);
    if (!device.until("/", name)) break;
    RankFacts::IbDevice& known = facts.ib_devices[number];
    known.name = name;
    known.adapter.link = device.rest();
  }
  if (!facts.ib_devices.empty() && scan.rest().find("RO]") != text.npos) {
    facts.add(FactKind::note, "IB relaxed ordering", "on");
  }
  return true;
}

// "NET/IB: [0] mlx5_0:uverbs0:1/IB provider=Mlx5 speed=400000 context=0x1 pciPath=... ar=1"
bool read_ib_device(std::string_view text, RankFacts& facts) {
  TextScan scan(text);
  int number = 0;
  int port = 0;
  int speed = 0;
  std::string_view name;
  std::string_view verbs;
  if (!scan.skip("NET/IB: [") || !scan.number(number) || !scan.skip("] ")) return false;
  if (!scan.until(":", name) || !scan.until(":", verbs) || !scan.number(port)) return false;
  if (!scan.skip("/")) return false;
  const std::string_view link = scan.word();
  if (!scan.skip_past(" speed=") || !scan.number(speed)) return false;
  int adaptive = 0;
  const bool routed = scan.skip_past(" ar=") && scan.number(adaptive) && adaptive != 0;
  RankFacts::IbDevice& device = facts.ib_devices[number];
  device.name = fmt::format("{}:{}", name, port);
  device.adapter.link = link;
  device.adapter.settings =
      fmt::format("{:g} Gb/s{}", speed / 1000.0, routed ? ", adaptive routing" : "");
  return true;
}

// "NET/IB : Made virtual device [2] name=mlx5_0+mlx5_1 speed=800000 ndevs=2"
bool read_merged_device(std::string_view text, RankFacts& facts) {
  TextScan scan(text);
  int speed = 0;
  int ports = 0;
  if (!scan.skip("NET/IB : Made virtual device [") || !scan.skip_past("] name=")) return false;
  const std::string_view name = scan.word();
  if (!scan.skip(" speed=") || !scan.number(speed)) return false;
  if (!scan.skip(" ndevs=") || !scan.number(ports)) return false;
  if (ports > 1) {  // each port by itself is a virtual device too
    facts.add(FactKind::adapter, name, fmt::format("{} ports, {:g} Gb/s", ports, speed / 1000.0));
  }
  return true;
}

// "NET/Socket : Using [0]eth0:192.0.2.2<0> [1]eth1:..." and "NET/IB : No device found."
bool read_other_adapters(std::string_view text, RankFacts& facts) {
  TextScan scan(text);
  if (scan.skip("NET/IB : No device found")) {
    facts.add(FactKind::adapter, "IB", "none");
    return true;
  }
  if (!scan.skip("NET/Socket : Using ")) return false;
  int number = 0;
  std::string_view name;
  while (scan.skip("[") && scan.number(number) && scan.skip("]")) {
    TextScan entry(scan.word());
    if (entry.until(":", name)) facts.add(FactKind::adapter, name, "Socket");
    scan.skip_blanks();
  }
  return true;
}

// "NET/IB: NCCL Dev 0 IbDev 0 Port 1 qpn 3841 mtu 5 LID 7 ... fifoRkey=0x1f fifoLkey=0x1f": a line
// for each queue pair of a connection that sends, on each of its ports. The key is the
// connection's. From 2.30: qp_num and ctsFifoRkey, behind the name of a function.
bool read_queue_pair(std::string_view text, RankFacts& facts) {
  TextScan scan(text);
  int device = 0;
  int gid = 0;
  if (!scan.skip("NET/IB: ") || !scan.skip_past(" IbDev ") || !scan.number(device)) return false;
  if (text.find("NCCL Dev ") == text.npos && text.find("NCCL MergedDev ") == text.npos) {
    return false;
  }
  const std::string_view rest = scan.rest();
  if (rest.find(" qpn ") == rest.npos && rest.find(" qp_num ") == rest.npos) return false;
  TextScan roce(rest);
  if (roce.skip_past(" GID ") && roce.number(gid)) {
    facts.add(FactKind::note, "GID index", fmt::format("{}", gid));
  }
  if (!scan.skip_past("ifoRkey=")) return true;  // torn: it belongs to nobody
  ++facts.queue_pairs[{device, std::string(scan.word())}];
  return true;
}

// "NET/Socket: Using 4 threads and 2 sockets per thread"
bool read_sockets(std::string_view text, RankFacts& facts) {
  TextScan scan(text);
  int threads = 0;
  int sockets = 0;
  if (!scan.skip("NET/Socket: Using ") || !scan.number(threads)) return false;
  if (!scan.skip(" threads and ") || !scan.number(sockets)) return false;
  if (!scan.skip(" sockets per thread")) return false;
  facts.add(FactKind::sockets, "threads x sockets", fmt::format("{} x {}", threads, sockets));
  return true;
}

// "NET/IB : GPU Direct RDMA Enabled for HCA 0 'mlx5_0'" and the decision per GPU and adapter:
// "GPU Direct RDMA Disabled for GPU 3 / HCA 12 (distance 7 > 4)".
bool read_direct_rdma(std::string_view text, RankFacts& facts) {
  TextScan scan(text);
  constexpr std::string_view kSubject = "GPUDirect RDMA";
  if (scan.skip("DMA-BUF is available on GPU device ")) {
    facts.add(FactKind::note, "DMA-BUF", "available");
    return true;
  }
  if (!scan.skip_past("GPU Direct RDMA ")) return false;
  const bool on = scan.skip("Enabled for ");
  if (!on && !scan.skip("Disabled for ")) return false;
  const std::string_view word = on ? "on" : "off";
  std::string_view text_between;
  if (scan.skip("HCA ")) {
    std::string_view name;
    if (!scan.until("'", text_between) || !scan.until("'", name)) return false;
    facts.add(FactKind::note, kSubject, fmt::format("{} for {}", word, name));
    return true;
  }
  std::string_view distance;
  if (!scan.until(" (", text_between) || !scan.until(")", distance)) return false;
  facts.add(FactKind::note, kSubject, fmt::format("{} at {}", word, distance));
  return true;
}

bool read_topology_file(std::string_view text, RankFacts& facts) {
  TextScan scan(text);
  const auto tried = [&facts](std::string_view file, std::string_view result) {
    facts.files_tried.insert(std::string(file));
    facts.add(FactKind::topology_file, file, result);
    return true;
  };
  if (scan.skip("Loading topology file ")) return tried(scan.rest(), "loaded");
  if (scan.skip("Loading unnamed topology")) {
    facts.add(FactKind::note, "topology", "unnamed");
    return true;
  }
  if (scan.skip("Loading topology ")) {
    facts.add(FactKind::note, "topology", scan.rest());
    return true;
  }
  std::string_view file;
  if (!scan.skip("Could not open XML topology file ") || !scan.until(" : ", file)) return false;
  return tried(file, fmt::format("missing: {}", scan.rest()));
}

// The print of the topology: "=== System : maxBw 370.8 totalBw 370.8 ===", then a tree with
// "+ NVL[370.8] - NVS/0-0", then "====".
bool read_topology(std::string_view text, RankFacts& facts) {
  if (text.starts_with("=== System : ")) {
    facts.in_topology = true;
    facts.links.clear();
    return true;
  }
  if (!facts.in_topology) return false;
  if (text.starts_with("====")) {
    facts.in_topology = false;
    for (const auto& [link, count] : facts.links) {
      facts.add(FactKind::link, link.first, fmt::format("{} x {} GB/s", count, link.second));
    }
    return true;
  }
  TextScan scan(text);
  scan.skip_blanks();
  std::string_view kind;
  std::string_view width;
  constexpr std::string_view kNoLimit = "5000.0";  // stands for a link that limits nothing
  if (!scan.skip("+ ") || !scan.until("[", kind) || !scan.until("] - ", width)) return false;
  if (width != kNoLimit) ++facts.links[{std::string(kind), std::string(width)}];
  return true;
}

constexpr std::array<LineReader, 10> kReaders{
    read_channel,    read_ib_list, read_ib_device,   read_merged_device, read_other_adapters,
    read_queue_pair, read_sockets, read_direct_rdma, read_topology_file, read_topology};

}  // namespace

bool read_transport_line(std::string_view text, RankFacts& facts) {
  return std::ranges::any_of(kReaders, [&](LineReader read) { return read(text, facts); });
}

}  // namespace nccl_sweep::evidence

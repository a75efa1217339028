// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
//
// Which of its addresses a host tells the others, in networks that are made for it.
#include <sched.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>

#include <gtest/gtest.h>

#include "worker/host/sockets.hpp"

namespace nccl_sweep::worker {
namespace {

// Each of "name address" becomes an interface, in this order.
std::string own_address_with(const std::vector<std::string>& interfaces) {
  int ends[2] = {-1, -1};
  if (::pipe(ends) != 0) return "no pipe";
  const pid_t child = ::fork();
  if (child == 0) {
    std::string answer = "no network namespace";
    if (::unshare(CLONE_NEWNET) == 0) {
      std::string command = "ip link set lo up";
      for (const std::string& item : interfaces) {
        const std::string name = item.substr(0, item.find(' '));
        command += " && ip link add " + name + " type bridge && ip link set " + name +
                   " up && ip addr add " + item.substr(item.find(' ') + 1) + "/16 dev " + name;
      }
      if (std::system((command + " 2>/dev/null").c_str()) == 0) answer = own_address("");
    }
    const auto written = ::write(ends[1], answer.data(), answer.size());
    ::_exit(written == static_cast<ssize_t>(answer.size()) ? 0 : 1);
  }
  ::close(ends[1]);
  std::string text(256, '\0');
  const ssize_t got = ::read(ends[0], text.data(), text.size());
  ::close(ends[0]);
  ::waitpid(child, nullptr, 0);
  return text.substr(0, static_cast<std::size_t>(std::max<ssize_t>(got, 0)));
}

TEST(OwnAddress, IsOfTheFirstInterfaceThatLeadsToOtherHosts) {
  if (own_address_with({"eth0 10.1.2.3"}) == "no network namespace") {
    GTEST_SKIP() << "network namespaces are for root";
  }
  EXPECT_EQ(own_address_with({}), "127.0.0.1");
  EXPECT_EQ(own_address_with({"eth0 10.1.2.3", "eth1 10.4.5.6"}), "10.1.2.3");
  EXPECT_EQ(own_address_with({"docker0 172.17.0.1", "virbr0 192.168.122.1", "ens5 10.1.2.3"}),
            "10.1.2.3");
}

}  // namespace
}  // namespace nccl_sweep::worker

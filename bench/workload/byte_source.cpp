// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
#include "workload/byte_source.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "core/error.hpp"
#include "workload/inflater.hpp"

namespace nccl_sweep {
namespace {

constexpr std::size_t kHeadBytes = 64 << 10;
constexpr std::size_t kPackedBytes = 256 << 10;

bool is_gzip(const char* bytes, std::size_t size) {
  return size >= 2 && static_cast<unsigned char>(bytes[0]) == 0x1f &&
         static_cast<unsigned char>(bytes[1]) == 0x8b;
}

}  // namespace

ByteSource::ByteSource(const std::filesystem::path& file) : file_(file), packed_(kPackedBytes) {
  descriptor_ = ::open(file.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor_ < 0) {
    const bool missing = errno == ENOENT || errno == ENOTDIR;
    throw usage_error(fmt::format("cannot be read: {}", std::strerror(errno)), file.string(),
                      missing ? "check the path" : "check the permissions");
  }
  struct stat status {};
  if (::fstat(descriptor_, &status) == 0 && S_ISDIR(status.st_mode)) {
    ::close(descriptor_);
    throw usage_error("is a folder, not a trace", file.string(),
                      "name the trace files in it, one of each rank you want to count");
  }
  // Not refill_packed(): a pipe may hand over a single byte at first.
  packed_end_ = read_file(packed_.data(), packed_.size());
  if (packed_end_ == 0) {
    ::close(descriptor_);
    throw usage_error(damage_.empty() ? "is empty" : damage_, file.string(),
                      "was the profiler stopped before it exported the trace?");
  }
  if (is_gzip(packed_.data(), packed_end_)) inflater_ = std::make_unique<Inflater>();
}

ByteSource::~ByteSource() { ::close(descriptor_); }

std::string_view ByteSource::head() {
  if (head_.empty() && offset_ == 0) {
    std::string bytes(kHeadBytes, '\0');
    bytes.resize(read(bytes.data(), bytes.size()));
    offset_ = 0;
    head_ = std::move(bytes);
  }
  return head_;
}

std::size_t ByteSource::read(char* to, std::size_t size) {
  std::size_t filled = std::min(size, head_.size() - head_used_);
  std::memcpy(to, head_.data() + head_used_, filled);
  head_used_ += filled;
  while (filled < size) {
    const std::size_t got = read_unpacked(to + filled, size - filled);
    if (got == 0) break;
    filled += got;
  }
  offset_ += filled;
  return filled;
}

std::size_t ByteSource::read_file(char* to, std::size_t size) {
  std::size_t filled = 0;
  while (filled < size && damage_.empty()) {
    const ssize_t got = ::read(descriptor_, to + filled, size - filled);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) damage_ = fmt::format("reading failed: {}", std::strerror(errno));
    if (got <= 0) break;
    filled += static_cast<std::size_t>(got);
  }
  return filled;
}

// At least two packed bytes where the file has them, so that a member's magic is seen whole.
void ByteSource::refill_packed() {
  const std::size_t left = packed_end_ - packed_begin_;
  if (left >= 2) return;
  std::memmove(packed_.data(), packed_.data() + packed_begin_, left);
  packed_begin_ = 0;
  packed_end_ = left + read_file(packed_.data() + left, packed_.size() - left);
}

std::size_t ByteSource::read_unpacked(char* to, std::size_t size) {
  if (!inflater_) {
    if (packed_begin_ == packed_end_) return read_file(to, size);
    const std::size_t taken = std::min(size, packed_end_ - packed_begin_);
    std::memcpy(to, packed_.data() + packed_begin_, taken);
    packed_begin_ += taken;
    return taken;
  }
  while (damage_.empty()) {
    refill_packed();
    const char* in = packed_.data() + packed_begin_;
    const std::size_t available = packed_end_ - packed_begin_;
    if (!member_open_) {
      // Another member may follow (cat a.gz b.gz); padding after the last one is no damage.
      if (!is_gzip(in, available)) return 0;
      inflater_->restart();
      member_open_ = true;
    }
    // Without input left the inflater may still hold output.
    const Inflater::Step step = inflater_->step(in, available, to, size);
    packed_begin_ += step.consumed;
    packed_offset_ += step.consumed;
    if (step.member_ended) member_open_ = false;
    const bool stuck = step.consumed == 0 && step.produced == 0 && !step.member_ended;
    if (stuck && available == 0 && damage_.empty()) {
      damage_ = fmt::format("the gzip data ends early, at packed byte {}", packed_offset_);
    } else if (step.corrupt || stuck) {
      damage_ = fmt::format("the gzip data is corrupt near packed byte {}", packed_offset_);
    }
    if (step.produced > 0) return step.produced;
  }
  return 0;
}

}  // namespace nccl_sweep

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <ostream>

#include "base/number.hpp"
#include "bristle/output.hpp"
#include "sweep/folder.hpp"

namespace bristle::sweep {
namespace {

namespace fs = std::filesystem;

std::string chunk_name(const Rows& rows) { return fmt::format("{:010}-{:010}.csv", rows.begin, rows.end); }

/// The rows of a chunk file by its name; empty for another file.
std::optional<Rows> rows_of(const fs::path& file) {
  const std::string name = file.stem().string();
  const std::size_t bar = name.find('-');
  if (file.extension() != ".csv" || bar == std::string::npos) return {};
  const auto a = parse_number(name.substr(0, bar)), b = parse_number(name.substr(bar + 1));
  if (!a || !b || !(*a >= 0 && *b > *a && *b < 1e15)) return {};
  return Rows{static_cast<std::uint64_t>(*a), static_cast<std::uint64_t>(*b)};
}

/// A chunk is whole if it has all its lines; a computer that stopped may leave less.
bool is_whole(const fs::path& file, const Rows& rows) {
  std::uint64_t lines = 0;
  char last = 0;
  read_pieces(file.string(), [&](std::string_view piece) {
    lines += static_cast<std::uint64_t>(std::count(piece.begin(), piece.end(), '\n'));
    last = piece.back();
    return true;
  });
  return lines == rows.end - rows.begin && last == '\n';
}

std::vector<Rows> chunks_in(const fs::path& folder) {
  std::vector<Rows> out;
  if (!fs::exists(folder)) return out;
  for (const auto& entry : fs::directory_iterator(folder)) {
    if (const auto rows = rows_of(entry.path()); rows && is_whole(entry.path(), *rows)) out.push_back(*rows);
  }
  std::ranges::sort(out, {}, &Rows::begin);
  return out;
}

/// A temporary file of a sweep that was killed.
bool is_leftover(const fs::path& file) {
  const std::string name = file.filename().string();
  return name.starts_with(".bristle-") && name.ends_with(".tmp");
}
void remove_leftovers(const fs::path& folder) {
  if (!fs::exists(folder)) return;
  std::vector<fs::path> old;
  for (const auto& entry : fs::directory_iterator(folder)) {
    if (is_leftover(entry.path())) old.push_back(entry.path());
  }
  for (const fs::path& p : old) fs::remove(p);
}

[[noreturn]] void cannot(const std::string& path, const fs::filesystem_error& e) {
  throw FileError(path + ": cannot be written: " + e.code().message());
}

}  // namespace

bool is_empty(const std::string& folder) {
  std::error_code error;
  if (!fs::exists(folder, error)) return true;
  if (!fs::is_directory(folder, error)) throw BadFolder(folder + ": is a file; a folder is required");
  const fs::directory_iterator all(folder, error);
  if (error) throw FileError(folder + ": cannot be read: " + error.message());
  return std::ranges::all_of(all, [](const fs::directory_entry& e) { return is_leftover(e.path()); });
}

Plan plan_in(const std::string& folder) {
  const std::string path = (fs::path(folder) / plan_file).string();
  std::error_code error;
  if (!fs::exists(path, error))
    throw BadFolder(fmt::format("{}: does not contain a sweep; a folder that a sweep has written is required", folder));
  PlanRead read = read_plan(read_file(path, std::size_t{64} << 20), path);
  if (!read.plan) throw BadFolder(read.problems.front().line());
  return std::move(*read.plan);
}

Store::Store(std::string folder, const Plan& plan, bool resume) : folder_(std::move(folder)), plan_(plan) {
  const fs::path place(folder_), file = place / plan_file;
  try {
    const bool fresh = is_empty(folder_);
    if (!fresh && !fs::exists(file))
      throw BadFolder(fmt::format("{}: contains other files; an empty or new folder is required", folder_));
    if (!fresh && !resume)
      throw BadFolder(fmt::format(
          "{}: contains a sweep already; --resume continues it, another folder is required otherwise", folder_));
    if (fresh) {
      OutputFile::check_in(folder_, plan_file);
      fs::create_directories(place);
      write_file(file.string(), [&](std::ostream& o) { o << to_text(plan); });
    } else {
      const Plan before = plan_in(folder_);
      if (const std::string other = difference(before, plan); !other.empty())
        throw BadFolder(fmt::format("{}: contains a sweep with {}; --resume requires the same sweep", folder_, other));
      if (before.shard != plan.shard)
        throw BadFolder(fmt::format("{}: contains shard {}/{}; --resume requires the same shard", folder_,
                                    before.shard.index, before.shard.count));
    }
    lock_ = ::open(file.c_str(), O_RDONLY | O_CLOEXEC);
    if (lock_ >= 0 && ::flock(lock_, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
      ::close(lock_);
      throw BadFolder(fmt::format("{}: another sweep is running in this folder", folder_));
    }
    remove_leftovers(place);
    remove_leftovers(place / "chunks");
    complete_ = fs::exists(table());
    if (complete_) {
      fs::remove_all(place / "chunks");
    } else {
      fs::create_directories(place / "chunks");
    }
  } catch (const fs::filesystem_error& e) { cannot(folder_, e); }
}

Store::~Store() {
  if (lock_ >= 0) ::close(lock_);
}

std::string Store::table() const { return (fs::path(folder_) / plan_.table()).string(); }

std::vector<Rows> Store::missing() const {
  std::vector<Rows> out;
  if (complete_) return out;
  std::uint64_t at = plan_.begin();
  for (const Rows& r : chunks_in(fs::path(folder_) / "chunks")) {
    if (r.begin > at) out.push_back({at, r.begin});
    at = std::max(at, r.end);
  }
  if (at < plan_.end()) out.push_back({at, plan_.end()});
  return out;
}

void Store::write(const Rows& rows, const std::string& lines) const {
  write_file((fs::path(folder_) / "chunks" / chunk_name(rows)).string(), [&](std::ostream& o) { o << lines; });
}

void Store::finish() {
  if (complete_) return;
  const fs::path chunks = fs::path(folder_) / "chunks";
  try {
    write_file(table(), [&](std::ostream& o) {
      o << header(plan_);
      for (const Rows& r : chunks_in(chunks)) append_file((chunks / chunk_name(r)).string(), 0, o);
    });
    complete_ = true;
    fs::remove_all(chunks);
  } catch (const fs::filesystem_error& e) { cannot(folder_, e); }
}

void append_file(const std::string& path, std::size_t skip_lines, std::ostream& out) {
  read_pieces(path, [&](std::string_view piece) {
    while (skip_lines > 0 && !piece.empty()) {
      const std::size_t end = piece.find('\n');
      piece.remove_prefix(end == std::string_view::npos ? piece.size() : end + 1);
      skip_lines -= end == std::string_view::npos ? 0 : 1;
    }
    out << piece;
    return true;
  });
}

Plan merge(const std::vector<std::string>& folders, const std::string& out) {
  std::vector<Plan> plans;
  plans.reserve(folders.size());
  for (const std::string& f : folders) plans.push_back(plan_in(f));
  const std::uint64_t count = plans.front().shard.count;
  std::vector<std::string> of_shard(count);
  for (std::size_t i = 0; i < plans.size(); ++i) {
    if (const std::string other = difference(plans.front(), plans[i]); !other.empty())
      throw BadFolder(fmt::format("{}: contains a sweep with {} than {}; shards of one sweep are required", folders[i],
                                  other, folders.front()));
    const Shard& s = plans[i].shard;
    if (s.count != count)
      throw BadFolder(fmt::format("{}: is shard {}/{}, {} is one of {}; shards of one sweep are required", folders[i],
                                  s.index, s.count, folders.front(), count));
    std::string& place = of_shard[s.index - 1];
    if (!place.empty())
      throw BadFolder(
          fmt::format("{}: is shard {}/{}, as {}; each shard is required once", folders[i], s.index, count, place));
    place = folders[i];
    if (!fs::exists(fs::path(place) / "table.csv"))
      throw BadFolder(
          fmt::format("{}: shard {}/{} is not finished; run it with --resume before", place, s.index, count));
  }
  for (std::uint64_t k = 0; k < count; ++k) {
    if (of_shard[k].empty())
      throw BadFolder(fmt::format("shard {}/{} is missing; all shards are required", k + 1, count));
  }
  if (!is_empty(out)) throw BadFolder(fmt::format("{}: is not empty; an empty or new folder is required", out));
  Plan whole = plans.front();
  whole.shard = {};
  try {
    OutputFile::check_in(out, "table.csv");
    fs::create_directories(out);
    write_file((fs::path(out) / "table.csv").string(), [&](std::ostream& o) {
      o << header(whole);
      for (const std::string& f : of_shard) append_file((fs::path(f) / "table.csv").string(), 1, o);
    });
    write_file((fs::path(out) / plan_file).string(), [&](std::ostream& o) { o << to_text(whole); });
  } catch (const fs::filesystem_error& e) { cannot(out, e); }
  return whole;
}

}  // namespace bristle::sweep

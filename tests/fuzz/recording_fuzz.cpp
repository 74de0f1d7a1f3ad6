/// Any text as a recording: it is read, or there are problems, each of one line. Lines "#column F=-a*b" become
/// assignments of columns, "#skip" skips lines, "#join" begins another file. Text that begins with a bracket is JSON.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <sstream>
#include <string>
#include <vector>

#include "bristle/data.hpp"
#include "data/join.hpp"
#include "require.hpp"

namespace {

void check(const bristle::TraceRead& read) {
  for (const bristle::Problem& p : read.problems)
    require(!p.line().empty() && p.line().find('\n') == std::string::npos);
  require(read.trace.rows() <= 100);
  for (const bristle::Column& c : read.trace.columns) require(c.values.size() == read.trace.rows());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace bristle;
  const std::string text(data, data + size);
  identify::Reading reading;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    const std::size_t at = line.find('=');
    if (line.rfind("#column ", 0) == 0 && at != std::string::npos)
      reading.columns.emplace_back(line.substr(8, at - 8), line.substr(at + 1));
    if (line.rfind("#rate", 0) == 0) reading.rate = 10;
  }
  TextOptions options{.relative = text.find("#relative") != std::string::npos};
  if (text.find("#skip") != std::string::npos) options.skip = 2;
  std::vector<TraceRead> files;
  std::vector<std::string> paths;
  for (std::size_t from = 0; from != std::string::npos && files.size() < 4;) {
    const std::size_t next = text.find("#join\n", from);
    const std::string part = text.substr(from, next - from);
    const bool json = part.starts_with('[') || part.starts_with('{');
    paths.push_back("d" + std::to_string(files.size()));
    files.push_back(json ? parse_json(part, "d", 100) : parse_csv(part, "d", 100, options));
    check(files.back());
    if (!files.back().problems.empty()) return 0;
    from = next == std::string::npos ? next : next + 6;
  }
  const TraceRead trace = files.size() == 1 ? std::move(files[0]) : identify::join(std::move(files), paths);
  check(trace);
  if (!trace.problems.empty()) return 0;

  const identify::Read read = make_recording(trace.trace, reading, "d.csv");
  for (const Problem& p : read.problems) require(p.text.size() < 5000 && p.line().find('\n') == std::string::npos);
  const identify::Recording& r = read.recording;
  require((r.size() == 0) == !read.problems.empty());
  for (const auto* s : {&r.t, &r.x, &r.v, &r.a, &r.F, &r.u, &r.N, &r.T, &r.sigma}) {
    require(s->empty() || s->size() == r.size());
    for (const double x : *s) require(std::isfinite(x));
  }
  for (std::size_t i = 1; i < r.t.size(); ++i) require(r.t[i] > r.t[i - 1]);
  require(r.stretches.front() == 0 && r.stretches.back() <= r.size());
  return 0;
}

/// Any text as a recording: it is read, or there are problems, each of one line. Lines "#column F=-a*b" become
/// assignments of columns.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <sstream>
#include <string>

#include "bristle/data.hpp"
#include "require.hpp"

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
  const TraceRead trace = parse_csv(text, "d.csv", 100);
  for (const Problem& p : trace.problems) require(!p.line().empty() && p.line().find('\n') == std::string::npos);
  require(trace.trace.rows() <= 100);
  for (const Column& c : trace.trace.columns) require(c.values.size() == trace.trace.rows());
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

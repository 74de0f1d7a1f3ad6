#include <fmt/format.h>

#include <ostream>

#include "bristle/export.hpp"
#include "bristle/output.hpp"
#include "cli/failure.hpp"
#include "cli/interrupt.hpp"
#include "cli/progress.hpp"
#include "cli/screen.hpp"
#include "commands.hpp"

namespace bristle::cli {
namespace {

/// OUT, or OUT of OUT.html and OUT.json.
std::string stem_of(std::string out) {
  for (const char* ending : {".html", ".json"}) {
    if (out.ends_with(ending)) out.resize(out.size() - 5);
  }
  return out;
}

}  // namespace

int certify(const CertifyOptions& options) {
  const Interrupt interrupt;
  exports::BlockRead block = exports::load_block(options.file, options.changes);
  tribometer::SubjectRead subject = tribometer::load_subject(options.file, options.changes);
  for (const Problem& p : block.block ? subject.problems : block.problems) complain(p.line());
  if (!block.block || !subject.subject) return wrong_input;
  if (const std::string reason = exports::certify_refusal(*block.block); !reason.empty()) {
    complain(options.file + ": " + reason);
    return wrong_input;
  }
  const std::string out = stem_of(options.out);
  for (const char* ending : {".html", ".json"}) {
    if (!is_same_file(out + ending, options.file)) continue;
    complain(out + ending + ": is the friction file; the output requires its own file");
    return wrong_input;
  }
  try {
    for (const char* ending : {".html", ".json"}) OutputFile::check(out + ending);
    std::vector<tribometer::Subject> subjects;
    subjects.push_back(std::move(*subject.subject));
    Progress progress(1, true);
    auto results = tribometer::characterize(
        subjects, {.progress = [&](double part) { progress.reached(part); }, .stop = &Interrupt::flag()});
    progress.finish();
    const report::Certificate c = exports::certify(*block.block, std::move(results.front()));
    std::vector<OutputFile> files;
    files.emplace_back(out + ".html", [&](std::ostream& o) { o << report::certificate_page(c); });
    files.emplace_back(out + ".json", [&](std::ostream& o) { o << exports::certificate_json(c); });
    keep(files);
    print("wrote {}.html and {}.json, SHA-256 of the friction block {}\n", out, out, c.sha256);
    int status = done;
    for (const tribometer::Measurement& m : c.battery.measurements) {
      if (m.failure.empty()) continue;
      complain(fmt::format("{}: {}", m.experiment, m.failure));
      status = failed;
    }
    return status;
  } catch (...) { return status_of_exception(options.out, options.file); }
}

}  // namespace bristle::cli

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <span>

#include "bristle/identify/joints.hpp"

namespace bristle::identify {

JointRecording joint_recording(const Trace& table, const std::string& name, const Rig& rig) {
  const std::vector<Column> known = rig.experiment.own->columns(rig.experiment);
  JointRecording out{.name = name};
  const Column* t = table.find("t");
  if (!t) throw BadInput(fmt::format("{}: no column t (s), the time from the start of the mechanism", name));
  std::vector<std::string> ignored, names;
  for (const Column& c : known) names.push_back(c.name);
  std::vector<const Column*> used;
  for (const Column& c : table.columns) {
    if (&c == t) continue;
    const auto at = std::ranges::find(known, c.name, &Column::name);
    if (at == known.end()) {
      ignored.push_back(c.name);
      continue;
    }
    if (!c.unit.empty() && c.unit != "1" && c.unit != at->unit)
      throw BadInput(fmt::format("{}: column {} is in {}; {} is accepted", name, c.name, c.unit, at->unit));
    used.push_back(&c);
    out.columns.push_back({c.name, at->unit});
  }
  if (used.empty())
    throw BadInput(
        fmt::format("{}: no column of the mechanism {}; accepted: {}", name, rig.name,
                    fmt::join(std::span(names).subspan(1, std::min<std::size_t>(names.size() - 1, 12)), ", ")));
  std::size_t skipped = 0;
  for (std::size_t k = 0; k < t->values.size(); ++k) {
    const double at = t->values[k];
    const bool any = std::ranges::any_of(used, [&](const Column* c) { return std::isfinite(c->values[k]); });
    if (!std::isfinite(at) || !any) {
      ++skipped;
      continue;
    }
    if (at < 0)
      throw BadInput(fmt::format("{}: t = {} s in row {}; times from 0 on are accepted", name, to_text(at), k + 1));
    if (!out.t.empty() && !(at > out.t.back()))
      throw BadInput(fmt::format("{}: t does not increase at t = {} s (row {})", name, to_text(at), k + 1));
    out.t.push_back(at);
    for (std::size_t c = 0; c < used.size(); ++c)
      out.columns[c].values.push_back(std::isfinite(used[c]->values[k]) ? used[c]->values[k] : NAN);
  }
  if (out.t.size() < 2) throw BadInput(fmt::format("{}: fewer than two rows with numbers", name));
  if (!ignored.empty())
    out.notes.push_back(fmt::format("columns that the mechanism does not have: {}", fmt::join(ignored, ", ")));
  if (skipped > 0) out.notes.push_back(fmt::format("{} rows without numbers skipped", skipped));
  return out;
}

}  // namespace bristle::identify

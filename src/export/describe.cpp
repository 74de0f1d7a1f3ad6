#include "export/describe.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <filesystem>

#include "base/escape.hpp"
#include "bristle/batch/along.hpp"
#include "bristle/registry/describe.hpp"
#include "bristle/version.hpp"
#include "registry/shared/visit.hpp"
#include "report/shared/labels.hpp"

namespace bristle::exports {
namespace {

const FieldInfo* info_of(const std::string& key, const ModelInfo& model) {
  auto find = [&](const std::vector<FieldInfo>& list, const std::string& name) -> const FieldInfo* {
    const auto at = std::ranges::find(list, name, &FieldInfo::name);
    return at == list.end() ? nullptr : &*at;
  };
  constexpr std::string_view effects = "effects.", negative = "negative.";
  if (key.starts_with(effects)) return find(effect_infos(), key.substr(effects.size()));
  if (key.starts_with(negative)) return find(model.parameters, key.substr(negative.size()));
  return find(model.parameters, key);
}

bool is_empty(const Value& value) {
  const auto* list = value.as<std::vector<double>>();
  return list && list->empty();
}

/// Conditions on kv hold for kv_exponent = 1 alone.
template <class Model> bool undecided(const Model& model) {
  if constexpr (requires { model.passive_kv(); }) {
    return model.passive_kv() > 0 && model.p.kv_exponent != 1;
  } else {
    return false;
  }
}

}  // namespace

std::optional<bool> passive(const Block& block) {
  if (block.contact().passive()) return true;
  if (find_model(block.model())->has.passivity_open) return std::nullopt;
  bool open = false;
  visit_contact(block.contact(), [&](const auto& box) {
    open = undecided(model_of(box.contact));
    if constexpr (requires { box.contact.inner.negative; }) open = open || undecided(box.contact.inner.negative);
  });
  return open ? std::nullopt : std::optional(false);
}
std::string passive_remark(const Block& block) {
  if (find_model(block.model())->has.passivity_open) return "no condition is known for this law";
  const bool effects =
      std::ranges::any_of(parameters_of(block), [](const Parameter& p) { return p.name.starts_with("effects."); });
  return effects ? "of the law inside; effects such as offset and cogging exchange energy of their own" : "";
}
std::string passive_text(const Block& block) {
  const std::optional<bool> known = passive(block);
  const std::string remark = passive_remark(block), answer = !known ? "not decided" : *known ? "yes" : "no";
  return remark.empty() ? answer : fmt::format("{} ({})", answer, remark);
}

std::vector<Parameter> parameters_of(const Block& block) {
  const ModelInfo& model = *find_model(block.model());
  std::vector<Parameter> out;
  for (const Entry& e : block.contact().settings()) {
    const FieldInfo* info = info_of(e.key, model);
    const bool usual = e.key.starts_with("effects.") || e.key == "kv_exponent";  // named only if they act
    if (!info || is_empty(e.value) || (usual && e.value == info->value)) continue;
    Parameter p{.name = e.key,
                .unit = report::shown_unit(info->unit, block.rotational),
                .meaning = info->meaning,
                .value = e.value};
    if (e.key.starts_with("negative.")) p.meaning += ", in negative motion";
    for (const FitRemark& r : block.remarks) {
      const bool element = r.name.starts_with(e.key) && r.name.size() > e.key.size() &&
                           std::isdigit(static_cast<unsigned char>(r.name[e.key.size()])) != 0 &&
                           e.value.as<std::vector<double>>();
      if (r.name != e.key && "effects." + r.name != e.key && !element) continue;
      p.identifiable = p.identifiable && r.identifiable;
      p.at_limit = p.at_limit || r.at_limit;
      if (!r.interval.empty()) p.interval += (p.interval.empty() ? "" : "; ") + r.interval;
    }
    out.push_back(std::move(p));
  }
  return out;
}

namespace {
/// The closed form of steady sliding that a force has nearly reached (dahl with i > 2 takes a power of the distance); else NaN.
double approached(const AnyContact& contact, double v, double F) {
  try {
    double closed = 0;
    steady(contact, {&v, 1}, {&closed, 1});
    if (std::abs(F - closed) <= 0.01 * std::abs(closed)) return closed;
  } catch (const BadInput&) {}  // it has no closed form
  return std::nan("");
}
}  // namespace

double steady_force(const AnyContact& contact, double v) {
  const std::unique_ptr<AnyContact> c = contact.clone();
  c->reset();
  const Scales<double> s = c->scales();
  const double way = s.displacement > 0 ? s.displacement : 1e-6;
  double dt = way / std::abs(v), F = 0;
  int equal = 0;
  for (int i = 0; i < 400 && equal < 5; ++i, dt *= 1.1) {
    const double next = c->step({.v = v}, std::clamp(dt, 1e-30, 1e30));  // the range of steps
    equal = std::abs(next - F) <= 1e-10 * std::abs(next) ? equal + 1 : 0;
    F = next;
  }
  return equal < 5 ? approached(contact, v, F) : F;
}

double top_speed(const Block& block) {
  for (const MeasuredRanges::Of& r : block.file.measured.ranges) {
    const double most = std::max(std::abs(r.least), std::abs(r.most));
    if (r.name == "v" && most > 0) return most;
  }
  const double v = block.contact().scales().velocity;
  return v > 0 ? 100 * v : 0.1;
}

std::vector<std::pair<double, double>> steady_points(const Block& block) {
  std::vector<std::pair<double, double>> out;
  const double top = top_speed(block);
  for (int i = -30; i <= 30; ++i) {
    if (i == 0) continue;
    const double v = std::copysign(top * std::pow(10.0, 4 * (std::abs(i) / 30.0 - 1)), i);
    out.emplace_back(v, steady_force(block.contact(), v));
  }
  return out;
}

std::string identifier(const Block& block, const Options& options) {
  const std::string from = options.out.empty() ? block.file.path : options.out;
  std::string out;
  for (const char c : std::filesystem::path(from).stem().string())
    out += std::isalnum(static_cast<unsigned char>(c)) != 0 && static_cast<unsigned char>(c) < 0x80 ? c : '_';
  if (out.empty() || std::isdigit(static_cast<unsigned char>(out.front())) != 0 || out.front() == '_')
    out.insert(0, "friction");
  return out.substr(0, 40);
}

namespace {
/// Characters that end a line, or that change the direction in which code is shown (compilers warn of them).
bool turns(char32_t c) {
  return c == 0x61c || c == 0x200e || c == 0x200f || (c >= 0x2028 && c <= 0x202e) || (c >= 0x2066 && c <= 0x2069);
}
}  // namespace

std::string one_line_of(std::string_view text) {
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t begin = at;
    const char32_t c = decode(text, at);
    if (c == invalid_character) {
      out += '?';
    } else if (c < 0x20 || (c >= 0x7f && c < 0xa0) || turns(c)) {
      out += ' ';
    } else {
      out += text.substr(begin, at - begin);
    }
  }
  return out;
}

std::string provenance(const Block& block) {
  return fmt::format("Bristle {} from {}; SHA-256 of the friction block {}", BRISTLE_VERSION,
                     one_line_of(std::filesystem::path(block.file.path).filename().string()), block.sha256);
}

std::string measured_text(const Block& block) {
  std::string out;
  for (const MeasuredRanges::Of& r : block.file.measured.ranges) {
    const char* unit = r.name == "v" ? "m/s" : r.name == "x" ? "m" : r.name == "N" ? "N" : "degC";
    out += fmt::format("{}{} {:.6g} to {:.6g} {}", out.empty() ? "" : ", ", r.name, r.least, r.most,
                       report::shown_unit(unit, block.rotational));
  }
  return out;
}

}  // namespace bristle::exports

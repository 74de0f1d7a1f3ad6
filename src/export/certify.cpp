#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <random>

#include "bristle/export.hpp"
#include "bristle/registry/describe.hpp"
#include "bristle/version.hpp"
#include "export/describe.hpp"
#include "export/json_text.hpp"
#include "export/pictures.hpp"
#include "registry/shared/heated.hpp"
#include "registry/shared/visit.hpp"
#include "report/shared/labels.hpp"

namespace bristle::exports {
namespace {

using report::Certificate;

Certificate::Passivity passivity_of(const Block& block) {
  Certificate::Passivity out;
  out.passive = passive(block);
  out.condition = find_model(block.model())->passive_if;
  out.margin_value = std::nan("");
  const std::string unit = report::shown_unit("N s/m", block.rotational);
  out.remark = passive_remark(block);
  auto compare = [&](const auto& model, const char* where) {
    if constexpr (requires { model.passive_kv(); }) {
      const double needed = model.passive_kv(), margin = model.p.kv - needed;
      if (needed > 0 && model.p.kv_exponent != 1) {
        out.remark = "not decided: the condition holds for kv_exponent = 1";
      } else if (!(margin >= out.margin_value)) {  // the smaller one of the two directions
        out.margin_value = margin;
        out.margin = fmt::format("kv = {} {} where {:.6g} {} is required{}: {:+.6g} {}", to_text(model.p.kv), unit,
                                 needed, unit, where, margin, unit);
      }
    }
  };
  visit_contact(block.contact(), [&](const auto& box) {
    compare(model_of(box.contact), "");
    if constexpr (requires { box.contact.inner.negative; }) compare(box.contact.inner.negative, " in negative motion");
  });
  if (!out.passive) {
    out.margin_value = std::nan("");
    out.margin.clear();
  }
  return out;
}

/// Random steps: speeds over many decades, reversals, rest.
void check_bounds(const Block& block, Certificate& out) {
  std::vector<std::string> names;
  std::vector<double> bounds;
  visit_contact(block.contact(), [&](const auto& box) {
    auto bound = model_of(box.contact).bound();
    NoMode none;
    const Slots slots = slots_of(bound, none);
    names = names_of(slots);
    bounds = values_of(slots);
    if constexpr (requires { box.contact.inner.negative; }) {
      auto other = box.contact.inner.negative.bound();
      const std::vector<double> more = values_of(slots_of(other, none));
      for (std::size_t i = 0; i < bounds.size() && i < more.size(); ++i) bounds[i] = std::max(bounds[i], more[i]);
    }
  });
  const std::unique_ptr<AnyContact> c = block.contact().clone();
  c->reset();
  const std::vector<std::string> all = c->state_names();
  std::vector<double> reached(bounds.size(), 0);
  out.top_speed = top_speed(block);
  const Scales<double> scale = c->scales();
  const double way = scale.displacement > 0 ? scale.displacement : 1e-5;
  if (c->index() >= Models::size) {  // a population is not measured
    out.force = out.top_speed = std::nan("");
    return;
  }
  out.steps = 20000;
  std::mt19937_64 random(1);
  auto uniform = [&] { return std::ldexp(static_cast<double>(random() >> 11), -53); };
  double x = 0;
  for (int i = 0; i < out.steps; ++i) {
    const double v = i % 17 == 0 ? 0 : (uniform() < 0.5 ? -1 : 1) * out.top_speed * std::pow(10.0, -5 * uniform());
    const double dt = (v == 0 ? 1e-3 : 3 * way / std::abs(v)) * uniform() + 1e-12;
    x += v * dt;
    out.force = std::max(out.force, std::abs(c->step({.x = x, .v = v}, dt)));
    const std::vector<double> state = c->state();
    for (std::size_t k = 0; k < bounds.size(); ++k) {
      const auto at = std::ranges::find(all, names[k]) - all.begin();
      if (bounds[k] > 0 && std::isfinite(bounds[k]))
        reached[k] = std::max(reached[k], std::abs(state[static_cast<std::size_t>(at)]) / bounds[k]);
    }
  }
  for (std::size_t k = 0; k < bounds.size(); ++k) {
    if (std::isfinite(bounds[k])) out.bounds.push_back({names[k], bounds[k], reached[k]});
  }
}

/// Median time of a call in batches; the worst call of single ones.
Certificate::Cost cost_of(const Block& block) {
  using Clock = std::chrono::steady_clock;
  Certificate::Cost out;
  std::ifstream info("/proc/cpuinfo");
  for (std::string line; out.machine.empty() && std::getline(info, line);) {
    if (line.starts_with("model name")) out.machine = line.substr(std::min(line.find(':') + 2, line.size()));
  }
  if (out.machine.empty()) out.machine = "unknown processor";
  const std::unique_ptr<AnyContact> c = block.contact().clone();
  if (c->index() >= Models::size) {
    out.step_ns = out.couple_ns = out.couple_worst_ns = std::nan("");
    return out;
  }
  c->reset();
  const double top = top_speed(block), F = std::max(c->scales().force, 1e-9), dt = 1e-3;
  auto ns = [](Clock::time_point from, int calls) {
    return std::chrono::duration<double, std::nano>(Clock::now() - from).count() / calls;
  };
  std::vector<double> step, couple;
  double sum = 0;
  for (int batch = 0; batch < 40; ++batch) {
    const auto from = Clock::now();
    for (int i = 0; i < 250; ++i) sum += c->step({.v = top * std::sin(0.1 * i)}, dt);
    step.push_back(ns(from, 250));
  }
  double v = 0;
  for (int i = 0; i < 2000; ++i) {
    const auto from = Clock::now();
    v = c->couple({.v = v, .F_app = 2 * F * std::sin(0.02 * i)}, F / 10, dt).v;
    couple.push_back(ns(from, 1));
  }
  std::ranges::sort(step);
  std::ranges::sort(couple);
  out.step_ns = step[step.size() / 2] + 0 * sum;
  out.couple_ns = couple[couple.size() / 2];
  out.couple_worst_ns = couple.back();
  return out;
}

void list_undetermined(const Block& block, Certificate& out) {
  out.fitted = !block.remarks.empty();
  for (const FitRemark& r : block.remarks) {
    if (!r.identifiable)
      out.undetermined.push_back(r.name + ": not identifiable from the recordings");
    else if (r.interval == "no limits")
      out.undetermined.push_back(r.name + ": the interval has no limits");
    else if (r.interval.starts_with('>') || r.interval.starts_with('<'))
      out.undetermined.push_back(fmt::format("{}: one limit alone, {}", r.name, r.interval));
    if (r.at_limit) out.undetermined.push_back(r.name + ": at a limit of its range");
  }
}

}  // namespace

std::string certify_refusal(const Block& block) {
  // Passivity and bounds depend on parameters, which change with the temperature.
  return is_heated(block.contact()) ? "[friction.heat] cannot be certified; a block without it is accepted" : "";
}

report::Certificate certify(const Block& block, tribometer::Characterization battery) {
  const ModelInfo& info = *find_model(block.model());
  Certificate out;
  out.title = block.title.empty() ? info.title : one_line_of(block.title);
  out.model = info.name;
  out.model_title = info.title;
  out.equations = info.equations;
  out.file = std::filesystem::path(block.file.path).filename().string();
  out.sha256 = block.sha256;
  out.canonical = block.canonical;
  out.rotational = block.rotational;
  for (const Parameter& p : parameters_of(block)) {
    std::string interval = p.interval;
    if (!p.identifiable) interval += interval.empty() ? "not identifiable" : ", not identifiable";
    out.parameters.push_back({p.name, p.shown(), p.unit, interval, p.meaning});
  }
  if (const std::string text = measured_text(block); !text.empty()) out.measured.push_back(text);
  list_undetermined(block, out);
  out.passivity = passivity_of(block);
  check_bounds(block, out);
  out.cost = cost_of(block);
  out.battery = std::move(battery);
  if (block.contact().index() < Models::size) out.figures = {steady_figure(block), loop_figure(block)};
  return out;
}

std::string certificate_json(const report::Certificate& c) {
  JsonText out = JsonText::object();
  out.add("bristle", BRISTLE_VERSION)
      .add("title", c.title)
      .add("model", c.model)
      .add("file", c.file)
      .add("sha256", c.sha256);
  out.add("units", c.rotational ? "rotational" : "linear");
  out.add("passivity", JsonText::object()
                           .add("passive", c.passivity.passive ? JsonText(*c.passivity.passive) : JsonText::null())
                           .add("condition", c.passivity.condition)
                           .add("margin", c.passivity.margin_value)
                           .add("margin_text", c.passivity.margin)
                           .add("remark", c.passivity.remark));
  JsonText bounds = JsonText::array();
  for (const auto& b : c.bounds)
    bounds.add(JsonText::object()
                   .add("state", b.state)
                   .add("bound", b.bound)
                   .add("reached", b.reached)
                   .add("holds", b.reached <= 1 + 1e-9));
  out.add("boundedness", JsonText::object()
                             .add("steps", c.steps > 0 ? JsonText(double(c.steps)) : JsonText::null())
                             .add("largest_speed", c.top_speed)
                             .add("largest_force", c.force)
                             .add("states", bounds));
  JsonText properties = JsonText::object();
  for (const tribometer::Verdict& f : c.battery.findings) {
    JsonText one = JsonText::object();
    one.add("holds", f.known ? JsonText(f.holds) : JsonText::null())
        .add("number", f.number)
        .add("threshold", f.threshold);
    one.add("rule", f.rule).add("declared", f.declared ? JsonText(*f.declared) : JsonText::null());
    properties.add(f.name, one);
  }
  out.add("properties", properties);
  out.add("cost", JsonText::object()
                      .add("machine", c.cost.machine)
                      .add("step_ns", c.cost.step_ns)
                      .add("couple_ns", c.cost.couple_ns)
                      .add("couple_worst_ns", c.cost.couple_worst_ns));
  JsonText parameters = JsonText::object();
  for (const auto& p : c.parameters)
    parameters.add(p.name, JsonText::object().add("value", p.value).add("unit", p.unit).add("interval_95", p.interval));
  JsonText unknown = JsonText::array(), measured = JsonText::array();
  for (const std::string& u : c.undetermined) unknown.add(u);
  for (const std::string& m : c.measured) measured.add(m);
  out.add("parameters", parameters).add("fitted", c.fitted).add("undetermined", unknown).add("measured", measured);
  return out.add("canonical", c.canonical).text();
}

}  // namespace bristle::exports

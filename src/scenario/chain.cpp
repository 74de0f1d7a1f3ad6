#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "scenario/shared/section.hpp"

/// Chains of blocks: [system] with kind = "chain", its presets, [system.potential] and [system.spread].
namespace bristle::scenario {
namespace {

struct Preset {
  std::string name, title;
  std::vector<std::string> without;  // keys of a chain that it does not have
  bool potential;                    // required, or not accepted
};
const std::vector<Preset> presets{
    {"tomlinson",
     "one atom on a spring in a periodic potential (Prandtl, Tomlinson)",
     {"blocks", "coupling", "coupling_damping", "pulled", "boundary", "stress", "spacing"},
     true},
    {"frenkel_kontorova",
     "atoms joined by springs in a periodic potential, without springs to a drive",
     {"stiffness", "rest_length", "pulled"},
     true},
    {"frenkel_kontorova_tomlinson",
     "atoms joined by springs in a periodic potential, each with a spring to the drive",
     {"pulled"},
     true},
    {"burridge_knopoff",
     "blocks of a fault, each with a spring to the drive",
     {"pulled", "spacing", "kT", "seed"},
     false},
};

/// The golden mean as nearly as a ring of this length allows.
double golden_spacing(const ChainParams& c) {
  const double golden = (std::sqrt(5.0) - 1) / 2;
  return c.ring() ? std::round(golden * c.blocks) / c.blocks * c.potential.period : golden * c.potential.period;
}

void read_potential(const Section& section, Experiment& experiment, Reading& reading) {
  PotentialParams& p = experiment.chain.potential;
  read_section(section, "a potential", views(p),
               {Key{"fourier", form::numbers, "factors of cos(2 pi s/period), cos(4 pi s/period)...", "1", any_real,
                    Range{1, 64}}
                    .or_else("[1]")},
               reading);
  const Node* node = section.node.find("fourier");
  if (!node) return;
  const auto* numbers = node->as<Node::Numbers>();
  if (!numbers || numbers->empty() || numbers->size() > 64 ||
      !std::ranges::all_of(*numbers, [](double x) { return std::isfinite(x); })) {
    reading.wrong(node->where, fmt::format("fourier = {} in [system.potential] must be an array of 1 to 64 numbers",
                                           text_of(*node)));
    return;
  }
  p.fourier = *numbers;
}

void read_spread(const Section& section, Experiment& experiment, Reading& reading) {
  SpreadParams& s = experiment.chain.spread;
  const AnyContact* contact = experiment.contacts.empty() ? nullptr : experiment.contacts.front().contact.get();
  std::vector<std::string> names{"mass", "stiffness", "damping", "coupling", "U0"};
  std::vector<Key> parameters;
  parameters.reserve(names.size());
  for (const std::string& name : names)
    parameters.emplace_back(name, form::number, "relative width of the distribution", "1", Range{0, 2});
  if (contact) {
    for (const Variable& p : contact->parameters()) names.push_back(p.name);
  }
  reading.describe(section, views(s), parameters, true);  // any number of [friction]
  Node own = section.node;                                // read as fields
  std::erase_if(*own.as<Node::Object>(), [](const Member& m) { return m.key != "offset" && m.key != "seed"; });
  Reading quiet{.folder = reading.folder};
  read_section({own, section.name}, "a spread", views(s), {}, quiet);
  reading.add(std::move(quiet.problems));
  for (const Member& m : *section.node.as<Node::Object>()) {
    if (m.key == "offset" || m.key == "seed") continue;
    const auto* width = m.value.as<double>();
    if (std::ranges::find(names, m.key) == names.end()) {
      if (contact) {
        std::vector<std::string> known = names;
        known.insert(known.end(), {"offset", "seed"});
        reading.wrong(m.value.where, fmt::format("unknown key '{}' in [system.spread]{}", m.key, hint(m.key, known)));
      }
    } else if (!width || !(*width >= 0 && *width < 2)) {
      reading.wrong(m.value.where,
                    fmt::format("{} = {} in [system.spread] is a relative width; from 0 to less than 2 is "
                                "accepted",
                                m.key, text_of(m.value)));
    } else if (*width > 0) {
      s.widths.emplace_back(m.key, *width);
    }
  }
}

/// Values of a preset where the file has none.
void set_usual(const Preset& preset, const Section& section, Experiment& experiment) {
  ChainParams& c = experiment.chain;
  c.pulled = Pulled::all;
  if (preset.name == "tomlinson") {
    c.blocks = 1;
    c.coupling = 0;
  } else if (preset.potential) {
    if (!section.has("blocks")) c.blocks = 89;
    if (!section.has("boundary")) c.boundary = Boundary::periodic;
  } else if (!section.has("blocks")) {
    c.blocks = 200;
  }
  if (preset.name.starts_with("frenkel_kontorova") && !section.has("spacing")) c.spacing = golden_spacing(c);
}

}  // namespace

bool may_lack_friction(const Node& root) {
  const Node* system = root.find("system");
  return system && system->as<Node::Object>() && system->find("potential");
}

void read_chain(const Section& section, std::vector<FieldView> fields, Experiment& experiment, Reading& reading) {
  std::vector<std::string> names;
  names.reserve(std::size(presets));
  for (const Preset& p : presets) names.push_back(p.name);
  const auto which = choice(section, "preset", names, false, reading);
  const Preset* preset = which ? &presets[*which] : nullptr;
  for (FieldView& f : views(experiment.chain)) fields.push_back(std::move(f));
  if (preset) {
    for (const std::string& key : preset->without) {
      if (section.has(key))
        reading.wrong(section.where(key),
                      fmt::format("preset \"{}\" has no {}; without preset, a chain accepts it", preset->name, key));
    }
    if (preset->name == "tomlinson") std::erase_if(fields, [](const FieldView& f) { return f.name == "coupling"; });
  }
  std::vector<Key> also{{"kind", form::word, "the moving body"},
                        {"preset", form::word, "a named kind of chain, with its usual values"},
                        {"potential", form::table, "a periodic potential under the blocks"},
                        {"spread", form::table, "differences between the blocks"}};
  if (preset && preset->name == "tomlinson") also.emplace_back("coupling", form::number, "");
  read_section(section, "a chain", fields, also, reading);
  check_body(section, "chain", experiment, reading);
  const auto potential = subsection(section.node, "potential", reading);
  if (potential) read_potential({potential->node, "[system.potential]"}, experiment, reading);
  if (const auto spread = subsection(section.node, "spread", reading))
    read_spread({spread->node, "[system.spread]"}, experiment, reading);
  if (!preset) return;
  set_usual(*preset, section, experiment);
  if (preset->potential && !section.has("potential")) {
    reading.wrong(section.where("preset"),
                  fmt::format("preset \"{}\" requires [system.potential] with U0 and period", preset->name));
  } else if (!preset->potential && section.has("potential")) {
    reading.wrong(section.where("potential"),
                  fmt::format("preset \"{}\" has no potential; without preset, a chain accepts it", preset->name));
  }
}

}  // namespace bristle::scenario

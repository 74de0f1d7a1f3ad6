#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "bristle/registry/describe.hpp"
#include "scenario/shared/section.hpp"

namespace bristle::scenario {

bool Columns::has(const std::string& name) const {
  if (const auto [a, b] = terms_of(name); !b.empty()) return has(std::string(a)) && has(std::string(b));
  if (!all || std::find(names.begin(), names.end(), name) != names.end()) return true;
  return std::any_of(arrays.begin(), arrays.end(), [&](const std::string& a) {
    return name.size() > a.size() && name.starts_with(a) &&
           name.find_first_not_of("0123456789", a.size()) == std::string::npos;
  });
}

namespace {
/// Number of the block in a column name of a chain, written as by name_in_chain.
int block_of(const std::string& name, const std::vector<std::string>& own) {
  if (std::find(own.begin(), own.end(), name) != own.end()) return 1;
  const std::size_t digits = name.find_last_not_of("0123456789") + 1;
  if (digits == 0 || digits == name.size() || name.size() - digits > 6) return 0;
  const int block = std::stoi(name.substr(digits));
  const bool known = std::any_of(own.begin(), own.end(), [&](const std::string& n) {
    return n != "F_app" && name_in_chain(n, static_cast<std::size_t>(block)) == name;
  });
  return known && block > 1 ? block : 0;
}
}  // namespace

std::string Columns::objection(const std::string& name, const std::string& where) const {
  if (has(name)) return {};
  if (const auto [a, b] = terms_of(name); !b.empty()) {
    std::string first = objection(std::string(a), where);
    return first.empty() ? objection(std::string(b), where) : first;
  }
  if (const int block = record.empty() ? 0 : block_of(name, own); block > 0 && block <= blocks)
    return fmt::format("column '{}'{} belongs to block {}, which is not recorded; recorded blocks: {}", name, where,
                       block, fmt::join(record, ", "));
  return fmt::format("unknown column '{}'{}{}", name, where, hint(name, names));
}

Columns columns_of(const Experiment& e, const std::vector<std::string>& models, bool system_known) {
  if (e.own) {
    Columns out;
    for (const NamedContact& c : e.contacts) out.all = out.all && c.contact != nullptr;
    if (out.all) {
      for (const Column& c : e.own->columns(e)) out.names.push_back(c.name);
    }
    return out;
  }
  Columns out{.names = {"t", "x", "v", "F", "F_app", "drive"}, .all = !models.empty()};
  if (!system_known) out.blocks = -1;                                 // perhaps a chain
  if (!system_known && e.kind == SystemKind::chain) out.all = false;  // of an unknown number of blocks
  for (std::size_t i = 0; i < models.size(); ++i) {
    const NamedContact& c = e.contacts[i];
    const std::string prefix = c.name.empty() ? "" : c.name + ".";
    if (!c.name.empty()) out.names.push_back("F_" + c.name);
    if (c.contact) {
      for (const Variable& s : c.contact->states()) out.names.push_back(prefix + s.name);
    } else if (const ModelInfo* info = find_model(models[i])) {
      for (const FieldInfo& s : info->states) {
        (s.kind == Kind::array ? out.arrays : out.names).push_back(prefix + s.name);
      }
      for (const char* heat : {"T", "T_flash"}) out.names.push_back(prefix + heat);  // if it heats
    } else {
      out.all = false;
    }
  }
  if (e.kind == SystemKind::chain && system_known) {
    out.record = e.solver.record;
    std::sort(out.record.begin(), out.record.end());
    out.own = out.names;
    out.blocks = e.chain.blocks;
    std::erase_if(out.own, [](const std::string& n) { return n == "t" || n == "drive"; });
    auto recorded = [&](int b) {
      return out.record.empty() || std::binary_search(out.record.begin(), out.record.end(), b);
    };
    if (!recorded(1)) out.names = {"t", "drive"};
    for (int b = 2; b <= e.chain.blocks; ++b) {
      if (!recorded(b)) continue;
      for (const std::string& n : out.own) {
        if (n != "F_app") out.names.push_back(name_in_chain(n, static_cast<std::size_t>(b)));
      }
    }
  }
  if (e.kind == SystemKind::roller || !system_known) out.names.insert(out.names.end(), {"omega", "phi", "v_slip"});
  if (e.controller || !system_known) out.names.insert(out.names.end(), {"u", "reference"});
  if (e.controller) {
    const CompensationParams& p = e.controller->compensation;
    const std::vector<Column> estimates = compensation_columns(*e.controller, e.body.mass);
    for (const Column& c : estimates) out.names.push_back(c.name);
    if (estimates.empty() && p.kind > CompensationKind::feedforward) out.all = false;  // it is wrong, and reported
  }
  for (const NamedContact& c : e.contacts) {
    if (!(nominal_load(c) > 0)) continue;
    const std::size_t n = out.names.size();
    if (e.kind != SystemKind::chain) out.names.push_back(c.name.empty() ? "mu" : "mu_" + c.name);
    for (std::size_t i = 0; i < n && e.kind == SystemKind::chain; ++i) {  // F, F2, F3...
      const std::string name = out.names[i];
      if (name.starts_with("F") && name.find_first_not_of("0123456789", 1) == std::string::npos)
        out.names.push_back("mu" + name.substr(1));
    }
  }
  return out;
}

}  // namespace bristle::scenario

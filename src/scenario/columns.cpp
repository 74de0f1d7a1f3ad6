#include <algorithm>

#include "bristle/boundary/describe.hpp"
#include "scenario/section.hpp"

namespace bristle::scenario {

bool Columns::has(const std::string& name) const {
  if (const auto [a, b] = terms_of(name); !b.empty()) return has(std::string(a)) && has(std::string(b));
  if (!all || std::find(names.begin(), names.end(), name) != names.end()) return true;
  return std::any_of(arrays.begin(), arrays.end(), [&](const std::string& a) {
    return name.size() > a.size() && name.starts_with(a) &&
           name.find_first_not_of("0123456789", a.size()) == std::string::npos;
  });
}

Columns columns_of(const Experiment& e, const std::vector<std::string>& models, bool system_known) {
  Columns out{.names = {"t", "x", "v", "F", "F_app", "drive"}, .all = !models.empty()};
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
    } else {
      out.all = false;
    }
  }
  if (e.kind == SystemKind::chain && system_known) {
    std::vector<std::string> one = out.names;
    std::erase_if(one, [](const std::string& n) { return n == "t" || n == "F_app" || n == "drive"; });
    for (int b = 2; b <= e.chain.blocks; ++b) {
      for (const std::string& n : one) out.names.push_back(name_in_chain(n, static_cast<std::size_t>(b)));
    }
  }
  if (e.kind == SystemKind::roller || !system_known) out.names.insert(out.names.end(), {"omega", "phi", "v_slip"});
  if (e.controller || !system_known) out.names.insert(out.names.end(), {"u", "reference"});
  return out;
}

}  // namespace bristle::scenario

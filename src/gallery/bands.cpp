#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "gallery/table.hpp"

/// Bands of means over several runs, and reasons of bounds without a value.
namespace bristle::gallery {

using namespace scenario;

std::optional<Node> taken(Node& table, std::string_view key) {
  auto* object = table.as<Node::Object>();
  if (!object) return {};
  const auto m = std::ranges::find(*object, key, &Member::key);
  if (m == object->end()) return {};
  Node out = std::move(m->value);
  object->erase(m);
  return out;
}

std::optional<Expectation> read_sigma(Member& bounds, std::size_t runs, Reading& reading) {
  Node& node = bounds.value;
  const auto wrong = [&](const Node& at, const char* text) {
    reading.wrong(at.where, fmt::format("\"{}\": {}", bounds.key, text));
  };
  if (const auto reason = taken(node, "reason")) {
    const bool bounds_alone = !node.find("value") && (node.find("min") || node.find("max"));
    if (!reason->as<std::string>() || !bounds_alone) wrong(*reason, "reason must be a text, of bounds min, max");
  }
  const auto sigma = taken(node, "sigma");
  if (!sigma) return {};
  const double* of_one = sigma->as<double>();
  if (!of_one || !(*of_one > 0)) {
    wrong(*sigma, "sigma must be the standard deviation of single runs, above 0");
  } else if (runs < 3) {
    wrong(*sigma, "sigma requires over in [paper] or in the variant, with 3 values or more");
  } else if (!node.find("value") || node.find("abs") || node.find("rel")) {
    wrong(*sigma, "sigma requires value, without abs and rel");
  } else {
    const double band = 4 * *of_one / std::sqrt(static_cast<double>(runs));
    node.as<Node::Object>()->push_back({"abs", Node{.v = band, .where = sigma->where}});
    Expectation out;
    out.text = "standard deviation of " + bounds.key;
    out.where = sigma->where;
    out.min = *of_one / 2;
    out.max = *of_one * 2;
    return out;
  }
  if (node.find("value") && !node.find("abs") && !node.find("rel"))  // one message is enough
    node.as<Node::Object>()->push_back({"abs", Node{.v = 0.0, .where = sigma->where}});
  return {};
}

std::vector<Variant::Scatter> read_scatter(Node* expect, std::size_t runs, Reading& reading) {
  std::vector<Variant::Scatter> out;
  auto* all = expect ? expect->as<Node::Object>() : nullptr;
  for (std::size_t i = 0; all && i < all->size(); ++i) {
    if (!(*all)[i].value.as<Node::Object>()) continue;
    if (auto bounds = read_sigma((*all)[i], runs, reading)) out.push_back({i, std::move(*bounds)});
  }
  return out;
}

}  // namespace bristle::gallery

#include <fmt/format.h>

#include "base/document.hpp"
#include "bristle/export.hpp"
#include "bristle/models.hpp"
#include "bristle/output.hpp"
#include "bristle/registry/describe.hpp"
#include "export/canonical.hpp"
#include "export/sha256.hpp"
#include "registry/shared/heated.hpp"

namespace bristle::exports {
namespace {

std::string title_in(const std::string& text, const std::string& path) {
  Problems ignored;
  const scenario::Node root = scenario::parse_toml(text, path, ignored);
  const scenario::Node* title = root.find("title");
  const auto* words = title ? title->as<std::string>() : nullptr;
  return words ? *words : "";
}

/// Remarks of the fit behind a block, from the file that holds it; a changed value has none.
std::vector<FitRemark> remarks_of(const FrictionFile& file, const std::vector<std::string>& changes) {
  const std::string& source = file.measured.file;
  std::vector<FitRemark> out;
  try {
    out = fit_remarks(source.empty() || source == file.path ? file.text : read_file(source, scenario::most_bytes));
  } catch (const FileError&) { return {}; }  // it was there a moment ago
  for (const std::string& change : changes) {
    const std::string key = change.substr(0, change.find('='));
    std::erase_if(out, [&](const FitRemark& r) {
      return key == "friction." + r.name || key == "friction.effects." + r.name || key == r.name ||
             key == "friction.model";
    });
  }
  return out;
}

}  // namespace

BlockRead load_block(const std::string& path, const std::vector<std::string>& changes) {
  FrictionRead read = load_friction(path, changes);
  if (!read.file) return {{}, std::move(read.problems)};
  Block out;
  out.title = title_in(read.file->text, path);
  out.rotational = read.file->rotational.value_or(false);
  out.canonical = canonical_text(*read.file->contact);
  out.sha256 = sha256(out.canonical);
  out.remarks = remarks_of(*read.file, changes);
  out.file = std::move(*read.file);
  return {std::move(out), {}};
}

Block block_of(std::unique_ptr<AnyContact> contact, const std::string& name) {
  Block out;
  out.file.path = name;
  out.canonical = canonical_text(*contact);
  out.sha256 = sha256(out.canonical);
  out.file.contact = std::move(contact);
  return out;
}

std::string refusal(const Block& block) {
  const AnyContact& contact = block.contact();
  const std::string model = block.model();
  if (is_heated(contact))
    return "[friction.heat] has states of its own and cannot be exported; a block without it is accepted";
  if (model == "rolling")
    return fmt::format("{} has no state equation and cannot be exported; another lumped model is accepted", model);
  if (contact.index() >= Models::size)
    return fmt::format("{} is a population of asperities and cannot be exported; fit a lumped model to it", model);
  const ModelInfo* info = find_model(model);
  if (info && info->has.random)
    return fmt::format("{} draws random numbers and cannot be exported; a law without them is required", model);
  if (contact.has_effects() && *contact.parameter("effects.noise").as<double>() != 0)
    return "noise in [friction.effects] is random and cannot be exported; noise = 0 is required";
  return "";
}

}  // namespace bristle::exports

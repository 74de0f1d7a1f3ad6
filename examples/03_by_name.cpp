/// 03. A contact from a name and a table, with all errors at once; parameters and states by name; a copy as text that
/// continues with the same bits. Needs bristle::models.
#include <bristle/registry/any.hpp>

#include <cstdio>

using namespace bristle;

int main() {
  // Three mistakes: a value, a misspelt name, a missing parameter. No contact is made, nothing is thrown.
  const Made wrong = make("lugre", {{"Fc", 1.0}, {"Fs", 0.5}, {"sigma_0", 1e5}});
  for (const Problem& problem : wrong.problems) std::printf("problem: %s\n", problem.line().c_str());
  if (wrong.contact || wrong.problems.size() < 3) return 1;

  Made made = make("gms", {{"Fc", 1},
                           {"Fs", 1.5},
                           {"vs", 1e-3},
                           {"k", {4e4, 3e4, 2e4, 1e4}},
                           {"nu", {0.1, 0.225, 0.3, 0.375}},
                           {"C", 100}});
  if (!made.contact) return 1;
  AnyContact& contact = *made.contact;

  contact.set({{"k2", 5e4}, {"kv", 0.4}});
  try {
    contact.set("Fc", -1);
  } catch (const BadInput& e) { std::printf("refused: %s\n", e.what()); }

  for (int i = 0; i < 100; ++i) contact.step({.v = 1e-3}, 1e-3);
  const auto names = contact.state_names();
  const auto state = contact.state();
  for (std::size_t i = 0; i < names.size(); ++i) std::printf("%-7s %g\n", names[i].c_str(), state[i]);
  std::printf("force when it reverses: %.6f N; now: %.6f N\n", contact.force({.v = -1e-3}), contact.force({.v = 1e-3}));

  const std::string text = serialise(contact);
  const Made copy = deserialise(text);
  if (!copy.contact) return 1;
  const double a = contact.step({.v = -2e-3}, 1e-3), b = copy.contact->step({.v = -2e-3}, 1e-3);
  std::printf("%zu bytes of text; the copy continues with the same bits: %s\n", text.size(), a == b ? "yes" : "no");
  return a == b ? 0 : 1;
}

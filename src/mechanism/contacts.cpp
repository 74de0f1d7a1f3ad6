#include "mechanism/contacts.hpp"

#include <algorithm>
#include <cmath>

namespace bristle::mechanism {
namespace {

struct Alone {
  double w{}, F{};
  bool holds{};
};

}  // namespace

bool step_in_forces(std::span<const ContactRef> contacts, std::span<const double> W, std::span<const Motion<double>> u,
                    std::span<const double> pull, double dt, std::span<ContactStep> out) {
  const std::size_t n = contacts.size();
  std::vector<Alone> now(n);
  std::vector<double> need(n);
  for (std::size_t i = 0; i < n; ++i) now[i].F = std::isfinite(out[i].F) ? out[i].F : 0;
  auto solve = [&](std::size_t i) {
    double rate = pull[i];
    for (std::size_t j = 0; j < n; ++j) {
      if (j != i) rate -= W[i * n + j] * now[j].F;
    }
    const double mass = 1 / W[i * n + i];
    need[i] = mass * (u[i].v / dt + rate);
    const ContactRef::Trial t{u[i], need[i], dt};
    const ContactRef::Response stop = contacts[i].stop(t);
    ContactRef::Root root{0, 0, ContactRef::Root::hold};
    if (!stop.holds) root = contacts[i].root(t, {mass / dt, u[i].v}, stop.F);
    // In slip the law gives the force; the difference has the rounding errors of the momentum.
    const double F =
        root.kind == ContactRef::Root::balance ? contacts[i].respond(t, root.w).F : need[i] - mass / dt * root.w;
    now[i] = {root.w, F, root.kind == ContactRef::Root::hold};
  };
  constexpr int most_rounds = 5000;
  bool settled = false;
  for (int round = 0; round < most_rounds && !settled; ++round) {
    double moved = 0, size = 0;  // times the root of mass: comparable between contacts
    for (std::size_t k = 0; k < n; ++k) {
      const std::size_t i = round % 2 == 0 ? k : n - 1 - k;  // there and back: twice as fast along a chain
      const double before = now[i].F;
      solve(i);
      if (!std::isfinite(now[i].F)) return false;
      const double weight = std::sqrt(W[i * n + i]);
      moved = std::max(moved, weight * std::abs(now[i].F - before));
      const double momentum = 1e-4 * std::abs(u[i].v) / (dt * W[i * n + i]);  // its rounding errors are in every force
      size = std::max(size, weight * std::max({std::abs(now[i].F), std::abs(before), contacts[i].size(), momentum}));
    }
    settled = moved <= 1e-12 * size;
  }
  for (std::size_t i = 0; i < n; ++i) {
    contacts[i].advance({u[i], need[i], dt}, now[i].w);
    out[i] = {now[i].F, now[i].holds};
  }
  return settled;
}

}  // namespace bristle::mechanism

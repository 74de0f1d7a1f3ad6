#pragma once
#include <span>
#include <vector>

#include "bristle/contact_ref.hpp"

/// One implicit step of contacts that depend on each other, in their forces: v = u.v + dt (pull - W F), F_i = law_i(v_i).
///
/// `couple_all` takes the velocities as unknowns and thus the inverse of W, which is close to singular where joints share the
/// degrees of freedom of a loop. Here one contact after the other is solved with 1/W_ii while the forces of the others stay
/// (Gauss-Seidel); every such step lowers the potential F'WF/2 - F'(pull + u.v/dt) + dual dissipation, whatever the rank of W.
/// It is slower where W couples many contacts strongly, and therefore follows `couple_all` where this finds no balance.
namespace bristle::mechanism {

struct ContactStep {
  double F{};
  bool holds{};
};

/// W: inverse inertia of the contacts, row by row. `pull`: accelerations without their forces. `out`: first guess of the forces,
/// then the result. The contacts advance. False if the forces do not settle.
bool step_in_forces(std::span<const ContactRef> contacts, std::span<const double> W, std::span<const Motion<double>> u,
                    std::span<const double> pull, double dt, std::span<ContactStep> out);

}  // namespace bristle::mechanism

#include "chain_events.hpp"

#include "chain_event_run.hpp"
#include "registry/shared/visit.hpp"
#include "system.hpp"

namespace bristle {
namespace {

template <class C> constexpr bool is_law_of_velocity = false;
template <class C>
  requires std::is_same_v<typename C::Mode, StickSlip> && std::is_same_v<typename C::State, NoState> &&
               requires(const C& c) { c.scales(); }
constexpr bool is_law_of_velocity<C> = true;

/// The laws of the blocks, one if they are equal; empty if the model is no law of velocity.
template <class F> bool with_laws(const Experiment& e, const Blocks& blocks, F&& f) {
  bool found = false;
  visit_contact(*e.contacts.front().contact, [&](const auto& box) {
    using C = std::remove_cvref_t<decltype(box.contact)>;
    if constexpr (requires { typename C::Mode; }) {
      if constexpr (is_law_of_velocity<C>) {
        std::vector<C> laws;
        for (const auto& contact : blocks.contacts)
          visit_contact(*contact, [&](const auto& own) {
            if constexpr (std::is_same_v<std::remove_cvref_t<decltype(own.contact)>, C>) laws.push_back(own.contact);
          });
        if (laws.empty()) laws.push_back(box.contact);
        f(std::move(laws));
        found = true;
      }
    }
  });
  return found;
}

}  // namespace

bool goes_from_event_to_event(const Experiment& e) {
  const ChainParams& c = e.chain;
  if (e.kind != SystemKind::chain || e.contacts.size() != 1 || e.contacts.front().contact->has_effects() || e.load ||
      e.controller || e.method != Method::automatic || c.potential.present() || c.kT > 0 ||
      e.drive.of != DriveOf::position || e.body.mass <= 0 || !e.contacts.front().name.empty())
    return false;
  if (c.boundary == Boundary::open && c.spread.widths.empty() && c.spread.offset == 0)
    return false;  // blocks move alike, or as a whole
  if (e.drive.next_corner(0) < e.solver.duration) return false;
  const double T = e.solver.duration;
  const Signal at[]{e.drive.at(0), e.drive.at(0.37 * T), e.drive.at(T)};
  for (const Signal& s : at) {
    if (s.rate2 != 0 || s.rate != at[0].rate) return false;
  }
  return with_laws(e, Blocks{}, [](auto&&) {});
}

void run_events(const Experiment& e, double x_scale, double v_scale, Recorder& out) {
  with_laws(e, blocks_of(e),
            [&]<class C>(std::vector<C> laws) { EventRun<C>(e, std::move(laws), x_scale, v_scale, out).run(); });
  require_balance(out.summary, e.solver, 0);
}

}  // namespace bristle

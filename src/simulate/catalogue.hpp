#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "bristle/simulate.hpp"

namespace bristle {

/// Slip events of a chain from the times at which its blocks start and stop. A block that starts next to a moving one belongs to
/// its event; two events that meet become one.
class Catalogue {
 public:
  Catalogue(std::size_t blocks, bool ring, const RunOptions& options)
      : options_(options), ring_(ring), moving_(blocks), label_(blocks), from_(blocks) {}

  void start(double t, std::size_t b, double x) {
    if (moving_[b]) return;
    std::size_t event = none;
    const auto join = [&](std::size_t other, bool moves) {
      if (!moves || !known(other)) return;
      event = merged(event, root(label_[other].event));
    };
    if (b > 0 || ring_) join(before(b), moving_[before(b)] != 0);
    if (b + 1 < moving_.size() || ring_) join(after(b), moving_[after(b)] != 0);
    const bool counted = known(b) && events_[root(label_[b].event)].moving > 0;
    if (counted) event = merged(event, root(label_[b].event));
    if (event == none) {
      event = events_.size();
      events_.push_back({event, t, b});
    }
    Open& e = events_[event];
    if (!counted) ++e.blocks;
    ++e.moving;
    ++all_moving_;
    moving_[b] = 1;
    label_[b] = {epoch_, event};
    from_[b] = x;
  }
  void stop(double t, std::size_t b, double x) {
    if (!moving_[b]) return;
    Open& e = events_[root(label_[b].event)];
    moving_[b] = 0;
    e.moment += x - from_[b];
    --all_moving_;
    if (--e.moving == 0) {
      done_.push_back({e.t, static_cast<int>(e.first) + 1, static_cast<int>(e.blocks), e.moment, t - e.t});
      if (options_.catalogue) options_.catalogue(done_.back());
    }
    if (all_moving_ == 0) {
      events_.clear();
      ++epoch_;
    }
  }
  bool moves(std::size_t b) const { return moving_[b] != 0; }
  std::size_t moving() const { return all_moving_; }
  std::vector<SlipEvent> take() { return std::move(done_); }

 private:
  static constexpr std::size_t none = ~std::size_t{0};
  struct Open {
    std::size_t parent;
    double t;
    std::size_t first, blocks{}, moving{};
    double moment{};
  };
  struct Label {
    std::uint64_t epoch{};  // counts times at which nothing moved
    std::size_t event{};
  };
  std::size_t before(std::size_t b) const { return b > 0 ? b - 1 : moving_.size() - 1; }
  std::size_t after(std::size_t b) const { return b + 1 < moving_.size() ? b + 1 : 0; }
  bool known(std::size_t b) const { return label_[b].epoch == epoch_; }
  std::size_t root(std::size_t e) {
    while (events_[e].parent != e) e = events_[e].parent = events_[events_[e].parent].parent;
    return e;
  }
  std::size_t merged(std::size_t a, std::size_t b) {
    if (a == none || a == b) return b;
    if (events_[b].t < events_[a].t) std::swap(a, b);
    events_[a].blocks += events_[b].blocks;
    events_[a].moving += events_[b].moving;
    events_[a].moment += events_[b].moment;
    events_[b].parent = a;
    return a;
  }

  const RunOptions& options_;
  bool ring_;
  std::vector<char> moving_;
  std::vector<Label> label_;
  std::vector<double> from_;
  std::vector<Open> events_{};
  std::vector<SlipEvent> done_{};
  std::uint64_t epoch_ = 1;
  std::size_t all_moving_ = 0;
};

}  // namespace bristle

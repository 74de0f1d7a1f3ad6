#pragma once
#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <queue>

#include "catalogue.hpp"
#include "chain_cluster.hpp"

namespace bristle {

/// The whole run: waits for the next release by the drive, and intervals in which clusters move.
template <class C> class EventRun {
 public:
  EventRun(const Experiment& e, std::vector<C> laws, double x_scale, double v_scale, Recorder& out)
      : e_(e),
        out_(out),
        f_(e, std::move(laws), blocks_of(e), x_scale, v_scale),
        row_(f_.row),
        n_(row_.n),
        catalogue_(n_, row_.ring, out.options),
        stamp_(n_ + 2),
        shows_(n_ + 2),
        sampled_(n_ + 2) {
    for (const int body : e.solver.record) shown_.push_back(static_cast<std::size_t>(body));
    std::sort(shown_.begin(), shown_.end());
    for (std::size_t i = 1; e.solver.record.empty() && i <= n_; ++i) shown_.push_back(i);
    for (const std::size_t i : shown_) {
      shows_[i] = 1;
      for (const std::size_t j : {row_.left(i), i, row_.right(i)}) sampled_[j] = 1;
    }
  }

  void run() {
    begin();
    while (now() < e_.solver.duration) {
      if (movers_.empty()) {
        wait();
      } else {
        advance();
      }
    }
    finish();
  }

 private:
  static constexpr std::size_t nothing = EventField<C>::nothing;
  double now() const { return f_.base + s_; }
  void close(std::vector<double>& x, std::vector<double>& v) const {
    row_.close(x);
    row_.close(v);
  }

  void begin() {
    for (std::size_t i = 1; i <= n_; ++i) row_.v[i] = e_.body.v0;
    close(row_.x, row_.v);
    initial_ = f_.energy(s_);
    for (std::size_t i = 1; i <= n_; ++i) {
      stiffness_sum_ += row_.stiffness[i];
      damping_sum_ += row_.damping[i];
      pulled_x_ += row_.stiffness[i] * row_.x[i];
    }
    clusters_run_.emplace(e_, f_, out_, sampled_);
    for (std::size_t i = 1; i <= n_; ++i) {
      const double F = f_.applied(i, s_);
      const int dir = row_.v[i] != 0 ? (row_.v[i] > 0 ? 1 : -1) : std::abs(F) > f_.breakaway(i) ? (F > 0 ? 1 : -1) : 0;
      if (dir != 0) {
        start(i, dir);
      } else if (shows_[i]) {
        out_.events.push_back({0, Event::stick, static_cast<int>(i), row_.x[i]});
      }
    }
    for (std::size_t i = 1; i <= n_; ++i) watch(i);
  }

  /// Between two intervals.
  void start(std::size_t i, int dir) {
    f_.dir[i] = dir;
    clusters_run_->set_start(i);
    movers_.push_back(i);
    note({s_, i, dir, row_.x[i]});
    for (const std::size_t j : {row_.left(i), i, row_.right(i)}) ++stamp_[j];  // no release is known in advance
  }
  void note(const Cluster::Turn& turn) {
    const double t = f_.base + turn.s;
    if (turn.dir == 0) {
      catalogue_.stop(t, turn.block - 1, turn.x);
    } else {
      catalogue_.start(t, turn.block - 1, turn.x);
    }
    if (!shows_[turn.block]) return;
    const Event::Kind kind = turn.dir == 0 ? Event::stick : turn.dir > 0 ? Event::slip_forward : Event::slip_backward;
    out_.events.push_back({t, kind, static_cast<int>(turn.block), turn.x});
  }
  /// Enters a stuck block among stuck neighbours in the queue, with the time at which the drive releases it.
  void watch(std::size_t i) {
    ++stamp_[i];
    if (f_.dir[i] != 0 || f_.moves(row_.left(i)) || f_.moves(row_.right(i))) return;
    const double after = f_.release_in(i, s_);
    if (after < inf) queue_.push({now() + after, i, stamp_[i]});
  }
  double next_release() {
    while (!queue_.empty() && queue_.top().stamp != stamp_[queue_.top().block]) queue_.pop();
    return queue_.empty() ? inf : queue_.top().t;
  }

  /// Nothing moves until the drive releases a block.
  void wait() {
    const double t = std::max(next_release(), now()), until = std::min(t, e_.solver.duration);
    if (out_.due(until)) out_.pass(until, false, [&](double at, double* to) { show(at, row_.x, row_.v, f_.dir, to); });
    add_drive_work(until - now());
    f_.base = until;
    s_ = 0;
    if (t < e_.solver.duration) {
      const std::size_t i = queue_.top().block;
      queue_.pop();
      start(i, f_.applied(i, s_) > 0 ? 1 : -1);
    }
    out_.tick(until, 64);
  }
  /// Of the drive on blocks that stand.
  void add_drive_work(double dt) {
    const double rate = f_.drive.rate, end = f_.end_at(s_) + rate * dt / 2;
    work_.drive += rate * dt * (stiffness_sum_ * end - pulled_x_ + damping_sum_ * rate);
    work_.damper += rate * rate * dt * damping_sum_;
  }

  /// One interval of all clusters of moving blocks.
  void advance() {
    clusters_.clear();
    std::sort(movers_.begin(), movers_.end());
    for (std::size_t k = 0, end = 0; k < movers_.size(); k = end) {  // blocks with common neighbours
      for (end = k + 1; end < movers_.size() && movers_[end] <= movers_[end - 1] + 2;) ++end;
      join({movers_.begin() + static_cast<std::ptrdiff_t>(k), movers_.begin() + static_cast<std::ptrdiff_t>(end)});
    }
    const double left = e_.solver.duration - now();
    double length = std::min(f_.longest, left);
    while (next_release() <= now() + length) {
      const std::size_t i = queue_.top().block;
      queue_.pop();
      join({i});
    }
    if (clusters_.size() == 1) length = std::min({16 * f_.longest, left, std::max(next_release() - now(), length)});
    const double until = length == left ? e_.solver.duration - f_.base : s_ + length;
    for (std::size_t k = 0; k < clusters_.size(); ++k) {  // grows when clusters meet
      if (!clusters_[k].alive) continue;
      const std::size_t other = clusters_run_->run(clusters_[k], k, s_, until);
      if (other != k) unite(k, other);
    }
    record(until);
    add_drive_work(until - s_);
    s_ = until;
    movers_.clear();
    for (Cluster& c : clusters_) {
      if (!c.alive) continue;
      for (const Cluster::Saved& m : c.moved)
        pulled_x_ += row_.stiffness[m.block] * (row_.x[m.block] - clusters_run_->start_x()[m.block]);
      clusters_run_->accept(c);
      work_.drive += c.work.drive;
      work_.damper += c.work.damper;
      work_.friction += c.work.friction;
      movers_.insert(movers_.end(), c.movers.begin(), c.movers.end());
    }
    for (const Cluster& c : clusters_) {
      for (const std::size_t i : c.zone) watch(i);
    }
  }
  /// A new cluster of blocks, with those clusters that it touches.
  void join(std::vector<std::size_t> begin) {
    const std::size_t id = clusters_.size();
    clusters_.push_back({.begin = std::move(begin)});
    for (std::size_t k = 0; k < clusters_[id].begin.size();) {
      const std::size_t other = clusters_run_->claim(clusters_[id], id, clusters_[id].begin[k]);
      if (other == id) {
        ++k;
        continue;
      }
      Cluster& o = clusters_[other];
      clusters_run_->undo(o);
      clusters_[id].begin.insert(clusters_[id].begin.end(), o.begin.begin(), o.begin.end());
      o = {.alive = false};
    }
  }
  void unite(std::size_t a, std::size_t b) {
    std::vector<std::size_t> begin;
    for (const std::size_t k : {a, b}) {
      clusters_run_->undo(clusters_[k]);
      begin.insert(begin.end(), clusters_[k].begin.begin(), clusters_[k].begin.end());
      clusters_[k] = {.alive = false};
    }
    join(std::move(begin));
  }

  /// Rows, events and catalogue of an interval, in order of time.
  void record(double until) {
    turns_.clear();
    for (const Cluster& c : clusters_) turns_.insert(turns_.end(), c.turns.begin(), c.turns.end());
    std::ranges::stable_sort(turns_, {}, &Cluster::Turn::s);
    if (out_.due(f_.base + until)) {
      std::vector<Cluster::Sample> samples;
      for (const Cluster& c : clusters_) samples.insert(samples.end(), c.samples.begin(), c.samples.end());
      std::ranges::stable_sort(samples, {}, &Cluster::Sample::t);
      out_.pass(f_.base + until, false, [&](double t, double* to) {
        mid_x_ = clusters_run_->start_x();
        mid_v_ = clusters_run_->start_v();
        mid_dir_ = clusters_run_->start_dir();
        for (const Cluster::Turn& turn : turns_) {
          if (f_.base + turn.s > t) break;
          mid_x_[turn.block] = turn.x;
          mid_v_[turn.block] = 0;
          mid_dir_[turn.block] = turn.dir;
        }
        for (const Cluster::Sample& p : std::ranges::equal_range(samples, t, {}, &Cluster::Sample::t)) {
          mid_x_[p.block] = p.x;
          mid_v_[p.block] = p.v;
          mid_dir_[p.block] = p.dir;
        }
        close(mid_x_, mid_v_);
        show(t, mid_x_, mid_v_, mid_dir_, to);
      });
    }
    for (const Cluster::Turn& turn : turns_) note(turn);
  }

  void show(double t, const std::vector<double>& x, const std::vector<double>& v, const std::vector<int>& dir,
            double* to) const {
    const double s = t - f_.base, end = f_.drive.value + f_.drive.rate * t;
    bool begun = false;
    *to++ = t;
    for (const std::size_t i : shown_) {
      const double F_app = f_.applied(i, x.data(), v.data(), s);
      if (!begun && i != 1) *to++ = end;
      begun = true;
      *to++ = x[i];
      *to++ = v[i];
      *to++ = dir[i] != 0 ? f_.slip_force(i, dir[i], v[i]) : F_app;
      if (i == 1) {
        *to++ = F_app;
        *to++ = end;
      }
    }
  }

  void finish() {
    s_ = e_.solver.duration - f_.base;
    out_.pass(e_.solver.duration, true, [&](double t, double* to) { show(t, row_.x, row_.v, f_.dir, to); });
    Summary& s = out_.summary;
    s.method = "event to event";
    const EnergyBalance end = f_.energy(s_);
    s.energy = work_;
    s.energy.kinetic = end.kinetic - initial_.kinetic;
    s.energy.spring = end.spring - initial_.spring;
    s.energy.error = missing_part(s.energy);
    s.momentum.error = clusters_run_->momentum_error();
    out_.catalogue = catalogue_.take();
    if (const std::size_t n = movers_.size(); n > 0)
      s.notes.push_back(fmt::format("{} block{} still moving at the end; the catalogue contains finished events only",
                                    n, n == 1 ? " is" : "s are"));
  }

  const Experiment& e_;
  Recorder& out_;
  EventField<C> f_;
  BlockRow& row_;
  const std::size_t n_;
  Catalogue catalogue_;
  struct Release {
    double t;
    std::size_t block;
    std::uint64_t stamp;
    bool operator>(const Release& o) const { return t > o.t || (t == o.t && block > o.block); }
  };
  std::priority_queue<Release, std::vector<Release>, std::greater<>> queue_{};
  std::vector<std::uint64_t> stamp_;  // a release counts while its stamp is that of the block
  std::vector<char> shows_, sampled_;
  std::vector<std::size_t> shown_{}, movers_{};
  std::vector<Cluster> clusters_{};
  std::optional<ClusterRun<C>> clusters_run_{};
  std::vector<Cluster::Turn> turns_{};
  std::vector<double> mid_x_{}, mid_v_{};
  std::vector<int> mid_dir_{};
  double s_ = 0;  // the time is that of the field plus s
  double stiffness_sum_{}, damping_sum_{}, pulled_x_{};
  EnergyBalance initial_{}, work_{};
};

}  // namespace bristle

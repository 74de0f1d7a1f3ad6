#include "surface/filter.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "base/parallel.hpp"
#include "surface/fourier.hpp"
#include "surface/table.hpp"

namespace bristle::surface {
namespace {

constexpr std::size_t widest_direct = 48;  // points of half a kernel; the transform takes less time above
constexpr std::size_t block = 16;          // lines that are filtered together

/// The weights of (1) for one direction.
class Smoother {
 public:
  Smoother(std::size_t n, double spacing, double cutoff) : n_(n) {
    half_ = std::min(n - 1, static_cast<std::size_t>(std::floor(cutoff / spacing * (1 + 1e-12))));
    const double a = std::sqrt(std::numbers::ln2 / std::numbers::pi) * cutoff / spacing;
    weights_.resize(half_ + 1);
    for (std::size_t k = 0; k <= half_; ++k)
      weights_[k] = std::exp(-std::numbers::pi * std::pow(static_cast<double>(k) / a, 2));
    sums_.assign(1, 0.0);  // of the weights 1 to k, to which only one side contributes
    for (std::size_t k = 1; k <= half_; ++k) sums_.push_back(sums_.back() + weights_[k]);
    if (half_ > widest_direct) {
      fourier_.emplace(n + half_);
      const std::size_t size = fourier_->size();
      kernel_.assign(size, 0.0);
      std::vector<double> none(size, 0.0);
      kernel_[0] = weights_[0];
      for (std::size_t k = 1; k <= half_; ++k) kernel_[k] = kernel_[size - k] = weights_[k];
      fourier_->forward(kernel_.data(), none.data());  // even: its transform is real
      for (double& k : kernel_) k /= static_cast<double>(size);
    }
  }
  struct Room {
    std::vector<double> re{}, im{};
  };
  /// Two lines, in place.
  void operator()(double* a, double* b, Room& room) const {
    if (fourier_) {
      transformed(a, b, room);
    } else {
      direct(a, room);
      direct(b, room);
    }
  }

 private:
  double norm(std::size_t i) const {
    return weights_[0] + sums_[std::min(half_, i)] + sums_[std::min(half_, n_ - 1 - i)];
  }
  void direct(double* line, Room& room) const {
    room.re.assign(n_ + 2 * half_, 0.0);
    std::copy_n(line, n_, room.re.data() + half_);
    const double* z = room.re.data() + half_;
    for (std::size_t i = 0; i < n_; ++i) line[i] = weights_[0] * z[i];
    for (std::size_t k = 1; k <= half_; ++k) {
      const double w = weights_[k], *below = z - k, *above = z + k;
      for (std::size_t i = 0; i < n_; ++i) line[i] += w * (below[i] + above[i]);
    }
    for (std::size_t i = 0; i < n_; ++i) line[i] /= norm(i);
  }
  void transformed(double* a, double* b, Room& room) const {
    room.re.assign(fourier_->size(), 0.0);
    room.im.assign(fourier_->size(), 0.0);
    std::copy_n(a, n_, room.re.data());
    std::copy_n(b, n_, room.im.data());
    fourier_->forward(room.re.data(), room.im.data());
    for (std::size_t k = 0; k < kernel_.size(); ++k) {
      room.re[k] *= kernel_[k];
      room.im[k] *= kernel_[k];
    }
    fourier_->backward(room.re.data(), room.im.data());
    for (std::size_t i = 0; i < n_; ++i) {
      a[i] = room.re[i] / norm(i);
      b[i] = room.im[i] / norm(i);
    }
  }

  std::size_t n_, half_;
  std::vector<double> weights_, sums_, kernel_;
  std::optional<Fourier> fourier_;
};

/// Applies the filter to lines of the grid: rows, or columns which are copied to lines and back.
void smooth_lines(Heights& h, bool columns, const Smoother& filter, unsigned threads, Steps& steps) {
  const std::size_t length = columns ? h.ny : h.nx, lines = columns ? h.nx : h.ny;
  const std::size_t along = columns ? h.nx : 1, across = columns ? 1 : h.nx;
  in_parallel((lines + block - 1) / block, threads, [&](std::size_t job) {
    const std::size_t from = job * block, count = std::min(block, lines - from);
    std::vector<double> buffer(block * length, 0.0);
    Smoother::Room room;
    for (std::size_t i = 0; i < length; ++i) {
      for (std::size_t l = 0; l < count; ++l) buffer[l * length + i] = h.z[(from + l) * across + i * along];
    }
    for (std::size_t l = 0; l < count; l += 2) filter(&buffer[l * length], &buffer[(l + 1) * length], room);
    for (std::size_t i = 0; i < length; ++i) {
      for (std::size_t l = 0; l < count; ++l) h.z[(from + l) * across + i * along] = buffer[l * length + i];
    }
    steps.done(static_cast<double>(count * length));
  });
}

double mean_of(const std::vector<double>& z) {
  double sum = 0, n = 0;
  for (const double v : z) {
    if (std::isnan(v)) continue;
    sum += v;
    ++n;
  }
  return n > 0 ? sum / n : 0;
}

}  // namespace

void Steps::done(double n) {
  stop_if_wanted(work_);
  double before = reached_;
  while (!reached_.compare_exchange_weak(before, before + n)) {}
  if (!work_.progress || busy_.exchange(true)) return;
  work_.progress(std::min(1.0, (before + n) / whole_));
  busy_ = false;
}

void smooth(Heights& h, double cutoff, unsigned threads, Steps& steps) {
  const double offset = mean_of(h.z);  // a large offset would cost digits in the transform
  for (double& v : h.z) v -= offset;
  smooth_lines(h, false, Smoother(h.nx, h.dx, cutoff), threads, steps);
  if (!h.is_profile()) smooth_lines(h, true, Smoother(h.ny, h.dy, cutoff), threads, steps);
  for (double& v : h.z) v += offset;
}

std::vector<char> fill_missing(Heights& h) {
  std::vector<char> measured;
  if (std::ranges::none_of(h.z, [](double v) { return std::isnan(v); })) return measured;
  measured.resize(h.z.size());
  for (std::size_t i = 0; i < h.z.size(); ++i) measured[i] = std::isnan(h.z[i]) ? 0 : 1;
  /// Between the nearest values of a line of `n` points with the stride `step`; false if it has none.
  auto fill = [&](std::size_t begin, std::size_t step, std::size_t n) {
    auto at = [&](std::size_t i) -> double& { return h.z[begin + i * step]; };
    std::size_t last = n;
    for (std::size_t i = 0; i < n; ++i) {
      if (std::isnan(at(i))) continue;
      if (last + 1 < i || (last == n && i > 0)) {
        const std::size_t from = last == n ? 0 : last + 1;
        const double left = last == n ? at(i) : at(last);
        for (std::size_t k = from; k < i; ++k)
          at(k) =
              last == n ? left : left + (at(i) - left) * static_cast<double>(k - last) / static_cast<double>(i - last);
      }
      last = i;
    }
    if (last == n) return false;
    for (std::size_t k = last + 1; k < n; ++k) at(k) = at(last);
    return true;
  };
  bool empty_rows = false;
  for (std::size_t j = 0; j < h.ny; ++j) empty_rows |= !fill(j * h.nx, 1, h.nx);
  if (empty_rows) {
    for (std::size_t i = 0; i < h.nx; ++i) fill(i, h.nx, h.ny);
  }
  return measured;
}

}  // namespace bristle::surface

#include "potential.hpp"

#include <cmath>
#include <utility>

namespace bristle {

Potential::Potential(const PotentialParams& p, double factor) : wave_number_(two_pi / p.period) {
  for (std::size_t n = 0; n < p.fourier.size(); ++n) {
    amplitude_.push_back(factor * p.U0 * p.fourier[n]);
    largest_ += std::abs(amplitude_.back()) * wave_number_ * static_cast<double>(n + 1);
  }
}
double Potential::energy(double s) const {
  double sum = 0, k = 0;
  for (const double a : amplitude_) sum -= a * std::cos((k += wave_number_) * s);
  return sum;
}
double Potential::slope(double s) const {
  double sum = 0, k = 0;
  for (const double a : amplitude_) {
    k += wave_number_;
    sum += a * k * std::sin(k * s);
  }
  return sum;
}
double Potential::curvature(double s) const {
  double sum = 0, k = 0;
  for (const double a : amplitude_) {
    k += wave_number_;
    sum += a * k * k * std::cos(k * s);
  }
  return sum;
}

namespace {

class PotentialFlow final : public ContactFlow {
 public:
  PotentialFlow(std::unique_ptr<ContactFlow> inner, Potential potential, double period)
      : inner_(std::move(inner)), potential_(std::move(potential)) {
    traits_ = inner_->traits();
    traits_.scales.force += potential_.largest_slope();
    if (!(traits_.scales.displacement > 0)) traits_.scales.displacement = period / two_pi;
    traits_.feels_x = traits_.pushes = true;
  }
  PotentialFlow(const PotentialFlow& o) : ContactFlow(o), inner_(o.inner_->clone()), potential_(o.potential_) {}
  std::unique_ptr<ContactFlow> clone() const override { return std::make_unique<PotentialFlow>(*this); }

  void begin(const double* z, const Motion<double>& u) override { inner_->begin(z, rest(u)); }
  double force(const double* z, const Motion<double>& u) const override {
    return inner_->force(z, u) + potential_.slope(u.x);
  }
  double eval(const double* z, const Motion<double>& u, double* rate) const override {
    return inner_->eval(z, u, rate) + potential_.slope(u.x);
  }
  void slopes(const double* z, const Motion<double>& u, Slopes& out) const override {
    inner_->slopes(z, u, out);
    out.F += potential_.slope(u.x);
    out.F_x += potential_.curvature(u.x);
  }
  void guards(const double* z, const Motion<double>& u, int owner, std::vector<Guard>& out) const override {
    inner_->guards(z, rest(u), owner, out);
  }
  void jump(double* z, const Motion<double>& u, int id) override { inner_->jump(z, rest(u), id); }
  bool holds() const override { return inner_->holds(); }
  int direction() const override { return inner_->direction(); }
  std::size_t memory_size() const override { return inner_->memory_size(); }
  void begin_memory(void* at) const override { inner_->begin_memory(at); }
  void use_memory(void* at) override { inner_->use_memory(at); }

 private:
  Motion<double> rest(Motion<double> u) const {
    u.F_app -= potential_.slope(u.x);
    return u;
  }
  std::unique_ptr<ContactFlow> inner_;
  Potential potential_;
};

}  // namespace

std::unique_ptr<ContactFlow> on_potential(std::unique_ptr<ContactFlow> contact, const Potential& potential,
                                          double period) {
  return std::make_unique<PotentialFlow>(std::move(contact), potential, period);
}

}  // namespace bristle

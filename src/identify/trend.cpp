#include <vector>

#include "identify/evaluator.hpp"

/// Friction with a part proportional to displacement, as surfaces wear in and gouge hardens:
///   F = F_model + trend (x - x at the start of the segment)
namespace bristle::identify {
namespace {

class Trending final : public Evaluator {
 public:
  explicit Trending(std::unique_ptr<Evaluator> inner) : inner_(std::move(inner)), scalars_(inner_->scalars()) {
    scalars_.push_back({std::string(trend), std::string(trend), "N/m", 0, any_real, role::needed});
  }
  std::string_view name() const override { return inner_->name(); }
  const std::vector<Scalar>& scalars() const override { return scalars_; }
  std::vector<double> values() const override {
    std::vector<double> out = inner_->values();
    out.push_back(0);
    return out;
  }
  Table table(const double* p) const override { return inner_->table(p); }
  Table effects(const double* p) const override { return inner_->effects(p); }
  Scales<double> scales(const double* p) const override { return inner_->scales(p); }
  double steady(const double* p, double v) const override { return inner_->steady(p, v); }

  void evaluate(const Series& s, const Point& at, const Sink& sink) const override {
    const std::size_t last = scalars_.size() - 1, n = at.directions;
    const double rise = at.p[last], *slopes = at.slopes ? at.slopes + last * n : nullptr;
    std::vector<double> F, dF;
    std::size_t stretch = 0;
    inner_->evaluate(s, at, [&](const Rows& rows) {
      F.assign(rows.F, rows.F + rows.n);
      if (n > 0) dF.assign(rows.dF, rows.dF + rows.n * n);
      for (std::size_t i = 0; i < rows.n; ++i) {
        while (rows.from + i >= s.stretches[stretch].to) ++stretch;
        const Stretch& here = s.stretches[stretch];
        const double way = here.steady ? 0 : s.x[rows.from + i] - s.x[here.from];
        F[i] += rise * way;
        for (std::size_t j = 0; j < n; ++j) dF[i * n + j] += slopes[j] * way;
      }
      return sink({rows.from, rows.n, rows.columns, F.data(), dF.data()});
    });
  }

 private:
  std::unique_ptr<Evaluator> inner_;
  std::vector<Scalar> scalars_;
};

}  // namespace

std::unique_ptr<Evaluator> trending_evaluator(std::unique_ptr<Evaluator> inner) {
  return std::make_unique<Trending>(std::move(inner));
}

}  // namespace bristle::identify

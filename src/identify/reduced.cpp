#include <algorithm>

#include "identify/evaluator.hpp"

namespace bristle::identify {
namespace {

class Reduced final : public Evaluator {
 public:
  explicit Reduced(std::unique_ptr<Evaluator> model) : model_(std::move(model)) {}
  std::string_view name() const override { return model_->name(); }
  const std::vector<Scalar>& scalars() const override { return model_->scalars(); }
  std::vector<double> values() const override { return model_->values(); }
  Table table(const double* p) const override { return model_->table(p); }
  Table effects(const double* p) const override { return model_->effects(p); }
  Scales<double> scales(const double* p) const override { return model_->scales(p); }
  double steady(const double* p, double v) const override { return model_->steady(p, v); }
  const Evaluator& whole() const override { return *model_; }

  void evaluate(const Series& s, const Point& at, const Sink& sink) const override {
    const Fine& fine = *s.fine;
    const std::size_t n = at.directions;
    std::vector<double> F(s.size(), 0.0), dF(s.size() * n, 0.0);
    std::size_t open = 0;  // all rows before `open` are complete
    model_->evaluate(fine.whole, at, [&](const Rows& given) {
      const std::size_t end = given.from + given.n;
      while (open < s.size() && fine.rows[open].first + fine.rows[open].count <= given.from) ++open;
      for (std::size_t k = open; k < s.size() && fine.rows[k].first < end; ++k) {
        const Fine::Row& row = fine.rows[k];
        const std::size_t to = std::min(end, row.first + row.count);
        for (std::size_t i = std::max(given.from, row.first); i < to; ++i) {
          const double w = row.weights[i - row.first];
          F[k] += w * given.F[i - given.from];
          const double* slopes = given.dF + (i - given.from) * n;
          for (std::size_t j = 0; j < n; ++j) dF[k * n + j] += w * slopes[j];
        }
      }
      return true;
    });
    constexpr std::size_t block = 256;
    for (std::size_t from = 0; from < s.size(); from += block) {
      const std::size_t count = std::min(block, s.size() - from);
      if (!sink({from, count, n, &F[from], n > 0 ? &dF[from * n] : nullptr})) return;
    }
  }

 private:
  std::unique_ptr<Evaluator> model_;
};

}  // namespace

std::unique_ptr<Evaluator> seen_by(const Series& s, std::unique_ptr<Evaluator> model) {
  if (!s.fine) return model;
  return std::make_unique<Reduced>(std::move(model));
}

}  // namespace bristle::identify

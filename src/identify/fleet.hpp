#pragma once
#include <memory>
#include <string>
#include <vector>

#include "identify/workers.hpp"

/// Steps of the fit for all candidates together.
namespace bristle::identify {

struct Parts {
  std::vector<std::unique_ptr<Candidate>> candidates;
  std::mutex mutex;
};

/// Descends from the starting points to minima.
void fit(const std::vector<Candidate*>& all, const Setting& s, Workers& workers, std::mutex& mutex);
/// Descends from the present point of each candidate.
void refine(const std::vector<Candidate*>& all, const Setting& s, Workers& workers, std::mutex& mutex);
/// Blocked cross-validation.
void hold_out_all(const std::vector<Candidate*>& all, const Setting& s, Workers& workers, std::mutex& mutex,
                  double share = 0.1);
/// The shape of each model with the smallest cross-validation error; more elements must reduce it significantly.
std::vector<Candidate*> best_shapes(const std::vector<Candidate*>& all, const Setting& s);
/// Tries effects that improve the best models, or that the user chose, on all models; keeps them where they improve a
/// model.
void add_effects(Parts& parts, std::vector<Candidate*>& all, const std::vector<std::string>& named,
                 const std::vector<const Series*>& others, const Setting& s, Workers& workers,
                 std::vector<std::string>& notes);

}  // namespace bristle::identify

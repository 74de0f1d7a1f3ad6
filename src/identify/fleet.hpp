#pragma once
#include <memory>
#include <string>
#include <vector>

#include "identify/workers.hpp"

/// All candidates together, through the steps of a fit.
namespace bristle::identify {

struct Parts {
  std::vector<std::unique_ptr<Candidate>> candidates;
  std::mutex mutex;
};

/// From the starts to a minimum.
void fit(const std::vector<Candidate*>& all, const Setting& s, Workers& workers, std::mutex& mutex);
/// Each from where it stands.
void refine(const std::vector<Candidate*>& all, const Setting& s, Workers& workers, std::mutex& mutex);
/// Blocked cross-validation.
void hold_out_all(const std::vector<Candidate*>& all, const Setting& s, Workers& workers, std::mutex& mutex,
                  double share = 0.1);
/// Of every model the shape that predicts best what it has not seen; more elements must earn their place.
std::vector<Candidate*> best_shapes(const std::vector<Candidate*>& all);
/// The effects that the best models earn, or that the user named, for all models; each keeps them where they help.
void add_effects(Parts& parts, std::vector<Candidate*>& all, const std::vector<std::string>& named, const Setting& s,
                 Workers& workers, std::vector<std::string>& notes);

}  // namespace bristle::identify

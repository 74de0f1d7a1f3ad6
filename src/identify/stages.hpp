#pragma once
#include <cstddef>
#include <vector>

#include "identify/candidate.hpp"

/// The steps of a fit. Each adds to `evaluations`.
namespace bristle::identify {

/// Tries many points and keeps the best few, the start from the data among them.
void choose_starts(Candidate& c, const Setting& s, std::size_t& evaluations);
/// From one of the starts to the nearest minimum.
void follow_start(Candidate& c, const Setting& s, std::size_t start, std::size_t& evaluations);
/// The best so far to the end, with the scale of its own noise.
void polish(Candidate& c, const Setting& s, std::size_t& evaluations);
/// Fits all blocks but one and predicts that one.
struct HeldOut {
  bool complete = false;           // false: stopped, and predicted with what was fitted to all
  std::vector<double> q{};         // as fitted
  double cost = inf;               // there, of all blocks
  double squares = 0;              // sum
  std::vector<float> residuals{};  // of the block, every `stride`-th sample of the data; 0 elsewhere
};
HeldOut hold_out(const Candidate& c, const Setting& s, int block, std::size_t& evaluations);

}  // namespace bristle::identify

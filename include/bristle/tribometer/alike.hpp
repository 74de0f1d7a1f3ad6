#pragma once
#include <string>
#include <vector>

#include "bristle/tribometer.hpp"

namespace bristle::tribometer {

/// Several contacts side by side are measured with the same motions: velocity, travel and mass of the first contact for all
/// contacts that do not set them. Returns one text per contact, which is empty unless the contact is then measured far from
/// its own scales.
std::vector<std::string> lay_out_alike(std::vector<Subject>& subjects);

}  // namespace bristle::tribometer

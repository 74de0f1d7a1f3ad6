#pragma once
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "bristle/registry/any.hpp"
#include "bristle/tribometer.hpp"
#include "bristle/value.hpp"

/// Requests of the page and their answers: JSON both ways, and arrays of numbers besides the answer, to which it refers by index.
namespace bristle::studio {

using Json = nlohmann::ordered_json;

struct Answer {
  Json json = Json::object();
  std::vector<std::vector<double>> arrays{};

  /// Index of an array.
  std::size_t add(std::vector<double> values) {
    arrays.push_back(std::move(values));
    return arrays.size() - 1;
  }
};

/// Relative tolerances of runs and experiments that are shown while a slider moves; numbers come from those with the tolerance of
/// the command.
inline constexpr double draft_rtol = 1e-3, draft_experiment_rtol = 1e-5;

/// Wrong input, found while a request is answered.
struct Refused {
  Problems problems;
};

/// {where, line, text} per problem; line 0: none.
Json to_json(const Problems& problems);
/// Columns with the indices of their arrays.
Json to_json(const Trace& trace, Answer& answer);
/// A text of the request; throws BadInput if it is absent.
std::string text_in(const Json& request, const char* key);

/// A contact: {"friction": {"model": ..., parameters}} or the friction block of a text.
tribometer::Subject subject_in(const Json& request, bool* rotational = nullptr);

Answer models(const Json& request);
Answer schema(const Json& request);
Answer reference(const Json& request);
Answer document(const Json& request);
Answer check(const Json& request);
Answer simulate(const Json& request);
Answer experiments(const Json& request);
Answer findings(const Json& request);
Answer recording(const Json& request);
Answer fit(const Json& request);
Answer population(const Json& request);
Answer advance(const Json& request);

/// Tells the page about the progress of a long request.
void tell(double done, const std::string& about);

}  // namespace bristle::studio

#pragma once
#include <string>
#include <vector>

#include "../identify.hpp"

namespace bristle::identify {

/// One model fitted from one starting point: no search, no cross-validation, no ranking. `start`: parameters by name, the
/// others start from the data. Of the options, `fixed`, `free`, `loss`, `gravity`, `priors`, `seconds` and `progress` count.
/// `intervals` false: values alone, which takes a fraction of the time.
/// Throws BadInput for unknown names and for recordings that cannot be fitted.
Fit fit(const std::vector<Recording>& recordings, const std::string& model, const Table& start = {},
        const Options& given = {}, bool intervals = true);

}  // namespace bristle::identify

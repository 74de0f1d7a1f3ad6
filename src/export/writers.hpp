#pragma once
#include "bristle/export.hpp"

/// The writers of the kinds, one file each.
namespace bristle::exports {

Exported write_fmu(const Block& block, const Options& options);
Exported write_mujoco(const Block& block, const Options& options);
Exported write_c(const Block& block, const Options& options);
Exported write_modelica(const Block& block, const Options& options);
Exported write_mjcf(const Block& block, const Options& options);
Exported write_urdf(const Block& block, const Options& options);
Exported write_json(const Block& block, const Options& options);
Exported write_markdown(const Block& block, const Options& options);

}  // namespace bristle::exports

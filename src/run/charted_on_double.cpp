// Charts around the runners of every job on double, compiled again for each level.
#include "run/make_runner.hpp"

namespace catena {

template std::unique_ptr<Runner<double>> make_runner_around<double>(std::string_view, std::shared_ptr<const Mechanism>,
                                                                    std::string_view, TreeRunnerMaker<double>);

}  // namespace catena

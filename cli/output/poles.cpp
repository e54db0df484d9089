#include "output/poles.hpp"

#include <fmt/format.h>

namespace catena::cli {

Json poles_json(const std::vector<std::complex<double>>& poles) {
  Json out = Json::array();
  for (const std::complex<double>& pole : poles) out.push_back({pole.real(), pole.imag()});
  return out;
}
std::string poles_text(const char* title, const std::vector<std::complex<double>>& poles) {
  std::string out = fmt::format("\n{}\n", title);
  for (const std::complex<double>& pole : poles)
    out += fmt::format("  {:>13.7g} {:+13.7g} i\n", pole.real(), pole.imag());
  return out;
}

PlotCurve poles_curve(const char* name, const std::vector<std::complex<double>>& poles) {
  PlotCurve curve{name, {}, {}};
  for (const std::complex<double>& pole : poles) {
    curve.x.push_back(pole.real());
    curve.y.push_back(pole.imag());
  }
  return curve;
}

}  // namespace catena::cli

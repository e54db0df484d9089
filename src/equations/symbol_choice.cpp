#include "equations/symbol_choice.hpp"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <stdexcept>

#include "catena/equations.hpp"

namespace catena {
namespace {

using Kind = KeptParameter::Kind;

constexpr double nothing = 1e-14;  // constants up to this size are rounding errors

[[noreturn]] void refuse(std::string_view item, const std::string& why) {
  throw SymbolError("'" + std::string(item) + "': " + why);
}

std::string plain(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.6g", value);
  return text;
}

SymbolKind kind_of(Kind kind) {
  switch (kind) {
    case Kind::mass:
      return SymbolKind::mass;
    case Kind::com:
      return SymbolKind::com;
    case Kind::inertia:
      return SymbolKind::inertia;
    case Kind::viscous:
    case Kind::coulomb:
    case Kind::stribeck:
      return SymbolKind::friction;
    case Kind::stiffness:
    case Kind::rest:
    case Kind::offset:
      return SymbolKind::spring;
    case Kind::rotor:
      return SymbolKind::rotor;
    case Kind::gear:
      return SymbolKind::gear;
    default:
      return SymbolKind::length;
  }
}

// "Izz2" is split into letters and a joint's number.
struct ParameterName {
  std::string letters;
  int joint = 0;
};
std::optional<ParameterName> split_name(const std::string& name, int joints) {
  std::size_t digits = name.size();
  while (digits > 0 && std::isdigit(static_cast<unsigned char>(name[digits - 1]))) --digits;
  int joint = 0;
  std::from_chars(name.data() + digits, name.data() + name.size(), joint);
  if (digits == 0 || joint < 1 || joint > joints) return std::nullopt;
  return ParameterName{name.substr(0, digits), joint};
}

// The quantity, as parse_kept spells it, that this constant belongs to; empty: none.
std::string quantity_of(const std::string& name, int joints) {
  const auto split = split_name(name, joints);
  if (!split) return {};
  const std::string& letters = split->letters;
  const std::string number = std::to_string(split->joint);
  const auto one_of = [&](std::initializer_list<const char*> words) {
    return std::find(words.begin(), words.end(), letters) != words.end();
  };
  if (letters == "m") return "mass:" + number;
  if (one_of({"cx", "cy", "cz"})) return "com:" + number;
  if (one_of({"Ixx", "Iyy", "Izz", "Ixy", "Ixz", "Iyz"})) return "inertia:" + number;
  if (one_of({"a", "d", "x", "y", "z"})) return "length:" + letters + number;
  if (one_of({"fv", "fc", "fs"})) return "friction:" + number;
  if (one_of({"Ir", "G"})) return "rotor:" + number;
  if (one_of({"k", "qr", "to"})) return "spring:" + number;
  return {};
}

std::string meaning_of(const ParameterName& name) {
  const std::string& w = name.letters;
  const std::string joint = std::to_string(name.joint), link = " of link " + joint;
  if (w == "m") return "mass" + link;
  if (w == "fv") return "viscous friction of joint " + joint;
  if (w == "fc") return "Coulomb friction of joint " + joint;
  if (w == "fs") return "Stribeck friction of joint " + joint;
  if (w == "to") return "offset of the torque of joint " + joint;
  if (w == "Ir") return "inertia of the rotor of joint " + joint;
  if (w == "G") return "gear ratio of joint " + joint;
  if (w == "k") return "stiffness of the spring of joint " + joint;
  if (w == "qr") return "rest position of the spring of joint " + joint;
  if (w[0] == 'c') return "mass centre" + link + ", " + w.substr(1) + " in the link frame";
  if (w[0] == 'I')
    return (w[1] == w[2] ? "moment" : "product") + std::string(" of inertia") + link + ", " + w.substr(1);
  if (w == "a") return "length" + link;
  if (w == "d") return "offset" + link;
  return w + " of joint " + joint + " in its parent link";
}

class Chooser {
 public:
  Chooser(const Robot& robot, const Mechanism& mechanism) : robot_(robot), mechanism_(mechanism) {}

  SymbolChoice choose(std::string_view text) {
    if (text == "none") return {};
    bool all = false;
    for (std::string_view rest = text; !rest.empty();) {
      const std::size_t comma = std::min(rest.find(','), rest.size());
      std::string_view item = rest.substr(0, comma);
      rest.remove_prefix(std::min(comma + 1, rest.size()));
      while (!item.empty() && item.front() == ' ') item.remove_prefix(1);
      while (!item.empty() && item.back() == ' ') item.remove_suffix(1);
      if (item == "none") refuse(item, "stands alone");
      if (item == "gravity" || item == "all") choice_.gravity = true;
      if (item == "all") all = true;
      if (item == "gravity" || item == "all") continue;
      const std::size_t equals = item.find('=');
      if (equals == std::string_view::npos) {
        keep(std::string(item));
      } else {
        relate(item, std::string(item.substr(0, equals)), item.substr(equals + 1));
      }
    }
    if (all) keep_all();
    list_symbols();
    check_relations();
    return std::move(choice_);
  }

 private:
  // Adds what parse_kept reads; only values that exist become symbols: not zeros, not the ratio of a missing gear.
  void keep(const std::string& item) {
    for (const std::string& name : ensure(item)) {
      ChosenParameter& p = find(name);
      const double absent = p.kept.kind == Kind::gear ? 1.0 : 0.0;
      p.symbol = p.symbol || (!p.relation && std::abs(p.kept.nominal - absent) > nothing);
    }
  }

  std::vector<std::string> ensure(const std::string& item) {
    std::vector<std::string> names;
    std::vector<KeptParameter> parsed;
    try {
      parsed = parse_kept(item, robot_, mechanism_);
    } catch (const std::invalid_argument& error) {
      throw SymbolError(error.what());
    }
    for (const KeptParameter& kept : parsed) {
      names.push_back(kept.name);
      if (!known(kept.name)) choice_.parameters.push_back({kept, false, std::nullopt});
    }
    return names;
  }

  void require(std::string_view item, const std::string& name, const std::string& quantity) {
    ensure(quantity);
    if (!known(name)) refuse(item, "the model has no " + meaning_of(*split_name(name, mechanism_.nv())));
  }

  bool known(const std::string& name) const {
    return std::any_of(choice_.parameters.begin(), choice_.parameters.end(),
                       [&](const ChosenParameter& p) { return p.kept.name == name; });
  }
  ChosenParameter& find(const std::string& name) {
    return *std::find_if(choice_.parameters.begin(), choice_.parameters.end(),
                         [&](const ChosenParameter& p) { return p.kept.name == name; });
  }

  void relate(std::string_view item, std::string left, std::string_view right) {
    while (!left.empty() && left.back() == ' ') left.pop_back();
    const std::string quantity = quantity_of(left, mechanism_.nv());
    if (quantity.empty())
      refuse(item,
             "the left side is a constant of the robot: m1, cx1, cy1, cz1, Ixx1, …, a1, d1, x1, y1, z1, fv1, fc1, fs1, "
             "Ir1, G1, k1, qr1, to1");
    Relation relation;
    try {
      relation = parse_relation(right);
    } catch (const std::invalid_argument& error) {
      refuse(item, error.what());
    }
    require(item, left, quantity);
    for (const std::string& name : relation.names()) {
      const std::string other = quantity_of(name, mechanism_.nv());
      if (other.empty()) continue;
      if (name == left) refuse(item, "goes in a circle");
      require(item, name, other);
      ChosenParameter& p = find(name);
      p.symbol = !p.relation;
    }
    ChosenParameter& p = find(left);
    if (p.relation) refuse(item, left + " is given twice");
    p.symbol = false;
    p.relation = std::move(relation);
    p.relation_text = std::string(right);
  }

  // Keeps every nonzero constant. Lengths are a and d where these two place the joint, else x, y, z.
  void keep_all() {
    const std::vector<int> moving = robot_.moving_joints();
    const bool classic = std::any_of(robot_.joints.begin(), robot_.joints.end(),
                                     [](const JointDescription& j) { return !(j.child_frame == Pose<double>{}); });
    for (int j = 0; j < mechanism_.nv(); ++j) {
      const std::string number = std::to_string(j + 1);
      for (const char* quantity : {"mass:", "com:", "inertia:"}) keep(quantity + number);
      if (mechanism_.has_drives)
        for (const char* quantity : {"friction:", "rotor:", "spring:"}) keep(quantity + number);
      const JointDescription& joint = robot_.joints[index(moving[index(j)])];
      const Vec3<double> axis = joint.origin.R * joint.axis, p = joint.origin.p;
      const double d = dot(p, axis), a = classic ? 0.0 : p.x;
      const Vec3<double> rest = p - d * axis - Vec3<double>{a, 0.0, 0.0};
      const bool denavit = std::abs(rest.x) + std::abs(rest.y) + std::abs(rest.z) <= 1e-12 * (1.0 + std::abs(d));
      for (const char* letter : {"a", "d"})
        if (denavit) keep("length:" + (letter + number));
      for (const char* letter : {"x", "y", "z"})
        if (!denavit) keep("length:" + (letter + number));
      if (classic && denavit) measure_from_joint(number);
    }
  }

  // Where the link frame is at the far end, the mass centre is better measured from the joint: cx = l - a.
  void measure_from_joint(const std::string& number) {
    if (!known("a" + number) || !known("cx" + number)) return;
    const ChosenParameter& a = find("a" + number);
    ChosenParameter& cx = find("cx" + number);
    if (!a.symbol || !cx.symbol) return;
    cx.symbol = false;
    cx.relation_text =
        std::abs(cx.kept.nominal + a.kept.nominal) > nothing ? "l" + number + " - a" + number : "-a" + number;
    cx.relation = parse_relation(cx.relation_text);
    cx.new_name_meaning = "mass centre of link " + number + ", distance from joint " + number;
  }

  bool is_symbol(const std::string& name) const {
    return std::any_of(choice_.symbols.begin(), choice_.symbols.end(),
                       [&](const ChosenSymbol& s) { return s.name == name; });
  }

  // c12, s3, q1, qd1 and g are reserved.
  static bool is_taken(const std::string& name) {
    const std::string letters = name.substr(0, name.find_first_of("0123456789_"));
    const bool joint_name =
        letters == "c" || letters == "s" || letters == "q" || letters == "qd" || letters == "qdd" || letters == "sgn";
    return name == "g" || name == "gx" || name == "gy" || name == "gz" || (joint_name && letters.size() < name.size());
  }

  void list_symbols() {
    for (const ChosenParameter& p : choice_.parameters) {
      const auto name = split_name(p.kept.name, mechanism_.nv());
      if (p.symbol)
        choice_.symbols.push_back(
            {{p.kept.name, kind_of(p.kept.kind), name->joint}, meaning_of(*name), p.kept.nominal});
    }
    for (const ChosenParameter& p : choice_.parameters) {
      if (!p.relation) continue;
      for (const std::string& name : p.relation->names()) {
        if (!quantity_of(name, mechanism_.nv()).empty() || is_symbol(name)) continue;
        const std::string item = p.kept.name + "=" + p.relation_text;
        if (is_taken(name)) refuse(item, "'" + name + "' has a meaning of its own; choose another name");
        const auto own = split_name(name, mechanism_.nv());
        choice_.symbols.push_back(
            {{name, kind_of(p.kept.kind), own ? own->joint : 0},
             p.new_name_meaning.empty() ? p.kept.name + " = " + p.relation_text : p.new_name_meaning,
             std::nullopt});
      }
    }
  }

  std::optional<double> nominal(const std::string& name) const {
    for (const ChosenParameter& p : choice_.parameters)
      if (p.kept.name == name) return p.kept.nominal;
    for (const ChosenSymbol& s : choice_.symbols)
      if (s.name == name) return s.nominal;
    return std::nullopt;
  }

  // The right-hand side at the model's values, with `unknown` for the one name without a value.
  double value(const Relation& relation, double unknown) const {
    return evaluate<double>(
        relation, [&](const std::string& name) { return nominal(name).value_or(unknown); }, [](double x) { return x; },
        [](double a, double b) { return a * b; }, [](double a, double b) { return a / b; });
  }

  // New names get the value that follows from the model; relations without new names must hold for the model.
  void check_relations() {
    std::vector<const ChosenParameter*> open;
    for (const ChosenParameter& p : choice_.parameters)
      if (p.relation) open.push_back(&p);
    for (bool progress = true; progress;) {
      progress = false;
      std::erase_if(open, [&](const ChosenParameter* p) {
        std::vector<std::string> unknown;
        for (const std::string& name : p->relation->names())
          if (!nominal(name)) unknown.push_back(name);
        if (unknown.size() > 1) return false;
        unknown.empty() ? require_holds(*p) : solve(*p, unknown.front());
        return progress = true;
      });
    }
  }

  void require_holds(const ChosenParameter& p) const {
    const double given = value(*p.relation, 0.0), model = p.kept.nominal;
    if (std::abs(given - model) <= 1e-5 * std::max(std::abs(given), std::abs(model))) return;
    refuse(p.kept.name + "=" + p.relation_text,
           "gives " + plain(given) + ", but " + p.kept.name + " of the model is " + plain(model));
  }

  void solve(const ChosenParameter& p, const std::string& unknown) {
    const double at0 = value(*p.relation, 0.0), at1 = value(*p.relation, 1.0), at2 = value(*p.relation, 2.0);
    ChosenSymbol& symbol = *std::find_if(choice_.symbols.begin(), choice_.symbols.end(),
                                         [&](const ChosenSymbol& s) { return s.name == unknown; });
    const double slope = at1 - at0;
    if (slope == 0.0 || std::abs(at2 - at1 - slope) > 1e-12 * std::abs(slope)) return;  // not linear: no value
    symbol.nominal = (p.kept.nominal - at0) / slope;
  }

  const Robot& robot_;
  const Mechanism& mechanism_;
  SymbolChoice choice_;
};

}  // namespace

SymbolChoice choose_symbols(std::string_view text, const Robot& robot, const Mechanism& mechanism) {
  return Chooser(robot, mechanism).choose(text);
}

}  // namespace catena

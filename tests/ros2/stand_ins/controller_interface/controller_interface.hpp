// Stand-ins for what a controller sees of ros2_control and rclcpp, with their names; the hardware is two lists of
// numbers, and parameters are set by the test.
#pragma once

#include <cstdio>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace rclcpp {
class Time {};
class Duration {
 public:
  explicit Duration(double seconds) : seconds_(seconds) {}
  double seconds() const { return seconds_; }

 private:
  double seconds_;
};
struct Logger {
  std::string* last;
};
class Parameter {
 public:
  using Value = std::variant<std::string, std::vector<std::string>, std::vector<double>>;
  explicit Parameter(Value value) : value_(std::move(value)) {}
  const std::string& as_string() const { return std::get<std::string>(value_); }
  const std::vector<std::string>& as_string_array() const { return std::get<std::vector<std::string>>(value_); }
  const std::vector<double>& as_double_array() const { return std::get<std::vector<double>>(value_); }

 private:
  Value value_;
};
}  // namespace rclcpp

#define RCLCPP_ERROR(logger, form, text) (*(logger).last = (text))

namespace rclcpp_lifecycle {
class State {};
class LifecycleNode {
 public:
  bool has_parameter(const std::string& name) const { return parameters.contains(name); }
  rclcpp::Parameter get_parameter(const std::string& name) const { return rclcpp::Parameter(parameters.at(name)); }
  rclcpp::Logger get_logger() { return {&logged}; }

  std::map<std::string, rclcpp::Parameter::Value> parameters;
  std::string logged;
};
}  // namespace rclcpp_lifecycle

namespace hardware_interface {
class LoanedStateInterface {
 public:
  explicit LoanedStateInterface(double* value) : value_(value) {}
  double get_value() const { return *value_; }

 private:
  double* value_;
};
class LoanedCommandInterface {
 public:
  explicit LoanedCommandInterface(double* value) : value_(value) {}
  void set_value(double value) { *value_ = value; }

 private:
  double* value_;
};
}  // namespace hardware_interface

namespace controller_interface {
enum class CallbackReturn { SUCCESS, FAILURE, ERROR };
enum class return_type { OK, ERROR };
enum class interface_configuration_type { ALL, INDIVIDUAL, NONE };
struct InterfaceConfiguration {
  interface_configuration_type type;
  std::vector<std::string> names;
};

class ControllerInterface {
 public:
  virtual ~ControllerInterface() = default;
  virtual CallbackReturn on_init() = 0;
  virtual InterfaceConfiguration command_interface_configuration() const = 0;
  virtual InterfaceConfiguration state_interface_configuration() const = 0;
  virtual CallbackReturn on_configure(const rclcpp_lifecycle::State&) = 0;
  virtual CallbackReturn on_activate(const rclcpp_lifecycle::State&) = 0;
  virtual CallbackReturn on_deactivate(const rclcpp_lifecycle::State&) = 0;
  virtual return_type update(const rclcpp::Time&, const rclcpp::Duration&) = 0;

  std::shared_ptr<rclcpp_lifecycle::LifecycleNode> get_node() const { return node_; }
  const std::string& get_robot_description() const { return description; }

  // What a controller manager does.
  std::string description;
  void assign(std::vector<double>& states, std::vector<double>& commands) {
    state_interfaces_.clear(), command_interfaces_.clear();
    for (double& value : states) state_interfaces_.emplace_back(&value);
    for (double& value : commands) command_interfaces_.emplace_back(&value);
  }

 protected:
  template <class T>
  void auto_declare(const std::string& name, const T& standard) {
    node_->parameters.try_emplace(name, standard);
  }
  std::vector<hardware_interface::LoanedStateInterface> state_interfaces_;
  std::vector<hardware_interface::LoanedCommandInterface> command_interfaces_;

 private:
  std::shared_ptr<rclcpp_lifecycle::LifecycleNode> node_ = std::make_shared<rclcpp_lifecycle::LifecycleNode>();
};
}  // namespace controller_interface

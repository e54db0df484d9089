// A controller of ros2_control whose torques come from Catena. Parameters: joints, law, frame, and gains.NAME for each
// gain of the law. It claims the efforts of the joints and reads their positions and velocities. docs/ros2.md.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include <controller_interface/controller_interface.hpp>

#include "catena/ros_controller.hpp"

namespace catena_controllers {

class CatenaController : public controller_interface::ControllerInterface {
 public:
  controller_interface::CallbackReturn on_init() override {
    auto_declare<std::vector<std::string>>("joints", {});
    auto_declare<std::string>("law", "gravity");
    auto_declare<std::string>("frame", "");
    for (const catena::LawInfo& law : catena::control_laws())
      for (const catena::LawParameter& gain : law.parameters)
        if (!get_node()->has_parameter("gains." + std::string(gain.name)))
          auto_declare<std::vector<double>>("gains." + std::string(gain.name), {});
    return controller_interface::CallbackReturn::SUCCESS;
  }

  controller_interface::InterfaceConfiguration command_interface_configuration() const override {
    return {controller_interface::interface_configuration_type::INDIVIDUAL, names({"effort"})};
  }
  controller_interface::InterfaceConfiguration state_interface_configuration() const override {
    return {controller_interface::interface_configuration_type::INDIVIDUAL, names({"position", "velocity"})};
  }

  // All memory is taken here.
  controller_interface::CallbackReturn on_configure(const rclcpp_lifecycle::State&) override {
    catena::RosControllerOptions options;
    options.urdf = get_robot_description();
    options.joints = joints();
    options.frame = get_node()->get_parameter("frame").as_string();
    const std::string law = get_node()->get_parameter("law").as_string();
    try {
      options.law = law == "gravity" ? catena::gravity_compensation() : catena::LawOptions{law};
      if (law != "gravity")
        for (const catena::LawParameter& gain : catena::control_law(law).parameters) {
          const std::string name(gain.name);
          const std::vector<double> values = get_node()->get_parameter("gains." + name).as_double_array();
          if (!values.empty()) options.law.parameters[name] = values;
        }
      controller_ = std::make_unique<catena::RosController>(options);
    } catch (const std::exception& error) {
      RCLCPP_ERROR(get_node()->get_logger(), "%s", error.what());
      return controller_interface::CallbackReturn::ERROR;
    }
    positions_.resize(controller_->joints());
    velocities_ = efforts_ = positions_;
    return controller_interface::CallbackReturn::SUCCESS;
  }

  controller_interface::CallbackReturn on_activate(const rclcpp_lifecycle::State&) override {
    read();
    return controller_->activate(positions_) == catena::RosController::Outcome::ok
               ? controller_interface::CallbackReturn::SUCCESS
               : controller_interface::CallbackReturn::ERROR;
  }

  controller_interface::CallbackReturn on_deactivate(const rclcpp_lifecycle::State&) override {
    for (auto& command : command_interfaces_) command.set_value(0.0);
    return controller_interface::CallbackReturn::SUCCESS;
  }

  // The real-time loop.
  controller_interface::return_type update(const rclcpp::Time&, const rclcpp::Duration& period) override {
    read();
    if (controller_->update(positions_, velocities_, period.seconds(), efforts_) != catena::RosController::Outcome::ok)
      return controller_interface::return_type::ERROR;
    for (std::size_t k = 0; k < efforts_.size(); ++k) command_interfaces_[k].set_value(efforts_[k]);
    return controller_interface::return_type::OK;
  }

  // Targets, from a subscription through a real-time buffer: controller().want(positions, velocities, accelerations).
  catena::RosController& controller() { return *controller_; }

 private:
  std::vector<std::string> joints() const { return get_node()->get_parameter("joints").as_string_array(); }
  std::vector<std::string> names(const std::vector<std::string>& kinds) const {
    std::vector<std::string> all;
    for (const std::string& joint : joints())
      for (const std::string& kind : kinds) all.push_back(joint + "/" + kind);
    return all;
  }
  void read() {
    for (std::size_t k = 0; k < positions_.size(); ++k) {
      positions_[k] = state_interfaces_[2 * k].get_value();
      velocities_[k] = state_interfaces_[2 * k + 1].get_value();
    }
  }

  std::unique_ptr<catena::RosController> controller_;
  std::vector<double> positions_, velocities_, efforts_;
};

}  // namespace catena_controllers

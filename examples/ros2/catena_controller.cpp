// The plug-in: the controller manager loads it by this name.
#include "catena_controller.hpp"

#include <pluginlib/class_list_macros.hpp>

PLUGINLIB_EXPORT_CLASS(catena_controllers::CatenaController, controller_interface::ControllerInterface)

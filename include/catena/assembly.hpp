// A robot that grows and shrinks at its leaves while it runs: loads are gripped, and links and whole robots attached by
// a joint and detached again, in any order. Attaching a part recomputes only the links between it and the base, from
// stored originals, in preallocated memory: docs/progressive-models.md.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "catena/mechanism.hpp"

namespace catena {

// What can be attached: a rigid body or a robot, with the joint that connects it. A part is built once and can be
// attached any number of times, to one assembly or several.
class Part {
 public:
  // A body fixed to the frame it is attached to; its mass centre and inertia are given in that frame. Throws ModelError
  // for an inertia that no body can have.
  Part(const std::string& name, const Inertial& body);
  // A body on a joint: the joint's origin is given in the frame the part is attached to, `body` in the frame of the
  // moving link.
  Part(const std::string& name, const Inertial& body, const JointDescription& joint);
  // A robot whose base link moves on the joint. Throws ModelError if the robot or the joint is not valid.
  Part(const Robot& robot, const JointDescription& joint, const MechanismOptions& options = {});

  int joints() const { return mechanism_.joints(); }
  const std::string& name() const { return name_; }

 private:
  friend class Assembly;
  std::string name_;
  Robot robot_;  // links[0] represents the frame the part is attached to
  Mechanism mechanism_;
};

// What a call follows: catena/call.hpp.
struct LiveMechanism {
  Mechanism robot;            // slid and regrouped, as optimize() returns it
  std::uint64_t version = 0;  // grows with every change
};

class Assembly {
 public:
  // How much to reserve memory for. Within this capacity, attaching and detaching allocate nothing; beyond it, memory
  // is allocated as needed.
  struct Capacity {
    int joints = 8, attachments = 16, frames = 64;
    int name_length = 48;
  };
  explicit Assembly(const Robot& robot, const Capacity& capacity, const MechanismOptions& options = {});
  explicit Assembly(const Robot& robot);
  ~Assembly();
  Assembly(Assembly&&) noexcept;
  Assembly& operator=(Assembly&&) noexcept;

  using Handle = std::uint64_t;  // never reused
  static constexpr Handle robot_itself = 0;

  // Attaches a part to a link or frame of the robot or of an attached part. The names of the part's links, joints and
  // frames get the prefix. Its joints are appended to q. Throws ModelError, and changes nothing, if the frame does not
  // exist or a name is taken.
  Handle attach(std::string_view frame, std::shared_ptr<const Part> part, std::string_view prefix = {});
  // Detaches it; joints attached later move down in q. Throws ModelError, and changes nothing, if it is not attached
  // (any more) or if other parts are attached to it; the message names them.
  void detach(Handle handle);
  // Replaces the inertia of one of its links, given in that link's frame; robot_itself selects the robot's own links.
  // The name may be empty for a part that is a single body. Throws ModelError, and changes nothing, for a link that
  // does not exist or an inertia that no body can have.
  void replace_inertia(Handle handle, std::string_view link, const Inertial& inertia);

  const Mechanism& mechanism() const { return live_->robot; }
  int joints() const { return live_->robot.joints(); }
  // Where the joints of an attachment are in q. Throws ModelError if it is not attached.
  struct JointRange {
    int first = 0, count = 0;
  };
  JointRange joints_of(Handle handle) const;
  std::vector<Handle> attached() const;  // in the order of q
  int mounted_at(Handle handle) const;   // the frame it was attached to
  // Which attachment a link belongs to, and the link's name there, without the prefix. Throws ModelError if the link
  // does not exist.
  struct OwnedLink {
    Handle owner = robot_itself;
    std::string name;
  };
  OwnedLink owner_of_link(std::string_view link) const;
  // The links of an attachment in their present state: the frame of the mechanism, and the inertia in that frame.
  struct PartBody {
    int frame = 0;
    Inertial inertial{};
  };
  std::vector<PartBody> bodies_of(Handle handle) const;

  // For calls that follow the assembly: the same object for as long as the assembly lives; its last state outlives it.
  std::shared_ptr<const LiveMechanism> live() const { return live_; }

  // The whole assembly as a new Robot: to print, to generate code from, to simulate.
  Robot robot() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
  std::shared_ptr<LiveMechanism> live_;
};

}  // namespace catena

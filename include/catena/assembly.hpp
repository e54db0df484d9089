// A robot that grows and shrinks at its leaves while it runs: loads gripped, links and whole robots attached by a joint
// and taken off again, in any order. What an attachment changes is computed anew along its ancestors alone, from kept
// originals, and in memory that was set aside: docs/progressive-models.md.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "catena/mechanism.hpp"

namespace catena {

// What can be attached, made ready: a rigid body, or a robot, and the joint that it hangs by. Made once; attached as
// often as wanted, by one assembly or several.
class Part {
 public:
  // A body fixed to the frame that it is attached to, its mass centre and inertia in that frame. Throws ModelError for
  // an inertia that no body has.
  Part(const std::string& name, const Inertial& body);
  // The body on a joint: the joint's origin is seen from the frame that it is attached to, `body` from the link that
  // moves.
  Part(const std::string& name, const Inertial& body, const JointDescription& joint);
  // A robot: its base link hangs by the joint. Throws ModelError where the robot or the joint is none.
  Part(const Robot& robot, const JointDescription& joint, const MechanismOptions& options = {});

  int joints() const { return mechanism_.joints(); }
  const std::string& name() const { return name_; }

 private:
  friend class Assembly;
  std::string name_;
  Robot robot_;  // links[0] stands for the frame that it is attached to
  Mechanism mechanism_;
};

// What calls follow: catena/call.hpp.
struct LiveMechanism {
  Mechanism robot;            // slid and regrouped, as optimize() gives it
  std::uint64_t version = 0;  // grows with every change
  int most_joints = 0;        // room was made for so many
};

class Assembly {
 public:
  // Room for what will be attached: up to it, attaching and detaching allocate nothing. Beyond it memory is taken as it
  // is needed.
  struct Capacity {
    int joints = 8, attachments = 16, frames = 64;
    int name_length = 48;
  };
  explicit Assembly(const Robot& robot, const Capacity& capacity, const MechanismOptions& options = {});
  explicit Assembly(const Robot& robot);
  ~Assembly();
  Assembly(Assembly&&) noexcept;
  Assembly& operator=(Assembly&&) noexcept;

  using Handle = std::uint64_t;  // never used twice
  static constexpr Handle robot_itself = 0;

  // Hangs a part on a link or frame, of the robot or of what is attached already. Names of the part's links, joints and
  // frames get the prefix. Its joints follow those that are there, at the end of q. Throws ModelError, and changes
  // nothing, for a frame that nobody has and a name that is taken.
  Handle attach(std::string_view frame, std::shared_ptr<const Part> part, std::string_view prefix = {});
  // Takes it off; what was attached later moves down in q. Throws ModelError, and changes nothing, for what is not
  // attached (any more) and for what others hang from: they are named.
  void detach(Handle handle);
  // Another inertia of one of its links, in that link's frame; of the robot itself with robot_itself. For a part that
  // is one body the name may be empty. Throws ModelError, and changes nothing, for a link that is not there and an
  // inertia that no body has.
  void replace_inertia(Handle handle, std::string_view link, const Inertial& inertia);

  const Mechanism& mechanism() const { return live_->robot; }
  int joints() const { return live_->robot.joints(); }
  // Where the joints of an attachment are in q. Throws ModelError for what is not attached.
  struct JointRange {
    int first = 0, count = 0;
  };
  JointRange joints_of(Handle handle) const;
  std::vector<Handle> attached() const;  // in the order of q
  int mounted_at(Handle handle) const;   // the frame that it was attached to
  // Whose link that is, and what it is called there, without the prefix. Throws ModelError for a link that is not
  // there.
  struct OwnedLink {
    Handle owner = robot_itself;
    std::string name;
  };
  OwnedLink owner_of_link(std::string_view link) const;
  // The links of an attachment as they are: which frame of the mechanism, and their inertia in it.
  struct PartBody {
    int frame = 0;
    Inertial inertial{};
  };
  std::vector<PartBody> bodies_of(Handle handle) const;

  // For calls that follow: stays the same object as long as the assembly lives, and its last state after that.
  std::shared_ptr<const LiveMechanism> live() const { return live_; }

  // All of it as a Robot, written from scratch: to print, to generate code from, to simulate.
  Robot robot() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
  std::shared_ptr<LiveMechanism> live_;
};

}  // namespace catena

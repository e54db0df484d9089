// Torques that hold a robot, and those of a motion: catena.h by hand, and types that free what they own.
use std::ffi::{CStr, CString};
use std::os::raw::{c_char, c_int};
use std::ptr;

// What is used of catena.h.
#[repr(C)]
struct RawRobot {
    _hidden: [u8; 0],
}
#[repr(C)]
struct RawCall {
    _hidden: [u8; 0],
}

#[link(name = "catena")]
extern "C" {
    fn catena_last_error() -> *const c_char;
    fn catena_robot_load(model: *const c_char, options: *const c_char, robot: *mut *mut RawRobot) -> c_int;
    fn catena_robot_free(robot: *mut RawRobot);
    fn catena_robot_nq(robot: *const RawRobot) -> usize;
    fn catena_robot_nv(robot: *const RawRobot) -> usize;
    fn catena_robot_joint(robot: *const RawRobot, k: usize) -> *const c_char;
    fn catena_call_new(robot: *const RawRobot, job: *const c_char, formulation: *const c_char, call: *mut *mut RawCall) -> c_int;
    fn catena_call_copy(call: *const RawCall, copy: *mut *mut RawCall) -> c_int;
    fn catena_call_free(call: *mut RawCall);
    fn catena_call_size(call: *const RawCall) -> usize;
    fn catena_call_run(call: *mut RawCall, inputs: *const *const f64, sizes: *const usize, count: usize, out: *mut f64, size: usize) -> c_int;
}

fn text(from: *const c_char) -> String {
    unsafe { CStr::from_ptr(from) }.to_string_lossy().into_owned()
}

fn checked(status: c_int) -> Result<(), String> {
    if status == 0 { Ok(()) } else { Err(text(unsafe { catena_last_error() })) }
}

// Constant once it is loaded: threads share it.
struct Robot(*mut RawRobot);
unsafe impl Send for Robot {}
unsafe impl Sync for Robot {}

impl Robot {
    fn load(model: &str, options: &str) -> Result<Robot, String> {
        let (model, options) = (CString::new(model).unwrap(), CString::new(options).unwrap());
        let mut robot = ptr::null_mut();
        checked(unsafe { catena_robot_load(model.as_ptr(), options.as_ptr(), &mut robot) })?;
        Ok(Robot(robot))
    }
    fn nq(&self) -> usize {
        unsafe { catena_robot_nq(self.0) }
    }
    fn nv(&self) -> usize {
        unsafe { catena_robot_nv(self.0) }
    }
    fn joint(&self, k: usize) -> String {
        assert!(k < self.nv());
        text(unsafe { catena_robot_joint(self.0, k) })
    }
}

impl Drop for Robot {
    fn drop(&mut self) {
        unsafe { catena_robot_free(self.0) }
    }
}

// One thread uses it at a time (&mut self); it may move to another one, and clone() gives a second one.
struct Call(*mut RawCall);
unsafe impl Send for Call {}

impl Call {
    fn new(robot: &Robot, job: &str) -> Result<Call, String> {
        let job = CString::new(job).unwrap();
        let mut call = ptr::null_mut();
        checked(unsafe { catena_call_new(robot.0, job.as_ptr(), ptr::null(), &mut call) })?;
        Ok(Call(call))
    }
    fn size(&self) -> usize {
        unsafe { catena_call_size(self.0) }
    }
    // Lengths are checked by the library.
    fn run(&mut self, inputs: &[&[f64]], out: &mut [f64]) -> Result<(), String> {
        const MOST: usize = 8;
        let (mut arrays, mut sizes) = ([ptr::null(); MOST], [0; MOST]);
        for (k, input) in inputs.iter().enumerate() {
            (arrays[k], sizes[k]) = (input.as_ptr(), input.len());
        }
        checked(unsafe { catena_call_run(self.0, arrays.as_ptr(), sizes.as_ptr(), inputs.len(), out.as_mut_ptr(), out.len()) })
    }
}

impl Clone for Call {
    fn clone(&self) -> Call {
        let mut copy = ptr::null_mut();
        checked(unsafe { catena_call_copy(self.0, &mut copy) }).expect("a call can be copied");
        Call(copy)
    }
}

impl Drop for Call {
    fn drop(&mut self) {
        unsafe { catena_call_free(self.0) }
    }
}

fn print_torques(model: &str, options: &str) -> Result<(), String> {
    let robot = Robot::load(model, options)?;
    let mut gravity = Call::new(&robot, "gravity")?;
    let mut inverse = Call::new(&robot, "inverse")?;
    let (mut q, qd, qdd) = (vec![0.0; robot.nq()], vec![0.5; robot.nv()], vec![-0.2; robot.nv()]);
    for j in 0..robot.nv() {
        q[j] = 0.1 * (j + 1) as f64;
    }
    let (mut g, mut tau) = (vec![0.0; gravity.size()], vec![0.0; inverse.size()]);
    gravity.run(&[&q], &mut g)?;
    inverse.run(&[&q, &qd, &qdd], &mut tau)?;
    // The same in other threads, each with its own call.
    std::thread::scope(|scope| {
        for _ in 0..4 {
            let (mut own, q, g) = (gravity.clone(), &q, &g);
            scope.spawn(move || {
                let mut again = vec![0.0; own.size()];
                own.run(&[q], &mut again).unwrap();
                assert_eq!(&again, g);
            });
        }
    });
    for j in 0..robot.nv() {
        println!("{:<22} {:>11.6} {:>11.6}", robot.joint(j), g[j], tau[j]);
    }
    Ok(())
}

fn main() {
    let words: Vec<String> = std::env::args().collect();
    let model = words.get(1).map_or("ur5", |word| word);
    let options = words.get(2).map_or("", |word| word);
    if let Err(why) = print_torques(model, options) {
        eprintln!("torques: {why}");
        std::process::exit(1);
    }
}

% Torques that hold a robot, and those of a motion, in Octave or MATLAB: catena_mex.c is compiled first.
%   octave torques.m ur5 "--payload tool:2,0,0,0.1"
words = {};
if exist('OCTAVE_VERSION', 'builtin'), words = argv(); end
model = 'ur5'; options = '';
if numel(words) > 0, model = words{1}; end
if numel(words) > 1, options = words{2}; end

joints = catena_mex(model, options);
n = numel(joints);
q = 0.1 * (1:n)'; qd = 0.5 * ones(n, 1); qdd = -0.2 * ones(n, 1);

g = catena_mex(model, options, 'gravity', q);
tau = catena_mex(model, options, 'inverse', q, qd, qdd);
for j = 1:n
  fprintf('%-22s %11.6f %11.6f\n', joints{j}, g(j), tau(j));
end

% The same torques by the matrices of the model: M qdd + b.
M = catena_mex(model, options, 'inertia', q);
b = catena_mex(model, options, 'bias', q, qd);
assert(norm(M * qdd + b - tau) < 1e-9 * norm(tau));
[U, D] = catena_mex(model, options, 'factor', q);  % several results
assert(norm(U * diag(D) * U' - M) < 1e-9 * norm(M));
assert(norm(M - M') < 1e-12 * norm(M));

try
  catena_mex(model, options, 'gravity', q(2:end));
  error('a wrong size was taken');
catch slip
  assert(~isempty(strfind(slip.message, sprintf('q has %d values, %d are needed', n - 1, n))));
end

% Octave as a careful user calls it; the same lines in and out as worker.hpp. Argument: the file of the problems.
1;

function [F, dz] = contact(p, u, z)
  S = p.Fc + (p.Fs - p.Fc) * exp(-(u / p.vs)^2);
  dz = u - abs(u) * p.sigma0 / S * z;
  F = p.sigma0 * z + p.sigma1 * dz + p.kv * u;
end

function d = bristle_rate(p, t, y)
  [F, dz] = contact(p, y(2), y(3));
  d = [y(2); (p.stiffness * (p.pull * t - y(1)) - F) / p.mass; dz];
end

function J = bristle_jacobian(p, t, y)
  u = y(2);
  z = y(3);
  e = (p.Fs - p.Fc) * exp(-(u / p.vs)^2);
  S = p.Fc + e;
  g = abs(u) * p.sigma0 / S;
  dz_u = 1 - sign(u) * p.sigma0 * z / S - g * z / S * 2 * u / p.vs^2 * e;
  J = [0, 1, 0; -p.stiffness / p.mass, -(p.sigma1 * dz_u + p.kv) / p.mass, -(p.sigma0 - p.sigma1 * g) / p.mass; 0, dz_u, -g];
end

function d = smooth_rate(p, t, y)
  w = y(2) / p.vs;
  F = p.Fc * tanh(4 * w) + (p.Fs - p.Fc) * w / (0.25 * w * w + 0.75)^2;
  d = [y(2); (p.stiffness * (p.pull * t - y(1)) - F) / p.mass];
end

function J = smooth_jacobian(p, t, y)
  w = y(2) / p.vs;
  q = 0.25 * w * w + 0.75;
  slope = (4 * p.Fc * (1 - tanh(4 * w)^2) + (p.Fs - p.Fc) * (1 / q^2 - w * w / q^3)) / p.vs;
  J = [0, 1; -p.stiffness / p.mass, -slope / p.mass];
end

function d = dry_rate(p, t, y, direction)
  F_app = p.stiffness * (p.pull * t - y(1));
  F = F_app;
  if direction != 0
    F = direction * p.Fc;
    if strcmp(p.law, "stribeck")
      F += direction * (p.Fs - p.Fc) * exp(-(y(2) / p.vs)^2);
    end
  end
  d = [y(2); (F_app - F) / p.mass];
end

function [value, terminal, way] = dry_event(p, t, y, direction)
  if direction == 0
    value = abs(p.stiffness * (p.pull * t - y(1))) - p.Fs;
    way = 1;
  else
    value = direction * y(2);
    way = -1;
  end
  terminal = 1;
end

function rows = run_dry(p, method, rtol, atol, times)
  rows = zeros(numel(times), 2);
  done = 0;
  t = 0;
  y = [0; 0];
  direction = 0;
  while t < times(end) && done < numel(times)
    options = odeset("RelTol", rtol, "AbsTol", atol, "Events", @(t, y) dry_event(p, t, y, direction));
    ahead = times(times > t);
    s = feval(method, @(t, y) dry_rate(p, t, y, direction), [t; ahead(:)], y, options);
    inside = s.x > t & s.x < times(end) + 1e-12;
    stopped = isfield(s, "xe") && ! isempty(s.xe);
    if stopped
      inside &= s.x < s.xe(end);
    end
    for i = find(inside)
      rows(round(s.x(i) / p.output_step) + 1, :) = s.y(1:2, i)';
    end
    if ! stopped
      break
    end
    t = s.xe(1);
    y = s.ye(:);  % one event, as a row or as a column
    F = p.stiffness * (p.pull * t - y(1));
    if direction != 0 && abs(F) <= p.Fs
      direction = 0;
      y(2) = 0;
    else
      direction = sign(F);
    end
  end
end

function rows = run_once(p, method, rtol, scaling)
  times = (0:round(p.duration / p.output_step))' * p.output_step;
  v = min(p.vs, p.pull);
  x = p.Fs / p.stiffness;
  if strcmp(scaling, "range")
    v = max(p.vs, p.pull);
    x = p.pull * p.duration;
  end
  bristles = any(strcmp(p.law, {"lugre", "dahl"}));
  scales = [x; v];
  rate = @(t, y) smooth_rate(p, t, y);
  jacobian = @(t, y) smooth_jacobian(p, t, y);
  if bristles
    scales(3) = p.Fs / p.sigma0;
    rate = @(t, y) bristle_rate(p, t, y);
    jacobian = @(t, y) bristle_jacobian(p, t, y);
  end
  if any(strcmp(p.law, {"coulomb", "stribeck"}))
    rows = run_dry(p, method, rtol, rtol * scales, times);
    return
  end
  y0 = zeros(numel(scales), 1);
  if strcmp(method, "lsode")
    lsode_options("relative tolerance", rtol);
    lsode_options("absolute tolerance", rtol * scales);
    lsode_options("step limit", 1000000);
    [y, state, message] = lsode({@(y, t) rate(t, y), @(y, t) jacobian(t, y)}, y0, times);
    if state != 2
      error("lsode: %s", message);
    end
  else
    [~, y] = feval(method, rate, times, y0, odeset("RelTol", rtol, "AbsTol", rtol * scales, "Jacobian", jacobian));
    if size(y, 1) != numel(times)
      error("stopped early");
    end
  end
  rows = y(:, 1:2);
end

warning("off", "all");
given = jsondecode(fileread(argv(){1}));
known = given.problems;
if iscell(known)
  known = [known{:}];
end
while ischar(line = fgetl(stdin))
  if isempty(line)
    continue
  end
  words = strsplit(strtrim(line), " ");
  try
    p = known(strcmp({known.name}, words{1}));
    if p.radius > 0 || p.blocks > 1 || p.motion
      error("only one block");
    end
    spent = [];
    begin = cputime();
    while isempty(spent) || cputime() - begin < str2double(words{5})
      start = cputime();
      result = run_once(p, words{2}, str2double(words{3}), words{4});
      spent(end + 1) = cputime() - start;
    end
    if ! strcmp(words{6}, "-")
      file = fopen(words{6}, "w");
      fwrite(file, result', "double");
      fclose(file);
    end
    printf("{\"ms\": %.6g, \"runs\": %d}\n", 1e3 * median(spent), numel(spent));
  catch problem
    printf("{\"failed\": \"%s\"}\n", regexprep(problem.message, "[\"\\\\\n]", " "));
  end
  fflush(stdout);
end

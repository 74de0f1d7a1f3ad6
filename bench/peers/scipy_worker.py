#!/usr/bin/env python3
"""SciPy and NumPy as a careful user calls them; the same lines in and out as worker.hpp. Argument: the file of the problems.

Right-hand sides work on Python floats, with analytic Jacobians and a tolerance for every state; methods that end in
+numpy use NumPy scalars and functions instead, as most people write it. Dry friction is integrated between events.
"""
import json
import math
import statistics
import sys
import time
from math import exp, fabs, sin

import numpy as np
from scipy.integrate import odeint, solve_ivp

with open(sys.argv[1]) as file:
    GIVEN = json.load(file)
PROBLEMS = {p["name"]: p for p in GIVEN["problems"]}
TONES = [(a, 2 * math.pi * f, phase) for a, f, phase in GIVEN["multisine"]]


def velocity(t):
    return sum(a * sin(w * t + phase) for a, w, phase in TONES)


def sign(x):
    return (x > 0) - (x < 0)


class Bristles:
    """Blocks or a disk on LuGre or Dahl contacts: x, v, (omega,) z of each."""

    def __init__(self, p, numpy=False):
        self.p, self.disk, self.blocks = p, p["radius"] > 0, p["blocks"]
        self.exp, self.fabs, self.tanh = (np.exp, np.abs, np.tanh) if numpy else (math.exp, math.fabs, math.tanh)
        self.numbers = iter if numpy else np.ndarray.tolist
        self.each = 4 if self.disk else 3
        self.n = self.each * self.blocks

    def scales(self, scaling):
        p, wide = self.p, scaling == "range"
        v = max(p["vs"], p["pull"]) if wide else min(p["vs"], p["pull"])
        one = [p["pull"] * p["duration"] if wide else p["Fs"] / p["stiffness"], v]
        return (one + ([v / p["radius"]] if self.disk else []) + [p["Fs"] / p["sigma0"]]) * self.blocks

    def functions(self):
        p = self.p
        m, k, V, Fc, more, vs, s0, s1, kv = (p["mass"], p["stiffness"], p["pull"], p["Fc"], p["Fs"] - p["Fc"], p["vs"],
                                             p["sigma0"], p["sigma1"], p["kv"])
        R, inertia, blocks, c = p["radius"], p["inertia"], self.blocks, p["coupling"]
        exp, fabs, numbers = self.exp, self.fabs, self.numbers

        def contact(u, z):
            dz = u - fabs(u) * s0 / (Fc + more * exp(-((u / vs) ** 2))) * z
            return s0 * z + s1 * dz + kv * u, dz

        def slopes(u, z):
            e = more * exp(-((u / vs) ** 2))
            S = Fc + e
            g = fabs(u) * s0 / S
            dz_u = 1 - sign(u) * s0 * z / S - g * z / S * 2 * u / vs**2 * e
            return s1 * dz_u + kv, s0 - s1 * g, dz_u, -g

        if self.disk:
            def rhs(t, y):
                x, v, w, z = numbers(y)
                F, dz = contact(v - w * R, z)
                return [v, (k * (V * t - x) - F) / m, F * R / inertia, dz]

            def jac(t, y):
                x, v, w, z = numbers(y)
                F_u, F_z, dz_u, dz_z = slopes(v - w * R, z)
                a = R / inertia
                return [[0, 1, 0, 0], [-k / m, -F_u / m, F_u * R / m, -F_z / m], [0, F_u * a, -F_u * a * R, F_z * a],
                        [0, dz_u, -dz_u * R, dz_z]]
        elif blocks == 1:
            def rhs(t, y):
                x, v, z = numbers(y)
                dz = v - fabs(v) * s0 / (Fc + more * exp(-((v / vs) ** 2))) * z
                return [v, (k * (V * t - x) - s0 * z - s1 * dz - kv * v) / m, dz]

            def jac(t, y):
                x, v, z = numbers(y)
                F_u, F_z, dz_u, dz_z = slopes(v, z)
                return [[0, 1, 0], [-k / m, -F_u / m, -F_z / m], [0, dz_u, dz_z]]
        else:
            def rhs(t, y):
                y = list(numbers(y))
                d = [0.0] * (3 * blocks)
                for b in range(blocks):
                    i = 3 * b
                    x, v, z = y[i], y[i + 1], y[i + 2]
                    F = k * (V * t - x) if b == 0 else c * (y[i - 3] - x)
                    if b + 1 < blocks:
                        F += c * (y[i + 3] - x)
                    friction, dz = contact(v, z)
                    d[i], d[i + 1], d[i + 2] = v, (F - friction) / m, dz
                return d

            def jac(t, y):
                y = list(numbers(y))
                J = np.zeros((3 * blocks, 3 * blocks))
                for b in range(blocks):
                    i = 3 * b
                    F_u, F_z, dz_u, dz_z = slopes(y[i + 1], y[i + 2])
                    springs = (k if b == 0 else c) + (c if b + 1 < blocks else 0)
                    J[i, i + 1] = 1
                    J[i + 1, i:i + 3] = -springs / m, -F_u / m, -F_z / m
                    J[i + 2, i + 1:i + 3] = dz_u, dz_z
                    if b > 0:
                        J[i + 1, i - 3] = c / m
                    if b + 1 < blocks:
                        J[i + 1, i + 3] = c / m
                return J
        return rhs, jac


class Smooth(Bristles):
    """Brown-McPhee: x, v, (omega)."""

    def __init__(self, p, numpy=False):
        super().__init__(p, numpy)
        self.each = self.n = 3 if self.disk else 2

    def scales(self, scaling):
        return super().scales(scaling)[:-1]

    def functions(self):
        p = self.p
        m, k, V, Fc, more, vs, R, inertia = (p["mass"], p["stiffness"], p["pull"], p["Fc"], p["Fs"] - p["Fc"], p["vs"],
                                             p["radius"], p["inertia"])
        tanh, numbers = self.tanh, self.numbers

        def force(u):
            w = u / vs
            return Fc * tanh(4 * w) + more * w / (0.25 * w * w + 0.75) ** 2

        def slope(u):
            w = u / vs
            q, th = 0.25 * w * w + 0.75, tanh(4 * w)
            return (4 * Fc * (1 - th * th) + more * (1 / q**2 - w * w / q**3)) / vs

        if self.disk:
            def rhs(t, y):
                x, v, w = numbers(y)
                F = force(v - w * R)
                return [v, (k * (V * t - x) - F) / m, F * R / inertia]

            def jac(t, y):
                x, v, w = numbers(y)
                s, a = slope(v - w * R), R / inertia
                return [[0, 1, 0], [-k / m, -s / m, s * R / m], [0, s * a, -s * a * R]]
        else:
            def rhs(t, y):
                x, v = numbers(y)
                return [v, (k * (V * t - x) - force(v)) / m]

            def jac(t, y):
                x, v = numbers(y)
                return [[0, 1], [-k / m, -slope(v) / m]]
        return rhs, jac


class Dry(Smooth):
    """Coulomb and Stribeck: solve_ivp up to a terminal event, switch, go on."""

    def run(self, method, rtol, atol, times):
        p = self.p
        m, k, V, Fc, Fs, vs, R, inertia = (p["mass"], p["stiffness"], p["pull"], p["Fc"], p["Fs"], p["vs"], p["radius"],
                                           p["inertia"])
        more = Fs - Fc if p["law"] == "stribeck" else 0
        share = 1 / (1 + m * R * R / inertia) if self.disk else 1
        direction = 0

        def rhs(t, y):
            y = y.tolist()
            F_app = k * (V * t - y[0])
            if direction == 0:
                F = F_app * share
            else:
                u = y[1] - y[2] * R if self.disk else y[1]
                F = direction * (Fc + more * exp(-((u / vs) ** 2))) if more else direction * Fc
            d = [y[1], (F_app - F) / m]
            return d + [F * R / inertia] if self.disk else d

        def guard(t, y):
            if direction == 0:
                return fabs(share * k * (V * t - y[0])) - Fs
            return direction * (y[1] - y[2] * R if self.disk else y[1])

        guard.terminal = True
        t, y, parts, end = 0.0, np.zeros(self.n), [], times[-1]
        done = 0
        while t < end:
            guard.direction = 1 if direction == 0 else -1
            inside = times[done:]
            s = solve_ivp(rhs, (t, end), y, method=method, t_eval=inside, events=guard, rtol=rtol, atol=atol)
            if s.status < 0:
                raise RuntimeError(s.message)
            parts.append(s.y.T[:, :2])
            done += len(s.t)
            if s.status != 1:
                break
            t, y = float(s.t_events[0][0]), s.y_events[0][0].copy()
            F = share * k * (V * t - float(y[0]))
            if direction != 0 and fabs(F) <= Fs:
                direction, y[1] = 0, y[2] * R if self.disk else 0.0
            else:
                direction = sign(F)
        return np.concatenate(parts)


def along_lugre(p, v, dt):
    """As a NumPy user writes it: exponentials over the whole motion at once, the recurrence in a loop."""
    S = p["Fc"] + (p["Fs"] - p["Fc"]) * np.exp(-((v / p["vs"]) ** 2))
    lost = -np.expm1(-p["sigma0"] * np.abs(v) * dt / S)
    gain = (np.sign(v) * S / p["sigma0"] * lost).tolist()
    kept = (1 - lost).tolist()
    z, last = [], 0.0
    for a, b in zip(kept, gain):
        last = last * a + b
        z.append(last)
    z = np.array(z)
    return p["sigma0"] * z + p["sigma1"] * (v - p["sigma0"] * np.abs(v) / S * z) + p["kv"] * v


def along_gms(p, v, dt):
    """Plain Python floats: for four elements faster than arrays over them."""
    Fc, more, vs, C = p["Fc"], p["Fs"] - p["Fc"], p["vs"], GIVEN["gms"]["C"]
    elements = GIVEN["gms"]["elements"]
    f, slips, side, out = [0.0] * len(elements), [False] * len(elements), 0, []
    for u in v.tolist():
        d = sign(u)
        if d != side:
            side, slips = d, [False] * len(elements)
        if d:
            S = Fc + more * exp(-((u / vs) ** 2))
            left, travel = exp(-C * dt / S), u * dt
            for i, (k, nu) in enumerate(elements):
                limit = d * nu * S
                if not slips[i]:
                    elastic = f[i] + k * travel
                    if d * elastic < nu * S:
                        f[i] = elastic
                        continue
                    slips[i] = True
                    if d * f[i] < nu * S:
                        f[i] = limit
                        continue
                f[i] = limit + (f[i] - limit) * left
        out.append(sum(f) + p["kv"] * u)
    return np.array(out)


def motion(p, method, rtol, times):
    dt = p["output_step"]
    if method == "along":
        middle = times[:-1] + dt / 2
        v = sum(a * np.sin(w * middle + phase) for a, w, phase in TONES)
        F = (along_gms if p["law"] == "gms" else along_lugre)(p, v, dt)
        return np.concatenate([[0.0], F])
    if p["law"] == "gms":
        raise RuntimeError("only sample by sample")
    Fc, more, vs, s0, s1, kv = p["Fc"], p["Fs"] - p["Fc"], p["vs"], p["sigma0"], p["sigma1"], p["kv"]

    def rhs(t, y):
        v = velocity(t)
        return [v - fabs(v) * s0 / (Fc + more * exp(-((v / vs) ** 2))) * float(y[0])]

    atol = rtol * p["Fs"] / s0
    if method == "odeint":
        z = odeint(rhs, [0.0], times, rtol=rtol, atol=atol, tfirst=True, mxstep=1000000)[:, 0]
    else:
        z = solve_ivp(rhs, (0, times[-1]), [0.0], method=method, t_eval=times, rtol=rtol, atol=atol).y[0]
    v = sum(a * np.sin(w * times + phase) for a, w, phase in TONES)
    return s0 * z + s1 * (v - np.abs(v) * s0 / (Fc + more * np.exp(-((v / vs) ** 2))) * z) + kv * v


def prepare(p, method, rtol, scaling):
    times = np.arange(round(p["duration"] / p["output_step"]) + 1) * p["output_step"]
    if p["motion"]:
        return lambda: motion(p, method, rtol, times)
    kind = {"coulomb": Dry, "stribeck": Dry, "brown_mcphee": Smooth}.get(p["law"], Bristles)
    numpy = method.endswith("+numpy")
    method = method.removesuffix("+numpy")
    system = kind(p, numpy)
    atol = rtol * np.array(system.scales(scaling))
    if kind is Dry:
        return lambda: system.run(method, rtol, atol, times)
    with_jacobian = method.endswith("+jac")
    method = method.removesuffix("+jac")
    rhs, jac = system.functions()
    columns = [b * system.each + i for b in range(system.blocks) for i in (0, 1)]
    if method == "odeint":
        options = {"Dfun": jac} if with_jacobian else {}
        return lambda: odeint(rhs, np.zeros(system.n), times, rtol=rtol, atol=atol, tfirst=True, mxstep=1000000,
                              **options)[:, columns]
    options = {"jac": jac} if with_jacobian else {}

    def run():
        s = solve_ivp(rhs, (0, times[-1]), np.zeros(system.n), method=method, t_eval=times, rtol=rtol, atol=atol, **options)
        if not s.success:
            raise RuntimeError(s.message)
        return s.y.T[:, columns]
    return run


def main():
    for line in sys.stdin:
        problem, method, rtol, scaling, seconds, out = line.split()
        try:
            run = prepare(PROBLEMS[problem], method, float(rtol), scaling)
            spent, begin = [], time.process_time()
            while not spent or time.process_time() - begin < float(seconds):
                start = time.process_time()
                rows = run()
                spent.append(time.process_time() - start)
            if out != "-":
                np.ascontiguousarray(rows, dtype=float).tofile(out)
            answer = {"ms": 1e3 * statistics.median(spent), "runs": len(spent)}
        except Exception as e:  # whatever goes wrong in a run is that run's result
            answer = {"failed": str(e)}
        print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    main()

// The WebAssembly core in node compared with the command: models, schema, all example scenarios, messages, the tribometer, fits.
// Another C library computes exp and sin, so numbers agree within tolerances, not in their bits.
// Usage: node core.mjs REPOSITORY
import fs from "node:fs";
import path from "node:path";
import { apart, check, command, finish, scratch, table } from "./harness.mjs";
import { Core } from "../node-core.mjs";

const root = path.resolve(process.argv[2] ?? "."), bristle = path.join(root, "build/bin/bristle");
const core = await Core.start(await WebAssembly.compile(fs.readFileSync(path.join(root, "build/wasm/bristle.wasm"))));
const same = (a, b) => JSON.stringify(a) === JSON.stringify(b);
const bytes = (file) => new Uint8Array(fs.readFileSync(file));

// Descriptions.
const models = core.call({ do: "models" }).json.models.map(({ variants: _v, random: _r, fits: _f, parameters, ...m }) => ({ ...m, parameters: parameters.map(({ waived_by: _w, follows: _o, ...p }) => p) }));
const native = JSON.parse(command(bristle, ["models", "--json"]).out);
const sorted = (list) => list.map((m) => Object.fromEntries(Object.entries(m).sort()));
check("models", same(sorted(models), sorted(native)), `${models.length} and ${native.length} models`);
check("schema", same(core.call({ do: "schema" }).json.schema, JSON.parse(command(bristle, ["schema"]).out)));

// Scenarios. Numbers of the two differ by rounding. Around a jump a difference of 1e-9 s in its time is the whole jump: 99 % of the rows
// speak for a column. Where rounding is amplified, the command shows by how much: by the spread of its own runs at slightly other rtol.
// Where these agree with each other, the core agrees with them as everywhere; as they part, it stays within twice their spread (six
// runs leave out one of some thousand further ones). From where they are apart by more than 1 %, which is chaos, mean, deviation and
// extremes of what follows are compared with those of the six.
const folder = path.join(root, "examples/scenarios"), close = 1e-5;
const gaps = (a, b) => Float64Array.from(a, (v, i) => Math.abs(v - b[i]));
const quantile = (list) => list.slice().sort()[Math.floor(list.length * 0.99)];
const largest = (a) => a.reduce((m, v) => Math.max(m, Math.abs(v)), 0);
/// Rounding of a column that cancels to nothing: that of the largest column of its unit; angles have the natural size 1.
const rounding = (columns, units, name, t) => {
  const unit = units.get(name), mates = [...columns].filter(([n]) => units.get(n) === unit).map(([, a]) => largest(a));
  return 1e-12 * Math.max(0, ...mates, unit === "rad" ? 1 : unit === "rad/s" ? 1 / t : 0);
};
const perturbed = [0.9, 0.7, 0.5, 0.3, 0.1]; // of rtol
const spread = (list) => Math.max(...list) - Math.min(...list);
/// The row from which the spread exceeds a limit.
const parting = (own, limit) => { const at = own.findIndex((v) => v > limit); return at < 0 ? own.length : at; };
/// Rows until `to` within twice the largest spread so far, at least `least`.
const enveloped = (gap, own, to, least) => {
  let envelope = least, outside = 0;
  for (let i = 0; i < to; ++i) {
    envelope = Math.max(envelope, 2 * own[i]);
    if (gap[i] > envelope) ++outside;
  }
  return outside <= 0.01 * to;
};
const statistics = (a) => {
  const mean = a.reduce((x, y) => x + y, 0) / a.length, deviation = Math.sqrt(a.reduce((x, y) => x + (y - mean) ** 2, 0) / a.length);
  return { mean, deviation, least: a.reduce((x, y) => Math.min(x, y), Infinity), largest: a.reduce((x, y) => Math.max(x, y), -Infinity) };
};
/// Statistics of `b` from a row on, against those of the runs of the command; "" or the one that is off.
const unlike = (b, runs, from, least) => {
  const own = statistics(b.slice(from)), theirs = runs.map((r) => statistics(r.slice(from)));
  for (const key of Object.keys(own)) {
    const { mean, deviation } = statistics(theirs.map((s) => s[key]));
    if (Math.abs(own[key] - mean) > 5 * deviation + least) return `${key} ${own[key]} instead of ${mean} +- ${deviation}`;
  }
  return "";
};
let worst = 0, slow = 0, slowest = "";
const kinds = { rounding: 0, amplified: 0, chaotic: 0 };
for (const file of fs.readdirSync(folder).filter((f) => f.endsWith(".toml")).sort()) {
  const name = file.replace(".toml", ""), place = path.join(folder, file), text = fs.readFileSync(place, "utf8");
  for (const [, other] of text.matchAll(/file\s*=\s*"([^"]+)"/g)) core.file(path.basename(other), bytes(path.resolve(folder, other)));
  const csv = path.join(scratch, "run.csv");
  const run = command(bristle, ["simulate", place, "--json", "--csv", csv]);
  const begin = performance.now(), { json, arrays } = core.call({ do: "simulate", text, name: file });
  if (performance.now() - begin > slow) [slow, slowest] = [performance.now() - begin, name];
  if (!check(`${name} runs`, run.status === 0 && !json.problems, run.err + JSON.stringify(json.problems ?? ""))) continue;
  const expected = JSON.parse(run.out), columns = table(fs.readFileSync(csv, "utf8"));
  check(`${name}: columns`, same(expected.columns, json.summary.columns));
  check(`${name}: checks`, json.summary.held === expected.held && same(expected.checks.map((c) => c.held), json.summary.checks.map((c) => c.held)));
  let others; // runs of the command at other tolerances
  const units = new Map(json.columns.map((c) => [c.name, c.unit])), duration = columns.get("t").at(-1);
  for (const c of json.columns) {
    const a = columns.get(c.name), b = arrays[c.array];
    if (!a) continue; // a column that only a figure uses
    if (!check(`${name}: rows of ${c.name}`, a.length === b.length, `${b.length} instead of ${a.length}`)) continue;
    const all = gaps(a, b), gap = quantile(all), size = largest(a) || 1;
    if (gap <= close * size) {
      worst = Math.max(worst, gap / size);
      check(`${name}: ${c.name}`, true);
      continue;
    }
    if (gap <= rounding(columns, units, c.name, duration)) {
      ++kinds.rounding;
      check(`${name}: ${c.name}`, true);
      continue;
    }
    others ??= perturbed.map((part) => {
      const rtol = Number(/^\s*rtol\s*=\s*([\d.eE+-]+)/m.exec(text)?.[1] ?? 1e-8) * part, other = path.join(scratch, "other.csv");
      fs.rmSync(other, { force: true });
      const again = command(bristle, ["simulate", place, "--set", `solver.rtol=${rtol}`, "--csv", other, "--quiet"]);
      if (!fs.existsSync(other)) console.log(`core: ${name} at rtol ${rtol}: ${again.err.trim()}`);
      return fs.existsSync(other) ? table(fs.readFileSync(other, "utf8")) : new Map();
    });
    const runs = [a, ...others.map((o) => o.get(c.name)).filter((o) => o?.length === a.length)];
    const own = a.map((_, i) => spread(runs.map((r) => r[i]))), sensitive = quantile(own), chaotic = sensitive > 0.01 * size;
    const chaos = chaotic ? parting(own, 0.01 * size) : a.length;
    const other = chaos < a.length ? unlike(Array.from(b), runs, chaos, close * size) : "";
    const held = enveloped(all, own, chaos, close * size) && !other;
    ++kinds[chaotic ? "chaotic" : "amplified"];
    check(`${name}: ${c.name}`, held, `${other} differs by ${gap.toExponential(2)}, ${(gap / size).toExponential(1)} of its size; runs of the command spread by ${sensitive.toExponential(2)}`);
    if (process.env.STUDIO_DETAILS) console.log(`${name}: ${c.name}: ${gap.toExponential(2)}, size ${size.toExponential(2)}, runs of the command spread by ${sensitive.toExponential(2)}, chaos from row ${chaos} of ${a.length}`);
  }
}
console.log(`core: ${fs.readdirSync(folder).length} scenarios; 99 % of the rows of a column within ${worst.toExponential(1)} of its size, but for columns of rounding alone (${kinds.rounding}), that amplify it (${kinds.amplified}) and of chaotic runs (${kinds.chaotic}); slowest ${slowest}, ${slow.toFixed(0)} ms`);

// Messages, with their lines.
const good = fs.readFileSync(path.join(folder, "stick_slip.toml"), "utf8");
const bad = [
  good.replace('model = "lugre"', 'model = "lugra"'), good.replace("sigma0", "sigma_0"), good.replace("mass = 1.0 ", "mass = -1.0 "), good.replace("duration = 20.0", 'duration = "long"'),
  good.replace('kind = "ramp"', 'kind = "ramps"'), good.replace("[drive]", "[drives]"), good.replace("Fs = 1.5", "Fs = 0.5"), good.replace("Fc = 1.0", "Fc = nan"), good.replace("vs = 0.001", "vs = "),
  good + "\n[system]\nmass = 2\n", "", "[friction]\n", "x = [[[", "\u0000", 'title = "<script>alert(1)</script>"\n', good.replace('y = "F"', 'y = "G"'), good.replace("max(F)", "max(F"), good.replace("[solver]", '[solver]\nmethod = "cvode"'),
  good.replace("stiffness = 2.0", "stiffness = 1e400"), 'file = "other.toml"', "a".repeat(100000), "[a.".repeat(5000), good.replace("duration = 20.0", "duration = 1e9\noutput_step = 1e-9"),
];
for (const [i, text] of bad.entries()) {
  const place = path.join(scratch, `bad${i}.toml`);
  fs.writeFileSync(place, text);
  const expected = command(bristle, ["check", `bad${i}.toml`], scratch);
  const { json } = core.call({ do: "check", text, name: `bad${i}.toml` });
  const lines = (json.problems ?? []).map((p) => (p.where ? `${p.where}: ${p.text}` : p.text));
  const wanted = expected.err.trim().split("\n").filter(Boolean).map((l) => l.replace(/^bristle check: /, ""));
  if (/cvode/.test(text)) { // the one difference: this method is not part of the page
    const run = core.call({ do: "simulate", text, name: "bad.toml" }).json.problems ?? [];
    check("method cvode is refused", run.length === 1 && /cvode/.test(run[0].text), JSON.stringify(run));
    continue;
  }
  if (/other\.toml/.test(text)) {
    check("a missing file is refused", lines.length > 0 && lines.some((l) => /other\.toml/.test(l)), JSON.stringify(lines));
    continue;
  }
  check(`message ${i}`, same(lines, wanted), `${JSON.stringify(lines).slice(0, 300)} instead of ${JSON.stringify(wanted).slice(0, 300)}`);
}

// The boundary: hostile requests are answered, and the core lives on.
for (const request of [null, [], 1, "x", {}, { do: 1 }, { do: "none" }, { do: "simulate" }, { do: "experiments", friction: { model: "lugre", Fc: "x" }, which: [] }, { do: "experiments", friction: { model: "lugre", Fc: { a: 1 } }, which: ["curve"] },
  { do: "advance", v: 1, dt: 1 }, { do: "population", friction: { model: "lugre", Fc: 1, Fs: 1, vs: 1, sigma0: 1, sigma1: 1 } }, { do: "identify", files: ["absent.csv"] }, { do: "recording", name: "absent.csv" }, { do: "simulate", text: good, set: "x" }]) {
  const { json } = core.call(request);
  check(`request ${JSON.stringify(request).slice(0, 60)}`, Array.isArray(json.problems) && json.problems.length > 0, JSON.stringify(json).slice(0, 200));
}
check("the core answers after that", !core.call({ do: "check", text: good }).json.problems);

// The tribometer: all quantities, and the properties from the experiments that the page measures for them.
const battery = core.call({ do: "models" }).json.experiments.map((e) => e.name), deciding = ["curve", "loops", "lag", "breakaway", "energy", "drift", "dwell", "hold"];
for (const file of ["lugre", "gms", "elasto_plastic"]) {
  const place = path.join(root, `examples/characterize/${file}.toml`), text = fs.readFileSync(place, "utf8");
  const characterized = (...options) => JSON.parse(command(bristle, ["characterize", place, "--json", ...options]).out)[0];
  const expected = characterized();
  let others;
  const times = [], measured = battery.map((name) => {
    const begin = performance.now(), { json } = core.call({ do: "experiments", text, which: [name] });
    times.push([name, performance.now() - begin]);
    return json.measurements[0];
  });
  const properties = (names) => core.call({ do: "findings", text, measurements: measured.filter((m) => names.includes(m.experiment)) }).json.properties;
  check(`properties of ${file} need eight experiments`, same(properties(battery), properties(deciding)));
  const holds = (list) => Object.fromEntries(Object.entries(list).map(([k, v]) => [k, v.holds]));
  check(`properties of ${file}`, same(holds(properties(deciding)), holds(expected.properties)), JSON.stringify([holds(properties(deciding)), holds(expected.properties)]));
  for (const [name, e] of Object.entries(expected.experiments))
    for (const [key, q] of Object.entries(e.quantities ?? {})) {
      const x = measured.find((m) => m.experiment === name)?.quantities.find((m) => m.name === key)?.value, y = q.value, label = `${file}: ${name} ${key}`;
      if (y === null || typeof x !== "number") { check(label, y === null && typeof x !== "number", `${x} instead of ${y}`); continue; }
      const gap = Math.abs(x - y);
      if (gap <= close * Math.max(Math.abs(y), 1e-9)) { check(label, true); continue; }
      others ??= perturbed.map((part) => characterized("--set", `tribometer.rtol=${1e-8 * part}`));
      const sensitive = spread([y, ...others.map((o) => o.experiments[name].quantities[key].value)]);
      check(label, gap <= 2 * sensitive, `${x} instead of ${y}; runs of the command spread by ${sensitive.toExponential(2)}, this differs by ${gap.toExponential(2)}`);
    }
  const all = times.filter(([n]) => deciding.includes(n)).reduce((sum, [, ms]) => sum + ms, 0);
  console.log(`core: properties of ${file} in ${all.toFixed(0)} ms on one worker: ${times.map(([n, ms]) => `${n} ${ms.toFixed(0)}`).join(", ")}`);
}

// A fit of a recording with known truth.
const recorded = path.join(scratch, "recording.csv");
fs.writeFileSync(recorded, recording());
for (const list of [["lugre"], ["coulomb_tanh", "stribeck_tanh", "dahl", "lugre"]]) {
  const expected = JSON.parse(command(bristle, ["identify", recorded, "--models", list.join(","), "--json"]).out);
  core.file("recording.csv", bytes(recorded));
  const begin = performance.now(), { json } = core.call({ do: "identify", files: ["recording.csv"], models: list }), ms = performance.now() - begin;
  check("fit: recommended", json.recommended === expected.recommended, `${json.recommended} instead of ${expected.recommended}`);
  check("fit: order", same(json.fits?.map((f) => f.model), expected.fits.map((f) => f.model)));
  for (const [i, f] of expected.fits.entries()) {
    check(`fit: error of ${f.model}`, Math.abs(json.fits[i].rmse - f.rmse) <= 0.01 * f.rmse, `${json.fits[i].rmse} instead of ${f.rmse}`);
    if (f.model !== expected.recommended) continue;
    for (const [k, e] of f.friction.entries()) {
      const x = json.fits[i].friction[k], width = Math.max(e.high - e.low, 1e-3 * Math.abs(e.value));
      check(`fit: ${e.name}`, x.name === e.name && Math.abs(x.value - e.value) <= 0.05 * width + 1e-4 * Math.abs(e.value), `${x.value} instead of ${e.value}`);
    }
  }
  console.log(`core: fit of ${list.length} models in ${(ms / 1000).toFixed(1)} s; recommended ${json.recommended}`);
}
/// LuGre with known parameters along a decaying swing, by small explicit steps of its equations.
function recording() {
  const Fc = 1, Fs = 1.4, vs = 0.01, sigma0 = 2000, sigma1 = 20, kv = 0.6, dt = 1e-5;
  let z = 0, rows = "t_s,x_m,v_m/s,F_N\n";
  for (let i = 0; i <= 1_000_000; ++i) {
    const t = i * dt, v = 0.05 * Math.sin(2 * Math.PI * 0.5 * t) * (1 + 0.3 * Math.sin(0.9 * t)), x = 0;
    const g = Fc + (Fs - Fc) * Math.exp(-((v / vs) ** 2)), dz = v - (sigma0 * Math.abs(v) * z) / g;
    if (i % 500 === 0) rows += `${t.toFixed(5)},${x},${v},${sigma0 * z + sigma1 * dz + kv * v}\n`;
    z += dz * dt;
  }
  return rows.replace(/,x_m,/, ",").replace(/^([^,\n]+),0,/gm, "$1,");
}
finish("core");

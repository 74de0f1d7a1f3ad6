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
const models = core.call({ do: "models" }).json.models.map(({ variants: _v, random: _r, ...m }) => m);
const native = JSON.parse(command(bristle, ["models", "--json"]).out);
check("models", same(models, native), `${models.length} and ${native.length} models`);
check("schema", same(core.call({ do: "schema" }).json.schema, JSON.parse(command(bristle, ["schema"]).out)));

// Scenarios. A chain of many blocks and a block that barely sticks amplify rounding: their long runs are compared by their events.
const sensitive = { burridge_knopoff: 0.05, thermal_chain: 0.05, painleve_rod: 1e-3 };
const folder = path.join(root, "examples/scenarios");
let worst = 0, slow = 0, slowest = "";
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
  const tolerance = sensitive[name] ?? 1e-5;
  for (const c of json.columns) {
    const a = columns.get(c.name), b = arrays[c.array];
    if (!a) continue; // a column that only a figure uses
    // Around a jump a difference of 1e-9 s in its time is the whole jump: positions and the median speak for the run.
    const rows = a.length, gaps = Float64Array.from(a, (v, i) => Math.abs(v - b[i])), size = a.reduce((m, v) => Math.max(m, Math.abs(v)), 0) || 1;
    const typical = gaps.sort()[Math.floor(rows * 0.99)] / size;
    worst = Math.max(worst, sensitive[name] ? 0 : typical);
    check(`${name}: ${c.name}`, typical <= tolerance, `differs by ${typical.toExponential(1)} of its size`);
  }
}
console.log(`core: ${fs.readdirSync(folder).length} scenarios, 99 % of all rows within ${worst.toExponential(1)} of their size; slowest ${slowest}, ${slow.toFixed(0)} ms`);

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

// The tribometer.
for (const file of ["lugre", "gms", "elasto_plastic"]) {
  const place = path.join(root, `examples/characterize/${file}.toml`);
  if (!fs.existsSync(place)) continue;
  const expected = JSON.parse(command(bristle, ["characterize", place, "--json"]).out)[0];
  const begin = performance.now(), { json } = core.call({ do: "characterize", text: fs.readFileSync(place, "utf8") }), ms = performance.now() - begin;
  const holds = (x) => Object.fromEntries(Object.entries(x.properties).map(([k, v]) => [k, v.holds]));
  check(`properties of ${file}`, same(holds(json), holds(expected)), JSON.stringify([holds(json), holds(expected)]));
  for (const [name, e] of Object.entries(expected.experiments))
    for (const [key, q] of Object.entries(e.quantities ?? {})) {
      const x = json.experiments[name]?.quantities?.[key]?.value, y = q.value;
      const size = Math.max(Math.abs(y ?? 0), 1e-9);
      check(`${file}: ${name} ${key}`, (x === null) === (y === null) && (y === null || Math.abs(x - y) <= 1e-3 * size), `${x} instead of ${y}`);
    }
  console.log(`core: properties of ${file} in ${ms.toFixed(0)} ms`);
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

// The work of a slider of Explore, in node: CPU time, and previews against the exact curves.
// Usage: node slider.mjs REPOSITORY [MODEL...]
import fs from "node:fs";
import path from "node:path";
import { check, finish } from "./harness.mjs";
import { Core } from "../node-core.mjs";

const root = path.resolve(process.argv[2] ?? "."), only = process.argv.slice(3);
const core = await Core.start(await WebAssembly.compile(fs.readFileSync(path.join(root, "build/wasm/bristle.wasm"))));
const spread = (list) => Math.max(...list) - Math.min(...list);

// Lumped models with typical numbers. Other processes do not count; curves, break-away force and run are computed side by side.
const cpu = (work) => { // least of three; the compiler of node works in other threads on the first calls
  let least = Infinity, out;
  for (let i = 0; i < 4 && !(least > 1000 && i > 0); ++i) {
    const begin = process.cpuUsage();
    out = work();
    const used = process.cpuUsage(begin);
    least = Math.min(least, (used.user + used.system) / 1e3);
  }
  return [least, out];
};
const most = 50, mostOfTable = 500, mostOff = 0.005; // ms, ms, of the range of a curve
const inTime = 40; // as in Explore
const limited = !process.env.STUDIO_BUSY;
const lumped = core.call({ do: "models" }).json.models.filter((m) => m.name !== "gfm" && m.name !== "generic2010" && (only.length === 0 || only.includes(m.name))), times = [];
/// Distance of the preview from the exact curve at 99 % of its rows, over the range: around a jump a difference of 1e-6 s is the jump.
const off = (shown, whole, x, y) => {
  const range = spread(Array.from(whole[y])) || 1, apart = [];
  for (let i = 0; i < shown[x].length; ++i) {
    const at = whole[x].findIndex((v) => v >= shown[x][i] * (1 - 1e-12));
    if (Math.abs(whole[x][at] - shown[x][i]) <= 1e-9 * Math.abs(shown[x][i])) apart.push(Math.abs(shown[y][i] - whole[y][at]) / range);
  }
  return apart.sort((a, b) => a - b)[Math.floor(apart.length * 0.99)];
};
for (const m of lumped) {
  const friction = { model: m.name }, problems = [];
  for (const p of m.parameters) if (p.typical !== null && !(Array.isArray(p.typical) && p.typical.length === 0) && !(p.follows && !p.required)) friction[p.name] = p.typical;
  const snaps = m.random ? 'method = "fixed"\nstep = 0.0004\n' : "";
  const text = `[friction]\n${Object.entries(friction).map(([k, v]) => `${k} = ${JSON.stringify(v)}`).join("\n")}\n[system]\nkind = "slider"\nmass = 1\nstiffness = 2\n[drive]\nkind = "ramp"\nvelocity = 0.1\n[solver]\nduration = 20\n${snaps}`;
  const timed = (request) => {
    const [ms, answer] = cpu(() => core.call(request));
    problems.push(...(answer.json.problems ?? []).filter((p) => !(m.name === "rolling" && /creepage/.test(p.text)))); // no block on a spring
    return { ms, ...answer };
  };
  const experiment = (name, draft = false) => timed({ do: "experiments", friction, which: [name], draft });
  const first = ["curve", "loops", "lag"], total = (list) => list.reduce((sum, { ms }) => sum + ms, 0);
  const whole = m.random ? [] : first.map((name) => experiment(name)), previews = m.random || total(whole) > inTime / 2; // as in Explore
  const shown = previews ? first.map((name) => experiment(name, true)) : whole, curves = total(shown);
  const ramp = experiment("breakaway", true), run = timed({ do: "simulate", text, within: m.random ? inTime : 1000, exact: false }); // fixed steps: the beginning of it
  const inTable = previews ? ["drift", "breakaway", "curve", "energy", "lag", "dwell", "loops", "hold"] : ["drift", "breakaway", "energy", "dwell", "hold"]; // in the order of Explore
  const table = inTable.map((name) => ({ name, ...experiment(name) })), exactRamp = table[1], exactRun = timed({ do: "simulate", text });
  check(`slider of ${m.name}`, problems.length === 0, problems[0]?.text);
  if (problems.length) continue;
  const points = ({ json, arrays }) => json.measurements[0].charts[0].columns.map((c) => arrays[c.array]);
  const ramps = [points(ramp), points(exactRamp)], high = spread([0, ...ramps[1][1]]);
  const ramped = Math.max(...ramps[0][1].map((v, i) => Math.abs(v - ramps[1][1][i]))) / high;
  const columns = ({ json, arrays }) => Object.fromEntries(json.columns.map((c) => [c.name, arrays[c.array]]));
  const ran = exactRun.json.problems ? 0 : Math.max(...["x", "F"].map((y) => off(columns(run), columns(exactRun), "t", y)));
  if (m.random) {
    const [exact, preview] = [table[2], shown[0]].map((answer) => points(answer)[1]), apart = Math.max(...preview.map((v, i) => Math.abs(v - exact[i]))) / Math.max(...exact);
    check(`preview of the steady curve of ${m.name}`, apart <= mostOff, String(apart));
  }
  const lags = ({ json, arrays }) => json.measurements[0].charts.map((chart) => chart.columns.map((c) => Array.from(arrays[c.array])));
  if (previews && !m.random) lags(whole[2]).forEach(([, exact], k) => {
    const preview = lags(shown[2])[k][1], apart = Math.max(...preview.map((v, i) => Math.abs(v - exact[i]))) / (spread(exact) || 1);
    check(`preview ${k + 1} of the lag of ${m.name}`, preview.length === exact.length && apart <= mostOff, String(apart));
  });
  const part = (run.json.draft?.until ?? 20) / 20;
  check(`preview of the break-away force of ${m.name}`, ramped <= mostOff, String(ramped));
  check(`preview of the run of ${m.name}`, ran <= mostOff, String(ran));
  if (limited) for (const [what, ms] of [["curves", curves], ["break-away force", ramp.ms], ["run", run.ms]]) check(`${what} of ${m.name} within ${most} ms`, ms <= most, ms.toFixed(0));
  const findings = timed({ do: "findings", friction, measurements: [...(previews ? [] : shown), ...table].map(({ json }) => json.measurements[0]) }).ms;
  const sum = table.reduce((a, { ms }) => a + ms, findings), named = table.map(({ name, ms }) => `${name} ${ms.toFixed(0)}`).join(", ");
  if (limited) check(`table of ${m.name} within ${mostOfTable} ms on one worker`, sum <= mostOfTable, `${sum.toFixed(0)}: ${named}`);
  times.push([curves, ramp.ms, exactRamp.ms, run.ms, exactRun.ms, sum].map((v) => v.toFixed(1).padStart(8)).join("") + `  ${m.name}${part < 1 ? `, run up to ${(100 * part).toFixed(0)} %` : ""}; previews within ${ramped.toExponential(0)} and ${ran.toExponential(0)}; ${named}`);
}
console.log(`slider: CPU time in ms of a slider: curves, break-away force (preview, exact), run (preview, exact), then the table on one worker\n${times.join("\n")}`);
finish("slider");

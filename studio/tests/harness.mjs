// Checks with a name each; the process fails if one does.
import { execFileSync } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";

let failed = 0, passed = 0;
export function check(name, held, detail = "") {
  if (held) ++passed;
  else {
    ++failed;
    console.log(`FAILED ${name}${detail ? `: ${detail}` : ""}`);
  }
  return held;
}
export function finish(part) {
  console.log(`${part}: ${passed} passed, ${failed} failed`);
  if (failed) process.exitCode = 1;
}
export const scratch = fs.mkdtempSync(path.join(os.tmpdir(), "bristle-studio-"));
process.on("exit", () => fs.rmSync(scratch, { recursive: true, force: true }));

/// The command: its output and status.
export function command(bristle, args, cwd) {
  try {
    return { status: 0, out: execFileSync(bristle, args, { cwd, encoding: "utf8", maxBuffer: 1 << 30, stdio: ["ignore", "pipe", "pipe"] }), err: "" };
  } catch (e) {
    return { status: e.status ?? -1, out: e.stdout ?? "", err: e.stderr ?? String(e) };
  }
}
export function table(csv) {
  const [head, ...rows] = csv.trim().split("\n");
  const names = head.split(","), out = new Map(names.map((n) => [n, new Float64Array(rows.length)]));
  rows.forEach((row, i) => row.split(",").forEach((cell, k) => (out.get(names[k])[i] = cell === "" ? NaN : Number(cell))));
  return out;
}
/// Largest difference over the largest size.
export function apart(a, b) {
  if (a.length !== b.length) return Infinity;
  let size = 0, gap = 0;
  for (let i = 0; i < a.length; ++i) {
    if (Number.isNaN(a[i]) && Number.isNaN(b[i])) continue;
    size = Math.max(size, Math.abs(a[i]));
    gap = Math.max(gap, Math.abs(a[i] - b[i]));
    if (Number.isNaN(a[i]) !== Number.isNaN(b[i])) return Infinity;
  }
  return gap === 0 ? 0 : gap / size;
}

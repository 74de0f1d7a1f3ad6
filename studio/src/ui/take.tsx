// Ways out of the page: texts to copy, files, the page itself with its state.
import { useState } from "preact/hooks";
import { address, contact, type Contact, frictionText, pins, rig, scenarioText, text, textName, type Setting } from "../state";
import { download } from "./files";

/// The page as it was delivered, taken before anything is added to it.
let delivered = "";
export function keepPage(): void { delivered = `<!doctype html>\n${document.documentElement.outerHTML}`; }

const embedded = (value: unknown) => JSON.stringify(value).replace(/</g, "\\u003c");

export interface Saved { version: 1; hash: string; text?: string; name?: string; pins?: { name: string; contact: Contact }[] }
export function savePage(): void {
  const state: Saved = { version: 1, hash: address(), text: text.value, name: textName.value, pins: pins.value };
  const block = /(<script type="application\/json" id="state">)[\s\S]*?(<\/script>)/;
  download("bristle-studio.html", delivered.replace(block, (_, a: string, b: string) => a + embedded(state) + b), "text/html");
}

const cppNumber = (v: number): string => (Number.isInteger(v) && Math.abs(v) < 1e15 ? `${v}.0` : String(v)); // long integers are ambiguous
const cpp = (v: Setting): string =>
  Array.isArray(v) ? `{${v.map(cppNumber).join(", ")}}` : typeof v === "string" ? JSON.stringify(v) : typeof v === "number" ? cppNumber(v) : String(v);
export function cppText(c: Contact): string {
  return `#include <bristle/registry/any.hpp>\n#include <cstdio>\n\nint main() {\n  const bristle::Made made = bristle::make("${c.model}", {${Object.entries(c.values).map(([k, v]) => `{"${k}", ${cpp(v)}}`).join(", ")}});\n` +
    `  if (!made.contact) return 1;\n  for (int i = 0; i < 10; ++i)\n    std::printf("%g\\n", made.contact->step({.v = ${rig.value.velocity}}, 1e-3));  // friction after 1 ms at ${rig.value.velocity} m/s\n}\n`;
}
const py = (v: Setting): string => (Array.isArray(v) ? `[${v.map(String).join(", ")}]` : typeof v === "boolean" ? (v ? "True" : "False") : typeof v === "string" ? JSON.stringify(v) : String(v));
export function pythonText(c: Contact): string {
  const r = rig.value;
  return `import bristle\n\nrun = bristle.simulate({\n    "friction": {"model": "${c.model}", ${Object.entries(c.values).map(([k, v]) => `"${k}": ${py(v)}`).join(", ")}},\n` +
    `    "system": {"kind": "slider", "mass": ${r.mass}, "stiffness": ${r.stiffness}},\n    "drive": {"kind": "ramp", "velocity": ${r.velocity}},\n    "solver": {"duration": ${r.duration}},\n})\nprint(run)\n`;
}

export function TakeAway() {
  const [kind, setKind] = useState<"toml" | "cpp" | "python" | "friction">("toml"), [copied, setCopied] = useState(false);
  const c = contact.value;
  const shown = kind === "toml" ? scenarioText(c, rig.value) : kind === "friction" ? frictionText(c) : kind === "cpp" ? cppText(c) : pythonText(c);
  const names = { toml: "stick-slip.toml", friction: `${c.model}.toml`, cpp: `${c.model}.cpp`, python: `${c.model}.py` };
  const titles = { toml: "Scenario", friction: "Friction file", cpp: "C++", python: "Python" };
  return (
    <details class="card take">
      <summary>Take away: scenario, friction file, C++, Python</summary>
      <div class="row" role="group" aria-label="Form of the text">
        {(["toml", "friction", "cpp", "python"] as const).map((k) => (
          <button key={k} type="button" class="small" aria-pressed={kind === k} onClick={() => { setKind(k); setCopied(false); }}>{titles[k]}</button>
        ))}
        <button type="button" class="small" onClick={() => void navigator.clipboard?.writeText(shown).then(() => setCopied(true))}>{copied ? "Copied" : "Copy"}</button>
        <button type="button" class="small" onClick={() => download(names[kind], shown)}>Save {names[kind]}</button>
      </div>
      <pre tabIndex={0} aria-label={titles[kind]}>{shown}</pre>
    </details>
  );
}

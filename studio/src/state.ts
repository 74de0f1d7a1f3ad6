// The content of the page, in the address and in a saved page. Values of the address are parsed as numbers and known names; nothing of
// it becomes markup or a scenario.
import { batch, computed, signal } from "@preact/signals";
import type { Field, Model, Models } from "./engine/types";

export const pages = ["explore", "experiment", "compare", "fit", "asperities", "gallery", "learn"] as const;
export type Page = (typeof pages)[number];

export type Setting = number | string | boolean | number[];
export interface Contact { model: string; values: Record<string, Setting> }
export interface Rig { mass: number; stiffness: number; velocity: number; duration: number }
export interface Pin { name: string; contact: Contact }

export const models = signal<Models | undefined>(undefined);
export const failure = signal("");
export const page = signal<Page>("explore");
export const contact = signal<Contact>({ model: "lugre", values: {} });
export const rig = signal<Rig>({ mass: 1, stiffness: 2, velocity: 0.1, duration: 20 });
export const pins = signal<Pin[]>([]);
export const text = signal("");              // of the experiment
export const textName = signal("scenario.toml");
export const example = signal("");           // name of the example that the text is, unchanged
export const story = signal(0);
export const step = signal(0);
export const notice = signal("");

export const model = computed(() => models.value?.models.find((m) => m.name === contact.value.model));
export const find = (name: string): Model | undefined => models.value?.models.find((m) => m.name === name);

export const isGiven = (v: Setting | undefined): boolean => (Array.isArray(v) ? v.length > 0 : v !== undefined && v !== 0);

/// Typical values, with the changes given. Parameters that follow others, or that others replace, are left to their defaults.
export function typical(m: Model, changes: Record<string, Setting> = {}): Contact {
  const values: Record<string, Setting> = {};
  for (const p of m.parameters) {
    const given = changes[p.name];
    if (given !== undefined) values[p.name] = given;
    else if (p.waived_by && isGiven(changes[p.waived_by])) continue;
    else if (p.follows && !p.required) continue;
    else if (p.typical !== null && p.typical !== undefined && !(Array.isArray(p.typical) && p.typical.length === 0)) values[p.name] = p.typical as Setting;
  }
  return { model: m.name, values };
}

/// The contact of the LuGre paper, which the examples use too.
export const first: Record<string, Setting> = { Fc: 1, Fs: 1.5, vs: 0.001, sigma0: 1e5, sigma1: 316.22776601, kv: 0.4 };

const number = (t: string | undefined): number | undefined => {
  if (t === undefined || t.length > 40 || !/^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?$/.test(t)) return undefined;
  const v = Number(t);
  return Number.isFinite(v) ? v : undefined;
};

/// A value of the address for a parameter; undefined if it is none.
function setting(f: Field, t: string): Setting | undefined {
  if (f.kind === "choice") return f.choices?.includes(t) ? t : undefined;
  if (f.kind === "boolean") return t === "true" ? true : t === "false" ? false : undefined;
  if (f.kind === "array") {
    const parts = t.split("_").map(number);
    return parts.length <= 64 && parts.every((v) => v !== undefined) ? (parts as number[]) : undefined;
  }
  const v = number(t);
  return v !== undefined && f.kind === "integer" && !Number.isInteger(v) ? undefined : v;
}
const written = (v: Setting): string => (Array.isArray(v) ? v.map(String).join("_") : String(v));

function contactOf(entries: [string, string][], ignored: string[]): Contact | undefined {
  const m = find(entries.find(([k]) => k === "model")?.[1] ?? "");
  if (!m) return undefined;
  const changes: Record<string, Setting> = {};
  for (const [k, t] of entries) {
    const f = m.parameters.find((p) => p.name === k);
    const v = f && setting(f, t);
    if (f && v !== undefined) changes[k] = v;
    else if (k !== "model") ignored.push(k);
  }
  return typical(m, changes);
}

/// In the order of the model, so that a link that was opened gives the same link.
const listed = (c: Contact): [string, string][] =>
  (find(c.model)?.parameters ?? []).flatMap((p): [string, string][] => (c.values[p.name] === undefined ? [] : [[p.name, written(c.values[p.name]!)]]));

export function address(): string {
  const q: [string, string][] = [["v", "1"]];
  const c = contact.value, r = rig.value;
  if (page.value === "explore" || page.value === "compare") {
    q.push(["model", c.model]);
    q.push(...listed(c));
  }
  if (page.value === "explore") for (const [k, v] of Object.entries(r)) q.push([`rig.${k}`, String(v)]);
  if (page.value === "compare") for (const p of pins.value)
    q.push(["pin", [`model:${p.contact.model}`, ...listed(p.contact).map(([k, v]) => `${k}:${v}`)].join(",")]);
  if (page.value === "experiment" && example.value) q.push(["example", example.value]);
  if (page.value === "learn") q.push(["story", String(story.value)], ["step", String(step.value)]);
  return `#/${page.value}?${q.map(([k, v]) => `${encodeURIComponent(k)}=${encodeURIComponent(v).replace(/%2C/g, ",").replace(/%3A/g, ":")}`).join("&")}`;
}

/// Takes the parts of an address that are known; the rest is ignored, with a notice.
export function visit(hash: string, examples: { name: string; text: string }[]): void {
  batch(() => take(hash, examples));
}
function take(hash: string, examples: { name: string; text: string }[]): void {
  const [path = "", query = ""] = hash.replace(/^#\/?/, "").slice(0, 20000).split("?", 2) as [string?, string?];
  const wanted = pages.find((p) => p === path), ignored: string[] = [];
  if (path && !wanted) ignored.push(path);
  page.value = wanted ?? "explore";
  const entries: [string, string][] = [];
  for (const part of query.split("&").slice(0, 500)) {
    if (!part) continue;
    try {
      const at = part.indexOf("=");
      entries.push([decodeURIComponent(part.slice(0, at < 0 ? undefined : at)), at < 0 ? "" : decodeURIComponent(part.slice(at + 1))]);
    } catch {
      ignored.push(part);
    }
  }
  const values = (key: string) => entries.filter(([k]) => k === key).map(([, v]) => v);
  const own = new Set(["v", "example", "story", "step", "pin"]);
  if (values("model").length) {
    const found = contactOf(entries.filter(([k]) => !own.has(k) && !k.startsWith("rig.")), ignored);
    if (found) contact.value = found;
    else ignored.push("model");
  }
  const next = { ...rig.value };
  for (const [k, t] of entries) {
    if (!k.startsWith("rig.")) continue;
    const name = k.slice(4), v = number(t);
    if ((name === "mass" || name === "stiffness" || name === "velocity" || name === "duration") && v !== undefined && v > 0) next[name] = v;
    else ignored.push(k);
  }
  rig.value = next;
  if (values("pin").length) {
    pins.value = values("pin").slice(0, 8).flatMap((p) => {
      const c = contactOf(p.split(",").map((s) => [s.slice(0, s.indexOf(":")), s.slice(s.indexOf(":") + 1)]), ignored);
      return c ? [{ name: c.model, contact: c }] : [];
    });
  }
  const shown = examples.find((e) => e.name === values("example")[0]);
  if (shown) open(shown.name, shown.text);
  else if (values("example").length) ignored.push("example");
  const whole = (t: string | undefined, most: number) => Math.max(0, Math.min(most, Math.round(number(t) ?? 0)));
  if (wanted === "learn") {
    story.value = whole(values("story")[0], 2);
    step.value = whole(values("step")[0], 9);
  }
  notice.value = ignored.length ? `${ignored.length === 1 ? "One part" : `${ignored.length} parts`} of the address not known to this version and ignored.` : "";
}

/// Explore has the parameters of a model, in linear units; the other tables of a friction block are in force in Experiment only.
export const leftOut = (tables: string[] | undefined, rotational = false): string =>
  [tables?.length ? `Explore shows the parameters alone, without ${tables.map((t) => `[friction.${t}]`).join(", ")}; Experiment keeps the whole file.` : "",
    rotational ? "The contact is rotational: N stands for N m and m for rad here." : ""].filter(Boolean).join(" ");

/// Shows a text in Experiment.
export function open(name: string, content: string, isExample = true): void {
  text.value = content;
  textName.value = `${name}.toml`;
  example.value = isExample ? name : "";
}

const literal = (v: Setting): string =>
  Array.isArray(v) ? `[${v.map(literal).join(", ")}]` : typeof v === "string" ? JSON.stringify(v) : typeof v === "number" ? tomlNumber(v) : String(v);
const tomlNumber = (v: number): string => (Number.isInteger(v) && Math.abs(v) < 1e15 ? String(v) : String(v).replace(/^(-?\d+)e/, "$1.0e"));

/// The friction block as in a scenario file. Names are those of the model, values numbers or known words.
export function frictionText(c: Contact): string {
  const m = find(c.model);
  if (!m) return "";
  const lines = m.parameters.flatMap((p) => {
    const v = c.values[p.name];
    if (v === undefined) return [];
    const head = `${p.name} = ${literal(v)}`;
    return [p.unit && p.unit !== "1" ? `${head.padEnd(24)} # ${p.unit}` : head];
  });
  return `[friction]\nmodel = ${JSON.stringify(m.name)}\n${lines.join("\n")}\n`;
}
/// Random snaps come by the million: they take fixed steps, as in the experiments.
const solverOf = (c: Contact, r: Rig): string =>
  find(c.model)?.random && find(c.model)?.level !== "contact" ? `method = "fixed"\nstep = ${tomlNumber(r.duration / 50000)}\n` : "";
export function scenarioText(c: Contact, r: Rig): string {
  return `schema = 1\ntitle = "Stick-slip with ${c.model}"\n\n${frictionText(c)}\n[system]\nkind = "slider"\nmass = ${tomlNumber(r.mass)}\nstiffness = ${tomlNumber(r.stiffness)}\n\n` +
    `[drive]\nkind = "ramp"\nvelocity = ${tomlNumber(r.velocity)}\n\n[solver]\nduration = ${tomlNumber(r.duration)}\n${solverOf(c, r)}\n[[figure]]\ny = ["x", "drive"]\ntitle = "Position"\n\n[[figure]]\ny = "F"\ntitle = "Friction"\n`;
}

// The parameters of a contact: model, sliders, exact numbers.
import { useMemo } from "preact/hooks";
import type { Field, Model } from "../engine/types";
import { type Contact, isGiven, models, type Setting, typical } from "../state";
import { NumberField } from "./number";

interface Props { value: Contact; onChange(c: Contact): void; sizes?: Record<string, number> | undefined; only?: string[] }

const families: [string, (m: Model) => boolean][] = [
  ["Populations of asperities", (m) => m.name === "gfm" || m.name === "generic2010"],
  ["Pre-sliding and dynamics", (m) => !!m.properties["presliding"]],
  ["Static laws and exact stick", () => true],
];

export function ModelChoice({ value, onChange, only }: Props) {
  const all = useMemo(() => (models.value?.models ?? []).filter((m) => !only || only.includes(m.name)), [models.value, only?.join()]);
  const options = useMemo(() => { // rendered once: there are many
    const taken = new Set<string>();
    return families.map(([title, has]) => {
      const list = all.filter((m) => !taken.has(m.name) && has(m));
      list.forEach((m) => taken.add(m.name));
      return list.length ? <optgroup key={title} label={title}>{list.map((m) => <option key={m.name} value={m.name}>{m.title} ({m.name})</option>)}</optgroup> : null;
    });
  }, [all]);
  return (
    <div class="field wide">
      <label for="model">Model</label>
      <select id="model" value={value.model} onChange={(e) => {
        const m = all.find((x) => x.name === e.currentTarget.value);
        if (!m) return;
        const kept: Record<string, Setting> = {}; // numbers of the same name stay, if they are numbers in both
        for (const p of m.parameters) if (p.kind === "real" && p.required && typeof value.values[p.name] === "number") kept[p.name] = value.values[p.name]!;
        if (m.name === "gfm" || m.name === "generic2010") kept["asperities"] = 300; // the experiments take seconds with thousands
        onChange(typical(m, kept));
      }}>
        {options}
      </select>
    </div>
  );
}

function referenceOf(f: Field, sizes: Record<string, number> | undefined): number {
  const v = f.typical;
  if (typeof v === "number" && v !== 0) return Math.abs(v);
  const s = sizes ?? {}, F = s["force"] ?? 1, V = s["velocity"] ?? 1, X = s["travel"] ?? 1;
  const by: Record<string, number> = { N: F, "m/s": V, m: X, s: X / V, "N/m": F / X, "N s/m": F / V, kg: 1 };
  return by[f.unit] ?? 1;
}

export function Parameters({ value, onChange, sizes }: Props) {
  const m = models.value?.models.find((x) => x.name === value.model);
  if (!m) return null;
  const set = (name: string, v: Setting | undefined) => onChange({ model: value.model, values: withWaived(m, { ...value.values, [name]: v }) });
  const row = (f: Field) => {
    const v = value.values[f.name];
    if (f.waived_by && isGiven(value.values[f.waived_by])) return null;
    if (f.kind === "choice")
      return (
        <div class="field wide" key={f.name}>
          <label for={`p-${f.name}`}>{f.name}</label>
          <select id={`p-${f.name}`} value={String(v ?? f.default ?? "")} onChange={(e) => set(f.name, e.currentTarget.value)}>
            {f.choices?.map((c) => <option key={c} value={c}>{c}</option>)}
          </select>
          <p class="about">{f.meaning}</p>
        </div>
      );
    if (f.kind === "boolean")
      return (
        <div class="field wide" key={f.name}>
          <label><input type="checkbox" checked={v === true} onChange={(e) => set(f.name, e.currentTarget.checked)} /> {f.name}</label>
          <p class="about">{f.meaning}</p>
        </div>
      );
    if (f.kind === "array") return <ArrayRows key={f.name} field={f} model={m} value={value} onChange={onChange} />;
    return (
      <NumberField key={f.name} name={f.name} unit={f.unit} meaning={f.meaning} value={typeof v === "number" ? v : undefined} off={f.required ? "" : f.follows ? "default" : "off"}
        reference={referenceOf(f, sizes)} min={f.min} max={f.max} whole={f.kind === "integer"} onChange={(x) => set(f.name, x)} />
    );
  };
  const required = m.parameters.filter((p) => p.required), optional = m.parameters.filter((p) => !p.required);
  return (
    <>
      {required.map(row)}
      {optional.length > 0 && (required.length > 0
        ? <details class="more"><summary>{optional.length} optional parameters</summary>{optional.map(row)}</details>
        : optional.map(row))}
    </>
  );
}

/// Parameters that another one replaces are missing where that is given, and typical where it is not.
function withWaived(m: Model, changed: Record<string, Setting | undefined>): Record<string, Setting> {
  const values: Record<string, Setting> = {};
  for (const [k, v] of Object.entries(changed)) if (v !== undefined) values[k] = v;
  for (const p of m.parameters) {
    if (!p.waived_by) continue;
    if (isGiven(values[p.waived_by])) delete values[p.name];
    else if (values[p.name] === undefined && p.typical !== null) values[p.name] = p.typical as Setting;
  }
  return values;
}

/// Optional arrays that are given together, such as the curves of elements: one number per element, from the common ones.
function begun(m: Model, values: Record<string, Setting>, names: string[]): Record<string, Setting> {
  const count = Math.max(1, ...m.parameters.filter((p) => p.kind === "array" && p.required).map((p) => (Array.isArray(values[p.name]) ? (values[p.name] as number[]).length : 0)));
  const share = m.parameters.find((p) => p.sum === 1), shares = share && Array.isArray(values[share.name]) ? (values[share.name] as number[]) : [];
  const out: Record<string, Setting | undefined> = { ...values };
  for (const name of names) {
    const f = m.parameters.find((p) => p.name === name)!, common = values[name.replace(/_i$/, "")];
    const whole = typeof common === "number" ? common : Math.max(0, f.min ?? 0), divided = f.unit === "N" || f.unit === "N/s";
    out[name] = Array.from({ length: count }, (_, i) => Math.max(f.min ?? -Infinity, whole * (divided ? (shares[i] ?? 1 / count) : 1)));
  }
  return withWaived(m, out);
}

function ArrayRows({ field, model, value, onChange }: { field: Field; model: Model } & Props) {
  const list = Array.isArray(value.values[field.name]) ? (value.values[field.name] as number[]) : [];
  const mates = model.parameters.filter((p) => p.kind === "array" && Array.isArray(value.values[p.name]) && (value.values[p.name] as number[]).length === list.length);
  const resize = (by: number) => {
    const values = { ...value.values };
    for (const p of mates) {
      const old = values[p.name] as number[];
      let next = by > 0 ? [...old, old[old.length - 1] ?? 1] : old.slice(0, -1);
      if (p.sum === 1) { // shares keep the sum 1
        const total = next.reduce((a, b) => a + b, 0);
        next = next.map((x) => x / total);
      }
      values[p.name] = next;
    }
    onChange({ model: value.model, values });
  };
  if (list.length === 0) {
    if (field.required) return null;
    const names = model.relations.find((r) => /given together/.test(r.rule) && r.parameters.includes(field.name))?.parameters ?? [field.name];
    if (names[0] !== field.name) return null;
    return <div class="field wide"><button type="button" class="small" onClick={() => onChange({ model: value.model, values: begun(model, value.values, names) })}>Give {names.join(", ")}</button><p class="about">{names.map((n) => model.parameters.find((p) => p.name === n)?.meaning).join("; ")}</p></div>;
  }
  const lead = mates[0]?.name === field.name && model.name !== "generic2010"; // its arrays are ranges of two numbers
  return (
    <fieldset class="array">
      <legend>{field.name} <span class="about">{field.meaning}</span></legend>
      {list.map((x, i) => (
        <NumberField key={i} name={`${field.name}${i + 1}`} unit={field.unit} meaning={`${field.meaning}, element ${i + 1}`} value={x} min={field.min} max={field.max}
          reference={Math.abs((Array.isArray(field.typical) ? (field.typical as number[])[Math.min(i, field.typical.length - 1)] : 1) ?? 1) || 1}
          onChange={(v) => v !== undefined && onChange({ model: value.model, values: { ...value.values, [field.name]: changed(list, i, v, field.sum === 1) } })} />
      ))}
      {!field.required && (
        <button type="button" class="small" onClick={() => {
          const names = model.relations.find((r) => /given together/.test(r.rule) && r.parameters.includes(field.name))?.parameters ?? [field.name];
          onChange({ model: value.model, values: withWaived(model, { ...value.values, ...Object.fromEntries(names.map((n) => [n, undefined])) }) });
        }}>Leave {field.name} out</button>
      )}
      {lead && (
        <div class="row">
          <button type="button" class="small" disabled={list.length >= 8} onClick={() => resize(1)}>Add an element</button>
          <button type="button" class="small" disabled={list.length <= 1} onClick={() => resize(-1)}>Remove the last element</button>
        </div>
      )}
    </fieldset>
  );
}

/// Shares keep the sum 1: the other elements give or take in proportion.
function changed(list: number[], i: number, v: number, shares: boolean): number[] {
  const rest = list.reduce((sum, y, k) => (k === i ? sum : sum + y), 0);
  if (!shares || list.length === 1 || rest <= 0 || v >= 1) return list.map((y, k) => (k === i ? v : y));
  return list.map((y, k) => (k === i ? v : (y * (1 - v)) / rest));
}

// The form of a scenario, from the lists of keys that the readers accept.
import { useState } from "preact/hooks";
import type { Field, KeyInfo, SectionInfo, TreeNode } from "../engine/types";
import { shownUnit } from "../plot/scale";
import { models } from "../state";
import { assign, canEdit, nodeAt, quoted } from "../toml";
import { rangeText } from "./number";

interface Props { text: string; root: TreeNode; sections: SectionInfo[]; onText(t: string): void }

const offered = ["", "friction", "friction.effects", "system", "drive", "load", "controller", "controller.sensor", "solver"];

const fromField = (f: Field): KeyInfo => ({
  name: f.name, forms: [f.kind === "choice" ? "word" : f.kind === "boolean" ? "boolean" : f.kind === "array" ? "numbers" : f.kind === "integer" ? "whole" : "number"],
  meaning: f.meaning, unit: f.unit, min: f.min ?? null, max: f.max ?? null, choices: f.choices ?? [], required: f.required, default: f.default === null || f.default === undefined ? "" : String(f.default),
  instead: [f.waived_by, f.or].filter((x) => x !== undefined),
});

function keysOf(s: SectionInfo, node: TreeNode | undefined): KeyInfo[] {
  const word = s.by ? node?.members?.find((m) => m.key === s.by)?.value : undefined;
  const group = s.groups.find((g) => g.word === (typeof word === "string" ? word : ""));
  const own = [...s.keys, ...(group?.keys ?? [])];
  if (s.path !== "friction") return own;
  const m = models.value?.models.find((x) => x.name === node?.members?.find((k) => k.key === "model")?.value);
  return [...own, ...(m?.parameters.map(fromField) ?? [])];
}
const simple = (k: KeyInfo) => k.name !== "*" && k.forms.some((f) => ["number", "whole", "boolean", "word", "text", "numbers"].includes(f)) && !k.forms.includes("table") || k.forms.includes("word");

export function Form({ text, root, sections, onText }: Props) {
  const known = sections.filter((s) => offered.includes(s.path)), present = known.filter((s) => s.path === "" || nodeAt(root, s.path.split(".")));
  const absent = known.filter((s) => !present.includes(s));
  return (
    <>
      {present.map((s) => <Section key={s.path} info={s} node={s.path ? nodeAt(root, s.path.split(".")) : root} text={text} root={root} onText={onText} />)}
      {absent.length > 0 && (
        <div class="row">
          <label>Add a section <select value="" onChange={(e) => { const p = e.currentTarget.value; if (p) onText(`${text.replace(/\s*$/, "")}\n\n[${p}]\n`); }}>
            <option value="">…</option>{absent.map((s) => <option key={s.path} value={s.path}>[{s.path}]</option>)}
          </select></label>
        </div>
      )}
      <p class="about">Figures, expectations and other sections are edited in the text.</p>
    </>
  );
}

function Section({ info, node, text, root, onText }: { info: SectionInfo; node: TreeNode | undefined } & Omit<Props, "sections">) {
  const keys = keysOf(info, node).filter(simple), has = (k: KeyInfo) => node?.members?.find((m) => m.key === k.name);
  const [failed, setFailed] = useState("");
  const set = (key: string, literal: string | undefined) => {
    const next = assign(text, root, info.path, key, literal);
    if (next === undefined) return setFailed(`${key}: edit it in the text`);
    setFailed("");
    onText(next);
  };
  const replaced = (k: KeyInfo) => k.instead.some((other) => node?.members?.some((m) => m.key === other));
  const rows = keys.filter((k) => has(k) || (k.required && !replaced(k))), others = keys.filter((k) => !rows.includes(k));
  return (
    <details open={info.path !== "" && info.path !== "solver"}>
      <summary>{info.path ? `[${info.path}]` : "Scenario"}</summary>
      <div class="keys">
        {rows.map((k) => <Row key={k.name} k={k} section={info.path} node={has(k)} text={text} onSet={(v) => set(k.name, v)} />)}
        {others.length > 0 && (
          <label class="about">Add <select value="" aria-label={`Add a key to ${info.path || "the scenario"}`} onChange={(e) => { const k = others.find((x) => x.name === e.currentTarget.value); if (k) set(k.name, start(k)); }}>
            <option value="">a key…</option>{others.map((k) => <option key={k.name} value={k.name}>{k.name}</option>)}
          </select></label>
        )}
        {failed && <p class="about wrong">{failed}</p>}
      </div>
    </details>
  );
}

function start(k: KeyInfo): string {
  if (k.forms.includes("word") && k.choices[0]) return quoted(k.choices[0]);
  if (k.forms.includes("boolean")) return "true";
  if (k.forms.includes("numbers")) return "[1.0]";
  if (k.forms.includes("number") || k.forms.includes("whole")) return /^-?[\d.]+(e-?\d+)?$/.test(k.default) ? k.default : k.forms.includes("whole") ? "1" : "1.0";
  return '""';
}

function Row({ k, section, node, text, onSet }: { k: KeyInfo; section: string; node: TreeNode | undefined; text: string; onSet(v: string | undefined): void }) {
  const id = `form-${section}-${k.name}`.replace(/\./g, "-"), v = node?.value;
  const editable = !node || canEdit(text, node, k.name), numeric = k.forms.includes("number") || k.forms.includes("whole");
  const [wrong, setWrong] = useState("");
  const commit = (typed: string) => {
    setWrong("");
    const t = typed.trim();
    if (t === String(v ?? "")) return;
    if (t === "") return onSet(undefined);
    if (/^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?$/.test(t) && numeric) return onSet(t.replace(/^\+/, "").replace(/^(-?)\./, "$10.").replace(/\.(?=$|[eE])/, ".0"));
    if (k.forms.includes("numbers")) {
      const list = t.replace(/^\[|\]$/g, "").split(",").map((x) => x.trim()).filter(Boolean);
      if (list.length && list.every((x) => Number.isFinite(Number(x)))) return onSet(`[${list.map((x) => String(Number(x))).join(", ")}]`);
    }
    if (k.forms.includes("text") || k.forms.includes("word")) return onSet(quoted(t));
    setWrong(numeric ? "a number is accepted" : "this value is not accepted");
  };
  const unit = shownUnit(k.unit);
  return (
    <div class="keyrow">
      <label for={id}><span class="symbol">{k.name}</span> <span class="unit">{unit}</span></label>
      {!editable ? <span class="about">edited in the text</span>
        : k.forms.includes("word") && !numeric ? (
          <select id={id} value={typeof v === "string" ? v : ""} onChange={(e) => onSet(quoted(e.currentTarget.value))}>
            {(typeof v !== "string" || !k.choices.includes(v)) && <option value={typeof v === "string" ? v : ""}>{typeof v === "string" ? v : "…"}</option>}
            {k.choices.map((c) => <option key={c} value={c}>{c}</option>)}
          </select>
        ) : k.forms.includes("boolean") && !numeric ? <input id={id} type="checkbox" checked={v === true} onChange={(e) => onSet(String(e.currentTarget.checked))} />
        : <input key={String(v)} id={id} type="text" class={numeric ? "exact" : ""} autoComplete="off" spellcheck={false} inputMode={numeric ? "decimal" : "text"} aria-invalid={wrong ? "true" : undefined}
            defaultValue={Array.isArray(v) ? v.join(", ") : v === undefined || v === null ? "" : String(v)} onBlur={(e) => commit(e.currentTarget.value)}
            onKeyDown={(e) => { if (e.key === "Enter") commit(e.currentTarget.value); }} />}
      <p class={wrong ? "about wrong" : "about"}>{wrong || [k.meaning, numeric ? rangeText(k.min, k.max) : "", k.required ? "required" : k.default ? `default ${k.default}` : ""].filter(Boolean).join("; ")}</p>
    </div>
  );
}

// Answers of the core.
export interface Problem { where: string; line: number; text: string }
export interface Field {
  name: string; unit: string; meaning: string; kind: string; required: boolean;
  default: unknown; typical: unknown; min?: number | null; max?: number | null; choices?: string[]; or?: string; sum?: number;
  waived_by?: string; // missing where this one is given (and not zero)
  follows?: string;   // the default is a multiple of this one
}
export interface Model {
  name: string; title: string; equations: string; notes: string; level: string; set_valued: boolean; random: boolean; fits: boolean;
  parameters: Field[]; states: Field[]; relations: { rule: string; parameters: string[] }[];
  properties: Record<string, boolean>; passive_if: string; references: string[]; variants: string[];
}
export interface Models {
  version: string; models: Model[]; properties: { name: string; meaning: string }[];
  experiments: { name: string; title: string; text: string }[];
}
export interface ColumnRef { name: string; unit: string; array: number; title?: string }
export interface ChartAnswer {
  name: string; title: string; at: string; x: string; y: string; xlog: boolean; ylog: boolean; points: boolean; columns: ColumnRef[];
}
export interface Quantity { name: string; value: number | null; unit: string; meaning: string }
export interface Measurement { experiment: string; failure: string; quantities: Quantity[]; charts: ChartAnswer[] }
export interface Experiments {
  model: string; sizes: { force: number; velocity: number; travel: number; mass: number }; measurements: Measurement[];
}
export interface Verdict {
  title: string; holds: boolean | null; number: number | null; threshold: number | null; rule: string; declared: boolean | null;
  note?: string; detail?: string;
}
export interface Findings { model: string; properties: Record<string, Verdict> }
export interface FigureSpec {
  x: string; y: string[]; title: string; xlabel: string; ylabel: string; legend: string[]; xlog: boolean; ylog: boolean;
  events: boolean; last: number;
}
export interface Summary {
  title: string; models: { name: string; model: string }[]; method: string; duration: number; rows: number; steps: number;
  rejected: number; events: Record<string, number>; final: Record<string, number | null>;
  energy: Record<string, number | null>; momentum: { error: number | null }; seconds: number; notes: string[];
  measures: Record<string, { value: number | null; unit: string; reason?: string }>;
  checks: { expect: string; computed: number | null; held: boolean; line: string }[]; held: boolean;
}
export interface RunAnswer {
  draft?: { until: number; duration: number }; // a preview: less exact, and perhaps only the beginning
  summary: Summary; system: string; rotational: boolean; columns: ColumnRef[];
  events: { t: number; kind: number; body: number; kinds: string[] }; figures: FigureSpec[];
}
export interface KeyInfo {
  name: string; forms: string[]; meaning: string; unit: string; min: number | null; max: number | null; choices: string[];
  required: boolean; default: string;
  instead: string[]; // one of these keys replaces it
}
export interface SectionInfo {
  path: string; heading: string; about: string; open: boolean; keys: KeyInfo[]; by: string;
  groups: { word: string; about: string; keys: KeyInfo[] }[];
}
export interface TreeNode {
  line: number; key?: string; value?: number | boolean | string | number[] | null; members?: TreeNode[]; items?: TreeNode[]; braces?: boolean;
}
export interface Finding { warning: boolean; text: string }
export interface RecordingAnswer {
  file?: { name: string; unit: string }[]; roles: Record<string, string>; findings: Finding[]; problems?: Problem[];
  rows: number; steady: boolean; rotational: boolean; quantity: string; unit: string; t: number; x: number; v: number; y: number;
}
export interface Estimate {
  name: string; value: number | null; unit: string; low: number | null; high: number | null; identifiable: boolean; at_bound: boolean;
  dropped: boolean; remark?: string;
}
export interface FitRow {
  model: string; parameters: number; rmse: number | null; relative_percent: number | null; r_squared: number | null;
  held_out_percent: number | null; held_out_rmse: number | null; converged: boolean; finished: boolean; seconds: number;
  friction: Estimate[]; body: Estimate[]; residual?: Record<string, { p: number; text: string }>; file: string; predicted: number[];
}
export interface FitAnswer {
  recommended: string; why: string; notes: string[]; not_determined: string[]; unfinished: string[]; fits: FitRow[];
  failed?: { model: string; message: string }[]; quantity: string; unit: string; ranking_csv: string;
  data: { file: string; rows: number; findings: Finding[] }[];
}

export type ToWorker =
  | { kind: "start"; module: WebAssembly.Module }
  | { id: number; kind: "file"; name: string; bytes: ArrayBuffer }
  | { id: number; kind: "call"; request: unknown };
export type FromWorker =
  | { id: number; kind: "answer"; json: Record<string, unknown>; arrays: Float64Array[]; ms: number }
  | { id: number; kind: "progress"; done: number; about: string }
  | { id: number; kind: "failure"; text: string };

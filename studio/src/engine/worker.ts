// One core per worker. The page compiles the module once and posts it.
import { Core } from "./core";
import type { FromWorker, ToWorker } from "./messages";

let core: Promise<Core> | undefined;
const post = (message: FromWorker, transfer: Transferable[] = []) => postMessage(message, { transfer });

onmessage = async ({ data }: MessageEvent<ToWorker>) => {
  if (data.kind === "start") {
    core = Core.start(data.module);
    return;
  }
  const { id } = data;
  try {
    if (!core) throw new Error("the core is not loaded");
    const ready = await core;
    if (data.kind === "file") {
      ready.file(data.name, new Uint8Array(data.bytes));
      post({ id, kind: "answer", json: {}, arrays: [], ms: 0 });
      return;
    }
    let last = 0;
    ready.progress = (done, about) => {
      const now = performance.now();
      if (now - last < 100) return;
      last = now;
      post({ id, kind: "progress", done, about });
    };
    const begin = performance.now(), { json, arrays } = ready.call(data.request);
    post({ id, kind: "answer", json, arrays, ms: performance.now() - begin }, arrays.map((a) => a.buffer as ArrayBuffer));
  } catch (error) {
    post({ id, kind: "failure", text: error instanceof Error ? error.message : String(error) });
  }
};

/**
 * Latency of a probe: asked of the application directly, and through the agent.
 *
 * @module
 */
import type { Agent } from "../../../scripts/harness/mod.ts";
import { percentile } from "../push/measure.ts";

/** Path of the probe at the agent. */
export const PROBE_PATH = "/app-health/app/readyz";

/** Starts an application that answers probes. */
export function startApplication(): Deno.HttpServer<Deno.NetAddr> {
  return Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen: () => {} },
    () => new Response("ready"),
  );
}

/** The value of `MESH_ORCH_APP_PROBERS` for an application. */
export function probers(port: number): string {
  return JSON.stringify({ [PROBE_PATH]: { httpGet: { path: "/", port }, timeoutSeconds: 5 } });
}

/** Asks a probe again and again, one request after the other; gives rows of times in ms. */
export async function probeRows(agent: Agent, port: number, count: number): Promise<string[]> {
  const cases = [
    ["application, directly", `http://127.0.0.1:${port}/`],
    ["agent, rewritten probe", agent.status + PROBE_PATH],
  ] as const;
  const rows: string[] = [];
  for (const [name, url] of cases) {
    await times(url, count / 10);
    const all = await times(url, count);
    const at = (share: number) => percentile(all, share).toFixed(2);
    rows.push(`| ${name} | ${at(0.5)} | ${at(0.99)} |`);
  }
  return rows;
}

async function times(url: string, count: number): Promise<number[]> {
  const all: number[] = [];
  for (let i = 0; i < count; i++) {
    const begin = performance.now();
    const answer = await fetch(url);
    await answer.body?.cancel();
    if (answer.status !== 200) throw new Error(`${url} answered ${answer.status}`);
    all.push(performance.now() - begin);
  }
  return all.sort((a, b) => a - b);
}

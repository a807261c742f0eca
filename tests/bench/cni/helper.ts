/**
 * Time and peak memory of the plugin's process on the node.
 *
 * @module
 */
import { cniHelper } from "../../../scripts/cluster/cni_helper.ts";
import type { PluginNode } from "../../orch/plugin/node.ts";
import { addCall, entryOf } from "../../orch/plugin/pod.ts";

/** One run of the process. */
export interface Peak {
  readonly ms: number;
  /** Largest resident memory that was seen, KiB. It ends soon, so it is read again and again. */
  readonly peakKib: number;
}

/** Runs ADD by the process alone, one pod after another: once for the time, once for the memory. */
export async function helperPeaks(
  node: PluginNode,
  pods: readonly { readonly space: string; readonly pod: string }[],
): Promise<Peak[]> {
  const program = await cniHelper();
  const peaks: Peak[] = [];
  for (const { space, pod } of pods) {
    const start = async () => await started(program, addCall(space, pod), entryOf(node));
    const before = performance.now();
    await ended(await start());
    const ms = performance.now() - before;
    const child = await start();
    let hasEnded = false;
    const end = ended(child).finally(() => hasEnded = true);
    let peakKib = 0;
    while (!hasEnded) peakKib = Math.max(peakKib, await peakOf(child.pid));
    await end;
    peaks.push({ ms, peakKib });
  }
  return peaks;
}

async function started(
  program: string,
  env: Record<string, string>,
  stdin: string,
): Promise<Deno.ChildProcess> {
  const child = new Deno.Command(program, {
    env,
    stdin: "piped",
    stdout: "null",
    stderr: "null",
  }).spawn();
  const writer = child.stdin.getWriter();
  await writer.write(new TextEncoder().encode(stdin));
  await writer.close();
  return child;
}

async function ended(child: Deno.ChildProcess): Promise<void> {
  if (!(await child.status).success) throw new Error("ADD by the plugin's process failed");
}

/** Zero for a process that has ended. */
async function peakOf(pid: number): Promise<number> {
  const text = await Deno.readTextFile(`/proc/${pid}/status`).catch(() => "");
  return Number(/^VmHWM:\s+(\d+) kB/m.exec(text)?.[1] ?? 0);
}

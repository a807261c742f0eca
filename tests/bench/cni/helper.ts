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

/** Runs ADD by the process alone, one pod after another. */
export async function helperPeaks(
  node: PluginNode,
  pods: readonly { readonly space: string; readonly pod: string }[],
): Promise<Peak[]> {
  const program = await cniHelper();
  const peaks: Peak[] = [];
  for (const { space, pod } of pods) {
    const start = performance.now();
    const child = new Deno.Command(program, {
      env: addCall(space, pod),
      stdin: "piped",
      stdout: "null",
      stderr: "null",
    }).spawn();
    const writer = child.stdin.getWriter();
    await writer.write(new TextEncoder().encode(entryOf(node)));
    await writer.close();
    let hasEnded = false;
    const status = child.status.finally(() => hasEnded = true);
    let peakKib = 0;
    while (!hasEnded) {
      peakKib = Math.max(peakKib, await peakOf(child.pid));
      await new Promise((resolve) => setTimeout(resolve, 1));
    }
    if (!(await status).success) throw new Error(`ADD of ${pod} failed`);
    peaks.push({ ms: performance.now() - start, peakKib });
  }
  return peaks;
}

/** Zero for a process that has ended. */
async function peakOf(pid: number): Promise<number> {
  const text = await Deno.readTextFile(`/proc/${pid}/status`).catch(() => "");
  return Number(/^VmHWM:\s+(\d+) kB/m.exec(text)?.[1] ?? 0);
}

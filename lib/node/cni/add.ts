/**
 * ADD and CHECK of a pod.
 *
 * @module
 */
import { messageOf } from "../../kit/base/mod.ts";
import { sleep } from "../../kit/async/mod.ts";
import { scope } from "../../kit/log/mod.ts";
import { capturePod, inspectPod } from "./apply.ts";
import { isObject, type JsonObject } from "./config.ts";
import type { ContainerCall } from "./call.ts";
import { decide } from "./decide.ts";
import { CNI_CODE, CniFault } from "./fault.ts";
import { oneByOne } from "./one_by_one.ts";
import { isPod, podName } from "./pods.ts";
import type { CniPod, PluginDeps, PodContainer, PodRef } from "./types.ts";

const log = scope("cni-plugin");

/** Code of CHECK when the rules are not as planned; the standard leaves codes from 100 to plugins. */
export const RULES_CODE = 101;

/** A pod whose traffic is captured, and where. */
interface Captured {
  readonly pod: CniPod;
  readonly proxy: PodContainer;
  /** Path of its network namespace, as this process sees it. */
  readonly seen: string;
}

/** Two calls for one network namespace would both see it without rules. */
const inTurn = oneByOne();

/** Sets the rules of a pod. */
export async function addPod(
  call: ContainerCall,
  deps: PluginDeps,
  signal: AbortSignal,
): Promise<void> {
  if (call.config.ambientEnabled && deps.ambient === undefined) {
    throw new CniFault(CNI_CODE.field, "ambient_enabled: true, and the agent is without it", {
      remedy: "Give --ambient-enabled to install-cni, or take the field out of its template.",
    });
  }
  const captured = await capturedPod(call, deps, signal, (pod, seen) => {
    return addAmbient({ pod, seen, addresses: addressesOf(call.config.prevResult) }, deps);
  });
  if (captured === undefined) return;
  const { pod, proxy, seen } = captured;
  const { nameservers } = deps;
  const applied = await inTurn(seen, async () => {
    stopIfGone(signal);
    await deps.paths.check(seen);
    return await capturePod({ pod, proxy, runner: deps.runnerFor(seen), nameservers });
  });
  log.info("the rules are in place", { pod: podName(call.pod), applied });
}

/** A pod that may be in ambient mode, in its network namespace. */
export interface StartingPod {
  readonly pod: CniPod;
  readonly seen: string;
  readonly addresses: readonly string[];
}

/**
 * Takes a pod into ambient mode if its labels say so.
 *
 * @throws {CniFault} 11 if it cannot be taken: its containers must not start outside of the mesh
 */
export async function addAmbient(
  { pod, seen, addresses }: StartingPod,
  { ambient, paths }: Pick<PluginDeps, "ambient" | "paths">,
): Promise<boolean> {
  if (ambient === undefined) return false;
  const { namespace = "", name } = pod.metadata;
  try {
    await paths.check(seen);
    return await ambient.addStarting(pod, seen, addresses);
  } catch (cause) {
    const message = `pod ${namespace}/${name} cannot enter ambient mode: ${messageOf(cause)}`;
    throw new CniFault(CNI_CODE.again, message, {
      remedy: "The kubelet tries again. Check the pod of the DaemonSet ztunnel on this node.",
      cause,
    });
  }
}

/** Checks the rules of a pod. */
export async function checkPod(
  call: ContainerCall,
  deps: PluginDeps,
  signal: AbortSignal,
): Promise<void> {
  if (call.config.prevResult === undefined) {
    throw new CniFault(CNI_CODE.config, "prevResult: CHECK needs the result of ADD", {
      remedy: "The container runtime must give the result that it got from ADD.",
    });
  }
  const captured = await capturedPod(call, deps, signal);
  if (captured === undefined) return;
  const { pod, proxy, seen } = captured;
  const { nameservers } = deps;
  const faults = await inTurn(seen, async () => {
    await deps.paths.check(seen);
    return await inspectPod({ pod, proxy, runner: deps.runnerFor(seen), nameservers });
  });
  if (faults.length === 0) return;
  const shown = faults.slice(0, 5).join("; ");
  throw new CniFault(
    RULES_CODE,
    `pod ${podName(call.pod)}: its rules are not as planned: ${shown}`,
    {
      remedy: "Delete the pod, so that it is created again with its rules.",
    },
  );
}

/** The pod, if its traffic is captured. */
async function capturedPod(
  { config, netns, pod: ref }: ContainerCall,
  deps: PluginDeps,
  signal: AbortSignal,
  withoutSidecar: (pod: CniPod, seen: string) => Promise<boolean> = () => Promise.resolve(false),
): Promise<Captured | undefined> {
  if (ref === undefined) return skipped(ref, "it is not a pod of the orchestrator");
  const { namespace } = ref;
  if (deps.excludeNamespaces.has(namespace) || config.excludeNamespaces.includes(namespace)) {
    return skipped(ref, `namespace ${namespace} is excluded`);
  }
  const seen = deps.paths.map(netns);
  const pod = await readPod(ref, deps, signal);
  const decision = decide(pod);
  if (decision.kind === "skip") {
    if (await withoutSidecar(pod, seen)) return undefined;
    return skipped(ref, decision.reason);
  }
  return { pod, proxy: decision.proxy, seen };
}

function skipped(ref: PodRef | undefined, reason: string): undefined {
  log.debug("the pod is left alone", { pod: podName(ref), reason });
  return undefined;
}

/** The addresses that the plugins before gave the pod. */
function addressesOf(result: JsonObject | undefined): readonly string[] {
  const ips: unknown = result?.ips;
  if (!Array.isArray(ips)) return [];
  return ips.flatMap((one) => {
    const address: unknown = isObject(one) ? one.address : undefined;
    return typeof address === "string" ? [address.replace(/\/.*/, "")] : [];
  });
}

/** Reads the pod of this id; the API server may be behind the kubelet. */
export async function readPod(
  ref: PodRef,
  { pods, retry = { attempts: 30, pauseMs: 1000 } }: PluginDeps,
  signal: AbortSignal,
): Promise<CniPod> {
  let reason = "";
  for (let attempt = 1; attempt <= retry.attempts; attempt++) {
    stopIfGone(signal);
    try {
      const pod = await pods.read(ref, signal);
      if (pod !== undefined && isPod(pod, ref)) return pod;
      reason = pod === undefined ? "there is no such pod" : "another pod has its name";
    } catch (error) {
      reason = messageOf(error);
    }
    log.debug("the pod cannot be read", { pod: podName(ref), attempt, reason });
    if (attempt < retry.attempts) await sleep(retry.pauseMs, signal);
  }
  stopIfGone(signal);
  throw new CniFault(CNI_CODE.again, `pod ${podName(ref)} cannot be read: ${reason}`, {
    remedy: "The kubelet tries again if the pod is still there. Check that install-cni reaches " +
      "the API server and may read pods.",
  });
}

function stopIfGone(signal: AbortSignal): void {
  if (!signal.aborted) return;
  throw new CniFault(CNI_CODE.again, "the container runtime has given up the call", {
    remedy: "It calls again if the pod is still there.",
  });
}

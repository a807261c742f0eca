/**
 * The rules of a pod in its network namespace.
 *
 * @module
 */
import {
  type Applied,
  applyCapture,
  type CapturePlan,
  type CaptureSettings,
  chooseVariant,
  cleaningPlan,
  inspectCapture,
  planCapture,
  readHost,
  type Runner,
} from "../capture/mod.ts";
import { nameserversOf } from "./nameservers.ts";
import { captureSettingsOf } from "./pod_capture.ts";
import type { CniPod, NodeNameservers, PodContainer } from "./types.ts";

/** User of the proxy in images that have one. */
const PROXY_USER = "mesh-proxy";

/** A pod whose traffic is captured. */
export interface CapturePodOptions {
  readonly pod: CniPod;
  /** The container that `decide` found. */
  readonly proxy: PodContainer;
  /** Runs programs in the network namespace of the pod. */
  readonly runner: Runner;
  readonly nameservers: NodeNameservers;
}

/** Sets the rules of a pod. Rules of Mesh that are there already are replaced if they differ. */
export async function capturePod(options: CapturePodOptions): Promise<Applied> {
  const { plan, settings, nameservers } = await planOf(options);
  return await applyCapture(plan, {
    runner: options.runner,
    variant: await chooseVariant(options.runner),
    reconcile: true,
    force: false,
    former: cleaningPlan(settings, nameservers),
  });
}

/** Lists what is missing or differs from the rules of a pod. */
export async function inspectPod(options: CapturePodOptions): Promise<readonly string[]> {
  const { runner } = options;
  const { plan } = await planOf(options);
  return await inspectCapture(plan, { runner, variant: await chooseVariant(runner) });
}

async function planOf({ pod, proxy, runner, nameservers }: CapturePodOptions): Promise<
  { plan: CapturePlan; settings: CaptureSettings; nameservers: readonly string[] }
> {
  const servers = nameserversOf(pod, nameservers);
  const host = await readHost({
    namespace: runner,
    proxyUser: PROXY_USER,
    withoutNameservers: true,
  });
  const settings = captureSettingsOf({ pod, proxy, nameservers: servers }, host);
  return { plan: planCapture(settings), settings, nameservers: servers ?? [] };
}

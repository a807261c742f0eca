/**
 * The rules of pods in their network namespaces.
 *
 * @module
 */
import {
  type Applied,
  applyCapture,
  chooseVariant,
  cleanCapture,
  type Family,
  inspectCapture,
  type Runner,
} from "../capture/mod.ts";
import { emptyPlan, planPod, type PodPlanSettings } from "./plan.ts";

/** Changes of the rules in the network namespace of a pod. */
export interface PodRules {
  /** Redirects to the node proxy. Doing it again changes nothing. */
  enter(): Promise<Applied>;
  /** Redirects no longer. What the node proxy serves already goes on. */
  leave(): Promise<void>;
  /** Takes everything away. */
  remove(): Promise<void>;
  /** Lists what is missing or differs; empty: the pod is redirected as planned. */
  inspect(): Promise<readonly string[]>;
}

/**
 * The rules of one pod.
 *
 * @param runner runs programs in the network namespace of the pod
 * @param ipv6 set rules for IPv6, too, if the pod has it
 */
export function podRules(
  runner: Runner,
  settings: Omit<PodPlanSettings, "families" | "redirects">,
  ipv6: boolean,
): PodRules {
  const plan = async (redirects: boolean) =>
    planPod({ ...settings, redirects, families: await familiesOf(runner, ipv6) });
  const options = async () => ({ runner, variant: await chooseVariant(runner) });
  const apply = async (redirects: boolean) =>
    await applyCapture(await plan(redirects), {
      ...await options(),
      reconcile: true,
      force: false,
    });
  return {
    enter: () => apply(true),
    leave: async () => {
      await apply(false);
    },
    remove: async () => {
      // Rules of IPv6 may be from a time with other settings.
      await cleanCapture(emptyPlan([4, 6]), await options());
    },
    inspect: async () => await inspectCapture(await plan(true), await options()),
  };
}

/** IPv6 counts if an interface besides loopback has any address of it. */
async function familiesOf(runner: Runner, ipv6: boolean): Promise<readonly Family[]> {
  if (!ipv6) return [4];
  const { stdout } = await runner.run({ argv: ["ip", "-6", "-o", "addr", "show"] });
  const has = stdout.split("\n").some((line) => / inet6 /.test(line) && !/^\d+: lo\b/.test(line));
  return has ? [4, 6] : [4];
}

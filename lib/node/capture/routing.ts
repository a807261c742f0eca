/**
 * Policy routing for TPROXY, and addresses on the loopback interface. Every step is done only when
 * it is missing, and undone only when it is there.
 *
 * @module
 */
import type { CapturePlan, Family, MarkRouting } from "./rule.ts";
import { output, type Runner } from "./runner.ts";

/** A change that can be made and undone. */
export interface RoutingStep {
  readonly add: readonly string[];
  readonly remove: readonly string[];
  /** Command that lists what is there. */
  readonly list: readonly string[];
  /** Reports if the output of `list` has it. */
  readonly isThere: (output: string) => boolean;
}

export function routingSteps(plan: CapturePlan): readonly RoutingStep[] {
  const { routing } = plan;
  const families = plan.families.map(({ family }) => family);
  return [
    ...routing ? families.flatMap((family) => markSteps(family, routing)) : [],
    ...plan.loopbackAddresses.map((address) => addressStep(address)),
  ];
}

/** Packets with the mark are delivered locally, at any address. */
function markSteps(
  family: Family,
  { mark, mask, table, preference }: MarkRouting,
): readonly RoutingStep[] {
  const ip = ["ip", "-f", family === 4 ? "inet" : "inet6"];
  const bits = mask === undefined ? "" : `/0x${mask.toString(16)}`;
  const rule = [
    ...["fwmark", `${mark}${bits}`, "lookup", String(table)],
    ...preference === undefined ? [] : ["pref", String(preference)],
  ];
  const route = ["local", "default", "dev", "lo", "table", String(table)];
  const rulePattern = new RegExp(`fwmark 0x${mark.toString(16)}${bits} lookup ${table}\\b`);
  return [
    {
      add: [...ip, "rule", "add", ...rule],
      remove: [...ip, "rule", "del", ...rule],
      list: [...ip, "rule", "list"],
      isThere: (text) => rulePattern.test(text),
    },
    {
      add: [...ip, "route", "add", ...route],
      remove: [...ip, "route", "del", ...route],
      list: [...ip, "route", "show", "table", String(table)],
      isThere: (text) => /^local default dev lo/m.test(text),
    },
  ];
}

function addressStep(address: string): RoutingStep {
  const text = address.split("/")[0] ?? "";
  const ip = ["ip", "-6", "addr"];
  return {
    add: [...ip, "add", address, "dev", "lo"],
    remove: [...ip, "del", address, "dev", "lo"],
    list: [...ip, "show", "dev", "lo"],
    isThere: (listed) => listed.includes(` ${text}/`),
  };
}

/** Steps of the plan that are missing. */
export async function missingSteps(
  runner: Runner,
  plan: CapturePlan,
): Promise<readonly RoutingStep[]> {
  return await stepsThat(runner, plan, false);
}

/** Adds what is missing. */
export async function addRouting(runner: Runner, plan: CapturePlan): Promise<void> {
  for (const step of await missingSteps(runner, plan)) await output(runner, { argv: step.add });
}

/** Removes what is there. */
export async function removeRouting(runner: Runner, plan: CapturePlan): Promise<void> {
  for (const step of await stepsThat(runner, plan, true)) {
    await output(runner, { argv: step.remove });
  }
}

async function stepsThat(runner: Runner, plan: CapturePlan, there: boolean) {
  const found: RoutingStep[] = [];
  for (const step of routingSteps(plan)) {
    // A routing table that does not exist is an error of `ip`, and means that nothing is there.
    const { stdout } = await runner.run({ argv: step.list });
    if (step.isThere(stdout) === there) found.push(step);
  }
  return found;
}

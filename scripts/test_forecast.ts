/**
 * The first lines of a run of tests: how long it will take, and which tests will be skipped
 * because the machine lacks something. Pure.
 *
 * @module
 */

import { type PlannedTier, planOf, secondsOf } from "./test_plan.ts";

/** A tier, as the forecast knows it. */
export interface TierFacts extends PlannedTier {
  readonly cluster?: boolean;
  readonly nodes?: boolean;
}

/** The machine, as the forecast knows it. */
export interface MachineFacts {
  readonly cores: number;
  /** Bytes. */
  readonly memory: number;
  readonly isRoot: boolean;
  readonly hasGo: boolean;
  /** Why tests with an API server would be skipped now: their programs are not built, or Go lacks. */
  readonly lackingCluster: string | undefined;
  /** The same for tests with nodes. */
  readonly lackingNodes: string | undefined;
  /** True if the machine can run nodes once their programs are built. */
  readonly canBuildNodes: boolean;
  /** Programs of the system that some tests run and the machine does not have. */
  readonly missingPrograms: readonly string[];
}

/** Seconds that the programs of a cluster and of nodes take to build, on two cores. */
const BUILD_SECONDS = { cluster: 360, nodes: 240 };

/** The lines that a run starts with. */
export function forecast(tiers: readonly TierFacts[], machine: MachineFacts): string[] {
  const skipped = (tier: TierFacts): boolean => reasonOf(tier, machine) !== undefined;
  const running = tiers.filter((tier) => !skipped(tier));
  const tests = secondsOf(planOf(running, machine.memory));
  const build = buildSeconds(running, machine);
  const built = build === 0 ? "" : `, ${minutes(build)} of them to build programs`;
  const cores = machine.cores === 2
    ? "on two cores"
    : `as measured on two cores; here are ${machine.cores === 1 ? "one" : machine.cores}`;
  return [
    `about ${minutes(tests + build)} (${cores}${built})`,
    ...tiers.filter(skipped).map((tier) => `skipped: ${tier.name} (${reasonOf(tier, machine)})`),
    ...someSkipped(machine),
  ];
}

/** Why the tests of a tier will be skipped; `undefined`: they run. */
function reasonOf(tier: TierFacts, machine: MachineFacts): string | undefined {
  if (tier.nodes === true && !machine.canBuildNodes) return machine.lackingNodes;
  const needsGo = tier.cluster === true || tier.nodes === true;
  const lacking = tier.nodes === true ? machine.lackingNodes : machine.lackingCluster;
  return needsGo && lacking !== undefined && !machine.hasGo ? "needs Go 1.21 or newer" : undefined;
}

function buildSeconds(tiers: readonly TierFacts[], machine: MachineFacts): number {
  const needsCluster = tiers.some((tier) => tier.cluster === true || tier.nodes === true);
  const needsNodes = tiers.some((tier) => tier.nodes === true);
  return (needsCluster && machine.lackingCluster !== undefined ? BUILD_SECONDS.cluster : 0) +
    (needsNodes && machine.lackingNodes !== undefined ? BUILD_SECONDS.nodes : 0);
}

/** Lines for tests that are skipped in tiers that run. */
function someSkipped(machine: MachineFacts): string[] {
  const reasons = machine.missingPrograms.map((program) => `needs ${program}`);
  if (!machine.isRoot) reasons.unshift("needs root: network namespaces");
  return reasons.map((reason) => `skipped: some tests (${reason})`);
}

function minutes(seconds: number): string {
  const count = Math.max(1, Math.round(seconds / 60));
  return count === 1 ? "1 minute" : `${count} minutes`;
}

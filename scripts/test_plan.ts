/**
 * Stages and lanes of a run: tiers of tests that run at the same time. Pure.
 *
 * @module
 */

/** A tier, as the plan knows it. */
export interface PlannedTier {
  readonly name: string;
  /** Seconds that it takes alone on two cores, with all programs built. */
  readonly seconds: number;
  /** Seconds of processor time that it takes. */
  readonly cpu: number;
  /** `beside`: it waits much, so others run beside it. `last`: it compares times, so none do. */
  readonly place?: "beside" | "last";
}

/** Tiers that run one after the other. */
export type Lane<T> = readonly T[];

/** Lanes that run at the same time. The first one has precedence at the processors. */
export type Stage<T> = readonly Lane<T>[];

/** Memory of a machine (bytes) on which a cluster with nodes and another tier fit. */
const ENOUGH = 12 * 1024 ** 3;

/**
 * The stages of a run, one after the other. Tiers that wait come first in the lane beside those of
 * clusters; one that uses all processors comes last, so that they are busy when the other lane is done.
 */
export function planOf<T extends PlannedTier>(tiers: readonly T[], memory: number): Stage<T>[] {
  const at = (place: PlannedTier["place"]): T[] => tiers.filter((tier) => tier.place === place);
  const [beside, others, last] = [at("beside"), at(undefined), at("last")];
  if (beside.length === 0 || others.length === 0 || memory < ENOUGH) return [[tiers]];
  const ordered = others.toSorted((a, b) => a.cpu / a.seconds - b.cpu / b.seconds);
  return [[beside, ordered], ...last.length === 0 ? [] : [[last]]];
}

/** Seconds that the stages take on two cores. */
export function secondsOf(stages: readonly Stage<PlannedTier>[]): number {
  const sum = (lane: Lane<PlannedTier>, key: "seconds" | "cpu"): number =>
    lane.reduce((total, tier) => total + tier[key], 0);
  return stages.reduce((total, stage) => {
    const lanes = stage.map((lane) => sum(lane, "seconds"));
    const cpu = sum(stage.flat(), "cpu");
    return total + Math.max(cpu / 2, ...lanes);
  }, 0);
}

/**
 * Bringing a network namespace to the state of a plan, and back.
 *
 * @module
 */
import { MeshError } from "../../kit/base/mod.ts";
import { scope } from "../../kit/log/mod.ts";
import { compare, removalText, replacementText, rollbackText } from "./drift.ts";
import { restoreText } from "./render.ts";
import { addRouting, missingSteps, removeRouting } from "./routing.ts";
import { planCapture } from "./plan.ts";
import type { CapturePlan, Family, FamilyPlan } from "./rule.ts";
import { output, type Runner } from "./runner.ts";
import { parseSaved, type SavedTables } from "./saved.ts";
import type { CaptureSettings } from "./settings.ts";
import { type Programs, programsOf, type Variant } from "./variant.ts";

/** Options of {@link applyCapture}. */
export interface ApplyOptions {
  readonly runner: Runner;
  readonly variant: Variant;
  /** Replace rules that differ. Otherwise they are an error. */
  readonly reconcile: boolean;
  /** Replace rules that are as planned, too. */
  readonly force: boolean;
  /** {@link cleaningPlan}: what other settings of Mesh may have left. Default: nothing is known. */
  readonly former?: CapturePlan;
}

/** Result of {@link applyCapture}. */
export type Applied = "applied" | "replaced" | "in-place";

interface FamilyState {
  readonly plan: FamilyPlan;
  readonly programs: Programs;
  readonly saved: SavedTables;
}

const log = scope("iptables");

/**
 * Applies a plan. Doing it again changes nothing.
 *
 * @throws {MeshError} `capture-drift` when rules of Mesh are in place that differ from the plan;
 * `capture-failed` when a program fails, after the rules from before were brought back
 */
export async function applyCapture(plan: CapturePlan, options: ApplyOptions): Promise<Applied> {
  const { runner, former } = options;
  const families = plan.families.map((family) => ({
    ...family,
    former: former?.families.find((other) => other.family === family.family)?.rules ?? [],
  }));
  const states = (await readStates({ ...plan, families }, options)).map((state) => ({
    ...state,
    ...compare(state.plan, state.saved),
  }));
  const found = states.flatMap(({ plan, present, differences }) =>
    present ? differences.map((text) => `IPv${plan.family}: ${text}`) : []
  );
  if (found.length > 0 && !options.reconcile && !options.force) throw drift(found);
  for (const difference of found) log.info("differs from the plan", { difference });
  const changed = states.filter(({ differences }) => options.force || differences.length > 0);
  if (changed.length === 0 && (await missingSteps(runner, plan)).length === 0) {
    log.info("the rules are in place already");
    return "in-place";
  }
  try {
    await addRouting(runner, plan);
    for (const { plan: family, programs, saved, present } of changed) {
      await restore(
        runner,
        programs,
        present ? replacementText(family, saved) : restoreText(family),
      );
    }
    if (former?.routing !== undefined && plan.routing === undefined) {
      await removeRouting(runner, { ...former, loopbackAddresses: [] });
    }
  } catch (error) {
    await undo(plan, changed, options).catch((second: Error) => {
      log.error("undoing a failed attempt failed too", { reason: second.message });
    });
    throw error;
  }
  return changed.some(({ present }) => present) ? "replaced" : "applied";
}

/** Brings back what was in place before a failed attempt: nothing, or rules that capture. */
async function undo(
  plan: CapturePlan,
  changed: readonly (FamilyState & { readonly present: boolean })[],
  { runner }: ApplyOptions,
): Promise<void> {
  for (const { plan: family, programs, saved } of changed) {
    const now = parseSaved(await output(runner, { argv: [programs.save] }));
    const text = rollbackText(family, saved, now);
    if (text !== "") await restore(runner, programs, text);
  }
  if (!changed.some(({ present }) => present)) await removeRouting(runner, plan);
}

/**
 * Compares a network namespace with a plan, and changes nothing.
 *
 * @returns what is missing or differs; empty if everything is as planned
 */
export async function inspectCapture(
  plan: CapturePlan,
  options: Pick<ApplyOptions, "runner" | "variant">,
): Promise<readonly string[]> {
  const states = await readStates(plan, options);
  const missing = await missingSteps(options.runner, plan);
  return [
    ...states.flatMap(({ plan, saved }) =>
      compare(plan, saved).differences.map((text) => `IPv${plan.family}: ${text}`)
    ),
    ...missing.map(({ add }) => `missing: ${add.join(" ")}`),
  ];
}

function drift(differences: readonly string[]): MeshError {
  const shown = differences.slice(0, 10).map((text) => `\n  ${text}`).join("");
  const more = differences.length > 10 ? `\n  and ${differences.length - 10} more` : "";
  return new MeshError(
    "capture-drift",
    `rules of Mesh are in place that differ from the plan:${shown}${more}`,
    {
      remedy: "Give --reconcile to replace them, or --cleanup-only with the flags that made them " +
        "to remove them.",
    },
  );
}

/**
 * Removes the chains of Mesh, the rules of the plan in chains of the kernel, and its routing. Other
 * rules stay as they are.
 *
 * @returns true when there was something to remove
 */
export async function cleanCapture(
  plan: CapturePlan,
  options: Pick<ApplyOptions, "runner" | "variant">,
): Promise<boolean> {
  let removed = false;
  for (const family of plan.families) {
    const programs = programsOf(options.variant, family.family);
    const saved = await options.runner.run({ argv: [programs.save] });
    // A kernel without this IP version has nothing to remove.
    if (saved.code !== 0) continue;
    const text = removalText(family, parseSaved(saved.stdout));
    if (text === "") continue;
    removed = true;
    await restore(options.runner, programs, text);
  }
  await removeRouting(options.runner, plan);
  return removed;
}

/**
 * The plan that cleaning is done by: every rule that these settings lead to, in both modes, with any
 * capture of DNS and with tracing, for both IP versions.
 */
export function cleaningPlan(
  settings: CaptureSettings,
  nameservers: readonly string[],
): CapturePlan {
  const inbound = settings.inbound.length > 0 ? settings.inbound : "all";
  const servers = settings.dns?.servers ?? nameservers;
  const plans = (["REDIRECT", "TPROXY"] as const).flatMap((mode) =>
    [true, false].map((all) =>
      planCapture({ ...settings, mode, inbound, ipv6: true, trace: true, dns: { all, servers } })
    )
  );
  const rulesOf = (family: Family) =>
    plans.flatMap((plan) => plan.families).filter((plan) => plan.family === family)
      .flatMap(({ rules }) => rules);
  return {
    families: ([4, 6] as const).map((family) => ({ family, rules: rulesOf(family) })),
    routing: { mark: settings.mark, table: settings.routeTable },
    loopbackAddresses: plans[0]?.loopbackAddresses ?? [],
  };
}

async function readStates(
  plan: CapturePlan,
  { runner, variant }: Pick<ApplyOptions, "runner" | "variant">,
): Promise<readonly FamilyState[]> {
  const states: FamilyState[] = [];
  for (const family of plan.families) {
    const programs = programsOf(variant, family.family);
    const saved = parseSaved(await output(runner, { argv: [programs.save] }));
    states.push({ plan: family, programs, saved });
  }
  return states;
}

async function restore(runner: Runner, { restore }: Programs, text: string): Promise<void> {
  await output(runner, { argv: [restore, "--noflush", "-w"], stdin: text });
}

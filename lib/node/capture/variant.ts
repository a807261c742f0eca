/**
 * Choice between the two implementations of iptables.
 *
 * @module
 */
import { MeshError } from "../../kit/base/mod.ts";
import { scope } from "../../kit/log/mod.ts";
import type { Family } from "./rule.ts";
import type { Runner } from "./runner.ts";
import { hasRules, parseSaved } from "./saved.ts";

/** An implementation: `nft` translates to nftables, `legacy` uses the old kernel interface. */
export type Variant = "nft" | "legacy" | "plain";

/** Programs of a variant for an IP version. */
export interface Programs {
  readonly save: string;
  readonly restore: string;
}

const log = scope("iptables");

/** Names of the programs; `plain` is the default of the distribution. */
export function programsOf(variant: Variant, family: Family): Programs {
  const name = `${family === 4 ? "iptables" : "ip6tables"}${
    variant === "plain" ? "" : `-${variant}`
  }`;
  return { save: `${name}-save`, restore: `${name}-restore` };
}

/**
 * Chooses a variant. Rules of both variants act, so the one that has rules already is used: nft
 * first, then legacy. Without rules nft is preferred, then legacy, then the plain name.
 *
 * @throws {MeshError} `capture-program` when there is no iptables
 */
export async function chooseVariant(runner: Runner): Promise<Variant> {
  const usable: Variant[] = [];
  for (const variant of ["nft", "legacy"] as const) {
    const saved = await savedRules(runner, variant);
    if (saved === undefined) continue;
    if (saved) return chosen(variant, "it has rules already");
    usable.push(variant);
  }
  if (usable[0] !== undefined) return chosen(usable[0], "no rules are in place");
  if (await savedRules(runner, "plain") !== undefined) return chosen("plain", "it is the only one");
  throw new MeshError("capture-program", "iptables cannot be run", {
    remedy: "Install iptables (iptables-save and iptables-restore) and run as root, or with the " +
      "capabilities NET_ADMIN and NET_RAW.",
  });
}

/** Variants that can be run: rules to remove may be in either. */
export async function usableVariants(runner: Runner): Promise<readonly Variant[]> {
  const usable: Variant[] = [];
  for (const variant of ["nft", "legacy"] as const) {
    if (await savedRules(runner, variant) !== undefined) usable.push(variant);
  }
  return usable.length > 0 ? usable : [await chooseVariant(runner)];
}

function chosen(variant: Variant, reason: string): Variant {
  log.debug("chose an implementation of iptables", { variant, reason });
  return variant;
}

/** Reports if a variant has rules of either IP version; `undefined` when it cannot be run. */
async function savedRules(runner: Runner, variant: Variant): Promise<boolean | undefined> {
  const v4 = await trySave(runner, programsOf(variant, 4).save);
  if (v4 === undefined) return undefined;
  return v4 || (await trySave(runner, programsOf(variant, 6).save) ?? false);
}

async function trySave(runner: Runner, save: string): Promise<boolean | undefined> {
  try {
    const { code, stdout } = await runner.run({ argv: [save] });
    return code === 0 ? hasRules(parseSaved(stdout)) : undefined;
  } catch (error) {
    if (error instanceof MeshError) return undefined;
    throw error;
  }
}

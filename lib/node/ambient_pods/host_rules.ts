/**
 * The rules in the network of the node: its probes of pods in ambient mode have an address of their own, by
 * which the rules of pods know them.
 *
 * The addresses of pods are rules of a chain, not elements of a set: that needs no kernel module and no
 * program besides iptables. The kernel asks the chain for the first packet of a connection alone.
 *
 * @module
 */
import { canonicalIp } from "../../kit/text/mod.ts";
import {
  chooseVariant,
  type Family,
  output,
  parseSaved,
  programsOf,
  type Runner,
  usableVariants,
} from "../capture/mod.ts";
import type { ProbeSources } from "./plan.ts";

const CHAIN = "MESH_POSTRT";

/** A pod whose probes are told from other connections. */
export interface ProbedPod {
  readonly uid: string;
  readonly addresses: readonly string[];
}

/** The rules of a node. */
export interface HostRules {
  /** Puts the addresses of pods in the place of those before; one change for the kernel. */
  replace(pods: readonly ProbedPod[]): Promise<void>;
  /** Takes everything away. */
  remove(): Promise<void>;
}

/**
 * The rules of the node.
 *
 * @param runner runs programs in the network namespace of the node
 * @param ipv6 set rules for IPv6, too
 */
export function hostRules(runner: Runner, sources: ProbeSources, ipv6: boolean): HostRules {
  const families: readonly Family[] = ipv6 ? [4, 6] : [4];
  return {
    async replace(pods) {
      const variant = await chooseVariant(runner);
      for (const family of families) {
        const { save, restore } = programsOf(variant, family);
        const saved = await runner.run({ argv: [save, "-t", "nat"] });
        // A kernel without this version of IP has no probes of it.
        if (saved.code !== 0 && family === 6) continue;
        const stdin = hostText(pods, sources[family], family, isCalled(saved.stdout));
        await output(runner, { argv: [restore, "--noflush", "-w"], stdin });
      }
    },
    async remove() {
      for (const variant of await usableVariants(runner)) {
        for (const family of [4, 6] as const) await removeFrom(runner, programsOf(variant, family));
      }
    },
  };
}

function isCalled(saved: string): boolean {
  const rules = parseSaved(saved).get("nat")?.rules ?? [];
  return rules.some(({ chain, target }) => chain === "POSTROUTING" && target === CHAIN);
}

/**
 * Input of `iptables-restore --noflush` that replaces the chain. Pure.
 *
 * @param called the kernel's chain calls it already
 */
export function hostText(
  pods: readonly ProbedPod[],
  source: string,
  family: Family,
  called: boolean,
): string {
  const rules = pods.flatMap(({ uid, addresses }) =>
    addresses.filter((one) => one.includes(":") === (family === 6)).map((address) =>
      [
        ...["-A", CHAIN, "-d", `${canonicalIp(address)}/${family === 4 ? 32 : 128}`, "-p", "tcp"],
        ...["-m", "owner", "--socket-exists", "-m", "comment", "--comment", uid],
        ...["-j", "SNAT", "--to-source", source],
      ].join(" ")
    )
  );
  return [
    "*nat",
    // The line empties a chain that is there.
    `:${CHAIN} - [0:0]`,
    ...called ? [] : [`-I POSTROUTING 1 -j ${CHAIN}`],
    ...rules,
    "COMMIT",
    "",
  ].join("\n");
}

async function removeFrom(
  runner: Runner,
  { save, restore }: { readonly save: string; readonly restore: string },
): Promise<void> {
  const saved = await runner.run({ argv: [save, "-t", "nat"] });
  const nat = saved.code === 0 ? parseSaved(saved.stdout).get("nat") : undefined;
  if (nat === undefined || !nat.chains.has(CHAIN)) return;
  const jumps = nat.rules.filter(({ target, chain }) => target === CHAIN && chain !== CHAIN);
  const lines = [
    ...jumps.map(({ chain, text }) => `-D ${chain} ${text}`),
    `-F ${CHAIN}`,
    `-X ${CHAIN}`,
  ];
  const stdin = ["*nat", ...lines, "COMMIT", ""].join("\n");
  await output(runner, { argv: [restore, "--noflush", "-w"], stdin });
}

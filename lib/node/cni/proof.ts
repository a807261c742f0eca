/**
 * Proves that the rules redirect.
 *
 * @module
 */
import { MeshError, messageOf } from "../../kit/base/mod.ts";
import { scope } from "../../kit/log/mod.ts";
import { gauge } from "../../kit/metrics/mod.ts";
import type { Runner } from "../capture/mod.ts";
import { capturePod } from "./apply.ts";
import { type IpVersion, makeScratch, SCRATCH } from "./scratch.ts";
import type { CniPod } from "./types.ts";

/** Options of {@link selfTest}. */
export interface SelfTestOptions {
  readonly signal: AbortSignal;
  /** Versions of IP that the node has; default: IPv4. */
  readonly versions?: readonly IpVersion[];
  /** Path of the plugin's helper, which listens and connects; default: its place in the image. */
  readonly helper?: string;
  /** Longest time for the whole test; default 20 seconds. */
  readonly timeoutMs?: number;
}

/** Result of {@link selfTest}. */
export interface SelfTestResult {
  readonly ok: boolean;
  /** Empty if it succeeded; else a sentence for `/readyz` and the log, which names versions of IP. */
  readonly reason: string;
}

const log = scope("cni-agent");

const verified = gauge({
  name: "mesh_cni_redirection_verified",
  help:
    "1 if the last self-test showed that rules of pods redirect traffic of this version of IP " +
    "to the proxy, else 0. Versions that the node lacks have no value.",
  labels: ["family"],
});

const HELPER = "/opt/cni/bin/mesh-cni";

/** Addresses for documentation, RFC 5737 and RFC 3849: they are not assigned to hosts. */
const NOBODY: Readonly<Record<IpVersion, string>> = { 4: "192.0.2.1", 6: "2001:db8::1" };

/** A pod of which everything is captured, in both versions of IP. */
const POD: CniPod = {
  metadata: { name: "self-test", namespace: "mesh-system" },
  spec: {
    containers: [{ name: "mesh-proxy", env: [{ name: "MESH_DUAL_STACK", value: "true" }] }],
  },
};

/**
 * Makes a network namespace, sets the rules of a pod in it, and makes connections of each version of IP out
 * of it and into it: they must reach the redirect ports, with their original destinations. Sets the gauge
 * `mesh_cni_redirection_verified` of each version. Never throws.
 */
export async function selfTest(options: SelfTestOptions): Promise<SelfTestResult> {
  const { signal, versions = [4], timeoutMs = 20_000, helper = HELPER } = options;
  const within = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]);
  /** Versions that are not shown yet, each with the reason. */
  const open = new Map(versions.map((one) => [one, ""]));
  const late = `the self-test did not end within ${timeoutMs} ms`;
  await Promise.race([tryVersions(helper, open), expired(within)]);
  for (const one of versions) verified.set({ family: `IPv${one}` }, open.has(one) ? 0 : 1);
  const reason = [...open].map(([one, why]) => `IPv${one}: ${why || late}`).join("; ");
  const ok = reason === "";
  const families = versions.map((one) => `IPv${one}`).join(", ");
  if (ok) log.info("the rules of a pod redirect its traffic", { families });
  else log.error("the rules of a pod are not shown to redirect", { reason });
  return { ok, reason };
}

/** Tries the versions, each in namespaces of its own, and takes those out that succeed. */
async function tryVersions(helper: string, open: Map<IpVersion, string>): Promise<void> {
  for (const version of [...open.keys()]) {
    try {
      await tryVersion(helper, version);
      open.delete(version);
    } catch (error) {
      open.set(version, sentence(error));
    }
  }
}

async function tryVersion(helper: string, version: IpVersion): Promise<void> {
  await using scratch = await makeScratch(helper, version);
  const proxy = POD.spec?.containers?.[0] ?? { name: "mesh-proxy" };
  await capturePod({ pod: POD, proxy, runner: scratch.pod, nameservers: {} });
  const to = (address: string) => version === 6 ? `[${address}]:80` : `${address}:80`;
  await arrives({ from: scratch.pod, helper, to: to(NOBODY[version]), port: 15001 });
  await arrives({ from: scratch.client, helper, to: to(SCRATCH[version].pod), port: 15006 });
}

interface Trial {
  readonly from: Runner;
  readonly helper: string;
  readonly to: string;
  /** Redirect port that it must reach. */
  readonly port: number;
}

async function arrives({ from, helper, to, port }: Trial): Promise<void> {
  const { stdout, stderr } = await from.run({ argv: [helper, "self-test", "connect", to] });
  if (stdout.trim() === `${port} ${to}`) return;
  const said = stdout.trim() || stderr.trim() || "nothing";
  throw new MeshError(
    "cni-self-test",
    `a connection to ${to} did not reach port ${port} with its destination: ${said.slice(0, 300)}`,
    { remedy: "Check the kernel's modules for the table nat, and the implementation of iptables." },
  );
}

function sentence(error: unknown): string {
  const remedy = error instanceof MeshError ? error.remedy : undefined;
  return [messageOf(error), remedy].filter((part) => part !== undefined).join(". ");
}

function expired(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => {
    signal.addEventListener("abort", () => resolve(), { once: true });
  });
}

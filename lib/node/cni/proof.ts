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
import { makeScratch, SCRATCH } from "./scratch.ts";
import type { CniPod } from "./types.ts";

/** Options of {@link selfTest}. */
export interface SelfTestOptions {
  readonly signal: AbortSignal;
  /** Path of the plugin's helper, which listens and connects; default: its place in the image. */
  readonly helper?: string;
  /** Longest time for the whole test; default 20 seconds. */
  readonly timeoutMs?: number;
}

/** Result of {@link selfTest}. */
export interface SelfTestResult {
  readonly ok: boolean;
  /** Empty if it succeeded; else a sentence for `/readyz` and the log. */
  readonly reason: string;
}

const log = scope("cni-agent");

const verified = gauge({
  name: "mesh_cni_redirection_verified",
  help: "1 if the last self-test showed that rules of pods redirect traffic to the proxy, else 0.",
});

const HELPER = "/opt/cni/bin/mesh-cni";

/** An address for documentation, RFC 5737: it is not assigned to hosts. */
const NOBODY = "192.0.2.1";

/** A pod of which everything is captured. */
const POD: CniPod = {
  metadata: { name: "self-test", namespace: "mesh-system" },
  spec: { containers: [{ name: "mesh-proxy" }] },
};

/**
 * Makes a network namespace, sets the rules of a pod in it, and makes a connection out of it and one
 * into it: both must reach the redirect ports, with their original destinations. Sets the gauge
 * `mesh_cni_redirection_verified`. Never throws.
 */
export async function selfTest(options: SelfTestOptions): Promise<SelfTestResult> {
  const { signal, timeoutMs = 20_000, helper = HELPER } = options;
  const within = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]);
  const reason = await Promise.race([
    tryRules(helper).then(() => "", sentence),
    expired(within).then(() => `the self-test did not end within ${timeoutMs} ms`),
  ]);
  const ok = reason === "";
  verified.set(ok ? 1 : 0);
  if (ok) log.info("the rules of a pod redirect its traffic");
  else log.error("the rules of a pod are not shown to redirect", { reason });
  return { ok, reason };
}

async function tryRules(helper: string): Promise<void> {
  await using scratch = await makeScratch(helper);
  const proxy = POD.spec?.containers?.[0] ?? { name: "mesh-proxy" };
  await capturePod({ pod: POD, proxy, runner: scratch.pod, nameservers: {} });
  await arrives({ from: scratch.pod, helper, to: `${NOBODY}:80`, port: 15001 });
  await arrives({ from: scratch.client, helper, to: `${SCRATCH.pod}:80`, port: 15006 });
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

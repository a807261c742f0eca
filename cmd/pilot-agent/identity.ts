/**
 * The workload's certificate: obtained before the proxy starts, served to it, and shown to the
 * daemon.
 *
 * @module
 */
import { dirname } from "node:path";
import type { AgentPlan, RelayOptions } from "../../lib/agent/mod.ts";
import {
  daemonTls,
  startSds,
  startWorkloadCertificates,
  workloadOptions,
} from "../../lib/sds/mod.ts";

/** A certificate in use. */
export interface AgentIdentity {
  readonly tls: NonNullable<RelayOptions["tls"]>;
  stop(): Promise<void>;
}

/**
 * Obtains the certificate and serves it. Tries until there is one; `undefined` when `signal` ends the
 * wait.
 *
 * @throws MeshError `agent-root` without the daemon's roots, `rpc-bind` without a socket
 */
export async function openIdentity(
  plan: AgentPlan,
  signal: AbortSignal,
): Promise<AgentIdentity | undefined> {
  await daemonTls();
  const options = workloadOptions(plan.target, plan.env.clusterId);
  const certificates = await startWorkloadCertificates(options, signal);
  if (!certificates) return undefined;
  await Deno.mkdir(dirname(plan.sdsSocket), { recursive: true });
  const sds = await startSds({ socket: plan.sdsSocket, certificates });
  return {
    tls: async () => {
      const { chain, key } = certificates.current();
      return { ...await daemonTls(), cert: chain, key };
    },
    async stop() {
      certificates.stop();
      await sds.stop();
    },
  };
}

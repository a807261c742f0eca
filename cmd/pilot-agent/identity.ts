/**
 * The workload's certificate: obtained before the proxy starts, served to it, and shown to the
 * daemon.
 *
 * @module
 */
import { dirname } from "node:path";
import type { AgentPlan, RelayOptions } from "../../lib/agent/mod.ts";
import { scope } from "../../lib/log/mod.ts";
import {
  daemonTls,
  fileDebounceMs,
  isServed,
  mountedOptions,
  startMountedCertificates,
  startSds,
  startWorkloadCertificates,
  workloadOptions,
  workloadToken,
} from "../../lib/sds/mod.ts";

/** A certificate in use. */
export interface AgentIdentity {
  readonly tls: NonNullable<RelayOptions["tls"]>;
  stop(): Promise<void>;
}

const log = scope("sds");

/**
 * Obtains the certificate and serves it, unless another program serves secrets on the socket. Tries
 * until there is one; `undefined` when `signal` ends the wait.
 *
 * @throws MeshError `agent-root` without the daemon's roots, `rpc-bind` without a socket,
 * `workload-socket` without the provider that is named
 */
export async function openIdentity(
  plan: AgentPlan,
  signal: AbortSignal,
): Promise<AgentIdentity | undefined> {
  await daemonTls();
  if (await isServed(plan.sdsSocket)) return otherProvider(plan.sdsSocket);
  const mounted = mountedOptions();
  const options = workloadOptions(plan.target, plan.env.clusterId);
  const certificates = mounted
    ? await startMountedCertificates(mounted, signal)
    : await startWorkloadCertificates(options, signal);
  if (!certificates) return undefined;
  await Deno.mkdir(dirname(plan.sdsSocket), { recursive: true });
  const debounceMs = fileDebounceMs();
  const sds = await startSds({ socket: plan.sdsSocket, certificates, debounceMs });
  return {
    tls: async () => {
      const { chain, key, roots } = certificates.current();
      const { ca, serverName } = await daemonTls();
      const received = !mounted && options.trustsAnswers ? roots : "";
      return { ca: ca + received, serverName, cert: chain, key };
    },
    async stop() {
      certificates.stop();
      await sds.stop();
    },
  };
}

/** The proxy's secrets are another program's; the agent has only its token. */
function otherProvider(socket: string): AgentIdentity {
  log.info("another program serves the workload's secrets", { socket });
  const token = workloadToken();
  return {
    tls: async () => ({ ...await daemonTls(), token: await token() }),
    stop: () => Promise.resolve(),
  };
}

/**
 * The workload's certificate: obtained before the proxy starts, served to it, and shown to the
 * daemon.
 *
 * @module
 */
import { dirname } from "node:path";
import type { AgentPlan, AgentSubscription, RelayOptions } from "../../lib/node/agent/mod.ts";
import { scope } from "../../lib/kit/log/mod.ts";
import { AGENT_TYPE_URLS } from "../../lib/mesh/model/mod.ts";
import { readCertificates, workloadSubject } from "../../lib/kit/pki/mod.ts";
import { fromBinary } from "../../lib/kit/proto/mod.ts";
import {
  daemonTls,
  fileDebounceMs,
  isServed,
  type IssuedCertificates,
  mountedOptions,
  startMountedCertificates,
  startSds,
  startWorkloadCertificates,
  type WorkloadCertificates,
  workloadOptions,
  workloadToken,
} from "../../lib/node/sds/mod.ts";
import { ProxyConfigSchema } from "#mesh/mesh/v1alpha1/proxy_pb.ts";

/** A certificate in use. */
export interface AgentIdentity {
  readonly tls: NonNullable<RelayOptions["tls"]>;
  /** Receives trusted roots from the daemon; `undefined` when another program provides them. */
  readonly subscription?: AgentSubscription;
  /** Validity of the certificate in use, ms since the epoch; absent: another program has it. */
  readonly validity?: () => Validity | undefined;
  stop(): Promise<void>;
}

interface Validity {
  readonly notBefore: number;
  readonly notAfter: number;
}

const log = scope("sds");

/**
 * Obtains the certificate and serves it, unless another program serves secrets on the socket. Tries
 * until there is one; `undefined` when `signal` ends the wait.
 *
 * @throws MeshError `agent-root` without the daemon's roots, `agent-identity` for a wrong
 * TRUST_DOMAIN, `rpc-bind` without a socket,
 * `workload-socket` without the provider that is named
 */
export async function openIdentity(
  plan: AgentPlan,
  signal: AbortSignal,
): Promise<AgentIdentity | undefined> {
  await daemonTls();
  if (await isServed(plan.sdsSocket)) return otherProvider(plan.sdsSocket);
  const mounted = mountedOptions();
  const options = workloadOptions(plan.target, {
    clusterId: plan.env.clusterId,
    extraRoots: plan.extraRoots,
    workload: workloadSubject(plan.workload),
    namespace: textOf(plan.node.metadata.NAMESPACE),
    serviceAccount: textOf(plan.node.metadata.SERVICE_ACCOUNT),
  });
  const issued = mounted ? undefined : await startWorkloadCertificates(options, signal);
  const certificates = mounted ? await startMountedCertificates(mounted, signal) : issued;
  if (!certificates) return undefined;
  await Deno.mkdir(dirname(plan.sdsSocket), { recursive: true });
  const debounceMs = fileDebounceMs();
  const sds = await startSds({ socket: plan.sdsSocket, certificates, debounceMs });
  return {
    subscription: issued && rootsSubscription(issued),
    validity: validityOf(certificates),
    tls: async () => {
      const { chain, key, roots } = certificates.current();
      const { ca, ...verification } = await daemonTls();
      const received = !mounted && options.trustsAnswers ? roots : "";
      return { ...verification, ca: ca + received, cert: chain, key };
    },
    async stop() {
      certificates.stop();
      await sds.stop();
    },
  };
}

/** Reads the certificate once for each version. One that cannot be read has no validity. */
function validityOf(certificates: WorkloadCertificates): () => Validity | undefined {
  let known: { readonly version: string; readonly validity: Validity | undefined } | undefined;
  return () => {
    const { version, chain } = certificates.current();
    if (known?.version !== version) known = { version, validity: readValidity(chain) };
    return known.validity;
  };
}

function readValidity(chain: string): Validity | undefined {
  try {
    const [own] = readCertificates(chain, "the workload's certificate");
    return own && { notBefore: own.notBefore, notAfter: own.notAfter };
  } catch {
    return undefined;
  }
}

function textOf(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}

/** The daemon sends the roots of its authority as soon as they change. */
function rootsSubscription(certificates: IssuedCertificates): AgentSubscription {
  return {
    typeUrl: AGENT_TYPE_URLS.proxyConfig,
    update: (resource) =>
      certificates.trust(
        resource ? fromBinary(ProxyConfigSchema, resource).caCertificatesPem : [],
      ),
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

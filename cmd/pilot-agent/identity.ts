/**
 * The workload's certificate: obtained while the proxy starts, served to it, and shown to the
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
  type WorkloadCertificate,
  type WorkloadCertificates,
  workloadOptions,
  workloadToken,
} from "../../lib/node/sds/mod.ts";
import { ProxyConfigSchema } from "#mesh/mesh/v1alpha1/proxy_pb.ts";

/** The certificate of the agent; the first one may still be on its way. */
export interface AgentIdentity {
  /** Waits for the first certificate; rejects if the agent ends without one. */
  readonly tls: NonNullable<RelayOptions["tls"]>;
  /** Receives trusted roots from the daemon; `undefined` when another program provides them. */
  readonly subscription?: AgentSubscription;
  /** Validity of the certificate in use, ms since the epoch; absent: another program has it. */
  readonly validity?: () => Validity | undefined;
  /**
   * True when the first certificate is in use and served; false when the signal ended the wait.
   * Rejects with `MeshError` `rpc-bind` without a socket.
   */
  readonly opened: Promise<boolean>;
  stop(): Promise<void>;
}

interface Validity {
  readonly notBefore: number;
  readonly notAfter: number;
}

const log = scope("sds");

/** Certificates in use, and what ends them. */
interface Opened {
  readonly certificates: WorkloadCertificates;
  stop(): Promise<void>;
}

/**
 * Begins to obtain the certificate, and serves it, unless another program serves secrets on the
 * socket. Tries until there is one or `signal` ends the wait; `opened` tells which.
 *
 * @throws MeshError `agent-root` without the daemon's roots, `agent-identity` for a wrong
 * TRUST_DOMAIN, `workload-socket` without the provider that is named
 */
export async function openIdentity(
  plan: AgentPlan,
  signal: AbortSignal,
): Promise<AgentIdentity> {
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
  const ending = new AbortController();
  const end = AbortSignal.any([signal, ending.signal]);
  let issued: IssuedCertificates | undefined;
  let current: Opened | undefined;
  const open = async (): Promise<boolean> => {
    if (!mounted) issued = await startWorkloadCertificates(options, end);
    const certificates = mounted ? await startMountedCertificates(mounted, end) : issued;
    current = certificates && await serve(plan.sdsSocket, certificates);
    if (ending.signal.aborted) await current?.stop();
    return current !== undefined;
  };
  const opened = open();
  // Those that wait for the certificate get the failure.
  opened.catch(() => {});
  return {
    ...!mounted && { subscription: rootsSubscription((roots) => issued?.trust(roots)) },
    validity: validityOf(() => current?.certificates.current()),
    opened,
    tls: async () => {
      await opened;
      if (current === undefined) throw new Error("the agent ended before it had a certificate");
      const { chain, key, roots } = current.certificates.current();
      const { ca, ...verification } = await daemonTls();
      const received = !mounted && options.trustsAnswers ? roots : "";
      return { ...verification, ca: ca + received, cert: chain, key };
    },
    async stop() {
      ending.abort();
      await current?.stop();
    },
  };
}

/** Serves certificates to the proxy. */
async function serve(socket: string, certificates: WorkloadCertificates): Promise<Opened> {
  await Deno.mkdir(dirname(socket), { recursive: true });
  const sds = await startSds({ socket, certificates, debounceMs: fileDebounceMs() });
  return {
    certificates,
    async stop() {
      certificates.stop();
      await sds.stop();
    },
  };
}

/** Reads the certificate once for each version. One that cannot be read has no validity. */
function validityOf(
  current: () => WorkloadCertificate | undefined,
): () => Validity | undefined {
  let known: { readonly version: string; readonly validity: Validity | undefined } | undefined;
  return () => {
    const certificate = current();
    if (certificate === undefined) return undefined;
    const { version, chain } = certificate;
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
function rootsSubscription(trust: (roots: readonly string[]) => void): AgentSubscription {
  return {
    typeUrl: AGENT_TYPE_URLS.proxyConfig,
    update: (resource) =>
      trust(resource ? fromBinary(ProxyConfigSchema, resource).caCertificatesPem : []),
  };
}

/** The proxy's secrets are another program's; the agent has only its token. */
function otherProvider(socket: string): AgentIdentity {
  log.info("another program serves the workload's secrets", { socket });
  const token = workloadToken();
  return {
    opened: Promise.resolve(true),
    tls: async () => ({ ...await daemonTls(), token: await token() }),
    stop: () => Promise.resolve(),
  };
}

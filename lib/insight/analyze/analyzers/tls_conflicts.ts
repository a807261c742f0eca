/**
 * TLS of connections: what clients send by DestinationRules, and what servers accept by
 * PeerAuthentications.
 *
 * @module
 */
import {
  ClientTLSSettings_TLSmode as Sent,
  type DestinationRule,
  type TrafficPolicy,
} from "#mesh/networking/v1alpha3/destination_rule_pb.ts";
import { modeOf } from "../../../mesh/derive/mod.ts";
import { hasLabels, type PeerMode } from "../../../mesh/model/mod.ts";
import type { Analyzer, Context } from "../analyzer.ts";
import { type Server, serversOf } from "../servers.ts";
import type { Labels } from "../workload_indexes.ts";

/** A DestinationRule whose clients send what the workloads of its host do not accept. */
export const TLS_CONFLICTS: Analyzer<"DestinationRule"> = {
  name: "destinationrule.TlsModeAnalyzer",
  kinds: ["DestinationRule"],
  codes: ["MSH1001"],
  *analyze(context, { meta, spec }) {
    const settings = settingsOf(spec);
    if (settings.length === 0) return;
    const servers = [...serversOf(context, spec.host, meta.namespace)];
    for (const { path, mode, labels, isFor } of settings) {
      for (const server of servers) {
        if (!hasLabels(server.labels, labels) || !isFor(server.port)) continue;
        const conflict = conflictOf(context, mode, server);
        if (conflict === undefined) continue;
        yield { code: "MSH1001", args: conflict, path };
        break;
      }
    }
  },
};

/** TLS that clients send to some ports of some workloads. */
interface Setting {
  readonly path: string;
  readonly mode: Sent;
  /** Labels of the subset; none: all workloads of the host. */
  readonly labels: Labels;
  readonly isFor: (port: number) => boolean;
}

function settingsOf({ trafficPolicy, subsets }: DestinationRule): readonly Setting[] {
  return [
    ...policySettings(trafficPolicy, "spec.trafficPolicy", {}),
    ...subsets.flatMap((subset, at) =>
      policySettings(subset.trafficPolicy, `spec.subsets[${at}].trafficPolicy`, subset.labels)
    ),
  ];
}

/** The settings of a port replace those of the policy. */
function policySettings(
  policy: TrafficPolicy | undefined,
  path: string,
  labels: Labels,
): readonly Setting[] {
  const ports = policy?.portLevelSettings ?? [];
  const own = new Set(ports.map(({ port }) => port?.number ?? 0));
  const ofPorts = ports.flatMap(({ port, tls }, at): Setting[] => {
    if (tls === undefined) return [];
    const isFor = (number: number) => number === port?.number;
    return [{ path: `${path}.portLevelSettings[${at}].tls`, mode: tls.mode, labels, isFor }];
  });
  if (policy?.tls === undefined) return ofPorts;
  const isFor = (number: number) => !own.has(number);
  return [{ path: `${path}.tls`, mode: policy.tls.mode, labels, isFor }, ...ofPorts];
}

/** Names of what clients send that is no mutual TLS of the mesh. */
const SENT: Readonly<Partial<Record<Sent, string>>> = {
  [Sent.DISABLE]: "plain text (mode DISABLE)",
  [Sent.SIMPLE]: "TLS without a client certificate (mode SIMPLE)",
};

/**
 * The arguments of a message; `undefined` if the server accepts what clients send, and where it may: a
 * client certificate of its own may be accepted, and the application may take TLS itself.
 */
function conflictOf(context: Context, sent: Sent, server: Server): readonly string[] | undefined {
  const { read, mesh } = context;
  const workload = { role: "sidecar", namespace: server.namespace, labels: server.labels } as const;
  const value = read.get(mesh.security.peerModes, workload);
  // Modes of ports are by the number at the workload, which may be unknown.
  if (server.target === undefined && Object.keys(value.ports).length > 0) return undefined;
  const accepted: PeerMode = server.target === undefined
    ? value.mode
    : modeOf(value, server.target);
  const text = accepted === "strict"
    ? SENT[sent]
    : accepted === "disable" && sent === Sent.MESH_MUTUAL
    ? "mutual TLS (mode MESH_MUTUAL)"
    : undefined;
  if (text === undefined) return undefined;
  const takes = accepted === "strict" ? "mutual TLS only" : "plain text only";
  const { decisions } = read.explain(mesh.security.peerModes, workload);
  const policies = new Set(decisions.flatMap(({ object }) => object ?? []));
  return [text, `${server.host}:${server.port}`, takes, [...policies].join(", ")];
}

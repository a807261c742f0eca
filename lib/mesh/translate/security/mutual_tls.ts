/**
 * Mutual TLS of clients: which endpoints accept it, and which identities servers may have.
 *
 * @module
 */
import { modeOf, type PeerModes, type Workload, workloadKeys } from "../../derive/mod.ts";
import type { MutualInput, SecretNames } from "../../envoy/mod.ts";
import type { Read } from "../../graph/mod.ts";
import { type Endpoint, type Service, TLS_MODE_LABEL } from "../../model/mod.ts";
import type { MeshContext } from "../context/mod.ts";
import type { BaseContext } from "./features.ts";
import { mutualParameters, trustDomainsOf } from "./policies.ts";

/** Reports if an endpoint's port accepts mutual TLS. */
export type TakesMutual = (endpoint: Endpoint, port: number) => boolean;

/**
 * An endpoint accepts mutual TLS if its proxy terminates it and no policy disables it. The label says
 * if the proxy does. Without the label no pod does: every pod has a service account. Other endpoints
 * do if they have a service account.
 */
export function takesMutual(read: Read, { mesh }: MeshContext): TakesMutual {
  const recorded = new Set<string>();
  /** The policies' modes; their decisions are recorded once for each workload. */
  const modesOf = (workload: Workload): PeerModes => {
    if (read.decide === undefined) return read.get(mesh.security.peerModes, workload);
    const key = workloadKeys.encode(workload);
    if (recorded.has(key)) return read.get(mesh.security.peerModes, workload);
    recorded.add(key);
    return read.follow(mesh.security.peerModes, workload);
  };
  return (endpoint, port) => {
    const { namespace, labels } = endpoint;
    if (!hasMutualProxy(endpoint)) return false;
    const workload = { role: "sidecar", namespace, labels } as const;
    return modeOf(modesOf(workload), port) !== "disable";
  };
}

/** Reports if an endpoint's proxy terminates mutual TLS, as far as its workload says. */
export function hasMutualProxy({ labels, serviceAccount, pod }: Endpoint): boolean {
  const mode = labels[TLS_MODE_LABEL] ?? (serviceAccount === "" || pod === true ? "" : "mesh");
  return mode === "mesh";
}

/**
 * SPIFFE ids of a service's workloads: those of their known service accounts, and those that the
 * service lists or its annotations name. Empty only where nothing is known.
 */
export function serverIdentities(read: Read, context: MeshContext, service: Service): string[] {
  const named = service.identities;
  const accounts = [...read.get(context.mesh.services.accounts, service), ...named?.accounts ?? []];
  const domains = trustDomainsOf(read, context);
  const ids = accounts.flatMap((account) => {
    const [namespace, name] = account.split("/");
    return domains.map((domain) => `spiffe://${domain}/ns/${namespace}/sa/${name}`);
  });
  return [...new Set([...service.subjectAltNames, ...named?.names ?? [], ...ids])].sort();
}

/** The settings of mutual TLS in clusters of a service. */
export function mutualInput(
  read: Read,
  context: BaseContext,
  names: SecretNames,
  service: Service,
): MutualInput {
  return {
    names,
    identities: serverIdentities(read, context, service),
    parameters: mutualParameters(read, context),
    automatic: context.mesh.field(read, "enableAutoMtls") ?? true,
    ...(context.features.tunnels !== undefined ? { tunnels: true } : {}),
  };
}

/**
 * Mutual TLS of clients: which endpoints accept it, and which identities servers may have.
 *
 * @module
 */
import { modeOf } from "../../derive/mod.ts";
import type { MutualInput, SecretNames } from "../../envoy/mod.ts";
import type { Read } from "../../graph/mod.ts";
import type { Endpoint, Service } from "../../model/mod.ts";
import type { MeshContext } from "../context/mod.ts";
import { mutualParameters, trustDomainsOf } from "./policies.ts";

/** Reports if an endpoint's port accepts mutual TLS. */
export type TakesMutual = (endpoint: Endpoint, port: number) => boolean;

/** The label of workloads whose proxy terminates mutual TLS. */
const TLS_MODE_LABEL = "security.mesh.io/tlsMode";

/** An endpoint accepts mutual TLS if its proxy terminates it and no policy disables it. */
export function takesMutual(read: Read, { mesh }: MeshContext): TakesMutual {
  return ({ namespace, labels }, port) => {
    if (labels[TLS_MODE_LABEL] !== "mesh") return false;
    const workload = { role: "sidecar", namespace, labels } as const;
    return modeOf(read.get(mesh.security.peerModes, workload), port) !== "disable";
  };
}

/**
 * SPIFFE ids of a service's workloads: those of their service accounts, and those that the service
 * lists. Empty where an endpoint has no known account.
 */
function identitiesOf(read: Read, context: MeshContext, service: Service): string[] {
  const accounts = read.get(context.mesh.services.accounts, service);
  if (accounts.length === 0) return [];
  const domains = trustDomainsOf(read, context);
  const ids = accounts.flatMap((account) => {
    const [namespace, name] = account.split("/");
    return domains.map((domain) => `spiffe://${domain}/ns/${namespace}/sa/${name}`);
  });
  return [...new Set([...service.subjectAltNames, ...ids])].sort();
}

/** The settings of mutual TLS in clusters of a service. */
export function mutualInput(
  read: Read,
  context: MeshContext,
  names: SecretNames,
  service: Service,
): MutualInput {
  return {
    names,
    identities: identitiesOf(read, context, service),
    parameters: mutualParameters(read, context),
    automatic: context.mesh.field(read, "enableAutoMtls") ?? true,
  };
}

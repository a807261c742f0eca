/**
 * Who opens mutual TLS to whom: what clients can, what endpoints take, whom they
 * may be.
 *
 * @module
 */
import { modeOf } from "../../derive/mod.ts";
import type { MutualInput, SecretNames } from "../../envoy/mod.ts";
import type { Read } from "../../graph/mod.ts";
import type { Endpoint, Service } from "../../model/mod.ts";
import type { Context } from "../context/mod.ts";
import { mutualParameters, trustDomainsOf } from "./policies.ts";

/** Whether an endpoint's port takes mutual TLS. */
export type TakesMutual = (endpoint: Endpoint, port: number) => boolean;

/** The label by which a workload says that its proxy ends mutual TLS. */
const TLS_MODE_LABEL = "security.mesh.io/tlsMode";

/** An endpoint takes mutual TLS when its proxy can, and no policy switches it off. */
export function takesMutual(read: Read, { mesh }: Context): TakesMutual {
  return ({ namespace, labels }, port) => {
    if (labels[TLS_MODE_LABEL] !== "mesh") return false;
    const workload = { role: "sidecar", namespace, labels } as const;
    return modeOf(read.get(mesh.security.peerModes, workload), port) !== "disable";
  };
}

/**
 * SPIFFE ids that a service's workloads may have: those of their service accounts,
 * and what the service itself lists. Empty when an endpoint does not tell.
 */
function identitiesOf(read: Read, context: Context, service: Service): string[] {
  const accounts = read.get(context.mesh.services.accounts, service);
  if (accounts.length === 0) return [];
  const domains = trustDomainsOf(read, context);
  const ids = accounts.flatMap((account) => {
    const [namespace, name] = account.split("/");
    return domains.map((domain) => `spiffe://${domain}/ns/${namespace}/sa/${name}`);
  });
  return [...new Set([...service.subjectAltNames, ...ids])].sort();
}

/** What clusters of a service need to open mutual TLS. */
export function mutualInput(
  read: Read,
  context: Context,
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

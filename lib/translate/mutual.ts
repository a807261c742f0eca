/**
 * Who opens mutual TLS to whom: what clients can, what endpoints take, whom they
 * may be.
 *
 * @module
 */
import { modeOf, workloadKey } from "../derive/mod.ts";
import type { Read } from "../graph/mod.ts";
import type { Endpoint, ProxyClass, Role, Service } from "../model/mod.ts";
import { CLIENT, type SecretNames, secretNames, SHARED } from "./authn/mod.ts";
import type { MutualInput } from "./cluster/mod.ts";
import { type Context, type Family, familyOf } from "./context.ts";
import { mutualParameters, trustDomainsOf } from "./guards.ts";

/** What clusters depend on in a class: classes of one kind share them. */
export interface ClusterKind {
  readonly role: Role;
  readonly family: Family;
  /** Secrets to open mutual TLS with; `undefined`: none. */
  readonly names?: SecretNames;
}

const KIND_NAMES: Readonly<Record<string, SecretNames>> = { mtls: SHARED, "mtls-client": CLIENT };

/** The kind of a class as a key part, for example `v4.router.mtls`. */
export function clusterKind(cls: ProxyClass): string {
  const { client } = secretNames(cls);
  const named = Object.entries(KIND_NAMES).find(([, names]) => names === client)?.[0];
  const role = cls.role === "router" ? "router" : undefined;
  return [familyOf(cls), role, named].filter((part) => part !== undefined).join(".");
}

/** Reads {@link clusterKind} back. */
export function parseKind(kind: string): ClusterKind {
  const [family = "", ...flags] = kind.split(".");
  const named = flags.find((flag) => Object.hasOwn(KIND_NAMES, flag));
  return {
    family: family as Family,
    role: flags.includes("router") ? "router" : "sidecar",
    names: named === undefined ? undefined : KIND_NAMES[named],
  };
}

/** Whether an endpoint's port takes mutual TLS. */
export type TakesMutual = (endpoint: Endpoint, port: number) => boolean;

/** The label by which a workload says that its proxy ends mutual TLS. */
const TLS_MODE_LABEL = "security.mesh.io/tlsMode";

/** An endpoint takes mutual TLS when its proxy can, and no policy switches it off. */
export function takesMutual(read: Read, { mesh }: Context): TakesMutual {
  return ({ namespace, labels }, port) => {
    if (labels[TLS_MODE_LABEL] !== "mesh") return false;
    const key = workloadKey({ role: "sidecar", namespace, labels });
    return modeOf(read.get(mesh.security.peerModes, key), port) !== "disable";
  };
}

/**
 * SPIFFE ids that a service's workloads may have: those of their service accounts,
 * and what the service itself lists. Empty when an endpoint does not tell.
 */
function identitiesOf(read: Read, context: Context, service: Service): string[] {
  const accounts = read.get(context.mesh.services.accounts, service.key);
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

/**
 * A Gateway with its listeners and those of its ListenerSets.
 *
 * @module
 */
import { coveringPatterns, type ObjectKey, objectKey } from "../../model/mod.ts";
import { type Referrer, type RefFault, resolveCertificates } from "./certificates.ts";
import { type ClassRole, roleOfClass } from "./classes.ts";
import { listenerConflicts } from "./conflicts.ts";
import { bindListener, type BoundListener } from "./listeners.ts";
import type { GatewayLookups } from "./lookups.ts";
import { allowsNamespace } from "./namespaces.ts";
import {
  type Gateway,
  GATEWAY_GROUP,
  type GatewaySpec,
  type ListenerSet,
  type ListenerSpec,
  referenced,
} from "./objects.ts";

/** A ListenerSet that names a Gateway. */
export interface BoundListenerSet extends ObjectKey {
  readonly generation: number;
  /** Why its listeners are not those of the Gateway. */
  readonly fault?: RefFault;
}

/** A Gateway that Mesh handles. */
export interface BoundGateway extends ObjectKey {
  readonly generation: number;
  readonly role: ClassRole;
  readonly className: string;
  /** Its own listeners first, then those of the ListenerSets that it allows, the oldest first. */
  readonly listeners: readonly BoundListener[];
  readonly sets: readonly BoundListenerSet[];
  /** Why the Gateway as a whole is not accepted. */
  readonly rejected?: RefFault;
  /** True if the Gateway itself names a certificate, as a client of backends. */
  readonly hasClientCertificate: boolean;
  /** That certificate, if it can be used. */
  readonly clientCertificate?: ObjectKey;
  /** The reason why that certificate cannot be used. */
  readonly unresolved?: RefFault;
  /** True if clients without valid certificates are served at some port. */
  readonly insecureFrontend: boolean;
}

/** A Gateway with its listeners; undefined: another controller handles it. */
export function bindGateway(gateway: Gateway, look: GatewayLookups): BoundGateway | undefined {
  const { meta: { namespace, name, generation }, spec } = gateway;
  const className = spec.gatewayClassName;
  const role = roleOfClass(className, look.gatewayClass(className), look.names);
  if (role === undefined) return undefined;
  const client = spec.tls?.backend?.clientCertificateRef;
  const common = { namespace, name, generation, role, className };
  const nothing = { listeners: [], sets: [], insecureFrontend: false, hasClientCertificate: false };
  if (role === "remote") return { ...common, ...nothing };
  const rejected = unsupportedAddress(spec);
  const owner: Referrer = { kind: "Gateway", namespace, name };
  const found = look.listenerSets({ namespace, name }).toSorted(byPrecedence);
  const sets = found.map((set) => bindSet(set, gateway, rejected, look));
  const attached = found.filter((_, index) => sets[index]?.fault === undefined);
  const listeners = bindListeners(gateway, attached, look);
  const reason = "InvalidClientCertificateRef";
  const resolved = client && resolveCertificates([client], owner, look, reason);
  const unresolved = resolved?.fault;
  const clientCertificate = resolved?.valid[0];
  return {
    ...common,
    listeners,
    sets,
    hasClientCertificate: client !== undefined,
    ...(rejected === undefined ? {} : { rejected }),
    ...(clientCertificate === undefined ? {} : { clientCertificate }),
    ...(unresolved === undefined ? {} : { unresolved }),
    insecureFrontend: listeners.some(({ frontend }) => frontend?.insecureFallback),
  };
}

/** The oldest first, then by `namespace/name`. */
function byPrecedence(a: ListenerSet, b: ListenerSet): number {
  const at = ({ meta }: ListenerSet) => meta.creationTime || Infinity;
  if (at(a) !== at(b)) return at(a) - at(b);
  return objectKey(a.meta) < objectKey(b.meta) ? -1 : 1;
}

/** Addresses can be IP addresses and names of hosts. */
function unsupportedAddress({ addresses = [] }: GatewaySpec): RefFault | undefined {
  const wrong = addresses.find(({ type = "IPAddress" }) =>
    type !== "IPAddress" && type !== "Hostname"
  );
  if (wrong === undefined) return undefined;
  const message = `addresses of type "${wrong.type}" are not supported; use IPAddress or Hostname`;
  return { reason: "UnsupportedAddress", message };
}

function bindSet(
  set: ListenerSet,
  gateway: Gateway,
  rejected: RefFault | undefined,
  look: GatewayLookups,
): BoundListenerSet {
  const { namespace, name, generation } = set.meta;
  const { namespaces } = gateway.spec.allowedListeners ?? {};
  const at = `Gateway "${gateway.meta.namespace}/${gateway.meta.name}"`;
  const fault: RefFault | undefined =
    !allowsNamespace(namespaces, "None", { namespace, own: gateway.meta.namespace }, look)
      ? {
        reason: "NotAllowed",
        message: `${at} allows no ListenerSets of namespace "${namespace}" in allowedListeners`,
      }
      : rejected && { reason: "ParentNotAccepted", message: `${at} is not accepted` };
  return { namespace, name, generation, ...(fault === undefined ? {} : { fault }) };
}

function bindListeners(
  gateway: Gateway,
  sets: readonly ListenerSet[],
  look: GatewayLookups,
): BoundListener[] {
  const objects = [gateway, ...sets].map(({ meta: { kind, namespace, name }, spec }) => ({
    owner: { kind: kind === "ListenerSet" ? kind : "Gateway", namespace, name },
    listeners: spec.listeners ?? [],
  }));
  const conflicts = listenerConflicts(objects.map(({ listeners }) => listeners));
  const overlapping = overlappingHosts(objects.flatMap(({ listeners }) => listeners));
  const { namespace, name } = gateway.meta;
  return objects.flatMap(({ owner, listeners }, object) =>
    listeners.map((spec, index) =>
      bindListener(spec, {
        owner,
        index,
        gateway: { kind: "Gateway", namespace, name },
        tls: gateway.spec.tls,
        conflict: conflicts[object]?.[index],
        overlaps: spec.protocol === "HTTPS" && overlapping.has(hostAt(spec)),
      }, look)
    )
  );
}

function hostAt({ port, hostname }: ListenerSpec): string {
  return `${port}/${hostname?.toLowerCase() || "*"}`;
}

/** Ports and hostnames of listeners of HTTPS that overlap with others of their port. */
function overlappingHosts(listeners: readonly ListenerSpec[]): Set<string> {
  const https = listeners.filter(({ protocol }) => protocol === "HTTPS");
  const known = new Set(https.map(hostAt));
  const overlapping = new Set<string>();
  for (const listener of https) {
    const host = listener.hostname?.toLowerCase() || "*";
    for (const pattern of coveringPatterns(host)) {
      const at = `${listener.port}/${pattern}`;
      if (!known.has(at)) continue;
      overlapping.add(at);
      overlapping.add(hostAt(listener));
    }
  }
  return overlapping;
}

/** The Gateway that a ListenerSet adds listeners to; undefined: its parent is of another kind. */
export function gatewayOfSet({ meta, spec: { parentRef } }: ListenerSet): ObjectKey | undefined {
  if (parentRef === undefined) return undefined;
  const isGateway = (parentRef.group || GATEWAY_GROUP) === GATEWAY_GROUP &&
    (parentRef.kind || "Gateway") === "Gateway";
  return isGateway ? referenced(parentRef, meta.namespace) : undefined;
}

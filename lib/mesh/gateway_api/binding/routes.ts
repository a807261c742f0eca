/**
 * Routes and their parents: which listeners a route attaches to, and why not to others.
 *
 * @module
 */
import type { ObjectKey } from "../../model/mod.ts";
import type { RefFault } from "./certificates.ts";
import { type BoundGateway, gatewayOfSet } from "./gateways.ts";
import { commonHostnames } from "./hostnames.ts";
import { hasHostnames } from "./kinds.ts";
import type { BoundListener } from "./listeners.ts";
import type { BackendTarget, NamespaceLookup, ServiceLookup } from "./lookups.ts";
import { allowsNamespace } from "./namespaces.ts";
import {
  GATEWAY_GROUP,
  type ListenerSet,
  type ParentReference,
  referenced,
  type Route,
  usesDefaultGateways,
} from "./objects.ts";

/** The lookups of `bindRoute`. */
export interface RouteLookups extends NamespaceLookup {
  /** A Gateway as `bindGateway` bound it; undefined: there is none, or it is of other controllers. */
  gateway(key: ObjectKey): BoundGateway | undefined;
  /** The Gateways that stand for another one (annotation `gateway.mesh.io/alias-for`). */
  aliases(gateway: ObjectKey): readonly ObjectKey[];
  /** The default Gateways, sorted; none where the experimental channel does not act. */
  defaultGateways(): readonly ObjectKey[];
  listenerSet(key: ObjectKey): ListenerSet | undefined;
  service: ServiceLookup["service"];
  serviceEntry: ServiceLookup["serviceEntry"];
}

/** A listener that a route attaches to. */
export interface Attachment {
  /** The Gateway with the listener; the alias, if the route names another one. */
  readonly gateway: ObjectKey;
  readonly listener: Pick<BoundListener, "owner" | "index" | "programmed"> & {
    readonly name: string;
    readonly port: number;
    /** Empty: all hosts. */
    readonly hostname: string;
    /** Hostnames of the other listeners of its port and protocol. */
    readonly others: readonly string[];
  };
  /** Hostnames of the route that the listener has, too; `["*"]`: all. */
  readonly hostnames: readonly string[];
}

/** A parent of a route. */
export interface BoundParent {
  /** The reference as it is written. */
  readonly ref: ParentReference;
  /** Its position in `spec.parentRefs`, after which default Gateways come. */
  readonly index: number;
  /** True for a default Gateway. */
  readonly byDefault?: true;
  /** Listeners that it attaches to; empty for services, and where `fault` says why. */
  readonly attachments: readonly Attachment[];
  /** Services of a parent of the mesh (a Service or a ServiceEntry). */
  readonly services?: readonly BackendTarget[];
  /** The reason why the route is not accepted there. */
  readonly fault?: RefFault;
}

/** The parents of a route that Mesh handles. Parents of other controllers are left out. */
export function bindRoute(route: Route, look: RouteLookups): readonly BoundParent[] {
  const named = (route.spec.parentRefs ?? []).flatMap((ref, index) => {
    const bound = bindParent(route, ref, look);
    return bound === undefined ? [] : [{ ref, index, ...bound }];
  });
  return usesDefaultGateways(route.spec) ? [...named, ...bindDefaults(route, look)] : named;
}

/**
 * The default Gateways that the route does not name itself. Those that do not accept it are left out,
 * unless none does.
 */
function bindDefaults(route: Route, look: RouteLookups): readonly BoundParent[] {
  const refs = route.spec.parentRefs ?? [];
  const isNamed = ({ namespace, name }: ObjectKey) =>
    refs.some((ref) => {
      const key = referenced(ref, route.meta.namespace);
      return (ref.kind || "Gateway") === "Gateway" && key.name === name &&
        key.namespace === namespace;
    });
  const found = look.defaultGateways().filter((key) => !isNamed(key)).flatMap((key, i) => {
    const { namespace, name } = key;
    const ref = { group: GATEWAY_GROUP, kind: "Gateway", namespace, name };
    const bound = bindToGateway(route, ref, key, look);
    return bound === undefined
      ? []
      : [{ ref, index: refs.length + i, byDefault: true as const, ...bound }];
  });
  const accepted = found.filter(({ fault }) => fault === undefined);
  return accepted.length > 0 ? accepted : found;
}

type Bound = Omit<BoundParent, "ref" | "index">;

function bindParent(route: Route, ref: ParentReference, look: RouteLookups): Bound | undefined {
  const kind = ref.kind || "Gateway";
  const isOwn = kind === "Gateway" || kind === "ListenerSet";
  const group = isOwn ? ref.group || GATEWAY_GROUP : ref.group ?? GATEWAY_GROUP;
  const key = referenced(ref, route.meta.namespace);
  if (group === GATEWAY_GROUP && kind === "Gateway") return bindToGateway(route, ref, key, look);
  if (group === GATEWAY_GROUP && kind === "ListenerSet") return bindToSet(route, ref, key, look);
  if (group === "" && kind === "Service") {
    const found = look.service("Service", key);
    // A Service that is created later is a parent already.
    const services = found === undefined ? [] : [found];
    if (route.meta.kind === "UDPRoute") return NOT_OF_MESH;
    return bindToServices(ref, services, `Service "${key.namespace}/${key.name}"`);
  }
  if (group === "networking.mesh.io" && kind === "ServiceEntry") {
    const name = `ServiceEntry "${key.namespace}/${key.name}"`;
    if (route.meta.kind === "UDPRoute") return NOT_OF_MESH;
    return bindToServices(ref, look.serviceEntry(key), name);
  }
  return undefined;
}

/** Sidecars have no part in datagrams. */
const NOT_OF_MESH: Bound = {
  attachments: [],
  fault: {
    reason: "UnsupportedValue",
    message: "a UDPRoute has no effect on clients of the mesh; name a Gateway as its parent",
  },
};

function bindToGateway(
  route: Route,
  ref: ParentReference,
  key: ObjectKey,
  look: RouteLookups,
): Bound | undefined {
  const gateways = [key, ...look.aliases(key)].map((one) => look.gateway(one));
  const managed = gateways.filter((one) => one !== undefined)
    .filter(({ role }) => role !== "remote");
  if (managed.length === 0) return undefined;
  const isOwn = ({ owner }: BoundListener) => owner.kind === "Gateway";
  return attach(route, ref, listenersOf(managed, isOwn), look);
}

function bindToSet(
  route: Route,
  ref: ParentReference,
  key: ObjectKey,
  look: RouteLookups,
): Bound | undefined {
  const set = look.listenerSet(key);
  if (set === undefined) return undefined;
  const named = gatewayOfSet(set);
  const gateway = named && look.gateway(named);
  if (gateway === undefined || gateway.role === "remote") return undefined;
  const isOfSet = ({ owner }: BoundListener) =>
    owner.kind === "ListenerSet" && owner.namespace === key.namespace && owner.name === key.name;
  return attach(route, ref, listenersOf([gateway], isOfSet), look);
}

function bindToServices(
  ref: ParentReference,
  services: readonly BackendTarget[] | undefined,
  name: string,
): Bound {
  if (services === undefined) {
    const message = `${name} does not exist`;
    return { attachments: [], fault: { reason: "NoMatchingParent", message } };
  }
  const { port } = ref;
  const isOpen = port === undefined || services.length === 0;
  if (isOpen || services.some(({ ports }) => ports.includes(port))) {
    return { attachments: [], services };
  }
  const message = `${name} has no port ${port}`;
  return { attachments: [], fault: { reason: "NoMatchingParent", message } };
}

interface Candidate {
  readonly gateway: BoundGateway;
  readonly listener: BoundListener;
}

function listenersOf(
  gateways: readonly BoundGateway[],
  isMeant: (listener: BoundListener) => boolean,
): Candidate[] {
  return gateways.flatMap((gateway) =>
    gateway.listeners.filter(isMeant).map((listener) => ({ gateway, listener }))
  );
}

/** Attaches a route to those of some listeners that its reference names. */
function attach(
  route: Route,
  ref: ParentReference,
  listeners: readonly Candidate[],
  look: RouteLookups,
): Bound {
  const candidates = listeners.filter(({ listener }) => isNamed(listener, ref))
    .map((one) => ({ ...one, ...match(route, one.listener, look) }));
  const attachments = candidates.filter(({ fault }) => fault === undefined)
    .map(({ gateway: { namespace, name, listeners: all }, listener, hostnames }) => ({
      gateway: { namespace, name },
      listener: {
        owner: listener.owner,
        index: listener.index,
        programmed: listener.programmed,
        name: listener.spec.name,
        port: listener.spec.port,
        hostname: listener.spec.hostname?.toLowerCase() ?? "",
        others: othersAt(listener, all),
      },
      hostnames,
    }));
  if (attachments.length > 0) return { attachments };
  return { attachments: [], fault: worst(candidates.map(({ fault }) => fault), ref) };
}

/** Hostnames of the other listeners of a listener's port and protocol, each once. */
function othersAt({ spec }: BoundListener, all: readonly BoundListener[]): readonly string[] {
  const own = spec.hostname?.toLowerCase() ?? "";
  const others = all.filter(({ spec: { port, protocol } }) =>
    port === spec.port && protocol === spec.protocol
  ).map(({ spec: { hostname = "" } }) => hostname.toLowerCase());
  return [...new Set(others)].filter((hostname) => hostname !== own);
}

function isNamed({ spec }: BoundListener, { sectionName, port }: ParentReference): boolean {
  return (!sectionName || spec.name === sectionName) && (!port || spec.port === port);
}

interface Match {
  readonly hostnames: readonly string[];
  readonly fault?: RefFault;
}

/** Compares a route with a listener: kind, namespace, hostnames. */
function match(route: Route, listener: BoundListener, look: RouteLookups): Match {
  const { kind, namespace } = route.meta;
  const { spec, owner } = listener;
  const none = (reason: string, message: string) => ({ hostnames: [], fault: { reason, message } });
  if (!listener.kinds.includes(kind)) {
    const message = `listener "${spec.name}" allows no routes of kind ${kind}`;
    return none("NotAllowedByListeners", message);
  }
  const allowed = spec.allowedRoutes?.namespaces;
  if (!allowsNamespace(allowed, "Same", { namespace, own: owner.namespace }, look)) {
    const message = `listener "${spec.name}" allows no routes of namespace "${namespace}"; ` +
      "change its allowedRoutes.namespaces";
    return none("NotAllowedByListeners", message);
  }
  if (!hasHostnames(kind)) return { hostnames: ["*"] };
  const hostnames = commonHostnames(spec.hostname, route.spec.hostnames);
  if (hostnames.length > 0) return { hostnames };
  const message = `no hostname of the route is among those of listener "${spec.name}" ` +
    `("${spec.hostname}")`;
  return none("NoMatchingListenerHostname", message);
}

/** The fault that says most: of the listener that came nearest. */
function worst(faults: readonly (RefFault | undefined)[], ref: ParentReference): RefFault {
  const found = faults.find((one) => one?.reason === "NoMatchingListenerHostname") ?? faults[0];
  if (found !== undefined) return found;
  const parts = [
    ref.sectionName ? `name "${ref.sectionName}"` : "",
    ref.port ? `port ${ref.port}` : "",
  ].filter((part) => part !== "");
  const which = parts.length > 0 ? `no listener with ${parts.join(" and ")}` : "no listeners";
  return { reason: "NoMatchingParent", message: `parent "${ref.name}" has ${which}` };
}

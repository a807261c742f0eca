/**
 * The status of GatewayClasses, Gateways and ListenerSets.
 *
 * @module
 */
import {
  type BoundAddresses,
  type BoundGateway,
  type BoundListener,
  type FrontService,
  type GatewayAddress,
  type RefFault,
} from "../binding/mod.ts";
import { type Condition, type ConditionMaker, conditionsAt } from "./condition.ts";
import { SUPPORTED_FEATURES } from "./features.ts";
import { type AttachedRoutes, type ListenerStatus, listenerStatus } from "./listeners.ts";

export interface GatewayClassStatus {
  readonly conditions: readonly Condition[];
  readonly supportedFeatures?: readonly { readonly name: string }[];
}

export interface GatewayStatus {
  readonly addresses?: readonly GatewayAddress[];
  readonly conditions: readonly Condition[];
  readonly listeners?: readonly ListenerStatus[];
  readonly attachedListenerSets?: number;
}

export interface ListenerSetStatus {
  readonly conditions: readonly Condition[];
  readonly listeners?: readonly ListenerStatus[];
}

/**
 * The status of a class that Mesh handles.
 *
 * @param fault why its parameters cannot be used
 */
export function gatewayClassStatus(
  generation: number,
  isGateway: boolean,
  fault?: RefFault,
): GatewayClassStatus {
  return {
    conditions: [conditionsAt(generation).unless(fault, "Accepted", "Mesh handles the class")],
    ...(isGateway ? { supportedFeatures: SUPPORTED_FEATURES.map((name) => ({ name })) } : {}),
  };
}

/** Facts about a Gateway beside its listeners. */
export interface GatewayFacts {
  readonly addresses: BoundAddresses;
  readonly attached: AttachedRoutes;
  /** The reason why the parameters of its infrastructure cannot be used. */
  readonly parameters?: RefFault;
}

/** The status of a Gateway with proxies of Mesh. */
export function gatewayStatus(bound: BoundGateway, facts: GatewayFacts): GatewayStatus {
  const { generation, rejected, unresolved, insecureFrontend, sets } = bound;
  const own = bound.listeners.filter(({ owner: { kind } }) => kind === "Gateway");
  const make = conditionsAt(generation);
  const fault = rejected ?? facts.parameters;
  const { addresses } = facts.addresses;
  const attachedSets = acceptedSets(bound);
  return {
    ...(addresses.length === 0 ? {} : { addresses }),
    conditions: [
      acceptance(make, own, fault),
      programming(make, bound, { ...facts, fault }),
      ...bound.hasClientCertificate
        ? [make.unless(unresolved, "ResolvedRefs", "all references are resolved")]
        : [],
      ...insecureFrontend ? [insecure(make)] : [],
    ],
    listeners: own.map((listener) => listenerStatus(listener, generation, facts.attached)),
    ...(sets.length === 0 ? {} : { attachedListenerSets: attachedSets }),
  };
}

/** The status of a Gateway whose proxies another control plane has. */
export function remoteGatewayStatus(
  { generation }: BoundGateway,
  addresses: readonly GatewayAddress[],
): GatewayStatus {
  const make = conditionsAt(generation);
  return {
    ...(addresses.length === 0 ? {} : { addresses }),
    conditions: [
      make.yes("Accepted", "the Gateway is valid"),
      make.yes("Programmed", "the Gateway is remote: another control plane has its proxies"),
    ],
  };
}

function acceptance(
  make: ConditionMaker,
  listeners: readonly BoundListener[],
  fault: RefFault | undefined,
): Condition {
  if (fault !== undefined) return make.no("Accepted", fault);
  const invalid = listeners.filter((one) => one.rejected ?? one.conflict ?? !one.programmed);
  if (invalid.length === 0) return make.yes("Accepted", "the Gateway is valid");
  const message = `listeners that are not valid: ${names(invalid)}`;
  return invalid.length < listeners.length
    ? make.yes("Accepted", message, "ListenersNotValid")
    : make.no("Accepted", { reason: "ListenersNotValid", message });
}

/** At most ten names, so that thousands of listeners have a short message. */
function names(listeners: readonly BoundListener[]): string {
  const some = listeners.slice(0, 10).map(({ spec }) => `"${spec.name}"`).join(", ");
  return listeners.length > 10 ? `${some} and ${listeners.length - 10} more` : some;
}

function programming(
  make: ConditionMaker,
  bound: BoundGateway,
  { addresses, fault }: GatewayFacts & { readonly fault: RefFault | undefined },
): Condition {
  const no = (reason: string, message: string) => make.no("Programmed", { reason, message });
  if (fault !== undefined) return no("Invalid", fault.message);
  const { services, unusable, pending } = addresses;
  const ports = new Set(bound.listeners.map(({ spec }) => spec.port));
  if (unusable.length > 0) {
    const at = services.length === 0 ? "" : `; proxies are reached at ${served(services, ports)}`;
    return no("AddressNotUsable", `${unusable.join(", ")}${at}`);
  }
  if (pending.length > 0) {
    return no("AddressNotAssigned", `no address is assigned yet to ${pending.join(", ")}`);
  }
  const down = services.filter(({ ready }) => ready === false);
  if (down.length > 0) {
    return no("Pending", `no proxy is ready behind ${down.map(({ host }) => host).join(", ")}`);
  }
  if (!bound.listeners.some(({ programmed }) => programmed)) {
    return no("Invalid", "no listener is valid");
  }
  return make.yes("Programmed", `proxies are reached at ${served(services, ports)}`);
}

/** Hosts with those of their ports that listeners have. */
function served(services: readonly FrontService[], ports: ReadonlySet<number>): string {
  return services.flatMap((service) =>
    service.ports.filter((port) => ports.has(port)).map((port) => `${service.host}:${port}`)
  ).toSorted().join(", ");
}

function insecure(make: ConditionMaker): Condition {
  const message = "clients without a valid certificate are served (AllowInsecureFallback)";
  return make.yes("InsecureFrontendValidationMode", message, "ConfigurationChanged");
}

/** Number of the ListenerSets that a Gateway allows and that have a valid listener. */
function acceptedSets({ sets, listeners }: BoundGateway): number {
  return sets.filter((set) =>
    set.fault === undefined &&
    listeners.some(({ owner, programmed }) => programmed && isOf(owner, set))
  ).length;
}

function isOf(
  owner: BoundListener["owner"],
  { namespace, name }: { readonly namespace: string; readonly name: string },
): boolean {
  return owner.kind === "ListenerSet" && owner.namespace === namespace && owner.name === name;
}

/** The status of a ListenerSet of a Gateway; undefined: the Gateway does not know it. */
export function listenerSetStatus(
  key: { readonly namespace: string; readonly name: string },
  gateway: BoundGateway,
  attached: AttachedRoutes,
): ListenerSetStatus | undefined {
  const set = gateway.sets.find((one) => one.name === key.name && one.namespace === key.namespace);
  if (set === undefined) return undefined;
  const make = conditionsAt(set.generation);
  if (set.fault !== undefined) {
    const { message } = set.fault;
    return {
      conditions: [
        make.no("Accepted", set.fault),
        make.no("Programmed", { reason: set.fault.reason, message }),
      ],
    };
  }
  const listeners = gateway.listeners.filter(({ owner }) => isOf(owner, key));
  const invalid = listeners.filter(({ programmed }) => !programmed);
  const message = `listeners that are not valid: ${names(invalid)}`;
  const fault = invalid.length === listeners.length
    ? { reason: "ListenersNotValid", message }
    : undefined;
  const accepted = invalid.length > 0 && fault === undefined
    ? make.yes("Accepted", message, "ListenersNotValid")
    : make.unless(fault, "Accepted", "the ListenerSet is valid");
  return {
    conditions: [accepted, make.unless(fault, "Programmed", "proxies are given its listeners")],
    listeners: listeners.map((one) => listenerStatus(one, set.generation, attached)),
  };
}

/**
 * The Gateways that the daemon deploys, and what they ask for.
 *
 * @module
 */
import { type ManagedGateway, matchesSelector } from "../../inject/mod.ts";
import type { ListItem } from "../../../kit/orch/mod.ts";
import { deployedAccount, deployedName } from "../../../mesh/gateway_api/mod.ts";
import { objectKey, REVISION_LABEL } from "../../../mesh/model/mod.ts";
import type { GatewayItem, Listener, ListenerSetItem, Texts } from "./types.ts";

const CLASS_LABEL = "gateway.networking.k8s.io/gateway-class-name";
/** The label of objects that the controller made, and its value. */
export const MANAGED_LABEL = "gateway.mesh.io/managed";
export const MANAGED = "mesh.io-gateway-controller";
/** The same for objects of waypoints. */
export const WAYPOINT_MANAGED = "mesh.io-mesh-controller";
/** The same for objects of gateways between networks. */
export const EAST_WEST_MANAGED = "mesh.io-eastwest-controller";

const SERVICE_TYPE_ANNOTATION = "networking.mesh.io/service-type";
const SERVICE_TYPES: readonly string[] = ["LoadBalancer", "NodePort", "ClusterIP"];

/** The port by which load balancers ask whether a gateway is ready. */
const STATUS_PORT = {
  name: "status-port",
  port: 15021,
  protocol: "TCP",
  appProtocol: "tcp",
};

/** Facts that decide which revision deploys a Gateway. */
export interface RevisionOwner {
  /** Revision of the daemon. */
  readonly revision: string;
  /** Revision by tag. */
  readonly tags: ReadonlyMap<string, string>;
}

/**
 * True for a Gateway that this revision deploys: of several daemons exactly one does. A label of the
 * Gateway precedes that of its namespace; without a label it is the default revision.
 */
export function isOwnRevision(
  { metadata }: Pick<GatewayItem, "metadata">,
  namespace: ListItem["metadata"],
  { revision, tags }: RevisionOwner,
): boolean {
  const label = metadata.labels?.[REVISION_LABEL] || namespace.labels?.[REVISION_LABEL] ||
    "default";
  return (tags.get(label) ?? label) === revision;
}

/** True for a Gateway that somebody else deploys: it names the Service of its proxies. */
export function isManual({ spec: { addresses = [] } }: GatewayItem): boolean {
  return addresses.some(({ type }) => type === "Hostname");
}

/** The name of the Deployment and the Service. */
export function deploymentName({ metadata, spec }: GatewayItem): string {
  return deployedName(namedBy(metadata), spec.gatewayClassName);
}

/** The account of a Gateway, and whether it is the user's own. */
export function accountOf(
  { metadata, spec }: GatewayItem,
): { readonly name: string; readonly own: boolean } {
  return deployedAccount(namedBy(metadata), spec.gatewayClassName);
}

function namedBy({ name, annotations = {} }: GatewayItem["metadata"]) {
  return { name, annotations };
}

/**
 * The type of a Gateway's Service; `undefined` for one that Services do not have.
 *
 * @param preset the type of a Gateway that names none
 */
export function serviceType(
  { metadata: { annotations = {} } }: GatewayItem,
  preset: string = "LoadBalancer",
): string | undefined {
  const type = annotations[SERVICE_TYPE_ANNOTATION] || preset;
  return SERVICE_TYPES.includes(type) ? type : undefined;
}

/** True if a Gateway takes the listeners of a ListenerSet. */
function isAllowed(gateway: GatewayItem, set: ListenerSetItem, namespaceLabels: Texts): boolean {
  const { from = "None", selector } = gateway.spec.allowedListeners?.namespaces ?? {};
  if (from === "All") return true;
  if (from === "Same") return set.metadata.namespace === gateway.metadata.namespace;
  return from === "Selector" && selector !== undefined &&
    matchesSelector(selector, namespaceLabels);
}

/** The Gateway that a ListenerSet names, `namespace/name`; undefined: it names another kind. */
export function gatewayOfSet(
  { metadata, spec: { parentRef } }: ListenerSetItem,
): string | undefined {
  const { kind = "Gateway", namespace = metadata.namespace ?? "", name } = parentRef;
  return kind === "Gateway" ? objectKey({ namespace, name }) : undefined;
}

/**
 * The ListenerSets whose listeners a Gateway has, the oldest first.
 *
 * @param sets those that name the Gateway
 */
export function listenerSetsOf(
  gateway: GatewayItem,
  sets: readonly ListenerSetItem[],
  labelsOf: (namespace: string) => Texts,
): ListenerSetItem[] {
  return sets.filter((set) => isAllowed(gateway, set, labelsOf(set.metadata.namespace ?? "")))
    .sort((a, b) => ageOf(a).localeCompare(ageOf(b)));
}

function ageOf({ metadata: { creationTimestamp = "", namespace = "", name } }: ListItem): string {
  return `${creationTimestamp} ${namespace}/${name}`;
}

/** The ports of the Service: one for each port of the listeners. */
export function servicePorts(listeners: readonly Listener[]): ManagedGateway["ports"] {
  const ports: ManagedGateway["ports"][number][] = [STATUS_PORT];
  const names = new Set([STATUS_PORT.name]);
  for (const { name, port, protocol } of listeners) {
    const transport = protocol === "UDP" ? "UDP" : "TCP";
    if (ports.some((one) => one.port === port && one.protocol === transport)) continue;
    const appProtocol = protocol.toLowerCase();
    const wanted = portName(name) || `${portName(appProtocol)}-${port}`;
    const free = names.has(wanted) ? `${wanted.slice(0, 57)}-${port}` : wanted;
    names.add(free);
    ports.push({
      name: free,
      port,
      protocol: transport,
      appProtocol: appProtocol.replaceAll("/", "."),
    });
  }
  return ports;
}

/** A listener's name as the name of a port, which has no dots. */
function portName(name: string): string {
  return name.toLowerCase().replace(/[^a-z0-9]+/g, "-").slice(0, 63).replace(/^-+|-+$/g, "");
}

/** Labels and annotations of the objects: those of `infrastructure`, else those of the Gateway. */
export function metadataOf(
  { metadata, spec: { infrastructure, gatewayClassName } }: GatewayItem,
): { readonly labels: Texts; readonly annotations: Texts } {
  return {
    labels: {
      ...infrastructure?.labels ?? metadata.labels,
      [CLASS_LABEL]: gatewayClassName,
    },
    annotations: infrastructure?.annotations ?? metadata.annotations ?? {},
  };
}

/** The address that a Gateway asks for; empty: any. */
export function wantedAddress({ spec: { addresses = [] } }: GatewayItem): string {
  return addresses.find(({ type = "IPAddress" }) => type === "IPAddress")?.value ?? "";
}

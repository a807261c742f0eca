/**
 * Which endpoints an assignment holds, and with which weight: the part that the
 * message builder and the fast encoder share.
 *
 * @module
 */
import type { Endpoint, Locality, Place, Service } from "../../model/mod.ts";
import { isIp } from "../../text/mod.ts";
import { UNIX_PREFIX } from "../wire/mod.ts";
import { arrange, type LocalityRule } from "./locality.ts";
import { type Reach, reach } from "./networks.ts";

/** What an assignment is made from. */
export interface AssignmentInput {
  readonly clusterName: string;
  readonly endpoints: readonly Endpoint[];
  /** Name of the service's port; endpoints without that port are left out. */
  readonly portName: string;
  /** Labels that endpoints must have; `undefined`: all endpoints. */
  readonly subsetLabels?: Readonly<Record<string, string>>;
  /** Whether endpoints name their workload, for metrics on the client's side. */
  readonly telemetryLabel?: boolean;
  /** The canonical service of endpoints that say nothing of theirs; default: their workload. */
  readonly canonical?: Canonical;
  /** Endpoints that are not ready are sent too, marked so; else they are left out. */
  readonly sendUnhealthy?: boolean;
  /** Endpoints with this label are sent as draining; empty or left out: none. */
  readonly drainingLabel?: string;
  /** Addresses may be host names, because Envoy will resolve them. */
  readonly hostNames?: boolean;
  /** Whether an endpoint's port takes mutual TLS; default: none does. */
  readonly mutual?: (endpoint: Endpoint, port: number) => boolean;
  /** Where the proxy stands; `undefined`: where it makes no difference. */
  readonly place?: Place;
  /** What the policy says about localities; looked at with a place alone. */
  readonly localityRule?: LocalityRule;
  /** How other networks are reached; looked at with a place alone. */
  readonly reach?: Reach;
}

/** An endpoint as it is sent. */
export interface PlannedEndpoint {
  readonly endpoint: Endpoint;
  /** 0 for Unix sockets. */
  readonly port: number;
  /** From 1. */
  readonly weight: number;
  readonly health: Endpoint["health"];
  /** Empty: no telemetry label. */
  readonly label: string;
  /** Whether clients open mutual TLS to it. */
  readonly mutual: boolean;
  /** The network it is in; empty: none. */
  readonly network: string;
}

/** The endpoints of one locality. */
export interface PlannedLocality {
  readonly locality: Locality;
  /** Sum of the endpoints'. */
  readonly weight: number;
  readonly endpoints: readonly PlannedEndpoint[];
  /** From 0: the next one takes over when too many of those before are left out. */
  readonly priority: number;
}

/** Envoy refuses an assignment whose weights add up to more. */
const MAX_WEIGHT_SUM = 0xffff_ffff;

/** Groups endpoints by locality, localities by name, endpoints in the order given. */
export function planAssignment(input: AssignmentInput): PlannedLocality[] {
  const groups = new Map<string, PlannedEndpoint[]>();
  let sum = 0;
  const reached = input.place === undefined || input.reach === undefined
    ? planAll(input)
    : reach(planAll(input), input.place, input.reach);
  for (const planned of reached) {
    const { region, zone, subzone } = planned.endpoint.locality;
    const key = `${region}/${zone}/${subzone}`;
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [planned]);
    else group.push(planned);
    sum += planned.weight;
  }
  // What is scaled down is rounded down too, but not below 1: room for that is kept.
  const scale = sum > MAX_WEIGHT_SUM ? sum / (MAX_WEIGHT_SUM - reached.length) : 1;
  const localities = [...groups.keys()].sort().map((key) => locality(groups.get(key)!, scale));
  return input.place === undefined || input.localityRule === undefined
    ? localities
    : arrange(localities, input.localityRule, input.place);
}

function planAll(input: AssignmentInput): PlannedEndpoint[] {
  return input.endpoints.map((endpoint) => plan(endpoint, input))
    .filter((planned) => planned !== undefined);
}

function locality(group: readonly PlannedEndpoint[], scale: number): PlannedLocality {
  const endpoints = scale === 1
    ? group
    : group.map((p) => ({ ...p, weight: Math.max(1, Math.floor(p.weight / scale)) }));
  return {
    locality: group[0]!.endpoint.locality,
    weight: endpoints.reduce((sum, p) => sum + p.weight, 0),
    endpoints,
    priority: 0,
  };
}

/** `undefined` for an endpoint that is left out. */
function plan(endpoint: Endpoint, input: AssignmentInput): PlannedEndpoint | undefined {
  const drains = endpoint.health === "healthy" && isDraining(endpoint, input.drainingLabel);
  if (endpoint.health !== "healthy" && input.sendUnhealthy !== true) return undefined;
  if (input.subsetLabels !== undefined && !hasLabels(endpoint, input.subsetLabels)) {
    return undefined;
  }
  const port = portOf(endpoint, input);
  if (port === undefined) return undefined;
  return {
    endpoint,
    port,
    weight: Math.max(1, endpoint.weight),
    health: drains ? "draining" : endpoint.health,
    network: input.reach?.networkOf(endpoint) ?? endpoint.network,
    mutual: input.mutual?.(endpoint, port) ?? false,
    label: input.telemetryLabel === true ? telemetryLabel(endpoint, input.canonical) : "",
  };
}

/** Whether an endpoint is to finish what it has and get nothing new. */
function isDraining({ labels }: Endpoint, label = ""): boolean {
  return label !== "" && (labels[label] ?? "") !== "";
}

function hasLabels(endpoint: Endpoint, wanted: Readonly<Record<string, string>>): boolean {
  for (const key in wanted) if (endpoint.labels[key] !== wanted[key]) return false;
  return true;
}

/**
 * The port to connect to; `undefined` for endpoints that Envoy would refuse, and
 * with them the whole update: a host name where nothing resolves it, no port.
 */
function portOf(endpoint: Endpoint, input: AssignmentInput): number | undefined {
  if (endpoint.address.startsWith(UNIX_PREFIX)) return input.hostNames === true ? undefined : 0;
  const port = endpoint.ports[input.portName];
  if (port === undefined || port < 1) return undefined;
  return input.hostNames === true || isIp(endpoint.address) ? port : undefined;
}

const CANONICAL_NAME = ["service.mesh.io/canonical-name", "app.kubernetes.io/name", "app"];
const CANONICAL_REVISION = [
  "service.mesh.io/canonical-revision",
  "app.kubernetes.io/version",
  "version",
];

/** What a service is to whoever counts, whatever its hosts are. */
export interface Canonical {
  readonly name: string;
  readonly revision: string;
}

/** What a service's own labels say of that; without any it is its host, and the latest. */
export function canonicalOf({ labels, host }: Pick<Service, "labels" | "host">): Canonical {
  return {
    name: firstLabel(labels, CANONICAL_NAME) ?? host,
    revision: firstLabel(labels, CANONICAL_REVISION) ?? "latest",
  };
}

/**
 * `workload;namespace;canonical service;canonical revision`: one short text, because every endpoint
 * carries it. Their cluster is the daemon's own, which those who count are told once.
 */
export function telemetryLabel(endpoint: Endpoint, canonical?: Canonical): string {
  const { labels, workload, namespace } = endpoint;
  const name = firstLabel(labels, CANONICAL_NAME) ?? canonical?.name ?? workload;
  const revision = firstLabel(labels, CANONICAL_REVISION) ?? canonical?.revision ?? "latest";
  return `${workload};${namespace};${name};${revision}`;
}

function firstLabel(
  labels: Readonly<Record<string, string>>,
  keys: readonly string[],
): string | undefined {
  for (const key of keys) {
    const value = labels[key];
    if (value !== undefined && value !== "") return value;
  }
  return undefined;
}

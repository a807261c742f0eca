/**
 * Selects the endpoints of an assignment and their weights. The message builder and the fast
 * encoder share it.
 *
 * @module
 */
import type { Endpoint } from "../../model/mod.ts";
import { isIp } from "../../../kit/text/mod.ts";
import { UNIX_PREFIX } from "../core/mod.ts";
import { arrange } from "./locality.ts";
import { reach } from "./networks.ts";
import type { AssignmentInput, PlannedEndpoint, PlannedLocality } from "./planned.ts";
import { telemetryLabel } from "./workload_label.ts";

/** Envoy rejects an assignment whose weights have a larger sum. */
const MAX_WEIGHT_SUM = 0xffff_ffff;

/** Groups endpoints by locality; localities are sorted by name, endpoints keep their order. */
export function planAssignment(input: AssignmentInput): PlannedLocality[] {
  const groups = new Map<string, PlannedEndpoint[]>();
  let sum = 0;
  const reached = input.proxyLocality === undefined || input.reach === undefined
    ? planAll(input)
    : reach(planAll(input), input.proxyLocality, { ...input.reach, across: input.across });
  for (const planned of reached) {
    const { region, zone, subzone } = planned.endpoint.locality;
    const key = `${region}/${zone}/${subzone}`;
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [planned]);
    else group.push(planned);
    sum += planned.weight;
  }
  // Scaled weights are rounded down, but not below 1, so the scale reserves space for that.
  const scale = sum > MAX_WEIGHT_SUM ? sum / (MAX_WEIGHT_SUM - reached.length) : 1;
  const localities = [...groups.keys()].sort().map((key) => locality(groups.get(key)!, scale));
  return input.proxyLocality === undefined || input.localityRule === undefined
    ? localities
    : arrange(localities, input.localityRule, input.proxyLocality);
}

function planAll(input: AssignmentInput): PlannedEndpoint[] {
  return input.endpoints.map((endpoint) => plan(endpoint, input))
    .filter((planned) => planned !== undefined);
}

export function locality(group: readonly PlannedEndpoint[], scale: number): PlannedLocality {
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

/** Returns `undefined` for an endpoint that is omitted. */
function plan(endpoint: Endpoint, input: AssignmentInput): PlannedEndpoint | undefined {
  const drains = endpoint.health === "healthy" && isDraining(endpoint, input.drainingLabel);
  if (!isSent(endpoint, input)) return undefined;
  if (input.subsetLabels !== undefined && !isInSubset(endpoint, input.subsetLabels, input)) {
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
    tunnel: input.tunnel?.(endpoint, port),
    label: input.telemetryLabel === true ? telemetryLabel(endpoint, input.canonical) : "",
  };
}

function isSent(
  { health }: Endpoint,
  { sendUnhealthy, keepDraining }: AssignmentInput,
): boolean {
  switch (health) {
    case "healthy":
      return true;
    case "draining":
      return keepDraining === true || sendUnhealthy === true;
    case "unhealthy":
      return sendUnhealthy === true;
  }
}

/** Reports if an endpoint is draining: it finishes its requests and gets no new ones. */
function isDraining({ labels }: Endpoint, label = ""): boolean {
  return label !== "" && (labels[label] ?? "") !== "";
}

function isInSubset(
  endpoint: Endpoint,
  wanted: Readonly<Record<string, string>>,
  { topologyOf }: Pick<AssignmentInput, "topologyOf">,
): boolean {
  const topology = topologyOf?.(endpoint);
  for (const key in wanted) {
    if ((topology?.[key] ?? endpoint.labels[key]) !== wanted[key]) return false;
  }
  return true;
}

/**
 * Returns the port to connect to; `undefined` for endpoints for which Envoy would reject the whole
 * update: a host name that is not resolved, or no port.
 */
function portOf(endpoint: Endpoint, input: AssignmentInput): number | undefined {
  const port = endpoint.ports[input.portName];
  if (port === undefined) return undefined;
  if (endpoint.address.startsWith(UNIX_PREFIX)) return input.hostNames === true ? undefined : 0;
  if (port < 1) return undefined;
  return input.hostNames === true || isIp(endpoint.address) ? port : undefined;
}

/**
 * Endpoints of Services, from EndpointSlices with their pods and nodes.
 *
 * @module
 */
import { type EndpointFacts, networkLabel } from "../../../model/mod.ts";
import type { ApiEndpoint, ApiSlice, NodeFacts, PodFacts } from "./api.ts";
import { localityAt } from "./locality.ts";

/** An endpoint: fields of a WorkloadEntry, and facts beside them. */
export interface RowEndpoint {
  readonly entry: {
    readonly address: string;
    readonly ports: Record<string, number>;
    readonly labels: Record<string, string>;
    readonly serviceAccount: string;
    readonly network: string;
    readonly locality: string;
  };
  readonly facts: EndpointFacts;
}

/** The Service of a slice, and objects that endpoints refer to. */
export interface SliceInputs {
  readonly namespace: string;
  /** Names of ports in slices → names of ports of the row. */
  readonly names: ReadonlyMap<string, string>;
  /** True: endpoints count as ready whatever their conditions say. */
  readonly publishUnready: boolean;
  readonly pod: (namespace: string, name: string) => PodFacts | undefined;
  /** The pod at an address; `undefined`: there is none, or there are several. */
  readonly podAt: (namespace: string, address: string) => PodFacts | undefined;
  readonly node: (name: string) => NodeFacts | undefined;
  /** The network of endpoints whose pods name none; empty: none. */
  readonly network: string;
}

/**
 * The endpoints of slices. A port of an address that several slices have counts once: endpoints move
 * between slices. The first slice that has it as healthy counts, otherwise the first one.
 */
export function endpointsOfSlices(
  slices: readonly ApiSlice[],
  inputs: SliceInputs,
): RowEndpoint[] {
  const all = slices.flatMap((slice) => sliceEndpoints(slice, inputs));
  if (new Set(all.map(({ entry }) => entry.address)).size === all.length) return all;
  const seen = new Set<string>();
  const repeated = new Set<string>();
  for (const { entry: { address } } of all) (seen.has(address) ? repeated : seen).add(address);
  const serving = new Set<string>();
  for (const one of all) {
    if (one.facts.health !== "healthy" || !repeated.has(one.entry.address)) continue;
    for (const port of portsAt(one)) serving.add(port);
  }
  const taken = new Set<string>();
  return all.flatMap((one) => {
    const { entry, facts } = one;
    if (!repeated.has(entry.address)) return Object.keys(entry.ports).length === 0 ? [] : [one];
    const ports: Record<string, number> = {};
    for (const [name, port] of Object.entries(entry.ports)) {
      const key = portAt(entry.address, name, port);
      if (taken.has(key) || (facts.health !== "healthy" && serving.has(key))) continue;
      taken.add(key);
      ports[name] = port;
    }
    return Object.keys(ports).length === 0 ? [] : [{ entry: { ...entry, ports }, facts }];
  });
}

function portsAt({ entry: { address, ports } }: RowEndpoint): string[] {
  return Object.entries(ports).map(([name, port]) => portAt(address, name, port));
}

function portAt(address: string, name: string, port: number): string {
  return `${address} ${name} ${port}`;
}

/** The endpoints of a slice. Slices of host names are not used. */
function sliceEndpoints(slice: ApiSlice, inputs: SliceInputs): RowEndpoint[] {
  if (slice.addressType === "FQDN") return [];
  const ports: Record<string, number> = {};
  for (const { name = "", port } of slice.ports ?? []) {
    const own = inputs.names.get(name);
    if (own !== undefined && port !== undefined) ports[own] = port;
  }
  return (slice.endpoints ?? []).flatMap((endpoint) => {
    const ref = podOf(endpoint, inputs.namespace);
    if (ref !== undefined) {
      const { entry, facts } = ofEndpoint(endpoint, inputs, inputs.pod(ref.namespace, ref.name));
      return endpoint.addresses.map((address) => ({ entry: { address, ports, ...entry }, facts }));
    }
    // Slices that are written by hand need not refer to pods.
    return endpoint.addresses.map((address) => {
      const pod = inputs.podAt(inputs.namespace, address);
      const { entry, facts } = ofEndpoint(endpoint, inputs, pod);
      return { entry: { address, ports, ...entry }, facts };
    });
  });
}

/** The pod that an endpoint refers to. */
export function podOf(
  { targetRef }: ApiEndpoint,
  namespace: string,
): { readonly namespace: string; readonly name: string } | undefined {
  return targetRef?.kind === "Pod" && targetRef.name !== undefined
    ? { namespace: targetRef.namespace ?? namespace, name: targetRef.name }
    : undefined;
}

function ofEndpoint(endpoint: ApiEndpoint, inputs: SliceInputs, pod: PodFacts | undefined) {
  const ref = podOf(endpoint, inputs.namespace);
  const nodeName = endpoint.nodeName ?? pod?.node ?? "";
  return {
    entry: {
      labels: { ...pod?.labels },
      serviceAccount: pod?.serviceAccount ?? "",
      network: networkLabel(pod?.labels ?? {}) || inputs.network,
      locality: localityAt(pod, inputs.node(nodeName), endpoint.zone),
    },
    facts: {
      health: healthOf(endpoint, inputs.publishUnready),
      namespace: ref?.namespace ?? inputs.namespace,
      workload: pod?.workload ?? ref?.name ?? "",
      hostname: endpoint.hostname ?? "",
      node: nodeName,
      pod: pod !== undefined,
      ...(pod?.ambient?.redirected === true ? { redirected: true } : {}),
    },
  };
}

/**
 * Conditions that are missing are unknown: readiness then counts as given, serving as readiness
 * (https://kubernetes.io/docs/concepts/services-networking/endpoint-slices/#conditions).
 */
function healthOf({ conditions }: ApiEndpoint, publishUnready: boolean): EndpointFacts["health"] {
  if (publishUnready || conditions?.ready !== false) return "healthy";
  return conditions.terminating === true && conditions.serving === true ? "draining" : "unhealthy";
}

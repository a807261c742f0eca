/**
 * The proxies of a mesh that exists only as files: one beside each workload that the files
 * describe, and one for each Gateway.
 *
 * @module
 */
import { type GatewaySelector, gatewaySelectors, type Mesh } from "../../mesh/derive/mod.ts";
import { HBONE, writtenName } from "../../mesh/gateway_api/mod.ts";
import type { Gateway } from "#mesh/networking/v1alpha3/gateway_pb.ts";
import type { Input } from "../../mesh/graph/mod.ts";
import {
  type ServiceEntry,
  ServiceEntry_Location,
} from "#mesh/networking/v1alpha3/service_entry_pb.ts";
import { isIp } from "../../kit/text/mod.ts";
import {
  type ConfigObject,
  GATEWAY_NAME_LABEL,
  networkLabel,
  type ProxyNode,
  saysTunnels,
  TLS_MODE_LABEL,
} from "../../mesh/model/mod.ts";

/** Labels of a workload. */
type Labels = Readonly<Record<string, string>>;

/** The properties of a proxy that files tell. */
export interface Workload {
  readonly role: "sidecar" | "router" | "waypoint";
  readonly name: string;
  readonly namespace: string;
  /** Empty: no address is known. */
  readonly address: string;
  readonly labels: Labels;
  readonly serviceAccount: string;
  /** Unset: it says none. */
  readonly network?: string;
  /** `NAME.NAMESPACE` of the Gateway that a proxy serves. */
  readonly gateway?: string;
  /** True: nothing tells the service account. */
  readonly accountUnknown?: true;
}

/** Address of workloads without one (RFC 5737, documentation). */
export const NOWHERE = "198.51.100.1";

export interface FileWorkloads {
  /** Those with a proxy, each of which is one. */
  readonly proxies: readonly Workload[];
  /** Those without a proxy beside them. */
  readonly plain: readonly Workload[];
}

/**
 * The workloads of WorkloadEntries and pods, of endpoints in ServiceEntries, and of Gateways, in this
 * order. A workload with the labels of a Gateway's selector is the gateway, and has no sidecar. A pod
 * without the label that injection writes has none either.
 */
export function workloadsOf(mesh: Mesh): FileWorkloads {
  const { tables } = mesh;
  const waypoints = waypointsOf(mesh);
  const ofWaypoints = new Set(waypoints.map(({ address }) => address));
  const hasSidecar = (address: string, labels: Labels): boolean =>
    !ofWaypoints.has(address) && !(mesh.ambient !== undefined && isCaptured(labels));
  const all = rowsOf(tables.workloadEntries).map(({ meta, spec, pod }) => ({
    injected: (pod === undefined || meta.labels[TLS_MODE_LABEL] === "mesh") &&
      hasSidecar(spec.address, { ...meta.labels, ...spec.labels }),
    workload: {
      role: "sidecar",
      name: meta.name,
      namespace: meta.namespace,
      address: spec.address,
      labels: { ...meta.labels, ...spec.labels },
      serviceAccount: spec.serviceAccount,
      ...inNetwork(spec.network || networkLabel(meta.labels)),
    } as const satisfies Workload,
  }));
  const rows = rowsOf(tables.gateways).filter(isGateway);
  const gateways = rows.flatMap((row) =>
    gatewaySelectors(mesh, row).flatMap((selector) => {
      const own = all.map(({ workload }) => workload).filter((one) => isSelected(one, selector));
      const { namespace } = row.meta;
      const { labels } = selector;
      return gatewaysOf({
        name: writtenName(row.meta),
        namespace: selector.namespace || namespace,
        selector: labels,
        serviceAccount: row.deployed?.serviceAccount,
      }, own);
    })
  );
  const selectors = rows.flatMap((row) => gatewaySelectors(mesh, row));
  const others = all.filter(({ workload }) =>
    !ofWaypoints.has(workload.address) && !selectors.some((one) => isSelected(workload, one))
  );
  const entries = others.filter(({ injected }) => injected).map(({ workload }) => workload);
  const known = new Set(all.map(({ workload }) => workload.address));
  const endpoints = rowsOf(tables.serviceEntries).flatMap((row) =>
    sidecarsOfEndpoints(
      row,
      (address, labels) => !known.has(address) && hasSidecar(address, labels),
    )
  );
  return {
    proxies: [
      ...entries,
      ...endpoints,
      ...oncePerProxy(gateways),
      ...waypoints,
      ...entrancesOf(mesh),
    ],
    plain: others.filter(({ injected }) => !injected).map(({ workload }) => workload),
  };
}

/** Reports if a Gateway has gateways as proxies: one that takes tunnels alone has not. */
function isGateway({ spec }: ConfigObject<Gateway>): boolean {
  return spec.servers.some(({ port }) => port?.protocol !== HBONE);
}

/** The sidecars beside the endpoints that an entry of the mesh lists. */
function sidecarsOfEndpoints(
  { meta, spec, service }: ConfigObject<ServiceEntry>,
  hasSidecar: (address: string, labels: Labels) => boolean,
): Workload[] {
  if (spec.location === ServiceEntry_Location.MESH_EXTERNAL) return [];
  return spec.endpoints.filter(({ address, labels }) =>
    hasSidecar(address, labels) && (service === undefined || labels[TLS_MODE_LABEL] === "mesh")
  ).map((one, at) => ({
    role: "sidecar",
    name: `${meta.name}-${at}`,
    namespace: meta.namespace,
    address: one.address,
    labels: one.labels,
    serviceAccount: one.serviceAccount,
    ...inNetwork(one.network),
  }));
}

/** Each proxy once: each listener of a Gateway of the Gateway API is a Gateway. */
function oncePerProxy(gateways: readonly Workload[]): readonly Workload[] {
  const keyOf = ({ gateway, namespace, address, serviceAccount, labels }: Workload) =>
    JSON.stringify([gateway, namespace, address, serviceAccount, Object.entries(labels).sort()]);
  return [...Map.groupBy(gateways, keyOf).values()].flatMap((same) => same.slice(0, 1));
}

/** Reports if a workload outside the orchestrator takes tunnels and no mutual TLS: a node proxy is beside it. */
function isCaptured(labels: Labels): boolean {
  return saysTunnels(labels) && labels[TLS_MODE_LABEL] === "disabled";
}

function inNetwork(network: string): Pick<Workload, "network"> {
  return network === "" ? {} : { network };
}

/** A proxy of each gateway that takes tunnels into a network. */
function entrancesOf({ graph, ambient }: Mesh): Workload[] {
  if (ambient?.multiNetwork !== true) return [];
  return ambient.indexes.gateways.peek("all").flatMap((key): Workload[] => {
    const network = graph.peek(ambient.networks.entrance, key);
    if (network === undefined) return [];
    const own = graph.peek(ambient.networks.gateways, network);
    const found = own.find(({ namespace, name }) =>
      namespace === key.namespace && name === key.name
    );
    return [{
      role: "waypoint",
      ...key,
      address: found?.address ?? own[0]?.address ?? "",
      labels: { [GATEWAY_NAME_LABEL]: key.name },
      serviceAccount: graph.peek(ambient.networks.account, key) ?? "",
      ...inNetwork(network),
    }];
  });
}

/** A proxy of each waypoint: at the first endpoint of the service in front of it. */
function waypointsOf({ graph, ambient, services }: Mesh): Workload[] {
  if (ambient === undefined) return [];
  return ambient.indexes.gateways.peek("all").flatMap((key) => {
    const waypoint = graph.peek(ambient.waypoints.waypoint, key);
    if (waypoint === undefined) return [];
    const [endpoint] = waypoint.service === undefined
      ? []
      : graph.peek(services.endpoints, waypoint.service);
    return [
      {
        role: "waypoint",
        name: key.name,
        namespace: key.namespace,
        address: endpoint?.address ?? "",
        labels: { [GATEWAY_NAME_LABEL]: key.name },
        serviceAccount: endpoint?.serviceAccount || `${key.name}-${waypoint.className}`,
        ...inNetwork(endpoint?.network ?? ""),
      } as const,
    ];
  });
}

/** Reports if a selector, which must not be empty, selects a workload. */
function isSelected(
  { namespace, labels }: Pick<Workload, "namespace" | "labels">,
  selector: GatewaySelector,
): boolean {
  const wanted = Object.entries(selector.labels);
  return wanted.length > 0 && wanted.every(([key, value]) => labels[key] === value) &&
    (selector.namespace === "" || selector.namespace === namespace);
}

/** The proxies of a Gateway: one for each namespace and service account of its workloads. */
function gatewaysOf(
  { name, namespace, selector, serviceAccount }: {
    readonly name: string;
    readonly namespace: string;
    readonly selector: Labels;
    readonly serviceAccount: string | undefined;
  },
  workloads: readonly Workload[],
): Workload[] {
  const common = { role: "router", name, gateway: `${name}.${namespace}` } as const;
  if (workloads.length === 0) {
    const workload = { ...common, namespace, labels: selector, address: "" };
    return serviceAccount === undefined
      ? [{ ...workload, serviceAccount: "", accountUnknown: true }]
      : [{ ...workload, serviceAccount }];
  }
  const kinds = Map.groupBy(workloads, (one) => `${one.namespace}/${one.serviceAccount}`);
  return [...kinds.values()].map(([first]): Workload => ({ ...first!, ...common }));
}

function rowsOf<T>(table: Input<ConfigObject<T>>): ConfigObject<T>[] {
  return table.keys().toSorted().flatMap((key) => table.peek(key) ?? []);
}

/** Certificates of a workload in files (G01 of the interface): every workload is taken to have some. */
const CERTIFICATES = Object.fromEntries(
  ["SERVER", "CLIENT"].flatMap((side) => [
    [`TLS_${side}_CERT_CHAIN`, "/etc/certs/cert-chain.pem"],
    [`TLS_${side}_KEY`, "/etc/certs/key.pem"],
    [`TLS_${side}_ROOT_CERT`, "/etc/certs/root-cert.pem"],
  ]),
);

/** The workload of a proxy that runs. */
export function workloadOf({ role, name, namespace, ip, metadata }: ProxyNode): Workload {
  const { LABELS: labels = {}, SERVICE_ACCOUNT: serviceAccount = "" } = metadata as {
    readonly LABELS?: Labels;
    readonly SERVICE_ACCOUNT?: string;
  };
  const kind = role === "router" || role === "waypoint" ? role : "sidecar";
  return { role: kind, name, namespace, address: ip, labels, serviceAccount };
}

/** The node of a workload, as its agent would announce it. */
export function nodeOf(
  { role, name, namespace, address, labels, serviceAccount, network }: Workload,
): ProxyNode {
  const ip = isIp(address) ? address : NOWHERE;
  const dnsDomain = `${namespace}.svc.cluster.local`;
  return {
    id: `${role}~${ip}~${name}.${namespace}~${dnsDomain}`,
    role,
    ip,
    ips: [ip],
    name,
    namespace,
    dnsDomain,
    cluster: "",
    locality: { region: "", zone: "", subzone: "" },
    buildVersion: "",
    userAgent: "",
    transport: "sotw",
    metadata: {
      NAMESPACE: namespace,
      LABELS: labels,
      ...CERTIFICATES,
      ...(saysTunnels(labels) ? { ENABLE_HBONE: "true" } : {}),
      ...(serviceAccount === "" ? {} : { SERVICE_ACCOUNT: serviceAccount }),
      ...(network === undefined ? {} : { NETWORK: network }),
    },
  };
}

/**
 * The workload that a name means: `NAME.NAMESPACE` of one that the files describe, or
 * `NAMESPACE/LABEL=VALUE,…` for a client with these labels; `undefined` for neither.
 */
export function workloadNamed(known: readonly Workload[], name: string): Workload | undefined {
  const client = /^([^/=]+)\/([^/]+=.*)$/.exec(name);
  if (client !== null) {
    const pairs = client[2]!.split(",").map((pair) => pair.split("=", 2));
    const labels = Object.fromEntries(pairs.map(([key = "", value = ""]) => [key, value]));
    const { "service-account": serviceAccount = "", ...rest } = labels;
    const namespace = client[1]!;
    return {
      role: "sidecar",
      name: "client",
      namespace,
      address: "",
      labels: rest,
      serviceAccount,
    };
  }
  return known.find((one) => `${one.name}.${one.namespace}` === name);
}

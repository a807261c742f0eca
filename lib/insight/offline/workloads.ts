/**
 * The proxies of a mesh that exists only as files: one beside each workload that the files
 * describe, and one for each Gateway.
 *
 * @module
 */
import type { Mesh } from "../../mesh/derive/mod.ts";
import type { Input } from "../../mesh/graph/mod.ts";
import { ServiceEntry_Location } from "#mesh/networking/v1alpha3/service_entry_pb.ts";
import { isIp } from "../../kit/text/mod.ts";
import { type ConfigObject, type ProxyNode } from "../../mesh/model/mod.ts";

/** Labels of a workload. */
type Labels = Readonly<Record<string, string>>;

/** The properties of a proxy that files tell. */
export interface Workload {
  readonly role: "sidecar" | "router";
  readonly name: string;
  readonly namespace: string;
  /** Empty: no address is known. */
  readonly address: string;
  readonly labels: Labels;
  readonly serviceAccount: string;
}

/** Address of workloads without one (RFC 5737, documentation). */
export const NOWHERE = "198.51.100.1";

/** The workloads of WorkloadEntries, of endpoints in ServiceEntries, and of Gateways, in this order. */
export function workloadsOf({ tables }: Mesh): Workload[] {
  const entries = rowsOf(tables.workloadEntries).map(({ meta, spec }): Workload => ({
    role: "sidecar",
    name: meta.name,
    namespace: meta.namespace,
    address: spec.address,
    labels: { ...meta.labels, ...spec.labels },
    serviceAccount: spec.serviceAccount,
  }));
  const endpoints = rowsOf(tables.serviceEntries).flatMap(({ meta, spec }) =>
    spec.location === ServiceEntry_Location.MESH_EXTERNAL
      ? []
      : spec.endpoints.map((one, at): Workload => ({
        role: "sidecar",
        name: `${meta.name}-${at}`,
        namespace: meta.namespace,
        address: one.address,
        labels: one.labels,
        serviceAccount: one.serviceAccount,
      }))
  );
  const gateways = rowsOf(tables.gateways).map(({ meta, spec }): Workload => ({
    role: "router",
    name: meta.name,
    namespace: meta.namespace,
    address: "",
    labels: spec.selector,
    serviceAccount: "",
  }));
  return [...entries, ...endpoints, ...gateways];
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

/** The node of a workload, as its agent would announce it. */
export function nodeOf(
  { role, name, namespace, address, labels, serviceAccount }: Workload,
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
      ...(serviceAccount === "" ? {} : { SERVICE_ACCOUNT: serviceAccount }),
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

/**
 * Dumps of the node proxy: workloads, services, policies, certificates, connections.
 *
 * @module
 */
import { MeshError } from "../../kit/base/mod.ts";
import { parseYaml } from "../../kit/text/mod.ts";
import { asMap, asMaps, asText, type Json, type JsonMap } from "./json.ts";
import type { Table } from "./table.ts";

/** A parsed dump of a node proxy. Each list is sorted by namespace and name. */
export interface NodeDump {
  readonly value: JsonMap;
  readonly workloads: readonly JsonMap[];
  readonly services: readonly JsonMap[];
  readonly policies: readonly JsonMap[];
  readonly certificates: readonly JsonMap[];
  /** Workloads of the node with their connections. */
  readonly states: readonly JsonMap[];
}

/**
 * Reads a dump, in JSON or YAML.
 *
 * @throws {MeshError} `data` for other documents
 */
export function parseNodeDump(text: string, origin: string): NodeDump {
  const value = asMap(valueOf(text, origin));
  if (value.workloads === undefined && value.certificates === undefined) {
    throw new MeshError(
      "data",
      `${origin} is not a dump of the node proxy: it has neither workloads nor certificates`,
      { remedy: "Use the answer of /config_dump of its admin interface, at port 15000." },
    );
  }
  return {
    value,
    workloads: sorted(listOf(value.workloads), (one) => one),
    services: sorted(listOf(value.services), (one) => one),
    policies: sorted(listOf(value.policies), (one) => one),
    certificates: listOf(value.certificates),
    states: sorted(listOf(value.workloadState), ({ info }) => asMap(info)),
  };
}

function valueOf(text: string, origin: string): Json {
  try {
    return JSON.parse(text);
  } catch {
    try {
      return parseYaml(text) as Json;
    } catch {
      throw new MeshError("data", `${origin} is neither JSON nor YAML`);
    }
  }
}

/** Versions of the proxy write lists, or maps by name. */
function listOf(value: Json | undefined): JsonMap[] {
  return Array.isArray(value) ? [...asMaps(value)] : Object.values(asMap(value)).map(asMap);
}

function sorted(list: readonly JsonMap[], keyOf: (one: JsonMap) => JsonMap): JsonMap[] {
  const key = (one: JsonMap): string => {
    const { namespace, name } = keyOf(one);
    return `${asText(namespace)}/${asText(name)}`;
  };
  return list.toSorted((a, b) => key(a) < key(b) ? -1 : key(a) > key(b) ? 1 : 0);
}

/** A selection of workloads; an empty text or list means all. */
export interface NodeFilter {
  readonly namespace?: string;
  readonly node?: string;
  readonly address?: string;
  /** `name` or `name.namespace`. */
  readonly workload?: string;
  readonly direction?: string;
}

/** The elements of a list that are in a namespace. */
export function inNamespace(list: readonly JsonMap[], namespace: string = ""): JsonMap[] {
  return list.filter((one) => namespace === "" || one.namespace === namespace);
}

/** The workloads that a filter lets through. */
export function workloadsOf(
  { workloads }: NodeDump,
  { namespace = "", node = "", address = "" }: NodeFilter,
): JsonMap[] {
  return inNamespace(workloads, namespace).filter((one) =>
    (node === "" || one.node === node) &&
    (address === "" || addressesOf(one).includes(address))
  );
}

function addressesOf({ workloadIps }: JsonMap): string[] {
  return Array.isArray(workloadIps) ? workloadIps.map(asText) : [];
}

const NONE = "None";

export function workloadTable(dump: NodeDump, workloads: readonly JsonMap[]): Table {
  return {
    head: ["NAMESPACE", "POD NAME", "ADDRESS", "NODE", "WAYPOINT", "PROTOCOL"],
    rows: workloads.map((one) => [
      asText(one.namespace),
      asText(one.name),
      addressesOf(one)[0] ?? asText(one.hostname),
      asText(one.node),
      waypointOf(dump, one),
      asText(one.protocol),
    ]),
  };
}

/** The name of a waypoint: of the service at its address, or the first part of its host. */
function waypointOf({ services }: NodeDump, { waypoint }: JsonMap): string {
  const destination = asText(asMap(waypoint).destination);
  if (destination === "") return NONE;
  const found = services.find(({ vips, namespace, hostname }) =>
    (Array.isArray(vips) && vips.includes(destination)) ||
    `${asText(namespace)}/${asText(hostname)}` === destination
  );
  return found === undefined ? "NA" : asText(found.name);
}

export function serviceTable(dump: NodeDump, services: readonly JsonMap[]): Table {
  return {
    head: ["NAMESPACE", "SERVICE NAME", "SERVICE VIP", "WAYPOINT", "ENDPOINTS"],
    rows: services.map((one) => {
      const endpoints = Object.values(asMap(one.endpoints)).map(asMap);
      const healthy = endpoints.filter(({ status = "Healthy" }) => status === "Healthy");
      const vips = Array.isArray(one.vips) ? one.vips.map(asText) : [];
      return [
        asText(one.namespace),
        asText(one.name),
        vips.map((vip) => vip.slice(vip.indexOf("/") + 1)).join(","),
        waypointOf(dump, one),
        `${healthy.length}/${endpoints.length}`,
      ];
    }),
  };
}

export function policyTable(policies: readonly JsonMap[]): Table {
  return {
    head: ["NAMESPACE", "POLICY NAME", "ACTION", "SCOPE"],
    rows: policies.map(({ namespace, name, action, scope }) =>
      [namespace, name, action, scope].map(asText)
    ),
  };
}

/** Reports if a certificate is valid between two times, as RFC 3339 writes them. */
export type IsValid = (begin: string, end: string) => boolean;

/** Certificates with their state. */
export function certificateTable(certificates: readonly JsonMap[], isValid: IsValid): Table {
  return {
    head: [
      "CERTIFICATE NAME",
      "TYPE",
      "STATUS",
      "VALID CERT",
      "SERIAL NUMBER",
      "NOT AFTER",
      "NOT BEFORE",
    ],
    rows: certificates.flatMap((one) => {
      const chain = asMaps(one.certChain);
      const start = (type: string) => [asText(one.identity), type, stateOf(one.state)];
      if (chain.length === 0) return [[...start("NA"), "false", "NA", "NA", "NA"]];
      const rows = chain.map((each, at) => [
        ...start(at === 0 ? "Leaf" : at === chain.length - 1 ? "Root" : "Intermediate"),
        ...certificateCells(each, isValid),
      ]);
      const roots = asMaps(one.rootCerts).map((each) => [
        ...start("Root"),
        ...certificateCells(each, isValid),
      ]);
      return [...rows, ...roots];
    }),
  };
}

/** The state without the reason that may follow it. */
function stateOf(state: Json | undefined): string {
  return typeof state === "string" ? state.split(":")[0] ?? "" : Object.keys(asMap(state))[0] ?? "";
}

function certificateCells(certificate: JsonMap, isValid: IsValid): string[] {
  const [begin, end] = [asText(certificate.validFrom), asText(certificate.expirationTime)];
  const serial = asText(certificate.serialNumber);
  const shown = /^\d+$/.test(serial) ? BigInt(serial).toString(16) : serial;
  return [`${isValid(begin, end)}`, shown, end, begin];
}

/** The workloads of a node with their connections, as other tools print them. */
export function statesOf(dump: NodeDump, filter: NodeFilter): JsonMap[] {
  const { namespace = "", workload = "", direction = "", node = "" } = filter;
  const onNode = new Set(
    dump.workloads.filter((one) => node === "" || one.node === node)
      .map(({ namespace, name }) => `${asText(name)}.${asText(namespace)}`),
  );
  return dump.states.filter(({ info }) => {
    const { name, namespace: of } = asMap(info);
    const full = `${asText(name)}.${asText(of)}`;
    return (namespace === "" || of === namespace) &&
      (node === "" || onNode.has(full)) &&
      (workload === "" || workload === full || workload === name);
  }).map(({ state, connections, info }) => {
    const { inbound, outbound } = asMap(connections);
    const shown = (list: Json | undefined, own: string): Json =>
      direction !== "" && direction !== own ? [] : asMaps(list).map((one) => ({
        src: asText(one.src),
        originalDst: asText(one.originalDst),
        actualDst: asText(one.actualDst),
        protocol: asText(one.protocol),
      }));
    const { name, namespace: of, trustDomain, serviceAccount } = asMap(info);
    return {
      state: asText(state),
      connections: { inbound: shown(inbound, "inbound"), outbound: shown(outbound, "outbound") },
      info: {
        name: asText(name),
        namespace: asText(of),
        trustDomain: asText(trustDomain),
        serviceAccount: asText(serviceAccount),
      },
    };
  });
}

/** Connections; `nameOf` gives an address a name. */
export function connectionTable(
  states: readonly JsonMap[],
  nameOf: (address: string) => string = (address) => address,
): Table {
  const rows = states.flatMap(({ info, connections }) => {
    const { name, namespace } = asMap(info);
    const workload = `${asText(name)}.${asText(namespace)}`;
    const { inbound, outbound } = asMap(connections);
    return [
      ...asMaps(inbound).map((one) => [
        workload,
        "Inbound",
        nameOf(asText(one.actualDst)),
        nameOf(asText(one.src)),
        nameOf(asText(one.originalDst)),
        asText(one.protocol),
      ]),
      ...asMaps(outbound).map((one) => [
        workload,
        "Outbound",
        nameOf(asText(one.src)),
        nameOf(asText(one.actualDst)),
        nameOf(asText(one.originalDst)),
        asText(one.protocol),
      ]),
    ];
  });
  return {
    head: ["WORKLOAD", "DIRECTION", "LOCAL", "REMOTE", "REMOTE TARGET", "PROTOCOL"],
    rows,
  };
}

/** Names of the addresses of a dump: `address:port` becomes `name.namespace:port`. */
export function namesIn({ workloads, services }: NodeDump): (address: string) => string {
  const known = new Map<string, string>();
  for (const one of workloads) {
    const name = `${asText(one.name)}.${asText(one.namespace)}`;
    for (const address of addressesOf(one)) known.set(address, name);
  }
  for (const { vips, hostname } of services) {
    for (const vip of Array.isArray(vips) ? vips.map(asText) : []) {
      known.set(vip.slice(vip.indexOf("/") + 1), asText(hostname));
    }
  }
  return (text) => {
    const [, address = "", port = ""] = /^\[?([\da-fA-F.:]+?)\]?:(\d+)$/.exec(text) ?? [];
    const name = known.get(address);
    return name === undefined ? text : `${name}:${port}`;
  };
}

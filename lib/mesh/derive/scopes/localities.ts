/**
 * Localities of proxies: the properties that the choice and order of endpoints depend on,
 * and the hosts for which it matters: rules of failover and of distribution between
 * localities, endpoints in other networks, rules that select workloads by labels.
 *
 * @module
 */
import { canonicalJson } from "../../../kit/base/mod.ts";
import { converted, type Derived, type KeyCodec, keyOf, type Read, text } from "../../graph/mod.ts";
import {
  byAge,
  covers,
  failoverLabels,
  fullHost,
  hasLabels,
  isWildcard,
  type Locality,
  NODE_LABEL,
  nodeLabels,
  objectKey,
  type ProxyClass,
  type ProxyLocality,
  topologyLabels,
} from "../../model/mod.ts";
import { coveredHosts, type Indexes, type MeshInputs } from "../indexes/mod.ts";
import type { MeshField, SidecarKey } from "../inputs/mod.ts";
import type { Networks, Services } from "../services/mod.ts";
import { type RuleKeys, ruleKeys } from "../destination_rules/mod.ts";
import { nearHosts, nearLabels, nodeOf, type NodeSource } from "./near.ts";
import { localPatterns } from "./cluster_local.ts";
import type { Scopes } from "./scopes.ts";

/** The codec of {@link ProxyLocality}: canonical JSON. */
export const localityKeys: KeyCodec<ProxyLocality> = converted(text, {
  encode: (locality: ProxyLocality) => canonicalJson(locality),
  decode: (json): ProxyLocality => JSON.parse(json),
});

/** Proxies of a namespace and Sidecar with one locality. */
export interface LocatedKey extends SidecarKey {
  /** The text of {@link localityKeys}. */
  readonly locality: string;
}

const locatedKeys: KeyCodec<LocatedKey> = keyOf<LocatedKey>({
  namespace: text,
  sidecar: text,
  locality: text,
});

/** The derived tables about localities of proxies. Lists are sorted. */
export interface Localities {
  /** The locality of a class as the text of {@link localityKeys}; `""`: nothing depends on it. */
  readonly ofClass: (read: Read, cls: LocatedClass, proxy: NodeSource) => string;
  /** Hosts for which the locality may make a difference. */
  readonly hosts: Derived<readonly string[], LocatedKey>;
  /**
   * Those of them whose clusters differ: hosts that rules for the workload name, and
   * hosts that proxies resolve, because their endpoints are part of the cluster.
   */
  readonly clusterHosts: Derived<readonly string[], LocatedKey>;
  /** Hosts that some rules name, including those that their patterns cover. */
  readonly ruledHosts: Derived<readonly string[], RuleKeys>;
}

/** The properties of a class that its locality is made from. */
export type LocatedClass =
  & Pick<ProxyClass, "namespace" | "labels" | "network" | "networkView" | "clusterId">
  & { readonly locality: Locality };

/** The tables that localities of proxies are computed from. */
interface LocalityInputs {
  readonly inputs: MeshInputs;
  readonly services: Services;
  readonly scopes: Scopes;
  readonly networks: Networks;
  /** Reports if tunnels lead to other networks. */
  readonly hasTunnels: (read: Read) => boolean;
  readonly field: MeshField;
  /** Id of the daemon's own cluster. */
  readonly clusterId: string;
  readonly clientCertificates: ClientCertificates;
}

/** Certificates that Gateways of the Gateway API show to backends. */
export interface ClientCertificates {
  /** Name of the secret with that of a proxy's Gateway. */
  nameFor(read: Read, workload: Pick<ProxyClass, "namespace" | "labels">): string | undefined;
  /** Hosts of the services that they are shown to. */
  hosts(read: Read): readonly string[];
}

/** Creates the tables. */
export function deriveLocalities(parts: LocalityInputs): Localities {
  const { inputs, services } = parts;
  const { graph, indexes } = inputs;
  const labelKeys = graph.derive("locality.labels", text, (read): readonly string[] =>
    [
      ...new Set([
        ...read.members(indexes.failoverLabels, "all"),
        ...failoverLabels(localitySetting(read, parts)),
        ...nearLabels(read, inputs),
      ]),
    ].sort());
  const hosts = graph.derive(
    "locality.hosts",
    locatedKeys,
    (read, key): readonly string[] => [...concernedHosts(read, parts, key)].sort(),
  );
  const clusterHosts = graph.derive(
    "locality.clusterHosts",
    locatedKeys,
    (read, key): readonly string[] => {
      const { namespace } = key;
      const { rules, certificate } = localityKeys.decode(key.locality);
      const named = [
        ...ruledNames(read, inputs, rules),
        ...certificate === undefined ? [] : parts.clientCertificates.hosts(read),
      ];
      return read.get(hosts, key).filter((host) => {
        if (named.some((name) => covers(name, host))) return true;
        const service = read.get(services.resolve, { namespace, host });
        const resolution = service && read.get(services.service, service)?.resolution;
        return resolution === "DNS" || resolution === "DNS_ROUND_ROBIN";
      });
    },
  );
  const ruledHosts = graph.derive(
    "locality.ruledHosts",
    ruleKeys,
    (read, keys): readonly string[] => {
      const named = ruledNames(read, inputs, keys);
      return [...new Set(named.flatMap((name) => coveredHosts(read, indexes, name)))].sort();
    },
  );
  return {
    hosts,
    clusterHosts,
    ruledHosts,
    ofClass: (read, cls, proxy) => {
      const compared = read.get(labelKeys, "");
      const node = compared.includes(NODE_LABEL) ? nodeOf(read, inputs, proxy) : undefined;
      const locality = localityOfClass(read, parts, { ...cls, node }, compared);
      return locality === undefined ? "" : localityKeys.encode(locality);
    },
  };
}

/** The mesh's setting of load balancing by locality, unless it is switched off. */
function localitySetting(read: Read, { field }: LocalityInputs) {
  const setting = field(read, "localityLbSetting");
  return setting?.enabled === false ? undefined : setting;
}

/** The hosts and patterns that some rules name. */
function ruledNames(read: Read, { tables, domain }: MeshInputs, rules: RuleKeys): string[] {
  return rules.flatMap((key) => {
    const row = read.get(tables.destinationRules, key);
    return row === undefined ? [] : [fullHost(row.spec.host, row.meta.namespace, domain)];
  });
}

function visibleHosts(
  read: Read,
  { inputs, scopes }: LocalityInputs,
  { namespace, sidecar }: SidecarKey,
): Set<string> {
  return sidecar === ""
    ? new Set([
      ...read.members(inputs.indexes.hostsSeenBy, ""),
      ...read.get(scopes.overlayHosts, namespace),
    ])
    : new Set(read.get(scopes.egressHosts, { namespace, sidecar, listener: undefined }));
}

function concernedHosts(read: Read, parts: LocalityInputs, key: LocatedKey): Iterable<string> {
  const { inputs, services, networks, field } = parts;
  const { namespace } = key;
  const locality = localityKeys.decode(key.locality);
  const visible = visibleHosts(read, parts, key);
  const everywhere = ordersAllHosts(read, parts);
  const named = [
    ...read.members(inputs.indexes.localityRuleHosts, "all"),
    ...nearHosts(read, inputs),
    ...ruledNames(read, inputs, locality.rules),
    ...locality.certificate === undefined ? [] : parts.clientCertificates.hosts(read),
    ...locality.cluster === undefined ? [] : [
      ...localPatterns(field(read, "serviceSettings"), inputs.domain),
      ...read.members(inputs.indexes.clusterOnlyHosts, "all"),
    ],
  ];
  const concerned = new Set(coveredAmong(read, inputs.indexes, named, visible));
  if (everywhere) return visible;
  if (locality.network === "" && locality.view.length === 0) return concerned;
  for (const host of visible) {
    if (concerned.has(host)) continue;
    const service = read.get(services.resolve, { namespace, host });
    if (service === undefined) continue;
    const theirs = read.get(networks.ofService, service);
    if (theirs.some((n) => n !== "" && n !== locality.network)) concerned.add(host);
  }
  return concerned;
}

/** Yields those of some hosts that names and patterns match. */
function* coveredAmong(
  read: Read,
  { hostsByPattern }: Indexes,
  named: readonly string[],
  hosts: ReadonlySet<string>,
): Iterable<string> {
  for (const name of named) {
    if (hosts.has(name)) yield name;
    if (!isWildcard(name)) continue;
    for (const host of read.members(hostsByPattern, name)) if (hosts.has(host)) yield host;
  }
}

/** The locality of a class; `undefined` when no order or choice of endpoints depends on it. */
function localityOfClass(
  read: Read,
  parts: LocalityInputs,
  cls: LocatedClass & { readonly node: string | undefined },
  compared: readonly string[],
): ProxyLocality | undefined {
  const { inputs: { tables, indexes }, networks, clusterId } = parts;
  const { gateways } = read.get(networks.all, "");
  const network = gateways.size > 0 || parts.hasTunnels(read) ? cls.network : "";
  const own = {
    ...cls.labels,
    ...topologyLabels(cls.locality, cls.network),
    ...nodeLabels(cls.node),
  };
  const labels = Object.fromEntries(
    compared.flatMap((k) => own[k] === undefined ? [] : [[k, own[k]]]),
  );
  const rules = read.members(indexes.selectingRules, cls.namespace)
    .map((key) => read.get(tables.destinationRules, key))
    .filter((row) => row !== undefined)
    .filter((row) => hasLabels(cls.labels, row.spec.workloadSelector?.matchLabels ?? {}))
    .sort(byAge).map((row) => objectKey(row.meta));
  const view = cls.networkView;
  const locality = ordersByLocality(read, parts) ? cls.locality : NOWHERE;
  const certificate = parts.clientCertificates.nameFor(read, cls);
  const unneeded = locality.region === "" && network === "" && view.length === 0 &&
    compared.length === 0 && rules.length === 0 && certificate === undefined;
  const others = read.members(indexes.remoteClusters, "all");
  if (others.length === 0 && unneeded) return undefined;
  const found = {
    ...{ locality, labels, network, view, rules },
    ...certificate === undefined ? {} : { certificate },
  };
  if (others.length === 0) return found;
  // A proxy that names no known cluster is one of the daemon's own.
  const cluster = others.includes(cls.clusterId) ? cls.clusterId : clusterId;
  return { ...found, cluster };
}

/** The locality of proxies as long as no order of endpoints depends on it, so that they share all. */
const NOWHERE: Locality = { region: "", zone: "", subzone: "" };

/** Reports if the order of the endpoints of some host depends on the proxy's locality. */
function ordersByLocality(read: Read, parts: LocalityInputs): boolean {
  return read.any(parts.inputs.indexes.localityRuleHosts, "all") || ordersAllHosts(read, parts);
}

/** Reports if the mesh configuration orders the endpoints of all hosts by locality. */
function ordersAllHosts(read: Read, parts: LocalityInputs): boolean {
  return parts.field(read, "defaultTrafficPolicy")?.outlierDetection !== undefined ||
    (localitySetting(read, parts)?.distribute.length ?? 0) > 0;
}

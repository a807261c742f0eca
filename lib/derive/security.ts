/**
 * Which policies of security apply to a workload: whether it wants mutual TLS,
 * whose tokens it believes, whom it lets in.
 *
 * @module
 */
import type { Derived, Graph, Index, Input, Read } from "../graph/mod.ts";
import { type ConfigObject, objectKey, type Role } from "../model/mod.ts";
import {
  type PeerAuthentication,
  PeerAuthentication_MutualTLS_Mode as Mode,
} from "#mesh/security/v1beta1/peer_authentication_pb.ts";
import type { PolicyTargetReference, WorkloadSelector } from "#mesh/type/v1beta1/selector_pb.ts";
import { labelsKey, parseLabels } from "./scopes.ts";
import { byAge, hasLabels } from "./services.ts";
import type { Tables } from "./tables.ts";
import { deriveTelling, fromObject } from "./tell.ts";

/** Mutual TLS of a workload: what arrives without it is refused, or not, or it is not offered. */
export type PeerMode = "disable" | "permissive" | "strict";

/** Mutual TLS of a workload, by port. */
export interface PeerModes {
  readonly mode: PeerMode;
  /** Of ports that differ from {@link mode}, by their number at the workload. */
  readonly ports: Readonly<Record<string, PeerMode>>;
}

/** The derived tables about security. Their keys are made by {@link workloadKey}. */
export interface Security {
  /**
   * Workload → keys of the AuthorizationPolicies that apply to it, joined by
   * commas; `""` for none. A plain string, so that it can be part of a content key.
   */
  readonly authorization: Derived<string>;
  /** The same of RequestAuthentications. */
  readonly tokens: Derived<string>;
  /** Workload → its modes of mutual TLS. */
  readonly peerModes: Derived<PeerModes>;
  /** `all` → addresses that key sets are fetched from. Sorted. */
  readonly keySetUris: Derived<readonly string[]>;
}

/** What policies choose workloads by. */
export interface Workload {
  readonly role: Role;
  readonly namespace: string;
  readonly labels: Readonly<Record<string, string>>;
}

/** The key of a workload. */
export function workloadKey({ role, namespace, labels }: Workload): string {
  return `${role}|${namespace}|${labelsKey(labels)}`;
}

export function parseWorkload(key: string): Workload {
  const [role = "", namespace = ""] = key.split("|", 2);
  const labels = parseLabels(key.slice(role.length + namespace.length + 2));
  return { role: role as Role, namespace, labels };
}

/** What the switches and the mesh configuration say. */
export interface SecurityOptions {
  readonly rootNamespace: (read: Read) => string;
  /** Policies that select by labels apply to gateways of the orchestrator's Gateway API too. */
  readonly selectorsForApiGateways: boolean;
}

/** The label that names the Gateway an API gateway's workload belongs to. */
export const GATEWAY_NAME = "gateway.networking.k8s.io/gateway-name";

/** The groups and kinds that policies for gateways name. */
const GATEWAY_GROUP = "gateway.networking.k8s.io";

/** A policy that chooses workloads of its namespace, or of all where that is the root. */
export interface Choosing {
  readonly selector?: WorkloadSelector;
  /** The same, as some kinds call it. */
  readonly workloadSelector?: { readonly labels: Readonly<Record<string, string>> };
  readonly targetRef?: PolicyTargetReference;
  readonly targetRefs?: readonly PolicyTargetReference[];
}

/** Creates the tables. */
export function deriveSecurity(graph: Graph, tables: Tables, options: SecurityOptions): Security {
  const authorization = chosenBy(
    graph,
    tables.authorizationPolicies,
    "security.authorization",
    options,
  );
  const tokens = chosenBy(graph, tables.requestAuthentications, "security.tokens", options);
  const peers = choosers(graph, tables.peerAuthentications, "PeerAuthentication");
  const peerModes = deriveTelling<PeerModes>(graph, "security.peerModes", (read, key, tell) => {
    const root = options.rootNamespace(read);
    const workload = parseWorkload(key);
    const rows = chosen(read, tables.peerAuthentications, peers, workload, root);
    for (const row of rows) {
      tell?.({ group: "mutualTls", ...fromObject(row, "spec"), value: "takes part" });
    }
    return composeModes(rows, root);
  });
  const uris = graph.index(
    tables.requestAuthentications,
    "RequestAuthentication.uris",
    function* (row) {
      for (const { jwksUri, jwks } of row.spec.jwtRules) {
        if (jwksUri !== "" && jwks === "") yield ["all", jwksUri];
      }
    },
  );
  const keySetUris = graph.derive<readonly string[]>(
    "security.keySetUris",
    (read, bucket) => read.members(uris, bucket),
  );
  return { authorization, tokens, peerModes, keySetUris };
}

/**
 * Workload → keys of the objects of a kind that choose it, joined by commas: those
 * of the root namespace, then its own, then those attached to its Gateway.
 *
 * @param compare orders objects of one place; default: the oldest first
 */
export function chosenBy<T extends Choosing>(
  graph: Graph,
  table: Input<ConfigObject<T>>,
  name: string,
  options: SecurityOptions,
  compare: (a: ConfigObject<T>, b: ConfigObject<T>) => number = byAge,
): Derived<string> {
  const index = choosers(graph, table, table.name);
  return graph.derive<string>(name, (read, key) => {
    const workload = parseWorkload(key);
    const root = options.rootNamespace(read);
    const gateway = workload.labels[GATEWAY_NAME];
    const bySelector = gateway === undefined || options.selectorsForApiGateways;
    const rows = chosen(read, table, index, workload, root, compare)
      .filter((row) => bySelector || !selects(row.spec));
    if (gateway !== undefined && workload.role === "router") {
      rows.push(...attached(read, table, index, workload.namespace, gateway, compare));
    }
    return rows.map(({ meta }) => objectKey(meta)).join(",");
  });
}

/**
 * Index over policies, by what they choose: `NS|` for all workloads,
 * `NS|label=value` for those with their first label, `NS|>NAME` for a Gateway. An
 * edit of a policy thus reaches those workloads alone that it may be about.
 */
export function choosers<T extends Choosing>(
  graph: Graph,
  table: Input<ConfigObject<T>>,
  name: string,
): Index {
  return graph.index(table, `${name}.chooses`, function* ({ meta, spec }, key) {
    const targets = targetsOf(spec);
    for (const target of targets) {
      if (isGateway(target)) yield [`${meta.namespace}|>${target.name}`, key];
    }
    if (targets.length > 0) return;
    const labels = selectorOf(spec);
    const first = Object.keys(labels).sort()[0];
    yield [
      first === undefined ? `${meta.namespace}|` : `${meta.namespace}|${first}=${labels[first]}`,
      key,
    ];
  });
}

function targetsOf({ targetRef, targetRefs = [] }: Choosing): readonly PolicyTargetReference[] {
  return targetRef === undefined ? targetRefs : [targetRef, ...targetRefs];
}

function isGateway({ group, kind }: PolicyTargetReference): boolean {
  return group === GATEWAY_GROUP && kind === "Gateway";
}

function selectorOf({ selector, workloadSelector }: Choosing): Readonly<Record<string, string>> {
  return selector?.matchLabels ?? workloadSelector?.labels ?? {};
}

export function selects(spec: Choosing): boolean {
  return Object.keys(selectorOf(spec)).length > 0;
}

/** The policies that choose a workload by its labels or all of them: those of the root namespace, then its own; the oldest first. */
export function chosen<T extends Choosing>(
  read: Read,
  table: Input<ConfigObject<T>>,
  index: Index,
  { namespace, labels }: Workload,
  root: string,
  compare: (a: ConfigObject<T>, b: ConfigObject<T>) => number = byAge,
): ConfigObject<T>[] {
  const places = [...new Set([root, namespace])].filter((place) => place !== "");
  return places.flatMap((place) => {
    const buckets = ["", ...Object.entries(labels).map(([name, value]) => `${name}=${value}`)];
    const keys = buckets.flatMap((bucket) => read.members(index, `${place}|${bucket}`));
    return keys.map((key) => read.get(table, key))
      .filter((row) => row !== undefined)
      .filter((row) => hasLabels(labels, selectorOf(row.spec)))
      .sort(compare);
  });
}

export function attached<T>(
  read: Read,
  table: Input<ConfigObject<T>>,
  index: Index,
  namespace: string,
  gateway: string,
  compare: (a: ConfigObject<T>, b: ConfigObject<T>) => number,
): ConfigObject<T>[] {
  return read.members(index, `${namespace}|>${gateway}`)
    .map((key) => read.get(table, key))
    .filter((row) => row !== undefined)
    .sort(compare);
}

const MODES: Readonly<Partial<Record<Mode, PeerMode>>> = {
  [Mode.DISABLE]: "disable",
  [Mode.PERMISSIVE]: "permissive",
  [Mode.STRICT]: "strict",
};

/** Of each level the oldest counts; what it leaves unset, the level above it says. */
function composeModes(rows: readonly ConfigObject<PeerAuthentication>[], root: string): PeerModes {
  const level = (test: (row: ConfigObject<PeerAuthentication>) => boolean) =>
    rows.filter(test).sort(byAge)[0]?.spec;
  const mesh = level((row) => row.meta.namespace === root && !selects(row.spec));
  const namespace = level((row) => row.meta.namespace !== root && !selects(row.spec));
  const workload = level((row) => row.meta.namespace !== root && selects(row.spec));
  const said = [workload, namespace, mesh].map((spec) => MODES[spec?.mtls?.mode ?? Mode.UNSET]);
  const mode = said.find((one) => one !== undefined) ?? "permissive";
  const ports: Record<string, PeerMode> = {};
  for (const [port, mtls] of Object.entries(workload?.portLevelMtls ?? {})) {
    const own = MODES[mtls.mode] ?? mode;
    if (own !== mode) ports[port] = own;
  }
  return { mode, ports };
}

/** The mode of a port. */
export function modeOf({ mode, ports }: PeerModes, port: number): PeerMode {
  return ports[String(port)] ?? mode;
}

/**
 * The two sides of an edit, of which a translation shows one at a time, and the requests that they
 * speak of.
 *
 * @module
 */
import type { ObjectChange } from "../../mesh/ingest/mod.ts";
import type { QuestionFields } from "../explain/mod.ts";
import { type ConfigObject, coveringPatterns, type Service } from "../../mesh/model/mod.ts";
import {
  derivedRequests,
  type GatewayHost,
  gatewayHosts,
  namedClients,
  questionFor,
  type SpokenObjects,
  spokenObjects,
} from "./derived_requests.ts";
import type { OfflineMesh, OfflineProxy } from "./mesh.ts";

/** A mesh that shows one side of an edit at a time. */
export interface EditedMesh {
  readonly changes: readonly ObjectChange[];
  /** Shows a side. The mesh of the other side must not be asked until it is shown again. */
  show(side: "before" | "after"): Promise<OfflineMesh>;
}

/** Shows a side as a mesh that is made when the side is shown first. */
export function meshesOf(
  make: () => OfflineMesh,
  show: (side: "before" | "after") => Promise<void>,
): EditedMesh["show"] {
  const made: { before?: OfflineMesh; after?: OfflineMesh } = {};
  return async (side) => {
    await show(side);
    return made[side] ??= make();
  };
}

/** Facts of a side, which stay when the other one is shown. */
export interface SideFacts {
  readonly services: readonly Service[];
  /** One proxy of each kind. */
  readonly proxies: readonly OfflineProxy["workload"][];
  readonly spoken: SpokenObjects;
  /** The objects that the edit changes, as they are on this side. */
  readonly edited: readonly (ConfigObject | undefined)[];
}

/** The facts of both sides. */
export interface BothFacts {
  readonly before: SideFacts;
  readonly after: SideFacts;
  readonly changes: readonly ObjectChange[];
}

/** Maximum of clients. */
const MAX_CLIENTS = 20;

/** Returns the facts of the side that is shown. */
export function factsOf(mesh: OfflineMesh, changes: readonly ObjectChange[]): SideFacts {
  return {
    services: mesh.services(),
    proxies: mesh.representatives().map(({ workload }) => workload),
    spoken: spokenObjects(mesh.mesh),
    edited: changes.map(({ kind, key }) => mesh.objectNamed(kind, key)),
  };
}

/** The requests of workloads of different kinds to the services that the edit may concern. */
export function* requestsOfWorkloads(
  { before, after, changes }: BothFacts,
): Iterable<QuestionFields> {
  const clients = clientsOf(before, after);
  for (const service of concerned(before, after, changes)) {
    if (service.host.startsWith("*")) continue;
    const requests = derivedRequests([before.spoken, after.spoken], service);
    for (const { number, protocol } of service.ports) {
      const isHttp = protocol.startsWith("HTTP") || protocol.startsWith("GRPC");
      for (const from of clients) {
        if (!isHttp) yield { from, url: `tcp://${service.host}:${number}` };
        else for (const one of requests) yield questionFor(from, { ...service, number }, one);
      }
    }
  }
}

/** Requests of clients outside of the mesh, through the gateways that both sides have. */
export function* requestsThroughGateways({ before, after }: BothFacts): Iterable<QuestionFields> {
  const known = [before, after].map(({ proxies }) =>
    proxies.filter(({ role }) => role === "router").map((one) => ({ ...one, id: idOf(one) }))
  );
  const hosts = new Map(
    [before, after].flatMap(({ spoken }) => [...gatewayHosts(spoken)])
      .map((one) => [JSON.stringify(one), one]),
  );
  for (const host of hosts.values()) {
    const ids = known.map((list) => list.filter((one) => serves(one, host)).map(({ id }) => id));
    const namespace = host.gateway.slice(host.gateway.indexOf(".") + 1);
    const service = { host: host.host, namespace };
    const requests = derivedRequests([before.spoken, after.spoken], service);
    for (const from of ids[0]!.filter((id) => ids[1]!.includes(id))) {
      for (const one of requests) yield questionFor(from, host, one);
    }
  }
}

function idOf({ name, namespace }: OfflineProxy["workload"]): string {
  return `${name}.${namespace}`;
}

/** Reports if a proxy serves a Gateway: by its name, or by the labels that the Gateway selects. */
function serves(
  { gateway, namespace, name, labels }: OfflineProxy["workload"],
  host: GatewayHost,
): boolean {
  if (gateway !== undefined) return gateway === host.gateway;
  const wanted = Object.entries(host.selector);
  return `${name}.${namespace}` === host.gateway ||
    wanted.length > 0 && wanted.every(([key, value]) => labels[key] === value);
}

/** Clients that both sides have, one for each namespace first, then those that policies name. */
function clientsOf(before: SideFacts, after: SideFacts): string[] {
  const old = new Set(before.proxies.map(idOf));
  const sidecars = after.proxies.filter((one) => one.role === "sidecar" && old.has(idOf(one)));
  const firsts = [...Map.groupBy(sidecars, ({ namespace }) => namespace).values()]
    .map((group) => group[0]!);
  const rest = sidecars.filter((one) => !firsts.includes(one));
  const accounts = new Set(
    after.proxies.map(({ namespace, serviceAccount }) =>
      `${namespace}/service-account=${serviceAccount || "default"}`
    ),
  );
  const named = [before, after].flatMap(({ spoken }) => [...namedClients(spoken)])
    .filter((one) => !accounts.has(one));
  return [...[...firsts, ...rest].slice(0, MAX_CLIENTS).map(idOf), ...new Set(named)]
    .slice(0, 2 * MAX_CLIENTS);
}

/** The services that changed objects may concern: by host, else those of the namespace. */
function concerned(
  before: SideFacts,
  after: SideFacts,
  changes: readonly ObjectChange[],
): Service[] {
  const all = new Map(
    [...before.services, ...after.services].map((one) => [one.host, one]),
  );
  const hosts = new Set<string>();
  const namespaces = new Set<string>();
  for (const [at, { key, object }] of changes.entries()) {
    const named = [object, before.edited[at]].flatMap((one) => hostsOf(one?.spec));
    for (const host of named) hosts.add(host);
    if (named.length === 0) namespaces.add(key.split("/")[0] ?? "");
  }
  const isRoot = namespaces.has("mesh-system");
  return [...all.values()].filter(({ host, namespace }) =>
    isRoot || namespaces.has(namespace) || [host, ...coveringPatterns(host)].some((one) =>
      hosts.has(one)
    ) ||
    [...hosts].some((one) => host.startsWith(`${one}.`))
  );
}

/** The fields of hosts of VirtualServices, DestinationRules and ServiceEntries. */
function hostsOf(spec: unknown): string[] {
  const { hosts, host } = (spec ?? {}) as { hosts?: readonly string[]; host?: string };
  return [...hosts ?? [], ...host === undefined ? [] : [host]].map((one) => one.toLowerCase());
}

/**
 * The blast radius of a change: proxies that are sent something, and requests with another outcome.
 *
 * @module
 */
import type { ObjectChange } from "../../mesh/ingest/mod.ts";
import type { QuestionFields } from "../explain/mod.ts";
import { coveringPatterns, type Service } from "../../mesh/model/mod.ts";
import type { OfflineMesh, OfflineProxy } from "./mesh.ts";
import { servicesOf } from "./mesh.ts";
import { type Verdict, verdictOf } from "../explain/mod.ts";

/** A request with another outcome than before. */
export interface ChangedRequest {
  /** `NAME.NAMESPACE` of the first proxy. */
  readonly from: string;
  readonly url: string;
  readonly change: "allowed" | "denied" | "moved";
  readonly before: Verdict;
  readonly after: Verdict;
}

/** Result of the comparison. */
export interface RequestChanges {
  /** Number of requests that were compared. */
  readonly compared: number;
  /** True: there were more; see {@link MAX_REQUESTS}. */
  readonly cut: boolean;
  readonly changes: readonly ChangedRequest[];
}

/** Maximum of requests that are compared. */
export const MAX_REQUESTS = 2000;
/** Maximum of clients. */
const MAX_CLIENTS = 20;
/** Maximum of paths of a host. */
const MAX_PATHS = 12;

/** The two sides, and the objects that differ. */
export interface Sides {
  readonly before: OfflineMesh;
  readonly after: OfflineMesh;
  readonly changes: readonly ObjectChange[];
}

/** Compares requests that the changed objects may concern, from workloads of different kinds. */
export function compareRequests(sides: Sides): RequestChanges {
  const { before, after } = sides;
  const questions = [...questionsFor(sides)];
  const asked = questions.slice(0, MAX_REQUESTS);
  const changes = asked.flatMap((question): ChangedRequest[] => {
    const short = (mesh: OfflineMesh) =>
      signature(verdictOf(mesh.ask(question, { causes: false })));
    if (short(before) === short(after)) return [];
    const [old, now] = [verdictOf(before.ask(question)), verdictOf(after.ask(question))];
    const change = old.outcome === now.outcome
      ? "moved"
      : now.outcome === "allowed"
      ? "allowed"
      : now.outcome === "denied"
      ? "denied"
      : "moved";
    return [{ from: question.from, url: question.url, change, before: old, after: now }];
  });
  return { compared: asked.length, cut: questions.length > asked.length, changes };
}

function signature({ outcome, statuses, clusters, text }: Verdict): string {
  return JSON.stringify([outcome, statuses, clusters, text]);
}

function* questionsFor({ before, after, changes }: Sides): Iterable<QuestionFields> {
  const services = concerned(after, before, changes);
  const paths = pathsOf(before, after, services);
  const clients = clientsOf(before, after);
  for (const service of services) {
    if (service.host.startsWith("*")) continue;
    for (const { number, protocol } of service.ports) {
      const urls = protocol.startsWith("HTTP") || protocol.startsWith("GRPC")
        ? [...paths.get(service.host) ?? ["/"]].map((path) =>
          `http://${service.host}:${number}${path}`
        )
        : [`tcp://${service.host}:${number}`];
      for (const url of urls) for (const from of clients) yield { from, url };
    }
  }
}

/** Clients that both sides have, one for each namespace first. */
function clientsOf(before: OfflineMesh, after: OfflineMesh): string[] {
  const idOf = ({ workload: one }: OfflineProxy) => `${one.name}.${one.namespace}`;
  const old = new Set(before.representatives().map(idOf));
  const sidecars = after.representatives()
    .filter((one) => one.workload.role === "sidecar" && old.has(idOf(one)));
  const firsts = [...Map.groupBy(sidecars, ({ workload }) => workload.namespace).values()]
    .map((group) => group[0]!);
  const rest = sidecars.filter((one) => !firsts.includes(one));
  return [...firsts, ...rest].slice(0, MAX_CLIENTS).map(idOf);
}

/** The services that changed objects may concern: by host, else those of the namespace. */
function concerned(
  after: OfflineMesh,
  before: OfflineMesh,
  changes: readonly ObjectChange[],
): Service[] {
  const all = new Map(
    [before, after].flatMap(({ mesh }) => servicesOf(mesh))
      .map((one) => [one.host, one]),
  );
  const hosts = new Set<string>();
  const namespaces = new Set<string>();
  for (const { kind, key, object } of changes) {
    const old = before.objectNamed(kind, key);
    const named = [object, old].flatMap((one) => hostsOf(one?.spec));
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

/** Paths that VirtualServices of the hosts match, on both sides, and `/`. */
function pathsOf(
  before: OfflineMesh,
  after: OfflineMesh,
  services: readonly Service[],
): ReadonlyMap<string, ReadonlySet<string>> {
  const paths = new Map(services.map(({ host }) => [host, new Set(["/"])]));
  for (const { mesh: { tables: { virtualServices } } } of [before, after]) {
    for (const key of virtualServices.keys()) {
      const { hosts, http } = virtualServices.peek(key)!.spec;
      for (const host of hosts) {
        const found = paths.get(host.toLowerCase());
        for (const { match } of found === undefined ? [] : http) {
          for (const { uri } of match) {
            const value = uri?.matchType.value ?? "";
            if (value.startsWith("/") && found!.size < MAX_PATHS) found!.add(encodeURI(value));
          }
        }
      }
    }
  }
  return paths;
}

/**
 * The blast radius of a change: proxies that are sent something, and requests with another outcome.
 *
 * @module
 */
import type { ObjectChange } from "../../mesh/ingest/mod.ts";
import type { QuestionFields } from "../explain/mod.ts";
import { coveringPatterns, type Service } from "../../mesh/model/mod.ts";
import {
  derivedRequests,
  type GatewayHost,
  gatewayHosts,
  namedClients,
  questionFor,
} from "./derived_requests.ts";
import type { OfflineMesh, OfflineProxy } from "./mesh.ts";
import { servicesOf } from "./mesh.ts";
import { type Verdict, verdictOf } from "../explain/mod.ts";

/** A request with another outcome than before. */
export interface ChangedRequest extends ComparedRequest {
  /** `unknown`: the outcome is known before the change alone. */
  readonly change: "allowed" | "denied" | "moved" | "unknown";
}

/** A request with its outcomes before and after a change. */
export interface ComparedRequest {
  /** `NAME.NAMESPACE` of the first proxy. */
  readonly from: string;
  readonly url: string;
  /** Method, headers and claims, if they are not the usual ones. */
  readonly details: string;
  readonly before: Verdict;
  readonly after: Verdict;
}

/** Result of the comparison. */
export interface RequestChanges {
  /** Number of requests that were compared. */
  readonly compared: number;
  /** Number of further requests, which were not compared; see {@link MAX_REQUESTS}. */
  readonly left: number;
  readonly changes: readonly ChangedRequest[];
  /** Requests that are denied with and without the change. */
  readonly stayDenied: readonly ComparedRequest[];
  /** Requests whose outcome is not known, neither with nor without the change. */
  readonly stayUnknown: readonly ComparedRequest[];
}

/** Maximum of requests that are compared. */
export const MAX_REQUESTS = 2000;
/** Maximum of clients. */
const MAX_CLIENTS = 20;

/** The two sides, and the objects that differ. */
export interface Sides {
  readonly before: OfflineMesh;
  readonly after: OfflineMesh;
  readonly changes: readonly ObjectChange[];
}

/** Compares requests that the changed objects may concern, from workloads of different kinds. */
export function compareRequests(sides: Sides): RequestChanges {
  const { before, after } = sides;
  const questions = [...questionsFor(sides), ...throughGateways(sides)];
  const asked = evenly(questions, MAX_REQUESTS);
  const changes: ChangedRequest[] = [];
  const stayDenied: ComparedRequest[] = [];
  const stayUnknown: ComparedRequest[] = [];
  for (const question of asked) {
    const short = (mesh: OfflineMesh) => verdictOf(mesh.ask(question, { causes: false }));
    const [quick, then] = [short(before), short(after)];
    const isSame = signature(quick) === signature(then);
    if (isSame && quick.outcome === "allowed") continue;
    const whole = (mesh: OfflineMesh) => verdictOf(mesh.ask(question));
    const isFirst = !stayDenied.some(({ from }) => from === question.from);
    const [old, now] = isSame && !isFirst ? [quick, then] : [whole(before), whole(after)];
    const one = { ...namedRequest(question), before: old, after: now };
    if (!isSame) changes.push({ ...one, change: changeOf(old, now) });
    if (old.outcome === now.outcome && now.outcome === "denied" && !isWorse(old, now)) {
      stayDenied.push(one);
    }
    if (old.outcome === now.outcome && now.outcome === "unknown") stayUnknown.push(one);
  }
  const left = questions.length - asked.length;
  return { compared: asked.length, left, changes, stayDenied, stayUnknown };
}

function namedRequest(question: QuestionFields): Pick<ComparedRequest, "from" | "url" | "details"> {
  const { from, url, method, headers = [], claims } = question;
  const details = [
    ...(method === undefined || method === "GET" ? [] : [method]),
    ...headers,
    ...(claims === undefined ? [] : [`token ${claims}`]),
  ];
  return { from, url, details: details.join(", ") };
}

function isWorse(old: Verdict, now: Verdict): boolean {
  return now.deniedShare > old.deniedShare + 1e-6;
}

function changeOf(old: Verdict, now: Verdict): ChangedRequest["change"] {
  if (now.outcome === "unknown") return old.outcome === "unknown" ? "moved" : "unknown";
  if (now.outcome === "denied" && (old.outcome !== "denied" || isWorse(old, now))) return "denied";
  return old.outcome !== "allowed" && (now.outcome === "allowed" || isWorse(now, old))
    ? "allowed"
    : "moved";
}

/** Some of many, from all parts of the list. */
function evenly<T>(all: readonly T[], most: number): readonly T[] {
  if (all.length <= most) return all;
  return Array.from({ length: most }, (_, at) => all[Math.floor(at * all.length / most)]!);
}

function signature({ outcome, statuses, clusters, text }: Verdict): string {
  return JSON.stringify([outcome, statuses, clusters, text]);
}

function* questionsFor({ before, after, changes }: Sides): Iterable<QuestionFields> {
  const clients = clientsOf(before, after);
  for (const service of concerned(after, before, changes)) {
    if (service.host.startsWith("*")) continue;
    const requests = derivedRequests([before.mesh, after.mesh], service);
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
function* throughGateways({ before, after }: Sides): Iterable<QuestionFields> {
  const known = [before, after].map((mesh) =>
    mesh.representatives().filter(({ workload: { role } }) => role === "router")
      .map(({ workload }) => ({ ...workload, id: `${workload.name}.${workload.namespace}` }))
  );
  const hosts = new Map(
    [before, after].flatMap(({ mesh }) => [...gatewayHosts(mesh)])
      .map((one) => [JSON.stringify(one), one]),
  );
  for (const host of hosts.values()) {
    const ids = known.map((list) => list.filter((one) => serves(one, host)).map(({ id }) => id));
    const namespace = host.gateway.slice(host.gateway.indexOf(".") + 1);
    const requests = derivedRequests([before.mesh, after.mesh], { host: host.host, namespace });
    for (const from of ids[0]!.filter((id) => ids[1]!.includes(id))) {
      for (const one of requests) yield questionFor(from, host, one);
    }
  }
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
function clientsOf(before: OfflineMesh, after: OfflineMesh): string[] {
  const idOf = ({ workload: one }: OfflineProxy) => `${one.name}.${one.namespace}`;
  const old = new Set(before.representatives().map(idOf));
  const sidecars = after.representatives()
    .filter((one) => one.workload.role === "sidecar" && old.has(idOf(one)));
  const firsts = [...Map.groupBy(sidecars, ({ workload }) => workload.namespace).values()]
    .map((group) => group[0]!);
  const rest = sidecars.filter((one) => !firsts.includes(one));
  const accounts = new Set(
    after.representatives().map(({ workload: { namespace, serviceAccount } }) =>
      `${namespace}/service-account=${serviceAccount || "default"}`
    ),
  );
  const named = [before, after].flatMap(({ mesh }) => [...namedClients(mesh)])
    .filter((one) => !accounts.has(one));
  return [...[...firsts, ...rest].slice(0, MAX_CLIENTS).map(idOf), ...new Set(named)]
    .slice(0, 2 * MAX_CLIENTS);
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

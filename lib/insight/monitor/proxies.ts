/**
 * Warnings about connected proxies: gateway proxies that no Gateway selects, and proxies without
 * labels although selectors compare labels.
 *
 * @module
 */
import { printable } from "../../kit/base/mod.ts";
import {
  gatewaySelectors,
  type Mesh,
  MESH_ROW,
  selectsWorkload,
  tableOf,
} from "../../mesh/derive/mod.ts";
import type { Gateway } from "#mesh/networking/v1alpha3/gateway_pb.ts";
import type { Ingest } from "../../mesh/ingest/mod.ts";
import { type Logger, scope } from "../../kit/log/mod.ts";
import type { ConfigObject, ProxyClass } from "../../mesh/model/mod.ts";
import { TABLE_KINDS, type TableKind } from "../../mesh/schema/mod.ts";
import type { SessionInfo } from "../../mesh/xds/mod.ts";

const log = scope("ads");

/** Code of a warning about a proxy. */
export type ProxyWarningCode = "gateway-unselected" | "proxy-without-labels";

/** A warning about the proxies of a class. */
export interface ProxyWarning {
  readonly code: ProxyWarningCode;
  /** `NAME.NAMESPACE` of the proxies, sorted. */
  readonly proxies: readonly string[];
  /** One sentence without a full stop. */
  readonly message: string;
  /** A full sentence. */
  readonly remedy: string;
}

/** A proxy as the warnings need it. */
export type WarnedSession = Pick<SessionInfo, "classKey"> & {
  readonly node: Pick<SessionInfo["node"], "name" | "namespace">;
};

/** Inputs of the warnings. */
export interface ProxyWarningInputs {
  readonly mesh: Mesh;
  readonly sessions: () => readonly WarnedSession[];
  /** Schedules work between publications. */
  readonly every: Ingest["every"];
  /** True: Gateways select only workloads of their own namespace. */
  readonly scoped: boolean;
  readonly logger?: Pick<Logger, "warn">;
  /** Milliseconds; for tests. */
  readonly now?: () => number;
}

/** The running check. */
export interface RunningProxyWarnings extends Disposable {
  /** The warnings as of the last check. */
  warnings(): readonly ProxyWarning[];
}

/** Time between two checks, ms. */
const EVERY_MS = 1_000;
/** A check waits for this multiple of the duration of the last one: at most 2 % of the time. */
const REST = 50;
/** Names in one sentence. */
const NAMED = 3;

/**
 * Starts the check of connected proxies. Each proxy is logged once for a warning, and again when
 * the warning returns after it ended.
 */
export function startProxyWarnings(inputs: ProxyWarningInputs): RunningProxyWarnings {
  const { mesh, sessions, scoped, logger = log, now = () => performance.now() } = inputs;
  let checked = "";
  let resumeAt = -Infinity;
  let current: readonly ProxyWarning[] = [];
  let logged: ReadonlySet<string> = new Set();
  const check = (): void => {
    const started = now();
    if (started < resumeAt || mesh.tables.mesh.peek(MESH_ROW) === undefined) return;
    const connected = sessions();
    const ids = connected.map((one) => `${idOf(one)} ${one.classKey}`).sort();
    const state = `${mesh.graph.published}\n${ids.join("\n")}`;
    if (state === checked) return;
    checked = state;
    current = proxyWarnings(mesh, connected, scoped);
    logged = logNew(current, logged, logger);
    resumeAt = now() + (now() - started) * REST;
  };
  const stop = inputs.every(EVERY_MS, check);
  return { warnings: () => current, [Symbol.dispose]: stop };
}

function logNew(
  current: readonly ProxyWarning[],
  logged: ReadonlySet<string>,
  logger: Pick<Logger, "warn">,
): ReadonlySet<string> {
  const all = new Set<string>();
  for (const { code, proxies, message, remedy } of current) {
    const fresh = proxies.filter((proxy) => !logged.has(`${code} ${proxy}`));
    for (const proxy of proxies) all.add(`${code} ${proxy}`);
    if (fresh.length === 0) continue;
    logger.warn(printable(`${message}. ${remedy}`), { proxies: someOf(fresh), code });
  }
  return all;
}

/** The warnings about these proxies, by class. */
export function proxyWarnings(
  mesh: Mesh,
  sessions: readonly WarnedSession[],
  scoped: boolean,
): ProxyWarning[] {
  const gateways = [...rowsOf(mesh, "Gateway")] as ConfigObject<Gateway>[];
  const root = mesh.tables.mesh.peek(MESH_ROW)?.rootNamespace;
  const selecting = selectingObjects(mesh);
  const byClass = Map.groupBy(sessions, ({ classKey }) => classKey);
  return [...byClass].flatMap(([key, members]) => {
    const proxies = [...new Set(members.map(idOf))].sort();
    const cls = JSON.parse(key) as Omit<ProxyClass, "key">;
    const warning = cls.role === "router"
      ? unselectedGateway(mesh, cls, gateways.filter((one) => !scoped || isNear(one, cls)))
      : undefined;
    const found = warning ?? withoutLabels(cls, root, selecting);
    return found === undefined ? [] : [{ ...found, proxies }];
  });
}

type Labels = Readonly<Record<string, string>>;
type Class = Omit<ProxyClass, "key">;
type Found = Omit<ProxyWarning, "proxies">;

function isNear({ meta }: ConfigObject, { namespace }: Class): boolean {
  return meta.namespace === namespace;
}

function unselectedGateway(
  mesh: Mesh,
  { namespace, labels }: Class,
  gateways: readonly ConfigObject<Gateway>[],
): Found | undefined {
  if (gateways.some((one) => selectsWorkload(mesh, one, { namespace, labels }))) return undefined;
  const own = labelsText(labels);
  const message = `no Gateway selects this gateway proxy (labels: ${own}), so it listens nowhere`;
  const selectors = [
    ...new Set(
      gateways.flatMap((one) =>
        gatewaySelectors(mesh, one).map((selector) =>
          `${labelsText(selector.labels)} (Gateway ${one.meta.namespace}/${one.meta.name})`
        )
      ),
    ),
  ];
  const remedy = selectors.length === 0
    ? `Create a Gateway whose selector is ${own === "none" ? "among its labels" : own}.`
    : `Start it with the labels of a selector in MESH_METAJSON_LABELS: ${someOf(selectors)}; or ` +
      "correct the selector.";
  return { code: "gateway-unselected", message, remedy };
}

/** An object that selects workloads by labels. */
interface SelectingObject {
  readonly kind: TableKind;
  /** `KIND NAMESPACE/NAME`. */
  readonly name: string;
}

/** The objects that select workloads by labels, by namespace. */
function selectingObjects(mesh: Mesh): ReadonlyMap<string, readonly SelectingObject[]> {
  const all = TABLE_KINDS
    .filter((kind) => kind !== "Gateway" && kind !== "ServiceEntry")
    .flatMap((kind) =>
      [...rowsOf(mesh, kind)]
        .filter(({ spec }) => Object.keys(selectorOf(spec as Selecting)).length > 0)
        .map(({ meta }) => ({
          kind,
          namespace: meta.namespace,
          name: `${kind} ${meta.namespace}/${meta.name}`,
        }))
    );
  return Map.groupBy(all, ({ namespace }) => namespace);
}

/** A proxy without labels, if an object of its namespace or of the root namespace has a selector. */
function withoutLabels(
  { labels, namespace, role }: Class,
  root: string | undefined,
  selecting: ReadonlyMap<string, readonly SelectingObject[]>,
): Found | undefined {
  if (Object.keys(labels).length > 0) return undefined;
  const found = [...new Set([namespace, root ?? namespace])]
    .flatMap((one) => selecting.get(one) ?? [])
    .filter(({ kind }) => kind !== "Sidecar" || role !== "router")
    .map(({ name }) => name);
  if (found.length === 0) return undefined;
  return {
    code: "proxy-without-labels",
    message: `this proxy has no labels, so no selector matches it: ${someOf(found)}`,
    remedy: 'Start its agent with MESH_METAJSON_LABELS, such as {"app": "shop"}, if one of them ' +
      "is meant for it.",
  };
}

/** The fields by which kinds select workloads. */
interface Selecting {
  readonly selector?: { readonly matchLabels?: Labels };
  readonly workloadSelector?: { readonly labels?: Labels; readonly matchLabels?: Labels };
}

function selectorOf({ selector, workloadSelector }: Selecting): Labels {
  return selector?.matchLabels ?? workloadSelector?.labels ?? workloadSelector?.matchLabels ?? {};
}

function* rowsOf(mesh: Mesh, kind: TableKind): Iterable<ConfigObject<object>> {
  const rows = tableOf(mesh.tables, kind);
  for (const key of rows.keys()) {
    const row = rows.peek(key);
    if (row !== undefined) yield row as ConfigObject<object>;
  }
}

function idOf({ node }: WarnedSession): string {
  return `${node.name}.${node.namespace}`;
}

function labelsText(labels: Labels): string {
  return Object.entries(labels).map(([key, value]) => `${key}=${value}`).join(",") || "none";
}

function someOf(names: readonly string[]): string {
  const more = names.length - NAMED;
  return [...names.slice(0, NAMED), ...(more > 0 ? [`and ${more} more`] : [])].join(", ");
}

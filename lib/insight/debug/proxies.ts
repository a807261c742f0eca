/**
 * Views of the connected proxies.
 *
 * @module
 */
import type { ProxyClass, ProxyNode } from "../../mesh/model/mod.ts";
import type { ProxyWarning } from "../monitor/mod.ts";
import type { SessionInfo, TypeStatus } from "../../mesh/xds/mod.ts";
import { json, type Route, text } from "../../kit/web/mod.ts";
import { changing, debugRoute } from "./access.ts";
import { credentialWarnings } from "./credential_faults.ts";
import type { DebugInputs } from "./inputs.ts";

/** `/debug/adsz`, `/debug/connections`, `/debug/syncz`. */
export function proxyRoutes(inputs: DebugInputs): Route[] {
  return [
    debugRoute("GET", "/debug/adsz", (call) => {
      if (call.url.searchParams.get("push") !== "true") return json(clients(inputs, true));
      return changing(() => text(`Pushed to ${inputs.pushAll()} servers\n`))(call);
    }),
    debugRoute("GET", "/debug/connections", () => json(clients(inputs, false))),
    debugRoute("GET", "/debug/syncz", ({ url }) => {
      const namespace = url.searchParams.get("namespace");
      return json(
        inputs.sessions()
          .filter((s) => namespace === null || s.node.namespace === namespace)
          .map((s) => syncOf(inputs, s)),
      );
    }),
  ];
}

function clients(inputs: DebugInputs, watches: boolean): Record<string, unknown> {
  const sessions = inputs.sessions();
  return {
    totalClients: sessions.length,
    clients: sessions.map((s) => clientOf(s, watches)),
    // Configuration clients and streams of debug queries.
    others: inputs.clients().map((s) => clientOf(s, watches)),
  };
}

function clientOf(session: SessionInfo, watches: boolean): Record<string, unknown> {
  const { connectionId, connectedAt, address, node: { metadata, locality, ...node } } = session;
  return {
    connectionId,
    connectedAt: connectedAt.toISOString(),
    address,
    labels: labelsOf(session),
    metadata,
    locality,
    // The other properties on which the resources of the proxy depend.
    node,
    ...(watches ? { watches: watchesOf(session) } : {}),
  };
}

/** The labels that select the proxy: in a cluster those of its pod. */
function labelsOf({ classKey, node: { generator, metadata } }: SessionInfo): unknown {
  if (generator !== undefined) return metadata.LABELS ?? {};
  return (JSON.parse(classKey) as Pick<ProxyClass, "labels">).labels;
}

function watchesOf(session: SessionInfo): Record<string, readonly string[]> {
  return Object.fromEntries(
    session.types.map((t) => [t.typeUrl, t.wildcard ? ["*", ...t.names] : t.names]),
  );
}

/** The prefix of a type's fields in `/debug/syncz`. */
const FIELDS: Readonly<Record<string, string>> = {
  cds: "cluster",
  lds: "listener",
  rds: "route",
  eds: "endpoint",
  ecds: "extensionconfig",
  wds: "workload",
  wads: "authorization",
};

function syncOf(inputs: DebugInputs, session: SessionInfo): Record<string, unknown> {
  const { node } = session;
  const row: Record<string, unknown> = {
    cluster_id: node.metadata.CLUSTER_ID ?? inputs.clusterId,
    proxy: proxyId(session),
    proxy_type: node.role,
    proxy_version: node.metadata.MESH_VERSION ?? node.buildVersion,
    mesh_version: inputs.version,
  };
  const warnings = sentencesAbout(inputs, session);
  if (warnings.length > 0) row.warning = warnings.join(" ");
  for (const type of session.types) {
    const field = FIELDS[type.short];
    if (field === undefined) continue;
    row[`${field}_sent`] = type.sent?.nonce ?? "";
    row[`${field}_acked`] = type.acked?.nonce ?? "";
    row[`${field}_status`] = type.state;
    row[`${field}_age`] = ageOf(type, inputs.now());
    if (type.nack !== undefined) row[`${field}_error`] = type.nack.message;
  }
  return row;
}

/** Returns the name of a proxy in queries: `name.namespace`. */
export function proxyId({ node }: Pick<SessionInfo, "node">): string {
  return proxyName(node);
}

/** The same of a node. */
export function proxyName({ name, namespace }: Pick<ProxyNode, "name" | "namespace">): string {
  return `${name}.${namespace}`;
}

/** Warnings about a proxy, each with its remedy. */
export function sentencesAbout(inputs: DebugInputs, session: SessionInfo): string[] {
  const warning = warningOf(inputs, session);
  return [
    ...warning === undefined ? [] : [`${warning.message}. ${warning.remedy}`],
    ...credentialWarnings(inputs, session),
  ];
}

/** Returns the warning about a proxy, if there is one. */
export function warningOf(inputs: DebugInputs, session: SessionInfo): ProxyWarning | undefined {
  const id = proxyId(session);
  return inputs.proxyWarnings().find(({ proxies }) => proxies.includes(id));
}

/** Returns the session of a proxy; if it has several streams, the newest. */
export function findProxy(
  inputs: Pick<DebugInputs, "sessions">,
  proxy: string,
): SessionInfo | undefined {
  return inputs.sessions().findLast((s) => proxyId(s) === proxy || s.connectionId === proxy);
}

/** Returns the milliseconds since a type was known to be in its present state. */
export function ageOf(type: TypeStatus, now: number): number | undefined {
  const since = type.nack?.time ?? (type.state === "SYNCED" ? type.acked?.time : type.sent?.time);
  return since === undefined ? undefined : Math.max(0, now - since);
}

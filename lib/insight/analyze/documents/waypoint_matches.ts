/**
 * Matches of VirtualServices about clients that waypoints do not know.
 *
 * @module
 */
import type { DocumentFinding, DocumentSet } from "../document_set.ts";
import { listAt, mapAt, type PlainDocument, textAt } from "../plain.ts";

const USE_WAYPOINT = "mesh.io/use-waypoint";

/** Matches of labels, and of namespaces in rules of TCP and TLS, at services that certainly have a waypoint. */
export function* unknownClients(set: DocumentSet): Iterable<DocumentFinding> {
  for (const on of set.of("VirtualService")) {
    const spec = mapAt(on.value, "spec");
    const gateways = listAt(spec, "gateways");
    if (gateways.length > 0 && !gateways.includes("mesh")) continue;
    const host = listAt(spec, "hosts").find((one) => hasWaypoint(set, `${one}`, on.namespace));
    if (host === undefined) continue;
    for (const { path, field } of fieldsAboutClients(spec)) {
      const reason =
        `the waypoint of ${host} does not know ${field} of clients, so the match never applies there`;
      yield { on, code: "MSH1009", args: [reason], path };
    }
  }
}

function* fieldsAboutClients(spec: unknown): Iterable<{ path: string; field: string }> {
  for (const protocol of ["http", "tls", "tcp"]) {
    for (const [i, rule] of listAt(spec, protocol).entries()) {
      for (const [j, match] of listAt(rule, "match").entries()) {
        if (listAt(match, "gateways").length > 0) continue;
        const path = `spec.${protocol}[${i}].match[${j}]`;
        if (Object.keys(mapAt(match, "sourceLabels")).length > 0) {
          yield { path: `${path}.sourceLabels`, field: "labels" };
        }
        if (protocol !== "http" && textAt(match, "sourceNamespace") !== "") {
          yield { path: `${path}.sourceNamespace`, field: "the namespaces of connections" };
        }
      }
    }
  }
}

/** Reports if a host is a service of the set whose labels, or those of its namespace, name a waypoint. */
function hasWaypoint(set: DocumentSet, host: string, namespace: string): boolean {
  const services = set.of("Service").filter((one) =>
    host === one.name && one.namespace === namespace ||
    host.startsWith(`${one.name}.${one.namespace}.`) || host === `${one.name}.${one.namespace}`
  );
  const entries = set.of("ServiceEntry").filter(({ value }) =>
    listAt(mapAt(value, "spec"), "hosts").includes(host)
  );
  return [...services, ...entries].some((one) => isBound(set, one));
}

function isBound(set: DocumentSet, { labels, namespace }: PlainDocument): boolean {
  const around = set.of("Namespace", "").find(({ name }) => name === namespace);
  const named = labels[USE_WAYPOINT] || around?.labels[USE_WAYPOINT] || "none";
  return named !== "none";
}

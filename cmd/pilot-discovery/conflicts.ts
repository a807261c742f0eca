/**
 * Conflicts of listeners, as operators are told of them: a metric, and warnings beside those of the
 * configuration's files.
 *
 * @module
 */
import { tableOf } from "../../lib/derive/mod.ts";
import { DependencyFault } from "../../lib/graph/mod.ts";
import { gauge } from "../../lib/metrics/mod.ts";
import type { SchemaProblem } from "../../lib/schema/mod.ts";
import {
  type ListenerConflict,
  listenerConflicts,
  type Translation,
} from "../../lib/translate/mod.ts";

/** Registers the metric; it is counted when it is scraped. */
export function observeConflicts({ mesh }: Translation): void {
  gauge({
    name: "pilot_conflict_outbound_listener_tcp_over_current_tcp",
    help: "TCP services that are not served at a port because an older one has it.",
    collect: () => conflictsOf(mesh, false).filter(({ kind }) => kind === "tcp").length,
  });
}

/**
 * A warning for each conflict, at the place of the object that is left out.
 *
 * @param scoped Gateways serve workloads of their own namespace alone
 */
export function conflictWarnings({ mesh }: Translation, scoped: boolean): SchemaProblem[] {
  return conflictsOf(mesh, scoped).map(({ kind, object, field, message }) => {
    const [type = "", namespace = "", name = ""] = object.split("/");
    const table = type === "Gateway" ? "Gateway" : "ServiceEntry";
    const origin = tableOf(mesh.tables, table).peek(`${namespace}/${name}`)?.meta.origin;
    return {
      file: origin?.file ?? origin?.source ?? "",
      line: origin?.line ?? 1,
      column: 1,
      path: field,
      code: "listener-conflict",
      message,
      remedy: kind === "tcp"
        ? "Give the services addresses of their own, or another port to one of them."
        : "Give the server another port or bind address, or the kind of the servers there.",
      object: { kind: type, namespace, name },
    };
  });
}

/** None while a computation that it needs has a fault: that is told elsewhere, and must not end a scrape. */
function conflictsOf(mesh: Translation["mesh"], scoped: boolean): ListenerConflict[] {
  try {
    return listenerConflicts(mesh, scoped);
  } catch (error) {
    if (error instanceof DependencyFault) return [];
    throw error;
  }
}

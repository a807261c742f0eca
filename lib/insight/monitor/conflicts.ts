/**
 * Conflicts of listeners: a metric and warnings.
 *
 * @module
 */
import { gauge } from "../../kit/metrics/mod.ts";
import type { SchemaProblem } from "../../mesh/schema/mod.ts";
import {
  type ListenerConflict,
  listenerConflicts,
  type Translation,
} from "../../mesh/translate/mod.ts";
import { unlessFaulty, warningAt } from "./positions.ts";

/** Registers the metric; conflicts are counted when it is scraped. */
export function observeConflicts({ mesh }: Pick<Translation, "mesh">): void {
  gauge({
    name: "pilot_conflict_outbound_listener_tcp_over_current_tcp",
    help: "TCP services that are not served at a port because an older one has it.",
    collect: () => conflictsOf(mesh, false).filter(({ kind }) => kind === "tcp").length,
  });
}

/**
 * A warning for each conflict, at the position of the object that is left out.
 *
 * @param scoped true: Gateways select only workloads of their own namespace
 */
export function conflictWarnings(
  { mesh }: Pick<Translation, "mesh">,
  scoped: boolean,
): SchemaProblem[] {
  return conflictsOf(mesh, scoped).map(({ kind, object, field, message }) =>
    warningAt(mesh, {
      object,
      path: field,
      code: "listener-conflict",
      message,
      remedy: kind === "tcp"
        ? "Give the services addresses of their own, or another port to one of them."
        : "Give the server another port or bind address, or the kind of the servers there.",
    })
  );
}

function conflictsOf(mesh: Translation["mesh"], scoped: boolean): ListenerConflict[] {
  return unlessFaulty(() => listenerConflicts(mesh, scoped), []);
}

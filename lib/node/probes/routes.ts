/**
 * The routes of the status server that run the application's probes and lifecycle handlers.
 *
 * @module
 */
import { scope } from "../../kit/log/mod.ts";
import { type Handler, type Route, route, text, type WebCall } from "../../kit/web/mod.ts";
import type { ProbeTable } from "./probe_table.ts";
import type { Prober } from "./call_application.ts";

/** Handlers of a container, by the first segment of their path. */
const HANDLERS: Readonly<Record<string, readonly string[]>> = {
  "app-health": ["livez", "readyz", "startupz"],
  "app-lifecycle": ["prestopz", "poststartz"],
};

const log = scope("healthcheck");

/** Makes the routes. A path without a probe answers 400. */
export function probeRoutes(table: ProbeTable, prober: Prober): Route[] {
  const handler = probeHandler(table, prober);
  return Object.entries(HANDLERS).flatMap(([kind, names]) =>
    names.map((name) => route("GET", `/${kind}/:container/${name}`, handler))
  );
}

function probeHandler(table: ProbeTable, prober: Prober): Handler {
  const faults = new Map<string, string>();
  return async ({ url, request, signal }: WebCall) => {
    const path = decodeURI(url.pathname);
    const probe = table.get(path);
    if (probe === undefined) {
      return text(`app prober config does not exists for ${url.pathname}\n`, { status: 400 });
    }
    const { status, body, fault } = await prober.run(probe, request.headers, signal);
    const failed = fault ?? (status >= 400 ? `status ${status}` : undefined);
    // Probes come every few seconds; only changes are logged.
    if (failed === undefined) {
      if (faults.delete(path)) log.info("the probe of the application succeeds again", { path });
    } else if (faults.get(path) !== failed) {
      faults.set(path, failed);
      log.warn("the probe of the application failed", { path, reason: failed });
    }
    return new Response(body.byteLength === 0 || status === 205 ? null : body, { status });
  };
}

/**
 * Traffic between workloads and services, from a Prometheus.
 *
 * @module
 */
import type { Traffic } from "../../monitor/mod.ts";
import type { ComponentChildren } from "../../../kit/web/mod.ts";
import { percent, rateText, toneOf } from "../map/mod.ts";
import { longTable } from "./collapse.ts";
import { badge, h } from "./layout.ts";

/**
 * The table of edges with requests in the last minute; a sentence if they are not known; nothing
 * without a Prometheus.
 */
export function trafficTable(
  traffic: Traffic | undefined,
  cellOf: (host: string) => ComponentChildren,
): ComponentChildren {
  if (traffic === undefined) return null;
  if ("fault" in traffic) {
    return h("p", { id: "traffic" }, badge("no traffic data", "warn"), ` ${traffic.fault}.`);
  }
  return h(
    "div",
    { id: "traffic" },
    longTable({
      caption: `Traffic of the last minute (${traffic.edges.length})`,
      columns: ["From workload", "To service", "Requests/s", "Errors"],
      rows: traffic.edges.map(({ from, to, rate, errors }) => [
        from,
        cellOf(to),
        rateText(rate),
        errors === 0 ? "none" : [badge(percent(errors), toneOf(errors))],
      ]),
      empty: "The Prometheus has no requests of the last minute.",
    }),
  );
}

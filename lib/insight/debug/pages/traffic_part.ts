/**
 * Traffic between workloads and services, from a Prometheus.
 *
 * @module
 */
import type { Traffic } from "../../monitor/mod.ts";
import type { ComponentChildren } from "../../../kit/web/mod.ts";
import { longTable } from "./collapse.ts";
import { badge, h } from "./layout.ts";

/** Share of errors from which an edge is marked as broken. */
const BROKEN = 0.05;

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
        errors === 0 ? "none" : [badge(percent(errors), errors >= BROKEN ? "bad" : "warn")],
      ]),
      empty: "The Prometheus has no requests of the last minute.",
    }),
  );
}

function rateText(rate: number): string {
  return rate < 0.01 ? "< 0.01" : rate < 10 ? rate.toFixed(2) : rate.toFixed(0);
}

function percent(share: number): string {
  return share < 0.001 ? "< 0.1 %" : `${(share * 100).toFixed(share < 0.1 ? 1 : 0)} %`;
}

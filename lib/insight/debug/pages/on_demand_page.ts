/**
 * The page of configuration on demand.
 *
 * @module
 */
import type { Scope } from "../../learned_scopes/mod.ts";
import { longTable } from "./collapse.ts";
import { debugPage, type Shell } from "./frame.ts";
import { ago, h } from "./layout.ts";

/** `/debug/on_demand` as a page: a table for each workload class. */
export function onDemandPage(shell: Shell, scopes: readonly Scope[]): Response {
  return debugPage(shell, {
    title: "On demand",
    at: "/debug/on_demand",
    body: [
      h("p", { class: "mute" }, [
        "Hosts and clusters that proxies asked for when requests needed them. Further proxies of the same namespace, service account and labels are sent them at their first sync. ",
        h("a", { href: "/debug/on_demand?format=sidecar" }, "As Sidecar resources"),
        ".",
      ]),
      ...(scopes.length === 0 ? [h("p", {}, "No proxy has asked for anything.")] : []),
      ...scopes.map(({ namespace, serviceAccount, labels, names }) =>
        longTable({
          caption: `${namespace} / ${serviceAccount || "no service account"} / ${
            Object.entries(labels).map(([key, value]) => `${key}=${value}`).join(", ") ||
            "no labels"
          } (${names.length})`,
          columns: ["Kind", "Name", "Host", "Asked for", "Asked by", "Sent to"],
          rows: names.map((one) => [
            one.kind,
            one.name,
            one.host || "no host",
            ago(Date.parse(one.askedAt), shell.now),
            `${one.askers}`,
            `${one.holders}`,
          ]),
          empty: "Nothing was asked for.",
        })
      ),
    ],
  });
}

/**
 * Pages of the objects in use, and of one object with the affected resources.
 *
 * @module
 */
import { type Collection, type Dependency, rowRef, showRow } from "../../graph/mod.ts";
import { type ConfigObject, objectKey } from "../../model/mod.ts";
import type { SessionInfo } from "../../serve/mod.ts";
import { type ComponentChildren, type Route } from "../../web/mod.ts";
import { debugRoute } from "../access.ts";
import { objectView } from "../config.ts";
import type { DebugInputs } from "../inputs.ts";
import { proxyId } from "../proxies.ts";
import {
  debugPage,
  facts,
  filter,
  h,
  NO_NAMESPACE,
  notFoundPage,
  paged,
  pathOf,
  proxyLink,
  rowLink,
  table,
  tiles,
} from "./layout.ts";
import { receiptTable } from "./receipt_pages.ts";

/** `/debug/objects` and `/debug/objects/:kind/:namespace/:name`. */
export function objectPages(inputs: DebugInputs): Route[] {
  return [
    debugRoute("GET", "/debug/objects", ({ url }) => objectList(inputs, url)),
    debugRoute("GET", "/debug/objects/:kind/:namespace/:name", ({ params, url }) => {
      const { kind = "", name = "" } = params;
      const namespace = params.namespace === NO_NAMESPACE ? "" : params.namespace ?? "";
      const object = inputs.objects().find(({ meta }) =>
        meta.kind === kind && meta.namespace === namespace && meta.name === name
      );
      const title = showRow({ table: kind, key: objectKey({ namespace, name }) });
      return object === undefined
        ? notFoundPage("/debug/objects", title, "This object does not exist.")
        : objectPage(inputs, object, url);
    }),
  ];
}

function objectList(inputs: DebugInputs, url: URL): Response {
  const q = url.searchParams.get("q") ?? "";
  const kind = url.searchParams.get("kind") ?? "";
  const all = inputs.objects();
  const kinds = [...new Set(all.map(({ meta }) => meta.kind))].sort();
  const found = all.filter(({ meta }) =>
    (kind === "" || meta.kind === kind) && objectKey(meta).includes(q)
  );
  const { part, pager } = paged(url, found);
  return debugPage({
    title: "Objects",
    at: "/debug/objects",
    forms: true,
    body: [
      filter(url, [{
        name: "kind",
        label: "Kind",
        options: [["", "any"], ...kinds.map((k) => [k, k] as const)],
      }]),
      table({
        caption: `${found.length} of ${all.length} objects`,
        columns: ["Object", "Generation", "Position"],
        rows: part.map(({ meta }) => [
          rowLink({ table: meta.kind, key: objectKey(meta) }),
          meta.generation,
          positionOf(meta),
        ]),
        empty: "No matching object.",
      }),
      pager,
    ],
  });
}

function positionOf({ origin }: ConfigObject["meta"]): ComponentChildren {
  const { file, line, uid, source } = origin;
  return file === undefined ? uid ?? source : h("code", null, `${file}:${line}`);
}

/** Maximum number of receipts of an object, the newest. */
const RECEIPTS = 10;

function objectPage(inputs: DebugInputs, object: ConfigObject, url: URL): Response {
  const { meta } = object;
  const key = objectKey(meta);
  const touched = touchedBy(inputs, meta.kind, key);
  const proxies = [...new Set(touched.flatMap(({ proxies }) => proxies))].sort();
  const { part, pager } = paged(url, touched);
  return debugPage({
    title: showRow({ table: meta.kind, key }),
    at: "/debug/objects",
    below: [],
    body: [
      facts([["Generation", meta.generation], ["Position", positionOf(meta)]]),
      tiles([["affected resources", touched.length], ["affected proxies", proxies.length]]),
      mistakes(inputs, meta),
      table({
        caption: "Affected resources",
        columns: ["Type", "Resource", "Proxies", "First proxies"],
        rows: part.map(({ short, name, proxies: [first, ...rest] }) => [
          short,
          first === undefined
            ? name
            : h("a", { href: pathOf("proxies", first, short, name) }, name),
          rest.length + (first === undefined ? 0 : 1),
          first === undefined ? "" : proxyLink(first),
        ]),
        empty: "No resource of a connected proxy.",
      }),
      pager,
      receiptTable(
        inputs.receipts.of(meta.kind, meta.namespace, meta.name).slice(0, RECEIPTS),
        inputs.now(),
      ),
      h("h2", null, "Specification"),
      h("pre", { tabIndex: 0, "aria-label": "Specification as JSON" }, [
        JSON.stringify(objectView(object).spec, undefined, 2),
      ]),
    ],
  });
}

/** The analysis messages about an object; null when there are none. */
function mistakes({ analysis }: DebugInputs, meta: ConfigObject["meta"]): ComponentChildren {
  const found = analysis().filter(({ object: o }) =>
    o?.kind === meta.kind && o.namespace === meta.namespace && o.name === meta.name
  );
  if (found.length === 0) return null;
  return table({
    caption: "Likely mistakes",
    columns: ["Code", "Field", "Message", "Remedy"],
    rows: found.map(({ code, path, message, remedy }) => [code, path, message, remedy]),
  });
}

interface Touched {
  readonly short: string;
  readonly name: string;
  readonly proxies: readonly string[];
}

/** Returns the resources whose origins include an object's row, with the proxies that see them. */
function touchedBy({ mesh, sessions }: DebugInputs, kind: string, key: string): Touched[] {
  const blast = mesh.graph.blast(kind, key);
  const cells = new Set(blast.filter(isCell).map(idOf));
  const reached = new Set(blast.filter((d) => d.kind === "collection").map((d) => d.table));
  const byName = new Map<string, { short: string; name: string; proxies: Set<string> }>();
  for (const [layer, { short, viewers }] of layersOf(sessions())) {
    if (!reached.has(layer.name)) continue;
    for (const [name, resource] of layer.content) {
      const cell = layer.cellOf(name);
      if (resource.tombstone || cell === undefined || !cells.has(idOf(cell))) continue;
      const id = `${short} ${name}`;
      const entry = byName.get(id) ?? { short, name, proxies: new Set<string>() };
      byName.set(id, entry);
      for (const viewer of viewers) entry.proxies.add(viewer);
    }
  }
  return [...byName.entries()].sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([, { proxies, ...rest }]) => ({ ...rest, proxies: [...proxies].sort() }));
}

function isCell({ kind }: Dependency): boolean {
  return kind === "derived";
}

function idOf({ table, key }: { readonly table: string; readonly key: string }): string {
  return rowRef({ table, key });
}

/** Returns the layers in the views of proxies, with these proxies. */
function layersOf(
  sessions: readonly SessionInfo[],
): Map<Collection, { readonly short: string; readonly viewers: string[] }> {
  const found = new Map<Collection, { short: string; viewers: string[] }>();
  for (const session of sessions) {
    const id = proxyId(session);
    for (const { short, view } of session.types) {
      for (const layer of view?.layers ?? []) {
        const entry = found.get(layer) ?? { short, viewers: [] };
        found.set(layer, entry);
        entry.viewers.push(id);
      }
    }
  }
  return found;
}

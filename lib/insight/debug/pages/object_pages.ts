/**
 * Pages of the objects in use, and of one object with the affected resources.
 *
 * @module
 */
import { type Collection, type Dependency, rowRef, showRow } from "../../../mesh/graph/mod.ts";
import { type ConfigObject, objectKey, objectRef, rowOfObject } from "../../../mesh/model/mod.ts";
import type { SessionInfo } from "../../../mesh/xds/mod.ts";
import { KINDS, type ObjectIdentity } from "../../../mesh/schema/mod.ts";
import type { SourceProblem } from "../../../mesh/sources/mod.ts";
import type { Route } from "../../../kit/web/mod.ts";
import { debugRoute } from "../access.ts";
import { objectView } from "../config.ts";
import type { DebugInputs } from "../inputs.ts";
import { proxyId } from "../proxies.ts";
import { nearNames } from "../near_names.ts";
import { rejectionsOf } from "../rejections.ts";
import { jsonTree } from "./collapse.ts";
import { debugPage, notFoundPage, type Shell, shellOf } from "./frame.ts";
import {
  facts,
  filter,
  h,
  NO_NAMESPACE,
  paged,
  pathOf,
  proxyLink,
  refLink,
  rowLink,
  table,
  tiles,
} from "./layout.ts";
import { origin } from "./positions.ts";
import {
  OBJECT_STATES,
  objectState,
  quarantineBanner,
  rejectedBanner,
  stateBadge,
} from "./object_state.ts";
import { mistakesOf, mistakeTable, rejectedDocuments } from "./problem_tables.ts";
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
      return object === undefined
        ? noObjectPage(inputs, { kind, namespace, name }, url)
        : objectPage(inputs, object, url);
    }),
  ];
}

/** Shows names near a missing object, or the reason if its document was rejected. */
function noObjectPage(inputs: DebugInputs, wanted: ObjectIdentity, url: URL): Response {
  const { kind, namespace, name } = wanted;
  const key = objectKey({ namespace, name });
  const rejected = rejectionsOf(inputs, { ...wanted, origin: { source: "file" } });
  if (rejected.length > 0) return rejectedObjectPage(shellOf(inputs, url), wanted, rejected);
  const near = nearNames(inputs.objects().map(objectRef), `${kind}/${key}`);
  const missing = kindExists(kind)
    ? "This object does not exist."
    : `There is no kind ${kind}. Kinds near it: ${
      nearNames(KINDS.map((one) => one.kind), kind).join(", ")
    }.`;
  return notFoundPage(shellOf(inputs, url), {
    title: showRow({ table: kind, key }),
    at: "/debug/objects",
    sentence: missing,
    near: near.map(refLink),
  });
}

/** Page of an object that never had a valid version. */
function rejectedObjectPage(
  shell: Shell,
  { kind, namespace, name }: ObjectIdentity,
  rejected: readonly SourceProblem[],
): Response {
  return debugPage(shell, {
    title: showRow({ table: kind, key: objectKey({ namespace, name }) }),
    at: "/debug/objects",
    below: [],
    body: [
      h("p", { class: "banner bad", role: "alert" }, [
        "The document of this object is rejected, and no earlier version serves.",
      ]),
      rejectedDocuments(`Rejected document (${rejected.length})`, rejected, shell.now),
    ],
  });
}

function kindExists(name: string): boolean {
  return KINDS.some(({ kind }) => kind === name);
}

function objectList(inputs: DebugInputs, url: URL): Response {
  const q = url.searchParams.get("q") ?? "";
  const kind = url.searchParams.get("kind") ?? "";
  const all = inputs.objects();
  const kinds = [...new Set(all.map(({ meta }) => meta.kind))].sort();
  const state = url.searchParams.get("state") ?? "";
  const found = all.filter(({ meta }) =>
    (kind === "" || meta.kind === kind) && objectKey(meta).includes(q) &&
    (state === "" || objectState(inputs, meta) === state)
  );
  const { part, pager } = paged(url, found);
  return debugPage(shellOf(inputs, url), {
    title: "Objects",
    at: "/debug/objects",
    forms: true,
    body: [
      filter(url, [{
        name: "kind",
        label: "Kind",
        options: [["", "any"], ...kinds.map((k) => [k, k] as const)],
      }, {
        name: "state",
        label: "State",
        options: [["", "any"], ...OBJECT_STATES.map((s) => [s, s] as const)],
      }]),
      table({
        caption: `${found.length} of ${all.length} objects`,
        columns: ["Object", "Generation", "State", "Position"],
        rows: part.map(({ meta }) => [
          rowLink({ table: meta.kind, key: objectKey(meta) }),
          meta.generation,
          stateBadge(objectState(inputs, meta)),
          origin(meta.origin),
        ]),
        empty: all.length === 0
          ? "No object. Write YAML documents into the configuration directory."
          : "No object matches the filter.",
      }),
      pager,
    ],
  });
}

/** Maximum number of receipts of an object, the newest. */
const RECEIPTS = 10;

function objectPage(inputs: DebugInputs, object: ConfigObject, url: URL): Response {
  const { meta } = object;
  const key = objectKey(meta);
  const touched = touchedBy(inputs, meta.kind, key);
  const proxies = [...new Set(touched.flatMap(({ proxies }) => proxies))].sort();
  const { part, pager } = paged(url, touched);
  const mistakes = mistakesOf(inputs, meta);
  return debugPage(shellOf(inputs, url), {
    title: showRow({ table: meta.kind, key }),
    at: "/debug/objects",
    below: [],
    body: [
      rejectedBanner(inputs, meta),
      quarantineBanner(inputs, meta),
      facts([["Generation", meta.generation], ["Position", origin(meta.origin)]]),
      tiles([["affected resources", touched.length], ["affected proxies", proxies.length]]),
      mistakes.length === 0 ? null : mistakeTable(`Likely mistakes (${mistakes.length})`, mistakes),
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
      jsonTree(objectView(object).spec, "Specification as JSON"),
    ],
  });
}

interface Touched {
  readonly short: string;
  readonly name: string;
  readonly proxies: readonly string[];
}

/** Returns the resources whose origins include an object's row, with the proxies that see them. */
function touchedBy({ mesh, sessions }: DebugInputs, kind: string, key: string): Touched[] {
  const row = rowOfObject({ table: kind, key });
  const blast = mesh.graph.blast(row.table, row.key);
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

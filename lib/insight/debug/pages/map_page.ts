/**
 * `/debug/map`: the mesh as a graph, of one namespace or of one service with its neighbours.
 *
 * @module
 */
import { objectKeys, serviceKeys } from "../../../mesh/model/mod.ts";
import { parseRowRef } from "../../../mesh/graph/mod.ts";
import { type ComponentChildren, json, type Route } from "../../../kit/web/mod.ts";
import {
  bounded,
  drawGraph,
  type Drawn,
  type GraphNode,
  LINE_KINDS,
  type LineKind,
  lineSample,
  type Mark,
  NODE_KINDS,
  placeGraph,
} from "../../picture/mod.ts";
import { debugRoute } from "../access.ts";
import { allServices } from "../config.ts";
import type { DebugInputs } from "../inputs.ts";
import {
  type MapAbout,
  type MapEdge,
  type MapNode,
  mapOf,
  type MapView,
  type MapWorkload,
  MOST_IMPORTS,
  type NamespaceRow,
  namespacesOf,
} from "../map/mod.ts";
import { nearNames } from "../near_names.ts";
import { longTable } from "./collapse.ts";
import { debugPage, notFoundPage, shellOf } from "./frame.ts";
import { badge, count, h, pathOf, refLink, wantsPage } from "./layout.ts";
import { svg } from "./svg.ts";

/** `/debug/map`. */
export function mapPages(inputs: DebugInputs): Route[] {
  return [
    debugRoute("GET", "/debug/map", async ({ url, request }) => {
      const namespaces = namespacesOf(inputs);
      const about = aboutOf(url, namespaces);
      const forPage = wantsPage(request);
      if (about === undefined) {
        return forPage ? namespacesPage(inputs, url, namespaces) : json({ namespaces });
      }
      const missing = missingOf(inputs, about, namespaces);
      if (missing !== undefined) {
        return forPage
          ? notFoundPage(shellOf(inputs, url), { at: "/debug/map", ...missing })
          : json({ error: missing.sentence, near: missing.names }, { status: 404 });
      }
      const view = mapOf(inputs, about, await inputs.traffic?.());
      return forPage ? mapPage(inputs, url, { about, view, namespaces }) : json(view);
    }),
  ];
}

/** The address of a map. */
export function mapPath(about: MapAbout): string {
  return `/debug/map?${new URLSearchParams({ ...about })}`;
}

/** The map that an address asks for; a mesh of one namespace needs no choice. */
function aboutOf(
  { searchParams }: URL,
  namespaces: readonly NamespaceRow[],
): MapAbout | undefined {
  const service = searchParams.get("service") ?? "";
  if (service !== "") return { service };
  const only = namespaces.length === 1 ? namespaces[0]!.namespace : "";
  const namespace = searchParams.get("namespace") || only;
  return namespace === "" ? undefined : { namespace };
}

/** A page for a namespace or a service that does not exist. */
function missingOf(inputs: DebugInputs, about: MapAbout, namespaces: readonly NamespaceRow[]) {
  const [wanted, known, sentence, link] = "service" in about
    ? [
      about.service,
      allServices(inputs).map(({ key }) => key),
      "There is no such service.",
      (service: string): MapAbout => ({ service }),
    ] as const
    : [
      about.namespace,
      namespaces.map(({ namespace }) => namespace),
      "No service and no Gateway is in such a namespace.",
      (namespace: string): MapAbout => ({ namespace }),
    ] as const;
  if (known.includes(wanted)) return undefined;
  const names = nearNames(known, wanted);
  return {
    title: wanted,
    sentence,
    names,
    near: names.map((one) => h("a", { href: mapPath(link(one)) }, one)),
  };
}

function namespacesPage(
  inputs: DebugInputs,
  url: URL,
  namespaces: readonly NamespaceRow[],
): Response {
  return debugPage(shellOf(inputs, url), {
    title: "Map",
    at: "/debug/map",
    body: [
      h("p", null, "A map shows one namespace, or one service with its neighbours."),
      longTable({
        caption: count(namespaces.length, "namespace", "namespaces"),
        columns: ["Namespace", "Services", "Gateways", "Edges to the outside", "Unknown hosts"],
        rows: namespaces.map(({ namespace, services, gateways, outside, broken }) => [
          h("a", { href: mapPath({ namespace }) }, namespace),
          services,
          gateways,
          outside,
          broken === 0 ? "none" : [badge(String(broken), "bad")],
        ]),
        empty: "No service and no Gateway. Define a service by a ServiceEntry.",
      }),
    ],
  });
}

interface MapShown {
  readonly about: MapAbout;
  readonly view: MapView;
  readonly namespaces: readonly NamespaceRow[];
}

function mapPage(inputs: DebugInputs, url: URL, { about, view, namespaces }: MapShown): Response {
  const drawn = bounded(view.nodes.map(linked), view.edges);
  const title = titleOf(about);
  return debugPage(shellOf(inputs, url), {
    title,
    at: "/debug/map",
    forms: true,
    ...(namespaces.length > 1 || "service" in about) && { below: crumbsOf(about) },
    body: [
      namespaces.length > 1 ? chooser(about, namespaces) : null,
      "service" in about ? otherPages(about.service) : null,
      h("p", { id: "seen" }, view.seen),
      view.wide === 0 ? null : h("p", null, wideSentence(view.wide)),
      legend(drawn, view),
      h(
        "div",
        { class: "scroll", role: "region", tabIndex: 0, "aria-label": title },
        svg(drawGraph(placeGraph(drawn), { id: "map", title, description: descriptionOf(drawn) })),
      ),
      leftOut(drawn),
      nodeTable(view.nodes),
      edgeTable(view),
      view.workloads === undefined ? null : workloadTable(view.workloads),
    ],
  });
}

function titleOf(about: MapAbout): string {
  return "service" in about
    ? `Neighbours of ${serviceKeys.decode(about.service).host}`
    : `Map of ${about.namespace}`;
}

function crumbsOf(about: MapAbout): readonly (readonly [string, string])[] {
  if (!("service" in about)) return [];
  const { namespace } = serviceKeys.decode(about.service);
  return [[namespace, mapPath({ namespace })]];
}

function chooser(about: MapAbout, namespaces: readonly NamespaceRow[]): ComponentChildren {
  const now = "service" in about ? serviceKeys.decode(about.service).namespace : about.namespace;
  return h("form", { method: "get", action: "/debug/map" }, [
    h("label", null, [
      "Namespace",
      h(
        "select",
        { name: "namespace", accessKey: "f" },
        namespaces.map(({ namespace }) =>
          h("option", { value: namespace, selected: namespace === now }, namespace)
        ),
      ),
    ]),
    h("button", { type: "submit" }, "Show"),
  ]);
}

function otherPages(key: string): ComponentChildren {
  const { namespace, host } = serviceKeys.decode(key);
  return h("p", null, [
    h("a", { href: pathOf("services", namespace, host) }, "Endpoints and sidecars of the service"),
  ]);
}

function wideSentence(wide: number): string {
  const subject = wide === 1
    ? "The Sidecar of 1 service imports"
    : `Sidecars of ${wide} services import`;
  return `${subject} more than ${MOST_IMPORTS} others: these edges are not drawn.`;
}

/** Adds the address of a node's page: the map about a service, the object of a Gateway. */
function linked(node: MapNode): GraphNode {
  if (node.kind === "service") return { ...node, href: mapPath({ service: node.id }) };
  const row = node.kind === "gateway" ? parseRowRef(node.id) : undefined;
  if (row === undefined) return node;
  const { namespace, name } = objectKeys.decode(row.key);
  return { ...node, href: pathOf("objects", row.table, namespace, name) };
}

function descriptionOf({ nodes, lines }: Drawn): string {
  const bad = nodes.filter(({ marks }) => marks.some(({ tone }) => tone === "bad")).length;
  return [
    count(nodes.length, "node", "nodes"),
    count(lines.length, "line", "lines"),
    `${count(bad, "node", "nodes")} with troubles`,
  ].join(", ") + ". The tables below have the same as text.";
}

/** The kinds of lines and nodes that are drawn. */
function legend({ nodes, lines }: Drawn, { edges }: MapView): ComponentChildren {
  const drawn = new Set(lines.map(({ kind }) => kind));
  const shapes = [...new Set(nodes.map(({ kind }) => kind))].filter((kind) => kind !== "service");
  const dashed = shapes.filter((kind) => kind !== "gateway").map((kind) => NODE_KINDS[kind]);
  return h("ul", { class: "legend", "aria-label": "Legend" }, [
    ...(Object.keys(LINE_KINDS) as LineKind[]).filter((kind) => drawn.has(kind))
      .map((kind) => h("li", null, [svg(lineSample(kind)), LINE_KINDS[kind]])),
    shapes.includes("gateway") ? h("li", null, "round: Gateway") : null,
    dashed.length > 0 ? h("li", null, `dashed border: ${dashed.join(", or ")}`) : null,
    edges.length === 0 ? h("li", null, "no edge is known here") : null,
  ]);
}

/** The parts that are not drawn: the nodes as links, the lines as a number. */
function leftOut({ moreNodes, moreLines }: Drawn): ComponentChildren {
  return [
    moreNodes.length === 0 ? null : h("details", { id: "more" }, [
      h("summary", null, `${count(moreNodes.length, "node", "nodes")} more, not drawn`),
      h(
        "ul",
        { class: "list" },
        moreNodes.map(({ label, name, href }) =>
          h("li", null, href === undefined ? label : h("a", { href, title: name }, label))
        ),
      ),
    ]),
    moreLines === 0
      ? null
      : h("p", { class: "mute" }, `${count(moreLines, "line", "lines")} more, not drawn.`),
  ];
}

function mark({ text, tone }: Mark): ComponentChildren {
  return text === "" || tone === "plain" ? text : badge(text, tone);
}

function nodeTable(nodes: readonly MapNode[]): ComponentChildren {
  return longTable({
    caption: `Nodes (${nodes.length})`,
    columns: ["Node", "Kind", "Mutual TLS or ports", "Instances", "Zones", "Troubles"],
    rows: nodes.map((node) => [
      nodeLink(node),
      node.kind,
      mark(node.security),
      mark(node.instances),
      node.zones,
      node.troubles.map((one) => [mark(one), " "]),
    ]),
  });
}

/** The workloads of the namespace, as node proxies know them. */
function workloadTable(workloads: readonly MapWorkload[]): ComponentChildren {
  return longTable({
    caption: `Workloads (${workloads.length})`,
    columns: ["Workload", "Address", "Protocol", "Proxy", "Waypoint", "Node"],
    rows: workloads.map(({ name, addresses, protocol, proxy, waypoint, node }) => [
      name,
      addresses.join(", "),
      protocol === "plain text" ? badge(protocol, "warn") : protocol,
      proxy,
      waypoint,
      node,
    ]),
    empty: "No workload is in this namespace.",
  });
}

function nodeLink(node: MapNode): ComponentChildren {
  const { href } = linked(node);
  return href === undefined ? node.name : h("a", { href }, node.name);
}

function edgeTable({ edges, nodes }: MapView): ComponentChildren {
  const names = new Map(nodes.map(({ id, name }) => [id, name]));
  return longTable({
    caption: `Edges (${edges.length})`,
    columns: ["From", "To", "What", "Object"],
    rows: edges.map((edge: MapEdge) => [
      names.get(edge.from),
      names.get(edge.to),
      edge.tone === "plain" ? edge.text : badge(edge.text, edge.tone),
      edge.object === "" ? "" : refLink(edge.object),
    ]),
    empty: "No VirtualService, Sidecar, waypoint or seen request connects anything here.",
  });
}

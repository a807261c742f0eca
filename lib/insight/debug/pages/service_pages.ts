/**
 * Pages of the live mesh: services, edges, certificates; and of one service.
 *
 * @module
 */
import { localityText, objectRef, type Service, serviceKeys } from "../../../mesh/model/mod.ts";
import type { Endpoint } from "../../../mesh/model/mod.ts";
import type { Traffic } from "../../monitor/mod.ts";
import type { SessionInfo } from "../../../mesh/xds/mod.ts";
import { type ComponentChildren, json, type Route } from "../../../kit/web/mod.ts";
import { debugRoute } from "../access.ts";
import { allServices } from "../config.ts";
import type { DebugInputs, Expiry } from "../inputs.ts";
import { type Edge, edgesOf, endsSoon, expiriesOf, workloadsOf } from "../mesh_map.ts";
import { nearNames } from "../near_names.ts";
import { proxyId } from "../proxies.ts";
import { longList, longTable } from "./collapse.ts";
import { debugPage, notFoundPage, shellOf } from "./frame.ts";
import {
  badge,
  count,
  facts,
  filter,
  h,
  paged,
  pathOf,
  proxyLink,
  refLink,
  span,
  table,
  tiles,
  wantsPage,
} from "./layout.ts";
import { mapPath } from "./map_page.ts";
import { stateOf, STATES } from "./states.ts";
import { trafficTable } from "./traffic_part.ts";

/** `/debug/services` and `/debug/services/:namespace/:host`. */
export function servicePages(inputs: DebugInputs): Route[] {
  return [
    debugRoute(
      "GET",
      "/debug/services",
      async ({ url, request }) => {
        const traffic = await inputs.traffic?.();
        return wantsPage(request)
          ? meshPage(inputs, url, traffic)
          : json({ ...meshJson(inputs), ...(traffic === undefined ? {} : { traffic }) });
      },
    ),
    debugRoute("GET", "/debug/services/:namespace/:host", ({ url, params }) => {
      const { namespace = "", host = "" } = params;
      const key = serviceKeys.encode({ namespace, host });
      const all = allServices(inputs);
      const service = all.find((one) => one.key === key);
      if (service !== undefined) return servicePage(inputs, url, { service, all });
      return notFoundPage(shellOf(inputs, url), {
        at: "/debug/services",
        title: key,
        sentence: all.length === 0
          ? "There is no service. Define one by a ServiceEntry."
          : "There is no such service.",
        near: nearNames(all.map((one) => one.key), key).map((one) => serviceLink(one)),
      });
    }),
  ];
}

function meshJson(inputs: DebugInputs): Record<string, unknown> {
  const services = allServices(inputs);
  const workloads = workloadsOf(inputs.sessions());
  return {
    services: services.map((service) => ({
      namespace: service.namespace,
      host: service.host,
      ports: service.ports,
      endpoints: healthOf(endpointsOf(inputs, service)),
      proxies: (workloads.get(service.key) ?? []).map((s) => ({
        proxy: proxyId(s),
        state: stateOf(s),
      })),
      source: service.source,
    })),
    edges: edgesOf(inputs, services),
    certificates: expiriesOf(inputs),
  };
}

function serviceLink(key: string, label = key): ComponentChildren {
  const { namespace, host } = serviceKeys.decode(key);
  return h("a", { href: pathOf("services", namespace, host) }, label);
}

function endpointsOf({ mesh }: DebugInputs, service: Service): readonly Endpoint[] {
  return mesh.graph.peek(mesh.services.endpoints, service);
}

function healthOf(endpoints: readonly Endpoint[]): Record<Endpoint["health"], number> {
  const found = { healthy: 0, unhealthy: 0, draining: 0 };
  for (const { health } of endpoints) found[health]++;
  return found;
}

function meshPage(inputs: DebugInputs, url: URL, traffic: Traffic | undefined): Response {
  const q = url.searchParams.get("q") ?? "";
  const all = allServices(inputs);
  const found = all.filter(({ key }) => key.includes(q));
  const { part, pager } = paged(url, found);
  const workloads = workloadsOf(inputs.sessions());
  const edges = edgesOf(inputs, all).filter(({ from, to }) => from.includes(q) || to.includes(q));
  const expiries = expiriesOf(inputs);
  const now = inputs.now();
  const ending = expiries.filter((one) => endsSoon(one, now)).length;
  const lost = edges.filter(({ known }) => !known).length;
  return debugPage(shellOf(inputs, url), {
    title: "Services",
    at: "/debug/services",
    forms: true,
    body: [
      tiles([
        ["services", all.length],
        ["proxies", inputs.sessions().length, "/debug/proxies"],
        ["edges", edges.length],
        ["edges to unknown hosts", lost, undefined, lost > 0],
        ["certificates that end soon", ending, undefined, ending > 0],
      ]),
      filter(url),
      table({
        caption: `${found.length} of ${all.length} services`,
        columns: ["Service", "Ports", "Endpoints", "Sidecars of its workloads"],
        rows: part.map((service) => serviceRow(inputs, service, workloads.get(service.key) ?? [])),
        empty: all.length === 0
          ? "No service. Define one by a ServiceEntry in the configuration directory."
          : "No service matches the filter.",
      }),
      pager,
      trafficTable(matching(traffic, q), hostCells(all)),
      edgeTable(`Edges by VirtualServices (${edges.length})`, edges, all),
      certificateTable(expiries, now),
    ],
  });
}

function serviceRow(
  inputs: DebugInputs,
  service: Service,
  sessions: readonly SessionInfo[],
): ComponentChildren[] {
  return [
    serviceLink(service.key),
    service.ports.map(({ number, protocol }) => `${number} ${protocol}`).join(", "),
    endpointCell(inputs, service),
    sidecarCell(sessions),
  ];
}

function endpointCell(inputs: DebugInputs, service: Service): ComponentChildren {
  const { healthy, unhealthy, draining } = healthOf(endpointsOf(inputs, service));
  if (healthy + unhealthy + draining === 0) {
    return [
      service.resolution === "NONE" || service.resolution === "DYNAMIC_DNS"
        ? badge("by address", "plain", "Clients choose the address; the service has no endpoints.")
        : badge("none", "warn"),
    ];
  }
  return [
    `${healthy} healthy`,
    unhealthy > 0 ? [" ", badge(`${unhealthy} unhealthy`, "bad")] : null,
    draining > 0 ? [" ", badge(`${draining} draining`, "warn")] : null,
  ];
}

/** Numbers of sidecars by state, the worst first. */
function sidecarCell(sessions: readonly SessionInfo[]): ComponentChildren {
  if (sessions.length === 0) return "none connected";
  const states = sessions.map(stateOf);
  return (Object.keys(STATES) as (keyof typeof STATES)[]).flatMap((state) => {
    const n = states.filter((one) => one === state).length;
    return n === 0 ? [] : [badge(`${n} ${state}`, STATES[state]), " "];
  });
}

/** The edges of which one end has the text of the filter. */
function matching(traffic: Traffic | undefined, q: string): Traffic | undefined {
  if (traffic === undefined || "fault" in traffic) return traffic;
  return { edges: traffic.edges.filter(({ from, to }) => from.includes(q) || to.includes(q)) };
}

/** Cells with the host of a service, as a link if the service is known. */
function hostCells(services: readonly Service[]): (host: string) => ComponentChildren {
  const keys = new Map(services.map(({ host, key }) => [host, key]));
  return (host) => {
    const key = keys.get(host);
    return key === undefined ? host : serviceLink(key, host);
  };
}

function edgeTable(
  caption: string,
  edges: readonly Edge[],
  services: readonly Service[],
): ComponentChildren {
  const hostCell = hostCells(services);
  return longTable({
    caption,
    columns: ["From", "To", "Subset", "Kind", "Share", "Object"],
    rows: edges.map(({ from, to, subset, kind, share, object, known }) => [
      from.startsWith("Gateway/") ? refLink(from) : hostCell(from),
      [hostCell(to), known ? null : [" ", badge("unknown host", "bad")]],
      subset,
      kind,
      share === undefined ? "" : `${Number(share.toFixed(1))} %`,
      refLink(object),
    ]),
    empty: "No VirtualService sends requests elsewhere. Every host goes to its own service.",
  });
}

function certificateTable(expiries: readonly Expiry[], now: number): ComponentChildren {
  return h(
    "div",
    { id: "certificates" },
    longTable({
      caption: `Certificates (${expiries.length})`,
      columns: ["Certificate", "Ends", "In"],
      rows: expiries.map((one) => [
        one.name,
        one.notAfter === undefined ? "unknown" : `${new Date(one.notAfter).toISOString()}`,
        [
          one.notAfter === undefined
            ? badge("cannot be read", "bad")
            : one.notAfter <= now
            ? badge("expired", "bad")
            : endsSoon(one, now)
            ? badge(span(one.notAfter - now), "warn")
            : span(one.notAfter - now),
        ],
      ]),
      empty: "The daemon has no certificate, and no gateway has a credential. Certificates of " +
        "workloads are renewed by their agents.",
    }),
  );
}

function servicePage(
  inputs: DebugInputs,
  url: URL,
  { service, all }: { readonly service: Service; readonly all: readonly Service[] },
): Response {
  const endpoints = endpointsOf(inputs, service);
  const sessions = workloadsOf(inputs.sessions()).get(service.key) ?? [];
  const edges = edgesOf(inputs, all)
    .filter(({ from, to }) => from === service.host || to === service.host);
  const { exportTo } = service;
  return debugPage(shellOf(inputs, url), {
    title: service.host,
    at: "/debug/services",
    below: [],
    body: [
      facts([
        ["Namespace", service.namespace],
        ["Ports", service.ports.map((p) => `${p.number} ${p.protocol} (${p.name})`).join(", ")],
        ["Addresses", service.addresses.join(", ") || "none"],
        ["Resolution", service.resolution],
        ["Exported to", exportTo === "public" ? "all namespaces" : exportTo.join(", ") || "none"],
        ["Defined by", refLink(service.source)],
        [
          "Map",
          h("a", { href: mapPath({ service: service.key }) }, "this service and its neighbours"),
        ],
        ["Other objects", longList(objectsAbout(inputs, service).map(refLink))],
      ]),
      longTable({
        caption: count(endpoints.length, "endpoint", "endpoints"),
        columns: ["Address", "Ports", "Health", "Locality", "Weight", "Labels"],
        rows: endpoints.map(endpointRow),
        empty: "No endpoint: requests to this service fail, or go to the address that they name.",
      }),
      longTable({
        caption: `Sidecars of its workloads (${sessions.length})`,
        columns: ["Proxy", "State"],
        rows: sessions.map((s) => [proxyLink(proxyId(s)), [badge(stateOf(s), STATES[stateOf(s)])]]),
        empty: "No connected sidecar has an address of its endpoints.",
      }),
      edgeTable(`Edges (${edges.length})`, edges, all),
    ],
  });
}

function endpointRow(one: Endpoint): ComponentChildren[] {
  const tone = one.health === "healthy" ? "good" : one.health === "draining" ? "warn" : "bad";
  return [
    one.address,
    Object.entries(one.ports).map(([name, port]) => `${name} ${port}`).join(", "),
    [badge(one.health, tone)],
    localityText(one.locality),
    one.weight === 0 ? "" : one.weight,
    Object.entries(one.labels).map(([key, value]) => `${key}=${value}`).join(" "),
  ];
}

/** Returns the VirtualServices and DestinationRules that name the host. */
function objectsAbout({ objects, mesh }: DebugInputs, { host, namespace }: Service): string[] {
  const short = `.${namespace}.svc.${mesh.domain}`;
  const names = [host, ...(host.endsWith(short) ? [host.slice(0, -short.length)] : [])];
  return objects().filter(({ meta, spec }) => {
    if (meta.kind === "DestinationRule") return names.includes((spec as { host: string }).host);
    return meta.kind === "VirtualService" &&
      (spec as { hosts: readonly string[] }).hosts.some((one) => names.includes(one));
  }).map(objectRef);
}

/**
 * `/debug/config_dump`: the resources of a proxy, in the form of Envoy's own dump.
 *
 * @module
 */
import {
  ClustersConfigDumpSchema,
  EndpointsConfigDumpSchema,
  ListenersConfigDumpSchema,
  RoutesConfigDumpSchema,
} from "#envoy/admin/v3/config_dump_shared_pb.ts";
import { VirtualHostSchema } from "#envoy/config/route/v3/route_components_pb.ts";
import { RouteConfigurationSchema } from "#envoy/config/route/v3/route_pb.ts";
import { showJson } from "../diff/mod.ts";
import type { Resource } from "../../mesh/graph/mod.ts";
import {
  type Any,
  AnySchema,
  create,
  type DescMessage,
  fromBinary,
  type JsonObject,
  type JsonValue,
  type MessageInitShape,
  SERVED_TYPES,
  toBinary,
  toJson,
} from "../../kit/proto/mod.ts";
import type { SessionInfo } from "../../mesh/xds/mod.ts";
import type { Provenance } from "../../mesh/translate/mod.ts";
import { json, type Route, text } from "../../kit/web/mod.ts";
import { debugRoute } from "./access.ts";
import type { DebugInputs } from "./inputs.ts";
import { asksFor, withProxy } from "./find.ts";
import { whyWhole } from "./why.ts";
import { TYPE_URLS } from "../../mesh/model/mod.ts";

/** `/debug/config_dump?proxyID=NAME.NAMESPACE[&types=URL,URL][&name=PART][&why=true]` and `/debug/edsz?proxyID=`. */
export function configDumpRoutes(inputs: DebugInputs): Route[] {
  return [
    debugRoute("GET", "/debug/config_dump", ({ url }) =>
      withProxy(inputs, url, (session) => {
        const types = url.searchParams.get("types")?.split(",") ?? Object.keys(SECTIONS);
        const unknown = types.find((t) => SECTIONS[t] === undefined);
        if (unknown !== undefined) {
          return text(`unknown type ${unknown}; known: ${Object.keys(SECTIONS).join(", ")}\n`, {
            status: 400,
          });
        }
        const name = url.searchParams.get("name") ?? "";
        const why = url.searchParams.get("why") === "true";
        return json({
          configs: types.map((type) =>
            section(
              session,
              type,
              name,
              why ? (n) => whyWhole(inputs, session, type, n) : undefined,
            )
          ),
        });
      })),
    debugRoute(
      "GET",
      "/debug/edsz",
      ({ url }) =>
        withProxy(inputs, url, (session) =>
          json(
            resources(session, TYPE_URLS.endpoint, "").map((r) =>
              toJson(AnySchema, packed(TYPE_URLS.endpoint, r), {
                registry: SERVED_TYPES,
              })
            ),
          )),
    ),
  ];
}

/** Makes a section of the dump from resources. */
type Section = (resources: Any[]) => JsonValue;

function sectionOf<D extends DescMessage>(
  schema: D,
  init: (resources: Any[]) => MessageInitShape<D>,
): Section {
  return (list) =>
    showJson({
      "@type": `type.googleapis.com/${schema.typeName}`,
      ...toJson(schema, create(schema, init(list)), { registry: SERVED_TYPES }) as JsonObject,
    });
}

const SECTIONS: Readonly<Record<string, Section>> = {
  [TYPE_URLS.cluster]: sectionOf(ClustersConfigDumpSchema, (list) => ({
    dynamicActiveClusters: list.map((cluster) => ({ cluster })),
  })),
  [TYPE_URLS.listener]: sectionOf(ListenersConfigDumpSchema, (list) => ({
    dynamicListeners: list.map((listener) => ({ activeState: { listener } })),
  })),
  [TYPE_URLS.route]: sectionOf(RoutesConfigDumpSchema, (list) => ({
    dynamicRouteConfigs: list.map((routeConfig) => ({ routeConfig })),
  })),
  [TYPE_URLS.endpoint]: sectionOf(EndpointsConfigDumpSchema, (list) => ({
    dynamicEndpointConfigs: list.map((endpointConfig) => ({ endpointConfig })),
  })),
};

/** Reports if a type has its own section in the dump. */
export function isDumped(typeUrl: string): boolean {
  return Object.hasOwn(SECTIONS, typeUrl);
}

/** Returns the section of a type. With `explain` each entry has a `why`. */
function section(
  session: SessionInfo,
  type: string,
  name: string,
  explain?: (name: string) => readonly Provenance[],
): JsonValue {
  const list = resources(session, type, name);
  const messages = list.map((r) => packed(type, r));
  const dump = SECTIONS[type]!(type === TYPE_URLS.route ? completed(session, messages) : messages);
  if (explain === undefined || typeof dump !== "object" || dump === null) return dump;
  // A section has one list, in the order of the resources.
  const [entries] = Object.values(dump).filter((v) => Array.isArray(v));
  return {
    ...dump,
    ...Object.fromEntries(
      Object.entries(dump).filter(([, v]) => v === entries).map(([key]) => [
        key,
        (entries as JsonObject[]).map((entry, i) => ({
          ...entry,
          why: explain(list[i]!.name) as unknown as JsonObject,
        })),
      ]),
    ),
  } as JsonValue;
}

/**
 * Returns the resources of a type that a proxy sees: all for wildcard types, otherwise the
 * subscribed ones. Sorted by name.
 */
function resources(session: SessionInfo, typeUrl: string, name: string): Resource[] {
  const view = session.view(typeUrl);
  if (view === undefined) return [];
  const followed = session.types.some((t) => t.typeUrl === typeUrl);
  const wanted = followed ? asksFor(session, typeUrl) : undefined;
  const list: Resource[] = [];
  for (const resource of view.entries()) {
    if (wanted?.(resource.name) === false) continue;
    if (resource.name.includes(name)) list.push(resource);
  }
  return list.sort((a, b) => (a.name < b.name ? -1 : 1));
}

function packed(typeUrl: string, { bytes }: Resource): Any {
  return create(AnySchema, { typeUrl, value: bytes });
}

/**
 * Adds the virtual hosts that a proxy gets by VHDS to their route tables, as in the proxy's own
 * dump. Their names begin with the table's name.
 */
function completed(session: SessionInfo, tables: Any[]): Any[] {
  const hosts = [...session.view(TYPE_URLS.virtualHost)?.entries() ?? []];
  if (hosts.length === 0) return tables;
  hosts.sort((a, b) => (a.name < b.name ? -1 : 1));
  return tables.map(({ typeUrl, value }) => {
    const table = fromBinary(RouteConfigurationSchema, value);
    const own = hosts.filter(({ name }) => name.slice(0, name.lastIndexOf("/")) === table.name);
    table.virtualHosts.push(...own.map(({ bytes }) => fromBinary(VirtualHostSchema, bytes)));
    return create(AnySchema, { typeUrl, value: toBinary(RouteConfigurationSchema, table) });
  });
}

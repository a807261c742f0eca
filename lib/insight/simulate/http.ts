/**
 * An HTTP connection manager: its filters in order, then the route's action.
 *
 * @module
 */
import {
  type HttpConnectionManager,
  type HttpFilter,
} from "#envoy/extensions/filters/network/http_connection_manager/v3/http_connection_manager_pb.ts";
import {
  type RouteConfiguration,
  RouteConfigurationSchema,
} from "#envoy/config/route/v3/route_pb.ts";
import { VirtualHost_TlsRequirementType as RequireTls } from "#envoy/config/route/v3/route_components_pb.ts";
import { type Any, create } from "../../kit/proto/mod.ts";
import { act, type Chosen } from "./action.ts";
import type { Connection } from "./connection.ts";
import type { Choice, Passage } from "./filter.ts";
import { portionsOf } from "./fraction.ts";
import { HTTP_FILTERS } from "./http_filters.ts";
import { answered, closed, type Journey, note, scaled, undecided } from "./journey.ts";
import { type Exchange, openExchange } from "./request.ts";
import type { Ending, Sent, Step } from "./verdict.ts";
import { findRoute, findVirtualHost, nameOf } from "./virtual_host.ts";

/** Returns the endings of a connection with HTTP. */
export function manage(
  journey: Journey,
  manager: HttpConnectionManager,
  connection: Connection,
): Ending[] {
  const { http } = journey.call;
  if (connection.sealed) return closed("connection manager", "what comes is TLS, not HTTP");
  if (http === undefined) return closed("connection manager", "what comes is no HTTP");
  if (http.version === "1.0" && manager.httpProtocolOptions?.acceptHttp10 !== true) {
    return answered(426, "connection manager", "HTTP/1.0 is not accepted");
  }
  const opened = openExchange(manager, connection, http);
  if ("status" in opened) return answered(opened.status, "connection manager", opened.why);
  const table = tableOf(journey, manager);
  if (table === undefined) return undecided("the route table was not served");
  const noted = new Set<string>();
  return portionsOf(findVirtualHost(table, opened.host)?.host).flatMap(
    ({ share, random }) => {
      const steps: Step[] = [];
      const exchange = opened.exchange(random);
      const endings = passFilters({ journey: { ...journey, steps }, manager, table, exchange });
      journey.steps.push(...steps.filter((step) => !noted.has(idOf(step))));
      for (const step of steps) noted.add(idOf(step));
      return scaled(endings, share);
    },
  );
}

/** Steps of several portions of the requests are told once. */
function idOf({ stage, name, why, index }: Step): string {
  return JSON.stringify([stage, name, why, index]);
}

/** The endings of a CONNECT request that filters do not let in; `undefined`: they do. */
export function refuseTunnel(
  journey: Journey,
  manager: HttpConnectionManager,
  { connection, authority }: { readonly connection: Connection; readonly authority: string },
): Ending[] | undefined {
  const request = { method: "CONNECT", host: authority, path: "", version: "2" } as const;
  const opened = openExchange(manager, connection, request);
  if ("status" in opened) return answered(opened.status, "connection manager", opened.why);
  const table = create(RouteConfigurationSchema);
  const passage = { journey, manager, table, exchange: opened.exchange() };
  for (const { name, configType: config } of manager.httpFilters) {
    const any = config.case === "typedConfig" ? config.value : undefined;
    const effect = HTTP_FILTERS[name]?.(passage, any, { status: 404 }, undefined);
    if (effect?.kind === "ends") return [...effect.endings];
  }
  return undefined;
}

function tableOf(
  { resources }: Journey,
  { routeSpecifier: from }: HttpConnectionManager,
): RouteConfiguration | undefined {
  if (from.case === "routeConfig") return from.value;
  return from.case === "rds" ? resources.route(from.value.routeConfigName) : undefined;
}

function passFilters(passage: Passage): Ending[] {
  const { journey, manager, exchange } = passage;
  let route = choose(passage);
  let share = 1;
  let delay: Sent["delay"];
  const endings: Ending[] = [];
  for (const filter of manager.httpFilters) {
    const own = ownConfig(route, filter.name);
    if (isRouter(filter) || (filter.disabled && own === undefined)) continue;
    const model = HTTP_FILTERS[filter.name];
    if (model === undefined) {
      journey.unmodelled.add(`HTTP filter ${filter.name}`);
      continue;
    }
    const config = filter.configType.case === "typedConfig" ? filter.configType.value : undefined;
    const effect = model(passage, config, route, own);
    if (effect.kind === "ends") return [...endings, ...scaled(effect.endings, share)];
    if (effect.kind === "reroutes") route = choose(passage);
    if (effect.kind === "strikes") {
      delay = effect.delay ?? delay;
      endings.push(...scaled(effect.endings, share));
      share -= share * effect.endings.reduce((sum, one) => sum + one.share, 0);
    }
  }
  if (share <= 0) return endings;
  if ("undecided" in route) return [...endings, ...scaled(undecided(route.undecided), share)];
  if ("status" in route) {
    return [...endings, ...scaled(answered(404, "router", "no route matches"), share)];
  }
  const last = mustBeTls(route, exchange)
    ? answered(301, `virtual host ${route.host.name}`, "requires TLS")
      .map((one) => ({ ...one, location: `https://${exchange.host}${exchange.path}` }))
    : act(journey, route, exchange, delay);
  return [...endings, ...scaled(last, share)];
}

function isRouter({ name }: HttpFilter): boolean {
  return name === "envoy.filters.http.router";
}

function mustBeTls({ host }: Chosen, { scheme }: Exchange): boolean {
  return host.requireTls !== RequireTls.NONE && scheme !== "https";
}

/** Selects the route of a request and records the decision. */
function choose({ journey, table, exchange }: Passage): Choice {
  const found = findVirtualHost(table, exchange.host);
  if (found === undefined) {
    note(journey, "virtual host", table.name, `has none for ${exchange.host}`);
    return { status: 404 };
  }
  const { host, domain } = found;
  const virtualHost = host.name;
  journey.steps.push({
    stage: "virtual host",
    name: host.name,
    table: table.name,
    virtualHost,
    why: `of table ${table.name}, by domain ${domain}`,
  });
  if (host.matcher !== undefined) return { undecided: `the matcher of ${host.name}` };
  const route = findRoute(host, exchange);
  if (route === undefined) {
    note(journey, "route", host.name, "has no route that matches");
    return { status: 404 };
  }
  if ("undecided" in route) return route;
  const name = nameOf(route.route, route.at);
  journey.steps.push({
    stage: "route",
    name,
    table: table.name,
    virtualHost,
    index: route.at,
    why: `matches by ${route.why}`,
  });
  return { table, host, route: route.route, name };
}

/** Returns the most specific per-filter configuration of route, virtual host and table. */
function ownConfig(route: Choice, filter: string): Any | undefined {
  if (!("host" in route)) return undefined;
  return [route.route, route.host, route.table]
    .map(({ typedPerFilterConfig }) => typedPerFilterConfig[filter])
    .find((one) => one !== undefined);
}

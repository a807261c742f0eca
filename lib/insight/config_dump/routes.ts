import type { Dump } from "./dump.ts";
import { asMap, asMaps, asText, asTexts, at, type JsonMap } from "./json.ts";
import { objectBehind } from "./names.ts";
import type { Table } from "./table.ts";

/** The route configurations of a dump; an empty name selects all. */
export function routesOf({ sections }: Dump, name: string): readonly JsonMap[] {
  const section = sections.get("RoutesConfigDump") ?? {};
  return [...asMaps(section.dynamicRouteConfigs), ...asMaps(section.staticRouteConfigs)]
    .map(({ routeConfig }) => asMap(routeConfig))
    .filter((route) => name === "" || route.name === name)
    .toSorted((a, b) => compare(asText(a.name), asText(b.name)));
}

/** Numbers by size, then names. */
function compare(a: string, b: string): number {
  const [x, y] = [Number(a), Number(b)];
  if (Number.isInteger(x) && Number.isInteger(y) && a !== "" && b !== "") return x - y;
  if (Number.isInteger(x) !== Number.isInteger(y)) return Number.isInteger(x) ? -1 : 1;
  return a < b ? -1 : a === b ? 0 : 1;
}

/** The table of routes: each route, or with `brief` each configuration with its size. */
export function routeTable(routes: readonly JsonMap[], brief: boolean): Table {
  if (brief) {
    return {
      head: ["NAME", "VIRTUAL HOSTS"],
      rows: routes.map((route) => [
        asText(route.name),
        String(asMaps(route.virtualHosts).length),
      ]),
    };
  }
  return {
    head: ["NAME", "VHOST NAME", "DOMAINS", "MATCH", "VIRTUAL SERVICE"],
    rows: routes.flatMap(rowsOf),
  };
}

function rowsOf(route: JsonMap): string[][] {
  const name = asText(route.name);
  const hosts = asMaps(route.virtualHosts);
  if (hosts.length === 0) return [[name, "", "", "", "404"]];
  return hosts.flatMap((host) => {
    const domains = describeDomains(asTexts(host.domains));
    const routes = asMaps(host.routes);
    if (routes.length === 0) return [[name, asText(host.name), domains, "", "404"]];
    return routes.map((each) => {
      return [name, asText(host.name), domains, matchText(each), behind(each, host)];
    });
  });
}

/** The VirtualService of a route, which the route or its virtual host names, or its status. */
function behind(route: JsonMap, host: JsonMap): string {
  const status = asText(at(route, "directResponse", "status"));
  return objectBehind(route) || objectBehind(host) || status;
}

/** Domains that are shown; the others are counted. */
const SHOWN_DOMAINS = 2;

/** Domains without those that only add a port, or a dot at the end, to another one. */
export function describeDomains(domains: readonly string[]): string {
  if (domains.length <= 1) return domains[0] ?? "";
  const isAbsolute = (domain: string) =>
    domain.endsWith(".") && domains.includes(domain.slice(0, -1));
  const bare = domains.filter((one) => !/(^[^:]*|\]):\d+$/.test(one) && !isAbsolute(one));
  const kept = bare.length === 0 ? domains : bare;
  const shown = kept.slice(0, SHOWN_DOMAINS).join(", ");
  const more = kept.length - SHOWN_DOMAINS;
  return more > 0 ? `${shown} + ${more} more...` : shown;
}

function matchText(route: JsonMap): string {
  const match = asMap(route.match);
  const conditions = [pathText(match)];
  for (const header of asMaps(match.headers)) {
    const name = asText(header.name);
    if (name === ":method") conditions.push(`method: ${headerValue(header)}`);
    else conditions.push(`${name}: ${headerValue(header)}`);
  }
  for (const parameter of asMaps(match.queryParameters)) {
    conditions.push(`?${asText(parameter.name)}`);
  }
  return conditions.filter((each) => each !== "").join(" ");
}

function headerValue(header: JsonMap): string {
  const match = asMap(header.stringMatch);
  const value = [
    match.exact,
    match.prefix,
    match.suffix,
    match.contains,
    at(match.safeRegex, "regex"),
  ]
    .map(asText).find((text) => text !== "");
  return value ?? (header.presentMatch === true ? "*" : "");
}

function pathText(match: JsonMap): string {
  if (match.prefix !== undefined) return `${asText(match.prefix)}*`;
  if (match.path !== undefined) return asText(match.path);
  if (match.pathSeparatedPrefix !== undefined) {
    return `PathPrefix:${asText(match.pathSeparatedPrefix)}`;
  }
  if (match.safeRegex !== undefined) return `regex ${asText(at(match.safeRegex, "regex"))}`;
  return match.connectMatcher !== undefined ? "CONNECT" : "";
}

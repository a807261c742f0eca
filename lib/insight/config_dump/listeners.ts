import type { Dump } from "./dump.ts";
import { asMap, asMaps, asText, asTexts, at, type Json, type JsonMap } from "./json.ts";
import { portOf } from "./names.ts";
import type { Table } from "./table.ts";

/** Selection of listeners; empty values select all. */
export interface ListenerFilter {
  readonly address: string;
  readonly port: number;
  /** `HTTP`, `TCP`, `HTTP+TCP`, `UNKNOWN`. */
  readonly type: string;
}

/** The listeners of a dump, in the order of their ports. */
export function listenersOf({ sections }: Dump, filter: ListenerFilter): readonly JsonMap[] {
  const section = sections.get("ListenersConfigDump") ?? {};
  const dynamic = asMaps(section.dynamicListeners).map((entry) =>
    asMap(at(entry, "activeState", "listener") ?? at(entry, "warmingState", "listener"))
  );
  const fixed = asMaps(section.staticListeners).map(({ listener }) => asMap(listener));
  return [...dynamic, ...fixed].filter((listener) =>
    (filter.address === "" || addressesOf(listener).includes(filter.address)) &&
    (filter.port === 0 || portOf(asMap(listener.address)) === String(filter.port)) &&
    (filter.type === "" || typeOf(listener) === filter.type)
  ).toSorted((a, b) =>
    Number(portOf(asMap(a.address))) - Number(portOf(asMap(b.address))) ||
    (asText(a.name) < asText(b.name) ? -1 : 1)
  );
}

function addressesOf(listener: JsonMap): readonly string[] {
  return [listener.address, ...asMaps(listener.additionalAddresses).map(({ address }) => address)]
    .map((address) => asText(at(address, "socketAddress", "address")))
    .filter((text) => text !== "");
}

const HTTP = "envoy.filters.network.http_connection_manager";
const TCP = "envoy.filters.network.tcp_proxy";

function chainsOf(listener: JsonMap): readonly JsonMap[] {
  const last = listener.defaultFilterChain;
  return [...asMaps(listener.filterChains), ...last === undefined ? [] : [asMap(last)]];
}

function typeOf(listener: JsonMap): string {
  const names = new Set(
    chainsOf(listener).flatMap(({ filters }) => asMaps(filters).map(({ name }) => asText(name))),
  );
  const types = [names.has(HTTP) ? "HTTP" : "", names.has(TCP) ? "TCP" : ""];
  return types.filter((type) => type !== "").join("+") || "UNKNOWN";
}

/** The table of listeners: each filter chain, or with `brief` each listener with its type. */
export function listenerTable(listeners: readonly JsonMap[], brief: boolean): Table {
  const start = (listener: JsonMap): string[] => [
    addressesOf(listener).join(","),
    portOf(asMap(listener.address)),
  ];
  if (brief) {
    return {
      head: ["ADDRESSES", "PORT", "TYPE"],
      rows: listeners.map((listener) => [...start(listener), typeOf(listener)]),
    };
  }
  return {
    head: ["ADDRESSES", "PORT", "MATCH", "DESTINATION"],
    rows: listeners.flatMap((listener) =>
      chainsOf(listener).map((chain) => [
        ...start(listener),
        matchText(asMap(chain.filterChainMatch)),
        destinationOf(chain),
      ])
    ),
  };
}

function matchText(match: JsonMap): string {
  const ranges = asMaps(match.prefixRanges).map((range) =>
    `${asText(range.addressPrefix)}/${asText(range.prefixLen)}`
  );
  const parts: readonly (readonly [string, readonly string[]])[] = [
    ["SNI", asTexts(match.serverNames)],
    ["Trans", [asText(match.transportProtocol)].filter((text) => text !== "")],
    ["App", asTexts(match.applicationProtocols)],
    ["Addr", ranges],
    ["Port", [asText(match.destinationPort)].filter((text) => text !== "")],
  ];
  const shown = parts.filter(([, values]) => values.length > 0)
    .map(([label, values]) => `${label}: ${values.join(",")}`);
  return shown.length === 0 ? "ALL" : shown.join("; ");
}

function destinationOf(chain: JsonMap): string {
  for (const filter of asMaps(chain.filters)) {
    const config = asMap(filter.typedConfig);
    if (filter.name === HTTP) return httpDestination(config);
    if (filter.name === TCP) return tcpDestination(config);
  }
  const names = asMaps(chain.filters).map(({ name }) => asText(name));
  return names.length === 0 ? "Non-HTTP/Non-TCP" : `Filter: ${names.join(",")}`;
}

function httpDestination(config: JsonMap): string {
  const discovered = asText(at(config, "rds", "routeConfigName"));
  if (discovered !== "") return `Route: ${discovered}`;
  if (config.routeConfig === undefined) return "Route: (scoped)";
  const matches = asMaps(at(config, "routeConfig", "virtualHosts"))
    .flatMap(({ routes }) => asMaps(routes))
    .map(({ match }) => `${pathOf(match)}`);
  return `Inline Route: ${[...new Set(matches)].join(", ")}`;
}

function pathOf(match: Json | undefined): string {
  const { prefix, path, pathSeparatedPrefix, safeRegex } = asMap(match);
  if (prefix !== undefined) return `${asText(prefix)}*`;
  return asText(path) || asText(pathSeparatedPrefix) || asText(at(safeRegex, "regex"));
}

function tcpDestination(config: JsonMap): string {
  const cluster = asText(config.cluster);
  if (cluster !== "") return `Cluster: ${cluster}`;
  const weighted = asMaps(at(config, "weightedClusters", "clusters"));
  return weighted.map(({ name, weight }) => `Cluster: ${asText(name)} (${asText(weight)})`).join(
    ", ",
  );
}

/**
 * Type URLs by name.
 *
 * @module
 */
import { XDS_TYPES, type XdsTypeName } from "./types.ts";

/** Names of the types that are served to agents. */
export type AgentTypeName = "nameTable" | "proxyConfig";
/** Names of the types that are served to proxies. */
export type ProxyTypeName = Exclude<XdsTypeName, AgentTypeName>;

const { nameTable, proxyConfig, ...proxyTypes } = XDS_TYPES;

/** Type URLs that are served to proxies. */
export const TYPE_URLS: Readonly<Record<ProxyTypeName, string>> = urlsOf(proxyTypes);

/** Type URLs that are served to agents. */
export const AGENT_TYPE_URLS: Readonly<Record<AgentTypeName, string>> = urlsOf({
  nameTable,
  proxyConfig,
});

function urlsOf<N extends XdsTypeName>(
  types: Readonly<Record<N, { readonly url: string }>>,
): Record<N, string> {
  const urls = {} as Record<N, string>;
  for (const name in types) urls[name] = types[name].url;
  return urls;
}

/**
 * The agent's DNS proxy: it answers names of the mesh from the daemon's name table, and forwards all
 * other queries to the nameservers of resolv.conf.
 *
 * @module
 */
export { type DnsProxy, type DnsProxyOptions, startDnsProxy } from "./proxy.ts";
export { type DnsScope, NAME_TABLE_URL, nameTableJson } from "./table.ts";
export { type DnsEnv, readDnsEnv } from "./variables.ts";

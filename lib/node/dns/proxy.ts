/**
 * The DNS proxy: listeners, resolver and nameservers, from the settings.
 *
 * @module
 */
import { MeshError } from "../../kit/base/mod.ts";
import { scope } from "../../kit/log/mod.ts";
import { createResolver } from "./answers.ts";
import type { ResolvConf } from "../resolv/mod.ts";
import { listenDns } from "./server.ts";
import { createSourceLimit } from "./source_limit.ts";
import { type DnsScope, type Names, namesOf } from "./table.ts";
import { createForwarder, type Nameserver } from "./upstream.ts";

/** Options of {@link startDnsProxy}. */
export interface DnsProxyOptions {
  /** `host:port`; `localhost` stands for both loopback addresses, an empty host for all addresses. */
  readonly address: string;
  readonly parallel: boolean;
  readonly resolvConf: ResolvConf;
  readonly scope: Omit<DnsScope, "search">;
  /** Addresses of this host. */
  readonly ownAddresses: readonly string[];
  /** Port of the nameservers; default: 53. */
  readonly nameserverPort?: number;
}

/** A running DNS proxy. */
export interface DnsProxy {
  readonly port: number;
  /** The encoded name table in use; `undefined` until one arrived. */
  readonly table: Uint8Array | undefined;
  /** Uses an encoded name table. `undefined`: the daemon has none, so there are no names. */
  update(table: Uint8Array | undefined): void;
  stop(): Promise<void>;
}

const DNS_PORT = 53;
/** Addresses of this host that the kernel accepts from no other. */
const LOOPBACK = /^(127\.|::1$|::ffff:127\.)/;
const log = scope("dns");

/**
 * Starts the proxy.
 *
 * @throws {MeshError} `dns-address` for an address that cannot be read, `dns-listen`
 */
export async function startDnsProxy(options: DnsProxyOptions): Promise<DnsProxy> {
  const { hosts, port } = parseDnsAddress(options.address);
  const nameservers = upstreamsOf(options, hosts, port);
  if (nameservers.length === 0) {
    log.warn("there is no nameserver to forward queries to; names outside of the mesh fail");
  }
  const forwarder = createForwarder({ nameservers, parallel: options.parallel });
  const names = { ...options.scope, search: options.resolvConf.search };
  let table: Uint8Array | undefined;
  let found: Names | undefined;
  const resolve = createResolver({
    names: () => found,
    forwarder,
    random: Math.random,
    now: () => performance.now(),
  });
  const own = new Set(options.ownAddresses);
  const limit = createSourceLimit({
    isOwn: (address) => own.has(address) || LOOPBACK.test(address),
    now: () => performance.now(),
  });
  const listeners = await listenDns({ hosts, port, resolve, limit });
  log.info("the DNS proxy listens", {
    hosts,
    port: listeners.port,
    nameservers: nameservers.length,
  });
  return {
    port: listeners.port,
    get table() {
      return table;
    },
    update(bytes) {
      found = namesOf(bytes ?? new Uint8Array(), names);
      table = bytes ?? new Uint8Array();
      log.debug("a name table arrived", { names: found.size });
    },
    async stop() {
      forwarder.close();
      await listeners.stop();
    },
  };
}

/** Hosts to listen on, and the port. */
export function parseDnsAddress(
  text: string,
): { readonly hosts: readonly string[]; readonly port: number } {
  const match = /^(?:\[([0-9a-fA-F:.]+)\]|([^:[\]]*)):(\d{1,5})$/.exec(text);
  const port = Number(match?.[3]);
  if (match === null || port > 65_535) {
    throw new MeshError("dns-address", `DNS_PROXY_ADDR is set to ${JSON.stringify(text)}`, {
      remedy: "Set it to an address such as localhost:15053, 127.0.0.1:53 or [::1]:53.",
    });
  }
  const host = match[1] ?? match[2] ?? "";
  if (host === "localhost") return { hosts: ["127.0.0.1", "::1"], port };
  if (host === "") return { hosts: ["0.0.0.0", "::"], port };
  return { hosts: [host], port };
}

/** The nameservers of resolv.conf, except the proxy itself. */
export function upstreamsOf(
  options: Pick<DnsProxyOptions, "resolvConf" | "ownAddresses" | "nameserverPort">,
  hosts: readonly string[],
  port: number,
): readonly Nameserver[] {
  const { resolvConf, ownAddresses, nameserverPort = DNS_PORT } = options;
  const everywhere = hosts.includes("0.0.0.0") || hosts.includes("::");
  const isOwn = (address: string): boolean =>
    port === nameserverPort &&
    (hosts.includes(address) ||
      everywhere && (ownAddresses.includes(address) || /^127\.|^::1$/.test(address)));
  return resolvConf.nameservers.filter((address) => !isOwn(address))
    .map((hostname) => ({ hostname, port: nameserverPort }));
}

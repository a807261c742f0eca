/**
 * The rooms' listeners, whose errors name the flag that chose the address.
 *
 * @module
 */
import { openListener } from "../../lib/kit/cli/mod.ts";
import { type RpcOptions, type RpcServer, startRpc as openRpc } from "../../lib/kit/rpc/mod.ts";
import { startWeb as openWeb, type WebOptions, type WebServer } from "../../lib/kit/web/mod.ts";

/** Flags by the names of the HTTP listeners. */
const FLAGS: Readonly<Record<string, string>> = {
  http: "--httpAddr",
  monitoring: "--monitoringAddr",
};

/** Starts an HTTP listener; see `lib/kit/web`. */
export function startWeb(options: WebOptions): Promise<WebServer> {
  const { name, address } = options;
  const flag = FLAGS[name] ?? name;
  const remedy = `An empty ${flag} switches this listener off.`;
  return openListener({ by: flag, address, remedy }, () => openWeb(options));
}

/** Starts a listener for proxies; see `lib/kit/rpc`. */
export function startRpc(options: RpcOptions): Promise<RpcServer> {
  const by = options.tls ? "--secureGRPCAddr" : "--grpcAddr";
  const remedy = options.tls ? `An empty ${by} switches this listener off.` : undefined;
  return openListener({ by, address: options.address, remedy }, () => openRpc(options));
}

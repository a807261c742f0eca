/**
 * The ports of a proxy by their keys, and the port of a route table.
 *
 * @module
 */
import {
  type GatewayPort,
  gatewayPortKey,
  type GatewayServer,
  gatewayServerKey,
  type LabelsKey,
  labelsKeys,
  onlyServer,
} from "../../derive/mod.ts";
import type { Derived, Read } from "../../graph/mod.ts";
import type { Context } from "./features.ts";
import type { GatewayTable } from "./keys.ts";

/** A port, and its servers by their keys. */
interface KeyedPort {
  readonly port: GatewayPort;
  readonly servers: ReadonlyMap<string, GatewayServer>;
}

/** The ports of a proxy by their keys. */
export type Ports = Derived<ReadonlyMap<string, KeyedPort>, LabelsKey>;

/** The tables' context, with the ports by their keys. */
export type PortsContext = Context & { readonly ports: Ports };

/** One table for all lookups: a port has up to thousands of servers, each with a route table. */
export function derivePorts({ mesh }: Context): Ports {
  return mesh.graph.derive(
    "gateway.portsByKey",
    labelsKeys,
    (read, scope): ReadonlyMap<string, KeyedPort> =>
      new Map(
        read.get(mesh.gatewayPorts, scope).map((port) => [gatewayPortKey(port), {
          port,
          // The first server of a key is used.
          servers: new Map(port.servers.toReversed().map((one) => [gatewayServerKey(one), one])),
        }]),
      ),
  );
}

/** The port of a route table; with the key of a server, the port of only that server. */
export function portOf(
  read: Read,
  { ports }: PortsContext,
  scope: LabelsKey,
  { port: portKey, server: serverKey }: GatewayTable,
): GatewayPort | undefined {
  const keyed = read.get(ports, scope).get(portKey);
  if (keyed === undefined || serverKey === "") return keyed?.port;
  const server = keyed.servers.get(serverKey);
  return server && onlyServer(keyed.port, server);
}

/** Like {@link portOf}, with the decisions about the port. */
export function followPort(
  read: Read,
  context: PortsContext,
  scope: LabelsKey,
  table: GatewayTable,
): GatewayPort | undefined {
  if (read.decide !== undefined) {
    const ofPort = read.mapped(({ of = [], ...decision }) =>
      of[0] === table.port ? decision : undefined
    );
    ofPort.follow(context.mesh.gatewayPorts, scope);
  }
  return portOf(read, context, scope, table);
}

/** The route tables of a port. */
export function tablesOf(port: GatewayPort): GatewayTable[] {
  const key = gatewayPortKey(port);
  if (port.family === "http") return [{ port: key, server: "" }];
  return port.servers.filter(({ kind }) => kind === "https")
    .map((server) => ({ port: key, server: gatewayServerKey(server) }));
}

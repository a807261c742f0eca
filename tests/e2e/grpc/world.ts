/**
 * A daemon, servers v1, v2, … of one service, and documents about it.
 *
 * @module
 */
import { freePorts, makeConfigDir, startDaemon } from "../../../scripts/harness/mod.ts";
import { type Peer, type PeerOptions, startPeer } from "./program.ts";

/** The service, and what programs dial. */
export const HOST: string = "echo.example";
export const TARGET: string = `xds:///${HOST}:7070`;

/** A running mesh of programs. */
export interface World extends AsyncDisposable {
  /** `host:port` of the daemon. */
  readonly xds: string;
  /** Writes a file of the configuration; `""` empties it. */
  write(name: string, yaml: string): Promise<void>;
  client(more?: Partial<PeerOptions>): Promise<Peer>;
  /** Stops a server, by its number from 0. */
  stop(server: number): Promise<void>;
}

/** Options of the set-up. */
export interface WorldOptions {
  readonly servers: number;
  /** `region/zone` of each server's endpoint. */
  readonly localities?: readonly string[];
  /** Labels of the service. */
  readonly labels?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** Servers ask the mesh what to demand of callers. */
  readonly mesh?: boolean;
}

function serviceEntry(
  ports: readonly number[],
  { localities = [], labels = "" }: WorldOptions,
): string {
  const endpoints = ports.map((port, i) => {
    const locality = localities[i] === undefined ? "" : `, locality: ${localities[i]}`;
    return `  - {address: 127.0.0.1, ports: {grpc: ${port}}, labels: {version: v${
      i + 1
    }}${locality}}`;
  });
  return `apiVersion: networking.mesh.io/v1
kind: ServiceEntry
metadata: {name: echo, namespace: default, labels: {${labels}}}
spec:
  hosts: [${HOST}]
  location: MESH_INTERNAL
  resolution: STATIC
  ports: [{number: 7070, name: grpc, protocol: GRPC}]
  endpoints:
${endpoints.join("\n")}
`;
}

/** A document of a kind, in the namespace `default`; `spec` as YAML's flow style. */
export function doc(kind: string, name: string, spec: string, namespace = "default"): string {
  const group = kind === "AuthorizationPolicy" ? "security" : "networking";
  return `apiVersion: ${group}.mesh.io/v1
kind: ${kind}
metadata: {name: ${name}, namespace: ${namespace}}
spec: ${spec}
---
`;
}

/** Subsets v1, v2, … by versions. */
export function subsets(count: number): string {
  const all = Array.from({ length: count }, (_, i) => `v${i + 1}`)
    .map((v) => `{name: ${v}, labels: {version: ${v}}}`).join(", ");
  return doc("DestinationRule", "echo", `{host: ${HOST}, subsets: [${all}]}`);
}

/** A VirtualService of these rules. */
export function rules(...http: readonly string[]): string {
  return doc("VirtualService", "echo", `{hosts: [${HOST}], http: [${http.join(", ")}]}`);
}

/** All to one subset. */
export function to(subset: string): string {
  return `route: [{destination: {host: ${HOST}, subset: ${subset}}}]`;
}

/** Starts everything but clients. */
export async function startWorld(options: WorldOptions): Promise<World> {
  const config = await makeConfigDir();
  const ports = freePorts(options.servers);
  await config.write("echo.yaml", serviceEntry(ports, options));
  const daemon = await startDaemon({ configDir: config.path, env: options.env });
  const peer: PeerOptions = { xds: daemon.xds, namespace: "default", ip: "127.0.0.1" };
  const mesh = options.mesh ? ["mesh"] : [];
  const address = options.mesh ? "0.0.0.0" : "127.0.0.1";
  const peers = await Promise.all(
    ports.map((port, i) => startPeer(peer, ["server", `v${i + 1}`, `${address}:${port}`, ...mesh])),
  );
  const clients: Peer[] = [];
  const stopped = new Set<Peer>();
  return {
    xds: daemon.xds,
    write: (name, yaml) => config.write(name, yaml),
    client: async (more = {}) => {
      const client = await startPeer({ ...peer, ...more }, ["client"]);
      clients.push(client);
      return client;
    },
    stop: async (server) => {
      const one = peers[server]!;
      stopped.add(one);
      await one[Symbol.asyncDispose]();
    },
    async [Symbol.asyncDispose]() {
      for (const one of [...clients, ...peers]) {
        if (!stopped.has(one)) await one[Symbol.asyncDispose]();
      }
      await daemon[Symbol.asyncDispose]();
      await config[Symbol.asyncDispose]();
    },
  };
}

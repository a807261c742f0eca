/**
 * Names that the mesh gives to clusters, and the objects behind resources.
 *
 * @module
 */
import { asText, at, type JsonMap } from "./json.ts";

/** The parts of a cluster name such as `outbound|80|v1|web.shop.svc.cluster.local`. */
export interface ClusterName {
  readonly direction: string;
  readonly port: string;
  readonly subset: string;
  readonly host: string;
}

/** The parts of a cluster name; `undefined` for names of another form. */
export function clusterNameParts(name: string): ClusterName | undefined {
  const [direction = "", port = "", subset = "", host = "", ...rest] = name.split("|");
  if (rest.length > 0 || name.split("|").length !== 4) return undefined;
  return /^(inbound|outbound)/.test(direction) ? { direction, port, subset, host } : undefined;
}

/** Compares names of clusters: by host, port, subset and direction; others by name. */
export function compareClusters(a: string, b: string): number {
  const [left, right] = [sortKey(a), sortKey(b)];
  const at = left.findIndex((part, index) => part !== right[index]);
  return at < 0 ? 0 : (left[at] ?? "") < (right[at] ?? "") ? -1 : 1;
}

function sortKey(name: string): readonly string[] {
  const parts = clusterNameParts(name);
  if (parts === undefined) return [name, "", "", ""];
  return [parts.host, parts.port.padStart(5, "0"), parts.subset, parts.direction];
}

/** The object that a resource was made from, as `name.namespace`; empty without one. */
export function objectBehind(resource: JsonMap): string {
  const path = asText(at(resource, "metadata", "filterMetadata", "mesh", "config"));
  const parts = path.split("/");
  const namespaces = parts.indexOf("namespaces");
  const namespace = namespaces >= 0 ? parts[namespaces + 1] : parts.at(-2);
  const name = parts.at(-1) ?? "";
  return path === "" ? "" : `${name}.${namespace ?? ""}`;
}

/** `address:port` of an address, or the path of a socket. */
export function addressText(address: JsonMap): string {
  const socket = at(address, "socketAddress");
  if (socket !== undefined) {
    const host = asText(at(socket, "address"));
    const port = asText(at(socket, "portValue")) || "0";
    return host.includes(":") ? `[${host}]:${port}` : `${host}:${port}`;
  }
  const pipe = asText(at(address, "pipe", "path"));
  if (pipe !== "") return `unix://${pipe}`;
  const internal = at(address, "envoyInternalAddress");
  if (internal === undefined) return "";
  const name = asText(at(internal, "serverListenerName"));
  const endpoint = asText(at(internal, "endpointId"));
  return `envoy://${name}/${endpoint}`;
}

/** The port of an address; empty for sockets. */
export function portOf(address: JsonMap): string {
  return asText(at(address, "socketAddress", "portValue"));
}

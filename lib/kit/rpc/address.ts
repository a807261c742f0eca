/**
 * Addresses to listen on: `:15010`, `127.0.0.1:0`, `[::1]:15010`, `unix:/path`.
 *
 * @module
 */
import { MeshError } from "../base/mod.ts";

/** A parsed address. */
export type GrpcAddress =
  | { readonly kind: "unix"; readonly path: string }
  /** An empty host means all interfaces, of both families where the machine has both. */
  | { readonly kind: "tcp"; readonly host: string; readonly port: number };

/** Parses an address; throws `MeshError` `rpc-address-invalid`. */
export function parseGrpcAddress(text: string): GrpcAddress {
  if (text.startsWith("unix:")) {
    const path = text.slice("unix:".length).replace(/^\/\/(?=\/)/, "");
    if (path !== "") return { kind: "unix", path };
  }
  const parts = /^(?:\[([0-9a-fA-F:.]+)\]|([^:[\]/]*)):(\d{1,5})$/.exec(text);
  const port = Number(parts?.[3]);
  if (parts && port <= 65535) {
    return { kind: "tcp", host: parts[1] ?? parts[2] ?? "", port };
  }
  throw new MeshError("rpc-address-invalid", `"${text}" is not an address to listen on`, {
    remedy: "Use host:port, :port for all interfaces, [ipv6]:port, or unix:/path.",
  });
}

/** The address in the form of the gRPC library. */
export function bindTarget(address: GrpcAddress, host: string): string {
  if (address.kind === "unix") return `unix:${address.path}`;
  return `${host.includes(":") ? `[${host}]` : host}:${address.port}`;
}

/**
 * Prepares the path of a Unix socket: one without a listener is left from a crash and is removed.
 * Throws `MeshError` `rpc-bind` if there is a listener, or if the path is something else.
 */
export async function clearSocket(path: string): Promise<void> {
  let info: Deno.FileInfo;
  try {
    info = await Deno.lstat(path);
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return;
    throw bindError(`unix:${path}`, error);
  }
  if (!info.isSocket) {
    throw new MeshError("rpc-bind", `cannot listen on unix:${path}: the path is not a socket`, {
      remedy: "Choose another path, or move the existing file.",
    });
  }
  if (await answers(path)) {
    throw new MeshError("rpc-bind", `cannot listen on unix:${path}: another process does`, {
      remedy: "Stop the other process, or choose another path.",
    });
  }
  await Deno.remove(path);
}

async function answers(path: string): Promise<boolean> {
  try {
    const conn = await Deno.connect({ transport: "unix", path });
    conn.close();
    return true;
  } catch {
    return false;
  }
}

/** The error for an address that cannot be listened on. */
export function bindError(address: string, cause: unknown): MeshError {
  const reason = cause instanceof Error ? cause.message : String(cause);
  return new MeshError("rpc-bind", `cannot listen on ${address}: ${reason}`, {
    remedy: "Check that the address belongs to this machine, that no other process listens on " +
      "it, and that this process may use the port or folder.",
    cause,
  });
}

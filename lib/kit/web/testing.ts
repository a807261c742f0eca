/**
 * Listeners for tests, and requests to them byte by byte.
 *
 * @module
 */
import { expose } from "../metrics/mod.ts";
import { writeAll } from "./connection.ts";
import { type Route, startWeb, type WebLimits, type WebServer } from "./mod.ts";

export { writeAll };

/** The options of {@link serving}. */
export interface ServingOptions {
  readonly limits?: Partial<WebLimits>;
  /** Loopback unless given. */
  readonly address?: string;
}

/** Runs `act` with a listener named `test`, and stops it afterwards. */
export async function serving(
  routes: readonly Route[],
  act: (base: string, server: WebServer) => Promise<void>,
  { limits, address = "127.0.0.1:0" }: ServingOptions = {},
): Promise<void> {
  const server = await startWeb({ address, name: "test", routes, limits });
  try {
    await act(`http://127.0.0.1:${server.address.port}`, server);
  } finally {
    await server.stop(0);
  }
}

/** A connection to the listener. */
export function connectTo(base: string): Promise<Deno.TcpConn> {
  return Deno.connect({ hostname: "127.0.0.1", port: Number(new URL(base).port) });
}

/** The ports on which a process listens, over IPv4. */
export async function listeningPorts(pid: number = Deno.pid): Promise<Set<number>> {
  const own = new Set<string>();
  for await (const { name } of Deno.readDir(`/proc/${pid}/fd`)) {
    const target = await Deno.readLink(`/proc/${pid}/fd/${name}`).catch(() => "");
    own.add(/^socket:\[(\d+)\]$/.exec(target)?.[1] ?? "");
  }
  const table = await Deno.readTextFile("/proc/self/net/tcp");
  const rows = table.split("\n").map((line) => line.trim().split(/\s+/));
  return new Set(
    rows.filter((row) => row[3] === "0A" && own.has(row[9]!))
      .map((row) => parseInt(row[1]!.split(":")[1]!, 16)),
  );
}

/** Bytes of characters up to U+00FF. */
export function latin1(text: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(text, (char) => char.charCodeAt(0));
}

/** Waits for a condition that nothing announces. */
export async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  while (!await condition()) await new Promise((resolve) => setTimeout(resolve, 5));
}

/** Reads up to the end of the headers, with the part of the body that comes in the same packet. */
export async function readHead(connection: Deno.Conn): Promise<string> {
  const decoder = new TextDecoder();
  const buffer = new Uint8Array(4096);
  let head = "";
  while (!head.includes("\r\n\r\n")) {
    const length = await connection.read(buffer);
    if (length === null) break;
    head += decoder.decode(buffer.subarray(0, length), { stream: true });
  }
  return head;
}

/** Sends bytes on a separate connection; the start of the answer as {@link readHead} gives it. */
export async function sendRaw(base: string, bytes: string): Promise<string> {
  using connection = await connectTo(base);
  await writeAll(connection, latin1(bytes));
  return await readHead(connection);
}

/** The number of requests that listeners named `test` refused for a reason. */
export async function refusals(reason: string): Promise<number> {
  const { body } = await expose();
  const line = body.split("\n").find((each) =>
    each.startsWith(`mesh_web_refused_requests_total{listener="test",reason="${reason}"}`)
  );
  return Number(line?.split(" ")[1] ?? 0);
}

/**
 * A DNS client and a nameserver for tests. The client decodes messages on its own, so that it does not
 * share mistakes with the code that it tests.
 *
 * @module
 */
import { createSocket } from "node:dgram";

/** A decoded response. */
export interface Response {
  readonly id: number;
  readonly rcode: number;
  readonly truncated: boolean;
  readonly recursionAvailable: boolean;
  readonly edns: boolean;
  /** `NAME TYPE TTL DATA`, for example `far.test A 30 10.0.0.1`. */
  readonly records: readonly string[];
}

export interface QueryOptions {
  readonly id?: number;
  /** Size that an OPT record offers; absent: no OPT record. */
  readonly udpBytes?: number;
}

function encodeName(name: string): number[] {
  const labels = name.split(".").filter((label) => label !== "");
  return [...labels.flatMap((label) => [label.length, ...new TextEncoder().encode(label)]), 0];
}

/** Reads a message with its length before it; `undefined` at the end of the connection. */
async function readMessage(connection: Deno.TcpConn): Promise<Uint8Array | undefined> {
  let bytes = new Uint8Array();
  for (const chunk = new Uint8Array(65_537);;) {
    if (bytes.length >= 2 && bytes.length >= 2 + (bytes[0]! << 8 | bytes[1]!)) {
      return bytes.slice(2, 2 + (bytes[0]! << 8 | bytes[1]!));
    }
    const read = await connection.read(chunk);
    if (read === null) return undefined;
    bytes = Uint8Array.of(...bytes, ...chunk.subarray(0, read));
  }
}

async function writeMessage(connection: Deno.TcpConn, message: Uint8Array): Promise<void> {
  const writer = connection.writable.getWriter();
  await writer.write(Uint8Array.of(message.length >> 8, message.length & 0xff, ...message));
  writer.releaseLock();
}

/** Numbers of record types. */
export const TYPES: Readonly<Record<string, number>> = {
  A: 1,
  CNAME: 5,
  MX: 15,
  AAAA: 28,
  OPT: 41,
};

export function makeQuery(name: string, type: string, options: QueryOptions = {}): Uint8Array {
  const { id = 0x1234, udpBytes } = options;
  const opt = udpBytes === undefined
    ? []
    : [0, 0, 41, udpBytes >> 8, udpBytes & 0xff, 0, 0, 0, 0, 0, 0];
  const counts = [0, 1, 0, 0, 0, 0, 0, udpBytes === undefined ? 0 : 1];
  return Uint8Array.of(
    ...[id >> 8, id & 0xff, 0x01, 0x00, ...counts, ...encodeName(name)],
    ...[0, TYPES[type] ?? 0, 0, 1, ...opt],
  );
}

export function decode(bytes: Uint8Array): Response {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const flags = view.getUint16(2);
  let [, at] = nameAt(bytes, 12);
  at += 4;
  const records: string[] = [];
  let edns = false;
  const count = view.getUint16(6) + view.getUint16(8) + view.getUint16(10);
  for (let i = 0; i < count; i++) {
    const [owner, end] = nameAt(bytes, at);
    const [type, ttl, length] = [
      view.getUint16(end),
      view.getUint32(end + 4),
      view.getUint16(end + 8),
    ];
    const data = bytes.subarray(end + 10, end + 10 + length);
    at = end + 10 + length;
    if (type === TYPES.OPT) edns = true;
    else if (type === TYPES.A) records.push(`${owner} A ${ttl} ${data.join(".")}`);
    else if (type === TYPES.CNAME) {
      records.push(`${owner} CNAME ${ttl} ${nameAt(bytes, end + 10)[0]}`);
    } else if (type === TYPES.AAAA) {
      const groups = Array.from({ length: 8 }, (_, n) => (data[2 * n]! << 8 | data[2 * n + 1]!));
      records.push(`${owner} AAAA ${ttl} ${groups.map((group) => group.toString(16)).join(":")}`);
    } else records.push(`${owner} ${type}`);
  }
  return {
    id: view.getUint16(0),
    rcode: flags & 0xf,
    truncated: (flags & 0x200) !== 0,
    recursionAvailable: (flags & 0x80) !== 0,
    edns,
    records,
  };
}

function nameAt(bytes: Uint8Array, start: number): [name: string, end: number] {
  const labels: string[] = [];
  let [at, end] = [start, -1];
  while (bytes[at] !== 0) {
    const length = bytes[at]!;
    if (length >= 0xc0) {
      if (end < 0) end = at + 2;
      at = (length & 0x3f) << 8 | bytes[at + 1]!;
      continue;
    }
    labels.push(new TextDecoder().decode(bytes.subarray(at + 1, at + 1 + length)));
    at += 1 + length;
  }
  return [labels.join("."), end < 0 ? at + 1 : end];
}

/** Sends messages over UDP and gives the first answer; `undefined` if none comes in time. */
export function askUdp(
  port: number,
  message: Uint8Array,
  { hostname = "127.0.0.1", timeout = 10_000 }: { hostname?: string; timeout?: number } = {},
): Promise<Uint8Array | undefined> {
  return new Promise((resolve, reject) => {
    const socket = createSocket(hostname.includes(":") ? "udp6" : "udp4");
    const timer = setTimeout(() => end(undefined), timeout);
    const end = (answer: Uint8Array | undefined) => {
      clearTimeout(timer);
      socket.close(() => resolve(answer));
    };
    socket.on("error", reject);
    socket.on("message", (answer: Uint8Array, from) => {
      // A resolver takes answers only from the server that it asked.
      if (from.address === hostname && from.port === port) end(new Uint8Array(answer));
    });
    socket.send(message, port, hostname);
  });
}

/** Sends a message over TCP and gives the answer; `undefined` if the connection ends without one. */
export async function askTcp(
  port: number,
  message: Uint8Array,
  hostname = "127.0.0.1",
): Promise<Uint8Array | undefined> {
  using connection = await Deno.connect({ hostname, port });
  await writeMessage(connection, message);
  return await readMessage(connection);
}

export interface TestNameserver extends AsyncDisposable {
  readonly port: number;
  /** Messages that arrived. */
  readonly received: Uint8Array[];
}

/** Answers of a nameserver to a message. */
export type Reply = (message: Uint8Array) => readonly Uint8Array[];

/** Starts a nameserver on an address of its own, UDP and TCP. */
export async function startNameserver(
  hostname: string,
  reply: Reply,
  wanted = 0,
): Promise<TestNameserver> {
  const received: Uint8Array[] = [];
  const listener = Deno.listen({ hostname, port: wanted });
  const { port } = listener.addr;
  const open = new Set<Promise<void>>();
  const accepting = (async () => {
    for await (const connection of listener) {
      const done = (async () => {
        using _ = connection;
        const message = await readMessage(connection);
        if (message === undefined) return;
        received.push(message);
        for (const answer of reply(message)) await writeMessage(connection, answer);
      })();
      open.add(done);
    }
  })();
  const socket = createSocket("udp4");
  socket.on("message", (message: Uint8Array, from) => {
    const copy = new Uint8Array(message);
    received.push(copy);
    for (const answer of reply(copy)) socket.send(answer, from.port, from.address);
  });
  await new Promise<void>((done) => socket.bind(port, hostname, done));
  return {
    port,
    received,
    [Symbol.asyncDispose]: async () => {
      listener.close();
      await accepting;
      await Promise.allSettled(open);
      await new Promise<void>((done) => socket.close(() => done()));
    },
  };
}

/** A response to a query: an A record, or a response code. */
export function respond(query: Uint8Array, answer: string | number): Uint8Array {
  const rcode = typeof answer === "number" ? answer : 0;
  const question = query.subarray(12, nameAt(query, 12)[1] + 4);
  const record = typeof answer === "number"
    ? []
    : [0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 60, 0, 4, ...answer.split(".").map(Number)];
  const head = [query[0]!, query[1]!, 0x81, 0x80 | rcode, 0, 1, 0, record.length > 0 ? 1 : 0];
  return Uint8Array.of(...head, 0, 0, 0, 0, ...question, ...record);
}

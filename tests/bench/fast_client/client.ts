/**
 * Clients that read as fast as they can and acknowledge everything, with mutual TLS. Proxies that
 * receive the same bytes share what is read of them, so this process costs little beside the
 * daemon. Commands come on standard input, see `../push/commands.ts`: `connect HOST:PORT`,
 * `reconnect HOST:PORT` (all at once, naming what they hold), `floor HOST:PORT BYTES`.
 *
 * @module
 */
import { sleep } from "../../../lib/kit/async/mod.ts";
import { joinedBytes } from "../../../lib/kit/base/mod.ts";
import { encode } from "../../../lib/kit/proto/mod.ts";
import { DeltaDiscoveryRequestSchema } from "#envoy/service/discovery/v3/discovery_pb.ts";
import { TYPE_URLS } from "../../../lib/mesh/model/mod.ts";
import { NAMESPACES } from "../../support/corpus.ts";
import { answerCommands } from "../push/commands.ts";
import type { ClientOptions, Report } from "../push/client.ts";
import { outboundOf } from "../push/held.ts";
import { ACCOUNT } from "../push/identity.ts";
import { readDelta, type Response } from "../push/wire.ts";
import { dialTls, type LightStream, openLight } from "./connection.ts";

const { cluster: CDS, endpoint: EDS, listener: LDS, route: RDS, virtualHost: VHDS } = TYPE_URLS;
const PATH = "/envoy.service.discovery.v3.AggregatedDiscoveryService/DeltaAggregatedResources";

/** Fields of a DeltaDiscoveryRequest. */
const FIELD = { typeUrl: 2, subscribe: 3, held: 5, nonce: 6 };

/** Pause before a further attempt to connect, ms. */
const RETRY_MS = 1000;
/** TLS connections that are opened at the same time. */
const WIDTH = 50;

type Resources = Response["resources"];

class Client {
  readonly #options: ClientOptions;
  readonly #index: number;
  #stream: LightStream | undefined;
  #node: Uint8Array | undefined;
  /** Received resources by type. */
  readonly #held = new Map<string, Resources[]>();
  readonly #asked = new Set<string>();
  #responses = 0;
  #resources = 0;
  #bytes = 0;
  #last = 0;

  constructor(options: ClientOptions, index: number) {
    this.#options = options;
    this.#index = index;
  }

  readonly #synced = Promise.withResolvers<void>();

  /** Resolves when the client has resources of each type. */
  get synced(): Promise<void> {
    return this.#synced.promise;
  }

  /**
   * Opens a stream; a second time it names what it holds. As an agent does, it tries again when the
   * connection is lost.
   */
  async open(target: string): Promise<void> {
    this.#node = nodeOf(this.#options, this.#index);
    const lost = (): void => {
      if (this.#stream === stream) void sleep(RETRY_MS).then(() => this.open(target));
    };
    const stream = await openLight({
      target,
      path: PATH,
      tls: this.#options.tls![this.#index % NAMESPACES]!,
      message: (bytes) => this.#take(bytes),
      closed: () => lost(),
    }).catch(() => undefined);
    this.#stream = stream;
    if (stream === undefined) return lost();
    const known = [...this.#held.keys()];
    for (const type of known.length > 0 ? known : [CDS, LDS]) this.#ask(type, true);
  }

  close(): void {
    const stream = this.#stream;
    this.#stream = undefined;
    stream?.close();
  }

  mark(): void {
    this.#responses =
      this.#resources =
      this.#bytes =
      this.#last =
        0;
  }

  get counts(): { responses: number; resources: number; bytes: number; last: number } {
    return {
      responses: this.#responses,
      resources: this.#resources,
      bytes: this.#bytes,
      last: this.#last,
    };
  }

  #take(bytes: Uint8Array): void {
    const response = readDelta(bytes);
    const { typeUrl, nonce, resources } = response;
    this.#responses++;
    this.#bytes += bytes.length;
    this.#resources += resources.length;
    if (resources.length > 0) this.#last = Date.now();
    const held = this.#held.get(typeUrl);
    if (held) held.push(resources);
    else this.#held.set(typeUrl, [resources]);
    if ([CDS, EDS, LDS, RDS, VHDS].every((type) => this.#held.has(type))) this.#synced.resolve();
    this.#send([delimited(FIELD.typeUrl, typeUrl), delimited(FIELD.nonce, nonce)]);
    if (typeUrl === CDS) this.#want(EDS, outboundOf(resources));
    if (typeUrl === LDS) this.#want(RDS, routesOf(resources));
    if (response.apart && !this.#asked.has(VHDS)) this.#ask(VHDS, false);
  }

  #want(typeUrl: string, names: readonly string[]): void {
    if (names.length === 0) return;
    this.#asked.add(typeUrl);
    this.#send([delimited(FIELD.typeUrl, typeUrl), ...names.map((n) => subscribed(n))]);
  }

  /** Asks for a type: for all of it, or for what is held. */
  #ask(typeUrl: string, again: boolean): void {
    this.#asked.add(typeUrl);
    const parts = [delimited(FIELD.typeUrl, typeUrl)];
    const isNamed = typeUrl === EDS || typeUrl === RDS;
    for (const resources of again ? this.#held.get(typeUrl) ?? [] : []) {
      const { names, versions } = heldBytes(resources);
      if (isNamed) parts.push(names);
      parts.push(versions);
    }
    this.#send(parts);
  }

  #send(parts: readonly Uint8Array[]): void {
    // As Envoy does: the node is in the first request of a stream.
    const node = this.#node;
    this.#node = undefined;
    this.#stream?.send(joinedBytes(node ? [node, ...parts] : parts));
  }
}

/** The names of route tables that listeners refer to. */
function routesOf(resources: Resources): string[] {
  return resources.map(([name]) => /^(?:0\.0\.0\.0|127\.0\.0\.1)_(\d+)$/.exec(name)?.[1])
    .filter((port) => port !== undefined);
}

const encoded = new WeakMap<Resources, { names: Uint8Array; versions: Uint8Array }>();

/** The names as subscriptions, and as `initial_resource_versions`. */
function heldBytes(resources: Resources): { names: Uint8Array; versions: Uint8Array } {
  let bytes = encoded.get(resources);
  if (!bytes) {
    bytes = {
      names: joinedBytes(resources.map(([name]) => subscribed(name))),
      versions: joinedBytes(
        resources.map(([name, version]) =>
          delimited(FIELD.held, joinedBytes([delimited(1, name), delimited(2, version)]))
        ),
      ),
    };
    encoded.set(resources, bytes);
  }
  return bytes;
}

function subscribed(name: string): Uint8Array {
  return delimited(FIELD.subscribe, name);
}

const text = new TextEncoder();

function delimited(field: number, content: string | Uint8Array): Uint8Array {
  const bytes = typeof content === "string" ? text.encode(content) : content;
  const head = [field << 3 | 2];
  let size = bytes.length;
  for (; size > 127; size >>>= 7) head.push(size & 127 | 128);
  head.push(size);
  return joinedBytes([new Uint8Array(head), bytes]);
}

function nodeOf(options: ClientOptions, index: number): Uint8Array {
  const namespace = `ns-${index % NAMESPACES}`;
  const ip = `172.16.${index >> 8 & 255}.${index & 255}`;
  const workload = Math.floor(index / NAMESPACES) % options.workloads;
  return encode(DeltaDiscoveryRequestSchema, {
    node: {
      id: `sidecar~${ip}~client-${index}.${namespace}~${namespace}.svc.cluster.local`,
      userAgentName: "envoy",
      metadata: {
        NAMESPACE: namespace,
        LABELS: { app: `client-${workload}` },
        SERVICE_ACCOUNT: ACCOUNT,
        AGENT_CERTIFICATES: "true",
      },
    },
  });
}

/** Reads a number of bytes from a bare server on as many connections. */
async function readFloor(options: ClientOptions, target: string, bytes: number): Promise<void> {
  await Promise.all(Array.from({ length: options.clients }, async (_, i) => {
    const connection = await dialTls(target, options.tls![i % NAMESPACES]!);
    const piece = new Uint8Array(64 * 1024);
    for (let left = bytes; left > 0;) left -= await connection.read(piece) ?? left;
    connection.close();
  }));
}

function report(clients: readonly Client[]): Report {
  const counts = clients.map((c) => c.counts);
  const sum = (f: (c: Client["counts"]) => number): number => counts.reduce((n, c) => n + f(c), 0);
  const last = counts.map((c) => c.last).filter((t) => t > 0).sort((a, b) => a - b);
  return {
    clients: clients.length,
    concerned: last.length,
    responses: sum((c) => c.responses),
    resources: sum((c) => c.resources),
    removed: 0,
    bytes: sum((c) => c.bytes),
    last,
  };
}

async function openAll(clients: readonly Client[], target: string): Promise<void> {
  const left = clients.values();
  await Promise.all(Array.from({ length: WIDTH }, async () => {
    for (const client of left) await client.open(target);
  }));
}

async function main(): Promise<void> {
  const options = JSON.parse(Deno.args[0]!) as ClientOptions;
  const clients = Array.from({ length: options.clients }, (_, i) => new Client(options, i));
  await answerCommands(async (command, target = "", bytes = "") => {
    if (command === "connect") {
      await openAll(clients, target);
      await Promise.all(clients.map((client) => client.synced));
    }
    if (command === "reconnect") {
      for (const client of clients) client.close();
      await openAll(clients, target);
    }
    if (command === "floor") await readFloor(options, target, Number(bytes));
    if (command === "mark") { for (const client of clients) client.mark(); }
    if (command === "quit") { for (const client of clients) client.close(); }
    return report(clients);
  });
}

if (import.meta.main) await main();

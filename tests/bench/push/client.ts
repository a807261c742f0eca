/**
 * Light xDS clients that behave like Envoy on ADS: clusters wildcard, the endpoints of every
 * cluster, listeners wildcard, the routes they name, virtual hosts of route skeletons. They
 * acknowledge everything. They run in a process of their own: `client.ts <json options>`; commands
 * come on standard input, one on a line, answers go to standard output.
 *
 * @module
 */
import { sleep } from "../../../lib/kit/async/mod.ts";
import { openStream, type RpcClientTls, type RpcStream } from "../../../lib/kit/rpc/mod.ts";
import { encode } from "../../../lib/kit/proto/mod.ts";
import {
  DeltaDiscoveryRequestSchema,
  DiscoveryRequestSchema,
} from "#envoy/service/discovery/v3/discovery_pb.ts";
import { NAMESPACES } from "../../support/corpus.ts";
import { answerCommands } from "./commands.ts";
import { ACCOUNT } from "./identity.ts";
import { handshakes } from "./handshakes.ts";
import { outboundOf, shuffled, versionsOf } from "./held.ts";
import { readDelta, readSotw, type Response } from "./wire.ts";

/** Options of the process. */
export interface ClientOptions {
  readonly target: string;
  readonly clients: number;
  readonly delta: boolean;
  /** Distinct workloads in each namespace; further clients are replicas. */
  readonly workloads: number;
  /** The clients do not report to be Envoy and receive whole route tables. */
  readonly whole?: boolean;
  /** The clients have configuration on demand, and ask for nothing. */
  readonly onDemand?: boolean;
  /** The clients are gateways that listen for HTTP. */
  readonly router?: boolean;
  /** TLS of the proxies of each namespace, in order; default: none, and no mutual TLS in the mesh. */
  readonly tls?: readonly RpcClientTls[] | undefined;
}

/** Counts since the last mark. */
export interface Report {
  readonly clients: number;
  /** Clients that received at least one resource. */
  readonly concerned: number;
  readonly responses: number;
  readonly resources: number;
  readonly removed: number;
  readonly bytes: number;
  /**
   * Time of the last response of each concerned client, in milliseconds since the epoch, sorted.
   */
  readonly last: readonly number[];
}

const TYPE = "type.googleapis.com/envoy.config.";
const CDS = TYPE + "cluster.v3.Cluster";
const EDS = TYPE + "endpoint.v3.ClusterLoadAssignment";
const LDS = TYPE + "listener.v3.Listener";
const RDS = TYPE + "route.v3.RouteConfiguration";
const VHDS = TYPE + "route.v3.VirtualHost";
const SERVICE = "/envoy.service.discovery.v3.AggregatedDiscoveryService/";

/** Pause before a further attempt to connect, ms. */
const RETRY_MS = 1000;
/** Pause after five connections by TLS, ms. */
const PACE_MS = 25;

interface Counters {
  responses: number;
  resources: number;
  removed: number;
  bytes: number;
  last: number;
}

class XdsClient {
  readonly #options: ClientOptions;
  readonly #index: number;
  #stream: RpcStream | undefined;
  counters: Counters = { responses: 0, resources: 0, removed: 0, bytes: 0, last: 0 };
  /** Received resources by type, in order; clients share the parts. See {@link versionsOf}. */
  readonly #held = new Map<string, Pick<Response, "resources" | "removed">[]>();
  #synced = new Set<string>();
  #isSynced = false;
  #wanted = new Map<string, Set<string>>();
  #onSynced = Promise.withResolvers<void>();

  constructor(options: ClientOptions, index: number) {
    this.#options = options;
    this.#index = index;
  }

  /** Opens the stream. Resolves when all types were answered. */
  connect(target = this.#options.target): Promise<void> {
    this.#held.clear();
    this.#onSynced = Promise.withResolvers();
    this.#open(target, () => {
      this.#subscribe(CDS, [], true);
      this.#subscribe(LDS, [], true);
    });
    return this.#onSynced.promise;
  }

  /**
   * Opens another stream with the previous subscriptions and versions: a server without changes
   * does not answer.
   */
  reconnect(target: string): void {
    const wanted = this.#wanted;
    this.#onSynced = Promise.withResolvers();
    this.#open(target, () => {
      this.#wanted = wanted;
      for (const type of [CDS, LDS]) this.#subscribe(type, [], true);
      for (const [type, names] of wanted) this.#subscribe(type, [...names], true);
    });
  }

  /** Opens a stream. As an agent does, it tries again when the connection is lost before an answer. */
  #open(target: string, begin: () => void): void {
    this.#synced = new Set();
    this.#isSynced = false;
    this.#wanted = new Map();
    const before = this.counters.responses;
    this.#stream = openStream({
      target,
      path: SERVICE +
        (this.#options.delta ? "DeltaAggregatedResources" : "StreamAggregatedResources"),
      window: 16 * 1024 * 1024,
      tls: this.#options.tls?.[this.#index % NAMESPACES],
    });
    this.#read(this.#stream).catch((e) => {
      if (this.counters.responses !== before) return this.#onSynced.reject(e);
      void sleep(RETRY_MS).then(() => this.#open(target, begin));
    });
    begin();
  }

  close(): void {
    this.#stream?.close();
  }

  async #read(stream: RpcStream): Promise<void> {
    for await (const bytes of stream.messages) {
      const response = this.#options.delta ? readDelta(bytes) : readSotw(bytes);
      this.#count(bytes.length, response);
      if (this.#options.delta) {
        this.#send({ typeUrl: response.typeUrl, responseNonce: response.nonce });
      }
      this.#follow(response);
    }
  }

  #count(bytes: number, response: Response): void {
    const c = this.counters;
    c.responses++;
    c.resources += response.count;
    c.removed += response.removed.length;
    c.bytes += bytes;
    if (response.count + response.removed.length > 0) c.last = Date.now();
  }

  /** Subscribes to what a response refers to, acknowledges it, and detects completion. */
  #follow(response: Response): void {
    const { typeUrl } = response;
    const held = this.#held.get(typeUrl) ?? [];
    this.#held.set(typeUrl, held);
    const { resources, removed } = response;
    held.push({ resources, removed });
    if (!this.#options.delta) this.#acknowledge(response);
    if (typeUrl === CDS) {
      this.#want(EDS, outboundOf(response.resources));
    } else if (typeUrl === LDS) {
      const ports = response.resources.map(([n]) =>
        /^(?:0\.0\.0\.0|127\.0\.0\.1)_(\d+)$/.exec(n)?.[1]
      );
      const routes = ports.filter((p) => p !== undefined);
      this.#want(RDS, this.#options.router ? routes.map((p) => `http.${p}`) : routes);
    }
    if (response.apart && !this.#wanted.has(VHDS)) {
      this.#wanted.set(VHDS, new Set());
      this.#subscribe(VHDS, [], true);
    }
    this.#synced.add(typeUrl);
    const awaited = this.#wanted.has(VHDS) ? [CDS, LDS, VHDS] : [CDS, LDS];
    const complete = !this.#isSynced && this.#wanted.has(EDS) && this.#wanted.has(RDS) &&
      awaited.every((t) => this.#synced.has(t)) &&
      [...this.#wanted].every(([type, names]) => names.size <= this.#came(type));
    if (!complete) return;
    this.#isSynced = true;
    this.#onSynced.resolve();
  }

  /** Received resources of a type. */
  #came(typeUrl: string): number {
    return (this.#held.get(typeUrl) ?? []).reduce((sum, part) => sum + part.resources.length, 0);
  }

  #want(typeUrl: string, names: string[]): void {
    const wanted = this.#wanted.get(typeUrl) ?? new Set<string>();
    const fresh = names.filter((n) => !wanted.has(n));
    const first = !this.#wanted.has(typeUrl);
    for (const n of fresh) wanted.add(n);
    this.#wanted.set(typeUrl, wanted);
    if (fresh.length > 0) {
      this.#subscribe(typeUrl, this.#options.delta ? fresh : [...wanted], first);
    }
  }

  #subscribe(typeUrl: string, names: string[], first: boolean): void {
    const held = first
      ? Object.fromEntries(shuffled(versionsOf(this.#held.get(typeUrl) ?? [])))
      : {};
    if (this.#options.delta) {
      this.#send({ typeUrl, resourceNamesSubscribe: names, initialResourceVersions: held });
    } else this.#sendSotw({ typeUrl, resourceNames: names });
  }

  #acknowledge(response: Response): void {
    this.#sendSotw({
      typeUrl: response.typeUrl,
      resourceNames: [...this.#wanted.get(response.typeUrl) ?? []],
      responseNonce: response.nonce,
      versionInfo: response.version,
    });
  }

  #node(): { id: string; userAgentName: string; metadata: Record<string, unknown> } {
    const namespace = `ns-${this.#index % NAMESPACES}`;
    const ip = `172.16.${this.#index >> 8 & 255}.${this.#index & 255}`;
    const workload = Math.floor(this.#index / NAMESPACES) % this.#options.workloads;
    return {
      id: `${
        this.#options.router ? "router" : "sidecar"
      }~${ip}~client-${this.#index}.${namespace}~${namespace}.svc.cluster.local`,
      userAgentName: this.#options.whole ? "" : "envoy",
      metadata: {
        NAMESPACE: namespace,
        LABELS: { app: `client-${workload}` },
        ...this.#options.onDemand && { ON_DEMAND: "true" },
        ...this.#options.tls && { SERVICE_ACCOUNT: ACCOUNT, AGENT_CERTIFICATES: "true" },
      },
    };
  }

  #send(init: Parameters<typeof encode<typeof DeltaDiscoveryRequestSchema>>[1]): void {
    this.#stream?.send(
      encode(DeltaDiscoveryRequestSchema, { node: this.#node() as never, ...init as object }),
    );
  }

  #sendSotw(init: Parameters<typeof encode<typeof DiscoveryRequestSchema>>[1]): void {
    this.#stream?.send(
      encode(DiscoveryRequestSchema, { node: this.#node() as never, ...init as object }),
    );
  }
}

function report(clients: readonly XdsClient[]): Report {
  const sum = (f: (c: Counters) => number): number =>
    clients.reduce((n, c) => n + f(c.counters), 0);
  const last = clients.map((c) => c.counters.last).filter((t) => t > 0).sort((a, b) => a - b);
  return {
    clients: clients.length,
    concerned: last.length,
    responses: sum((c) => c.responses),
    resources: sum((c) => c.resources),
    removed: sum((c) => c.removed),
    bytes: sum((c) => c.bytes),
    last,
  };
}

function mark(clients: readonly XdsClient[]): void {
  for (const c of clients) {
    c.counters = { responses: 0, resources: 0, removed: 0, bytes: 0, last: 0 };
  }
}

/** Waits after every fifth client: handshakes on a busy machine would take longer than they may. */
async function pace(i: number): Promise<void> {
  if (i % 5 === 4) await sleep(PACE_MS);
}

async function main(): Promise<void> {
  const options = JSON.parse(Deno.args[0]!) as ClientOptions;
  const clients = Array.from({ length: options.clients }, (_, i) => new XdsClient(options, i));
  await answerCommands(async (command, target) => {
    await obey(clients, options, command, target);
    return report(clients);
  });
}

async function obey(
  clients: readonly XdsClient[],
  options: ClientOptions,
  command: string,
  target: string | undefined,
): Promise<void> {
  if (command === "connect") {
    const synced: Promise<void>[] = [];
    for (const [i, c] of clients.entries()) {
      synced.push(c.connect(target));
      if (options.tls) await pace(i);
    }
    await Promise.all(synced);
  }
  if (command === "reconnect") {
    for (const c of clients) c.close();
    mark(clients);
    for (const [i, c] of clients.entries()) {
      c.reconnect(target!);
      // Requests are sent and responses are received before further requests.
      if (options.tls) await pace(i);
      else if (i % 5 === 4) await sleep(0);
    }
  }
  if (command === "handshakes") {
    await handshakes(target!, clients.map((_, i) => options.tls![i % NAMESPACES]!));
  }
  if (command === "mark") mark(clients);
  if (command === "quit") { for (const c of clients) c.close(); }
}

if (import.meta.main) await main();

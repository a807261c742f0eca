/**
 * `deno task bench ambient`: node proxies of a large cluster. The discovery server and its clients are
 * one process; the clients only count bytes and acknowledge.
 *
 * @module
 */
import { create, fromBinary, toBinary } from "../../lib/kit/proto/mod.ts";
import type { RpcStream } from "../../lib/kit/rpc/mod.ts";
import { type ConfigObject, objectKey, rowOfObject, XDS_TYPES } from "../../lib/mesh/model/mod.ts";
import type { TableKind } from "../../lib/mesh/schema/mod.ts";
import {
  DeltaDiscoveryRequestSchema,
  DeltaDiscoveryResponseSchema,
} from "#envoy/service/discovery/v3/discovery_pb.ts";
import { podOf, serviceOf } from "../support/ambient_rows.ts";
import { nodeOf, world } from "../support/discovery.ts";
import { testMeshConfig } from "../support/mesh_fixture.ts";
import type { Store } from "../support/resource_store.ts";
import { featuresWith, startTranslation } from "../support/translation_fixture.ts";
import { numberFlag } from "./flags.ts";
import { calibrate } from "./push/calibrate.ts";

const { url } = XDS_TYPES.address;
/** Pods of a service. */
const PER_SERVICE = 20;

/** A node proxy that counts. */
class Client {
  readonly #stream: RpcStream;
  readonly #messages: AsyncIterator<Uint8Array>;
  bytes = 0;
  resources = 0;

  constructor(stream: RpcStream, names: readonly string[]) {
    this.#stream = stream;
    this.#messages = stream.messages[Symbol.asyncIterator]();
    this.#send({ node: nodeOf({ role: "ztunnel" }), resourceNamesSubscribe: [...names] });
  }

  #send(request: object): void {
    const message = create(DeltaDiscoveryRequestSchema, { typeUrl: url, ...request });
    this.#stream.send(toBinary(DeltaDiscoveryRequestSchema, message));
  }

  /** Takes responses until it has a number of resources. */
  async until(resources: number): Promise<void> {
    while (this.resources < resources) {
      const { value, done } = await this.#messages.next();
      if (done) throw new Error("the stream ended");
      this.bytes += value.length;
      const response = fromBinary(DeltaDiscoveryResponseSchema, value);
      this.resources += response.resources.length;
      this.#send({ responseNonce: response.nonce });
    }
  }

  reset(): void {
    this.bytes = this.resources = 0;
  }

  close(): void {
    this.#stream.close();
  }
}

function addressOf(i: number): string {
  return `10.${i >> 16 & 255}.${i >> 8 & 255}.${i & 255}`;
}

const serviceName = (i: number) => `s${Math.floor(i / PER_SERVICE)}`;

function podAt(i: number, ready = true): ConfigObject {
  const labels = { app: serviceName(i) };
  return podOf(`p${i}`, { address: addressOf(i + 2), labels, ready, redirected: true });
}

function serviceAt(service: number): ConfigObject {
  return serviceOf(`s${service}`, {
    selector: { app: `s${service}` },
    clusterIPs: [`10.200.${service >> 8}.${service & 255}`],
    pods: Array.from({ length: PER_SERVICE }, (_, k) => {
      const i = service * PER_SERVICE + k;
      return [`p${i}`, addressOf(i + 2)] as const;
    }),
  });
}

function heapMb(): number {
  return Deno.memoryUsage().heapUsed / 1024 / 1024;
}

/** Runs the benchmark. */
export async function main(): Promise<void> {
  const workloads = numberFlag("workloads", 10_000);
  const nodes = numberFlag("nodes", 100);
  const fixed = calibrate();
  const bench = startTranslation(testMeshConfig(), featuresWith({ PILOT_ENABLE_AMBIENT: "true" }));
  const put = (rows: readonly ConfigObject[]) =>
    bench.apply({
      objects: rows.map((object) => {
        const { table, key } = rowOfObject({
          table: object.meta.kind,
          key: objectKey(object.meta),
        });
        return { kind: table as TableKind, key, object };
      }),
    });
  const services = Math.ceil(workloads / PER_SERVICE);
  put([
    ...Array.from({ length: workloads }, (_, i) => podAt(i)),
    ...Array.from({ length: services }, (_, i) => serviceAt(i)),
  ]);
  const { source } = bench.translation;
  await using server = await world([], undefined, { store: { source } as Store });
  const rows: (readonly [what: string, ms: number, bytes: number, heap: number])[] = [];
  const measured = async (
    what: string,
    clients: readonly Client[],
    work: () => Promise<unknown>,
  ) => {
    for (const one of clients) one.reset();
    const begin = performance.now();
    await work();
    const bytes = clients.reduce((sum, one) => sum + one.bytes, 0);
    rows.push([what, performance.now() - begin, bytes, heapMb()]);
  };
  rows.push(["rows written, no client", 0, 0, heapMb()]);
  const all = workloads + services;
  const first = new Client(server.raw("Delta"), ["*"]);
  await measured("first sync of the first node proxy", [first], () => first.until(all));
  const rest = Array.from({ length: nodes - 1 }, () => new Client(server.raw("Delta"), ["*"]));
  await measured(
    `first sync of ${nodes - 1} more`,
    rest,
    () => Promise.all(rest.map((one) => one.until(all))),
  );
  const wildcard = [first, ...rest];
  await measured("one changed pod, all with the wildcard", wildcard, async () => {
    put([podAt(7, false)]);
    await Promise.all(wildcard.map((one) => one.until(1)));
  });
  for (const one of wildcard) one.close();
  const share = Math.ceil(workloads / nodes);
  const onDemand = Array.from({ length: nodes }, (_, node) => {
    const names = Array.from({ length: share }, (_, k) => `/${addressOf(node * share + k + 2)}`);
    return new Client(server.raw("Delta"), names);
  });
  await measured(
    `${nodes} on demand, ${share} addresses each`,
    onDemand,
    () => Promise.all(onDemand.map((one) => one.until(share))),
  );
  await measured("one changed pod, asked for by one of them", onDemand, async () => {
    put([podAt(7)]);
    await onDemand[0]!.until(1);
  });
  for (const one of onDemand) one.close();
  console.log(`${workloads} workloads, ${services} services, ${nodes} node proxies`);
  console.log("| | ms | ms / fixed work | bytes | heap MiB |\n|---|---|---|---|---|");
  for (const [what, ms, bytes, heap] of rows) {
    console.log(
      `| ${what} | ${ms.toFixed(0)} | ${(ms / fixed).toFixed(2)} | ${bytes} | ${heap.toFixed(0)} |`,
    );
  }
}

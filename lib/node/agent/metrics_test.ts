/**
 * Metrics of the relay, raised by what they count.
 *
 * @module
 */
import assert from "node:assert/strict";
import { eventually } from "../../../scripts/harness/mod.ts";
import { expose } from "../../kit/metrics/mod.ts";
import { TYPE_URLS } from "../../mesh/model/mod.ts";
import { encode } from "../../kit/proto/mod.ts";
import { openStream, type RpcCall, RpcError, type RpcStream, startRpc } from "../../kit/rpc/mod.ts";
import {
  DeltaDiscoveryRequestSchema,
  DeltaDiscoveryResponseSchema,
  DiscoveryRequestSchema,
  DiscoveryResponseSchema,
} from "#envoy/service/discovery/v3/discovery_pb.ts";
import { streamObserver } from "./observe.ts";
import { type RelayOptions, startRelay } from "./relay.ts";

const ADS = "/envoy.service.discovery.v3.AggregatedDiscoveryService/";
const DELTA = `${ADS}DeltaAggregatedResources`;
const KEEPALIVE = { interval: 30_000, timeout: 10_000 };
const NODE = "sidecar~10.0.0.1~metrics.test~test.svc.cluster.local";

/** The value of a series, with its labels as in the exposition. */
async function value(series: string): Promise<number> {
  const line = (await expose()).body.split("\n").find((one) => one.startsWith(`${series} `));
  return Number(line?.slice(series.length + 1) ?? 0);
}

/** Asserts by how much an action raises series. */
async function raises(
  changes: Readonly<Record<string, number>>,
  act: () => void | Promise<void>,
): Promise<void> {
  const before = new Map<string, number>();
  for (const series of Object.keys(changes)) before.set(series, await value(series));
  await act();
  for (const [series, by] of Object.entries(changes)) {
    await eventually(`${series} to change by ${by}`, async () => {
      return await value(series) - before.get(series)! === by;
    }, 60_000);
  }
}

async function withRelay(
  handle: (call: RpcCall) => Promise<void>,
  run: (open: () => RpcStream) => Promise<void>,
  options: Partial<RelayOptions> = {},
): Promise<void> {
  const dir = await Deno.makeTempDir();
  const server = await startRpc({
    address: "127.0.0.1:0",
    services: [{ path: DELTA, handle }],
    limits: { maxReceive: 1024 * 1024, maxStreams: 100 },
    keepalive: KEEPALIVE,
  });
  const socket = `${dir}/XDS`;
  const relay = await startRelay({
    socket,
    target: server.address,
    maxRequest: 1024 * 1024,
    maxStreams: 100,
    keepalive: KEEPALIVE,
    node: NODE,
    ...options,
  });
  const streams: RpcStream[] = [];
  try {
    await run(() => {
      streams.push(openStream({ target: `unix:${socket}`, path: DELTA }));
      return streams.at(-1)!;
    });
  } finally {
    for (const stream of streams) stream.close();
    await relay.stop();
    await server.stop(0);
    await Deno.remove(dir, { recursive: true });
  }
}

const ERROR = { code: 3, message: "bad cluster" };

for (const [variant, isDelta] of [["delta", true], ["state of the world", false]] as const) {
  Deno.test(`rejections over ${variant} are counted by type, until the next acceptance`, async () => {
    for (const short of ["cds", "eds", "lds", "rds"]) {
      const names = { cds: "cluster", eds: "endpoint", lds: "listener", rds: "route" } as const;
      const typeUrl = TYPE_URLS[names[short as keyof typeof names]];
      const node = `${NODE}/${variant}`;
      const observer = streamObserver(isDelta, node);
      const answer = (responseNonce: string, errorDetail?: typeof ERROR) =>
        observer.request(
          isDelta
            ? encode(DeltaDiscoveryRequestSchema, { typeUrl, responseNonce, errorDetail })
            : encode(DiscoveryRequestSchema, { typeUrl, responseNonce, errorDetail }),
        );
      const mark = `pilot_xds_${short}_reject{node="${node}",err="INVALID_ARGUMENT"}`;
      await raises({ [`pilot_total_xds_rejects{type="${short}"}`]: 1, [mark]: 1 }, () => {
        answer("1", ERROR);
      });
      await raises({ [mark]: -1 }, () => answer("2"));
    }
  });
}

Deno.test("pilot_xds_expired_nonce: answers to an earlier response, over state of the world", async () => {
  const typeUrl = TYPE_URLS.cluster;
  for (const [isDelta, counted] of [[false, 1], [true, 0]] as const) {
    const observer = streamObserver(isDelta, NODE);
    for (const nonce of ["1", "2"]) {
      observer.response(
        isDelta
          ? encode(DeltaDiscoveryResponseSchema, { typeUrl, nonce })
          : encode(DiscoveryResponseSchema, { typeUrl, nonce }),
      );
    }
    await raises({ 'pilot_xds_expired_nonce{type="cds"}': counted }, () => {
      for (const responseNonce of ["1", "2"]) {
        observer.request(
          isDelta
            ? encode(DeltaDiscoveryRequestSchema, { typeUrl, responseNonce })
            : encode(DiscoveryRequestSchema, { typeUrl, responseNonce }),
        );
      }
    });
  }
});

Deno.test("pilot_xds_write_timeout, pilot_xds_send_time: a proxy that does not take a response", async () => {
  const observer = streamObserver(true, NODE, 1);
  const drained = Promise.withResolvers<void>();
  const changes = { pilot_xds_write_timeout: 1, pilot_xds_send_time_count: 1 };
  await raises(changes, async () => {
    const taken = observer.taken(drained.promise);
    await eventually("the timeout", async () => await value("pilot_xds_write_timeout") > 0);
    drained.resolve();
    await taken;
  });
});

Deno.test("any bytes are observed without an exception", () => {
  for (const isDelta of [true, false]) {
    const observer = streamObserver(isDelta, NODE);
    for (let size = 0; size < 64; size++) {
      for (const fill of [0, 10, 34, 58, 127, 255]) {
        observer.request(new Uint8Array(size).fill(fill));
        observer.response(new Uint8Array(size).fill(fill));
      }
    }
  }
});

Deno.test("xds_proxy_*, dataproxy_connection_terminations: messages, and streams that the proxy ends", () =>
  withRelay(async (call) => {
    for await (const message of call.messages) call.send(message);
  }, async (open) => {
    const changes = {
      xds_proxy_requests: 1,
      xds_proxy_responses: 1,
      dataproxy_connection_terminations: 1,
    };
    await raises(changes, async () => {
      const stream = open();
      stream.send(Uint8Array.of(1));
      await stream.messages[Symbol.asyncIterator]().next();
      stream.close();
      await stream.ended;
    });
  }));

Deno.test("meshd_connection_terminations: streams that the daemon ends", () =>
  withRelay(() => Promise.reject(new RpcError("UNAVAILABLE", "restart")), async (open) => {
    await raises({ meshd_connection_terminations: 1 }, async () => {
      await assert.rejects(open().messages[Symbol.asyncIterator]().next(), RpcError);
    });
  }));

const converter = {
  typeUrl: TYPE_URLS.extension,
  convert: (resource: Uint8Array) => Promise.resolve(resource),
};

Deno.test("pilot_worker_queue_*: responses that wait for their conversion", () =>
  withRelay(async (call) => {
    call.send(encode(DeltaDiscoveryResponseSchema, {
      typeUrl: TYPE_URLS.extension,
      resources: [{ name: "a", resource: { typeUrl: "b" } }],
    }));
    await call.ended;
  }, async (open) => {
    const queue = 'queueID="conversions"';
    const changes = {
      [`pilot_worker_queue_latency_count{${queue}}`]: 1,
      [`pilot_worker_queue_duration_count{${queue}}`]: 1,
    };
    const release = Promise.withResolvers<void>();
    conversion = release.promise;
    await raises(changes, async () => {
      const answer = open().messages[Symbol.asyncIterator]().next();
      const depth = () => value(`pilot_worker_queue_depth{${queue}}`);
      await eventually("an item in the queue", async () => await depth() === 1);
      release.resolve();
      await answer;
      await eventually("an empty queue", async () => await depth() === 0);
    });
  }, {
    converter: {
      ...converter,
      convert: async (resource) => {
        await conversion;
        return resource;
      },
    },
  }));

/** The conversion under way. */
let conversion: Promise<void> = Promise.resolve();

Deno.test("pilot_total_xds_internal_errors: a response that cannot be read for its conversion", () =>
  withRelay(async (call) => {
    const whole = encode(DeltaDiscoveryResponseSchema, { typeUrl: TYPE_URLS.extension });
    // A resource whose content is no message.
    call.send(Uint8Array.of(...whole, 0x12, 2, 0xff, 0xff));
    await call.ended;
  }, async (open) => {
    await raises({ pilot_total_xds_internal_errors: 1 }, async () => {
      await assert.rejects(open().messages[Symbol.asyncIterator]().next(), RpcError);
    });
  }, { converter }));

Deno.test("mesh_build names the agent", async () => {
  assert.match((await expose()).body, /^mesh_build\{component="agent",tag="[^"]+"\} 1$/m);
});

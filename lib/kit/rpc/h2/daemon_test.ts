/**
 * The daemon refuses floods with a metric and one line in its log, tells a client the status of a
 * stream behind its queued responses, and does not start with an unknown gRPC transport.
 *
 * @module
 */
import assert from "node:assert/strict";
import { encode } from "../../proto/mod.ts";
import { FLAG, FRAME, frame, SETTING, settingsFrame, windowFrame } from "./frame.ts";
import {
  dial,
  headersOf,
  HELLO,
  messageOf,
  type RawPeer,
  requestHeaders,
  times,
} from "./testing.ts";
import {
  type Daemon,
  eventually,
  makeConfigDir,
  startDaemon,
  startProgram,
} from "../../../../scripts/harness/mod.ts";
import { DeltaDiscoveryRequestSchema } from "#envoy/service/discovery/v3/discovery_pb.ts";
import { serviceEntry } from "../../../../tests/support/manifest.ts";

const REQUEST = requestHeaders(
  "/envoy.service.discovery.v3.AggregatedDiscoveryService/DeltaAggregatedResources",
);
const CLUSTER = "type.googleapis.com/envoy.config.cluster.v3.Cluster";
const PREFACE = HELLO.subarray(0, 24);
const NODE = { id: "sidecar~10.0.0.1~app-1.test~test.svc.cluster.local" };

const connect = ({ xds }: Daemon): Promise<RawPeer> =>
  dial({ port: Number(xds.slice(xds.lastIndexOf(":") + 1)) });

/** The value of a metric; 0 when it is not there. */
async function metric(daemon: Daemon, series: string): Promise<number> {
  const text = await (await fetch(`${daemon.monitoring}/metrics`)).text();
  const line = text.split("\n").find((one) => one.startsWith(`${series} `));
  return Number(line?.slice(series.length + 1) ?? 0);
}

Deno.test("refused floods are counted by reason, and logged once", async () => {
  await using config = await makeConfigDir();
  await using daemon = await startDaemon({ configDir: config.path });
  for (const count of [1, 2, 3]) {
    const peer = await connect(daemon);
    await peer.send(HELLO, times(2100, frame(0xff, 0, 0)));
    await peer.closed;
    assert.equal(peer.goAway(), "ENHANCE_YOUR_CALM");
    peer.close();
    assert.equal(await metric(daemon, `mesh_grpc_refused_total{reason="flood"}`), count);
  }
  await daemon.program.printed("a gRPC client was refused");
  assert.equal(daemon.program.output().split("a gRPC client was refused").length, 2, "one line");
});

Deno.test("a stream that the daemon ends brings its queued responses and its status", async () => {
  await using config = await makeConfigDir();
  await config.write("a.yaml", serviceEntry("a", ["a.test"], { number: 80, protocol: "HTTP" }, []));
  await using daemon = await startDaemon({ configDir: config.path });
  const peer = await connect(daemon);
  const clusters = encode(DeltaDiscoveryRequestSchema, { node: NODE, typeUrl: CLUSTER });
  await peer.send(
    PREFACE,
    settingsFrame([[SETTING.INITIAL_WINDOW_SIZE, 0]]),
    headersOf(1, REQUEST),
    messageOf(1, clusters),
  );
  await eventually(
    "the response to be queued",
    async () => await metric(daemon, `pilot_xds_pushes{type="cds"}`) > 0,
  );
  // A request without a type ends the stream.
  await peer.send(messageOf(1, encode(DeltaDiscoveryRequestSchema, {})));
  await eventually("the stream to be over for the daemon", async () => {
    const { totalClients } = await daemon.debug<{ totalClients: number }>("connections");
    return totalClients === 0;
  });
  await peer.send(frame(FRAME.DATA, FLAG.END_STREAM, 1));
  assert.equal(peer.frames.filter(({ type }) => type === FRAME.DATA).length, 0);
  await peer.send(windowFrame(1, 1 << 20), windowFrame(0, 1 << 20));
  const status = () =>
    [...peer.headers.values()].flat().find(([name]) => name === "grpc-status")?.[1];
  await peer.until(() => status() !== undefined);
  assert.equal(status(), "3", "INVALID_ARGUMENT");
  const received = peer.frames.filter(({ type }) => type === FRAME.DATA)
    .reduce((sum, { payload }) => sum + payload.length, 0);
  assert.ok(received > 100, `${received} bytes`);
  peer.close();
});

Deno.test("the daemon does not start with an unknown gRPC transport", async () => {
  await using config = await makeConfigDir();
  await using program = startProgram(
    ["pilot-discovery", "discovery", `--configDir=${config.path}`, "--grpcAddr=127.0.0.1:0"],
    { MESH_GRPC_TRANSPORT: "http3" },
  );
  assert.notEqual((await program.status).code, 0);
  assert.match(program.output(), /MESH_GRPC_TRANSPORT.*http3.*native/);
});

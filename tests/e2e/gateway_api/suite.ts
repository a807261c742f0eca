/**
 * Backends, gateways that somebody else started, and sidecars for routes of the Gateway API.
 *
 * @module
 */
import { startRpc } from "../../../lib/kit/rpc/mod.ts";
import { freePort, startBackend, startTcpBackend } from "../../../scripts/harness/mod.ts";
import { documents, endpoint, manifest } from "../../support/manifest.ts";
import { sidecars, startWorld, type World } from "../../support/world.ts";
import { makePki, startTlsBackend } from "../tls/bench.ts";
import { type Bench, benchOf, choosePorts, gateways, service } from "./bench.ts";

/** A server of gRPC that answers every call with its name. */
function startCalls(name: string) {
  const handle: Parameters<typeof startRpc>[0]["services"][number]["handle"] = async (call) => {
    for await (const _ of call.messages) {
      call.send([new TextEncoder().encode(name)]);
      call.finish();
    }
  };
  return startRpc({
    address: "127.0.0.1:0",
    services: ["Say", "Other"].map((method) => ({ path: `/mesh.test.Echo/${method}`, handle })),
    limits: { maxReceive: 1 << 20, maxStreams: 100 },
    keepalive: { interval: 30_000, timeout: 10_000 },
  });
}

/** A running suite. */
export interface RoutesSuite extends AsyncDisposable {
  readonly world: World;
  readonly bench: Bench;
}

/**
 * Starts the suite.
 *
 * @param envoy path of another Envoy than the pinned one
 */
export async function startRoutesSuite(envoy?: string): Promise<RoutesSuite> {
  await using stack = new AsyncDisposableStack();
  const dir = await Deno.makeTempDir({ prefix: "mesh-gateway-routes-" });
  stack.defer(() => Deno.remove(dir, { recursive: true }));
  const pki = await makePki(dir);
  await pki.credentials.write("one", pki.one, pki.authority);
  await pki.credentials.write("strange", pki.stranger, pki.other);
  const [a, b, copies] = ["a", "b", "copies"].map((name) => stack.use(startBackend(name)));
  const [bytesA, bytesB] = await Promise.all(["bytes-a", "bytes-b"].map((n) => startTcpBackend(n)));
  stack.use(bytesA!);
  stack.use(bytesB!);
  const [callsA, callsB] = await Promise.all(["calls-a", "calls-b"].map(startCalls));
  stack.defer(() => Promise.all([callsA!.stop(100), callsB!.stop(100)]).then(() => {}));
  const secure = stack.use(await startTlsBackend("secure", pki.backend));
  const asks = stack.use(await startTlsBackend("asks", pki.backend, pki.authority));
  await pki.credentials.write("client", pki.client);
  const ports = choosePorts();
  const meshPort = freePort();
  const files = {
    "services.yaml": documents(
      service("a", a!.port),
      service("b", b!.port),
      service("copies", copies!.port),
      service("bytes-a", bytesA!.port, { protocol: "TCP" }),
      service("bytes-b", bytesB!.port, { protocol: "TCP" }),
      service("calls-a", callsA!.port, { protocol: "GRPC" }),
      service("calls-b", callsB!.port, { protocol: "GRPC" }),
      service("secure", secure.port),
      service("asks", asks.port),
      service("inside-secure", secure.port, { port: meshPort }),
      service("inside-a", a!.port, { port: meshPort }),
      service("inside-b", b!.port, { port: meshPort }),
      manifest("ServiceEntry", "far", {
        hosts: ["far.far.svc.cluster.local"],
        location: "MESH_INTERNAL",
        resolution: "STATIC",
        ports: [{ number: meshPort, name: "main", protocol: "HTTP" }],
        endpoints: [endpoint(a!.port)],
      }, "far"),
    ),
    "gateways.yaml": gateways(ports),
    "sidecars.yaml": sidecars([{ number: meshPort, protocol: "HTTP", hosts: ["*/*"] }]),
  };
  const env = {
    MESH_CREDENTIAL_DIR: pki.credentials.dir,
    MESH_CREDENTIAL_ANONYMOUS: "true",
    PILOT_ENABLE_ALPHA_GATEWAY_API: "true",
  };
  const world = stack.use(
    await startWorld({ envoy, kinds: ["router", "sidecar"], files, daemon: { env } }),
  );
  const bench = benchOf({
    ...{ world, pki, ports, meshPort },
    ...{ copies: copies!, pair: [a!, b!], secure: secure.port },
  });
  const started = stack.move();
  return { world, bench, [Symbol.asyncDispose]: () => started.disposeAsync() };
}

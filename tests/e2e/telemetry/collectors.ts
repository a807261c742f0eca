/**
 * Trace collectors for Zipkin, OTLP and SkyWalking.
 *
 * @module
 */
import { startRpc } from "../../../lib/kit/rpc/mod.ts";
import { manifest, type Spec } from "../../support/manifest.ts";

/** The tested parts of a Zipkin span. */
export interface ZipkinSpan {
  readonly kind: string;
  readonly tags: Readonly<Record<string, string>>;
  readonly localEndpoint: { readonly serviceName: string };
}

/** A running collector. */
export interface Collector<T> extends AsyncDisposable {
  readonly port: number;
  readonly received: T[];
}

/** Starts one for Zipkin's JSON. */
export function startZipkin(): Collector<ZipkinSpan> {
  const received: ZipkinSpan[] = [];
  const options = { hostname: "127.0.0.1", port: 0, onListen: () => {} };
  const server = Deno.serve(options, async (request) => {
    const spans = await request.json() as ZipkinSpan[];
    received.push(...spans);
    return new Response(null, { status: 202 });
  });
  return {
    port: server.addr.port,
    received,
    [Symbol.asyncDispose]: () => server.shutdown(),
  };
}

/** Starts one for OTLP by gRPC. Exports are kept as text: names and values of attributes can be read in it. */
export function startOtlp(): Promise<Collector<string>> {
  return startRpcCollector("/opentelemetry.proto.collector.trace.v1.TraceService/Export");
}

/** Starts one for SkyWalking; segments are kept as text. */
export function startSkyWalking(): Promise<Collector<string>> {
  return startRpcCollector("/skywalking.v3.TraceSegmentReportService/collect");
}

async function startRpcCollector(path: string): Promise<Collector<string>> {
  const received: string[] = [];
  const server = await startRpc({
    address: "127.0.0.1:0",
    services: [{
      path,
      handle: async (call) => {
        for await (const message of call.messages) {
          received.push(new TextDecoder().decode(message));
          call.send([new Uint8Array(0)]);
          call.finish();
        }
      },
    }],
    limits: { maxReceive: 1 << 20, maxStreams: 100 },
    keepalive: { interval: 30_000, timeout: 10_000 },
  });
  return { port: server.port, received, [Symbol.asyncDispose]: () => server.stop(100) };
}

export function collectorService(name: string, port: number, protocol: string): string {
  const ports: Spec[] = [{ number: port, protocol, name: "main" }];
  return manifest("ServiceEntry", name, {
    hosts: [`${name}.test`],
    location: "MESH_INTERNAL",
    resolution: "STATIC",
    ports,
    endpoints: [{ address: "127.0.0.1", ports: { main: port } }],
  }, "mesh-system");
}

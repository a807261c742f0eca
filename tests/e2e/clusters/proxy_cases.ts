/**
 * Cases of Sidecar resources: unmatched traffic to one egress proxy, by HTTP and as bytes;
 * listeners and workloads on Unix sockets.
 *
 * @module
 */
import assert from "node:assert/strict";
import { connect } from "node:net";
import { call, eventually } from "../../../scripts/harness/mod.ts";
import { documents, endpoint, manifest, serviceEntry, type Spec } from "../../support/manifest.ts";
import { addressOf, eachTransport, type Transport } from "../../support/world.ts";
import { type ClusterCase, hostOf, httpService, type Parts } from "./case.ts";
import { allSidecars, EVERYTHING, SIDECARS_FILE } from "./scope_cases.ts";

const WAY_OUT = "way-out";
const SOCKETS = "sockets";

/** The way out, whose subset `one` is one of its two endpoints. */
function wayOut({ backends, ports }: Parts): string {
  const port = { number: ports.ingress, protocol: "TCP" };
  return documents(
    serviceEntry(WAY_OUT, [hostOf(WAY_OUT)], port, [
      endpoint(backends.b.port, { version: "one" }),
      endpoint(backends.c.port, { version: "two" }),
    ]),
    manifest("DestinationRule", WAY_OUT, {
      host: hostOf(WAY_OUT),
      subsets: [{ name: "one", labels: { version: "one" } }],
    }),
  );
}

/** A request over a Unix socket; the whole answer. */
function askSocket(path: string, host: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect({ path });
    let heard = "";
    socket.setEncoding("utf8");
    socket.setTimeout(5_000, () => socket.destroy(new Error(`no answer from ${path}`)));
    socket.on("connect", () =>
      socket.write(
        `GET / HTTP/1.1\r\nhost: ${host}\r\nconnection: close\r\n\r\n`,
      ));
    socket.on("data", (chunk: string) => heard += chunk);
    socket.on("error", reject);
    socket.on("close", () => resolve(heard));
  });
}

/** A Sidecar for each proxy, by its transport. */
function sidecarsOf(make: (transport: Transport) => Spec): string {
  return documents(...eachTransport((transport) =>
    manifest("Sidecar", `proxy-${transport}`, {
      workloadSelector: { labels: { transport, kind: "sidecar" } },
      ...make(transport),
    })
  ));
}

export const PROXY_CASES: readonly ClusterCase[] = [
  {
    name: "requests to hosts that nobody has go to the Sidecar's own way out",
    file: WAY_OUT,
    documents: wayOut,
    run: async ({ each, world, ...parts }) => {
      const policy = (subset: string): Spec => ({
        outboundTrafficPolicy: {
          mode: "ALLOW_ANY",
          egressProxy: {
            host: hostOf(WAY_OUT),
            port: { number: parts.ports.ingress },
            subset,
          },
        },
      });
      const sidecars = allSidecars(parts, EVERYTHING, policy("one"));
      await world.config.write(SIDECARS_FILE, sidecars);
      await each(async ({ call, spread }) => {
        const unknown = { host: "nobody-knows.example" };
        const answer = await eventually("an answer of the way out", async () => {
          const found = await call({ ...unknown, path: "/far?x=1" });
          return found.status === 200 && found;
        });
        assert.equal(answer.echo?.host, unknown.host);
        assert.equal(answer.echo?.path, "/far?x=1");
        assert.deepEqual(await spread(20, unknown), { b: 20 }, "its subset alone");
        const known = await call({ host: hostOf(SOCKETS) });
        assert.equal(known.echo?.backend, "a", "a host that somebody has");
      });
      await world.config.write(SIDECARS_FILE, allSidecars(parts, EVERYTHING));
      await each(async ({ call }) => {
        await eventually("the way out to be closed", async () => {
          const { echo } = await call({ host: "nobody-knows.example" });
          return echo === undefined;
        });
      });
    },
  },
  {
    name: "listeners and workloads that are Unix sockets",
    file: SOCKETS,
    documents: (parts) => httpService(SOCKETS, parts, [endpoint(parts.backends.a.port)]),
    run: async ({ each, world, ...parts }) => {
      const dir = await Deno.makeTempDir({ prefix: "mesh-sockets-" });
      await using _dir = { [Symbol.asyncDispose]: () => Deno.remove(dir, { recursive: true }) };
      const app = `${dir}/app.sock`;
      await using _app = Deno.serve(
        { path: app, onListen: () => {} },
        (request) => new Response(`app ${new URL(request.url).pathname}`),
      );
      const out = (transport: string): string => `${dir}/out-${transport}.sock`;
      await world.config.write(
        SIDECARS_FILE,
        sidecarsOf((transport) => ({
          ingress: [{
            port: { number: parts.ports.ingress, protocol: "HTTP", name: "http" },
            bind: addressOf("sidecar", transport),
            captureMode: "NONE",
            defaultEndpoint: `unix://${app}`,
          }],
          egress: [{
            port: { number: 0, protocol: "HTTP", name: "http" },
            bind: `unix://${out(transport)}`,
            captureMode: "NONE",
            hosts: EVERYTHING,
          }],
        })),
      );
      await each(async ({ address, transport }) => {
        await eventually("the application behind its socket", async () => {
          const url = `http://${address}:${parts.ports.ingress}/in`;
          const { body } = await call(url, { host: "me" });
          return body === "app /in";
        });
        await eventually("a service through the proxy's socket", async () => {
          const said = await askSocket(out(transport), hostOf(SOCKETS));
          return said.includes('"backend":"a"');
        });
      });
      await world.config.write(SIDECARS_FILE, allSidecars(parts, EVERYTHING));
      await each(({ answeredBy }) => answeredBy("a"));
    },
  },
];

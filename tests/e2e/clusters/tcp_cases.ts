/**
 * Services that are not HTTP.
 *
 * @module
 */
import assert from "node:assert/strict";
import { askTcp, eventually } from "../../../scripts/harness/mod.ts";
import { documents, endpoint, manifest, serviceEntry, type Spec } from "../../support/manifest.ts";
import { assertShares, type ClusterCase, hostOf, type Parts } from "./case.ts";

const PLAIN = "plain-tcp";
const SPLIT = "split-tcp";
const SOURCE_LABELS = "source-labels-tcp";

function plain({ ports, tcp }: Parts, backend: "t" | "u"): string {
  const port = { number: ports.tcp, protocol: "TCP" };
  return serviceEntry(PLAIN, [hostOf(PLAIN)], port, [endpoint(tcp[backend].port)]);
}

/** Returns what an echo backend received, up to the client's own bytes. */
async function heardBehind(hostname: string, port: number): Promise<string> {
  using connection = await Deno.connect({ hostname, port });
  await connection.write(new TextEncoder().encode("ping\n"));
  let heard = "";
  const decoder = new TextDecoderStream();
  for await (const text of connection.readable.pipeThrough(decoder)) {
    heard += text;
    if (heard.endsWith("ping\n")) break;
  }
  return heard;
}

export const TCP_CASES: readonly ClusterCase[] = [
  {
    name: "a TCP service",
    file: PLAIN,
    documents: (parts) => plain(parts, "t"),
    run: async ({ each, rewrite, ...parts }) => {
      const answers = (name: string) =>
        each(async ({ address }) => {
          await eventually(
            `an answer of ${name}`,
            async () => await askTcp(address, parts.ports.tcp) === name,
          );
        });
      await answers("t");
      await rewrite(plain(parts, "u"));
      await answers("u");
      await rewrite(documents(
        plain(parts, "u"),
        manifest("DestinationRule", PLAIN, {
          host: hostOf(PLAIN),
          trafficPolicy: { proxyProtocol: { version: "V1" } },
        }),
      ));
      const header = /^u\nPROXY TCP4 127\.\S+ 127\.\S+ \d+ \d+\r\nping\n$/;
      await each(async ({ address }) => {
        await eventually(
          "the header of the PROXY protocol",
          async () => header.test(await heardBehind(address, parts.ports.tcp)),
        );
      });
    },
  },
  {
    name: "a TCP service whose rule tells callers apart by their labels",
    file: SOURCE_LABELS,
    documents: () =>
      manifest("ServiceEntry", SOURCE_LABELS, { hosts: [hostOf(SOURCE_LABELS)], ports: [] }),
    run: async ({ each, world, ports, tcp }) => {
      const subset = (name: string, match: Spec) => ({
        match: [{ port: ports.tcp, ...match }],
        route: [{ destination: { host: hostOf(PLAIN), subset: name } }],
      });
      const file = `${PLAIN}.yaml`;
      await world.config.write(
        file,
        documents(
          serviceEntry(
            PLAIN,
            [hostOf(PLAIN)],
            { number: ports.tcp, protocol: "TCP" },
            Object.values(tcp).map(({ name, port }) => endpoint(port, { version: name })),
          ),
          manifest("DestinationRule", PLAIN, {
            host: hostOf(PLAIN),
            subsets: Object.keys(tcp).map((name) => ({ name, labels: { version: name } })),
          }),
          manifest("VirtualService", PLAIN, {
            hosts: [hostOf(PLAIN)],
            tcp: [subset("t", { sourceLabels: { transport: "delta" } }), subset("u", {})],
          }),
        ),
      );
      await each(async ({ address, transport }) => {
        const wanted = transport === "delta" ? "t" : "u";
        await eventually(`answers of ${wanted} alone`, async () => {
          const heard = new Set<string>();
          for (let i = 0; i < 10; i++) heard.add(await askTcp(address, ports.tcp));
          return [...heard].join() === wanted;
        });
      });
    },
  },
  {
    name: "a TCP service with shares by subset",
    file: SPLIT,
    documents: ({ ports, tcp }) =>
      documents(
        serviceEntry(
          SPLIT,
          [hostOf(SPLIT)],
          { number: ports.tcpSplit, protocol: "TCP" },
          Object.values(tcp).map(({ name, port }) => endpoint(port, { version: name })),
        ),
        manifest("DestinationRule", SPLIT, {
          host: hostOf(SPLIT),
          subsets: Object.keys(tcp).map((name) => ({ name, labels: { version: name } })),
        }),
        manifest("VirtualService", SPLIT, {
          hosts: [hostOf(SPLIT)],
          tcp: [{
            match: [{ port: ports.tcpSplit }],
            route: [
              { destination: { host: hostOf(SPLIT), subset: "t" }, weight: 75 },
              { destination: { host: hostOf(SPLIT), subset: "u" }, weight: 25 },
            ],
          }],
        }),
      ),
    run: ({ each, ports }) =>
      each(async ({ address }) => {
        await eventually(
          "an answer",
          async () => ["t", "u"].includes(await askTcp(address, ports.tcpSplit)),
        );
        const counts: Record<string, number> = {};
        for (let i = 0; i < 200; i++) {
          const name = await askTcp(address, ports.tcpSplit);
          counts[name] = (counts[name] ?? 0) + 1;
        }
        assertShares(counts, { t: [62, 88], u: [12, 38] });
        assert.equal(Object.values(counts).reduce((sum, n) => sum + n, 0), 200);
      }),
  },
];

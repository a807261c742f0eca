/**
 * Services that are not HTTP.
 *
 * @module
 */
import assert from "node:assert/strict";
import { askTcp, eventually } from "../../../scripts/harness/mod.ts";
import { documents, endpoint, manifest, serviceEntry } from "../../support/manifest.ts";
import { assertShares, type ClusterCase, hostOf, type Parts } from "./case.ts";

const PLAIN = "plain-tcp";
const SPLIT = "split-tcp";

function plain({ ports, tcp }: Parts, backend: "t" | "u"): string {
  const port = { number: ports.tcp, protocol: "TCP" };
  return serviceEntry(PLAIN, [hostOf(PLAIN)], port, [endpoint(tcp[backend].port)]);
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

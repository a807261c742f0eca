import assert from "node:assert/strict";
import { world } from "../../../../tests/support/discovery.ts";
import { TYPE_URLS } from "../../model/mod.ts";
import { RpcError } from "../../../kit/rpc/mod.ts";
import type { QueryCaller } from "./mod.ts";
import { mayReadAll } from "./access.ts";
import { queryOf } from "./types.ts";

const CDS = TYPE_URLS.cluster;
const SYSTEM = "spiffe://cluster.local/ns/mesh-system/sa/meshd";
const OTHER = "spiffe://cluster.local/ns/shop/sa/cart";

/** A server that answers queries with their text; it counts them. */
function asked(options: { readonly identity?: string } = {}) {
  const queries: (readonly [string, QueryCaller])[] = [];
  const server = world([CDS], {}, {
    options: {
      ...options.identity !== undefined &&
        { authorize: () => Promise.resolve({ identity: options.identity }) },
      answerQuery: (query, caller) => {
        queries.push([query, caller]);
        return query === "unknown"
          ? Promise.reject(new RpcError("NOT_FOUND", "no such view"))
          : Promise.resolve(new TextEncoder().encode(`answer to ${query}`));
      },
    },
  });
  return { queries, server };
}

Deno.test("a debug query is answered on any stream, beside the resources of the proxy", async () => {
  const { queries, server } = asked();
  await using w = await server;
  w.set(CDS, { a: "1" });
  w.publish();
  const sotw = w.sotw();
  sotw.send({ typeUrl: CDS });
  await sotw.take();
  sotw.send({ typeUrl: "mesh.io/debug", resourceNames: ["config_dump?proxyID=a.b"] });
  const first = await sotw.next();
  assert.equal(first.typeUrl, "mesh.io/debug");
  const [answer] = first.resources;
  assert.equal(answer?.typeUrl, "mesh.io/debug");
  assert.equal(new TextDecoder().decode(answer?.value), "answer to config_dump?proxyID=a.b");
  // An acknowledgement repeats the name, and is no question.
  sotw.answer(first, undefined, { resourceNames: ["config_dump?proxyID=a.b"] });
  sotw.answer(first, undefined, { resourceNames: ["syncz"] });
  const second = await sotw.next();
  assert.match(new TextDecoder().decode(second.resources[0]?.value), /syncz$/);
  assert.deepEqual(queries.map(([query]) => query), ["config_dump?proxyID=a.b", "syncz"]);
  assert.equal(w.xds.sessions().length, 1);

  const delta = w.delta({ name: "tool" });
  delta.send({ typeUrl: "mesh.io/debug/edsz", resourceNamesSubscribe: ["a.b"] });
  const [named] = (await delta.take()).resources;
  assert.equal(named?.name, "a.b");
  assert.equal(new TextDecoder().decode(named?.resource?.value), "answer to edsz?proxyID=a.b");
  assert.equal((await delta.quiet()).length, 0);
  // The stream has asked for a type by now, so it counts as a proxy; the next one has not.
  const tool = w.delta({ name: "other-tool" });
  tool.send({ typeUrl: "mesh.io/debug/syncz" });
  await tool.take();
  assert.deepEqual(w.xds.clients().map(({ node }) => node.name), ["other-tool"]);
});

Deno.test("clients with GENERATOR: event may name views without debug, and are no proxies", async () => {
  const { server } = asked();
  await using w = await server;
  const client = w.sotw({ generator: "event" });
  client.send({ typeUrl: "mesh.io/connections" });
  const { resources } = await client.take();
  assert.equal(new TextDecoder().decode(resources[0]?.value), "answer to connections");
  client.send({ typeUrl: CDS });
  assert.deepEqual((await client.take()).resources, []);
  assert.deepEqual([w.xds.sessions().length, w.xds.clients().length], [0, 1]);
  const events = w.sotw({ generator: "event" });
  events.send({ typeUrl: "mesh.io/nack" });
  await assert.rejects(events.next(), { status: "UNIMPLEMENTED", message: /mesh\.io\/syncz/ });
  // Others are not served the type.
  const proxy = w.sotw();
  proxy.send({ typeUrl: "mesh.io/connections" });
  assert.deepEqual((await proxy.take()).resources, []);
});

Deno.test("a query ends its stream when it cannot be answered, with the reason", async () => {
  const { server } = asked();
  await using w = await server;
  const cases: [typeUrl: string, names: string[], status: string][] = [
    ["mesh.io/debug", [], "INVALID_ARGUMENT"],
    ["mesh.io/debug", ["syncz", "adsz"], "INVALID_ARGUMENT"],
    ["mesh.io/debug/syncz", ["a.b", "c.d"], "INVALID_ARGUMENT"],
    ["mesh.io/debug/../x", [], "INVALID_ARGUMENT"],
    ["mesh.io/debug", ["unknown"], "NOT_FOUND"],
    ["mesh.io/debug/connect", [], "UNIMPLEMENTED"],
  ];
  for (const [typeUrl, resourceNames, status] of cases) {
    const client = w.sotw();
    client.send({ typeUrl, resourceNames });
    await assert.rejects(client.next(), { status }, `${typeUrl} ${resourceNames}`);
  }
});

Deno.test("the query of a request", () => {
  assert.equal(queryOf("mesh.io/debug", ["syncz"]), "syncz");
  assert.equal(queryOf("mesh.io/debug/syncz", []), "syncz");
  assert.equal(queryOf("mesh.io/debug/syncz", ["namespace=a"]), "syncz?namespace=a");
  assert.equal(queryOf("mesh.io/debug/edsz", ["a&b"]), "edsz?proxyID=a%26b");
  assert.equal(queryOf("mesh.io/connections", []), "connections");
});

Deno.test("callers: peers of this machine and identities of the system see all, others what is left to them", async () => {
  const isSystem = (identity: string) => identity === SYSTEM;
  const may = (peer: string, identity?: string) => mayReadAll({ isSystem }, { peer, identity });
  assert.deepEqual(
    ["127.0.0.1:1", "::1:1", "unix"].map((peer) => may(peer)),
    [true, true, true],
  );
  assert.deepEqual(
    [may("10.0.0.1:1"), may("10.0.0.1:1", OTHER), may("10.0.0.1:1", SYSTEM)],
    [false, false, true],
  );
  const { queries, server } = asked({ identity: OTHER });
  await using w = await server;
  const client = w.sotw();
  client.send({ typeUrl: "mesh.io/debug/syncz" });
  await client.take();
  assert.deepEqual(queries[0]?.[1], { trusted: true, identity: OTHER });
});

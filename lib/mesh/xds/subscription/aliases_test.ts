/** Clients that subscribe on demand, by names of resources and by further ones. */
import assert from "node:assert/strict";
import { ambientLaw, type OnDemand } from "../../../../tests/support/on_demand.ts";

async function withClient(
  run: (one: OnDemand) => Promise<void>,
  of: Parameters<typeof ambientLaw>[0] = {},
): Promise<void> {
  await using one = await ambientLaw(of);
  await run(one);
}

const SERVICE = "shop/web.shop.svc.cluster.local";
const [FIRST, SECOND] = ["test//Pod/shop/web-1", "test//Pod/shop/web-2"];

Deno.test("on demand: an address brings its workload, and later changes of it alone", async () => {
  await withClient(async ({ subscribe, setPod, quiet, next }) => {
    setPod("web-1", "10.0.0.1");
    setPod("web-2", "10.0.0.2");
    subscribe("/10.0.0.1");
    assert.deepEqual(await next(), { sent: [FIRST], removed: [] });
    setPod("web-2", "10.0.0.2", false);
    await quiet();
    setPod("web-1", "10.0.0.1", false);
    assert.deepEqual(await next(), { sent: [FIRST], removed: [] });
  });
});

Deno.test("on demand: a service brings its workloads, those that come later, and their removal", async () => {
  await withClient(async ({ subscribe, setPod, setService, removePod, next }) => {
    setService();
    setPod("web-1", "10.0.0.1");
    subscribe("/10.96.0.1");
    assert.deepEqual(await next(), { sent: [SERVICE, FIRST].sort(), removed: [] });
    setPod("web-2", "10.0.0.2");
    assert.deepEqual(await next(), { sent: [SECOND], removed: [] });
    removePod("web-1");
    assert.deepEqual(await next(), { sent: [], removed: [FIRST] });
  });
});

Deno.test("on demand: a name without resource is answered as removed, and sent when it comes", async () => {
  await withClient(async ({ subscribe, setPod, next }) => {
    subscribe("/10.0.0.9");
    assert.deepEqual(await next(), { sent: [], removed: ["/10.0.0.9"] });
    setPod("web-9", "10.0.0.9");
    assert.deepEqual(await next(), { sent: ["test//Pod/shop/web-9"], removed: [] });
  });
});

Deno.test("a wildcard has all, and a client that returns is sent what differs and what went", async () => {
  await withClient(
    async ({ subscribe, reconnect, setPod, setService, removePod, next, versions }) => {
      setService();
      setPod("web-1", "10.0.0.1");
      setPod("web-2", "10.0.0.2");
      subscribe("*");
      assert.deepEqual(await next(), { sent: [SERVICE, FIRST, SECOND].sort(), removed: [] });
      const held = versions();
      removePod("web-1");
      assert.deepEqual(await next(), { sent: [], removed: [FIRST] });
      setPod("web-2", "10.0.0.2", false);
      await next();
      reconnect(held);
      assert.deepEqual(await next(), { sent: [SECOND], removed: [FIRST] });
    },
  );
});

const ON_NODE = { node: "n1" };

Deno.test("on demand: workloads of the own node come unasked, at once and later, and their removal", async () => {
  await withClient(async ({ begin, setPod, setService, removePod, next, quiet }) => {
    setService();
    setPod("web-1", "10.0.0.1");
    begin();
    assert.deepEqual(await next(), { sent: [FIRST], removed: [] });
    setPod("web-2", "10.0.0.2");
    assert.deepEqual(await next(), { sent: [SECOND], removed: [] });
    removePod("web-1");
    assert.deepEqual(await next(), { sent: [], removed: [FIRST] });
    await quiet();
  }, ON_NODE);
});

Deno.test("on demand: workloads of other nodes do not come unasked, those at the own address do", async () => {
  for (
    const [of, sent] of [[{ node: "n2" }, []], [{ node: "n2", ip: "10.0.0.1" }, [FIRST]]] as const
  ) {
    await withClient(async ({ begin, setPod, next, quiet }) => {
      setPod("web-1", "10.0.0.1");
      begin();
      assert.deepEqual(await next(), { sent: [...sent], removed: [] });
      setPod("web-2", "10.0.0.2");
      await quiet();
    }, of);
  }
});

Deno.test("on demand: a name that is unsubscribed from ends what it found, unless another finds it", async () => {
  await withClient(async ({ subscribe, unsubscribe, setPod, setService, next, quiet }) => {
    setService();
    setPod("web-1", "10.0.0.1");
    setPod("web-2", "10.0.0.2");
    subscribe("/10.96.0.1");
    assert.deepEqual(await next(), { sent: [SERVICE, FIRST, SECOND].sort(), removed: [] });
    subscribe("/10.0.0.2");
    assert.deepEqual(await next(), { sent: [SECOND], removed: [] });
    unsubscribe("/10.96.0.1");
    assert.deepEqual(await next(), { sent: [], removed: [SERVICE, FIRST].sort() });
    setPod("web-1", "10.0.0.1", false);
    await quiet();
    setPod("web-2", "10.0.0.2", false);
    assert.deepEqual(await next(), { sent: [SECOND], removed: [] });
    // The client forgets by itself what it unsubscribes from by its name.
    unsubscribe(SECOND);
    setPod("web-2", "10.0.0.2");
    await quiet();
  });
});

Deno.test("on demand: workloads of the own node stay when a client unsubscribes from their address", async () => {
  await withClient(async ({ begin, subscribe, unsubscribe, setPod, next, quiet }) => {
    setPod("web-1", "10.0.0.1");
    begin();
    assert.deepEqual(await next(), { sent: [FIRST], removed: [] });
    subscribe("/10.0.0.1");
    assert.deepEqual(await next(), { sent: [FIRST], removed: [] });
    unsubscribe("/10.0.0.1");
    await quiet();
    setPod("web-1", "10.0.0.1", false);
    assert.deepEqual(await next(), { sent: [FIRST], removed: [] });
  }, ON_NODE);
});

Deno.test("on demand: a client that returns keeps its resources, and gets removals that it missed", async () => {
  await withClient(
    async ({ subscribe, reconnect, setPod, setService, removePod, next, versions }) => {
      setService();
      setPod("web-1", "10.0.0.1");
      setPod("web-2", "10.0.0.2");
      subscribe("/10.96.0.1");
      assert.deepEqual(await next(), { sent: [SERVICE, FIRST, SECOND].sort(), removed: [] });
      const held = versions();
      removePod("web-1");
      assert.deepEqual(await next(), { sent: [], removed: [FIRST] });
      reconnect(held, true);
      assert.deepEqual(await next(), { sent: [], removed: [FIRST] });
      setPod("web-2", "10.0.0.2", false);
      assert.deepEqual(await next(), { sent: [SECOND], removed: [] });
    },
  );
});

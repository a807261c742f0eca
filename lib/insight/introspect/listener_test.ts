import assert from "node:assert/strict";
import { MeshError } from "../../kit/base/mod.ts";
import { startWeb } from "../../kit/web/mod.ts";
import { startIntrospection } from "./mod.ts";

const inputs = { program: "p", stop: () => {}, userSignal: "", now: () => 0 };

Deno.test("a port in use is named with the flags that choose another", async () => {
  const taken = await startWeb({ address: "127.0.0.1:0", name: "test", routes: [] });
  const { port } = taken.address;
  try {
    await assert.rejects(startIntrospection({ address: "127.0.0.1", port }, inputs), (error) => {
      assert(error instanceof MeshError);
      assert.equal(error.code, "listen-failed");
      assert.match(error.message, new RegExp(`127\\.0\\.0\\.1:${port} \\(introspection\\)`));
      return /--ctrlz_port; port 0 switches it off/.test(error.remedy ?? "");
    });
  } finally {
    await taken.stop(0);
  }
});

const LISTENS: readonly [address: string, host: string][] = [
  ["localhost", "localhost"],
  ["*", "127.0.0.1"],
  ["0.0.0.0", "127.0.0.1"],
  ["::1", "[::1]"],
];

for (const [address, host] of LISTENS) {
  Deno.test(`it listens on ${address}`, async () => {
    const web = await startIntrospection({ address, port: 0 }, inputs);
    try {
      const answer = await fetch(`http://${host}:${web.address.port}/homej`);
      assert.equal((await answer.json()).ProcessName, "p");
    } finally {
      await web.stop(0);
    }
  });
}

for (const address of ["", "not an address", "[::1]"]) {
  Deno.test(`it does not listen on ${JSON.stringify(address)}`, async () => {
    await assert.rejects(startIntrospection({ address, port: 0 }, inputs), (error) => {
      assert(error instanceof MeshError);
      return /--ctrlz_address/.test(error.remedy ?? "");
    });
  });
}

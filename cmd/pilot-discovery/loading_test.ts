import assert from "node:assert/strict";
import { filesRead } from "../../lib/kit/proto/mod.ts";

const DISCOVERY = JSON.stringify(import.meta.resolve("./discovery.ts"));

/** A process of its own: in this one, other tests have looked into much. */
const PROBE = `
  await import(${DISCOVERY});
  const { filesRead } = await import(${
  JSON.stringify(import.meta.resolve("../../lib/kit/proto/mod.ts"))
});
  console.log(JSON.stringify(filesRead()));
`;

/**
 * Prints where errors are made while the daemon is loaded: the engine then parses the whole module again to know the
 * places on the stack, which takes as long as loading it.
 */
const ERRORS = `
  const made = [];
  const { Error } = globalThis;
  globalThis.Error = new Proxy(Error, {
    construct(target, args, newTarget) {
      made.push(new Error("").stack);
      return Reflect.construct(target, args, newTarget);
    },
  });
  await import(${DISCOVERY});
  console.log(JSON.stringify(made));
`;

for (
  const [what, probe] of [["reads no descriptors", PROBE], ["makes no errors", ERRORS]] as const
) {
  Deno.test(`loading the daemon ${what}`, async () => {
    const { stdout, stderr, success } = await new Deno.Command(Deno.execPath(), {
      args: ["eval", "-q", probe],
      cwd: new URL("../..", import.meta.url),
    }).output();
    assert.ok(success, new TextDecoder().decode(stderr));
    assert.deepEqual(JSON.parse(new TextDecoder().decode(stdout)), []);
  });
}

Deno.test("descriptors that are read are reported", async () => {
  const { ClusterSchema } = await import("#envoy/config/cluster/v3/cluster_pb.ts");
  assert.ok(ClusterSchema.fields.length > 0);
  assert.ok(filesRead().includes("envoy/config/cluster/v3/cluster"));
});

import assert from "node:assert/strict";
import { filesRead } from "../../lib/kit/proto/mod.ts";

/** A process of its own: in this one, other tests have looked into much. */
const PROBE = `
  await import(${JSON.stringify(import.meta.resolve("./discovery.ts"))});
  const { filesRead } = await import(${
  JSON.stringify(import.meta.resolve("../../lib/kit/proto/mod.ts"))
});
  console.log(JSON.stringify(filesRead()));
`;

Deno.test("loading the daemon reads no descriptors", async () => {
  const { stdout, stderr, success } = await new Deno.Command(Deno.execPath(), {
    args: ["eval", "-q", PROBE],
    cwd: new URL("../..", import.meta.url),
  }).output();
  assert.ok(success, new TextDecoder().decode(stderr));
  assert.deepEqual(JSON.parse(new TextDecoder().decode(stdout)), []);
});

Deno.test("descriptors that are read are reported", async () => {
  const { ClusterSchema } = await import("#envoy/config/cluster/v3/cluster_pb.ts");
  assert.ok(ClusterSchema.fields.length > 0);
  assert.ok(filesRead().includes("envoy/config/cluster/v3/cluster"));
});

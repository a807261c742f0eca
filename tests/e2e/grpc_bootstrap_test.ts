/** The library accepts the bootstrap of docs/grpc.md. */
import assert from "node:assert/strict";
import { comes } from "./grpc/program.ts";
import { doc, HOST, rules, startWorld, subsets, TARGET, to } from "./grpc/world.ts";

Deno.test("gRPC without a proxy: a program with the bootstrap of the documentation is a member", async () => {
  const page = await Deno.readTextFile(new URL("../../docs/grpc.md", import.meta.url));
  const shown = /```json\n([\s\S]*?)```/.exec(page)?.[1] ?? "";
  const { certificate_providers, ...rest } = JSON.parse(shown);
  assert.deepEqual(Object.keys(certificate_providers), ["default"]);
  await using world = await startWorld({ servers: 2 });
  await world.write(
    "rules.yaml",
    subsets(2) + rules(
      `{match: [{sourceLabels: {app: orders}, sourceNamespace: shop}], ${to("v2")}}`,
      `{${to("v1")}}`,
    ) + doc("Sidecar", "default", `{egress: [{hosts: ["*/${HOST}"]}]}`, "shop"),
  );
  rest.xds_servers[0].server_uri = world.xds;
  const client = await world.client({ bootstrap: JSON.stringify(rest) });
  const calls = { target: TARGET, count: 10 };
  await comes(client, calls, "the program to be known by its labels", ({ v2 }) => v2 === 10);
});

import assert from "node:assert/strict";
import { useEnvironment } from "../env/mod.ts";
import { createTrafficReader, trafficOf } from "./traffic.ts";

const series = (value: number, metric: Record<string, string>) => ({
  metric: {
    source_workload: "a",
    source_workload_namespace: "shop",
    destination_service: "b.test",
    ...metric,
  },
  value: [0, `${value}`],
});
const answer = (...result: unknown[]) => ({ status: "success", data: { result } });

Deno.test("traffic: the client's proxy is preferred, errors are a share", () => {
  const found = trafficOf(answer(
    series(3, { reporter: "source", response_code: "200" }),
    series(0.5, { reporter: "source", response_code: "503" }),
    series(0.5, { reporter: "source", response_code: "0" }),
    series(9, { reporter: "destination", response_code: "200" }),
    series(8, { destination_service: "c.test", source_workload: "unknown", response_code: "404" }),
    series(NaN, { destination_service: "d.test" }),
  ));
  assert.deepEqual(found, [
    { from: "unknown", to: "c.test", rate: 8, errors: 0 },
    { from: "a.shop", to: "b.test", rate: 4, errors: 0.25 },
  ]);
  for (const other of [null, {}, { status: "error" }, { status: "success", data: {} }]) {
    assert.throws(() => trafficOf(other), /not that of the query API/);
  }
});

Deno.test("traffic: MESH_PROMETHEUS_ADDRESS names a server that may be away or another one", async () => {
  assert.equal(createTrafficReader(), undefined);
  await using server = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen: () => {} },
    () => new Response("hello"),
  );
  const address = `http://127.0.0.1:${server.addr.port}`;
  using _ = useEnvironment({ MESH_PROMETHEUS_ADDRESS: `${address}/` });
  const traffic = await createTrafficReader()!();
  assert.ok("fault" in traffic && traffic.fault.startsWith(`${address} does not answer`));
});

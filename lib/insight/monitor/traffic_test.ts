import assert from "node:assert/strict";
import { useEnvironment } from "../../kit/env/mod.ts";
import { createTrafficReader, trafficOf } from "./traffic.ts";

const series = (value: number, labels: Record<string, string>) => ({
  labels: {
    source_workload: "a",
    source_workload_namespace: "shop",
    destination_service: "b.test",
    ...labels,
  },
  value,
});

Deno.test("traffic: the client's proxy is preferred, errors are a share", () => {
  const found = trafficOf([
    series(3, { reporter: "source", response_code: "200" }),
    series(0.5, { reporter: "source", response_code: "503" }),
    series(0.5, { reporter: "source", response_code: "0" }),
    series(9, { reporter: "destination", response_code: "200" }),
    series(8, { destination_service: "c.test", source_workload: "unknown", response_code: "404" }),
    series(NaN, { destination_service: "d.test" }),
  ]);
  assert.deepEqual(found, [
    { from: "unknown", to: "c.test", rate: 8, errors: 0 },
    { from: "a.shop", to: "b.test", rate: 4, errors: 0.25 },
  ]);
});

Deno.test("traffic: the server's proxy says how many requests came over mutual TLS", () => {
  const to = (
    destination_service: string,
    connection_security_policy: string,
    reporter: string,
  ) => ({ destination_service, connection_security_policy, reporter, response_code: "200" });
  const found = trafficOf([
    series(4, to("b.test", "unknown", "source")),
    series(3, to("b.test", "mutual_tls", "destination")),
    series(1, to("b.test", "none", "destination")),
    series(2, to("c.test", "unknown", "source")),
  ]);
  assert.deepEqual(found, [
    { from: "a.shop", to: "b.test", rate: 4, errors: 0, mutual: 0.75 },
    { from: "a.shop", to: "c.test", rate: 2, errors: 0 },
  ]);
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
  assert.ok("fault" in traffic && traffic.fault.startsWith(`${address} did not answer`));
});

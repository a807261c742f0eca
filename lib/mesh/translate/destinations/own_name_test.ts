/** Services whose own name has one label. */
import assert from "node:assert/strict";
import { RouteConfigurationSchema } from "#envoy/config/route/v3/route_pb.ts";
import { serviceEntry } from "../../../../tests/support/manifest.ts";
import { proxyNode, startTranslation } from "../../../../tests/support/translation_fixture.ts";
import { fromBinary } from "../../../kit/proto/mod.ts";
import { TYPE_URLS } from "../resources/mod.ts";

Deno.test("a service with a name of one label is routed to its own cluster", () => {
  const bench = startTranslation();
  bench.set(serviceEntry("box", ["box"], { number: 80, protocol: "HTTP" }, [
    { address: "10.0.0.1" },
  ]));
  const binding = bench.translation.source.bind(proxyNode("test"), () => {});
  const { bytes } = binding.view(TYPE_URLS.route)!.get("80")!;
  const { virtualHosts } = fromBinary(RouteConfigurationSchema, bytes);
  const clusters = virtualHosts.filter(({ name }) => name === "box:80")
    .flatMap(({ routes }) => routes.map(({ action }) => action.value))
    .map((action) => (action as { clusterSpecifier: { value: unknown } }).clusterSpecifier.value);
  assert.deepEqual(clusters, ["outbound|80||box"]);
  assert.notEqual(binding.view(TYPE_URLS.cluster)!.get("outbound|80||box"), undefined);
});

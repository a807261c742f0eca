/**
 * The comparison of `proxy-status` with a real Envoy: one that is in sync, one that warms a listener,
 * and the dump of one that still had a service which the daemon no longer serves.
 *
 * @module
 */
import assert from "node:assert/strict";
import { eventually, freePorts } from "../../scripts/harness/mod.ts";
import { toYaml } from "../../lib/kit/text/mod.ts";
import { documents, endpoint, NAMESPACE, serviceEntry } from "../support/manifest.ts";
import { meshctl } from "../support/meshctl.ts";
import { sidecars, startWorld } from "../support/world.ts";

const [PORT, COLD] = freePorts(2) as [number, number];
const http = { number: PORT, protocol: "HTTP" };
const HCM = "type.googleapis.com/envoy.extensions.filters.network.http_connection_manager.v3." +
  "HttpConnectionManager";

/** A listener whose routes the daemon does not have: Envoy waits for them as long as it may. */
const COLD_LISTENER = toYaml({
  apiVersion: "networking.mesh.io/v1alpha3",
  kind: "DataproxyFilter",
  metadata: { name: "cold", namespace: NAMESPACE },
  spec: {
    configPatches: [{
      applyTo: "LISTENER",
      match: { context: "SIDECAR_OUTBOUND" },
      patch: {
        operation: "ADD",
        value: {
          name: "cold",
          address: { socket_address: { address: "127.0.0.1", port_value: COLD } },
          filter_chains: [{
            filters: [{
              name: "envoy.filters.network.http_connection_manager",
              typed_config: {
                "@type": HCM,
                stat_prefix: "cold",
                rds: {
                  route_config_name: "nowhere",
                  config_source: {
                    ads: {},
                    resource_api_version: "V3",
                    initial_fetch_timeout: "0s",
                  },
                },
                http_filters: [{
                  name: "envoy.filters.http.router",
                  typed_config: {
                    "@type": "type.googleapis.com/envoy.extensions.filters.http.router.v3.Router",
                  },
                }],
              },
            }],
          }],
        },
      },
    }],
  },
});

Deno.test("proxy-status names what an Envoy keeps, and what it warms", async (t) => {
  await using world = await startWorld({
    files: {
      "shop.yaml": documents(
        sidecars([http]),
        serviceEntry("shop", ["shop.test"], http, [endpoint(9999)]),
      ),
      "extra.yaml": serviceEntry("extra", ["extra.test"], http, [endpoint(9998)]),
    },
  });
  const proxy = world.testProxies.find(({ transport }) => transport === "sotw");
  assert.ok(proxy);
  const { agent } = proxy;
  const compared = async (file: string, input = "") => {
    const { out, err } = await meshctl(
      ["proxy-status", `${agent.name}.test`, "-f", file, "--xds-address", world.daemon.http],
      { input },
    );
    assert.equal(err, "");
    return out;
  };
  const cluster = `outbound|${PORT}||extra.test`;

  await t.step("an Envoy in sync matches", async () => {
    await eventually("the match", async () => {
      const out = await compared(agent.admin);
      return out === "Clusters Match\nListeners Match\nRoutes Match\n";
    });
  });

  await t.step("a removed service that an Envoy keeps is named", async () => {
    const before = JSON.stringify(await agent.configDump());
    await world.config.remove("extra.yaml");
    await eventually("the removal", async () => !(await agent.held("cluster")).includes(cluster));
    const out = await compared("-", before);
    const kept = `+ ${cluster}: the daemon does not serve it; the proxy has it still\n`;
    assert.ok(out.startsWith(`Clusters Don't Match\n${kept}`), out);
    assert.match(await compared(agent.admin), /^Clusters Match\n/);
  });

  await t.step("a warming listener is named", async () => {
    await world.config.write("cold.yaml", COLD_LISTENER);
    await eventually("the warming listener", async () => {
      const out = await compared(agent.admin);
      return out.includes(
        "Listeners Don't Match\n! cold: warming: the proxy has received it and does not use it yet\n",
      );
    });
  });
});

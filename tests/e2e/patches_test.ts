/**
 * DataproxyFilters and WasmPlugins in real Envoys: patches change traffic; a rejected patch is
 * contained and named.
 *
 * @module
 */
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import {
  type Answer,
  askTcp,
  call,
  eventually,
  freePort,
  startBackend,
} from "../../scripts/harness/mod.ts";
import { toYaml } from "../../lib/kit/text/mod.ts";
import {
  documents,
  endpoint,
  manifest,
  NAMESPACE,
  serviceEntry,
  type Spec,
  to,
} from "../support/manifest.ts";
import { headerModule } from "../support/wasm_module.ts";
import {
  assertNothingRejected,
  sidecars,
  startWorld,
  type TestProxy,
  type World,
} from "../support/world.ts";

const HOST = "shop.test";
const TYPE = "type.googleapis.com/envoy.extensions";
const MANAGER = "envoy.filters.network.http_connection_manager";

function filter(name: string, configPatches: readonly Spec[], more: Spec = {}): string {
  return toYaml({
    apiVersion: "networking.mesh.io/v1alpha3",
    kind: "DataproxyFilter",
    metadata: { name, namespace: NAMESPACE },
    spec: { ...more, configPatches },
  });
}

function plugin(name: string, spec: Spec): string {
  return toYaml({
    apiVersion: "extensions.mesh.io/v1alpha1",
    kind: "WasmPlugin",
    metadata: { name, namespace: NAMESPACE },
    spec,
  });
}

function lua(code: string): Spec {
  return {
    name: "lua",
    typed_config: {
      "@type": `${TYPE}.filters.http.lua.v3.Lua`,
      default_source_code: { inline_string: code },
    },
  };
}

/** Before the router of the listener of a port. */
function beforeRouter(port: number, value: Spec): Spec {
  const subFilter = { name: "envoy.filters.http.router" };
  return {
    applyTo: "HTTP_FILTER",
    match: {
      context: "SIDECAR_OUTBOUND",
      listener: { portNumber: port, filterChain: { filter: { name: MANAGER, subFilter } } },
    },
    patch: { operation: "INSERT_BEFORE", value },
  };
}

/** Waits until every proxy answers as wanted; tells what they answer when they do not. */
async function answers(
  { testProxies }: World,
  { port, host = HOST }: { readonly port: number; readonly host?: string },
  what: string,
  wanted: (answer: Answer) => boolean,
): Promise<void> {
  await eventually(what, async () => {
    const got = await Promise.all(
      testProxies.map(({ address }) => call(`http://${address}:${port}/`, { host })),
    );
    return got.every(wanted);
  });
}

const dumpOf = async ({ agent }: TestProxy, about: string): Promise<string> =>
  JSON.stringify(await agent.configDump(about));

Deno.test("patches act on traffic, and go with their objects", async (t) => {
  await using backend = startBackend("v1");
  const [port, bytes] = [freePort(), freePort()];
  await using world = await startWorld({
    files: {
      "sidecars.yaml": sidecars([
        { number: port, protocol: "HTTP" },
        { number: bytes, protocol: "TCP" },
      ]),
      "shop.yaml": documents(
        serviceEntry("shop", [HOST], { number: port, protocol: "HTTP" }, [endpoint(backend.port)]),
        serviceEntry("bytes", ["bytes.test"], { number: bytes, protocol: "TCP" }, [
          endpoint(backend.port),
        ]),
        manifest("VirtualService", "shop", {
          hosts: [HOST],
          http: [{ name: "only", ...to(HOST, "") }],
        }),
      ),
    },
  });
  const { config, testProxies } = world;
  await answers(world, { port }, "the shop to answer", ({ status }) => status === 200);

  await t.step("an HTTP filter before the router", async () => {
    const add = "function envoy_on_response(h) h:headers():add('x-lua', 'acts') end";
    await config.write("f.yaml", filter("lua", [beforeRouter(port, lua(add))]));
    await answers(
      world,
      { port },
      "the filter to act",
      ({ headers }) => headers["x-lua"] === "acts",
    );
    await config.remove("f.yaml");
    await answers(world, { port }, "the filter to be gone", ({ headers }) => !("x-lua" in headers));
  });

  await t.step("virtual hosts and routes, inside of tables and apart", async () => {
    const match = (route?: Spec) => ({
      context: "SIDECAR_OUTBOUND",
      routeConfiguration: { portNumber: port, vhost: { name: `${HOST}:${port}`, route } },
    });
    const added = (key: string) => [{ header: { key, value: "merged" } }];
    await config.write(
      "f.yaml",
      filter("routes", [
        {
          applyTo: "VIRTUAL_HOST",
          match: match(),
          patch: { operation: "MERGE", value: { response_headers_to_add: added("x-host") } },
        },
        {
          applyTo: "HTTP_ROUTE",
          match: match({ name: "only" }),
          patch: { operation: "MERGE", value: { response_headers_to_add: added("x-route") } },
        },
        {
          applyTo: "HTTP_ROUTE",
          match: match(),
          patch: {
            operation: "INSERT_FIRST",
            value: { match: { path: "/teapot" }, direct_response: { status: 418 } },
          },
        },
      ]),
    );
    await answers(
      world,
      { port },
      "both headers",
      ({ headers }) => headers["x-host"] === "merged" && headers["x-route"] === "merged",
    );
    for (const { address } of testProxies) {
      const tea = await call(`http://${address}:${port}/teapot`, { host: HOST });
      assert.equal(tea.status, 418);
    }
    await config.write(
      "f.yaml",
      filter("routes", [
        { applyTo: "VIRTUAL_HOST", match: match(), patch: { operation: "REMOVE" } },
      ]),
    );
    await answers(world, { port }, "the host to be gone", (a) => a.echo === undefined);
    await config.remove("f.yaml");
    await answers(world, { port }, "the host to be back", (a) => a.echo?.backend === "v1");
  });

  await t.step("a cluster's options", async () => {
    await config.write(
      "f.yaml",
      filter("cluster", [{
        applyTo: "CLUSTER",
        match: { cluster: { service: HOST } },
        patch: { operation: "MERGE", value: { connect_timeout: "7.250s" } },
      }]),
    );
    await eventually("the timeout to be there", async () => {
      const dumps = await Promise.all(
        testProxies.map((testProxy) => dumpOf(testProxy, `.*shop\\.test.*`)),
      );
      return dumps.every((dump) => dump.includes('"connect_timeout":"7.250s"'));
    });
    await answers(world, { port }, "the shop to answer", ({ status }) => status === 200);
    await config.remove("f.yaml");
  });

  await t.step("a network filter in place of another", async () => {
    await config.write(
      "f.yaml",
      filter("bytes", [{
        applyTo: "NETWORK_FILTER",
        match: {
          listener: {
            portNumber: bytes,
            filterChain: { filter: { name: "envoy.filters.network.tcp_proxy" } },
          },
        },
        patch: {
          operation: "REPLACE",
          value: {
            name: "says",
            typed_config: {
              "@type": `${TYPE}.filters.network.direct_response.v3.Config`,
              response: { inline_string: "patched\nping\n" },
            },
          },
        },
      }]),
    );
    for (const { address } of testProxies) {
      await eventually("the filter to answer", async () => {
        return (await askTcp(address, bytes).catch(() => "")).startsWith("patched");
      });
    }
    await config.remove("f.yaml");
  });

  await t.step("a filter by its configuration's name", async () => {
    const add = "function envoy_on_response(h) h:headers():add('x-named', 'acts') end";
    await config.write(
      "f.yaml",
      filter("named", [
        {
          applyTo: "EXTENSION_CONFIG",
          patch: { operation: "ADD", value: { ...lua(add), name: "named" } },
        },
        beforeRouter(port, {
          name: "named",
          config_discovery: {
            config_source: { ads: {}, resource_api_version: "V3" },
            type_urls: [`${TYPE}.filters.http.lua.v3.Lua`],
          },
        }),
      ]),
    );
    await answers(
      world,
      { port },
      "the filter to act",
      ({ headers }) => headers["x-named"] === "acts",
    );
    await config.remove("f.yaml");
    await answers(
      world,
      { port },
      "the filter to be gone",
      ({ headers }) => !("x-named" in headers),
    );
  });
  await assertNothingRejected(world);
});

Deno.test("a patch that an Envoy rejects is contained to its resource and named", async () => {
  await using backend = startBackend("v1");
  await using other = startBackend("v2");
  const [port, second] = [freePort(), freePort()];
  const service = (name: string, number: number, to: number) =>
    serviceEntry(name, [`${name}.test`], { number, protocol: "HTTP" }, [endpoint(to)]);
  await using world = await startWorld({
    files: {
      "sidecars.yaml": sidecars([
        { number: port, protocol: "HTTP" },
        { number: second, protocol: "HTTP" },
      ]),
      "shop.yaml": service("shop", port, backend.port),
      "other.yaml": service("other", second, backend.port),
    },
  });
  const { config, daemon } = world;
  await answers(world, { port }, "the shop to answer", (a) => a.echo?.backend === "v1");
  await config.write("bad.yaml", filter("bad", [beforeRouter(port, lua("this is no Lua"))]));
  await eventually("the patch to be quarantined by name", () =>
    Promise.resolve(
      daemon.program.output().split("\n").some((line) =>
        line.includes("quarantined until its content") &&
        line.includes(`DataproxyFilter/${NAMESPACE}/bad`)
      ),
    ));
  await config.write("other.yaml", service("other", second, other.port));
  await answers(
    world,
    { port: second, host: "other.test" },
    "the rest to flow",
    (a) => a.echo?.backend === "v2",
  );
  await answers(world, { port }, "the shop to answer", (a) => a.echo?.backend === "v1");
  const good = "function envoy_on_response(h) h:headers():add('x-lua', 'healed') end";
  await config.write("bad.yaml", filter("bad", [beforeRouter(port, lua(good))]));
  await answers(
    world,
    { port },
    "the repaired filter to act",
    (a) => a.headers["x-lua"] === "healed",
  );
});

Deno.test("a plugin acts, fetched by its sum or from a file", async (t) => {
  await using backend = startBackend("v1");
  const port = freePort();
  const dir = await Deno.makeTempDir({ prefix: "mesh-wasm-" });
  await using _dir = { [Symbol.asyncDispose]: () => Deno.remove(dir, { recursive: true }) };
  const remote = headerModule("x-remote", "acts");
  await Deno.writeFile(`${dir}/filter.wasm`, headerModule("x-file", "acts"));
  await using server = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen: () => {} },
    () => new Response(remote),
  );
  await using world = await startWorld({
    files: {
      "sidecars.yaml": sidecars([{ number: port, protocol: "HTTP" }]),
      "shop.yaml": serviceEntry("shop", [HOST], { number: port, protocol: "HTTP" }, [
        endpoint(backend.port),
      ]),
    },
  });
  const { config } = world;
  await answers(world, { port }, "the shop to answer", ({ status }) => status === 200);
  await t.step("from a file", async () => {
    await config.write("p.yaml", plugin("file", { url: `file://${dir}/filter.wasm` }));
    await answers(world, { port }, "the plugin to act", (a) => a.headers["x-file"] === "acts");
  });
  await t.step("fetched, for the side and port it is for", async () => {
    const sha256 = createHash("sha256").update(remote).digest("hex");
    const url = `http://127.0.0.1:${server.addr.port}/filter.wasm`;
    const spec = { url, sha256, phase: "AUTHN", pluginConfig: { a: 1 } };
    const match = (number: number) => ({ match: [{ mode: "CLIENT", ports: [{ number }] }] });
    await config.write("p.yaml", plugin("fetched", { ...spec, ...match(port) }));
    await answers(world, { port }, "the plugin to act", (a) => a.headers["x-remote"] === "acts");
    await config.write("p.yaml", plugin("fetched", { ...spec, ...match(port + 1) }));
    await answers(world, { port }, "the plugin to be gone", (a) => !("x-remote" in a.headers));
  });
  await assertNothingRejected(world);
});

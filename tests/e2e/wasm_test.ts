/** Wasm plugins whose modules the agents fetch, from a registry and by URL. */
import assert from "node:assert/strict";
import {
  type Answer,
  call,
  eventually,
  freePort,
  startBackend,
} from "../../scripts/harness/mod.ts";
import { toYaml } from "../../lib/kit/text/mod.ts";
import { type Answers, imageAnswers, serve, type TestServer } from "../support/module_registry.ts";
import { endpoint, NAMESPACE, serviceEntry, type Spec } from "../support/manifest.ts";
import { headerModule } from "../support/wasm_module.ts";
import { sidecars, startWorld, type World } from "../support/world.ts";

const HOST = "shop.test";

function plugin(spec: Spec): string {
  return toYaml({
    apiVersion: "extensions.mesh.io/v1alpha1",
    kind: "WasmPlugin",
    metadata: { name: "plugin", namespace: NAMESPACE },
    spec,
  });
}

/** Waits until every proxy answers as wanted. */
async function answers(
  { testProxies }: World,
  port: number,
  what: string,
  wanted: (answer: Answer) => boolean,
): Promise<void> {
  await eventually(what, async () => {
    const got = await Promise.all(
      testProxies.map(({ address }) => call(`http://${address}:${port}/`, { host: HOST })),
    );
    return got.every(wanted);
  });
}

const by = (version: string) => ({ headers }: Answer) => headers["x-by"] === version;

Deno.test("a plugin acts with the module of an image that the agent fetches", async (t) => {
  await using backend = startBackend("v1");
  const port = freePort();
  let images: Answers = imageAnswers(headerModule("x-by", "first"), "oci");
  await using registry = serve(() => images);
  await using world = await startWorld({
    env: { WASM_INSECURE_REGISTRIES: registry.host, WASM_HTTP_REQUEST_MAX_RETRIES: "0" },
    files: {
      "sidecars.yaml": sidecars([{ number: port, protocol: "HTTP" }]),
      "shop.yaml": serviceEntry("shop", [HOST], { number: port, protocol: "HTTP" }, [
        endpoint(backend.port),
      ]),
    },
  });
  const { config } = world;
  const url = `oci://${registry.host}/plugins/auth:1`;
  await t.step("without a checksum", async () => {
    await config.write("p.yaml", plugin({ url }));
    await answers(world, port, "the plugin to act", by("first"));
  });
  await t.step("in each form of images", async () => {
    for (const form of ["artifact", "docker"] as const) {
      images = imageAnswers(headerModule("x-by", form), form, form);
      const image = url.replace(/:1$/, `:${form}`);
      await config.write("p.yaml", plugin({ url: image, imagePullPolicy: "IfNotPresent" }));
      await answers(world, port, `the form ${form} to act`, by(form));
    }
  });
  await t.step("pulled again when the plugin changes", async () => {
    images = imageAnswers(headerModule("x-by", "next"), "oci", "docker");
    const spec = { url: url.replace(/:1$/, ":docker"), imagePullPolicy: "Always" };
    await config.write("p.yaml", plugin({ ...spec, pluginConfig: { a: 1 } }));
    await answers(world, port, "the new image to act", by("next"));
  });
  await t.step("an image that does not exist changes nothing, and is reported", async () => {
    await config.write("p.yaml", plugin({ url: url.replace(/:1$/, ":none") }));
    await eventually("the daemon to be told", async () => {
      const page = await fetch(`${world.daemon.monitoring}/metrics`);
      return /^pilot_xds_ecds_reject\b.* [1-9]|^pilot_total_xds_rejects\b.* [1-9]/m.test(
        await page.text(),
      );
    });
    await answers(world, port, "the former module to act", by("next"));
  });
  await t.step("metrics of the agent", async () => {
    for (const { agent } of world.testProxies) {
      const text = await (await fetch(`${agent.status}/metrics`)).text();
      assert.match(text, /^mesh_agent_wasm_cache_entries 4$/m);
      assert.match(text, /^mesh_agent_wasm_cache_lookup_count\{hit="false"\} [1-9]/m);
      assert.match(text, /^mesh_agent_wasm_remote_fetch_count\{result="success"\} 4$/m);
      assert.match(text, /^mesh_agent_wasm_config_conversion_count\{result="success"\} [1-9]/m);
      assert.match(text, /^mesh_agent_wasm_config_conversion_duration_count [1-9]/m);
    }
  });
});

/** The same answers for those who know the password; others are asked for it. */
function guarded(registry: () => TestServer, answers: Answers): Answers {
  const headers = { "www-authenticate": 'Basic realm="registry"' };
  return Object.fromEntries(
    Object.entries(answers).map(([path, body]) => [path, () => {
      const isKnown = registry().asked.at(-1)?.authorization === `Basic ${btoa(LOGIN)}`;
      if (!isKnown) return new Response(null, { status: 401, headers });
      return typeof body === "function" ? body() : new Response(body);
    }]),
  );
}

const LOGIN = "puller:s3cret-of-the-registry";

Deno.test("an image is pulled with the secret that the plugin names, of the plugin's namespace", async (t) => {
  await using backend = startBackend("v1");
  const port = freePort();
  await using registry: TestServer = serve(() =>
    guarded(() => registry, imageAnswers(headerModule("x-by", "secret"), "oci"))
  );
  const credentials = await Deno.makeTempDir({ prefix: "mesh-pull-" });
  await using stack = new AsyncDisposableStack();
  stack.defer(() => Deno.remove(credentials, { recursive: true }));
  // A folder comes with its content at once, as a mounted volume does.
  const write = async (namespace: string, login: string): Promise<void> => {
    const auths = { [registry.host]: { auth: btoa(login) } };
    const hidden = `${credentials}/.${namespace}`;
    await Deno.mkdir(`${hidden}/registry`, { recursive: true });
    await Deno.writeTextFile(`${hidden}/registry/.dockerconfigjson`, JSON.stringify({ auths }));
    await Deno.rename(hidden, `${credentials}/${namespace}`);
  };
  await write("other", LOGIN);
  await using world = await startWorld({
    env: { WASM_INSECURE_REGISTRIES: registry.host, WASM_HTTP_REQUEST_MAX_RETRIES: "0" },
    daemon: {
      env: {
        MESH_CREDENTIAL_DIR: credentials,
        MESH_CREDENTIAL_ANONYMOUS: "true",
        ENABLE_DEBUG_ON_HTTP: "true",
      },
    },
    files: {
      "sidecars.yaml": sidecars([{ number: port, protocol: "HTTP" }]),
      "shop.yaml": serviceEntry("shop", [HOST], { number: port, protocol: "HTTP" }, [
        endpoint(backend.port),
      ]),
    },
  });
  const spec = { url: `oci://${registry.host}/plugins/auth:1`, imagePullSecret: "registry" };
  await t.step("a secret of another namespace is not given", async () => {
    await world.config.write("p.yaml", plugin(spec));
    for (const { agent } of world.testProxies) {
      await agent.program.printed("does not give the pull secret kubernetes://test/registry");
    }
    assert.deepEqual(registry.asked, []);
  });
  await t.step("the secret of its namespace is", async () => {
    await write(NAMESPACE, LOGIN);
    await world.config.write("p.yaml", plugin({ ...spec, pluginConfig: { again: true } }));
    await answers(world, port, "the plugin to act", by("secret"));
  });
  await t.step(
    "it is neither in logs, nor in the proxy's configuration, nor in debug pages",
    async () => {
      const { daemon, testProxies } = world;
      const texts = [daemon.program.output()];
      for (const { agent } of testProxies) {
        texts.push(agent.program.output(), JSON.stringify(await agent.configDump("")));
        const id = `${agent.name}.${NAMESPACE}`;
        texts.push(JSON.stringify(await daemon.debug(`config_dump?proxyID=${id}`)));
      }
      for (const text of texts) {
        for (const hidden of [LOGIN, btoa(LOGIN), "WASM_IMAGE_PULL_SECRET=", "s3cret"]) {
          assert.ok(!text.includes(hidden), hidden);
        }
      }
    },
  );
});

Deno.test("the former module of a plugin that fails open continues", async (t) => {
  await using backend = startBackend("v1");
  const port = freePort();
  let files: Answers = { "/first.wasm": headerModule("x-by", "first") };
  await using registry = serve(() => files);
  await using world = await startWorld({
    env: { WASM_INSECURE_REGISTRIES: "*", WASM_HTTP_REQUEST_MAX_RETRIES: "0" },
    files: {
      "sidecars.yaml": sidecars([{ number: port, protocol: "HTTP" }]),
      "shop.yaml": serviceEntry("shop", [HOST], { number: port, protocol: "HTTP" }, [
        endpoint(backend.port),
      ]),
    },
  });
  const write = (path: string): Promise<void> =>
    world.config.write(
      "p.yaml",
      plugin({
        url: `http://${registry.host}/${path}`,
        failStrategy: "FAIL_OPEN",
        imagePullPolicy: "Always",
      }),
    );
  await write("first.wasm");
  await answers(world, port, "the plugin to act", by("first"));
  await t.step("when the new one cannot be fetched", async () => {
    await write("missing.wasm");
    for (const { agent } of world.testProxies) {
      await eventually(
        "the agent to keep the former module",
        () => agent.program.output().includes("the former module of its plugin continues"),
        60_000,
      );
    }
    await answers(world, port, "the former module to act", by("first"));
  });
  await t.step("until the new one can be fetched", async () => {
    files = { ...files, "/missing.wasm": headerModule("x-by", "second") };
    await write("missing.wasm?again");
    await answers(world, port, "the new module to act", by("second"));
  });
});

Deno.test("a plugin whose module cannot be fetched fails as its strategy says", async (t) => {
  await using backend = startBackend("v1");
  const port = freePort();
  await using registry = serve(() => ({}));
  await using world = await startWorld({
    env: { WASM_INSECURE_REGISTRIES: "*", WASM_HTTP_REQUEST_MAX_RETRIES: "0" },
    files: {
      "sidecars.yaml": sidecars([{ number: port, protocol: "HTTP" }]),
      "shop.yaml": serviceEntry("shop", [HOST], { number: port, protocol: "HTTP" }, [
        endpoint(backend.port),
      ]),
    },
  });
  const url = `http://${registry.host}/missing.wasm`;
  await answers(world, port, "the shop to answer", ({ status }) => status === 200);
  await t.step("open", async () => {
    await world.config.write("p.yaml", plugin({ url, failStrategy: "FAIL_OPEN" }));
    await eventually("the agents to ask for the module", () => registry.asked.length >= 2);
    for (const { agent } of world.testProxies) {
      await eventually(
        "the filter in its place",
        async () =>
          JSON.stringify(await agent.configDump("")).includes("filters.http.rbac.v3.RBAC"),
      );
    }
    await answers(world, port, "requests to pass", ({ status }) => status === 200);
  });
  await t.step("closed", async () => {
    await world.config.write("p.yaml", plugin({ url: `${url}?2`, failStrategy: "FAIL_CLOSE" }));
    await eventually(
      "the agents to ask again",
      () => registry.asked.filter(({ path }) => path.endsWith("?2")).length >= 2,
    );
  });
});

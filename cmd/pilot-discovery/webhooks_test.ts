import assert from "node:assert/strict";
import { request } from "node:https";
import { parseArgv } from "../../lib/kit/cli/mod.ts";
import { useEnvironment } from "../../lib/kit/env/mod.ts";
import { ProxyConfigSchema } from "#mesh/mesh/v1alpha1/proxy_pb.ts";
import { create } from "../../lib/kit/proto/mod.ts";
import { defaultMeshConfig } from "../../lib/mesh/schema/mod.ts";
import { freePort } from "../../scripts/harness/mod.ts";
import { makeAuthority, withCertificates } from "../../tests/support/certificates.ts";
import type { SecuredTls } from "./identity.ts";
import { discoveryOptions } from "./options.ts";
import { PILOT_DISCOVERY } from "./program.ts";
import { configurationNames, openWebhooks } from "./webhooks.ts";

function optionsOf(...args: string[]) {
  return discoveryOptions(parseArgv(PILOT_DISCOVERY, ["discovery", ...args]).flags);
}

const proxySettings = () => create(ProxyConfigSchema);
const sources = { client: undefined, mesh: defaultMeshConfig, tags: undefined };

/** The status of a request with an empty body. */
function statusOf(port: number, ca: string, path = "/inject"): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const options = { host: "localhost", port, path, method: "POST", ca, agent: false };
    const sent = request(options, (response) => {
      response.resume();
      response.on("end", () => resolve(response.statusCode));
    });
    sent.on("error", reject);
    sent.end();
  });
}

Deno.test(withCertificates("INJECT_ENABLED answers requests for injection", async () => {
  const dir = await Deno.makeTempDir();
  const authority = await makeAuthority(dir);
  const files = await authority.issue("server", ["localhost"]);
  const [cert, key, ca] = await Promise.all(
    [files.cert, files.key, authority.cert].map((path) => Deno.readTextFile(path)),
  ) as [string, string, string];
  const tls: SecuredTls = {
    current: () => ({ cert, key, clientCa: ca }),
    clientCa: () => ca,
    onChange: () => {},
  };
  let isReady = true;
  for (const [value, status] of [["true", 400], ["false", 404]] as const) {
    using _ = useEnvironment({ INJECT_ENABLED: value });
    await using stack = new AsyncDisposableStack();
    const port = freePort();
    const options = optionsOf(`--httpsAddr=127.0.0.1:${port}`);
    const { notes, injection } = await openWebhooks({
      options,
      sources,
      identity: { tls },
      proxySettings,
      isReady: () => isReady,
      fail: assert.ifError,
    }, stack);
    assert.deepEqual(notes, []);
    assert.equal(
      /"templates":\{"sidecar":/.test(JSON.stringify(injection?.() ?? null)),
      value === "true",
    );
    assert.equal(await statusOf(port, ca), status);
    for (const ready of [200, 503]) {
      isReady = ready === 200;
      assert.equal(await statusOf(port, ca, "/ready"), ready);
    }
  }
  await Deno.remove(dir, { recursive: true });
}));

Deno.test("a listener that cannot be used is refused when it is asked for, and noted else", async () => {
  await using stack = new AsyncDisposableStack();
  const identity = { tls: undefined };
  const open = (...args: string[]) =>
    openWebhooks({
      options: optionsOf(...args),
      sources,
      identity,
      proxySettings,
      isReady: () => true,
      fail: assert.ifError,
    }, stack);
  await assert.rejects(open("--httpsAddr=:15017"), /there is no certificate for this listener/);
  assert.match((await open()).notes.join(), /:15017: without an orchestrator/);
  assert.deepEqual(await open("--httpsAddr="), { notes: [] });
});

Deno.test("names of webhook configurations have the revision, unless variables give them", () => {
  const named = (environment: Record<string, string>, revision: string) => {
    using _ = useEnvironment(environment);
    return Object.values(configurationNames(revision, "mesh-system"));
  };
  assert.deepEqual(named({}, "default"), ["mesh-sidecar-injector", "mesh-mesh-system"]);
  const canary = ["mesh-sidecar-injector-canary", "mesh-validator-canary-mesh-system"];
  assert.deepEqual(named({}, "canary"), canary);
  const own = { INJECTION_WEBHOOK_CONFIG_NAME: "a", VALIDATION_WEBHOOK_CONFIG_NAME: "" };
  assert.deepEqual(named(own, "canary"), ["a", ""]);
  assert.deepEqual(named({ INJECT_ENABLED: "false" }, "canary"), ["", canary[1]]);
});

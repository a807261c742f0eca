/** Failures of the API server that a real one does not show on demand. */
import assert from "node:assert/strict";
import { expose } from "../../kit/metrics/mod.ts";
import { createClient } from "../../kit/orch/mod.ts";
import { eventually } from "../../../scripts/harness/mod.ts";
import { syncConfigurations } from "./mod.ts";

/** A configuration of each kind, by path. */
const CONFIGURATIONS: Readonly<Record<string, unknown>> = Object.fromEntries(
  [
    ["MutatingWebhookConfiguration", "mutatingwebhookconfigurations", "sidecar-injector.mesh.io"],
    ["ValidatingWebhookConfiguration", "validatingwebhookconfigurations", "validation.mesh.io"],
  ].map(([kind, plural, name]) => [plural, {
    apiVersion: "admissionregistration.k8s.io/v1",
    kind,
    metadata: { name: "own", uid: kind, resourceVersion: "5" },
    webhooks: [{ name: `a.${name}`, clientConfig: {}, failurePolicy: "Ignore" }],
  }]),
);

/** An API server whose updates answer the next status of a list, then fail for good. */
function failingApi(statuses: number[]) {
  const status = (code: number, reason: string) =>
    Response.json({ kind: "Status", status: "Failure", code, reason, message: reason }, {
      status: code,
    });
  const server = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen() {} }, (request) => {
    const url = new URL(request.url);
    const [plural, name] = url.pathname.split("/").slice(4);
    const found = CONFIGURATIONS[plural ?? ""];
    if (found === undefined) return status(404, "NotFound");
    if (request.method === "PUT") {
      const code = statuses.shift() ?? 500;
      return status(code, code === 409 ? "Conflict" : "InternalError");
    }
    if (name !== undefined) return Response.json(found);
    if (url.searchParams.has("watch")) return status(503, "ServiceUnavailable");
    return Response.json({ metadata: { resourceVersion: "5" }, items: [found] });
  });
  const access = {
    server: `http://127.0.0.1:${server.addr.port}`,
    name: "failing",
    namespace: "",
    tls: () => Promise.resolve({ ca: "" }),
    proxyUrl: "",
  };
  return { server, access };
}

Deno.test("failed changes of configurations are counted by reason, and repeated", async () => {
  const { server, access } = failingApi([409, 409, 409, 409]);
  const client = createClient(access, { rate: { qps: 0, burst: 0 } });
  const sync = syncConfigurations({
    client,
    revision: "default",
    mutatingName: "own",
    validatingName: "own",
    namespace: "mesh-system",
    bundle: () => "PEM",
    onBundle: () => {},
  });
  for (
    const row of [
      'webhook_patch_attempts_total{name="own"}',
      'webhook_patch_retries_total{name="own"}',
      'webhook_patch_failures_total{name="own",reason="Conflict"}',
      'webhook_patch_failures_total{name="own",reason="InternalError"}',
      "galley_validation_config_update_error{reason=",
      'galley_validation_config_load_error{reason="unreachable"}',
    ]
  ) await eventually(row, async () => (await expose("")).body.includes(row));
  assert.equal(sync.validates(), false);
  await sync.close();
  client[Symbol.dispose]();
  await server.shutdown();
});

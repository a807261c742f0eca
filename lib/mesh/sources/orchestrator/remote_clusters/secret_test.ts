import assert from "node:assert/strict";
import { clusterSecret, openCredentials } from "./secret.ts";

const NOW = 1_700_000_000;

function secretWith(user: Record<string, unknown>, key = "b", annotations = {}) {
  const config = {
    "current-context": "b",
    clusters: [{ name: "b", cluster: { server: "https://10.0.0.1:6443" } }],
    users: [{ name: "b", user }],
    contexts: [{ name: "b", context: { cluster: "b", user: "b" } }],
  };
  const secret = clusterSecret({
    metadata: { name: "s", namespace: "mesh-system", annotations },
    data: { [key]: btoa(JSON.stringify(config)) },
  } as never);
  return secret.credentials[0]!;
}

function jwt(claims: Record<string, unknown>): string {
  return `e30.${
    new TextEncoder().encode(JSON.stringify(claims)).toBase64({ alphabet: "base64url" })
  }.x`;
}

Deno.test("each key is a cluster; the key config takes its name from the annotation", () => {
  assert.equal(secretWith({ token: "t" }).cluster, "b");
  const annotations = { "networking.mesh.io/cluster": "far" };
  assert.equal(secretWith({ token: "t" }, "config", annotations).cluster, "far");
  assert.equal(secretWith({ token: "t" }, "b", annotations).cluster, "b");
});

Deno.test("the end of a token is known, if it has one", () => {
  const { validity, access } = openCredentials(secretWith({ token: "opaque" }), []);
  assert.deepEqual([validity, access.server], [undefined, "https://10.0.0.1:6443"]);
  const token = jwt({ iat: NOW, exp: NOW + 60 });
  assert.deepEqual(openCredentials(secretWith({ token }), []).validity, {
    notBefore: NOW * 1000,
    notAfter: (NOW + 60) * 1000,
  });
});

Deno.test("credentials that run programs or read files are refused, unless they are allowed", () => {
  const user = { tokenFile: "/var/run/token" };
  assert.throws(
    () => openCredentials(secretWith(user), ["exec"]),
    (error: Error & { remedy?: string }) =>
      /secret mesh-system\/s, key b.*tokenFile/.test(error.message) &&
      /PILOT_INSECURE_MULTICLUSTER_ORCHCONFIG_OPTIONS/.test(error.remedy ?? ""),
  );
  assert.ok(openCredentials(secretWith(user), ["tokenFile"]).access.token);
});

Deno.test("a value that is not text names its key, and not its content", () => {
  const credentials = { ...secretWith({ token: "t" }), data: "/////w==" };
  assert.throws(() => openCredentials(credentials, []), /secret mesh-system\/s, key b: .*not text/);
});

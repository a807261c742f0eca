/**
 * Auth providers, which the client library asks for tokens.
 */
import assert from "node:assert/strict";
import { fromFileUrl } from "../../../../scripts/paths.ts";
import { MeshError } from "../../base/mod.ts";
import { makeAuthority, withCertificates } from "../../../../tests/support/certificates.ts";
import { type Access, accessOf, ALL_CREDENTIAL_OPTIONS, type CredentialOption } from "../access.ts";
import { createClient } from "../client.ts";
import { parseKubeconfig } from "../kubeconfig.ts";

/** A server that answers with the token that it was sent. */
function startServer() {
  const server = Deno.serve(
    { port: 0, hostname: "127.0.0.1", onListen() {} },
    ({ headers }) => Response.json({ token: headers.get("authorization") }),
  );
  return {
    url: `http://127.0.0.1:${server.addr.port}`,
    [Symbol.asyncDispose]: () => server.shutdown(),
  };
}

function accessWith(
  provider: { readonly name: string; readonly config: Readonly<Record<string, string>> },
  url = "https://127.0.0.1:6443",
  allowed: readonly CredentialOption[] = ALL_CREDENTIAL_OPTIONS,
): Access {
  const text = `current-context: x
contexts: [{name: x, context: {cluster: c, user: u}}]
clusters: [{name: c, cluster: {server: "${url}"}}]
users: [{name: u, user: {auth-provider: ${JSON.stringify(provider)}}}]
`;
  return accessOf(parseKubeconfig(text, "/etc/orch/config"), { allowed });
}

async function tokenSent(access: Access): Promise<string> {
  using client = createClient(access);
  return (await client.json<{ token: string }>({ path: "/" })).token;
}

/** A token whose signature nobody checks; the provider reads its end only. */
function jwt(claims: { readonly exp: number } & Readonly<Record<string, unknown>>): string {
  const part = (value: object): string =>
    new TextEncoder().encode(JSON.stringify(value)).toBase64({
      alphabet: "base64url",
      omitPadding: true,
    });
  return `${part({ alg: "RS256" })}.${part(claims)}.c2ln`;
}

/** Sends two requests at once and one after them; prints the tokens that the server received. */
const PROBE = `
import { accessOf, ALL_CREDENTIAL_OPTIONS, createClient, parseKubeconfig } from ${
  JSON.stringify(import.meta.resolve("../mod.ts"))
};
const [provider, server] = Deno.args;
const text = JSON.stringify({
  "current-context": "x",
  contexts: [{ name: "x", context: { cluster: "c", user: "u" } }],
  clusters: [{ name: "c", cluster: { server } }],
  users: [{ name: "u", user: { "auth-provider": JSON.parse(provider) } }],
});
const access = accessOf(parseKubeconfig(text, "config"), { allowed: ALL_CREDENTIAL_OPTIONS });
using client = createClient(access);
const token = async () => (await client.json({ path: "/" })).token;
const both = await Promise.all([token(), token()]);
console.log(JSON.stringify([...both, await token()]));
`;

Deno.test("auth provider gcp: a program needs all variables of the environment", async () => {
  await using server = startServer();
  const dir = await Deno.makeTempDir();
  try {
    const program = `${dir}/login`;
    await Deno.writeTextFile(program, `#!/bin/sh\necho '{"token":"t"}'\n`, { mode: 0o755 });
    await Deno.writeTextFile(`${dir}/probe.ts`, PROBE);
    const config = { "cmd-path": program, "token-key": "{.token}", "expiry-key": "{.expiry}" };
    const root = fromFileUrl(new URL("../../../../deno.json", import.meta.url));
    const run = async (...permissions: string[]) => {
      const { stdout, stderr } = await new Deno.Command(Deno.execPath(), {
        args: [
          ...["run", "-q", "-P=meshctl", ...permissions, "--no-prompt", `--config=${root}`],
          ...[`${dir}/probe.ts`, JSON.stringify({ name: "gcp", config }), server.url],
        ],
      }).output();
      return new TextDecoder().decode(stdout) + new TextDecoder().decode(stderr);
    };
    assert.match(await run(), /auth provider gcp: .*--allow-env/);
    assert.match(await run("--allow-env"), /"Bearer t","Bearer t","Bearer t"/);
  } finally {
    await Deno.remove(dir, { recursive: true });
  }
});

const now = (): number => Math.floor(Date.now() / 1000);

for (const name of ["gcp", "azure"]) {
  Deno.test(`auth provider ${name}: a program of the settings renews a token that has expired`, async () => {
    await using server = startServer();
    const dir = await Deno.makeTempDir();
    try {
      const answer = { token: { value: "fresh", until: new Date(Date.now() + 3.6e6) } };
      const program = `${dir}/login`;
      const text = `#!/bin/sh\necho run >> ${dir}/runs\necho '${JSON.stringify(answer)}'\n`;
      await Deno.writeTextFile(program, text, { mode: 0o755 });
      const access = accessWith({
        name,
        config: {
          "access-token": "old",
          "expiry": "2020-01-01T00:00:00Z",
          "cmd-path": program,
          "token-key": "{.token.value}",
          "expiry-key": "{.token.until}",
        },
      }, server.url);
      assert.equal(await tokenSent(access), "Bearer fresh");
      assert.equal(await tokenSent(access), "Bearer fresh");
      assert.equal(await Deno.readTextFile(`${dir}/runs`), "run\n");
      const failing = accessWith({ name, config: { "cmd-path": "/bin/false" } }, server.url);
      await assert.rejects(tokenSent(failing), (error) => {
        assert.ok(error instanceof MeshError && error.code === "orch-auth-provider", String(error));
        assert.match(error.message, /^x: auth provider \w+: Failed to refresh token/);
        return true;
      });
    } finally {
      await Deno.remove(dir, { recursive: true });
    }
  });
}

Deno.test(
  withCertificates("auth provider oidc: a token is renewed once when it has expired", async () => {
    await using server = startServer();
    const dir = await Deno.makeTempDir();
    try {
      const authority = await makeAuthority(dir);
      const { cert, key } = await authority.issue("issuer", ["localhost"]);
      const asked: string[] = [];
      let issuer = "";
      await using provider = Deno.serve({
        ...{ port: 0, hostname: "127.0.0.1", onListen() {} },
        ...{ cert: await Deno.readTextFile(cert), key: await Deno.readTextFile(key) },
      }, async (request) => {
        if (request.method === "GET") {
          return Response.json({ issuer, token_endpoint: `${issuer}/token` });
        }
        asked.push(new URLSearchParams(await request.text()).get("refresh_token") ?? "");
        return Response.json({
          ...{ access_token: "a", token_type: "bearer", expires_in: 3600, refresh_token: "second" },
          id_token: jwt({ iss: issuer, aud: "mesh", sub: "s", iat: now(), exp: now() + 3600 }),
        });
      });
      issuer = `https://localhost:${provider.addr.port}`;
      const config = {
        "client-id": "mesh",
        "id-token": jwt({ exp: now() - 10 }),
        "refresh-token": "first",
        "idp-issuer-url": issuer,
      };
      // A process that trusts the provider.
      const { stdout, stderr } = await new Deno.Command(Deno.execPath(), {
        args: ["eval", "-q", PROBE, JSON.stringify({ name: "oidc", config }), server.url],
        env: { DENO_CERT: authority.cert },
      }).output();
      const output = new TextDecoder().decode(stdout);
      assert.ok(output !== "", new TextDecoder().decode(stderr));
      const sent: string[] = JSON.parse(output);
      assert.deepEqual(asked, ["first"], "the token is renewed once");
      assert.match(sent[0] ?? "", /^Bearer ey/);
      assert.deepEqual(sent, Array(3).fill(sent[0]));
    } finally {
      await Deno.remove(dir, { recursive: true });
    }
  }),
);

Deno.test("auth provider oidc: without a valid token, nothing is sent", async () => {
  await using server = startServer();
  const useless: Record<string, string>[] = [{}, { "id-token": jwt({ exp: now() - 10 }) }];
  for (const config of useless) {
    const access = accessWith({ name: "oidc", config }, server.url);
    await assert.rejects(tokenSent(access), { code: "orch-auth-provider" });
  }
  const valid = jwt({ exp: now() + 100 });
  const access = accessWith({ name: "oidc", config: { "id-token": valid } }, server.url);
  assert.equal(await tokenSent(access), `Bearer ${valid}`);
});

Deno.test("auth providers are refused unless they are allowed, with their programs and files", () => {
  const refused = [
    ["oidc", { "id-token": "secret-1" }, []],
    ["gcp", { "cmd-path": "/bin/secret-1" }, ["gcp"]],
    ["azure", { "cmd-path": "/bin/secret-1" }, ["azure"]],
  ] as const;
  for (const [name, config, allowed] of refused) {
    assert.throws(() => accessWith({ name, config }, undefined, allowed), (error) => {
      assert.ok(error instanceof MeshError && error.code === "orch-credential-refused");
      assert.doesNotMatch(error.message + error.remedy, /secret-1/);
      return true;
    });
  }
  // The library would run the program, or read the file, of any provider.
  for (const setting of ["exec", "tokenFile", "idp-certificate-authority"]) {
    const config = { "id-token": "t", [setting]: "/bin/true" };
    assert.throws(() => accessWith({ name: "oidc", config }), {
      code: "orch-config",
      message: new RegExp(`setting ${setting}$`),
    });
  }
  assert.throws(() => accessWith({ name: "openstack", config: {} }), /openstack is not supported/);
});

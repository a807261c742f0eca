/**
 * The token service of a real agent (`--stsPort`): a client exchanges its token by RFC 8693 through
 * the agent, at a local issuer. No token is in the agent's output, nor on its pages.
 *
 * @module
 */
import assert from "node:assert/strict";
import { generateKeyPair, jwtVerify, SignJWT } from "jose";
import { eventually, freePort, startAgent } from "../../scripts/harness/mod.ts";

const GRANT_TYPE = "urn:ietf:params:oauth:grant-type:token-exchange";
const JWT_TYPE = "urn:ietf:params:oauth:token-type:jwt";
const ACCESS_TYPE = "urn:ietf:params:oauth:token-type:access_token";
const WAIT_MS = 120_000;

/** Issues access tokens for valid tokens of workloads. */
async function startIssuer() {
  const workload = await generateKeyPair("ES256");
  const own = await generateKeyPair("ES256");
  const server = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen() {} }, async (request) => {
    const form = new URLSearchParams(await request.text());
    try {
      const { payload } = await jwtVerify(form.get("subject_token")!, workload.publicKey);
      const access_token = await new SignJWT({ scope: form.get("scope") })
        .setProtectedHeader({ alg: "ES256" }).setSubject(payload.sub!).setExpirationTime("1h")
        .sign(own.privateKey);
      const answer = { access_token, issued_token_type: ACCESS_TYPE, token_type: "Bearer" };
      return Response.json({ ...answer, expires_in: 3600 });
    } catch {
      return Response.json({ error: "invalid_grant" }, { status: 400 });
    }
  });
  return {
    url: `http://127.0.0.1:${server.addr.port}/exchange`,
    publicKey: own.publicKey,
    token: (expires: string) =>
      new SignJWT({}).setProtectedHeader({ alg: "ES256" }).setSubject("cart")
        .setExpirationTime(expires).sign(workload.privateKey),
    [Symbol.asyncDispose]: () => server.shutdown(),
  };
}

Deno.test("an agent with --stsPort exchanges tokens, and shows none of them", async () => {
  await using stack = new AsyncDisposableStack();
  const dir = await Deno.makeTempDir({ prefix: "mesh-sts-" });
  stack.defer(() => Deno.remove(dir, { recursive: true }));
  const issuer = stack.use(await startIssuer());
  const port = freePort();
  const agent = stack.use(
    await startAgent({
      role: "sidecar",
      name: "cart",
      ip: "127.0.0.1",
      xds: "127.0.0.1:1",
      envoy: "/none",
      dir,
      noWait: true,
      args: [`--stsPort=${port}`, "--log_output_level=all:debug"],
      env: { DISABLE_DATAPROXY: "true", MESH_TOKEN_EXCHANGE_URL: issuer.url },
    }),
  );
  const base = `http://localhost:${port}`;
  const exchange = async (subject_token: string, more: Record<string, string> = {}) => {
    const body = new URLSearchParams({
      grant_type: GRANT_TYPE,
      subject_token,
      subject_token_type: JWT_TYPE,
      scope: "storage",
      ...more,
    });
    const answer = await fetch(`${base}/token`, { method: "POST", body });
    return { status: answer.status, body: await answer.json() };
  };
  await eventually("the token service", async () => {
    const answer = await fetch(`${base}/stsStatus`);
    await answer.body?.cancel();
    return answer.ok;
  }, WAIT_MS).catch((cause) => {
    throw new Error(agent.program.output(), { cause });
  });

  const token = await issuer.token("5m");
  const { status, body } = await exchange(token);
  assert.equal(status, 200);
  assert.equal(body.issued_token_type, ACCESS_TYPE);
  const { payload } = await jwtVerify(body.access_token, issuer.publicKey);
  assert.deepEqual([payload.sub, payload.scope], ["cart", "storage"]);

  const wrong = await exchange(token, { grant_type: "password" });
  assert.deepEqual([wrong.status, wrong.body.error], [400, "invalid_request"]);
  const expired = await issuer.token("-5m");
  const refused = await exchange(expired);
  assert.deepEqual([refused.status, refused.body.error], [500, "invalid_target"]);

  const shown = await (await fetch(`${base}/stsStatus`)).text();
  for (const secret of [token, expired, body.access_token as string]) {
    const signature = secret.split(".")[2]!;
    for (const text of [shown, JSON.stringify(refused.body), agent.program.output()]) {
      assert.ok(!text.includes(signature), "a token is shown");
    }
  }
});

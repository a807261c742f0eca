/**
 * The token service over HTTP, against a local issuer that verifies tokens and signs its own.
 */
import assert from "node:assert/strict";
import { exportJWK, generateKeyPair, type JWK, jwtVerify, SignJWT } from "jose";
import { configureLogging } from "../../kit/log/mod.ts";
import { startWeb } from "../../kit/web/mod.ts";
import { endpointExchange, stsRoutes, tokenExchange } from "./mod.ts";
import { useEnvironment } from "../../kit/env/mod.ts";

const GRANT_TYPE = "urn:ietf:params:oauth:grant-type:token-exchange";
const JWT_TYPE = "urn:ietf:params:oauth:token-type:jwt";
const ACCESS_TYPE = "urn:ietf:params:oauth:token-type:access_token";

/** A local issuer: exchanges tokens of the workloads' key for its own. */
async function startIssuer() {
  const workload = await generateKeyPair("ES256");
  const own = await generateKeyPair("ES256");
  const key: JWK = await exportJWK(workload.publicKey);
  const state = {
    seen: [] as Record<string, string>[],
    projects: [] as (string | null)[],
    /** Answers instead of the issuer's own, first to last. */
    instead: [] as (() => Response)[],
  };
  const server = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen() {} }, async (request) => {
    const form = Object.fromEntries(new URLSearchParams(await request.text()));
    state.seen.push(form);
    state.projects.push(request.headers.get("x-goog-user-project"));
    const instead = state.instead.shift();
    if (instead) return instead();
    try {
      const { payload } = await jwtVerify(form.subject_token!, workload.publicKey, {
        audience: "exchange",
      });
      const access_token = await new SignJWT({ scope: form.scope ?? "" })
        .setProtectedHeader({ alg: "ES256" }).setSubject(payload.sub!).setExpirationTime("1h")
        .sign(own.privateKey);
      return Response.json({
        access_token,
        issued_token_type: ACCESS_TYPE,
        token_type: "Bearer",
        expires_in: 3600,
        scope: form.scope,
      });
    } catch {
      return Response.json(
        { error: "invalid_grant", error_description: `bad ${form.subject_token}` },
        { status: 400 },
      );
    }
  });
  return {
    state,
    key,
    url: new URL(`http://127.0.0.1:${server.addr.port}/exchange`),
    own: own.publicKey,
    token: (audience = "exchange") =>
      new SignJWT({}).setProtectedHeader({ alg: "ES256" }).setSubject("cart")
        .setAudience(audience).setExpirationTime("5m").sign(workload.privateKey),
    [Symbol.asyncDispose]: () => server.shutdown(),
  };
}

type Fields = Readonly<Record<string, string>>;

function formOf(subject_token: string, more: Fields = {}): Fields {
  return { grant_type: GRANT_TYPE, subject_token, subject_token_type: JWT_TYPE, ...more };
}

Deno.test("tokens are exchanged as RFC 8693 says, and shown nowhere", async () => {
  await using issuer = await startIssuer();
  const dir = await Deno.makeTempDir();
  const file = `${dir}/log`;
  await Deno.writeTextFile(file, "");
  const endLogging = configureLogging({ targets: [file], outputLevel: "all:debug" });
  const web = await startWeb({
    name: "sts",
    address: "localhost:0",
    routes: stsRoutes(endpointExchange({ url: issuer.url, pauseMs: 1 })),
  });
  const base = `http://localhost:${web.address.port}`;
  const post = async (fields: Fields | string, headers: Fields = {}) => {
    const response = await fetch(`${base}/token`, {
      method: "POST",
      body: typeof fields === "string" ? fields : new URLSearchParams(fields),
      headers,
    });
    const text = await response.text();
    assert.equal(response.headers.get("cache-control"), "no-store");
    return { status: response.status, text, body: JSON.parse(text) };
  };
  try {
    const token = await issuer.token();
    const { status, body, text } = await post(
      formOf(token, { scope: "storage", audience: "//cloud", empty: "", resource: "" }),
    );
    assert.equal(status, 200, text);
    assert.match(text, /^\{\n {2}"access_token"/);
    const { access_token, ...rest } = body;
    assert.deepEqual(rest, {
      issued_token_type: ACCESS_TYPE,
      token_type: "Bearer",
      expires_in: 3600,
      scope: "storage",
    });
    assert.equal((await jwtVerify(access_token, issuer.own)).payload.sub, "cart");
    assert.deepEqual(
      issuer.state.seen.at(-1),
      formOf(token, { scope: "storage", audience: "//cloud" }),
    );

    // Requests that are not valid never reach the issuer.
    const { length } = issuer.state.seen;
    const { grant_type: _, ...untyped } = formOf(token);
    const bad: readonly (readonly [Fields | string, Fields?])[] = [
      [untyped],
      [{ ...formOf(token), grant_type: "password" }],
      [{ ...formOf(token), subject_token_type: ACCESS_TYPE }],
      [formOf("")],
      [formOf("x".repeat(70_000))],
      [formOf(token, { actor_token: token })],
      [`${new URLSearchParams(formOf(token))}&subject_token=other`, {
        "content-type": "application/x-www-form-urlencoded",
      }],
      [JSON.stringify(formOf(token)), { "content-type": "application/json" }],
    ];
    for (const [fields, headers] of bad) {
      const { status, body, text } = await post(fields, headers);
      assert.equal(status, 400);
      assert.equal(body.error, "invalid_request");
      assert.equal(body.error_uri, "");
      assert.ok(body.error_description.length > 10 && !text.includes(token), text);
    }
    assert.equal(issuer.state.seen.length, length);
    assert.equal(await fetch(`${base}/token`).then((r) => (r.body?.cancel(), r.status)), 405);

    // The issuer refuses: its description, which has the token, goes nowhere.
    const wrong = await issuer.token("elsewhere");
    const refused = await post(formOf(wrong));
    assert.equal(refused.status, 500);
    assert.deepEqual(refused.body, {
      error: "invalid_target",
      error_description: "the token could not be exchanged",
      error_uri: "",
    });
    // Faults of the issuer: repeated if they may pass, and only tokens are passed on.
    issuer.state.instead.push(() => new Response("", { status: 503 }));
    assert.equal((await post(formOf(token))).status, 200);
    const faults: readonly (() => Response)[] = [
      () => new Response("no JSON"),
      () => Response.json({ access_token: token }),
      () => Response.json([]),
      () => new Response("x".repeat(300_000)),
      () => Response.redirect(issuer.url, 302),
      () =>
        Response.json({
          access_token: token,
          issued_token_type: ACCESS_TYPE,
          token_type: "Bearer",
          expires_in: -1,
        }),
    ];
    for (const fault of faults) {
      issuer.state.instead = [fault, fault, fault];
      assert.equal((await post(formOf(token))).status, 500, String(fault));
    }
    issuer.state.instead = [];

    const shown = await (await fetch(`${base}/stsStatus`)).text();
    const { tokens } = JSON.parse(shown);
    assert.deepEqual(tokens.map((one: Fields) => [one.token_type, one.token]), [
      ["Bearer", "[redacted]"],
    ]);
    const { issue_time, expire_time } = tokens[0];
    assert.equal(Date.parse(expire_time) - Date.parse(issue_time), 3_600_000);
    const logged = await Deno.readTextFile(file);
    assert.match(logged, /status 400, invalid_grant/);
    for (const secret of [token, wrong, access_token]) {
      assert.ok(!logged.includes(secret.split(".")[2]!), "a token is in the log");
      assert.ok(!shown.includes(secret.split(".")[2]!), "a token is on a page");
    }
  } finally {
    await web.stop(1000);
    endLogging();
    await Deno.remove(dir, { recursive: true });
  }
});

Deno.test("plugins are chosen by name, and tokens go only to https or to this machine", () => {
  const choose = (name: string, MESH_TOKEN_EXCHANGE_URL: string) => {
    using _ = useEnvironment({ MESH_TOKEN_EXCHANGE_URL });
    return tokenExchange(name);
  };
  for (const url of ["https://issuer.test/token", "http://127.0.0.1:1/x", "http://[::1]:1/x"]) {
    assert.equal(typeof choose("", url), "function", url);
    assert.equal(typeof choose("TokenExchange", url), "function", url);
  }
  for (const url of ["", "http://issuer.test/token", "http://localhost.test/", "file:///etc"]) {
    assert.throws(() => choose("", url), { code: "token-endpoint" }, url);
  }
  assert.throws(() => choose("Other", "https://issuer.test/"), { code: "token-plugin" });
});

Deno.test("CLOUDPLAT_QUOTA_PROJECT is named in exchanges", async () => {
  await using issuer = await startIssuer();
  const request = {
    subjectToken: await issuer.token(),
    subjectTokenType: JWT_TYPE,
    optional: {},
  };
  const MESH_TOKEN_EXCHANGE_URL = issuer.url.href;
  for (const project of [undefined, "billing-1"]) {
    const exchange = (() => {
      using _ = useEnvironment({
        MESH_TOKEN_EXCHANGE_URL,
        ...project && { CLOUDPLAT_QUOTA_PROJECT: project },
      });
      return tokenExchange("");
    })();
    await exchange(request, new AbortController().signal);
  }
  assert.deepEqual(issuer.state.projects, [null, "billing-1"]);
  using _ = useEnvironment({ MESH_TOKEN_EXCHANGE_URL, CLOUDPLAT_QUOTA_PROJECT: "a\r\nb: c" });
  assert.throws(() => tokenExchange(""), { code: "token-quota-project" });
});

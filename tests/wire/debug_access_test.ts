/**
 * Debug pages for callers on another machine, and the operator's decision on a change of roots.
 *
 * @module
 */
import assert from "node:assert/strict";
import {
  eventually,
  freePort,
  freePorts,
  makeConfigDir,
  startDaemon,
} from "../../scripts/harness/mod.ts";
import { openStream } from "../../lib/kit/rpc/mod.ts";
import { encode } from "../../lib/kit/proto/mod.ts";
import { DeltaDiscoveryRequestSchema } from "#envoy/service/discovery/v3/discovery_pb.ts";
import { requestCertificate, startTokenIssuer } from "../support/identity.ts";

const METHOD = "/envoy.service.discovery.v3.AggregatedDiscoveryService/DeltaAggregatedResources";

interface Change {
  readonly phase: string;
  readonly active: string;
  readonly next?: string;
  readonly waitsFor?: readonly string[];
}

Deno.test("debug pages need credentials of the system namespace from elsewhere", async () => {
  await using config = await makeConfigDir();
  await using issuer = await startTokenIssuer();
  const [port = 0, secured = 0] = freePorts(2);
  await using daemon = await startDaemon({
    configDir: config.path,
    secured,
    args: [`--httpAddr=0.0.0.0:${port}`],
    ports: [freePort(), port, freePort(), freePort()],
    env: { JWT_RULE: issuer.rule },
  });
  // A name that is not of this machine makes the caller one from elsewhere.
  const ask = async (token: string | undefined, path: string, method = "GET"): Promise<string> => {
    const { hostname, port } = new URL(daemon.http);
    const connection = await Deno.connect({ hostname, port: Number(port) });
    const authorization = token === undefined ? "" : `Authorization: Bearer ${token}\r\n`;
    const head = `${method} ${path} HTTP/1.1\r\nHost: meshd.test\r\n${authorization}`;
    const bytes = new TextEncoder().encode(`${head}Content-Length: 0\r\nConnection: close\r\n\r\n`);
    await connection.write(bytes);
    return await new Response(connection.readable).text();
  };
  const status = async (...asked: Parameters<typeof ask>) =>
    Number(/^HTTP\/1\.1 (\d+)/.exec(await ask(...asked))?.[1]);
  const operator = await issuer.token("mesh-system", "operator");
  const workload = await issuer.token("shop", "cart");
  for (const path of ["/debug/syncz", "/debug/configz", "/debug", "/debug/none"]) {
    assert.equal(await status(undefined, path), 401, path);
    assert.equal(await status("x.y.z", path), 401, path);
    assert.equal(await status(workload, path), 403, path);
  }
  assert.match(await ask(undefined, "/debug/syncz"), /\r\n\r\n$/, "the body is empty");
  assert.equal(await status(operator, "/debug/syncz"), 200);
  assert.equal(await status(operator, "/debug/configz"), 200);
  assert.equal(await status(operator, "/debug/none"), 404);
  // Requests that change something are for this machine only.
  assert.equal(await status(operator, "/debug/root_change?decision=abort", "POST"), 401);
  assert.ok((await daemon.debug<Change>("root_change")).phase);
  assert.ok(!daemon.program.output().includes(operator));
});

Deno.test("the operator decides on an overdue change of roots", async () => {
  await using config = await makeConfigDir();
  await using store = await makeConfigDir();
  await using issuer = await startTokenIssuer();
  const secured = freePort();
  await using daemon = await startDaemon({
    configDir: config.path,
    secured,
    env: {
      JWT_RULE: issuer.rule,
      MESHCA_SELF_SIGNED_DIR: store.path,
      MESHCA_SELF_SIGNED_CA_CERT_TTL: "1000s",
      MESHCA_SELF_SIGNED_ROOT_CERT_GRACE_PERIOD_PERCENTILE: "99",
      MESHCA_SELF_SIGNED_ROOT_CERT_CHECK_INTERVAL: "1s",
      MESHCA_ENABLE_JITTER_FOR_ROOT_CERT_ROTATOR: "false",
      MESHCA_ROOT_CHANGE_TIMEOUT: "1s",
    },
  });
  const state = () => daemon.debug<Change>("root_change");
  const decide = async (decision: string) => {
    const answer = await fetch(`${daemon.http}/debug/root_change?decision=${decision}`, {
      method: "POST",
    });
    return { status: answer.status, text: await answer.text() };
  };
  const before = await state();
  assert.equal(before.phase, "stable");
  assert.equal((await decide("proceed")).status, 409);
  assert.equal((await decide("other")).status, 400);
  // A proxy that connects and never asks for another certificate lags behind.
  const token = await issuer.token("shop", "cart");
  const { roots } = JSON.parse(await Deno.readTextFile(`${store.path}/self-signed.json`));
  const ca = roots.active.certificate as string;
  const { cert, key } = await requestCertificate(`localhost:${secured}`, { ca }, token);
  const stream = openStream({
    target: `localhost:${secured}`,
    tls: { ca, cert, key },
    path: METHOD,
  });
  stream.send(encode(DeltaDiscoveryRequestSchema, {
    node: { id: "sidecar~10.0.0.1~cart.shop~shop.svc.cluster.local" },
    typeUrl: "type.googleapis.com/envoy.config.cluster.v3.Cluster",
  }));
  void (async () => {
    for await (const _ of stream.messages);
  })().catch(() => {});
  try {
    const overdue = await eventually("the change to be overdue", async () => {
      const now = await state();
      return now.phase === "overdue" && now;
    });
    assert.deepEqual(overdue.waitsFor, ["cart.shop"]);
    assert.equal((await decide("proceed")).status, 200);
    const after = await state();
    assert.equal(after.phase, "switched");
    assert.equal(after.active, overdue.next);
  } finally {
    stream.close();
    await stream.ended;
  }
});

/**
 * A client that rejects everything it is sent: proxies of its class that connect later get all, and
 * the pages name it.
 *
 * @module
 */
import assert from "node:assert/strict";
import { TYPE_URLS } from "../../lib/mesh/model/mod.ts";
import { encode, fromBinary } from "../../lib/kit/proto/mod.ts";
import { openStream, type RpcStream } from "../../lib/kit/rpc/mod.ts";
import {
  type Daemon,
  eventually,
  freePort,
  makeConfigDir,
  startDaemon,
} from "../../scripts/harness/mod.ts";
import {
  DeltaDiscoveryRequestSchema,
  DeltaDiscoveryResponseSchema,
} from "#envoy/service/discovery/v3/discovery_pb.ts";
import { startTokenIssuer, writePluggedCa } from "../support/identity.ts";
import { documents, serviceEntry } from "../support/manifest.ts";

const PATH = "/envoy.service.discovery.v3.AggregatedDiscoveryService/DeltaAggregatedResources";
const SERVICES = 20;
const TYPES = [TYPE_URLS.cluster, TYPE_URLS.listener];

type Target = Omit<Parameters<typeof openStream>[0], "path">;

interface Client {
  /** Accepted names. */
  readonly names: ReadonlySet<string>;
  readonly stream: RpcStream;
}

/** Connects a sidecar that accepts all, or nothing. */
function connect(target: Target, name: string, accepts: boolean): Client {
  const stream = openStream({ ...target, path: PATH });
  const names = new Set<string>();
  const send = (request: object) => stream.send(encode(DeltaDiscoveryRequestSchema, request));
  const id = `sidecar~10.0.0.1~${name}.shop~shop.svc.cluster.local`;
  for (const [i, typeUrl] of TYPES.entries()) {
    send({ typeUrl, ...(i === 0 ? { node: { id, metadata: { NAMESPACE: "shop" } } } : {}) });
  }
  (async () => {
    for await (const bytes of stream.messages) {
      const { typeUrl, nonce, resources } = fromBinary(DeltaDiscoveryResponseSchema, bytes);
      if (accepts) { for (const { name } of resources) names.add(`${typeUrl} ${name}`); }
      const errorDetail = accepts ? undefined : { code: 13, message: "I take nothing" };
      send({ typeUrl, responseNonce: nonce, ...(errorDetail && { errorDetail }) });
    }
  })().catch(() => {});
  return { names, stream };
}

interface Shown {
  readonly name: string;
  readonly rejectedBy: readonly string[];
  readonly acceptedBy: readonly string[];
  readonly outvoted: readonly string[];
}

const quarantined = (daemon: Daemon) => daemon.debug<readonly Shown[]>("quarantine");

Deno.test("a client that rejects everything takes nothing from others, and is named", async () => {
  await using config = await makeConfigDir();
  await config.write(
    "services.yaml",
    documents(
      ...Array.from(
        { length: SERVICES },
        (_, i) =>
          serviceEntry(`s${i}`, [`s${i}.test`], { number: 8000 + i, protocol: "TCP" }, [
            { address: `10.1.0.${i + 1}` },
          ]),
      ),
    ),
  );
  await using issuer = await startTokenIssuer();
  const { certificate } = await writePluggedCa(`${config.path}/.ca`);
  const secured = freePort();
  await using daemon = await startDaemon({
    configDir: config.path,
    secured,
    env: { JWT_RULE: issuer.rule, ROOT_CA_DIR: `${config.path}/.ca` },
  });
  const as = async (account: string): Promise<Target> => ({
    target: `localhost:${secured}`,
    tls: { ca: certificate.pem },
    metadata: { authorization: `Bearer ${await issuer.token("shop", account)}` },
  });
  const reference = connect(await as("reference"), "reference", true);
  const isWhole = ({ names }: Client) => names.size > 2 * SERVICES;
  await eventually("a whole configuration", () => Promise.resolve(isWhole(reference)));
  const expected = reference.names.size;
  reference.stream.close();
  await reference.stream.ended;

  const liar = connect(await as("liar"), "liar", false);
  await eventually("the rejections", async () => (await quarantined(daemon)).length >= expected);
  for (const account of ["a", "b", "c"]) {
    const honest = connect(await as(account), account, true);
    await eventually(`all for ${account}`, () => Promise.resolve(honest.names.size === expected));
  }
  const id = (account: string) => `spiffe://cluster.local/ns/shop/sa/${account}`;
  const shown = await eventually("the others to be counted", async () => {
    const list = await quarantined(daemon);
    return list.every(({ acceptedBy }) => acceptedBy.length === 3) && list;
  });
  for (const one of shown) {
    assert.deepEqual([one.rejectedBy, one.outvoted], [[id("liar")], [id("liar")]], one.name);
    assert.deepEqual(one.acceptedBy, ["a", "b", "c"].map(id));
  }
  for (const page of ["/debug/quarantine", "/debug"]) {
    const answer = await fetch(daemon.http + page, { headers: { accept: "text/html" } });
    assert.match(await answer.text(), /ns\/shop\/sa\/liar/, page);
  }
  liar.stream.close();
  await eventually("its end", async () => (await quarantined(daemon)).length === 0);
});

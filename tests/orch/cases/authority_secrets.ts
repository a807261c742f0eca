/**
 * The certificate authority in secrets of a real API server.
 *
 * @module
 */
import assert from "node:assert/strict";
import { type CaOptions, type OwnAuthority, startAuthority } from "../../../lib/cluster/ca/mod.ts";
import { useEnvironment } from "../../../lib/kit/env/mod.ts";
import {
  deleteObject,
  getObject,
  type OrchClient,
  type OrchObject,
  replaceObject,
  types,
} from "../../../lib/kit/orch/mod.ts";
import { readCertificates } from "../../../lib/kit/pki/mod.ts";
import { eventually } from "../../../scripts/harness/mod.ts";
import { writePluggedCa } from "../../support/identity.ts";
import { ensureNamespace } from "../../support/service_accounts.ts";

interface Secret extends OrchObject {
  readonly type: string;
  readonly data: Readonly<Record<string, string>>;
}

const base64 = (text: string): string => new TextEncoder().encode(text).toBase64();
const serialOf = ({ source }: OwnAuthority): string => source.current().issuer.certificate.serial;

/** Starts an authority as a replica of a daemon does. */
function replica(
  client: OrchClient,
  namespace: string,
  more: Partial<CaOptions> = {},
): Promise<OwnAuthority> {
  const clock = () => Date.now();
  const options = { trustDomain: "cluster.local", clock, pending: () => [] };
  return startAuthority({ ...options, secrets: { client, namespace }, ...more });
}

/** Runs the cases. */
export async function authoritySecrets(client: OrchClient, t: Deno.TestContext): Promise<void> {
  await sharedRoots(client, t);
  await namedSecrets(client, t);
}

async function sharedRoots(client: OrchClient, t: Deno.TestContext): Promise<void> {
  await t.step("replicas that start at once share one root, also in a change", async () => {
    await ensureNamespace(client, "ca-shared");
    await using stack = new AsyncDisposableStack();
    const replicas = await Promise.all(
      [0, 1, 2].map((index) => replica(client, "ca-shared", { leads: () => index === 0 })),
    );
    for (const { source } of replicas) stack.use(source);
    const [serial] = replicas.map(serialOf);
    assert.deepEqual(replicas.map(serialOf), [serial, serial, serial]);
    const place = { namespace: "ca-shared", name: "mesh-ca-secret" };
    const secret = await getObject<Secret>(client, types.SECRET, place);
    assert.equal(secret.type, "mesh.io/ca-root");
    const keys = ["ca-cert.pem", "ca-key.pem", "cert-chain.pem", "root-cert.pem"];
    assert.deepEqual(Object.keys(secret.data).sort(), keys);

    await replicas[0]!.selfSigned!.decide("begin");
    const all = (test: (one: OwnAuthority) => boolean) => () =>
      Promise.resolve(replicas.every(test));
    const hasBoth = all(({ source }) => source.current().bundle.roots.length === 2);
    await eventually("both roots at all", hasBoth);
    // Proxies of other replicas have time: this replica does not know their acknowledgements.
    await replicas[0]!.selfSigned!.check();
    assert.equal(serialOf(replicas[0]!), serial);
    await replicas[0]!.selfSigned!.decide("proceed");
    const next = serialOf(replicas[0]!);
    assert.notEqual(next, serial);
    await eventually("the new issuer at all", all((one) => serialOf(one) === next));
    const late = await replica(client, "ca-shared");
    stack.use(late.source);
    assert.equal(late.selfSigned!.state().phase, "switched");
    assert.equal(serialOf(late), next);

    // A removed secret is stored again, with the same root.
    await deleteObject(client, types.SECRET, place);
    await eventually(
      "the secret",
      () =>
        getObject<Secret>(client, types.SECRET, place).then(({ data }) => {
          const pem = new TextDecoder().decode(Uint8Array.fromBase64(data["ca-cert.pem"]!));
          return readCertificates(pem, "root")[0]!.serial === next;
        }),
    );
  });
}

async function namedSecrets(client: OrchClient, t: Deno.TestContext): Promise<void> {
  await t.step("USE_CACERTS_FOR_SELF_SIGNED_CA names the secret of the root", async () => {
    await ensureNamespace(client, "ca-named");
    using _ = useEnvironment({ USE_CACERTS_FOR_SELF_SIGNED_CA: "true" });
    const first = await replica(client, "ca-named");
    await using _first = first.source;
    const place = { namespace: "ca-named", name: "cacerts" };
    assert.equal((await getObject<Secret>(client, types.SECRET, place)).type, "mesh.io/ca-root");
    const second = await replica(client, "ca-named");
    await using _second = second.source;
    assert.ok(second.selfSigned, "it is no plugged-in authority");
    assert.equal(serialOf(second), serialOf(first));
  });

  await t.step("the secret cacerts is a plugged-in authority, and is followed", async () => {
    await ensureNamespace(client, "ca-plugged");
    const metadata = { namespace: "ca-plugged", name: "cacerts" };
    const write = async (change: Record<string, string> = {}) => {
      const dir = await Deno.makeTempDir({ prefix: "mesh-ca-" });
      const { certificate } = await writePluggedCa(dir);
      const data: Record<string, string> = {};
      for (const name of ["ca-cert.pem", "ca-key.pem", "root-cert.pem"]) {
        data[name] = base64(await Deno.readTextFile(`${dir}/${name}`));
      }
      await Deno.remove(dir, { recursive: true });
      const secret = { apiVersion: "v1", kind: "Secret", metadata, data: { ...data, ...change } };
      const exists = await getObject(client, types.SECRET, metadata).then(() => true, () => false);
      if (exists) await replaceObject(client, types.SECRET, secret);
      else await client.json({ method: "POST", path: PLUGGED, body: secret });
      return certificate.serial;
    };
    const first = await write();
    const authority = await replica(client, "ca-plugged");
    await using _ = authority.source;
    assert.equal(authority.selfSigned, undefined);
    assert.equal(serialOf(authority), first);
    await write({ "ca-key.pem": base64("no key") });
    const second = await write();
    await eventually("the renewed one", () => Promise.resolve(serialOf(authority) === second));
  });

  await t.step("a namespace that does not exist is an error with a remedy", async () => {
    await assert.rejects(replica(client, "nowhere"), { code: "ca-store" });
  });
}

const PLUGGED = "/api/v1/namespaces/ca-plugged/secrets";

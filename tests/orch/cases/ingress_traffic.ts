/**
 * Requests over HTTPS through the gateway of an Ingress: a real Envoy, whose certificate is a
 * secret of the API server. Its Service and that of the backend take WorkloadEntries, because
 * slices refuse loopback addresses.
 *
 * @module
 */
import assert from "node:assert/strict";
import { request } from "node:https";
import {
  createObject,
  type OrchClient,
  replaceObject,
  type ResourceType,
  types,
} from "../../../lib/orch/mod.ts";
import { TABLED_KINDS } from "../../../lib/schema/mod.ts";
import { resourceTypeOf } from "../../../lib/sources/mod.ts";
import {
  call,
  type Daemon,
  eventually,
  freePorts,
  startAgent,
  startBackend,
} from "../../../scripts/harness/mod.ts";
import { envoyPath } from "../../../scripts/tools.ts";
import { type Certificate, makeAuthority } from "../../support/certificates.ts";
import { commonName } from "../../support/peer_certificate.ts";

const ADDRESS = "127.0.48.1";
const HOST = "shop.test";
const SECRET = "shop-certificate";

/** The gateway before its Envoy runs. */
export interface IngressWorld extends AsyncDisposable {
  /** Fields of the gateway's Service. */
  readonly gateway: Record<string, unknown>;
  /** Fields of the backend's Service. */
  readonly web: Record<string, unknown>;
  /** `spec.tls` of the Ingress. */
  readonly tls: readonly Record<string, unknown>[];
  /** Starts the Envoy and calls the host, before and after the secret is renewed. */
  serves(daemon: Daemon): Promise<void>;
}

/** Creates the secret and the WorkloadEntries. The namespace `edge` must be there. */
export async function makeIngressWorld(client: OrchClient): Promise<IngressWorld> {
  await using stack = new AsyncDisposableStack();
  const dir = await Deno.makeTempDir({ prefix: "mesh-ingress-" });
  stack.defer(() => Deno.remove(dir, { recursive: true }));
  const backend = stack.use(startBackend("web"));
  const [http, https] = freePorts(2) as [number, number];
  await createEntry(client, "edge", "edge", ADDRESS);
  await createEntry(client, "default", "web", "127.0.0.1");
  const authority = await makeAuthority(dir);
  const ca = await Deno.readTextFile(authority.cert);
  const put = async (name: string, write: typeof createObject | typeof replaceObject) =>
    await write(client, types.SECRET, await secretOf(await authority.issue(name, [HOST])));
  await put("first", createObject);
  const port = (name: string, port: number, targetPort: number) => ({ name, port, targetPort });
  const resources = stack.move();
  return {
    gateway: {
      selector: { app: "edge" },
      ports: [port("http", 80, http), port("https", 443, https)],
    },
    web: { selector: { app: "web" }, ports: [port("http", 80, backend.port)] },
    tls: [{ hosts: [HOST], secretName: SECRET }],
    serves: async (daemon) => {
      await using _ = await startAgent({
        role: "router",
        name: "edge",
        namespace: "edge",
        labels: { app: "edge", mesh: "ingressgateway" },
        ip: ADDRESS,
        xds: daemon.xds,
        envoy: await envoyPath(),
        dir,
      });
      await answers({ port: https, ca, certificate: "first" });
      const plain = await call(`http://${ADDRESS}:${http}/plain`, { host: HOST });
      assert.equal(plain.echo?.backend, "web");
      const other = await call(`http://${ADDRESS}:${http}/`, { host: "other.test" });
      assert.equal(other.status, 404);
      await put("second", replaceObject);
      await answers({ port: https, ca, certificate: "second" });
    },
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  };
}

async function createEntry(
  client: OrchClient,
  namespace: string,
  app: string,
  address: string,
): Promise<void> {
  const type: ResourceType = resourceTypeOf(TABLED_KINDS.WorkloadEntry);
  await client.json({
    method: "POST",
    path: `/apis/${type.group}/${type.version}/namespaces/${namespace}/${type.plural}`,
    body: {
      apiVersion: `${type.group}/${type.version}`,
      kind: type.kind,
      metadata: { namespace, name: app },
      spec: { address, labels: { app } },
    },
  });
}

async function secretOf({ cert, key }: Certificate) {
  const read = async (file: string) => (await Deno.readFile(file)).toBase64();
  return {
    apiVersion: "v1",
    kind: "Secret",
    metadata: { namespace: "edge", name: SECRET },
    type: "kubernetes.io/tls",
    data: { "tls.crt": await read(cert), "tls.key": await read(key) },
  };
}

/** Waits until the host answers over HTTPS with a certificate of this name, by the backend. */
async function answers(
  { port, ca, certificate }: {
    readonly port: number;
    readonly ca: string;
    readonly certificate: string;
  },
): Promise<void> {
  await eventually(`the certificate ${certificate}`, async () => {
    const { status, name, body } = await ask(port, ca);
    return status === 200 && name === certificate && body.includes('"web"');
  }, 60_000);
}

/** A request that trusts the authority alone; the name in the certificate of the answer. */
function ask(port: number, ca: string) {
  return new Promise<{ status: number; name: string; body: string }>((resolve, reject) => {
    const headers = { host: HOST };
    const options = { host: ADDRESS, port, path: "/secure", servername: HOST, ca, headers };
    const sent = request({ ...options, agent: false }, (answer) => {
      const name = commonName(answer.socket);
      let body = "";
      answer.on("data", (part) => body += part);
      answer.on("end", () => resolve({ status: answer.statusCode ?? 0, name, body }));
    });
    sent.on("error", reject);
    sent.end();
  });
}

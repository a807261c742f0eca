/**
 * Certificates of gateways on another machine than the daemon (`credentialName`), seen by
 * `openssl s_client`: only authenticated gateways of the credential's namespace and of the accounts
 * in `MESH_CREDENTIAL_ACCOUNTS` receive them. Another program on a gateway's machine serves further
 * ones (`sds://NAME`).
 *
 * @module
 */
import assert from "node:assert/strict";
import {
  type Agent,
  eventually,
  freePorts,
  makeConfigDir,
  startBackend,
  startDaemon,
} from "../../scripts/harness/mod.ts";
import { withCertificates } from "../support/certificates.ts";
import { makeGatewayCredentials } from "../support/gateway_credentials.ts";
import {
  requestCertificate,
  startCertifiedAgent,
  startTokenIssuer,
  writePluggedCa,
} from "../support/identity.ts";
import { documents, endpoint, manifest, serviceEntry, to } from "../support/manifest.ts";
import { meshctl } from "../support/meshctl.ts";
import { openssl } from "../support/openssl.ts";
import { startProvider } from "../support/secret_provider.ts";

const EDGE = "127.0.44.1";
const STRANGER = "127.0.44.2";
const PLAIN = "127.0.44.3";
const HOST = "shop.test";
const DIRECTORY = "kubernetes://";

/** An address of this machine beside loopback, which the daemon takes for another machine. */
function ownAddress(): string {
  const found = Deno.networkInterfaces().find(({ family, address }) =>
    family === "IPv4" && !address.startsWith("127.")
  );
  return found?.address ?? "127.0.0.1";
}

/** The result of one handshake and request. */
interface Seen {
  readonly status: number;
  readonly text: string;
}

/** Sends a request by `openssl s_client`; status 0: no answer. */
async function ask(ip: string, port: number, args: readonly string[], files = {}): Promise<Seen> {
  const { text } = await openssl(
    [
      ...["s_client", "-connect", `${ip}:${port}`, "-servername", HOST],
      ...["-ign_eof", ...args],
    ],
    files,
    `GET / HTTP/1.1\r\nHost: ${HOST}\r\nConnection: close\r\n\r\n`,
  );
  return { status: Number(/HTTP\/1\.1 (\d+)/.exec(text)?.[1] ?? 0), text };
}

/** Names of the credentials whose content an Envoy has. */
async function heldCredentials(agent: Agent): Promise<string[]> {
  const { configs } = await agent.configDump();
  const listed = configs.flatMap((config) =>
    (config.dynamic_active_secrets ?? []) as { name: string; last_updated?: string }[]
  );
  return listed.map(({ name }) => name).filter((name) => name.startsWith(DIRECTORY)).sort();
}

Deno.test(withCertificates("credentials reach authenticated gateways on any machine", async (t) => {
  await using stack = new AsyncDisposableStack();
  const dir = await Deno.makeTempDir({ prefix: "mesh-secrets-" });
  stack.defer(() => Deno.remove(dir, { recursive: true }));
  const issuer = stack.use(await startTokenIssuer());
  const { certificate } = await writePluggedCa(`${dir}/ca`);
  const credentials = await makeGatewayCredentials(`${dir}/credentials`, HOST);
  await credentials.writePair("shop", "ecdsa");
  await credentials.writePair("shop", "rsa");
  await credentials.writePair("other", "ecdsa");
  await credentials.writeClients("shop");
  const backend = stack.use(startBackend("shop"));
  const [secured = 0, simple = 0, mutual = 0, mesh = 0, external = 0] = freePorts(5);
  const config = stack.use(await makeConfigDir());
  const listening = (number: number, tls: Record<string, unknown>) => ({
    port: { number, name: `p${number}`, protocol: "HTTPS" },
    hosts: [HOST],
    tls,
  });
  const gateway = (namespace: string, bind: string) =>
    manifest("Gateway", `edge-${namespace}`, {
      selector: { at: namespace },
      servers: [
        listening(simple, { mode: "SIMPLE", credentialNames: ["ecdsa", "rsa"] }),
        listening(mutual, {
          mode: "MUTUAL",
          credentialName: "ecdsa",
          caCertCredentialName: "clients",
        }),
        listening(mesh, { mode: "MESH_MUTUAL" }),
        listening(external, { mode: "SIMPLE", credentialName: "sds://default" }),
      ].map((server) => ({ ...server, bind })),
    }, "shop");
  await config.write(
    "gateways.yaml",
    documents(
      serviceEntry("shop", [HOST], { number: 80, protocol: "HTTP" }, [endpoint(backend.port)]),
      gateway("shop", EDGE),
      gateway("other", STRANGER),
      gateway("plain", PLAIN),
      manifest("VirtualService", "shop", {
        hosts: [HOST],
        gateways: ["edge-shop", "edge-other", "edge-plain"],
        http: [to(HOST)],
      }, "shop"),
    ),
  );
  const daemon = stack.use(
    await startDaemon({
      configDir: config.path,
      args: [`--secureGRPCAddr=0.0.0.0:${secured}`],
      env: {
        JWT_RULE: issuer.rule,
        ROOT_CA_DIR: `${dir}/ca`,
        MESH_CREDENTIAL_DIR: credentials.dir,
        MESH_CREDENTIAL_ACCOUNTS: "shop/edge,other/*",
      },
    }),
  );
  const xds = `${ownAddress()}:${secured}`;
  const starter = { issuer, root: certificate.pem, dir, xds };
  const start = async (name: string, namespace: string, ip: string, at = namespace) =>
    stack.use(
      await startCertifiedAgent(starter, {
        role: "router",
        name,
        namespace,
        labels: { at },
        ip,
        interception: "NONE",
        env: { MESHD_SAN: "localhost" },
        proxyConfig: { proxyStatsMatcher: { inclusionRegexps: [".*update_rejected"] } },
      }),
    );
  const provider = await startProvider(`${dir}/edge`, HOST);
  stack.defer(() => provider.stop());
  const edge = await start("edge", "shop", EDGE);
  const stranger = await start("stranger", "other", STRANGER);
  const plain = await start("plain", "shop", PLAIN, "plain");

  await t.step("ECDSA and RSA certificates are served together", async () => {
    const trusted = ["-CAfile", "@ca", "-verify_return_error", "-tls1_2"];
    for (const kind of ["ECDSA", "RSA"]) {
      const { text } = await eventually(`the ${kind} certificate`, async () => {
        const seen = await ask(EDGE, simple, [
          ...trusted,
          "-cipher",
          `ECDHE-${kind}-AES128-GCM-SHA256`,
        ], {
          ca: credentials.ca,
        });
        return seen.status === 200 && seen;
      });
      assert.match(text, /Verify return code: 0 \(ok\)/);
      assert.match(
        text,
        kind === "RSA" ? /Peer signature type: RSA/ : /Peer signature type: ECDSA/,
      );
    }
  });

  await t.step("the OCSP response is stapled", async () => {
    const { text } = await ask(EDGE, simple, [
      "-status",
      "-tls1_2",
      "-cipher",
      "ECDHE-ECDSA-AES128-GCM-SHA256",
    ]);
    assert.match(text, /OCSP Response Status: successful/);
    assert.match(text, /Cert Status: good/);
  });

  await t.step("client certificates are required, and a withdrawn one is refused", async () => {
    const client = ["-cert", "@cert", "-key", "@key"];
    const member = () => ask(EDGE, mutual, client, credentials.client);
    await eventually("a client with a certificate", async () => (await member()).status === 200);
    assert.equal((await ask(EDGE, mutual, [])).status, 0);
    await credentials.withdrawClient("shop");
    await eventually("the withdrawn client", async () => (await member()).status === 0);
  });

  await t.step("a renewed certificate is served", async () => {
    const serial = async () => {
      const { text } = await ask(EDGE, simple, [
        "-tls1_2",
        "-cipher",
        "ECDHE-ECDSA-AES128-GCM-SHA256",
      ]);
      const pem = /-----BEGIN CERTIFICATE-----[^]+?-----END CERTIFICATE-----/.exec(text)?.[0] ?? "";
      return (await openssl(["x509", "-noout", "-serial", "-in", "@pem"], { pem })).stdout;
    };
    const before = await serial();
    await credentials.writePair("shop", "ecdsa");
    await eventually("another serial number", async () => {
      const now = await serial();
      return now.startsWith("serial=") && now !== before;
    });
  });

  await t.step(
    "a broken certificate is named with its file and its gateway, and the last one serves",
    async () => {
      const file = `${credentials.dir}/shop/ecdsa/tls.key`;
      const key = await Deno.readTextFile(file);
      const overview = async () => {
        const answer = await fetch(`${daemon.http}/debug`, { headers: { accept: "text/html" } });
        return (await answer.text()).replace(/<style>[^]*?<\/style>/, "").replaceAll(
          /<[^>]*>/g,
          " ",
        );
      };
      await Deno.copyFile(`${credentials.dir}/shop/rsa/tls.key`, file);
      await eventually(
        "the card",
        async () => (await overview()).includes("shop/ecdsa cannot be used"),
      );
      const card = await overview();
      assert.match(card, /served the last good version/);
      assert.match(card, /\/shop\/ecdsa: the key is not that of the certificate/);
      assert.match(card, /Gateway shop\/edge-shop/);
      assert.match(card, /edge\.shop/);
      assert.match(daemon.program.output(), /serving="the last good version"/);
      const { out, err } = await meshctl(["proxy-status", "--xds-address", daemon.http]);
      assert.match(out, /^edge\.shop /m);
      assert.match(err, /^edge\.shop: the credential shop\/ecdsa cannot be used: the key is not/m);
      assert.doesNotMatch(err, /^stranger\.other: /m);
      assert.equal((await ask(EDGE, simple, [])).status, 200);
      await Deno.writeTextFile(file, key);
      await eventually("its end", async () => !(await overview()).includes("cannot be used"));
    },
  );

  await t.step("the agents report the end of their certificates", async () => {
    const rows = await daemon.debug<
      { readonly proxy: string; readonly certificate?: { readonly notAfter: string } }[]
    >("proxy_states");
    const end = rows.find(({ proxy }) => proxy === "edge.shop")?.certificate?.notAfter;
    assert.ok(end !== undefined && Date.parse(end) > Date.now(), JSON.stringify(rows));
  });

  await t.step("a gateway is a peer of the mesh with its agent's certificate", async () => {
    const tls = { ca: certificate.pem, serverName: "localhost" };
    const token = await issuer.token("web", "web");
    const { cert, key } = await requestCertificate(`localhost:${secured}`, tls, token);
    const member = ["-cert", "@cert", "-key", "@key", "-CAfile", "@ca", "-verify_return_error"];
    const files = { cert, key, ca: certificate.pem };
    await eventually(
      "a workload",
      async () => (await ask(EDGE, mesh, member, files)).status === 200,
    );
    assert.equal((await ask(EDGE, mesh, [])).status, 0, "somebody without a certificate");
  });

  await t.step("another program on the gateway's machine serves its certificate", async () => {
    const served = async (ip: string) =>
      (await ask(ip, external, ["-CAfile", "@ca"], {
        ca: provider.root,
      })).text;
    await eventually(
      "the program's certificate",
      async () => /Verify return code: 0 \(ok\)/.test(await served(EDGE)),
    );
    await eventually(
      "a gateway without one",
      async () => (await stranger.held("listener")).length > 0,
    );
    assert.doesNotMatch(await served(STRANGER), /BEGIN CERTIFICATE/);
  });

  await t.step("gateways of other namespaces and accounts get no certificate", async () => {
    // Each has received the credentials of its own that it may read: the configuration is complete.
    const own = [`${DIRECTORY}ecdsa`];
    await eventually("its own", async () => `${await heldCredentials(stranger)}` === `${own}`);
    assert.equal((await ask(STRANGER, mutual, [])).status, 0);
    const { text } = await eventually("a certificate", async () => {
      const seen = await ask(STRANGER, simple, ["-CAfile", "@ca"], { ca: credentials.ca });
      return /BEGIN CERTIFICATE/.test(seen.text) && seen;
    });
    const expected = await credentials.serialOf("other", "ecdsa");
    const pem = /-----BEGIN CERTIFICATE-----[^]+?-----END CERTIFICATE-----/.exec(text)![0];
    assert.equal(
      (await openssl(["x509", "-noout", "-serial", "-in", "@pem"], { pem })).stdout,
      expected,
    );

    await eventually("its listener", async () => (await plain.held("listener")).length > 0);
    assert.deepEqual(await heldCredentials(plain), []);
    assert.equal((await ask(PLAIN, simple, [])).status, 0);
    assert.doesNotMatch((await ask(PLAIN, simple, [])).text, /BEGIN CERTIFICATE/);
  });

  await t.step("nothing was rejected, and no key is in a log", async () => {
    for (const agent of [edge, stranger, plain]) {
      for (const [name, count] of Object.entries(await agent.stats("update_rejected$"))) {
        assert.equal(count, 0, `${agent.name} ${name}`);
      }
      assert.ok(!agent.program.output().includes("PRIVATE KEY"));
    }
    assert.ok(!daemon.program.output().includes("PRIVATE KEY"));
  });
}));

/**
 * Configuration from another control plane: the start waits for it, and TLS settings act.
 *
 * @module
 */
import assert from "node:assert/strict";
import { toYaml } from "../../lib/kit/text/mod.ts";
import {
  eventually,
  freePort,
  freePorts,
  makeConfigDir,
  startDaemon,
  startProgram,
} from "../../scripts/harness/mod.ts";
import { requestCertificate, startTokenIssuer, writePluggedCa } from "../support/identity.ts";
import { serviceEntry } from "../support/manifest.ts";
import { metricOf } from "../support/views.ts";

const ENTRY = serviceEntry("a", ["a.test"], { number: 80, protocol: "HTTP" }, []);

interface Bench extends AsyncDisposable {
  /** A directory for files. */
  readonly dir: string;
  /** Writes a mesh configuration with one source; returns the flag that names it. */
  source(address: string, tlsSettings?: Readonly<Record<string, unknown>>): Promise<string>;
}

async function makeBench(): Promise<Bench> {
  const dir = await Deno.makeTempDir({ prefix: "mesh-source-" });
  return {
    dir,
    source: async (address, tlsSettings) => {
      const file = `${dir}/mesh.yaml`;
      const source = tlsSettings === undefined ? { address } : { address, tlsSettings };
      await Deno.writeTextFile(file, toYaml({ configSources: [source] }));
      return `--meshConfig=${file}`;
    },
    [Symbol.asyncDispose]: () => Deno.remove(dir, { recursive: true }),
  };
}

Deno.test("a daemon is not ready before the control plane that it is configured by has answered", async () => {
  await using bench = await makeBench();
  await using config = await makeConfigDir();
  await config.write("a.yaml", ENTRY);
  const ports = freePorts(4) as [number, number, number, number];
  const flag = await bench.source(`xds://127.0.0.1:${ports[0]}`);
  const starting = startDaemon({ configDir: "", args: [flag] });
  let isReady = false;
  void starting.then(() => isReady = true, () => {});
  // Another one waits in the same way, and ends when it is asked to.
  await using waiting = startProgram([
    "pilot-discovery",
    "discovery",
    flag,
    "--grpcAddr=127.0.0.1:0",
    "--secureGRPCAddr=",
    "--httpAddr=",
    "--monitoringAddr=",
    "--ctrlz_port=0",
  ]);
  await waiting.printed("cannot be reached", 60_000);
  assert.equal(isReady, false);
  waiting.kill("SIGTERM");
  assert.equal((await waiting.status).code, 0);
  await using _first = await startDaemon({ configDir: config.path, ports });
  await using second = await starting;
  const objects = await second.debug<{ kind: string; metadata: { name: string } }[]>("configz");
  assert.deepEqual(objects.map(({ metadata }) => metadata.name), ["a"]);
});

Deno.test("TLS settings of a source act: certificate, authority and name are verified", async () => {
  await using bench = await makeBench();
  await using config = await makeConfigDir();
  await config.write("a.yaml", ENTRY);
  await using issuer = await startTokenIssuer();
  const caDir = `${bench.dir}/ca`;
  await Deno.mkdir(caDir);
  const { certificate } = await writePluggedCa(caDir);
  const secured = freePort();
  await using _first = await startDaemon({
    configDir: config.path,
    secured,
    env: { JWT_RULE: issuer.rule, ROOT_CA_DIR: caDir },
  });
  const ca = certificate.pem;
  const write = async (name: string, text: string): Promise<string> => {
    await Deno.writeTextFile(`${bench.dir}/${name}`, text);
    return `${bench.dir}/${name}`;
  };
  const mutual = async (namespace: string) => {
    const token = await issuer.token(namespace, "meshd");
    const { cert, key } = await requestCertificate(`localhost:${secured}`, { ca }, token);
    return {
      mode: "MUTUAL",
      caCertificates: await write("root.pem", ca),
      clientCertificate: await write(`${namespace}.pem`, cert),
      privateKey: await write(`${namespace}.key`, key),
      sni: "meshd.mesh-system.svc",
    };
  };
  const address = `xds://127.0.0.1:${secured}`;
  const settings = await mutual("mesh-system");
  const flag = await bench.source(address, settings);
  await using own = await makeConfigDir();
  await using second = await startDaemon({ configDir: own.path, args: [flag] });
  const names = async () =>
    (await second.debug<{ metadata: { name: string } }[]>("configz"))
      .map(({ metadata }) => metadata.name);
  assert.deepEqual(await names(), ["a"]);
  // Other settings reconnect. What was received stays while they are refused.
  const healthy = `mesh_source_healthy{source="${address}"}`;
  const refused: [settings: Readonly<Record<string, unknown>>, reason: string][] = [
    [{ ...settings, mode: "SIMPLE" }, "authentication failure"],
    [{ ...settings, sni: "elsewhere.example" }, "elsewhere.example"],
    [{ ...settings, caCertificates: settings.clientCertificate }, "self-signed certificate"],
    [{ ...settings, caCertificates: `${bench.dir}/none.pem` }, "none.pem"],
  ];
  for (const [wrong, reason] of refused) {
    await bench.source(address, wrong);
    await eventually(
      `a refusal for ${reason}`,
      async () => await metricOf(second, healthy) === 0,
      60_000,
    );
    await second.program.printed(reason, 60_000);
    assert.deepEqual(await names(), ["a"]);
    await bench.source(address, settings);
    await eventually("the connection", async () => await metricOf(second, healthy) === 1, 60_000);
  }
  // An identity of another namespace may not read the configuration.
  await bench.source(address, await mutual("shop"));
  await second.program.printed("authorization failed", 60_000);
  assert.deepEqual(await names(), ["a"]);
  // A source that is no longer listed takes its objects with it.
  await Deno.writeTextFile(`${bench.dir}/mesh.yaml`, "{}");
  await eventually("the objects to go", async () => (await names()).length === 0, 60_000);
});

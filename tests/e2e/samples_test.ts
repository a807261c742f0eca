/**
 * The samples: each is valid without warnings and does what its page says, with a real daemon and
 * real Envoys. Ports are replaced by free ones.
 *
 * @module
 */
import assert from "node:assert/strict";
import { request } from "node:https";
import {
  call,
  eventually,
  freePorts,
  spread,
  startCommand,
  startProgram,
} from "../../scripts/harness/mod.ts";
import { type RunningSample, startSample } from "../../scripts/samples/run.ts";
import { portsOfSample, type Sample, SAMPLES } from "../../scripts/samples/table.ts";

const FOLDER = new URL("../../samples/", import.meta.url).pathname;

/** A sample that runs, with the ports that replace those of its files. */
interface Bench {
  readonly dir: string;
  readonly port: (written: number) => number;
}

/** Requests that count a split. */
const COUNT = 200;

const CHECKS: Readonly<Record<string, (bench: Bench) => Promise<void>>> = {
  "split": async ({ port }) => {
    const url = `http://127.0.0.1:${port(18080)}/`;
    const host = `shop.demo.mesh:${port(18080)}`;
    await eventually("v1 to have about 80 % and v2 the rest", async () => {
      const { v1 = 0, v2 = 0 } = await spread(COUNT, url, { host });
      return v1 + v2 === COUNT && v1 > 0.65 * COUNT && v1 < 0.95 * COUNT;
    });
    const testers = await spread(20, url, { host, headers: { "x-user": "tester" } });
    assert.deepEqual(testers, { v2: 20 });
  },
  "gateway-tls": async ({ port }) => {
    const ask = (path: string) => callTls(port(18443), "shop.example", path);
    const shop = await eventually("the gateway to have its certificate", () => ask("/items"));
    assert.equal(shop.status, 200);
    assert.match(shop.body, /"backend":"shop"/);
    assert.equal(shop.subject, "shop.example");
    assert.deepEqual(await ask("/admin").then(({ status, body }) => [status, body]), [
      403,
      "not from outside\n",
    ]);
    const plain = await call(`http://127.0.0.1:${port(18480)}/items`, { host: "shop.example" });
    assert.equal(plain.status, 301);
    assert.equal(plain.headers.location, "https://shop.example/items");
  },
  "access": async ({ port }) => {
    const ask = async (method: string, path: string, headers: Record<string, string> = {}) =>
      (await call(`http://127.0.0.1:${port(18180)}${path}`, { method, headers })).status;
    assert.equal(await ask("GET", "/products/7"), 200);
    assert.equal(await ask("GET", "/products/drafts/1"), 403);
    assert.equal(await ask("DELETE", "/products/7"), 403);
    assert.equal(await ask("POST", "/orders"), 403);
    assert.equal(await ask("POST", "/orders", { "x-team": "shop" }), 200);
  },
  "tokens": async ({ port, dir }) => {
    const ask = async (path: string, token?: string) => {
      const headers: Record<string, string> = token === undefined
        ? {}
        : { authorization: `Bearer ${token.trim()}` };
      const url = `http://127.0.0.1:${port(18280)}${path}`;
      return (await call(url, { host: "shop.example", headers })).status;
    };
    const guest = await Deno.readTextFile(`${dir}/guest.jwt`);
    const staff = await Deno.readTextFile(`${dir}/staff.jwt`);
    assert.equal(await ask("/"), 403);
    assert.equal(await ask("/", guest), 200);
    assert.equal(await ask("/reports", guest), 403);
    assert.equal(await ask("/reports", staff), 200);
    const forged = guest.trim().replace(/.{4}$/, "AAAA");
    assert.equal(await ask("/", forged), 401);
  },
  "egress": async ({ port }) => {
    const ask = (name: string) =>
      call(`http://127.0.0.1:${port(18380)}/`, { host: `${name}:${port(18380)}` });
    const known = await eventually("the external service to answer", async () => {
      const answer = await ask("api.example.com");
      return answer.status === 200 && answer;
    });
    assert.equal(known.echo?.backend, "api");
    assert.equal(known.headers["x-left-through"], "egress-gateway");
    assert.equal((await ask("other.example.com")).status, 502);
  },
};

for (const sample of SAMPLES) {
  Deno.test(`sample ${sample.name}: valid without warnings, and works`, async () => {
    const free = new Map(portsOfSample(sample).map((written) => [written, freePorts(1)[0]!]));
    const port = (written: number): number => free.get(written)!;
    const dir = await copyOf(sample, free);
    try {
      await assertValid(dir);
      await using running = await startSample(sample, { dir, port });
      await CHECKS[sample.name]!({ dir, port });
      await assertQuiet(running);
    } finally {
      await Deno.remove(dir, { recursive: true });
    }
  });

  Deno.test(`sample ${sample.name}: its page has the commands to try`, async () => {
    const page = await Deno.readTextFile(`${FOLDER}${sample.name}/README.md`);
    assert.ok(page.includes(`deno task sample ${sample.name}`));
    for (const command of sample.tries) assert.ok(page.includes(command), command);
    assert.ok(
      (await Deno.readTextFile(`${FOLDER}README.md`)).includes(`(${sample.name}/README.md)`),
    );
  });
}

Deno.test("the task names the samples that there are", async () => {
  const script = new URL("../../scripts/sample.ts", import.meta.url).pathname;
  await using program = startCommand(Deno.execPath(), ["run", "-A", "-q", script, "nosuch"]);
  assert.equal((await program.status).code, 64);
  for (const { name } of SAMPLES) assert.ok(program.output().includes(name), program.output());
});

/** Faulty configuration of `docs/explain.md`, which `cmd/meshctl/incidents_test.ts` runs. */
const INCIDENTS = "incidents";

Deno.test("every folder of samples/ but that of the incidents is a tested sample", async () => {
  const folders: string[] = [];
  for await (const { isDirectory, name } of Deno.readDir(FOLDER)) {
    if (isDirectory && name !== INCIDENTS) folders.push(name);
  }
  assert.deepEqual(folders.sort(), SAMPLES.map(({ name }) => name).sort());
  assert.deepEqual(folders, Object.keys(CHECKS).sort());
});

/** Copies a sample with other ports. */
async function copyOf(sample: Sample, free: ReadonlyMap<number, number>): Promise<string> {
  const dir = await Deno.makeTempDir({ prefix: "mesh-sample-copy-" });
  for await (const { name } of Deno.readDir(`${FOLDER}${sample.name}`)) {
    let text = await Deno.readTextFile(`${FOLDER}${sample.name}/${name}`);
    for (const [written, port] of free) text = text.replaceAll(`${written}`, `${port}`);
    await Deno.writeTextFile(`${dir}/${name}`, text);
  }
  return dir;
}

/** Asserts that `meshctl validate` finds nothing. */
async function assertValid(dir: string): Promise<void> {
  await using program = startProgram(["meshctl", "validate", dir, "-o", "json"]);
  const { code } = await program.status;
  assert.deepEqual(JSON.parse(program.output()), []);
  assert.equal(code, 0);
}

/** Asserts that neither daemon nor proxies have anything to complain about. */
async function assertQuiet({ daemon, agents }: RunningSample): Promise<void> {
  assert.deepEqual(await daemon.debug("configz?problems=true"), { problems: [], warnings: [] });
  assert.deepEqual(await daemon.debug("analysis"), []);
  for (const agent of agents) {
    const rejected = await agent.stats("update_rejected$");
    assert.deepEqual(Object.entries(rejected).filter(([, count]) => count > 0), []);
  }
}

/** Calls over TLS with a server name, without verifying the certificate. */
function callTls(
  port: number,
  name: string,
  path: string,
): Promise<{ status: number; body: string; subject: string | undefined }> {
  return new Promise((resolve, reject) => {
    const options = { host: "127.0.0.1", port, path, servername: name, headers: { host: name } };
    const asked = request({ ...options, agent: false, rejectUnauthorized: false }, (answer) => {
      const certificate =
        (answer.socket as { getPeerCertificate?: () => { subject?: { CN?: string } } })
          .getPeerCertificate?.();
      let body = "";
      answer.setEncoding("utf8");
      answer.on("data", (part: string) => body += part);
      answer.on(
        "end",
        () => resolve({ status: answer.statusCode ?? 0, body, subject: certificate?.subject?.CN }),
      );
    });
    asked.on("error", reject);
    asked.end();
  });
}

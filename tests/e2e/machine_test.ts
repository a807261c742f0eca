/**
 * A machine outside the orchestrator, in a network namespace: it joins with the files of a bundle,
 * sends and receives traffic, renews its certificate without a token, and leaves.
 *
 * @module
 */
import assert from "node:assert/strict";
import { bundle, grants, unstableFlags } from "../../scripts/compile.ts";
import { engineFlags } from "../../scripts/engine_flags.ts";
import { eventually, type Program, startCommand } from "../../scripts/harness/mod.ts";
import { envoyPath } from "../../scripts/tools.ts";
import { readCertificates } from "../../lib/kit/pki/mod.ts";
import type { Asked } from "./redirect/ask.ts";
import {
  ELSEWHERE,
  makeNetwork,
  missing,
  type Network,
  PROXY_GROUP,
  run,
  WORKLOAD,
} from "./redirect/network.ts";
import { asks, program, start } from "./redirect/programs.ts";
import { APPLICATION_PORT, DAEMON_FILE, HOSTS, WEB, WEB_PORT } from "./machine/mesh.ts";

const LACKING = missing();
const ROOT = new URL("../../", import.meta.url).pathname;
const SCRIPT = `${ROOT}scripts/packaging/machine/mesh-start.sh`;
const MESH = new URL("machine/mesh.ts", import.meta.url).pathname;
const NETNS = "/etc/netns";
/** User of the agent on the machine. */
const USER = { name: "mesh-proxy", id: 1337 } as const;
const TABLES = [
  ...["iptables-save", "iptables-restore", "ip6tables-save", "ip6tables-restore"],
  ...["iptables-nft-save", "iptables-nft-restore", "ip6tables-nft-save", "ip6tables-nft-restore"],
  ...["iptables-legacy-save", "iptables-legacy-restore"],
  ...["ip6tables-legacy-save", "ip6tables-legacy-restore"],
];

/** A machine: its files below a folder of their own, its programs in a namespace. */
interface Machine {
  readonly root: string;
  readonly network: Network;
  script(...args: string[]): Program;
}

/**
 * Prepares the machine: the agent as a bundle with the permissions of a built program, Deno and
 * Envoy where the agent's user may run them, and the user.
 */
async function makeMachine(dir: string, network: Network): Promise<Machine> {
  const root = `${dir}/machine`;
  await Deno.mkdir(`${root}/bin`, { recursive: true });
  const module = await bundle(ROOT, "pilot-agent", `${root}/lib/pilot-agent`);
  await place(await envoyPath(), `${root}/bin/dataproxy`);
  await place(Deno.execPath(), `${root}/bin/deno`);
  const config = JSON.parse(await Deno.readTextFile(`${ROOT}deno.json`));
  const programs = [`${root}/bin/dataproxy`, "ip", ...TABLES].join(",");
  const flags = [
    ...["--no-config", "--no-check", "--no-prompt", "-q", ...unstableFlags(config)],
    ...engineFlags("pilot-agent"),
    ...grants(config.permissions["pilot-agent"], [`--allow-run=${programs}`]),
  ];
  const agent = `${root}/bin/pilot-agent`;
  const words = [`${root}/bin/deno`, "run", ...flags, module].map((word) => `'${word}'`);
  await Deno.writeTextFile(agent, `#!/bin/sh\nexec ${words.join(" ")} "$@"\n`);
  await Deno.chmod(agent, 0o755);
  await Deno.mkdir(`${root}/deno`);
  await Deno.chown(`${root}/deno`, USER.id, USER.id);
  const etc = `${NETNS}/${network.workload}`;
  const user = `root:x:0:0::/root:/bin/sh\n${USER.name}:x:${USER.id}:${USER.id}::/:/bin/sh\n`;
  await Deno.writeTextFile(`${etc}/passwd`, user);
  await Deno.writeTextFile(`${etc}/group`, `root:x:0:\n${USER.name}:x:${USER.id}:\n`);
  await Deno.writeTextFile(`${etc}/resolv.conf`, `nameserver ${ELSEWHERE}\n`);
  await Deno.writeTextFile(`${etc}/hosts`, "127.0.0.1 localhost\n");
  return {
    root,
    network,
    script: (...args) =>
      startCommand("ip", ["netns", "exec", network.workload, "sh", SCRIPT, ...args], {
        MESH_ROOT: root,
        MESH_AGENT: agent,
        DENO_DIR: `${root}/deno`,
        PROXY_CONFIG: JSON.stringify({
          binaryPath: `${root}/bin/dataproxy`,
          terminationDrainDuration: "1s",
        }),
        // Renewed a few seconds after it was issued.
        SECRET_TTL: "5m",
        SECRET_GRACE_PERIOD_RATIO: "0.98",
        SECRET_GRACE_PERIOD_RATIO_JITTER: "0",
        ECC_SIGNATURE_ALGORITHM: "ECDSA",
      }),
  };
}

/** Links a program, or copies it to another file system. */
async function place(from: string, to: string): Promise<void> {
  await Deno.link(from, to).catch(() => Deno.copyFile(from, to));
}

async function install(machine: Machine, bundleFolder: string): Promise<void> {
  const installed = machine.script("install", bundleFolder);
  assert.equal((await installed.status).code, 0, installed.output());
  const hosts = await Deno.readTextFile(`${machine.root}/etc/hosts`);
  await Deno.writeTextFile(`${NETNS}/${machine.network.workload}/hosts`, hosts);
}

/** Serial number of the certificate that the machine has. */
async function serialOf({ root }: Machine): Promise<string> {
  const file = `${root}/etc/certs/cert-chain.pem`;
  return readCertificates(await Deno.readTextFile(file), file)[0]!.serial;
}

/** Addresses and health of the machine's service at the daemon. */
async function endpoints({ network }: Machine, dir: string): Promise<string> {
  const base = await Deno.readTextFile(`${dir}/${DAEMON_FILE}`);
  const code = `console.log(await (await fetch("${base}/debug/registryz")).text())`;
  const text = await run("ip", "netns", "exec", network.elsewhere, Deno.execPath(), "eval", code);
  const services = JSON.parse(text) as {
    readonly host: string;
    readonly endpoints: readonly { readonly address: string; readonly health: string }[];
  }[];
  return services.filter(({ host }) => host === HOSTS.till)
    .flatMap((service) => service.endpoints)
    .map(({ address, health }) => `${address} ${health}`).join();
}

const shown = ({ status, from, error }: Asked) => error ?? `${status} ${from ?? ""}`;

Deno.test({
  name: "a machine joins with a token, has traffic both ways, renews its certificate, and leaves" +
    (LACKING === undefined ? "" : ` [${LACKING}]`),
  ignore: LACKING !== undefined,
  fn: async (t) => {
    const dir = await Deno.makeTempDir({ prefix: "mesh-machine-" });
    await Deno.chmod(dir, 0o755);
    await using stack = new AsyncDisposableStack();
    stack.defer(() => Deno.remove(dir, { recursive: true }));
    const network = stack.use(await makeNetwork());
    const etc = `${NETNS}/${network.workload}`;
    await Deno.mkdir(etc, { recursive: true });
    stack.defer(() => Deno.remove(etc, { recursive: true }));
    await run("ip", "-n", network.elsewhere, "addr", "add", `${WEB}/24`, "dev", "eth0");
    const machine = await makeMachine(dir, network);
    // With a group the program is not killed, but ends with its input, and ends what it started.
    stack.use(await start(network.elsewhere, [MESH, dir], PROXY_GROUP));
    stack.use(
      await start(network.workload, [program("serve"), "till", `http:0.0.0.0:${APPLICATION_PORT}`]),
    );
    const toShop = async () =>
      shown(await asks(network.workload, "http", `http://${HOSTS.shop}/`, HOSTS.shop));
    const toTill = async () =>
      shown(await asks(network.elsewhere, "http", `http://${WEB}:${WEB_PORT}/`, HOSTS.till));
    let agent: Program;
    let going = true;
    const step = async (name: string, run: () => Promise<void>) => {
      if (going) going = await t.step(name, run);
    };
    const launch = () => agent = stack.use(machine.script("run"));
    const tables = () => run("ip", "netns", "exec", network.workload, "iptables-save", "-t", "nat");
    const named = async (what: string, ask: () => Promise<string>, wanted: string) => {
      let last = "";
      await eventually(what, async () => (last = await ask()) === wanted).catch((cause) => {
        throw new Error(`${what}: ${last}\n${agent.output().slice(-3000)}`, { cause });
      });
    };
    await step("it joins with the files of the bundle", async () => {
      await install(machine, `${dir}/bundle`);
      await install(machine, `${dir}/bundle`);
      assert.equal(
        await Deno.readTextFile(`${machine.root}/etc/hosts`),
        `${ELSEWHERE} meshd.mesh-system.svc\n`,
      );
      launch();
      await named("the machine to register", () => endpoints(machine, dir), `${WORKLOAD} healthy`);
      const { uid } = await Deno.stat(`${machine.root}/etc/certs/key.pem`);
      assert.equal(uid, USER.id, "the agent runs without root");
    });
    await step(
      "its programs reach services by name, with its identity",
      () => named("the machine to call the mesh", toShop, "200 shop"),
    );
    await step("the mesh reaches its application over mutual TLS only", async () => {
      await named("the mesh to call the machine", toTill, "200 till");
      const url = `http://${WORKLOAD}:${APPLICATION_PORT}/`;
      const { error } = await asks(network.elsewhere, "http", url, HOSTS.till);
      assert.ok(error, "STRICT");
    });
    await step("no other machine ends or drains its agent", async () => {
      for (const path of ["/quitquitquit", "/drain"]) {
        const answer = await asks(network.elsewhere, "post", `http://${WORKLOAD}:15020${path}`);
        assert.equal(shown(answer), "403 Only requests from localhost are allowed");
      }
      assert.equal(await toTill(), "200 till");
    });
    await step("it renews its certificate without the token", async () => {
      await Deno.remove(`${machine.root}/var/run/secrets/tokens/mesh-token`);
      for (let renewal = 1; renewal <= 2; renewal++) {
        const serial = await serialOf(machine);
        await eventually(`renewal ${renewal}`, async () => await serialOf(machine) !== serial);
      }
      assert.equal(await toShop(), "200 shop");
      assert.equal(await toTill(), "200 till");
    });
    await step("it leaves, and joins again by its certificate", async () => {
      agent.kill("SIGTERM");
      assert.equal((await agent.status).code, 0, agent.output());
      await named("the machine to leave", () => endpoints(machine, dir), "");
      launch();
      await named("the machine to call the mesh", toShop, "200 shop");
      await named("the mesh to call the machine", toTill, "200 till");
    });
    await step("clean removes the rules", async () => {
      agent.kill("SIGTERM");
      await agent.status;
      assert.match(await tables(), /MESH_OUTPUT/);
      const cleaned = machine.script("clean");
      assert.equal((await cleaned.status).code, 0, cleaned.output());
      assert.doesNotMatch(await tables(), /MESH/);
    });
  },
});

/**
 * The commands `mesh-iptables` and `mesh-clean-iptables` with the kernel's packet filter, in network
 * namespaces of their own.
 *
 * @module
 */
import assert from "node:assert/strict";
import { runProgram } from "../../lib/kit/cli/mod.ts";
import { useEnvironment } from "../../lib/kit/env/mod.ts";
import { PILOT_AGENT } from "../../cmd/pilot-agent/program.ts";
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

const LACKING = missing();
const VARIANTS = ["nft", "legacy"] as const;

const EVERYTHING = ["-b", "*", "-i", "*", "-d", "15020", "-o", "9999", "-c", "eth7", "-k", "vm0"]
  .concat("--redirect-dns", "--capture-all-dns", "--drop-invalid", "--dual-stack");

/** A namespace, or a reason to skip. */
async function namespace(): Promise<{ name: string } & AsyncDisposable> {
  const name = `mesh-c-${Deno.pid}-${crypto.randomUUID().slice(0, 8)}`;
  await run("ip", "netns", "add", name);
  await run("ip", "-n", name, "link", "set", "lo", "up");
  await run("ip", "-n", name, "link", "add", "eth0", "type", "veth", "peer", "name", "peer");
  await run("ip", "-n", name, "link", "set", "peer", "up");
  await run("ip", "-n", name, "addr", "add", "10.77.0.2/24", "dev", "eth0");
  await run("ip", "-n", name, "addr", "add", "2001:db8:77::2/64", "dev", "eth0", "nodad");
  await run("ip", "-n", name, "link", "set", "eth0", "up");
  await run("ip", "-n", name, "route", "add", "default", "dev", "eth0");
  return { name, [Symbol.asyncDispose]: async () => void await run("ip", "netns", "del", name) };
}

const within = (name: string, ...argv: string[]): Promise<string> =>
  run("ip", "netns", "exec", name, ...argv);

/** Output of iptables-save without comments and packet counts, which change with time. */
async function saved(name: string, variant: string): Promise<string> {
  const texts = [];
  for (const version of ["iptables", "ip6tables"]) {
    texts.push(await within(name, `${version}-${variant}-save`));
  }
  return texts.join("").replaceAll(/^#.*\n/gm, "").replaceAll(/\[\d+:\d+\]/g, "[0:0]");
}

async function routes(name: string): Promise<string> {
  const of = (...args: string[]) => within(name, "ip", ...args).catch(() => "");
  return [
    await of("rule", "list"),
    await of("-6", "rule", "list"),
    await of("route", "show", "table", "all"),
    await of("-6", "addr", "show", "dev", "lo"),
  ].join("\n").split("\n")
    // The kernel adds link-local addresses some time after an interface is up.
    .filter((line) => !line.includes("fe80:"))
    .join("\n").replaceAll(/ expires \d+sec| \S+_lft \S+/g, "");
}

interface Ended {
  readonly status: number;
  readonly err: string;
  readonly out: string;
}

async function agent(command: string, ...flags: string[]): Promise<Ended> {
  let [out, err] = ["", ""];
  const io = {
    out: (text: string) => void (out += text),
    err: (text: string) => void (err += text),
  };
  const argv = [command, "--log_output_level=all:none", ...flags];
  const status = await runProgram(PILOT_AGENT, argv, { io, signal: new AbortController().signal });
  return { status, err, out };
}

async function iptables(name: string, ...flags: string[]): Promise<Ended> {
  return await agent("mesh-iptables", `--network-namespace=${name}`, ...flags);
}

async function applied(name: string, ...flags: string[]): Promise<void> {
  const { status, err } = await iptables(name, ...flags);
  assert.equal(status, 0, err);
}

function kernelTest(name: string, fn: () => Promise<void>, lacking = LACKING): void {
  Deno.test({
    name: lacking === undefined ? name : `${name} [${lacking}]`,
    ignore: lacking !== undefined,
    fn,
  });
}

/** The reason why an implementation of iptables cannot be tested here, or `undefined`. */
function missingVariant(variant: string): string | undefined {
  if (LACKING !== undefined) return LACKING;
  const program = `ip6tables-${variant}-save`;
  try {
    const { success } = new Deno.Command(program, { stdout: "null", stderr: "null" }).outputSync();
    return success ? undefined : `needs a working ${program}`;
  } catch {
    return `needs ${program}`;
  }
}

/** Rules of another program, in every table and chain that Mesh writes to. */
const OTHERS = ["nat", "mangle", "raw"].flatMap((table) => [
  `*${table}`,
  ":OTHER - [0:0]",
  ...table === "nat" ? ["-A OUTPUT -d 203.0.113.9/32 -j OTHER"] : [],
  '-A PREROUTING -i eth3 -m comment --comment "a \\"quoted\\" note" -j OTHER',
  "-A OTHER -p tcp -m tcp --dport 4000 -j RETURN",
  "COMMIT",
]).join("\n") + "\n";

async function addOthers(name: string, variant: string): Promise<void> {
  for (const [version, text] of [["iptables", OTHERS], ["ip6tables", OTHERS]] as const) {
    const file = await Deno.makeTempFile();
    const rules = version === "iptables" ? text : text.replaceAll("203.0.113.9/32", "2001:db8::9");
    await Deno.writeTextFile(file, rules);
    await within(name, `${version}-${variant}-restore`, "--noflush", file);
    await Deno.remove(file);
  }
}

for (const variant of VARIANTS) {
  for (const mode of ["REDIRECT", "TPROXY"]) {
    kernelTest(`${variant} ${mode}: applied twice, and cleaned to the byte`, async () => {
      await using ns = await namespace();
      await addOthers(ns.name, variant);
      const [before, ways] = [await saved(ns.name, variant), await routes(ns.name)];
      await applied(ns.name, "-m", mode, ...EVERYTHING);
      const once = await saved(ns.name, variant);
      assert.notEqual(once, before);
      assert.match(once, /MESH_OUTPUT/);
      await applied(ns.name, "-m", mode, ...EVERYTHING);
      assert.equal(await saved(ns.name, variant), once, "applying again changes nothing");
      await applied(ns.name, "-m", mode, ...EVERYTHING, "--force-apply");
      assert.equal(
        (await saved(ns.name, variant)).split("\n").sort().join("\n"),
        once.split("\n").sort().join("\n"),
        "forced",
      );
      await applied(ns.name, "--cleanup-only", "-m", mode, ...EVERYTHING);
      assert.equal(await saved(ns.name, variant), before);
      assert.equal(await routes(ns.name), ways);
    }, missingVariant(variant));
  }

  kernelTest(`${variant}: drift is refused, and reconciled on request`, async () => {
    await using ns = await namespace();
    await addOthers(ns.name, variant);
    await applied(ns.name, "-b", "*", "-i", "*");
    const good = await saved(ns.name, variant);
    await within(ns.name, `iptables-${variant}`, "-t", "nat", "-D", "MESH_OUTPUT", "1");
    const drifted = await saved(ns.name, variant);
    const refused = await iptables(ns.name, "-b", "*", "-i", "*");
    assert.equal(refused.status, 1);
    assert.match(refused.err, /lacks the rule ".*127\.0\.0\.6.*--reconcile/s);
    assert.equal(await saved(ns.name, variant), drifted, "a refusal changes nothing");
    await applied(ns.name, "-b", "*", "-i", "*", "--reconcile");
    const sorted = (text: string) => text.split("\n").sort();
    assert.deepEqual(sorted(await saved(ns.name, variant)), sorted(good));
  }, missingVariant(variant));
}

kernelTest("rules that fail to load leave nothing behind", async () => {
  await using ns = await namespace();
  await addOthers(ns.name, "nft");
  const [before, ways] = [await saved(ns.name, "nft"), await routes(ns.name)];
  using _ = useEnvironment({ MESH_OUTBOUND_OWNER_GROUPS_EXCLUDE: "no-such-group" });
  const { status, err } = await iptables(ns.name, "-m", "TPROXY", "-b", "*");
  assert.equal(status, 1);
  assert.match(err, /iptables-nft-restore.*no-such-group/s);
  assert.equal(await saved(ns.name, "nft"), before);
  assert.equal(await routes(ns.name), ways);
});

kernelTest(
  "a change of the mode is drift, and reconciling removes the old rules and routes",
  async () => {
    await using old = await namespace();
    await using fresh = await namespace();
    const ways = await routes(fresh.name);
    await applied(old.name, "-m", "TPROXY", "-b", "*", "-i", "*", "--redirect-dns");
    assert.equal((await iptables(old.name, "-b", "*")).status, 1);
    await applied(old.name, "-b", "*", "--reconcile");
    await applied(fresh.name, "-b", "*");
    const rules = async (name: string) =>
      (await saved(name, "nft")).split("\n").filter((line) => line.startsWith("-A"));
    assert.deepEqual(await rules(old.name), await rules(fresh.name));
    assert.equal((await routes(old.name)).includes("fwmark"), ways.includes("fwmark"));
  },
);

kernelTest("a replacement that fails leaves the rules from before in place", async () => {
  await using ns = await namespace();
  await addOthers(ns.name, "nft");
  await applied(ns.name, "-m", "TPROXY", "-b", "*", "-i", "*");
  const [before, ways] = [await saved(ns.name, "nft"), await routes(ns.name)];
  using _ = useEnvironment({ MESH_OUTBOUND_OWNER_GROUPS_EXCLUDE: "no-such-group" });
  const { status } = await iptables(ns.name, "-b", "8080", "-i", "*", "--reconcile");
  assert.equal(status, 1);
  const sorted = (text: string) => text.split("\n").sort();
  assert.deepEqual(sorted(await saved(ns.name, "nft")), sorted(before));
  assert.equal(await routes(ns.name), ways);
});

kernelTest("rules are applied with the implementation that has rules already", async () => {
  await using ns = await namespace();
  await addOthers(ns.name, "legacy");
  await applied(ns.name, "-b", "*");
  assert.match(await saved(ns.name, "legacy"), /MESH_INBOUND/);
  assert.doesNotMatch(await saved(ns.name, "nft"), /MESH_INBOUND/);
}, missingVariant("legacy"));

kernelTest("--skip-rule-apply and --dry-run change nothing", async () => {
  await using ns = await namespace();
  const before = await saved(ns.name, "nft");
  const file = await Deno.makeTempFile();
  using _ = useEnvironment({ DRY_RUN_FILE_PATH: file });
  await applied(ns.name, "-b", "*", "--skip-rule-apply");
  const dry = await iptables(ns.name, "-b", "*", "-m", "TPROXY", "--dry-run");
  assert.equal(dry.status, 0);
  assert.match(dry.out, /Mesh iptables environment:\nDATAPROXY_PORT=15001\n/);
  assert.match(dry.out, /Mesh config:\nPROXY_PORT=15001\n/);
  const recorded = await Deno.readTextFile(file);
  assert.ok(dry.out.endsWith(recorded) && recorded.includes("-j TPROXY"), recorded);
  assert.match(recorded, /^ip -f inet rule add fwmark 1337 lookup 133$/m);
  assert.equal(await saved(ns.name, "nft"), before);
  await Deno.remove(file);
});

kernelTest("mesh-clean-iptables finds rules of any mode in its own namespace", async () => {
  await using ns = await namespace();
  await addOthers(ns.name, "nft");
  const [before, ways] = [await saved(ns.name, "nft"), await routes(ns.name)];
  await applied(ns.name, "-m", "TPROXY", "-b", "*", "-i", "*", "--redirect-dns", "--dual-stack");
  const main = new URL("../../main.ts", import.meta.url).pathname;
  const deno = [Deno.execPath(), "run", "-q", "-P=pilot-agent-iptables", main, "pilot-agent"];
  await within(ns.name, ...deno, "mesh-clean-iptables");
  assert.equal(await saved(ns.name, "nft"), before);
  assert.equal(await routes(ns.name), ways);
});

kernelTest("--run-validation ends with 126 where the rules do not capture", async () => {
  await using ns = await namespace();
  const main = new URL("../../main.ts", import.meta.url).pathname;
  const validate = async (...flags: string[]): Promise<[code: number, err: string]> => {
    const { code, stderr } = await new Deno.Command("ip", {
      args: [
        "netns",
        "exec",
        ns.name,
        Deno.execPath(),
        "run",
        "-q",
        "-P=pilot-agent-iptables",
        main,
      ]
        .concat("pilot-agent", "mesh-iptables", "--run-validation", "--skip-rule-apply")
        .concat("-b", "*", "-i", "*", "--probe-timeout=2s", ...flags),
    }).output();
    return [code, new TextDecoder().decode(stderr)];
  };
  // Root takes the part of the proxy, and then of the workload.
  const proxy = ["-u", "0", "-g", "0"];
  const [code, err] = await validate(...proxy);
  assert.equal(code, 126, err);
  assert.match(err, /did not arrive at port 15006 .*it was not redirected/);
  await applied(ns.name, "-b", "*", "-i", "*", ...proxy);
  assert.deepEqual(await validate(...proxy), [0, ""], "as the proxy");
  await applied(ns.name, "-b", "*", "-i", "*", "--reconcile");
  assert.deepEqual(await validate(), [0, ""], "as the workload");
  const link =
    "ip link add one type veth peer name two && ip link set two up && ip link set one up";
  const address = "ip addr add fd00:7:7::1/64 dev one nodad && ip -6 route add default dev one";
  await within(ns.name, "sh", "-c", `${link} && ${address}`);
  assert.equal((await validate("--dual-stack"))[0], 126, "without rules of IPv6");
  await applied(ns.name, "-b", "*", "-i", "*", "--reconcile", "--dual-stack");
  assert.deepEqual(await validate("--dual-stack"), [0, ""], "with both versions of IP");
});

/** Answer to a client in a group of the workload's namespace. */
async function asksAs(network: Network, group: number, port: number): Promise<Asked> {
  const deno = [Deno.execPath(), "run", "-q", "-A", program("ask"), "tcp", ELSEWHERE, `${port}`];
  const as = ["setpriv", `--regid=${group}`, "--clear-groups"];
  return JSON.parse(await within(network.workload, ...as, ...deno));
}

kernelTest("connections arrive at the proxy's listeners, except what is left out", async () => {
  await using network = await makeNetwork("REDIRECT");
  const [captured, left, group] = [7001, 7002, 5000];
  using _ = useEnvironment({ MESH_OUTBOUND_OWNER_GROUPS_EXCLUDE: `${group}` });
  await applied(
    network.workload,
    ...["-b", "*", "-i", "*", "--reconcile", "-d", `${left}`, "-o", `${left}`],
  );
  const tcp = (address: string, ...ports: number[]) =>
    ports.map((port) => `tcp:${address}:${port}`);
  await using stack = new AsyncDisposableStack();
  const serve = async (namespace: string, name: string, listeners: string[]): Promise<void> => {
    stack.use(await start(namespace, [program("serve"), name, ...listeners]));
  };
  await serve(network.workload, "outbound", tcp("0.0.0.0", 15001));
  await serve(network.workload, "inbound", tcp("0.0.0.0", 15006));
  await serve(network.workload, "app", tcp("0.0.0.0", captured, left));
  await serve(network.elsewhere, "far", tcp(ELSEWHERE, captured, left));
  const outward = async (port: number) =>
    (await asks(network.workload, "tcp", ELSEWHERE, `${port}`)).from;
  const inward = async (port: number) =>
    (await asks(network.elsewhere, "tcp", WORKLOAD, `${port}`)).from;
  assert.equal(await outward(captured), `outbound ${WORKLOAD}`);
  assert.equal(await outward(left), `far ${WORKLOAD}`, "an excluded outbound port");
  assert.equal(await inward(captured), `inbound ${ELSEWHERE}`);
  assert.equal(await inward(left), `app ${ELSEWHERE}`, "an excluded inbound port");
  assert.equal((await asksAs(network, PROXY_GROUP, captured)).from, `far ${WORKLOAD}`, "the proxy");
  assert.equal((await asksAs(network, group, captured)).from, `far ${WORKLOAD}`, "another group");
  await applied(network.workload, "--cleanup-only", "-b", "*", "-i", "*");
  assert.equal(await outward(captured), `far ${WORKLOAD}`, "after cleaning");
  assert.equal(await inward(captured), `app ${ELSEWHERE}`, "after cleaning");
});

kernelTest("with --dual-stack, connections of both IP versions are captured", async () => {
  await using network = await makeNetwork("REDIRECT");
  const [own, far, port] = ["2001:db8:99::2", "2001:db8:99::1", 7001];
  for (const [name, address] of [[network.workload, own], [network.elsewhere, far]] as const) {
    await run("ip", "-n", name, "addr", "add", `${address}/64`, "dev", "eth0", "nodad");
  }
  await using stack = new AsyncDisposableStack();
  const serve = async (namespace: string, name: string, ...listeners: string[]): Promise<void> => {
    stack.use(await start(namespace, [program("serve"), name, ...listeners]));
  };
  await serve(network.workload, "outbound", "tcp::::15001");
  await serve(network.workload, "inbound", "tcp::::15006");
  await serve(network.workload, "app", `tcp:${own}:${port}`);
  await serve(network.elsewhere, "far", `tcp:${far}:${port}`, `tcp:${ELSEWHERE}:${port}`);
  const outward = async (to: string) => (await asks(network.workload, "tcp", to, `${port}`)).from;
  assert.equal(await outward(far), `far ${own}`, "IPv6 without --dual-stack");
  await applied(network.workload, "-b", "*", "-i", "*", "--dual-stack");
  assert.equal(await outward(far), `outbound ${own}`);
  assert.match(await outward(ELSEWHERE) ?? "", /^outbound /);
  const inward = await asks(network.elsewhere, "tcp", own, `${port}`);
  assert.equal(inward.from, `inbound ${far}`);
  await applied(network.workload, "--cleanup-only", "-b", "*", "-i", "*", "--dual-stack");
  assert.equal(await outward(far), `far ${own}`, "after cleaning");
});

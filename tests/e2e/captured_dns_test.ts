/**
 * DNS queries that the kernel redirects to the agent, in network namespaces.
 *
 * @module
 */
import assert from "node:assert/strict";
import { eventually } from "../../scripts/harness/mod.ts";
import { envoyPath } from "../../scripts/tools.ts";
import {
  BESIDE,
  ELSEWHERE,
  makeNetwork,
  missing,
  type Network,
  PROXY_GROUP,
  run,
} from "./redirect/network.ts";
import { curl, program, start, stepWith } from "./redirect/programs.ts";
import { VIRTUAL } from "./redirect/workload.ts";

const LACKING = missing();
/** Answers of the nameservers; the agent knows only the first one. */
const [KNOWN, OTHER] = ["192.0.2.7", "192.0.2.8"];
const NETNS = "/etc/netns";

/** Gives a namespace a resolv.conf of its own; `ip netns exec` shows it to programs. */
async function withNameserver(network: Network, address: string): Promise<AsyncDisposable> {
  const folder = `${NETNS}/${network.workload}`;
  await Deno.mkdir(folder, { recursive: true });
  await Deno.writeTextFile(`${folder}/resolv.conf`, `nameserver ${address}\n`);
  return { [Symbol.asyncDispose]: () => Deno.remove(folder, { recursive: true }) };
}

interface Query {
  readonly transport?: "udp" | "tcp";
  readonly server: string;
  readonly name: string;
  readonly group?: number;
}

/** The addresses that a client in the workload's namespace is answered. */
async function query(
  network: Network,
  { transport = "udp", server, name, group = 0 }: Query,
): Promise<(string | undefined)[]> {
  const deno = [Deno.execPath(), "run", "-q", "-A", program("query"), transport, server, name];
  const as = ["setpriv", `--regid=${group}`, "--clear-groups"];
  const text = await run("ip", "netns", "exec", network.workload, ...as, ...deno);
  return (JSON.parse(text) as string[]).map((record) => record.split(" ").at(-1));
}

/** The addresses that `dig` is answered by the server of the namespace's resolv.conf. */
async function dig({ workload }: Network, ...args: readonly string[]): Promise<string[]> {
  const text = await run(
    ...["ip", "netns", "exec", workload, "dig", "+short", "+time=20", "+tries=3"] as const,
    ...args,
  );
  return text.trim().split("\n");
}

/** Runs `mesh-iptables` in the namespace, where it finds the namespace's nameserver. */
async function redirectDns(network: Network, ...flags: string[]): Promise<void> {
  const main = new URL("../../main.ts", import.meta.url).pathname;
  const deno = [Deno.execPath(), "run", "-q", "-P=pilot-agent-iptables", main, "pilot-agent"];
  const ids = ["-u", `${PROXY_GROUP}`, "-g", `${PROXY_GROUP}`];
  await run(
    ...["ip", "netns", "exec", network.workload, ...deno, "mesh-iptables", "--reconcile"] as const,
    ...["-b", "*", "-i", "*", "--redirect-dns", ...ids, ...flags],
  );
}

Deno.test({
  name: "captured DNS queries are answered by the agent" +
    (LACKING === undefined ? "" : ` [${LACKING}]`),
  ignore: LACKING !== undefined,
  fn: async (t) => {
    await envoyPath();
    const dir = await Deno.makeTempDir({ prefix: "mesh-captured-dns-" });
    await using stack = new AsyncDisposableStack();
    stack.defer(() => Deno.remove(dir, { recursive: true }));
    const network = stack.use(await makeNetwork("REDIRECT"));
    stack.use(await withNameserver(network, ELSEWHERE));
    stack.use(await start(network.elsewhere, [program("nameserver"), ELSEWHERE, KNOWN]));
    stack.use(await start(network.elsewhere, [program("nameserver"), BESIDE, OTHER]));
    stack.use(await start(network.workload, [program("workload"), "REDIRECT", dir], PROXY_GROUP));
    const virtual = VIRTUAL.http;
    await t.step("queries to the nameserver of resolv.conf", async () => {
      await redirectDns(network);
      await eventually(
        "the name table to arrive",
        async () => (await query(network, { server: ELSEWHERE, name: "far.test" }))[0] === virtual,
      );
      assert.deepEqual(
        await query(network, { transport: "tcp", server: ELSEWHERE, name: "far.test" }),
        [virtual],
      );
      for (const transport of ["udp", "tcp"] as const) {
        const name = "www.example.org";
        const forwarded = await query(network, { transport, server: ELSEWHERE, name });
        assert.deepEqual(forwarded, [KNOWN], `forwarded over ${transport}`);
      }
    });
    await t.step(stepWith("dig", "names of the mesh, and others", async () => {
      for (const transport of ["+notcp", "+tcp"]) {
        assert.deepEqual(await dig(network, transport, "far.test", "A"), [virtual], transport);
        assert.deepEqual(await dig(network, transport, "www.example.org", "A"), [KNOWN]);
      }
    }));
    await t.step(stepWith("curl", "a name of the mesh, and a rule for its traffic", async () => {
      const { status } = await curl(network.workload, "http://far.test/teapot");
      assert.equal(status, 418);
    }));
    await t.step("queries of the proxy's group, and to other servers, are left alone", async () => {
      assert.deepEqual(
        await query(network, { server: ELSEWHERE, name: "far.test", group: PROXY_GROUP }),
        [KNOWN],
      );
      assert.deepEqual(await query(network, { server: BESIDE, name: "far.test" }), [OTHER]);
    });
    await t.step("with --capture-all-dns, queries to any server", async () => {
      await redirectDns(network, "--capture-all-dns");
      assert.deepEqual(await query(network, { server: BESIDE, name: "far.test" }), [virtual]);
      assert.deepEqual(
        await query(network, { transport: "tcp", server: BESIDE, name: "far.test" }),
        [virtual],
      );
      assert.deepEqual(await query(network, { server: BESIDE, name: "www.example.org" }), [KNOWN]);
    });
  },
});

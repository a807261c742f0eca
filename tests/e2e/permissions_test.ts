/**
 * The programs work under their permission sets of `deno.json`, with the folders of the test
 * granted by flags; access outside of a set is refused.
 *
 * @module
 */
import assert from "node:assert/strict";
import {
  call,
  eventually,
  freePort,
  freePorts,
  makeConfigDir,
  startAgent,
  startBackend,
  startDaemon,
  startProgram,
} from "../../scripts/harness/mod.ts";
import config from "../../deno.json" with { type: "json" };
import "../../cmd/pilot-discovery/program.ts";
import { declaredEnv } from "../../lib/kit/env/mod.ts";
import { envoyPath } from "../../scripts/tools.ts";
import { documents, endpoint, manifest, serviceEntry, to } from "../support/manifest.ts";

const PROBE = new URL("permissions/probe.ts", import.meta.url).pathname;
const HOST = "shop.test";
const ADDRESS = "127.0.9.1";

/** A rule for one host on one port, and the listener of the proxy that obeys it. */
function mesh(port: number, backendPort: number, header: string): string {
  const answer = to(HOST, undefined, { headers: { response: { set: { "x-rule": header } } } });
  return documents(
    manifest("Sidecar", "proxy", {
      egress: [{
        port: { number: port, protocol: "HTTP", name: "http" },
        bind: ADDRESS,
        captureMode: "NONE",
        hosts: ["./*"],
      }],
    }),
    serviceEntry("shop", [HOST], { number: port, protocol: "HTTP" }, [endpoint(backendPort)]),
    manifest("VirtualService", "shop", { hosts: [HOST], http: [answer] }),
  );
}

Deno.test("daemon and agent do their job under their own permission sets", async () => {
  await using stack = new AsyncDisposableStack();
  const work = await Deno.makeTempDir({ prefix: "mesh-permissions-" });
  stack.defer(() => Deno.remove(work, { recursive: true }));
  const dir = stack.use(await makeConfigDir());
  const backend = stack.use(startBackend("a"));
  const port = freePort();
  await dir.write("shop.yaml", mesh(port, backend.port, "first"));
  const daemon = stack.use(
    await startDaemon({
      configDir: dir.path,
      permissions: ["-P=pilot-discovery", `--allow-read=./etc/mesh,${dir.path}`],
    }),
  );
  const envoy = await envoyPath();
  const agent = stack.use(
    await startAgent({
      role: "sidecar",
      name: "proxy",
      namespace: "test",
      ip: ADDRESS,
      xds: daemon.xds,
      envoy,
      dir: work,
      interception: "NONE",
      permissions: [
        "-P=pilot-agent",
        `--allow-read=./etc/mesh,${work}/proxy/etc`,
        `--allow-write=${work}/proxy/etc`,
        `--allow-run=${envoy}`,
      ],
    }),
  );
  const ruled = async (): Promise<string | undefined> =>
    (await call(`http://${ADDRESS}:${port}/`, { host: HOST })).headers["x-rule"];
  await eventually("the first rule to act", async () => await ruled() === "first");
  await dir.write("shop.yaml", mesh(port, backend.port, "second"));
  await eventually("the changed rule to act", async () => await ruled() === "second");
  const pages = [`${daemon.monitoring}/metrics`, `${daemon.http}/debug/syncz`];
  for (const page of [...pages, `${agent.status}/stats/prometheus`]) {
    const answer = await fetch(page);
    await answer.body?.cancel();
    assert.equal(answer.status, 200, page);
  }
  for (const { output } of [daemon.program, agent.program]) {
    assert.doesNotMatch(output(), /NotCapable|Requires \w+ access/);
  }
});

/** Accesses by set; `true`: let through. */
const PROBES: readonly (readonly [set: string, access: string, what: string, granted: boolean])[] =
  [
    ["pilot-discovery", "env", "PILOT_DEBOUNCE_MAX", true],
    ["pilot-discovery", "env", "HOME", false],
    ["pilot-discovery", "env", "AWS_SECRET_ACCESS_KEY", false],
    ["pilot-discovery", "read", "/etc/hosts", false],
    ["pilot-discovery", "read", "main.ts", false],
    ["pilot-discovery", "write", "etc/mesh/file", false],
    ["pilot-discovery", "write", "/tmp/file", false],
    ["pilot-discovery", "run", "/bin/true", false],
    ["pilot-discovery", "sys", "", false],
    ["pilot-discovery", "ffi", "/lib/libnothing.so", false],
    ["pilot-agent", "env", "HOME", true],
    ["pilot-agent", "read", "/etc/hosts", false],
    ["pilot-agent", "read", "main.ts", false],
    ["pilot-agent", "write", "etc/mesh/config/file", false],
    ["pilot-agent", "write", "/tmp/file", false],
    ["pilot-agent", "run", "/bin/true", false],
    ["pilot-agent", "run", "/bin/sh", false],
    ["pilot-agent", "sys", "", false],
    ["pilot-agent", "ffi", "/lib/libnothing.so", false],
    ["pilot-agent-iptables", "env", "HOME", true],
    ["pilot-agent-iptables", "read", "/etc/passwd", true],
    ["pilot-agent-iptables", "read", "/etc/hosts", false],
    ["pilot-agent-iptables", "write", "/tmp/file", false],
    ["pilot-agent-iptables", "run", "/bin/true", false],
    ["pilot-agent-iptables", "run", "sh", false],
    // It runs any program.
    ["pilot-agent-iptables", "run", "nsenter", false],
    ["pilot-agent-iptables", "sys", "", false],
    ["pilot-agent-iptables", "ffi", "/lib/libnothing.so", false],
    ...["pilot-discovery", "pilot-agent", "pilot-agent-iptables", "meshctl"].map((set) =>
      [set, "inspector", "", false] as const
    ),
  ];

Deno.test("access outside a permission set is refused", async (t) => {
  for (const [set, access, what, granted] of PROBES) {
    await t.step(`${set}: ${access} ${what}`, async () => {
      const args = ["run", "-q", "--no-prompt", `-P=${set}`, PROBE, access, what];
      const { stdout, stderr } = await new Deno.Command(Deno.execPath(), { args }).output();
      const text = new TextDecoder();
      assert.equal(
        text.decode(stdout),
        granted ? "granted\n" : "refused\n",
        text.decode(stderr),
      );
    });
  }
});

for (const program of ["pilot-discovery", "pilot-agent"]) {
  Deno.test(`${program}: help and version need nothing beyond its set`, async () => {
    for (const words of [["--help"], ["version", "-o", "yaml"], ["completion", "bash"]]) {
      await using run = startProgram([program, ...words], {}, undefined, {
        permissions: [`-P=${program}`, "--no-prompt"],
      });
      const { code } = await run.status;
      assert.equal(code, 0, run.output());
      assert.doesNotMatch(run.output(), /Requires \w+ access/);
    }
  });
}

Deno.test("the daemon's set covers every variable it declares", () => {
  const set = config.permissions["pilot-discovery"].env;
  const covered = (name: string): boolean =>
    set.some((p) => p.endsWith("*") ? name.startsWith(p.slice(0, -1)) : p === name);
  const names = declaredEnv().filter((v) => v.programs.includes("pilot-discovery"))
    .map((v) => v.name);
  assert.ok(names.length > 20, `${names.length} declared`);
  assert.deepEqual(names.filter((name) => !covered(name)), []);
});

Deno.test("a daemon that may not read its config directory says so and ends", async () => {
  await using dir = await makeConfigDir();
  const [xds, http, monitoring, introspection] = freePorts(4);
  const args = [
    "pilot-discovery",
    "discovery",
    `--configDir=${dir.path}`,
    `--grpcAddr=127.0.0.1:${xds}`,
    "--secureGRPCAddr=",
    `--httpAddr=127.0.0.1:${http}`,
    `--monitoringAddr=127.0.0.1:${monitoring}`,
    `--ctrlz_port=${introspection}`,
  ];
  await using daemon = startProgram(args, {}, undefined, {
    permissions: ["-P=pilot-discovery", "--no-prompt"],
  });
  const { code } = await daemon.status;
  assert.equal(code, 1, daemon.output());
  assert.ok(daemon.output().includes(dir.path), daemon.output());
  assert.match(daemon.output(), /read access/);
});

Deno.test("an agent may not run a program outside its permission set", async () => {
  const dir = await Deno.makeTempDir({ prefix: "mesh-permissions-" });
  try {
    await using agent = await startAgent({
      role: "sidecar",
      name: "proxy",
      ip: ADDRESS,
      xds: `127.0.0.1:${freePort()}`,
      envoy: "/bin/true",
      dir,
      noWait: true,
      permissions: [
        "-P=pilot-agent",
        "--no-prompt",
        `--allow-read=./etc/mesh,${dir}/proxy/etc`,
        `--allow-write=${dir}/proxy/etc`,
      ],
    });
    const { code } = await agent.program.status;
    assert.equal(code, 1, agent.program.output());
    assert.match(agent.program.output(), /run access to "\/bin\/true"/);
  } finally {
    await Deno.remove(dir, { recursive: true });
  }
});

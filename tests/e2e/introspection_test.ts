/**
 * Introspection of a running daemon: log levels, profiles, graceful exit.
 *
 * @module
 */
import assert from "node:assert/strict";
import {
  type Daemon,
  freePorts,
  makeConfigDir,
  startDaemon,
  startProgram,
} from "../../scripts/harness/mod.ts";
import { create, encode } from "../../lib/kit/proto/mod.ts";
import { openStream } from "../../lib/kit/rpc/mod.ts";
import { DeltaDiscoveryRequestSchema } from "#envoy/service/discovery/v3/discovery_pb.ts";

/** Starts a daemon, and gives it with the base URL of its introspection. */
async function start(configDir: string, args: readonly string[] = []): Promise<[Daemon, string]> {
  const [xds, http, monitoring, port] = freePorts(4) as [number, number, number, number];
  const daemon = await startDaemon({ configDir, args, ports: [xds, http, monitoring, port] });
  return [daemon, `http://localhost:${port}`];
}

async function send(method: string, url: string, body?: unknown): Promise<number> {
  const answer = await fetch(url, { method, body: JSON.stringify(body) });
  await answer.body?.cancel();
  return answer.status;
}

/** Connects as a proxy and asks for clusters, until it is answered. */
async function askForClusters(daemon: Daemon, name: string): Promise<void> {
  const stream = openStream({
    target: daemon.xds,
    path: "/envoy.service.discovery.v3.AggregatedDiscoveryService/DeltaAggregatedResources",
  });
  stream.send(encode(
    DeltaDiscoveryRequestSchema,
    create(DeltaDiscoveryRequestSchema, {
      node: { id: `sidecar~10.0.0.1~${name}.test~test.svc.cluster.local` },
      typeUrl: "type.googleapis.com/envoy.config.cluster.v3.Cluster",
    }),
  ));
  for await (const _ of stream.messages) break;
  stream.close();
  await stream.ended;
}

Deno.test("levels changed at run time act; files are opened again; it ends when asked", async () => {
  await using dir = await makeConfigDir();
  const logs = await Deno.makeTempDir({ prefix: "mesh-logs-" });
  const [daemon, url] = await start(dir.path, [
    `--log_target=${logs}/mesh.log`,
    "--log_target=stdout",
  ]);
  await using _daemon = daemon;
  const pushed = (name: string) => new RegExp(`\tdebug\tads\t.*pushed\t.*${name}\\.test`);

  await askForClusters(daemon, "early");
  assert.equal(await send("PUT", `${url}/scopej/ads`, { output_level: "debug" }), 202);
  await askForClusters(daemon, "watched");
  await daemon.program.printed(pushed("watched"));
  assert.doesNotMatch(daemon.program.output(), pushed("early"));
  const ads = await (await fetch(`${url}/scopej/ads`)).json();
  assert.equal(await send("PUT", `${url}/scopej/ads`, { ...ads, output_level: "warn" }), 202);
  await askForClusters(daemon, "late");

  await Deno.rename(`${logs}/mesh.log`, `${logs}/mesh.log.1`);
  assert.equal(await send("PUT", `${url}/signalj/SIGUSR1`), 202);
  await daemon.program.printed("opened the log's targets again");
  const home = await (await fetch(`${url}/homej`)).json();
  assert.equal(home.ProcessName, "pilot-discovery");
  assert.equal(await send("PUT", `${url}/homej/exit`), 202);
  assert.equal((await daemon.program.status).code, 0);

  assert.doesNotMatch(daemon.program.output(), pushed("late"));
  assert.match(await Deno.readTextFile(`${logs}/mesh.log.1`), pushed("watched"));
  assert.match(await Deno.readTextFile(`${logs}/mesh.log`), /\tstopping\t/);
  await Deno.remove(logs, { recursive: true });
});

Deno.test("profiles are on the HTTP listener with --profile alone", async () => {
  await using dir = await makeConfigDir();
  const [plain, introspection] = await start(dir.path);
  await using _plain = plain;
  assert.equal(await send("GET", `${plain.http}/debug/pprof/cmdline`), 404);
  // The introspection listener has them all the same.
  assert.equal(await send("GET", `${introspection}/debug/pprof/cmdline`), 200);

  const [profiled] = await start(dir.path, ["--profile"]);
  await using _profiled = profiled;
  const words = await (await fetch(`${profiled.http}/debug/pprof/cmdline`)).text();
  assert(words.split("\0").includes("--profile"));
  const profile = await (await fetch(`${profiled.http}/debug/pprof/profile?seconds=1`)).json();
  assert(profile.nodes.length > 0);
  assert.doesNotMatch(profiled.program.output(), /profile.*no effect|has no effect.*profile/);
});

Deno.test("port 0 switches introspection off; a port in use ends the daemon with a remedy", async () => {
  await using dir = await makeConfigDir();
  const [xds, http, monitoring] = freePorts(3) as [number, number, number];
  // If 0 meant any port, or the default, the port would be unknown; so the ports of the process are
  // listed.
  const off = await startDaemon({ configDir: dir.path, ports: [xds, http, monitoring, 0] });
  await using _off = off;
  const known = new Set([xds, http, monitoring]);
  const others = (await listening(off.program.pid)).filter((port) => !known.delete(port));
  assert.deepEqual([...known], []);
  // Behind each HTTP listener is a private port that answers nobody but the listener.
  assert.equal(others.length, 2);
  for (const other of others) {
    const answer = await fetch(`http://127.0.0.1:${other}/`);
    await answer.body?.cancel();
    assert.equal(answer.status, 403);
  }

  const [first, url] = await start(dir.path);
  await using _first = first;
  const { port } = new URL(url);
  const ports = freePorts(3);
  await using second = startProgram([
    "pilot-discovery",
    "discovery",
    `--configDir=${dir.path}`,
    ...["grpcAddr", "httpAddr", "monitoringAddr"].map((f, i) => `--${f}=127.0.0.1:${ports[i]}`),
    `--ctrlz_port=${port}`,
  ]);
  assert.equal((await second.status).code, 1);
  assert.match(second.output(), new RegExp(`localhost:${port} .introspection.: .*in use`));
  assert.match(second.output(), /--ctrlz_port; port 0 switches it off/);
  assert.doesNotMatch(second.output(), /^\s+at .*\.ts:\d+/m);
});

/** TCP ports on which a process listens, sorted as texts. */
async function listening(pid: number): Promise<number[]> {
  const sockets = new Set<string>();
  for await (const { name } of Deno.readDir(`/proc/${pid}/fd`)) {
    const target = await Deno.readLink(`/proc/${pid}/fd/${name}`).catch(() => "");
    sockets.add(/^socket:\[(\d+)\]$/.exec(target)?.[1] ?? "");
  }
  const ports = new Set<number>();
  for (const table of ["tcp", "tcp6"]) {
    const lines = (await Deno.readTextFile(`/proc/net/${table}`)).trim().split("\n").slice(1);
    for (const columns of lines.map((line) => line.trim().split(/\s+/))) {
      const [local = "", state, inode = ""] = [columns[1], columns[3], columns[9]];
      // 0A is the state of a listening socket.
      if (state === "0A" && sockets.has(inode)) ports.add(parseInt(local.split(":").at(-1)!, 16));
    }
  }
  return [...ports].sort();
}

/**
 * A daemon with a failing and an unrepeatable computation: all others continue, the objects are
 * named, a repair ends the fault. The test makes the engine fail, because no accepted document
 * does.
 *
 * @module
 */
import assert from "node:assert/strict";
import { parseArgv } from "../../lib/kit/cli/mod.ts";
import { createGraph } from "../../lib/mesh/graph/mod.ts";
import { configureLogging } from "../../lib/kit/log/mod.ts";
import { expose } from "../../lib/kit/metrics/mod.ts";
import type { Service } from "../../lib/mesh/model/mod.ts";
import { discovery } from "../../cmd/pilot-discovery/discovery.ts";
import { discoveryOptions } from "../../cmd/pilot-discovery/options.ts";
import { PILOT_DISCOVERY } from "../../cmd/pilot-discovery/program.ts";
import { eventually, freePorts, makeConfigDir } from "../../scripts/harness/mod.ts";
import { connectJudging } from "../support/judging_client.ts";
import { endpoint, manifest, serviceEntry, to } from "../support/manifest.ts";

/** A port of this number fails to be computed. */
const FAILS = 6666;
/** A service of this host is computed otherwise each time. */
const UNSTEADY = "unsteady.test";

type Compute = (read: unknown, key: unknown) => unknown;

/** An engine that gets services of {@link FAILS} and {@link UNSTEADY} wrong. */
const wrongGraph: typeof createGraph = (options) => {
  const inner = createGraph(options);
  let runs = 0;
  const wrong = (compute: Compute): Compute => (read, key) => {
    const service = compute(read, key) as Service | undefined;
    if (service?.ports.some((p) => p.number === FAILS)) throw new Error("boom <b>");
    return service?.host === UNSTEADY ? { ...service, labels: { run: `${++runs}` } } : service;
  };
  const derive = (name: string, ...rest: unknown[]): unknown => {
    const changed = rest.map((one) =>
      name === "service" && typeof one === "function" ? wrong(one as Compute) : one
    );
    return Reflect.apply(inner.derive, inner, [name, ...changed]);
  };
  return Object.create(inner, { derive: { value: derive } });
};

interface Running extends AsyncDisposable {
  readonly xds: string;
  readonly http: string;
  readonly port: number;
  log(): Promise<string>;
}

/** The daemon, in this process, on all addresses. */
async function startWrong(configDir: string): Promise<Running> {
  const [xds, http] = freePorts(2);
  const file = await Deno.makeTempFile({ prefix: "mesh-log-" });
  const { flags } = parseArgv(PILOT_DISCOVERY, [
    "discovery",
    `--configDir=${configDir}`,
    `--grpcAddr=127.0.0.1:${xds}`,
    "--secureGRPCAddr=",
    `--httpAddr=0.0.0.0:${http}`,
    "--monitoringAddr=",
    "--ctrlz_port=0",
    `--log_target=${file}`,
  ]);
  const options = discoveryOptions(flags);
  const endLogging = configureLogging(options.logging);
  const stop = new AbortController();
  const ended = discovery(options, stop.signal, wrongGraph);
  const base = `http://127.0.0.1:${http}`;
  await eventually("the daemon to be ready", async () => {
    const answer = await fetch(`${base}/ready`);
    await answer.body?.cancel();
    return answer.status === 200;
  });
  return {
    xds: `127.0.0.1:${xds}`,
    http: base,
    port: http!,
    log: () => Deno.readTextFile(file),
    [Symbol.asyncDispose]: async () => {
      stop.abort();
      assert.equal(await ended, 0);
      endLogging();
      await Deno.remove(file);
    },
  };
}

const HTTP = { number: 80, protocol: "HTTP" };
const service = (name: string, number = 80) =>
  serviceEntry(name, [`${name}.test`], { ...HTTP, number }, [endpoint(1)]);
const rule = (connections: number) =>
  manifest("DestinationRule", "limits", {
    host: "refused.test",
    trafficPolicy: { connectionPool: { tcp: { maxConnections: connections } } },
  });

async function json<T>(url: string): Promise<T> {
  return await (await fetch(url)).json() as T;
}

async function page(url: string): Promise<string> {
  const answer = await fetch(url, { headers: { accept: "text/html" } });
  assert.equal(answer.status, 200);
  const body = await answer.text();
  assert.doesNotMatch(body, /<b>|<script/);
  return body;
}

Deno.test("a failed computation is named, other resources are served, and a repaired object ends it", async (t) => {
  await using config = await makeConfigDir();
  for (const name of ["good", "shaky", "unsteady", "refused"]) {
    await config.write(`${name}.yaml`, service(name));
  }
  await using daemon = await startWrong(config.path);
  await using proxy = connectJudging(daemon.xds, {
    name: "p",
    ip: "10.0.0.1",
    routes: ["80"],
    judge: (names) => {
      const bad = refusing && names.find((name) => name.includes("refused.test"));
      return bad ? `Error adding/updating cluster(s) ${bad}: I do not like it` : undefined;
    },
  });
  let refusing = false;
  const holds = (name: string) => eventually(name, () => proxy.held.has(name));
  await holds("outbound|80||shaky.test");

  await t.step("an object of which a computation fails keeps what it had", async () => {
    await config.write("shaky.yaml", service("shaky", FAILS));
    await config.write("new.yaml", service("new"));
    await holds("outbound|80||new.test");
    const faults = await json<{ table: string; key: string; inputs: string[] }[]>(
      `${daemon.http}/debug/faultz`,
    );
    assert.ok(faults.some((f) => f.inputs.includes("ServiceEntry/test/shaky")), `${faults}`);
    assert.ok(proxy.held.has("outbound|80||shaky.test"), "what was good stays");
    const body = await page(`${daemon.http}/debug/faults`);
    assert.match(body, /ServiceEntry test\/shaky/);
    assert.match(body, /boom &lt;b>/);
    assert.match(String((await expose()).body), /^mesh_graph_faults [1-9]/m);
    assert.match(await daemon.log(), /a computation failed.*ServiceEntry\/test\/shaky/);
  });

  await t.step("it is healed by another version", async () => {
    await config.write("shaky.yaml", service("shaky", 81));
    await holds("outbound|81||shaky.test");
    assert.deepEqual(await json(`${daemon.http}/debug/faultz`), []);
    assert.match(await page(`${daemon.http}/debug/faults`), /No computation fails/);
    assert.match(await daemon.log(), /a computation works again/);
  });

  await t.step("findings of the audit are shown with the inputs of the cell", async () => {
    const audit = `${daemon.http}/debug/audit`;
    await eventually("a difference", async () => {
      return (await json<{ differences: number }>(audit)).differences > 0;
    });
    assert.match(await page(audit), /ServiceEntry test\/unsteady/);
    assert.match(await daemon.log(), /the audit found and repaired a difference/);
  });

  await t.step("rejections of a proxy are shown with the generations of the objects", async () => {
    refusing = true;
    await config.write("rule.yaml", rule(3));
    type Held = { name: string; culprits: { object: string; generation: number }[] };
    const quarantine = `${daemon.http}/debug/quarantine`;
    await eventually("the quarantine", async () => (await json<Held[]>(quarantine)).length > 0);
    const [held] = await json<Held[]>(quarantine);
    assert.equal(held!.name, "outbound|80||refused.test");
    assert.deepEqual(held!.culprits[0], { object: "DestinationRule/test/limits", generation: 1 });
    const body = await page(quarantine);
    assert.match(body, /DestinationRule test\/limits<\/a> generation 1/);
    assert.match(body, /I do not like it/);
    refusing = false;
    await config.write("rule.yaml", rule(4));
    await eventually("it to be over", async () => (await json<Held[]>(quarantine)).length === 0);
  });

  const others = Deno.networkInterfaces().filter((one) =>
    one.family === "IPv4" && !one.address.startsWith("127.")
  );
  await t.step({
    name: others.length === 0
      ? "peers on other addresses are refused [needs one]"
      : "peers on other addresses are refused",
    ignore: others.length === 0,
    fn: async () => {
      const base = `http://${others[0]!.address}:${daemon.port}`;
      for (const path of ["", "/syncz", "/config_dump?proxyID=p.test", "/whatif", "/costs"]) {
        const answer = await fetch(`${base}/debug${path}`);
        assert.equal(answer.status, 401, path);
        assert.equal(await answer.text(), "");
      }
      const answer = await fetch(`${base}/debug/whatif`, {
        method: "POST",
        body: manifest("VirtualService", "x", { hosts: ["good.test"], http: [to("good.test")] }),
      });
      assert.equal(answer.status, 401);
      await answer.body?.cancel();
    },
  });
});

/**
 * States of Envoys that the daemon knows: an Envoy that is killed, one that hangs, and one that comes
 * back, on pages, in `proxy-status` and in metrics.
 *
 * @module
 */
import assert from "node:assert/strict";
import {
  type Agent,
  eventually,
  freePort,
  startAgent,
  startBackend,
} from "../../scripts/harness/mod.ts";
import { envoyPath } from "../../scripts/tools.ts";
import { openBrowser, PICTURES } from "../support/browser.ts";
import { documents, endpoint, serviceEntry } from "../support/manifest.ts";
import { meshctl } from "../support/meshctl.ts";
import { addressOf, sidecars, startWorld, type World } from "../support/world.ts";

interface StateRow {
  readonly proxy: string;
  readonly state: string;
  readonly exit?: { readonly text: string; readonly lines: readonly string[] };
  readonly exits?: readonly unknown[];
  readonly memory?: { readonly proxy: number; readonly agent: number };
}

const KILLED = "sidecar-delta.test";
const OTHER = "sidecar-sotw.test";

async function statesOf({ daemon }: World): Promise<Readonly<Record<string, StateRow>>> {
  const rows = await daemon.debug<StateRow[]>("proxy_states");
  return Object.fromEntries(rows.map((row) => [row.proxy, row]));
}

async function page({ daemon }: World, path: string): Promise<string> {
  const answer = await fetch(`${daemon.http}${path}`, { headers: { accept: "text/html" } });
  return (await answer.text()).replace(/<style>[^]*?<\/style>/, "").replaceAll(/<[^>]*>/g, " ")
    .replaceAll(/\s+/g, " ");
}

/** Process id of the Envoy that an agent started, as its log says. */
function envoyOf({ program }: Agent): number {
  const found = [...program.output().matchAll(/started the proxy.*?\bpid"?[=:]\s*(\d+)/g)].at(-1);
  assert.ok(found, program.output());
  return Number(found[1]);
}

async function gauge({ daemon }: World, line: string): Promise<string | undefined> {
  const text = await (await fetch(`${daemon.monitoring}/metrics`)).text();
  return text.split("\n").find((one) => one.startsWith(`${line} `))?.slice(line.length + 1);
}

/** Pictures of a page for review: light and dark, wide and narrow. */
async function photograph({ daemon }: World, path: string, name: string): Promise<void> {
  const browser = openBrowser();
  if (browser === undefined) return;
  for (const [look, options] of [["light", {}], ["dark", { dark: true }]] as const) {
    for (const [size, width] of [["wide", 1280], ["narrow", 390]] as const) {
      await browser.screenshot(`${daemon.http}${path}`, `${PICTURES}/${name}-${look}-${size}.png`, {
        ...options,
        width,
        height: 1400,
      });
    }
  }
}

Deno.test("the daemon says which Envoy was killed, which hangs, and which runs again", async (t) => {
  await using v1 = startBackend("v1");
  const http = { number: freePort(), protocol: "HTTP" };
  await using world = await startWorld({
    files: {
      "sidecars.yaml": sidecars([http]),
      "service.yaml": documents(
        serviceEntry("shop", ["shop.test"], http, [
          endpoint(v1.port, {}),
          { ...endpoint(v1.port, {}), address: addressOf("sidecar", "delta") },
        ]),
      ),
    },
  });
  const [killed, other] = [KILLED, OTHER].map((name) => {
    const found = world.testProxies.find(({ agent }) => `${agent.name}.test` === name);
    assert.ok(found);
    return found.agent;
  }) as [Agent, Agent];
  const xds = ["--xds-address", world.daemon.http];

  await t.step("both are ready, with their memory", async () => {
    await eventually("reports of both", async () => {
      const states = await statesOf(world);
      return [KILLED, OTHER].every((name) => states[name]?.state === "ready");
    });
    const { memory } = (await statesOf(world))[KILLED]!;
    assert.ok(memory!.proxy > 1 << 20 && memory!.agent > 1 << 20, JSON.stringify(memory));
    assert.match(await page(world, "/debug"), /Nothing is wrong/);
    assert.match(await page(world, `/debug/proxies/${KILLED}`), /Envoy ready for .*MiB of memory/);
    assert.equal(await gauge(world, 'mesh_proxies{state="ready"}'), "2");
    const { err } = await meshctl(["proxy-status", ...xds]);
    assert.equal(err, "");
  });

  await t.step("an Envoy is killed: the agent ends, and the overview names it", async () => {
    Deno.kill(envoyOf(killed), "SIGKILL");
    const { code } = await killed.program.status;
    assert.equal(code, 1, killed.program.output());
    // The agent ends after the daemon took its report, so nothing is waited for here.
    const overview = await page(world, "/debug");
    assert.match(overview, /The Envoy of sidecar-delta\.test exited by SIGKILL/);
    assert.match(overview, /shop\.test has 1 endpoint at other addresses/);
    assert.match(overview, /OOMKilled/);
    assert.doesNotMatch(overview, /Nothing is wrong/);
    const states = await statesOf(world);
    assert.equal(states[KILLED]?.exit?.text, "by SIGKILL");
    assert.equal(states[OTHER]?.state, "ready");
    assert.equal(await gauge(world, 'mesh_proxies{state="exited"}'), "1");
    assert.equal(await gauge(world, 'mesh_proxy_exits_total{by="SIGKILL"}'), "1");
    assert.match(await page(world, `/debug/proxies/${KILLED}`), /Its Envoy exited by SIGKILL/);
    assert.match(
      await page(world, "/debug/proxies?state=exited"),
      /Exited, and not connected again/,
    );
    await photograph(world, "/debug", "envoy-killed-overview");
    await photograph(world, `/debug/proxies/${KILLED}`, "envoy-killed-proxy");
    await photograph(world, "/debug/proxies", "envoy-killed-proxies");
  });

  await t.step("proxy-status says so", async () => {
    const { out, err, status } = await meshctl(["proxy-status", ...xds]);
    assert.equal(status, 0, err);
    assert.match(out, /^sidecar-delta\.test +EXITED \(\d+s\)/m);
    assert.match(
      err,
      /^sidecar-delta\.test: its Envoy exited by SIGKILL \d+s ago$/m,
    );
    const one = await meshctl(["proxy-status", KILLED, "-f", other.admin, ...xds]);
    assert.equal(one.status, 1);
    assert.match(one.err, /exited by SIGKILL[^]*is not connected to a daemon/);
  });

  await t.step(
    "an Envoy that refuses its bootstrap file is named with its last lines",
    async () => {
      const dir = await Deno.makeTempDir();
      try {
        await Deno.writeTextFile(`${dir}/wrong.json`, '{"admin": {"address": 1}}');
        await using agent = await startAgent({
          role: "sidecar",
          name: "misled",
          namespace: "test",
          ip: "127.0.7.9",
          xds: world.daemon.xds,
          envoy: await envoyPath(),
          dir,
          noWait: true,
          env: { MESH_BOOTSTRAP_OVERRIDE: `${dir}/wrong.json` },
        });
        await agent.program.status;
        const { exit, state } = (await statesOf(world))["misled.test"] ?? {};
        assert.equal(state, "exited", agent.program.output());
        assert.equal(exit?.text, "with exit status 1");
        assert.match(exit?.lines.join("\n") ?? "", /admin/);
        assert.match(agent.program.output(), /admin/, "the log is passed on");
        assert.match(await page(world, "/debug/proxies/misled.test"), /admin/);
      } finally {
        await Deno.remove(dir, { recursive: true });
      }
    },
  );

  await t.step("an Envoy that hangs is told from one that runs", async () => {
    const pid = envoyOf(other);
    Deno.kill(pid, "SIGSTOP");
    try {
      await eventually("the report that it does not answer", async () => {
        return (await statesOf(world))[OTHER]?.state === "silent";
      }, 60_000);
      assert.match(
        await page(world, "/debug"),
        /sidecar-sotw\.test runs and does not answer its agent/,
      );
      const { err } = await meshctl(["proxy-status", ...xds]);
      assert.match(err, /sidecar-sotw\.test: its Envoy runs and does not answer its agent/);
    } finally {
      Deno.kill(pid, "SIGCONT");
    }
    await eventually("the report that it answers", async () => {
      return (await statesOf(world))[OTHER]?.state === "ready";
    }, 60_000);
  });

  await t.step(
    "an Envoy that is back is no longer red, and its exit is not forgotten",
    async () => {
      const dir = await Deno.makeTempDir();
      try {
        await using _ = await startAgent({
          role: "sidecar",
          name: killed.name,
          namespace: "test",
          labels: { transport: "delta", kind: "sidecar" },
          ip: addressOf("sidecar", "delta"),
          xds: world.daemon.xds,
          envoy: await envoyPath(),
          dir,
        });
        await eventually("its report", async () => {
          return (await statesOf(world))[KILLED]?.state === "ready";
        });
        const states = await statesOf(world);
        assert.equal(states[KILLED]?.exit, undefined);
        assert.equal(states[KILLED]?.exits?.length, 1);
        assert.match(await page(world, "/debug"), /exited once in 15 minutes, and runs again/);
        assert.equal(await gauge(world, 'mesh_proxies{state="exited"}'), "1");
      } finally {
        await Deno.remove(dir, { recursive: true });
      }
      await eventually("its orderly end to leave nothing red", async () => {
        return (await statesOf(world))[KILLED] === undefined;
      });
      const states = await statesOf(world);
      const left = Object.values(states).map(({ proxy, state }) => [proxy, state]).sort();
      assert.deepEqual(left, [["misled.test", "exited"], [OTHER, "ready"]]);
    },
  );
});

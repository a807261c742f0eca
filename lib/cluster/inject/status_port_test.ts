/** The port of the agent: probes, hooks and rules of capture in injected pods name the one it listens on. */
import assert from "node:assert/strict";
import { parseInjectionConfig, type Pod } from "./mod.ts";
import { type Container, proxyOf } from "./objects.ts";
import { injectedPod } from "./testing.ts";

const PORT = "status.sidecar.mesh.io/port";
const CONFIG = "proxy.mesh.io/config";

interface Row {
  readonly annotations: Record<string, string>;
  /** The value `global.proxy.statusPort`; unset: the built-in one. */
  readonly value?: number;
  /** The port that the agent listens on; 0: none. */
  readonly agent: number;
  /** The port that is not captured; 0: none, and the proxy has no probe. Default: the agent's. */
  readonly spared?: number;
}

const ROWS: readonly Row[] = [
  { annotations: {}, agent: 15020 },
  { annotations: {}, value: 15555, agent: 15020, spared: 15555 },
  { annotations: {}, value: 0, agent: 15020, spared: 0 },
  { annotations: { [PORT]: "15999" }, agent: 15999 },
  { annotations: { [PORT]: "" }, agent: 15020 },
  { annotations: { [PORT]: "0" }, agent: 0 },
  { annotations: { [CONFIG]: "statusPort: 15998" }, agent: 15998 },
  { annotations: { [CONFIG]: "statusPort: 15998" }, value: 15555, agent: 15998 },
  { annotations: { [CONFIG]: "statusPort: 15998", [PORT]: "15999" }, value: 0, agent: 15999 },
];

interface Probed {
  readonly httpGet?: { readonly port: unknown };
}

function proxyIn(
  templates: string,
  { annotations, value }: Row,
  nativeSidecars = false,
): { pod: Pod; proxy: Container } {
  const values = value === undefined ? {} : { global: { proxy: { statusPort: value } } };
  const pod = injectedPod(
    { annotations: { ...annotations, "inject.mesh.io/templates": templates } },
    {
      nativeSidecars,
      config: parseInjectionConfig({ config: "", values: JSON.stringify(values) }),
    },
  );
  const proxy = proxyOf(pod);
  assert.ok(proxy !== undefined);
  return { pod, proxy };
}

for (const row of ROWS) {
  const { annotations, value, agent, spared = agent } = row;
  const what = `${JSON.stringify(annotations)}, value ${value}`;

  Deno.test(`sidecar: the port of the agent is not captured: ${what}`, () => {
    const { pod, proxy } = proxyIn("sidecar", row);
    const args = pod.spec!.initContainers![0]!.args as string[];
    assert.equal(args[args.indexOf("-d") + 1], `15090,15021${spared === 0 ? "" : `,${spared}`}`);
    assert.equal(proxy.readinessProbe !== undefined, spared !== 0);
  });

  Deno.test(`native sidecar: the hook asks the port of the agent: ${what}`, () => {
    const { proxy } = proxyIn("sidecar", row, true);
    const found = /--debug-port=(\d+)/.exec(JSON.stringify(proxy.lifecycle ?? {}))?.[1];
    assert.equal(found, agent === 0 ? undefined : String(agent));
  });

  Deno.test(`gateway: without an agent's port there is no probe: ${what}`, () => {
    const { readinessProbe } = proxyIn("gateway", row).proxy as { readinessProbe?: Probed };
    assert.equal(readinessProbe?.httpGet?.port, spared === 0 ? undefined : 15021);
  });

  Deno.test(`grpc-agent: probe, hook and port are those of the agent: ${what}`, () => {
    const { readinessProbe, lifecycle, ports } = proxyIn("grpc-agent", row).proxy as {
      readinessProbe?: Probed;
      lifecycle?: unknown;
      ports?: { containerPort: number }[];
    };
    const url = /localhost:(\d+)/.exec(JSON.stringify(lifecycle ?? {}))?.[1];
    const own = agent === 0 ? undefined : agent;
    assert.equal(readinessProbe?.httpGet?.port, spared === 0 ? undefined : own);
    assert.deepEqual([url, ports?.[0]?.containerPort], [own && String(own), own]);
  });
}

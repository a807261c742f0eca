/** The arguments that injection gives containers are arguments of this program. */
import assert from "node:assert/strict";
import { parseArgv } from "../../lib/kit/cli/mod.ts";
import {
  defaultInjectionConfig,
  injectPod,
  parseInjectionConfig,
  type Pod,
} from "../../lib/cluster/inject/mod.ts";
import { defaultMeshConfig } from "../../lib/mesh/schema/mod.ts";
import { parseProbes } from "../../lib/node/probes/mod.ts";
import { PILOT_AGENT } from "./program.ts";
import { waitUntilReady } from "./wait.ts";

const ANNOTATIONS = {
  "sidecar.mesh.io/interceptionMode": "TPROXY",
  "sidecar.mesh.io/logLevel": "debug",
  "traffic.sidecar.mesh.io/includeOutboundPorts": "1,2",
  "traffic.sidecar.mesh.io/excludeOutboundPorts": "3",
  "traffic.sidecar.mesh.io/excludeInterfaces": "eth1",
  "mesh.io/reroute-virtual-interfaces": "veth0",
};

function injected(template: string, values: object, native: boolean): Pod {
  const pod: Pod = {
    metadata: { name: "a", annotations: { ...ANNOTATIONS, "inject.mesh.io/templates": template } },
    spec: { containers: [{ name: template === "gateway" ? "mesh-proxy" : "app", image: "auto" }] },
  };
  return injectPod(pod, {
    config: Object.keys(values).length === 0
      ? defaultInjectionConfig()
      : parseInjectionConfig({ config: "", values: JSON.stringify(values) }),
    mesh: defaultMeshConfig(),
    revision: "",
    nativeSidecars: native,
    compliancePolicy: "",
    workload: { apiVersion: "v1", kind: "Pod", name: "a", namespace: "shop" },
  });
}

const ALL_SET = {
  global: {
    logAsJson: true,
    sts: { servicePort: 15463 },
    proxy: { outlierLogPath: "/dev/stdout", holdApplicationUntilProxyStarts: true },
    proxy_init: { forceApplyIptables: true },
  },
};

Deno.test("the agent accepts the arguments and commands of injected containers", () => {
  let checked = 0;
  for (const template of ["sidecar", "gateway", "grpc-agent"]) {
    for (const values of [{}, ALL_SET, { pilot: { cni: { enabled: true } } }]) {
      for (const native of [false, true]) {
        const { spec } = injected(template, values, native);
        for (const container of [...spec?.initContainers ?? [], ...spec?.containers ?? []]) {
          for (const argv of argumentsOf(container)) {
            assert.doesNotThrow(
              () => parseArgv(PILOT_AGENT, argv),
              `${template}: ${argv.join(" ")}`,
            );
            checked++;
          }
        }
      }
    }
  }
  assert.ok(checked > 20, `${checked}`);
});

Deno.test("the agent reads the table of probes that injection writes", () => {
  const probe = { grpc: { port: 9000, service: "x" }, timeoutSeconds: 3 };
  const pod: Pod = {
    metadata: { name: "a" },
    spec: { containers: [{ name: "app", livenessProbe: probe }] },
  };
  const { spec } = injectPod(pod, {
    config: defaultInjectionConfig(),
    mesh: defaultMeshConfig(),
    revision: "",
    nativeSidecars: false,
    compliancePolicy: "",
    workload: { apiVersion: "v1", kind: "Pod", name: "a", namespace: "shop" },
  });
  const env = spec?.containers.find(({ name }) => name === "mesh-proxy")?.env;
  const text = env?.find(({ name }) => name === "MESH_ORCH_APP_PROBERS")?.value;
  const table = parseProbes(text ?? "{}");
  assert.deepEqual(table.get("/app-health/app/livez"), {
    kind: "grpc",
    port: 9000,
    service: "x",
    timeoutMs: 3000,
  });
});

Deno.test("wait ends when the address answers 200, and says why it does not", async () => {
  const answers = [503, 503, 200];
  await using server = Deno.serve(
    { port: 0, hostname: "127.0.0.1", onListen: () => {} },
    () => new Response(null, { status: answers.shift() ?? 500 }),
  );
  const url = `http://127.0.0.1:${server.addr.port}/`;
  const times = { requestTimeoutMs: 30_000, periodMs: 1 };
  const { signal } = new AbortController();
  await waitUntilReady({ url, ...times, timeoutMs: 60_000 }, signal);
  assert.equal(answers.length, 0);
  await assert.rejects(
    waitUntilReady({ url, ...times, timeoutMs: 1 }, signal),
    /was not ready within 1 ms: 500/,
  );
});

function argumentsOf(container: Record<string, unknown>): string[][] {
  const { args, lifecycle } = container as {
    args?: string[];
    lifecycle?: Record<string, { exec?: { command?: string[] } }>;
  };
  const commands = Object.values(lifecycle ?? {}).flatMap(({ exec }) => exec?.command ?? []);
  if (commands.length > 0) assert.equal(commands[0], "pilot-agent");
  return [...args ? [args] : [], ...commands.length > 0 ? [commands.slice(1)] : []];
}

/**
 * The rules of a pod with the network plugin are those that `mesh-init` sets in the pod that is
 * injected without it.
 */
import assert from "node:assert/strict";
import fc from "fast-check";
import {
  defaultInjectionConfig,
  type EnvEntry,
  injectPod,
  parseInjectionConfig,
  type Pod,
} from "../../lib/cluster/inject/mod.ts";
import { parseArgv } from "../../lib/kit/cli/mod.ts";
import { useEnvironment } from "../../lib/kit/env/mod.ts";
import { defaultMeshConfig } from "../../lib/mesh/schema/mod.ts";
import {
  type CaptureHost,
  type CapturePlan,
  parseCapture,
  planCapture,
} from "../../lib/node/capture/mod.ts";
import { captureSettingsOf, type CniPod, decide, nameserversOf } from "../../lib/node/cni/mod.ts";
import { captureOptions } from "./capture_options.ts";
import { PILOT_AGENT } from "./program.ts";

const NAMESERVERS = ["10.96.0.10", "fd00::a"];
const TRAFFIC = "traffic.sidecar.mesh.io";

const list = (of: fc.Arbitrary<string | number>) =>
  fc.uniqueArray(of, { maxLength: 3 }).map((items) => items.join(","));
const orAll = (of: fc.Arbitrary<string>) => fc.oneof(fc.constant("*"), of);
const ports = list(fc.integer({ min: 1, max: 65_535 }));
const ranges = list(fc.constantFrom("10.0.0.0/8", "10.1.2.3/16", "2001:db8::/32"));
const devices = list(fc.constantFrom("net1", "net2", "veth+"));

const annotations = fc.record({
  "sidecar.mesh.io/interceptionMode": fc.constantFrom("REDIRECT", "TPROXY"),
  "mesh.io/reroute-virtual-interfaces": devices,
  [`${TRAFFIC}/includeInboundPorts`]: orAll(ports),
  [`${TRAFFIC}/excludeInboundPorts`]: ports,
  [`${TRAFFIC}/includeOutboundPorts`]: ports,
  [`${TRAFFIC}/excludeOutboundPorts`]: ports,
  [`${TRAFFIC}/includeOutboundIPRanges`]: orAll(ranges),
  [`${TRAFFIC}/excludeOutboundIPRanges`]: ranges,
  [`${TRAFFIC}/excludeInterfaces`]: devices,
  [`${TRAFFIC}/kubevirtInterfaces`]: devices,
  "sidecar.mesh.io/nativeSidecar": fc.constantFrom("true", "false"),
}, { requiredKeys: [] });

const bool = fc.constantFrom("true", "false");
const metadata = fc.record({
  MESH_META_DNS_CAPTURE: bool,
  INVALID_DROP: bool,
  MESH_DUAL_STACK: bool,
  MESH_OUTBOUND_OWNER_GROUPS: orAll(list(fc.constantFrom(100, "java"))),
  MESH_OUTBOUND_OWNER_GROUPS_EXCLUDE: list(fc.constantFrom(100, "java")),
  MESH_OUTBOUND_PORTS: ports,
  INBOUND_TPROXY_MARK: fc.constantFrom("1400", "1500"),
}, { requiredKeys: [] });

const hosts: fc.Arbitrary<CaptureHost> = fc.record({ ipv4: fc.boolean(), ipv6: fc.boolean() })
  .map((families) => ({ ...families, nameservers: [], users: new Map(), groups: new Map() }));

/** Values of an installation; empty defaults differ from absent ones. */
const values = fc.record({
  includeIPRanges: fc.constantFrom("*", "", "10.0.0.0/8"),
  excludeIPRanges: fc.constantFrom("", "10.9.0.0/16"),
  includeInboundPorts: fc.constantFrom("*", "", "8080"),
  excludeInboundPorts: fc.constantFrom("", "9090"),
  includeOutboundPorts: fc.constantFrom("", "7000"),
  excludeOutboundPorts: fc.constantFrom("", "7001"),
}, { requiredKeys: [] });

interface Case {
  readonly annotations: Readonly<Record<string, string>>;
  readonly metadata: Readonly<Record<string, string>>;
  readonly values: Readonly<Record<string, string>>;
  readonly host: CaptureHost;
}

function injected({ annotations, metadata, values }: Case, plugin: boolean): Pod {
  const config = JSON.stringify({ proxyMetadata: metadata });
  const pod: Pod = {
    metadata: { name: "a", annotations: { ...annotations, "proxy.mesh.io/config": config } },
    spec: { containers: [{ name: "app" }] },
  };
  const all = { global: { proxy: values }, ...plugin ? { pilot: { cni: { enabled: true } } } : {} };
  return injectPod(pod, {
    config: Object.keys(all).length === 0
      ? defaultInjectionConfig()
      : parseInjectionConfig({ config: "", values: JSON.stringify(all) }),
    mesh: { ...defaultMeshConfig(), proxyListenPort: 16001 },
    revision: "",
    nativeSidecars: false,
    compliancePolicy: "",
    workload: { apiVersion: "v1", kind: "Pod", name: "a", namespace: "shop" },
  });
}

function byInit(given: Case): CapturePlan {
  const init = injected(given, false).spec?.initContainers?.find(({ name }) =>
    name === "mesh-init"
  );
  assert.ok(init, "there is no mesh-init");
  const env = Object.fromEntries(
    (init.env as EnvEntry[] | undefined ?? []).map(({ name, value = "" }) => [name, value]),
  );
  using _ = useEnvironment(env);
  const { input } = captureOptions(parseArgv(PILOT_AGENT, init["args"] as string[]).flags);
  return planCapture(parseCapture(input, { ...given.host, nameservers: NAMESERVERS }));
}

function byPlugin(given: Case): CapturePlan {
  // The API server sends it as text.
  const pod: CniPod = JSON.parse(JSON.stringify(injected(given, true)));
  const decision = decide(pod);
  assert.ok(decision.kind === "capture", JSON.stringify(decision));
  const nameservers = nameserversOf(pod, { cluster: NAMESERVERS });
  return planCapture(captureSettingsOf({ pod, proxy: decision.proxy, nameservers }, given.host));
}

Deno.test("law: the plugin plans the rules that mesh-init would set", () => {
  fc.assert(
    fc.property(
      fc.record({ annotations, metadata, values, host: hosts }),
      (given) => assert.deepEqual(byPlugin(given), byInit(given)),
    ),
    { numRuns: 60 },
  );
});

Deno.test("a wrong annotation is an error that names pod, place, value and remedy", () => {
  const host = { ipv4: true, ipv6: false, nameservers: [], users: new Map(), groups: new Map() };
  for (
    const [name, value] of [
      [`${TRAFFIC}/includeInboundPorts`, "http"],
      [`${TRAFFIC}/excludeInboundPorts`, "70000"],
      [`${TRAFFIC}/includeOutboundPorts`, "*"],
      [`${TRAFFIC}/excludeOutboundPorts`, "-1"],
      [`${TRAFFIC}/includeOutboundIPRanges`, "10.0.0.0/99"],
      [`${TRAFFIC}/excludeOutboundIPRanges`, "x\n-A OUTPUT"],
      [`${TRAFFIC}/excludeInterfaces`, "a b"],
      ["mesh.io/reroute-virtual-interfaces", "a;b"],
      ["sidecar.mesh.io/interceptionMode", "MAYBE"],
    ] as const
  ) {
    const pod: CniPod = {
      metadata: { name: "a", namespace: "shop", annotations: { [name]: value } },
      spec: {},
    };
    assert.throws(
      () => captureSettingsOf({ pod, proxy: { name: "mesh-proxy" }, nameservers: [] }, host),
      (error: Error & { remedy?: string; cniCode?: number }) => {
        const shown = JSON.stringify(value);
        assert.equal(error.message, `pod shop/a: annotation ${name}: invalid value ${shown}`);
        assert.match(error.remedy ?? "", /^Give .+, and create the pod again\.$/);
        return error.cniCode === 100;
      },
    );
  }
});

import assert from "node:assert/strict";
import { MAX_DURATION_MS } from "../../lib/kit/base/mod.ts";
import { parseArgv } from "../../lib/kit/cli/mod.ts";
import { useEnvironment } from "../../lib/kit/env/mod.ts";
import { testAgainstSpec } from "../../tests/support/flag_table.ts";
import { type DiscoveryOptions, discoveryOptions } from "./options.ts";
import { PILOT_DISCOVERY } from "./program.ts";

await testAgainstSpec(PILOT_DISCOVERY);

const DEFAULTS: DiscoveryOptions = {
  caCertFile: "",
  clusterAliases: new Map(),
  clusterId: "Orchestrator",
  clusterRegistriesNamespace: "mesh-system",
  cniNamespace: "mesh-system",
  configDir: "",
  ctrlzAddress: "localhost",
  ctrlzPort: 9876,
  domain: "cluster.local",
  grpcAddr: ":15010",
  httpAddr: ":8080",
  httpsAddr: ":15017",
  secureGrpcAddr: ":15012",
  monitoringAddr: ":15014",
  keepaliveIntervalMs: 30_000,
  keepaliveMaxServerConnectionAgeMs: MAX_DURATION_MS,
  keepaliveTimeoutMs: 10_000,
  orchConfig: "",
  orchApiBurst: 160,
  orchApiQps: 80,
  meshConfig: "./etc/mesh/config/mesh",
  namespace: "mesh-system",
  networksConfig: "./etc/mesh/config/meshNetworks",
  profile: false,
  registries: ["Orchestrator"],
  shutdownDurationMs: 10_000,
  tlsCipherSuites: [],
  tlsCertFile: "",
  tlsKeyFile: "",
  logging: {
    asJson: false,
    outputLevel: "",
    caller: "",
    stacktraceLevel: "default:none",
    targets: ["stdout"],
    klogVerbosity: 0,
  },
  given: new Set(),
};

function parse(...argv: string[]): DiscoveryOptions {
  return discoveryOptions(parseArgv(PILOT_DISCOVERY, ["discovery", ...argv]).flags);
}

Deno.test("discovery without flags has the documented defaults", () => {
  using _ = useEnvironment({});
  assert.deepEqual(parse(), DEFAULTS);
});

Deno.test("the daemon's namespace comes from POD_NAMESPACE unless a flag gives it", () => {
  using _ = useEnvironment({ POD_NAMESPACE: "from-pod" });
  assert.equal(parse().namespace, "from-pod");
  assert.equal(parse().cniNamespace, "from-pod");
  assert.equal(parse("-n", "mine").namespace, "mine");
  assert.equal(parse("-n", "mine").cniNamespace, "from-pod");
});

Deno.test("the system namespace comes from SYSTEM_NAMESPACE unless the pod or a flag names it", () => {
  using _ = useEnvironment({ SYSTEM_NAMESPACE: "control" });
  const { namespace, cniNamespace, clusterRegistriesNamespace } = parse("--cniNamespace=cni");
  assert.deepEqual([namespace, cniNamespace, clusterRegistriesNamespace], [
    "control",
    "cni",
    "control",
  ]);
  using _pod = useEnvironment({ SYSTEM_NAMESPACE: "control", POD_NAMESPACE: "pod" });
  assert.equal(parse().namespace, "pod");
  assert.equal(parse().clusterRegistriesNamespace, "control");
});

Deno.test("each flag of discovery reaches its option", () => {
  using _ = useEnvironment({});
  const argv = [
    "--caCertFile=ca.pem",
    "--clusterAliases=a=b",
    "--clusterID=c1",
    "--clusterRegistriesNamespace=regs",
    "--cniNamespace=cni",
    "--configDir=conf",
    "--ctrlz_address=*",
    "--ctrlz_port=1",
    "--domain=mesh.local",
    "--grpcAddr=",
    "--httpAddr=:1",
    "--httpsAddr=:2",
    "--secureGRPCAddr=:3",
    "--monitoringAddr=:4",
    "--keepaliveInterval=1s",
    "--keepaliveMaxServerConnectionAge=2s",
    "--keepaliveTimeout=3s",
    "--orchconfig=orch.yaml",
    "--orchApiBurst=5",
    "--orchApiQPS=2.5",
    "--log_as_json",
    "--log_caller=ads",
    "--log_output_level=ads:debug",
    "--log_stacktrace_level=ads:error",
    "--log_target=a.log",
    "--log_target=stderr",
    "--vklog=4",
    "--meshConfig=mesh.yaml",
    "--namespace=ns",
    "--networksConfig=networks.yaml",
    "--profile",
    "--registries=Mock",
    "--shutdownDuration=1m",
    "--tls-cipher-suites=A,B",
    "--tlsCertFile=cert.pem",
    "--tlsKeyFile=key.pem",
  ];
  const expected: DiscoveryOptions = {
    caCertFile: "ca.pem",
    clusterAliases: new Map([["a", "b"]]),
    clusterId: "c1",
    clusterRegistriesNamespace: "regs",
    cniNamespace: "cni",
    configDir: "conf",
    ctrlzAddress: "*",
    ctrlzPort: 1,
    domain: "mesh.local",
    grpcAddr: "",
    httpAddr: ":1",
    httpsAddr: ":2",
    secureGrpcAddr: ":3",
    monitoringAddr: ":4",
    keepaliveIntervalMs: 1_000,
    keepaliveMaxServerConnectionAgeMs: 2_000,
    keepaliveTimeoutMs: 3_000,
    orchConfig: "orch.yaml",
    orchApiBurst: 5,
    orchApiQps: 2.5,
    meshConfig: "mesh.yaml",
    namespace: "ns",
    networksConfig: "networks.yaml",
    profile: true,
    registries: ["Mock"],
    shutdownDurationMs: 60_000,
    tlsCipherSuites: ["A", "B"],
    tlsCertFile: "cert.pem",
    tlsKeyFile: "key.pem",
    logging: {
      asJson: true,
      outputLevel: "ads:debug",
      caller: "ads",
      stacktraceLevel: "ads:error",
      targets: ["a.log", "stderr"],
      klogVerbosity: 4,
    },
    given: new Set(argv.map((word) => word.slice(2).split("=", 1)[0] ?? "")),
  };
  assert.deepEqual(parse(...argv), expected);
});

Deno.test("a registry that there is none of is refused", () => {
  assert.throws(() => parse("--registries=Orchestrator,Other"), /must be Orchestrator or Mock/);
});

import assert from "node:assert/strict";
import { parseArgv } from "../../lib/kit/cli/mod.ts";
import { useEnvironment } from "../../lib/kit/env/mod.ts";
import { testAgainstSpec } from "../../tests/support/flag_table.ts";
import { runInProcess } from "../../tests/support/program_run.ts";
import { INSTALL_FLAGS } from "./flags.ts";
import { type InstallOptions, installOptions } from "./options.ts";
import { INSTALL_CNI } from "./program.ts";

await testAgainstSpec(INSTALL_CNI, {
  "install-cni": {
    "--exclude-namespaces": "described as a variable",
    "--repair-repair-pods": "described as a variable",
  },
});

const ran = (...argv: string[]) => runInProcess(INSTALL_CNI, argv);

async function optionsOf(
  argv: readonly string[],
  environment: Readonly<Record<string, string>> = {},
): Promise<InstallOptions> {
  using _ = useEnvironment({ POD_NAME: "agent-a", ...environment });
  return await installOptions(parseArgv(INSTALL_CNI, argv).flags);
}

Deno.test("install-cni without flags has the documented defaults", async () => {
  const { settings, repair, monitoringPort, healthPort, ctrlzAddress, ctrlzPort } = await optionsOf(
    [],
  );
  assert.deepEqual([monitoringPort, healthPort, ctrlzAddress, ctrlzPort], [
    15014,
    8000,
    "localhost",
    9876,
  ]);
  assert.deepEqual(
    [settings.binarySource, settings.binaryDir, settings.runDir, settings.netDir],
    ["/opt/cni/bin/mesh-cni", "/host/opt/cni/bin", "/var/run/mesh-cni", "/host/etc/cni/net.d"],
  );
  assert.equal(settings.orchconfig.mode, 0o600);
  assert.equal(
    settings.orchconfig.caFile,
    "/var/run/secrets/kubernetes.io/serviceaccount/ca.crt",
  );
  assert.deepEqual([settings.chained, settings.confName, settings.instance], [true, "", "agent-a"]);
  assert.deepEqual(repair, {
    enabled: false,
    repairPods: false,
    deletePods: false,
    labelPods: false,
    labelKey: "cni.mesh.io/uninitialized",
    labelValue: "true",
    nodeName: "",
    sidecarAnnotation: "sidecar.mesh.io/status",
    initContainerName: "mesh-validation",
    initContainerExitCode: 126,
    initContainerTerminationMessage: "",
    labelSelectors: "",
    fieldSelectors: "",
  });
});

/** A value of each flag's variable, and where it arrives. */
const VARIABLES: Readonly<
  Record<string, readonly [value: string, at: (options: InstallOptions) => unknown, is: unknown]>
> = {
  CHAINED_CNI_PLUGIN: ["false", (o) => o.settings.chained, false],
  CNI_AGENT_RUN_DIR: ["/run/x", (o) => o.settings.runDir, "/run/x"],
  CNI_CONF_NAME: ["10-x.conf", (o) => o.settings.confName, "10-x.conf"],
  CNI_NETWORK_CONFIG: ['{"a":1}', (o) => o.settings.entry.template, '{"a":1}'],
  EXCLUDE_NAMESPACES: ["a, b", (o) => o.settings.entry.excludeNamespaces, ["a", "b"]],
  LOG_LEVEL: ["debug", (o) => o.settings.entry.logLevel, "debug"],
  MONITORING_PORT: ["15099", (o) => o.monitoringPort, 15099],
  MOUNTED_CNI_NET_DIR: ["/net", (o) => o.settings.netDir, "/net"],
  ORCH_CA_FILE: ["/ca", (o) => o.settings.orchconfig.caFile, "/ca"],
  ORCHCONFIG_MODE: ["416", (o) => o.settings.orchconfig.mode, 0o640],
  REPAIR_BROKEN_POD_LABEL_KEY: ["k", (o) => o.repair.labelKey, "k"],
  REPAIR_BROKEN_POD_LABEL_VALUE: ["v", (o) => o.repair.labelValue, "v"],
  REPAIR_DELETE_PODS: ["true", (o) => o.repair.deletePods, true],
  REPAIR_ENABLED: ["true", (o) => o.repair.enabled, true],
  REPAIR_FIELD_SELECTORS: ["f=1", (o) => o.repair.fieldSelectors, "f=1"],
  REPAIR_INIT_CONTAINER_EXIT_CODE: ["7", (o) => o.repair.initContainerExitCode, 7],
  REPAIR_INIT_CONTAINER_NAME: ["c", (o) => o.repair.initContainerName, "c"],
  REPAIR_INIT_CONTAINER_TERMINATION_MESSAGE: [
    "m",
    (o) => o.repair.initContainerTerminationMessage,
    "m",
  ],
  REPAIR_LABEL_PODS: ["true", (o) => o.repair.labelPods, true],
  REPAIR_LABEL_SELECTORS: ["l=1", (o) => o.repair.labelSelectors, "l=1"],
  REPAIR_NODE_NAME: ["n", (o) => o.repair.nodeName, "n"],
  REPAIR_REPAIR_PODS: ["true", (o) => o.repair.repairPods, true],
  REPAIR_SIDECAR_ANNOTATION: ["a", (o) => o.repair.sidecarAnnotation, "a"],
  SKIP_TLS_VERIFY: ["true", (o) => o.settings.orchconfig.skipTlsVerify, true],
};

for (const [name, [value, at, is]] of Object.entries(VARIABLES)) {
  Deno.test(`${name} reaches its option, and its flag wins`, async () => {
    const flag = INSTALL_FLAGS.find(({ env }) => env === name);
    assert.equal(flag?.name, name.toLowerCase().replaceAll("_", "-"));
    const before = await optionsOf([]);
    assert.notDeepEqual(at(before), is);
    const after = await optionsOf([], { [name]: value });
    assert.deepEqual(at(after), is);
    assert.ok(after.given.has(flag!.name) && !before.given.has(flag!.name));
    // The flag with its default, although the variable says something else.
    const preset = flag!.default ?? (flag!.type === "bool" ? "false" : "");
    const both = await optionsOf([`--${flag!.name}=${preset}`], { [name]: value });
    assert.deepEqual(at(both), at(before));
  });
}

Deno.test("each flag of the installation has a variable, and a row here", () => {
  const names = INSTALL_FLAGS.map(({ env }) => env);
  const elsewhere = ["AMBIENT_ENABLED", "CNI_NETWORK_CONFIG_FILE", "ZTUNNEL_UDS_ADDRESS"];
  assert.deepEqual(names.sort(), [...Object.keys(VARIABLES), ...elsewhere].sort());
});

/** Variables without a flag. */
const OTHERS: Readonly<
  Record<string, readonly [value: string, at: (options: InstallOptions) => unknown, is: unknown]>
> = {
  POD_NAME: ["agent-b", (o) => o.settings.instance, "agent-b"],
  POD_NAMESPACE: ["ns", (o) => [o.pod.namespace, o.settings.entry.podNamespace], ["ns", "ns"]],
  SYSTEM_NAMESPACE: ["sys", (o) => o.pod.namespace, "sys"],
  NODE_NAME: ["node-1", (o) => o.nodeName, "node-1"],
  KUBERNETES_SERVICE_HOST: ["10.0.0.1", (o) => o.settings.orchconfig.host, "10.0.0.1"],
  KUBERNETES_SERVICE_PORT: ["443", (o) => o.settings.orchconfig.port, "443"],
  KUBERNETES_SERVICE_PROTOCOL: ["http", (o) => o.settings.orchconfig.protocol, "http"],
  ORCH_SERVICE_HOST: ["fd00::1", (o) => o.settings.orchconfig.host, "fd00::1"],
  ORCH_SERVICE_PORT: ["6443", (o) => o.settings.orchconfig.port, "6443"],
  SERVICE_ACCOUNT_DIR: ["/sa", (o) => o.settings.orchconfig.tokenFile, "/sa/token"],
  CNI_BIN_SOURCE_DIR: ["/src", (o) => o.settings.binarySource, "/src/mesh-cni"],
  MOUNTED_CNI_BIN_DIR: ["/bin-dir", (o) => o.settings.binaryDir, "/bin-dir"],
  HOST_ROOT: ["/node", (o) => o.hostRoot, "/node"],
  HEALTH_PORT: ["8001", (o) => o.healthPort, 8001],
};

for (const [name, [value, at, is]] of Object.entries(OTHERS)) {
  Deno.test(`${name}, which has no flag, reaches its option`, async () => {
    assert.notDeepEqual(at(await optionsOf([])), is);
    assert.deepEqual(at(await optionsOf([], { [name]: value })), is);
  });
}

Deno.test("the API server's address: variables of the mesh win, IPv6 gets brackets", async () => {
  const kubelet = { KUBERNETES_SERVICE_HOST: "10.0.0.1", KUBERNETES_SERVICE_PORT: "443" };
  assert.equal((await optionsOf([], kubelet)).apiServer, "10.0.0.1:443");
  const own = { ...kubelet, ORCH_SERVICE_HOST: "fd00::1", ORCH_SERVICE_PORT: "6443" };
  assert.equal((await optionsOf([], own)).apiServer, "[fd00::1]:6443");
  assert.equal((await optionsOf([])).apiServer, "");
});

Deno.test("CNI_NETWORK_CONFIG_FILE is read and wins; one that is missing is named", async () => {
  const file = await Deno.makeTempFile();
  try {
    await Deno.writeTextFile(file, '{"from":"file"}');
    const environment = { CNI_NETWORK_CONFIG: "{}", CNI_NETWORK_CONFIG_FILE: file };
    assert.equal((await optionsOf([], environment)).settings.entry.template, '{"from":"file"}');
  } finally {
    await Deno.remove(file);
  }
  await assert.rejects(
    optionsOf(["--cni-network-config-file=/nowhere"]),
    /cannot read the template of --cni-network-config-file .*: \/nowhere/,
  );
});

/** Wrong values, with the messages and exit statuses. */
const WRONG: readonly (readonly [argv: readonly string[], says: RegExp, status: number])[] = [
  [["--ambient-enabled"], /--ambient-enabled \(AMBIENT_ENABLED\) needs NODE_NAME/, 1],
  [["--monitoring-port=70000"], /--monitoring-port: 70000 is not a port/, 64],
  [["--orchconfig-mode=0"], /--orchconfig-mode: 0 is not a mode/, 64],
  [["--orchconfig-mode=63"], /--orchconfig-mode: 63 is not a mode/, 64],
  [["--cni-agent-run-dir=run"], /--cni-agent-run-dir: "run" is not an absolute path/, 64],
  [["--mounted-cni-net-dir="], /--mounted-cni-net-dir: "" is not an absolute path/, 64],
  [["--log-level=loud"], /"loud".*--log-level/, 1],
  [["--log_output_level=cni-agent:loud"], /"cni-agent:loud" is wrong in --log_output_level/, 1],
  [["--nosuch"], /unknown flag: --nosuch/, 64],
];

for (const [argv, says, status] of WRONG) {
  Deno.test(`install-cni ${argv.join(" ")} is refused`, async () => {
    const [out, err, actual] = await ran(...argv);
    assert.equal(out, "");
    assert.match(err, says);
    assert.equal(actual, status, err);
  });
}

Deno.test("without AMBIENT_ENABLED there is no ambient mode", async () => {
  assert.equal(
    (await optionsOf([], { AMBIENT_ENABLED: "false", NODE_NAME: "n" })).ambient,
    undefined,
  );
  assert.equal((await optionsOf([], { NODE_NAME: "n" })).settings.entry.ambientEnabled, false);
});

Deno.test("AMBIENT_ENABLED, AMBIENT_IPV6 and others of ambient mode are read", async () => {
  const usual = await optionsOf([], { AMBIENT_ENABLED: "true", NODE_NAME: "n" });
  assert.equal(usual.settings.entry.ambientEnabled, true);
  assert.deepEqual(usual.ambient, {
    nodeName: "n",
    socketPath: "/var/run/ztunnel/ztunnel.sock",
    helper: "/opt/cni/bin/mesh-cni",
    dnsCapture: false,
    ipv6: true,
    probes: { 4: "169.254.7.127", 6: "fd16:9254:7127:1337:ffff:ffff:ffff:ffff" },
    excludeNamespaces: new Set(),
    hostRoot: "/host",
    hostNamespace: "/host/proc/1/ns/net",
  });
  const { ambient } = await optionsOf(["--ambient-enabled", "--exclude-namespaces=a, b"], {
    NODE_NAME: "n",
    AMBIENT_DNS_CAPTURE: "true",
    AMBIENT_IPV6: "false",
    HOST_PROBE_SNAT_IP: "192.0.2.7",
    HOST_PROBE_SNAT_IPV6: "FD00::0:7",
    HOST_NETWORK_NAMESPACE: "/host/node",
    ZTUNNEL_UDS_ADDRESS: "/run/z.sock",
  });
  assert.ok(ambient);
  const { socketPath, dnsCapture, ipv6, probes, excludeNamespaces, hostNamespace } = ambient;
  assert.deepEqual([socketPath, dnsCapture, ipv6, hostNamespace], [
    "/run/z.sock",
    true,
    false,
    "/host/node",
  ]);
  assert.deepEqual(probes, { 4: "192.0.2.7", 6: "fd00::7" });
  assert.deepEqual(excludeNamespaces, new Set(["a", "b"]));
});

Deno.test("a source of probes must be an address of its version", async () => {
  const on = { AMBIENT_ENABLED: "true", NODE_NAME: "n" };
  await assert.rejects(
    optionsOf([], { ...on, HOST_PROBE_SNAT_IP: "fd00::1" }),
    /HOST_PROBE_SNAT_IP: .* IPv4/,
  );
  await assert.rejects(
    optionsOf([], { ...on, HOST_PROBE_SNAT_IPV6: "x" }),
    /HOST_PROBE_SNAT_IPV6: .* IPv6/,
  );
});

Deno.test("scopes of the agent and of the plugin take levels", async () => {
  const levels = "cni-agent:debug,cni-plugin:debug,iptables:info";
  const [, err, status] = await ran(`--log_output_level=${levels}`, "--ambient-enabled");
  assert.match(err, /^Error: --ambient-enabled/);
  assert.equal(status, 1);
});

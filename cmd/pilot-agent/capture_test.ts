import assert from "node:assert/strict";
import { runProgram } from "../../lib/kit/cli/mod.ts";
import { useEnvironment } from "../../lib/kit/env/mod.ts";
import { PILOT_AGENT } from "./program.ts";

interface Ended {
  readonly out: string;
  readonly err: string;
  readonly status: number;
}

async function ran(...argv: string[]): Promise<Ended> {
  let [out, err] = ["", ""];
  const io = {
    out: (text: string) => void (out += text),
    err: (text: string) => void (err += text),
  };
  const words = [...argv, "--log_target=stderr", "--log_output_level=all:none"];
  const status = await runProgram(PILOT_AGENT, words, { io, signal: new AbortController().signal });
  return { out, err, status };
}

/** The setting that a dry run prints. */
async function setting(key: string, ...flags: string[]): Promise<string | undefined> {
  const { out, err } = await ran("mesh-iptables", "--dry-run", ...flags);
  assert.equal(err, "");
  const config = out.slice(out.indexOf("Mesh config:"));
  return new RegExp(`^${key}=(.*)$`, "m").exec(config)?.[1];
}

const FLAGS: readonly [key: string, flags: readonly string[], value: string][] = [
  ["PROXY_PORT", ["-p", "1"], "1"],
  ["PROXY_INBOUND_CAPTURE_PORT", ["-z", "2"], "2"],
  ["PROXY_TUNNEL_PORT", ["-e", "3"], "3"],
  ["PROXY_UID", ["-u", "4,5"], "4,5"],
  ["PROXY_GID", ["-g", "6"], "6"],
  ["INBOUND_INTERCEPTION_MODE", ["-m", "TPROXY"], "TPROXY"],
  ["INBOUND_TPROXY_MARK", ["-t", "7"], "7"],
  ["INBOUND_TPROXY_ROUTE_TABLE", ["-r", "8"], "8"],
  ["INBOUND_PORTS_INCLUDE", ["-b", "*"], "*"],
  ["INBOUND_PORTS_INCLUDE", ["-b", "80,81"], "80,81"],
  ["INBOUND_PORTS_EXCLUDE", ["-d", "9"], "9"],
  ["OUTBOUND_IP_RANGES_INCLUDE", ["-i", "10.0.0.0/8"], "10.0.0.0/8"],
  ["OUTBOUND_IP_RANGES_EXCLUDE", ["-x", "10.1.0.0/16"], "10.1.0.0/16"],
  ["OUTBOUND_PORTS_INCLUDE", ["-q", "10"], "10"],
  ["OUTBOUND_PORTS_EXCLUDE", ["-o", "11"], "11"],
  ["ORCH_VIRT_INTERFACES", ["-k", "vm0"], "vm0"],
  ["EXCLUDE_INTERFACES", ["-c", "eth9"], "eth9"],
  ["DUAL_STACK", ["--dual-stack"], "true"],
  ["DNS_CAPTURE", ["--redirect-dns"], "true"],
  ["CAPTURE_ALL_DNS", ["--redirect-dns", "--capture-all-dns"], "true"],
  ["CAPTURE_ALL_DNS", ["--capture-all-dns"], "false"],
  ["DROP_INVALID", ["--drop-invalid"], "true"],
  ["NETWORK_NAMESPACE", ["--network-namespace=/proc/self/ns/net"], "/proc/self/ns/net"],
  ["CNI_MODE", ["--cni-mode", "--network-namespace=pod"], "true"],
  ["RECONCILE", ["--reconcile"], "true"],
  ["CLEANUP_ONLY", ["--cleanup-only"], "true"],
  ["FORCE_APPLY", ["--force-apply"], "true"],
];

for (const [key, flags, value] of FLAGS) {
  Deno.test(`mesh-iptables ${flags.join(" ")} sets ${key}`, async () => {
    assert.equal(await setting(key, ...flags), value);
    assert.notEqual(await setting(key), key === "CAPTURE_ALL_DNS" ? "true" : value);
  });
}

const VARIABLES: readonly [variable: string, key: string, value: string][] = [
  ["MESH_INBOUND_PORTS", "INBOUND_PORTS_INCLUDE", "8080"],
  ["MESH_LOCAL_EXCLUDE_PORTS", "INBOUND_PORTS_EXCLUDE", "22,15090"],
  ["MESH_OUTBOUND_PORTS", "OUTBOUND_PORTS_INCLUDE", "5"],
  ["MESH_LOCAL_OUTBOUND_PORTS_EXCLUDE", "OUTBOUND_PORTS_EXCLUDE", "6"],
  ["MESH_SERVICE_CIDR", "OUTBOUND_IP_RANGES_INCLUDE", "*"],
  ["MESH_SERVICE_EXCLUDE_CIDR", "OUTBOUND_IP_RANGES_EXCLUDE", "10.0.0.0/8"],
  ["MESH_EXCLUDE_INTERFACES", "EXCLUDE_INTERFACES", "eth1"],
  ["ORCH_VIRT_INTERFACES", "ORCH_VIRT_INTERFACES", "vm1"],
  ["INVALID_DROP", "DROP_INVALID", "true"],
  ["MESH_META_DNS_CAPTURE", "DNS_CAPTURE", "true"],
  ["MESH_DUAL_STACK", "DUAL_STACK", "true"],
  ["INBOUND_INTERCEPTION_MODE", "INBOUND_INTERCEPTION_MODE", "TPROXY"],
  ["INBOUND_TPROXY_MARK", "INBOUND_TPROXY_MARK", "99"],
  ["MESH_OUTBOUND_OWNER_GROUPS", "OUTBOUND_OWNER_GROUPS_INCLUDE", "7,8"],
  ["MESH_OUTBOUND_OWNER_GROUPS_EXCLUDE", "OUTBOUND_OWNER_GROUPS_EXCLUDE", "7"],
  ["DATAPROXY_USER", "PROXY_UID", "0"],
];

for (const [variable, key, value] of VARIABLES) {
  Deno.test(`mesh-iptables takes ${variable}`, async () => {
    using _ = useEnvironment({ [variable]: variable === "DATAPROXY_USER" ? "root" : value });
    assert.equal(await setting(key), value);
  });
}

Deno.test("mesh-iptables: a flag wins over its variable", async () => {
  using _ = useEnvironment({ INBOUND_TPROXY_MARK: "99", MESH_INBOUND_PORTS: "1" });
  assert.equal(await setting("INBOUND_TPROXY_MARK", "-t", "1337"), "1337");
  assert.equal(await setting("INBOUND_PORTS_INCLUDE", "-b", "2"), "2");
});

Deno.test("mesh-iptables --iptables-trace-logging adds NFLOG rules", async () => {
  const { out } = await ran("mesh-iptables", "-n", "-b", "*", "--iptables-trace-logging");
  for (const prefix of ["JumpInbound", "InboundCapture", "JumpOutbound"]) {
    assert.match(out, new RegExp(`NFLOG --nflog-prefix ${prefix} --nflog-group 1337`));
  }
});

const REFUSED: readonly [flags: readonly string[], says: RegExp, status: number][] = [
  [["--cni-mode"], /--cni-mode needs --network-namespace/, 64],
  [["--run-validation", "--network-namespace=x"], /--run-validation does not work/, 64],
  [["--network-namespace=a b"], /of --network-namespace/, 1],
  [["-i", "10.0.0.0/8; reboot"], /of --mesh-service-cidr/, 1],
  [["-b", "80 -j ACCEPT"], /of --mesh-inbound-ports/, 1],
  [["-m", "NONE"], /must be REDIRECT or TPROXY/, 1],
];

for (const [flags, says, status] of REFUSED) {
  Deno.test(`mesh-iptables refuses ${flags.join(" ")}`, async () => {
    const ended = await ran("mesh-iptables", "--dry-run", ...flags);
    assert.match(ended.err, says);
    assert.equal(ended.status, status);
  });
}

Deno.test("mesh-clean-iptables --dry-run prints what removes the rules", async () => {
  const { out, status } = await ran("mesh-clean-iptables", "-n", "-m", "TPROXY", "--redirect-dns");
  assert.equal(status, 0);
  for (const line of ["-D OUTPUT -p tcp -j MESH_OUTPUT", "-F MESH_OUTPUT", "-X MESH_OUTPUT"]) {
    assert.ok(out.includes(`${line}\n`), line);
  }
});

Deno.test("mesh-iptables takes IPTABLES_TRACE_LOGGING and MESH_OUTBOUND_IPV4_LOOPBACK_CIDR", async () => {
  const rules = async (environment: Readonly<Record<string, string>>): Promise<string> => {
    using _ = useEnvironment(environment);
    return (await ran("mesh-iptables", "-n", "-b", "*")).out;
  };
  assert.doesNotMatch(await rules({}), /NFLOG|127\.0\.0\.0\/8/);
  assert.match(await rules({ IPTABLES_TRACE_LOGGING: "true" }), /NFLOG/);
  assert.match(await rules({ MESH_OUTBOUND_IPV4_LOOPBACK_CIDR: "127.0.0.0/8" }), /127\.0\.0\.0\/8/);
});

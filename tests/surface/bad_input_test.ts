/**
 * User mistakes with the real programs: each ends with its status and a message with the mistake
 * and, if needed, the remedy.
 *
 * @module
 */
import assert from "node:assert/strict";
import {
  eventually,
  freePorts,
  makeConfigDir,
  startDaemon,
  startProgram,
} from "../../scripts/harness/mod.ts";

interface Mistake {
  readonly argv: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly status: number;
  /** Prefix of the output, after `Error: `. */
  readonly says: string;
}

const D = ["pilot-discovery", "discovery"];
const A = ["pilot-agent", "proxy"];

function flag(argv: readonly string[], name: string, value: string, why: string): Mistake {
  const says = `invalid argument "${value}" for "${name}" flag: ${why}\n`;
  return { argv: [...argv, `${name.split(", ").at(-1)}=${value}`], status: 1, says };
}

const FLAGS: readonly Mistake[] = [
  flag(D, "--keepaliveInterval", "10", "must be a duration such as 100ms or 1h30m"),
  flag(D, "--keepaliveTimeout", "1 h", "must be a duration such as 100ms or 1h30m"),
  flag(D, "--shutdownDuration", "", "must be a duration such as 100ms or 1h30m"),
  flag(D, "--ctrlz_port", "65536", "must lie between 0 and 65535"),
  flag(D, "--ctrlz_port", "-1", "must lie between 0 and 65535"),
  flag(D, "--ctrlz_port", "http", "must be a whole number"),
  flag(D, "--orchApiBurst", "1.5", "must be a whole number"),
  flag(D, "--orchApiBurst", "1e3", "must be a whole number"),
  flag(D, "--orchApiQPS", "fast", "must be a number"),
  flag(D, "--orchApiQPS", "1e39", "is too large for 32 bits"),
  flag(D, "--profile", "maybe", "must be true or false"),
  flag(D, "--clusterAliases", "a", "a must be formatted as key=value"),
  flag(D, "--clusterAliases", "a=b,c=d,e", "e must be formatted as key=value"),
  flag(D, "--registries", "Orchestrator,Other", "must be Orchestrator or Mock"),
  flag(D, "--vklog", "loud", "must be a whole number"),
  flag(A, "--concurrency", "two", "must be a whole number"),
  flag(A, "--stsPort", "99999999999999999999", "must lie between"),
  flag(A, "--profiling", "2", "must be true or false"),
  flag(["pilot-agent", "request", "GET", "/"], "--debug-port", "2147483648", "must lie between"),
  flag(["pilot-agent", "mesh-iptables"], "--iptables-probe-port", "70000", "must lie between 0"),
  flag(["pilot-agent", "mesh-iptables"], "--probe-timeout", "soon", "must be a duration"),
  flag(
    ["pilot-agent", "mesh-iptables"],
    "-m, --mesh-inbound-interception-mode",
    "NONE",
    "must be REDIRECT or TPROXY",
  ),
  flag(["pilot-discovery", "version"], "-o, --output", "xml", "must be yaml or json"),
].map((mistake) => ({ ...mistake, says: mistake.says.replace(/(between|duration|0)\n$/, "$1") }));

const USES: readonly Mistake[] = [
  { argv: [...D, "--nosuch"], status: 64, says: "unknown flag: --nosuch\n" },
  {
    argv: [...D, "--monitoringAdr=:1"],
    status: 64,
    says: "unknown flag: --monitoringAdr\nDid you mean --monitoringAddr?\n",
  },
  {
    argv: ["pilot-discovery", "discover"],
    status: 64,
    says: 'unknown command "discover" for "pilot-discovery"\nDid you mean this?\n\tdiscovery\n',
  },
  {
    argv: ["pilot-agent", "request", "GET"],
    status: 64,
    says: "accepts between 2 and 3 arg(s), received 1\n" +
      "Write: pilot-agent request <method> <path> [<body>] [flags]\n",
  },
  { argv: [...D, "--configDir"], status: 1, says: "flag needs an argument: --configDir\n" },
  { argv: [...A, "-z"], status: 64, says: 'unknown shorthand flag: "z" in -z\n' },
  {
    argv: [...A, "ztunnel"],
    status: 1,
    says: 'invalid argument "ztunnel" for <role>: must be sidecar or router or waypoint\n',
  },
];

const OTHERS: readonly Mistake[] = [
  {
    argv: [...D, "--configDir=/nosuch/dir", "--ctrlz_port=0", "--httpAddr=127.0.0.1:0"],
    status: 1,
    says: "cannot read the configuration directory /nosuch/dir: No such file or directory",
  },
  {
    argv: [...D, "--configDir=.", "--log_target=/nosuch/dir/log"],
    status: 1,
    says: "cannot write the log to /nosuch/dir/log",
  },
  {
    argv: [...A, "--log_target=/"],
    status: 1,
    says: "cannot write the log to /",
  },
  {
    argv: [...D, "--configDir=.", "--log_output_level=nosuch:debug"],
    status: 1,
    says: "--log_output_level names an unknown scope nosuch\nThe scopes are: all, ",
  },
  {
    argv: [
      ...D,
      ...["--configDir=.", "--ctrlz_port=0", "--grpcAddr=15010", "--secureGRPCAddr="],
      ...["--httpAddr=127.0.0.1:0", "--monitoringAddr=127.0.0.1:0"],
    ],
    status: 1,
    says: '--grpcAddr: "15010" is not an address to listen on\nUse host:port, ',
  },
  {
    argv: [
      ...D,
      ...["--configDir=.", "--ctrlz_port=0", "--monitoringAddr=here"],
      ...["--httpAddr=127.0.0.1:0", "--grpcAddr=127.0.0.1:0", "--secureGRPCAddr="],
    ],
    status: 1,
    says: '--monitoringAddr: "here" is not an address\nWrite host:port or :port, ',
  },
];

const VARIABLES: readonly Mistake[] = [
  ["PILOT_DEBOUNCE_AFTER", "10", "a duration such as 100ms or 1h30m"],
  ["MESH_DELTA_XDS", "on", "true or false"],
  ["PILOT_PUSH_THROTTLE", "1.5", "a whole number of at least 0"],
  ["PILOT_MAX_REQUESTS_PER_SECOND", "many", "a number"],
  ["COMPLIANCE_POLICY", "fips", "fips-140-2"],
].map(([name = "", value = "", form = ""]) => ({
  argv: [...D, "--configDir=."],
  env: { [name]: value },
  status: 1,
  says: `environment variable ${name} is set to "${value}"; it takes ${form}`,
}));

for (const { argv, env, status, says } of [...FLAGS, ...USES, ...OTHERS, ...VARIABLES]) {
  const shown = [...Object.entries(env ?? {}).map(([k, v]) => `${k}=${v}`), ...argv].join(" ");
  Deno.test(`${shown}: status ${status}`, async () => {
    await using program = startProgram(argv, env);
    const ended = await program.status;
    const output = program.output();
    assert(output.includes(`Error: ${says}`), output);
    assert.equal(ended.code, status, output);
    // A mistake of the user's is no crash.
    assert.doesNotMatch(output, /^\s+at .*\.ts:\d+/m);
  });
}

Deno.test("a scalar that is repeated takes its last value, as its kind of flag does", async () => {
  await using program = startProgram(["pilot-agent", "version", "-o=yaml", "-o=json"]);
  assert.equal((await program.status).code, 0);
  assert.match(program.output(), /^\{/);
  await using wrong = startProgram(["pilot-agent", "version", "-o=xml", "-o=json"]);
  assert.equal((await wrong.status).code, 1);
});

/** The listeners under test, in the order of the ports that `addresses` takes. */
const LISTENERS = ["--grpcAddr", "--httpAddr", "--monitoringAddr"] as const;

/** The flags of the listeners. The one over TLS is off: a daemon may have its default port. */
function addresses(ports: readonly number[], over: Readonly<Record<string, string>>): string[] {
  return [
    "--secureGRPCAddr=",
    ...LISTENERS.map((name, i) => `${name}=${over[name] ?? `127.0.0.1:${ports[i]}`}`),
  ];
}

for (const name of LISTENERS) {
  Deno.test(`${name} in use: the sentence names flag, program and process`, async () => {
    await using dir = await makeConfigDir();
    const taken = Deno.listen({ hostname: "127.0.0.1", port: 0 });
    const address = `127.0.0.1:${taken.addr.port}`;
    const rest = ["--ctrlz_port=0", `--configDir=${dir.path}`];
    await using program = startProgram([
      ...D,
      ...addresses(freePorts(3), { [name]: address }),
      ...rest,
    ]);
    const { code } = await program.status;
    taken.close();
    const output = program.output();
    assert.equal(code, 1, output);
    const says = `Error: cannot listen on ${address} (${name}): the address is in use by `;
    assert(output.includes(says), output);
    assert.match(output, new RegExp(`by \\S+ \\(process ${Deno.pid}\\)`));
  });

  for (
    const [address, why] of [["192.0.2.1:0", "no such address"], ["no.invalid:0", "host name"]]
  ) {
    Deno.test(`${name} on ${address}, which is not of this machine`, async () => {
      await using dir = await makeConfigDir();
      const over = { [name]: address! };
      const rest = ["--ctrlz_port=0", `--configDir=${dir.path}`];
      await using program = startProgram([...D, ...addresses(freePorts(3), over), ...rest]);
      assert.equal((await program.status).code, 1);
      const output = program.output();
      assert(output.includes(`Error: cannot listen on ${address} (${name}): `), output);
      assert(output.includes(why!), output);
    });
  }
}

Deno.test("one port for two listeners is distinguished from a port of another program", async () => {
  await using dir = await makeConfigDir();
  const [one, two] = freePorts(2);
  const args = addresses([two!, one!, one!], {});
  await using program = startProgram([...D, ...args, "--ctrlz_port=0", `--configDir=${dir.path}`]);
  assert.equal((await program.status).code, 1);
  assert.match(
    program.output(),
    /\(--(http|monitoring)Addr\).* by this program itself, for another of its/,
  );
});

Deno.test("the owner of a port is unknown to a program without the permission", async () => {
  await using dir = await makeConfigDir();
  const taken = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const over = { "--httpAddr": `127.0.0.1:${taken.addr.port}` };
  const args = [...addresses(freePorts(3), over), "--ctrlz_port=0", `--configDir=${dir.path}`];
  const may = ["-P=pilot-discovery", `--allow-read=./etc/mesh,./etc/cacerts,${dir.path}`];
  await using program = startProgram([...D, ...args], {}, undefined, { permissions: may });
  assert.equal((await program.status).code, 1);
  taken.close();
  assert.match(program.output(), /in use \(by whom is not known: this program may not look\)/);
});

Deno.test("two daemons serve one directory side by side; one port only one of them gets", async () => {
  await using dir = await makeConfigDir();
  await using first = await startDaemon({ configDir: dir.path });
  await using second = await startDaemon({ configDir: dir.path });
  const entry = (host: string) =>
    `apiVersion: networking.mesh.io/v1
kind: ServiceEntry
metadata: {name: shop, namespace: test}
spec:
  hosts: [${host}]
  ports: [{number: 80, name: http, protocol: HTTP}]
  resolution: DNS
`;
  for (const host of ["one.test", "two.test"]) {
    await dir.write("shop.yaml", entry(host));
    for (const { http } of [first, second]) {
      await eventually(`${host} to serve`, async () => {
        const answer = await fetch(`${http}/debug/configz`);
        return (await answer.text()).includes(host);
      });
    }
  }
  const address = first.http.slice("http://".length);
  const args = addresses(freePorts(3), { "--httpAddr": address });
  await using third = startProgram([...D, ...args, "--ctrlz_port=0", `--configDir=${dir.path}`]);
  assert.equal((await third.status).code, 1);
  assert.match(third.output(), new RegExp(`in use by deno \\(process ${first.program.pid}\\)`));
});

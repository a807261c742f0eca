/**
 * A daemon that cannot start prints the reason and ends with a status other than 0.
 *
 * @module
 */
import assert from "node:assert/strict";
import { freePort, freePorts, startProgram } from "../../scripts/harness/mod.ts";

interface Refusal {
  readonly name: string;
  /** Flags in addition to those that give every listener a free port. */
  readonly flags: readonly string[];
  /** Expected error. */
  readonly says: readonly RegExp[];
  /** Exit status; 1 unless said otherwise. */
  readonly status?: number;
}

async function refusals(taken: number): Promise<Refusal[]> {
  const missing = `${await Deno.makeTempDir({ prefix: "mesh-missing-" })}/nothing`;
  const inUse = (flag: string): Refusal => ({
    name: `--${flag} in use`,
    flags: [`--${flag}=127.0.0.1:${taken}`],
    says: [new RegExp(`127\\.0\\.0\\.1:${taken}`), /in use/],
  });
  return [
    inUse("grpcAddr"),
    inUse("httpAddr"),
    inUse("monitoringAddr"),
    {
      name: "the introspection port in use",
      flags: ["--ctrlz_address=127.0.0.1", `--ctrlz_port=${taken}`],
      says: [new RegExp(`127\\.0\\.0\\.1:${taken}`), /in use/, /--ctrlz_port/],
    },
    {
      name: "an address that is not this machine's",
      flags: [`--httpAddr=203.0.113.9:${freePort()}`],
      says: [/203\.0\.113\.9/],
    },
    {
      name: "a port beyond 65535",
      flags: ["--ctrlz_port=65536"],
      says: [/ctrlz_port/, /65536/],
    },
    {
      name: "a log target that cannot be written",
      flags: [`--log_target=${missing}/mesh.log`],
      says: [/nothing\/mesh\.log/, /stdout, stderr/],
    },
    {
      name: "a log level that is none",
      flags: ["--log_output_level=ads:loud"],
      says: [/ads:loud/, /--log_output_level/, /debug, info, warn/],
    },
    {
      name: "stack traces of an unknown scope",
      flags: ["--log_stacktrace_level=nosuch:error"],
      says: [/nosuch/, /--log_stacktrace_level/],
    },
    {
      name: "a config directory that is not there",
      flags: [`--configDir=${missing}`],
      says: [/nothing/],
    },
    {
      name: "a certificate file that is not there",
      flags: [
        `--secureGRPCAddr=127.0.0.1:${freePort()}`,
        "--tlsCertFile=none.pem",
        "--tlsKeyFile=none.pem",
      ],
      says: [/none\.pem/, /tlsCertFile/],
    },
    {
      name: "a registry asked for that is not there yet",
      flags: ["--registries=Orchestrator"],
      says: [/registries/, /Orchestrator/],
    },
    {
      name: "an unknown flag",
      flags: ["--grpcAdr=:1"],
      says: [/--grpcAdr/, /--grpcAddr/],
      status: 64,
    },
    {
      name: "a duration that is none",
      flags: ["--shutdownDuration=soon"],
      says: [/shutdownDuration/, /soon/],
    },
  ];
}

Deno.test("a daemon that cannot start says why", async (t) => {
  const configDir = await Deno.makeTempDir({ prefix: "mesh-config-" });
  using taken = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  for (const { name, flags, says, status = 1 } of await refusals(taken.addr.port)) {
    await t.step(name, async () => {
      const [xds, http, monitoring, introspection] = freePorts(4);
      await using program = startProgram([
        "pilot-discovery",
        "discovery",
        `--configDir=${configDir}`,
        `--grpcAddr=127.0.0.1:${xds}`,
        "--secureGRPCAddr=",
        `--httpAddr=127.0.0.1:${http}`,
        `--monitoringAddr=127.0.0.1:${monitoring}`,
        `--ctrlz_port=${introspection}`,
        ...flags,
      ]);
      const { code } = await program.status;
      assert.equal(code, status, program.output());
      for (const text of says) assert.match(program.output(), text);
      // A sentence for people, not a trace of the code.
      assert.doesNotMatch(program.output(), /^\s+at .*\.ts:\d+/m);
    });
  }
  await Deno.remove(configDir);
});

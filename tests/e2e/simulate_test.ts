/**
 * The simulator's result equals that of a real Envoy: random meshes, random calls, the same
 * resources. Explanations of requests equal the result of two Envoys, from a client or a gateway to a
 * server.
 *
 * @module
 */
import assert from "node:assert/strict";
import { exportJWK, generateKeyPair, SignJWT } from "jose";
import { eventually, freePorts } from "../../scripts/harness/mod.ts";
import {
  type Call,
  type Ending,
  renderVerdict,
  resourcesOf,
  type Served,
  type Verdict,
} from "../../lib/insight/simulate/mod.ts";
import { explainCall } from "../../lib/insight/explain/mod.ts";
import type { ExplainedStep } from "../../lib/insight/verdict/mod.ts";
import { create } from "../../lib/kit/proto/mod.ts";
import {
  MeshConfig_ProxyPathNormalization_NormalizationType as Normalization,
  MeshConfigSchema,
} from "#mesh/mesh/v1alpha1/config_pb.ts";
import { type Certificate, makeAuthority, withCertificates } from "../support/certificates.ts";
import { standInSecrets, staticResources } from "../support/static_envoy.ts";
import { proxyNode, startTranslation } from "../support/translation_fixture.ts";
import { misexplained } from "./simulate/explained.ts";
import { make, type Reply, startServers } from "./simulate/client.ts";
import { type LogLine, runEnvoy } from "./simulate/envoy.ts";
import {
  gatewayCalls,
  type Ports,
  PRINCIPALS,
  randomMesh,
  type ServicePorts,
  WORKLOAD,
  workloadCalls,
} from "./simulate/generate.ts";
import { type HopPorts, twoHopMesh } from "./simulate/two_hop_meshes.ts";
import { runTwoHops } from "./simulate/two_hops.ts";

const SAMPLES = Number(Deno.env.get("SIMULATE_SAMPLES") ?? 4);
const SEED = Number(Deno.env.get("SIMULATE_SEED") ?? 41);
/** Calls through each of the two Envoys of a sample. */
const CALLS = 160;
/** Calls under way at once. */
const WIDTH = 16;
/** Random meshes of requests through two Envoys. */
const HOP_SAMPLES = Number(Deno.env.get("SIMULATE_HOP_SAMPLES") ?? 7);
/** Requests of each of the three first proxies of such a mesh. */
const HOP_REQUESTS = 24;

/** Ways to read paths; samples take turns. */
const NORMALIZATIONS: readonly Normalization[] = [
  Normalization.DEFAULT,
  Normalization.NONE,
  Normalization.MERGE_SLASHES,
  Normalization.DECODE_AND_MERGE_SLASHES,
];

function hopPorts(gateway: number): HopPorts {
  const [http = 0, alt = 0, tcp = 0, ...target] = freePorts(6);
  const [targetHttp = 0, targetAlt = 0, targetTcp = 0] = target;
  return {
    gateway,
    service: { http, alt, tcp },
    target: { http: targetHttp, alt: targetAlt, tcp: targetTcp },
  };
}

/** Result of a call. */
interface Met {
  readonly call: Call;
  readonly verdict: Verdict;
  readonly steps: readonly ExplainedStep[];
  readonly reply: Reply;
  readonly line: LogLine | undefined;
}

/**
 * Returns the difference between prediction and result; `undefined`: one of the endings occurred.
 */
function disagreement({ verdict, reply, line }: Met): string | undefined {
  const faults = verdict.endings.map((one) => differs(one, reply, line));
  return faults.includes(undefined) ? undefined : faults.join(" / ");
}

function differs(ending: Ending, reply: Reply, line: LogLine | undefined): string | undefined {
  switch (ending.kind) {
    case "undecided":
      return `undecided: ${ending.why}`;
    case "closed":
      return reply.status === 0 || line?.flags === "DPE" ? undefined : `${reply.status} came`;
    case "answered":
      if (reply.status !== ending.status) return `${reply.status}, not ${ending.status}`;
      if (ending.by.startsWith("policy ") && !line?.details.includes(ending.by.slice(7))) {
        return `refused by ${line?.details}`;
      }
      return ending.location === reply.headers.location
        ? undefined
        : `sent to ${reply.headers.location}, not ${ending.location}`;
    case "forwarded": {
      if (line?.cluster !== ending.cluster) return `went to ${line?.cluster}: ${line?.flags}`;
      const { endpoints } = ending.upstream;
      if (line.host !== null && !endpoints.some(({ address }) => address === line.host)) {
        return `went to the endpoint ${line.host}`;
      }
      if (ending.request === undefined || line.flags !== "-") return undefined;
      const { host, path } = ending.request;
      if (reply.headers["x-path"] !== path) return `with path ${reply.headers["x-path"]}`;
      return reply.headers["x-host"] === host ? undefined : `with host ${reply.headers["x-host"]}`;
    }
  }
}

/** Signs tokens that all providers trust. */
async function makeSigner() {
  const { privateKey, publicKey } = await generateKeyPair("RS256", { extractable: true });
  const jwk = { ...await exportJWK(publicKey), kid: "k", alg: "RS256", use: "sig" };
  return {
    jwks: JSON.stringify({ keys: [jwk] }),
    sign: (claims: Readonly<Record<string, unknown>>): Promise<string> =>
      new SignJWT(claims).setProtectedHeader({ alg: "RS256", kid: "k" }).sign(privateKey),
  };
}

function servicePorts(): ServicePorts {
  const [http = 0, httpAlt = 0, tcp = 0, auto = 0, tls = 0, none = 0] = freePorts(6);
  return { http, httpAlt, tcp, auto, tls, none };
}

Deno.test(
  withCertificates("simulate: the simulated outcome of a call equals Envoy's", async (t) => {
    const dir = await Deno.makeTempDir({ prefix: "mesh-simulate-" });
    try {
      const authority = await makeAuthority(dir);
      const own = await authority.issue("own", [PRINCIPALS[0]!, "own.test"]);
      const files = { ...own, ca: authority.cert, crl: authority.cert };
      const certificates: Record<string, Certificate> = {};
      for (const [i, name] of PRINCIPALS.entries()) {
        certificates[name] = await authority.issue(`client-${i}`, [name]);
      }
      const signer = await makeSigner();
      const [http, tcp, auto, g1, g2, g3, out, inn] = freePorts(8) as [
        ...[number, number, number, number],
        ...[number, number, number, number],
      ];
      const ports: Ports = {
        http,
        tcp,
        auto,
        gateway: [g1, g2, g3],
        service: servicePorts(),
      };
      await using _ = await startServers([http, tcp, auto]);
      const counts: Record<string, number> = {};
      for (let seed = SEED; seed < SEED + SAMPLES; seed++) {
        const bench = startTranslation(create(MeshConfigSchema, {
          rootNamespace: "mesh-system",
          proxyListenPort: out,
          proxyInboundListenPort: inn,
          pathNormalization: { normalization: NORMALIZATIONS[seed % NORMALIZATIONS.length] },
        }));
        bench.set(randomMesh(seed, ports, signer.jwks));
        const nodes = {
          sidecar: proxyNode("test", {
            ip: WORKLOAD,
            labels: { app: "server" },
            metadata: {
              TLS_SERVER_CERT_CHAIN: own.cert,
              TLS_SERVER_KEY: own.key,
              TLS_SERVER_ROOT_CERT: authority.cert,
            },
          }),
          gateway: {
            ...proxyNode("test", { ip: "127.0.0.1", labels: { app: "edge" } }),
            role: "router" as const,
          },
        };
        for (const [kind, node] of Object.entries(nodes)) {
          await t.step(`sample ${seed}, ${kind}`, async () => {
            const testProxy = bench.translation.source.bind(node, () => {});
            const served: Served = (typeUrl) => testProxy.view(typeUrl);
            const fixed = staticResources(served, files);
            const secrets = fixed.secrets.length > 0 ? fixed.secrets : standInSecrets(files);
            await using envoy = await runEnvoy({ ...fixed, secrets }, dir);
            const drawn = kind === "sidecar"
              ? workloadCalls(seed, CALLS, ports)
              : gatewayCalls(seed, CALLS, ports);
            const calls = drawn.map((call, i): Call => ({
              ...call,
              source: { ...call.source, port: 20_000 + i },
            }));
            const resources = resourcesOf(served);
            const made: Omit<Met, "line">[] = [];
            for (let from = 0; from < calls.length; from += WIDTH) {
              made.push(
                ...await Promise.all(
                  calls.slice(from, from + WIDTH).map(async (call, i) => {
                    const at = call.direction === "gateway"
                      ? call.destination
                      : { ip: "127.0.0.1", port: call.direction === "outbound" ? out : inn };
                    const { token } = call.http ?? {};
                    const headers = {
                      "x-call": `${from + i}`,
                      ...(token === undefined
                        ? {}
                        : { authorization: `Bearer ${await signer.sign(token.claims)}` }),
                    };
                    const reply = await make(call, { at, certificates, headers });
                    const { verdict, steps } = explainCall(resources, call);
                    return { call, reply, verdict, steps };
                  }),
                ),
              );
            }
            const lineOf = (log: readonly LogLine[], i: number): LogLine | undefined =>
              log.find(({ call }) => call === `${i}`) ??
                log.find(({ remote }) => remote.endsWith(`:${20_000 + i}`));
            let log = await envoy.log();
            await eventually("the calls to be logged", async () => {
              log = await envoy.log();
              return made.every(({ verdict, reply }, i) =>
                lineOf(log, i) !== undefined || reply.status === 0 &&
                  verdict.endings.some(({ kind }) => kind === "closed")
              );
            });
            const wrong = made.flatMap((one, i) => {
              const met = { ...one, line: lineOf(log, i) };
              for (const { kind } of one.verdict.endings) counts[kind] = (counts[kind] ?? 0) + 1;
              assert.deepEqual(one.verdict.unmodelled, []);
              const fault = disagreement(met) ?? misexplained(met);
              return fault === undefined ? [] : [
                `${fault}\n${JSON.stringify(met.call)}\n${renderVerdict(met.verdict)}${
                  JSON.stringify([met.reply, met.line])
                }`,
              ];
            });
            assert.equal(
              wrong.length,
              0,
              `${wrong.length} of ${made.length}\n${wrong.slice(0, 6).join("\n\n")}`,
            );
          });
        }
      }
      const hops: Record<string, number> = {};
      for (let seed = SEED; seed < SEED + HOP_SAMPLES; seed++) {
        await t.step(`two Envoys, sample ${seed}`, async () => {
          const bench = startTranslation(create(MeshConfigSchema, {
            rootNamespace: "mesh-system",
            proxyListenPort: out,
            proxyInboundListenPort: inn,
          }));
          const own = hopPorts(g1);
          bench.set(twoHopMesh(seed, own, signer.jwks));
          const { wrong, counts } = await runTwoHops(bench, {
            seed,
            dir,
            authority,
            sign: signer.sign,
            ports: own,
            count: HOP_REQUESTS,
            outbound: out,
            inbound: inn,
            application: http,
          });
          for (const [key, n] of Object.entries(counts)) hops[key] = (hops[key] ?? 0) + n;
          assert.equal(wrong.length, 0, `${wrong.length}\n${wrong.slice(0, 6).join("\n\n")}`);
        });
      }
      await t.step("requests through two Envoys were allowed and denied by either", () => {
        const total = Object.values(hops).reduce((sum, n) => sum + n, 0);
        assert.equal(total, HOP_SAMPLES * 3 * HOP_REQUESTS);
        for (const key of ["allowed by 2", "denied by 2", "denied by 1"]) {
          assert.ok((hops[key] ?? 0) > 10 * HOP_SAMPLES / 7, JSON.stringify(hops));
        }
      });
      await t.step("calls ended in every way", () => {
        for (const kind of ["forwarded", "answered", "closed"]) {
          assert.ok((counts[kind] ?? 0) > 30, JSON.stringify(counts));
        }
      });
    } finally {
      await Deno.remove(dir, { recursive: true });
    }
  }),
);

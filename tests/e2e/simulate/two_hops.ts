/**
 * Requests through two Envoys, compared with `explain request`: from the sidecar of a client, or from
 * a gateway, to the sidecar of the server, with mutual TLS between them.
 *
 * @module
 */
import { eventually } from "../../../scripts/harness/mod.ts";
import {
  explain,
  parseQuestion,
  type Party,
  type Question,
} from "../../../lib/insight/explain/mod.ts";
import {
  type Explanation,
  type Outcome,
  verdictLine,
  verdictOf,
} from "../../../lib/insight/verdict/mod.ts";
import { OfflineMesh, type OfflineProxy } from "../../../lib/insight/offline/mod.ts";
import type { Call } from "../../../lib/insight/simulate/mod.ts";
import type { Authority } from "../../support/certificates.ts";
import { standInSecrets, staticResources } from "../../support/static_envoy.ts";
import type { Bench } from "../../support/translation_fixture.ts";
import { make, type Reply } from "./client.ts";
import { type LogLine, runEnvoy, type RunningEnvoy } from "./envoy.ts";
import { outcomeDiffers } from "./explained.ts";
import { startRedirection } from "./redirect.ts";
import {
  type Asked,
  CLIENTS,
  GATEWAY,
  type HopPorts,
  mistakenRequests,
  requestsFrom,
  SERVER,
  type TokenMistake,
} from "./two_hop_meshes.ts";

/** Settings of {@link runTwoHops}. */
export interface TwoHops {
  readonly seed: number;
  /** Requests of each first proxy. */
  readonly count: number;
  readonly dir: string;
  readonly authority: Authority;
  readonly sign: (claims: Readonly<Record<string, unknown>>) => Promise<string>;
  /** Unset: requests have no mistakes, and each must be decided. */
  readonly mistakes?: { readonly foreign: TwoHops["sign"] };
  readonly ports: HopPorts;
  /** Ports of the listeners for captured connections. */
  readonly outbound: number;
  readonly inbound: number;
  /** Port of the application. */
  readonly application: number;
}

/** A proxy: the address of its listeners and of its connections, and its Envoy. */
interface Running {
  readonly ip: string;
  readonly envoy: RunningEnvoy;
}

/** A request, its explanation and its reply. */
interface Asking {
  readonly id: string;
  readonly from: string;
  readonly question: Question;
  readonly explanation: Explanation;
  readonly reply: Reply;
}

/** Result of a sample. */
export interface TwoHopResult {
  /** Disagreements, as text. */
  readonly wrong: readonly string[];
  /** Number of requests by the outcome, and the number of proxies that they passed. */
  readonly counts: Readonly<Record<string, number>>;
  /** Reasons of the requests whose verdict was `UNKNOWN`. */
  readonly unknown: readonly string[];
}

const SERVER_NAME = "server.test";
/** Requests under way at once. */
const WIDTH = 16;

/** Runs the Envoys of a mesh, sends requests and compares each with its explanation. */
export async function runTwoHops(bench: Bench, options: TwoHops): Promise<TwoHopResult> {
  const { ports, inbound, application } = options;
  const { target } = ports;
  await using stack = new AsyncDisposableStack();
  stack.use(
    await startRedirection({
      ip: SERVER,
      inbound,
      ports: { [target.http]: application, [target.alt]: application, [target.tcp]: application },
    }),
  );
  const mesh = OfflineMesh.over(bench.translation);
  const places = new Map<string, string>([
    ...CLIENTS.map(({ name, namespace, address }) => [`${name}.${namespace}`, address] as const),
    ["gate.test", GATEWAY],
    [SERVER_NAME, SERVER],
  ]);
  const running = new Map<string, Running>(
    await Promise.all(
      [...places].map(async ([name, ip]) => {
        const envoy = await startProxy(mesh.proxy(name), ip, options);
        return [name, { ip, envoy: stack.use(envoy) }] as const;
      }),
    ),
  );
  const asked = [...places.keys()].filter((name) => name !== SERVER_NAME)
    .flatMap((from) => {
      const drawn = { ...options, seed: options.seed + from.length };
      return options.mistakes === undefined
        ? requestsFrom(from, drawn)
        : mistakenRequests(from, drawn);
    });
  const done: Asking[] = [];
  for (let at = 0; at < asked.length; at += WIDTH) {
    const some = asked.slice(at, at + WIDTH);
    done.push(
      ...await Promise.all(
        some.map((one, i) => ask(mesh, { ...one, id: `${at + i}` }, running, options)),
      ),
    );
  }
  return await compare(done, running, options.mistakes !== undefined);
}

async function startProxy(
  { workload, session }: OfflineProxy,
  ip: string,
  { authority, dir, seed }: TwoHops,
): Promise<RunningEnvoy> {
  const { name, namespace, serviceAccount } = workload;
  const principal = `spiffe://cluster.local/ns/${namespace}/sa/${serviceAccount || "default"}`;
  const own = await authority.issue(`${name}-${namespace}-${seed}`, [principal]);
  const files = { ...own, ca: authority.cert, crl: authority.cert };
  const fixed = staticResources((typeUrl) => session.view(typeUrl), files);
  const secrets = fixed.secrets.length > 0 ? fixed.secrets : standInSecrets(files);
  return await runEnvoy({ ...fixed, secrets }, dir, ip);
}

/** The first proxy; files tell no address of gateways, which get one here. */
function partyOf(mesh: OfflineMesh, name: string, ip: string): Party {
  const { node, classKey } = mesh.proxy(name).session;
  const own = { ...node, ip, ips: [ip] };
  return { node: own, classKey, view: mesh.bind(own) };
}

async function ask(
  mesh: OfflineMesh,
  { fields, claims, id, mistake }: Asked & { readonly id: string },
  running: ReadonlyMap<string, Running>,
  { sign, outbound, mistakes }: TwoHops,
): Promise<Asking> {
  const text = claims === undefined
    ? undefined
    : await tokenText(claims, mistake, { sign, foreign: mistakes?.foreign ?? sign });
  const credential = text === undefined ? undefined : mistake === "text" ? text : `Bearer ${text}`;
  // A token with a mistake is part of the question; others are described by their claims.
  const isShown = mistake !== undefined && credential !== undefined;
  const question = parseQuestion({
    ...fields,
    headers: [...fields.headers ?? [], ...(isShown ? [`authorization: ${credential}`] : [])],
  });
  if (typeof question === "string") throw new Error(question);
  const from = partyOf(mesh, fields.from, running.get(fields.from)!.ip);
  const explanation = explain(mesh.world(), from, question);
  const [first] = explanation.hops;
  const direction = first!.direction;
  if (direction === "waypoint" || direction === "between networks") {
    throw new Error("a question begins at a sidecar or gateway");
  }
  const colon = first!.destination.lastIndexOf(":");
  const port = Number(first!.destination.slice(colon + 1));
  const { ip } = running.get(fields.from)!;
  const { authorization: _, ...headers } = question.request?.headers ?? {};
  const call: Call = {
    direction,
    source: { ip: question.client ?? ip, port: 30_000 + Number(id) },
    destination: { ip: first!.destination.slice(0, colon), port },
    ...(question.request === undefined ? {} : { http: { ...question.request, headers } }),
  };
  const reply = await make(call, {
    at: { ip, port: direction === "gateway" ? port : outbound },
    localAddress: ip,
    certificates: {},
    headers: {
      "x-call": id,
      ...(credential === undefined ? {} : { authorization: credential }),
    },
  });
  return { id, from: fields.from, question, explanation, reply };
}

/** A token with a mistake. */
async function tokenText(
  claims: Readonly<Record<string, unknown>>,
  mistake: TokenMistake | undefined,
  { sign, foreign }: { readonly sign: TwoHops["sign"]; readonly foreign: TwoHops["sign"] },
): Promise<string> {
  const now = Math.floor(Date.now() / 1000);
  const text = await sign(claims);
  switch (mistake) {
    case "expired":
      return await sign({ ...claims, exp: now - 600 });
    case "early":
      return await sign({ ...claims, nbf: now + 600 });
    case "late":
      return await sign({ ...claims, exp: now - 20 });
    case "skewed":
      return await sign({ ...claims, nbf: now + 20 });
    case "foreign":
      return await foreign(claims);
    case "audience":
      return await sign({ ...claims, aud: "other" });
    case "half":
      return text.slice(0, text.length / 2);
    case "empty":
      return "";
    case "form":
      return text.replaceAll(".", "");
    case "none":
      return `${btoa('{"alg":"none"}').replace(/=+$/, "")}.${text.split(".")[1]}.${
        text.split(".")[2]
      }`;
    default:
      return text;
  }
}

async function compare(
  done: readonly Asking[],
  running: ReadonlyMap<string, Running>,
  isMistaken: boolean,
): Promise<TwoHopResult> {
  const logs = new Map<string, readonly LogLine[]>();
  const lineOf = (proxy: string, id: string): LogLine | undefined =>
    logs.get(proxy)?.find(({ call }) => call === id);
  await eventually("the requests to be logged", async () => {
    for (const [name, { envoy }] of running) logs.set(name, await envoy.log());
    return done.every(({ from, id, question, explanation }) => {
      if (question.request === undefined) return true;
      // Calls that a proxy forwards as bytes have no name in its log.
      const isHttp = explanation.hops[0]?.steps.some(({ step }) =>
        step === "virtual host"
      ) === true;
      if (isMistaken && !isHttp) return true;
      const first = lineOf(from, id);
      const passed = first?.details.startsWith("via_upstream");
      return first !== undefined && (!passed || lineOf(SERVER_NAME, id) !== undefined);
    });
  });
  const counts: Record<string, number> = {};
  const unknown: string[] = [];
  const wrong = done.flatMap((one) => {
    const { explanation, from, id, question, reply } = one;
    const verdict = verdictOf(explanation);
    const key = `${verdict.outcome} by ${explanation.hops.length}`;
    counts[key] = (counts[key] ?? 0) + 1;
    if (isMistaken && verdict.outcome === "unknown") {
      unknown.push(verdictLine(verdict));
      return [];
    }
    const faults = explanation.outcomes.map((outcome) =>
      faultOf(outcome, one, (proxy) => lineOf(proxy, id))
    );
    const open = explanation.unmodelled.length > 0 ? explanation.unmodelled.join() : undefined;
    if (open === undefined && faults.includes(undefined)) return [];
    return [
      `${open ?? faults.join(" / ")}\n${JSON.stringify(question)}\n${verdict.text}\n${
        JSON.stringify([reply, lineOf(from, id), lineOf(SERVER_NAME, id)])
      }`,
    ];
  });
  return { wrong, counts, unknown };
}

/** The application answers with the path that it received. */
function ofApplication({ headers }: Reply): boolean {
  return headers["x-path"] !== undefined;
}

/** Returns the difference between an explained outcome and the result. */
function faultOf(
  outcome: Outcome,
  { from, question, reply, explanation }: Asking,
  lineOf: (proxy: string) => LogLine | undefined,
): string | undefined {
  const { kind, proxy, status } = outcome;
  const reached = ofApplication(reply);
  if (kind === "unknown") return outcome.text;
  if (reached !== (kind === "reached")) {
    return `the application ${reached ? "was" : "was not"} reached, ${kind} was explained`;
  }
  // Calls that are forwarded as bytes have no name in the logs.
  if (question.request === undefined || outcome.as === "TCP") return undefined;
  if (kind === "reached" && proxy !== SERVER_NAME) return `explained only as far as ${proxy}`;
  const passed = lineOf(SERVER_NAME) !== undefined;
  if (status === undefined && kind === "refused" && proxy !== from) {
    // The second proxy closes the connection, for which the first one answers.
    const answered = explanation.hops[0]?.steps.some(({ step }) => step === "virtual host")
      ? 503
      : 0;
    return reply.status === answered && !passed
      ? undefined
      : `${reply.status} for a closed connection`;
  }
  if (passed !== (proxy === SERVER_NAME)) return `explained as decided by ${proxy}`;
  return outcomeDiffers(outcome, reply, lineOf(proxy));
}

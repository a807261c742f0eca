import { MeshError } from "../../kit/base/mod.ts";
import {
  EXIT_UNKNOWN,
  type Invocation,
  type Io,
  neutralText,
  readInput,
  unansweredError,
  usageError,
} from "../../kit/cli/mod.ts";
import type { QuestionFields } from "../explain/mod.ts";
import { renderExplanation, type Verdict, verdictLine, verdictOf } from "../verdict/mod.ts";
import {
  type DebugPages,
  namesDaemon,
  type ReadPage,
  withDebugPages,
} from "../daemon_client/mod.ts";
import type { KeyFetchOptions } from "../../mesh/sources/mod.ts";
import type { proxyProvenance } from "../offline/mod.ts";
import { explanationOf } from "./asked.ts";
import { namesCluster } from "../cluster_access/mod.ts";
import { type MeshFiles, meshFiles, noMesh, openMesh } from "./offline_files.ts";

/** The mesh of a question: files, or the debug pages of a daemon. */
export type MeshSource =
  | { readonly files: MeshFiles; readonly pages?: undefined }
  | { readonly pages: DebugPages; readonly files?: undefined };

/**
 * Calls `use` with the mesh that a command names: the files of `--config-dir`, otherwise the daemon.
 *
 * @throws {MeshError} `usage` if neither is named
 */
export async function withMeshSource(
  call: Invocation,
  use: (source: MeshSource) => Promise<number>,
): Promise<number> {
  const files = meshFiles(call);
  if (files !== undefined) {
    for (const name of ["daemon", "xds-address"]) {
      if (!call.flags.given.has(name)) continue;
      throw usageError(`--${name} and --config-dir exclude each other`);
    }
    return await use({ files });
  }
  if (!namesDaemon(call.flags) && !await namesCluster(call.flags)) {
    throw noMesh("Give --config-dir DIR, --daemon HOST:PORT, or --orchconfig FILE.");
  }
  return await withDebugPages(call, (pages) => use({ pages }));
}

/** The answer of `/debug/why` about a resource. */
type Provenance = ReturnType<typeof proxyProvenance>[number];

/** Resources that are asked about at a time. */
const AT_A_TIME = 8;

/** A request as flags give it. */
export interface RequestOptions {
  /** File with a key set (JWKS); empty: none. */
  readonly jwks: string;
  /** True: the key sets that the configuration names are fetched. */
  readonly fetchJwks: boolean;
  /** File with the authorities of their servers; empty: those of the system. */
  readonly jwksAuthorities: string;
  readonly signal: AbortSignal;
  readonly from: string;
  readonly to: string;
  readonly method: string;
  readonly headers: readonly string[];
  readonly token: string;
  readonly tls: boolean;
  readonly client: string;
  readonly output: string;
}

/** Exit statuses of verdicts. */
const STATUSES: Readonly<Record<Verdict["outcome"], number>> = {
  allowed: 0,
  denied: 1,
  unknown: EXIT_UNKNOWN,
};

/** Explains a request; the status is 0 for one that is allowed, 1 for one that is denied, else 2. */
export async function explainRequest(
  options: RequestOptions,
  source: MeshSource,
  io: Io,
): Promise<number> {
  const question = questionOf(options);
  let explanation;
  try {
    const fetch = await fetchOptionsOf(options, source, io);
    const keys = options.jwks === "" ? undefined : await readInput(options.jwks, io);
    explanation = source.pages === undefined
      ? await (await openMesh(source.files, io, { keys, fetch })).askDeciding(question)
      : await explanationOf(source.pages, question, keys);
  } catch (error) {
    throw unansweredError(error);
  }
  const verdict = verdictOf(explanation);
  if (options.output === "json") {
    io.out(`${JSON.stringify({ ...explanation, verdict }, null, 2)}\n`);
  } else {
    io.out(neutralText(`${renderExplanation(explanation)}\n${verdictLine(verdict)}\n`));
  }
  return STATUSES[verdict.outcome];
}

/** Options of the fetch of key sets; `undefined`: they are not fetched. */
async function fetchOptionsOf(
  { fetchJwks, jwksAuthorities, signal }: RequestOptions,
  { pages }: MeshSource,
  io: Io,
): Promise<KeyFetchOptions | undefined> {
  if (!fetchJwks) {
    if (jwksAuthorities !== "") throw usageError("--jwks-ca needs --fetch-jwks");
    return undefined;
  }
  if (pages !== undefined) {
    throw usageError(
      "--fetch-jwks needs --config-dir",
      "A daemon uses the key sets that it has fetched. Give one that proxies fetch with --jwks FILE.",
    );
  }
  if (jwksAuthorities === "") return { signal };
  return { signal, authorities: await readInput(jwksAuthorities, io) };
}

/** The question of a request: without a scheme its address is that of HTTP. */
export function questionOf(
  options: Pick<RequestOptions, "from" | "to" | "method" | "headers"> & Partial<RequestOptions>,
): QuestionFields {
  const { from, to, method, headers, token = "", tls = false, client = "" } = options;
  const hasScheme = /^[a-z]+:\/\//.test(to);
  if (hasScheme && tls && !to.startsWith("https:")) throw usageError("--tls needs https in --to");
  const url = hasScheme ? to : `${tls ? "https" : "http"}://${to}`;
  const isClaims = token.trimStart().startsWith("{");
  if (token !== "" && headers.some((one) => /^authorization\s*:/i.test(one))) {
    throw usageError("--token and a header authorization exclude each other", "Give one of them.");
  }
  const credential = token === "" || isClaims ? [] : [`authorization: Bearer ${token}`];
  return {
    ...{ from, url, method, headers: [...headers, ...credential] },
    ...(client === "" ? {} : { client }),
    ...(isClaims ? { claims: claimsOf(token) } : {}),
  };
}

/** The claims of `--token`, as JSON. */
function claimsOf(token: string): string {
  try {
    return JSON.stringify(JSON.parse(token));
  } catch (cause) {
    throw new MeshError("usage", "--token is no JSON object", { cause });
  }
}

/** Lists the resources of a proxy. */
export async function explainProxy(
  { name, output }: { readonly name: string; readonly output: string },
  source: MeshSource,
  io: Io,
): Promise<number> {
  const found = source.pages === undefined
    ? await ofFiles(source.files, name, io)
    : await ofDaemon(source.pages.read, name);
  const { provenanceText } = await import("../offline/mod.ts");
  io.out(output === "json" ? `${JSON.stringify(found, null, 2)}\n` : provenanceText(found));
  return 0;
}

async function ofFiles(files: MeshFiles, name: string, io: Io): Promise<readonly Provenance[]> {
  const mesh = await openMesh(files, io);
  const { proxyProvenance } = await import("../offline/mod.ts");
  return proxyProvenance(mesh, mesh.proxy(name));
}

/** Asks for the objects behind each resource that the daemon serves to the proxy now. */
async function ofDaemon(read: ReadPage, proxy: string): Promise<readonly Provenance[]> {
  const page = await read("history", [["proxyID", proxy], ["revision", "latest"]]);
  const { resources } = JSON.parse(page) as {
    readonly resources: Readonly<Record<string, readonly { readonly name: string }[]>>;
  };
  const wanted = Object.entries(resources)
    .flatMap(([type, list]) => list.map(({ name }) => ({ type, name })));
  const found: Provenance[] = [];
  for (let at = 0; at < wanted.length; at += AT_A_TIME) {
    const some = wanted.slice(at, at + AT_A_TIME).map(({ type, name }) =>
      read("why", [["proxyID", proxy], ["type", type], ["name", name]])
    );
    for (const text of await Promise.all(some)) found.push(JSON.parse(text));
  }
  return found;
}

/** Shows the objects behind a resource. */
export async function explainResource(
  { proxy, type, name, output }: {
    readonly proxy: string;
    readonly type: string;
    readonly name: string;
    readonly output: string;
  },
  source: MeshSource,
  io: Io,
): Promise<number> {
  const { provenanceText, resourceProvenance } = await import("../offline/mod.ts");
  let found;
  if (source.pages === undefined) {
    const mesh = await openMesh(source.files, io);
    found = resourceProvenance(mesh, mesh.proxy(proxy), type, name);
  } else {
    const parameters = [["proxyID", proxy], ["type", type], ["name", name]] as const;
    found = JSON.parse(await source.pages.read("why", parameters));
  }
  io.out(output === "json" ? `${JSON.stringify(found, null, 2)}\n` : provenanceText([found]));
  return 0;
}

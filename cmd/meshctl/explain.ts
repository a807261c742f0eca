import { MeshError } from "../../lib/base/mod.ts";
import { EXIT_FINDINGS, type Io, neutralText, usageError } from "../../lib/cli/mod.ts";
import {
  type Explanation,
  type QuestionFields,
  renderExplanation,
  verdictLine,
  verdictOf,
} from "../../lib/explain/mod.ts";
import {
  bearerOf,
  provenanceText,
  proxyProvenance,
  resourceProvenance,
} from "../../lib/offline/mod.ts";
import { type DaemonPages, readPage } from "./daemon_pages.ts";
import { type MeshFiles, openMesh } from "./offline_files.ts";

/** The mesh of a question. */
export type MeshSource =
  | { readonly files: MeshFiles; readonly daemon?: undefined }
  | { readonly daemon: DaemonPages; readonly files?: undefined };

/** A request as flags give it. */
export interface RequestOptions {
  readonly from: string;
  readonly to: string;
  readonly method: string;
  readonly headers: readonly string[];
  readonly token: string;
  readonly tls: boolean;
  readonly client: string;
  readonly output: string;
}

/** Explains a request; the status is 79 for one that is denied. */
export async function explainRequest(
  options: RequestOptions,
  source: MeshSource,
  io: Io,
): Promise<number> {
  const question = questionOf(options);
  const explanation = source.daemon === undefined
    ? (await openMesh(source.files, io)).ask(question)
    : await ofDaemon(source.daemon, question);
  const verdict = verdictOf(explanation);
  if (options.output === "json") {
    io.out(`${JSON.stringify({ ...explanation, verdict }, null, 2)}\n`);
  } else {
    io.out(neutralText(`${renderExplanation(explanation)}\n${verdictLine(verdict)}\n`));
  }
  return verdict.outcome === "denied" ? EXIT_FINDINGS : 0;
}

/** The question of a request: without a scheme its address is that of HTTP. */
export function questionOf(
  options: Pick<RequestOptions, "from" | "to" | "method" | "headers"> & Partial<RequestOptions>,
): QuestionFields {
  const { from, to, method, headers, token = "", tls = false, client = "" } = options;
  const hasScheme = /^[a-z]+:\/\//.test(to);
  if (hasScheme && tls && !to.startsWith("https:")) throw usageError("--tls needs https in --to");
  const url = hasScheme ? to : `${tls ? "https" : "http"}://${to}`;
  const credential = token === "" ? [] : [`authorization: ${credentialOf(token)}`];
  return {
    ...{ from, url, method, headers: [...headers, ...credential] },
    ...(client === "" ? {} : { client }),
  };
}

function credentialOf(token: string): string {
  if (!token.trimStart().startsWith("{")) return `Bearer ${token}`;
  try {
    return bearerOf(JSON.parse(token));
  } catch (cause) {
    throw new MeshError("usage", "--token is no JSON object", { cause });
  }
}

async function ofDaemon(daemon: DaemonPages, question: QuestionFields): Promise<Explanation> {
  const { from, url, method = "GET", headers = [], client } = question;
  return JSON.parse(
    await readPage(daemon, "request", [
      ["from", from],
      ["url", url],
      ["method", method],
      ...headers.map((one) => ["header", one] as const),
      ...(client === undefined ? [] : [["client", client] as const]),
    ]),
  );
}

/** Lists the resources of a proxy. */
export async function explainProxy(
  name: string,
  { files, output }: { readonly files: MeshFiles; readonly output: string },
  io: Io,
): Promise<number> {
  const mesh = await openMesh(files, io);
  const found = proxyProvenance(mesh, mesh.proxy(name));
  io.out(output === "json" ? `${JSON.stringify(found, null, 2)}\n` : provenanceText(found));
  return 0;
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
  let found;
  if (source.daemon === undefined) {
    const mesh = await openMesh(source.files, io);
    found = resourceProvenance(mesh, mesh.proxy(proxy), type, name);
  } else {
    const parameters = [["proxyID", proxy], ["type", type], ["name", name]] as const;
    found = JSON.parse(await readPage(source.daemon, "why", parameters));
  }
  io.out(output === "json" ? `${JSON.stringify(found, null, 2)}\n` : provenanceText([found]));
  return 0;
}

/**
 * Questions about requests to the replicas of a daemon.
 *
 * @module
 */
import { MeshError } from "../../kit/base/mod.ts";
import type { QuestionFields } from "../explain/mod.ts";
import type { Doubt, Explanation } from "../verdict/mod.ts";
import type { DebugPages, PageParameters, ReadPage } from "../daemon_client/mod.ts";

/** The parameters of a question, for the debug pages about requests. */
export function questionParameters(question: QuestionFields): PageParameters {
  const { from, url, method = "GET", headers = [], client, claims } = question;
  return [
    ["from", from],
    ["url", url],
    ["method", method],
    ...headers.map((one) => ["header", one] as const),
    ...(client === undefined ? [] : [["client", client] as const]),
    ...(claims === undefined ? [] : [["claims", claims] as const]),
  ];
}

/**
 * Asks the replicas a question: the one to which the first proxy is connected, with the proxies of
 * later hops that are connected to others.
 *
 * @param keys a key set (JWKS) in place of those that proxies fetch
 */
export async function explanationOf(
  { read, each }: DebugPages,
  question: QuestionFields,
  keys?: string,
): Promise<Explanation> {
  const parameters: PageParameters = [
    ...questionParameters(question),
    ...(keys === undefined ? [] : [["keys", keys] as const]),
  ];
  const length = parameters.reduce((sum, [, value]) => sum + value.length, 0);
  if (length > MAX_QUESTION) throw tooLong(length);
  const found = explanationIn(await read("request", parameters));
  if (found.elsewhere.length === 0 || each.length < 2) return found;
  const asked = await Promise.all(each.map((one) => sidecarsOf(one, found.elsewhere)));
  const sidecars = asked.flatMap((one) => "sidecars" in one ? one.sidecars : []);
  const silent = asked.flatMap((one) => "doubt" in one ? [one.doubt] : []);
  const text = sidecars.length === 0
    ? undefined
    : await read("request", [...parameters, ["proxies", JSON.stringify(distinct(sidecars))]]);
  return nowhere(text === undefined ? found : explanationIn(text), each.length, silent);
}

/** Longest question to a daemon, characters; its pages accept bodies of 1 MiB. */
const MAX_QUESTION = 500_000;

function tooLong(length: number): MeshError {
  return new MeshError(
    "question-too-long",
    `the request has ${length} characters, and a daemon is asked for at most ${MAX_QUESTION}`,
    {
      remedy:
        "Proxies answer 431 to headers of more than 60 KiB, unless a DataproxyFilter raises the " +
        "limit. Use --config-dir for a verdict.",
    },
  );
}

/** A sidecar as a daemon describes it. */
interface Sidecar {
  readonly node: { readonly id: string };
}

function distinct(sidecars: readonly Sidecar[]): Sidecar[] {
  return [...new Map(sidecars.map((one) => [one.node.id, one])).values()];
}

type Asked = { readonly sidecars: readonly Sidecar[] } | { readonly doubt: Doubt };

async function sidecarsOf(read: ReadPage, addresses: readonly string[]): Promise<Asked> {
  try {
    const text = await read("request/proxies", [["at", addresses.join(",")]]);
    return { sidecars: JSON.parse(text) as Sidecar[] };
  } catch (error) {
    if (!(error instanceof MeshError)) throw error;
    const remedy = "Ask again when all daemons answer.";
    return { doubt: { what: `a daemon was not asked for its proxies: ${error.message}`, remedy } };
  }
}

/** The explanation after all replicas were asked. */
function nowhere(found: Explanation, asked: number, silent: readonly Doubt[]): Explanation {
  const remedy = "Look at the proxy of the endpoint: meshctl proxy-status.";
  const doubts = found.doubts.map((one): Doubt =>
    one.what.endsWith(" is not connected here")
      ? { what: one.what.replace(/here$/, `to any of the ${asked} daemons`), remedy }
      : one
  );
  return { ...found, doubts: found.elsewhere.length === 0 ? doubts : [...doubts, ...silent] };
}

function explanationIn(text: string): Explanation {
  const found = JSON.parse(text) as Explanation;
  if (Array.isArray(found.doubts) && Array.isArray(found.elsewhere)) return found;
  throw new MeshError("daemon-answer", "the daemon does not say what it does not know", {
    remedy: "It is of another version: use the meshctl of its version.",
  });
}

/**
 * Questions about requests to the replicas of a daemon.
 *
 * @module
 */
import { MeshError } from "../../kit/base/mod.ts";
import type { QuestionFields } from "../explain/mod.ts";
import { afterReplicas, type Explanation } from "../verdict/mod.ts";
import { askedOfAll, type DebugPages, type PageParameters } from "../daemon_client/mod.ts";

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
  pages: DebugPages,
  question: QuestionFields,
  keys?: string,
): Promise<Explanation> {
  const parameters: PageParameters = [
    ...questionParameters(question),
    ...(keys === undefined ? [] : [["keys", keys] as const]),
  ];
  const length = parameters.reduce((sum, [, value]) => sum + value.length, 0);
  if (length > MAX_QUESTION) throw tooLong(length);
  const { answer, asked, silent } = await askedOfAll(
    pages,
    async (more) => explanationIn(await pages.read("request", [...parameters, ...more])),
  );
  return afterReplicas(answer, { asked, silent });
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

function explanationIn(text: string): Explanation {
  const found = JSON.parse(text) as Explanation;
  if (Array.isArray(found.doubts) && Array.isArray(found.elsewhere)) return found;
  throw new MeshError("daemon-answer", "the daemon does not say what it does not know", {
    remedy: "It is of another version: use the meshctl of its version.",
  });
}

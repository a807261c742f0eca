/**
 * The workload's token, which authenticates requests to the authority: from a file, or from the
 * platform of a virtual machine.
 *
 * @module
 */
import { compliantFetch } from "../../kit/pki/mod.ts";
import { MeshError } from "../../kit/base/mod.ts";

/** Reads the workload's token; `undefined` when there is none. */
export type TokenSource = () => Promise<string | undefined>;

/** Largest token, bytes. */
const MAX_TOKEN = 64 * 1024;
/** Time for an answer of the platform, ms. */
const TIMEOUT_MS = 5000;

/** Files of tokens by `JWT_POLICY`, below the working directory; `undefined`: no token is used. */
const TOKEN_FILES: Readonly<Record<string, string | undefined>> = {
  "third-party-jwt": "./var/run/secrets/tokens/mesh-token",
  "first-party-jwt": "./var/run/secrets/kubernetes.io/serviceaccount/token",
  none: undefined,
};

export interface TokenSettings {
  /** `JWT_POLICY`. */
  readonly policy: string;
  /** `CREDENTIAL_FETCHER_TYPE`. */
  readonly fetcher: string;
  /** Address of the platform's server of tokens. */
  readonly url: string | undefined;
  /** Audience that the platform is asked for. */
  readonly audience: string;
}

/**
 * The source of the settings.
 *
 * @throws MeshError `credential-url` when the platform's address is missing or no URL
 */
export function tokenSource({ policy, fetcher, url, audience }: TokenSettings): TokenSource {
  if (fetcher === "CloudVmPlatform") {
    const address = platformUrl(url, audience);
    return () => fetchToken(address);
  }
  const file = TOKEN_FILES[policy];
  return file === undefined ? () => Promise.resolve(undefined) : () => readTokenFile(file);
}

function platformUrl(url: string | undefined, audience: string): URL {
  const address = URL.parse(url ?? "");
  if (address === null || !/^https?:$/.test(address.protocol)) {
    throw new MeshError(
      "credential-url",
      "CREDENTIAL_FETCHER_TYPE=CloudVmPlatform needs the address of the platform's tokens",
      { remedy: "Set MESH_CREDENTIAL_URL to the http address at which the platform gives them." },
    );
  }
  address.searchParams.set("audience", audience);
  return address;
}

/** The token is read for each request, because the platform renews the file. */
async function readTokenFile(file: string): Promise<string | undefined> {
  try {
    const { size } = await Deno.stat(file);
    if (size > MAX_TOKEN) throw new Error(`${file} is larger than 64 KiB`);
    return (await Deno.readTextFile(file)).trim() || undefined;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return undefined;
    throw error;
  }
}

/** Header that platforms require, because web pages cannot send it. */
const PLATFORM_HEADERS = { metadata: "true" };

async function fetchToken(url: URL): Promise<string> {
  const answer = await compliantFetch(url, {
    headers: PLATFORM_HEADERS,
    redirect: "error",
    signal: AbortSignal.timeout(TIMEOUT_MS),
  });
  const text = (await limitedText(answer)).trim();
  if (!answer.ok) throw new Error(`${url.origin}: the platform answered ${answer.status}`);
  if (text === "" || /\s/.test(text)) throw new Error(`${url.origin}: the answer is no token`);
  return text;
}

async function limitedText({ body }: Response): Promise<string> {
  const decoder = new TextDecoder();
  let text = "";
  for await (const chunk of body ?? []) {
    text += decoder.decode(chunk, { stream: true });
    if (text.length > MAX_TOKEN) throw new Error("the platform's answer is larger than 64 KiB");
  }
  return text;
}

/**
 * Command lines of curl.
 *
 * @module
 */
import type { Evidence } from "./types.ts";
import { shellWords } from "./words.ts";

/** Short options without a value. */
const SHORT_FLAGS = new Set([..."0123456789fgGiIkLlnNOpqsSvVZaBjJM#"]);
/** Long options without a value that a request does not depend on. */
const LONG_FLAGS = new Set([
  ..."compressed fail fail-with-body globoff include insecure location silent show-error verbose"
    .split(" "),
  ..."http1.0 http1.1 http2 http2-prior-knowledge http3 ipv4 ipv6 no-buffer no-keepalive".split(
    " ",
  ),
  ..."no-progress-meter path-as-is progress-bar remote-name retry-all-errors tcp-nodelay tlsv1.2"
    .split(" "),
  "tlsv1.3",
]);
/** Long options with a value that a request does not depend on. */
const IGNORED = new Set([
  ..."cacert capath cert cert-type ciphers connect-timeout dump-header interface key key-type"
    .split(" "),
  ..."limit-rate local-port max-redirs max-time output retry retry-delay retry-max-time stderr"
    .split(" "),
  ..."trace trace-ascii write-out connect-to resolve config unix-socket proxy cookie-jar range speed-time"
    .split(" "),
]);
/** Long names of short options with a value. */
const SHORT: Readonly<Record<string, string>> = {
  ...{
    X: "request",
    H: "header",
    d: "data",
    A: "user-agent",
    e: "referer",
    b: "cookie",
    u: "user",
  },
  ...{ o: "output", w: "write-out", m: "max-time", x: "proxy", F: "form", T: "upload-file" },
  ...{ E: "cert", c: "cookie-jar", D: "dump-header", K: "config", r: "range", y: "speed-time" },
};
/** Options that make a request with a body. */
const BODIES = new Set([
  ..."data data-raw data-ascii data-binary data-urlencode json form form-string".split(" "),
]);
/** Options that are headers. */
const HEADERS: Readonly<Record<string, string>> = {
  "user-agent": "user-agent",
  referer: "referer",
  cookie: "cookie",
};

/** A command line under analysis. */
interface Draft {
  method: string;
  hasBody: boolean;
  asQuery: boolean;
  readonly urls: string[];
  readonly headers: string[];
  readonly unknown: string[];
}

/** Reads a command line; returns the reason as a sentence if it names no request. */
export function curlCommand(text: string): Evidence | string {
  const words = shellWords(text);
  if (typeof words === "string") return `the curl command is not whole: ${words}`;
  const draft: Draft = {
    ...{ method: "", hasBody: false, asQuery: false },
    ...{ urls: [], headers: [], unknown: [] },
  };
  const rest = words.slice(1);
  while (rest.length > 0) {
    const fault = option(draft, rest);
    if (fault !== undefined) return `the curl command is not whole: ${fault}`;
  }
  const [written, ...more] = draft.urls;
  const url = written && withoutUser(draft, written);
  if (url === undefined) return "the curl command is not whole: it has no URL";
  if (more.length > 0) draft.unknown.push(`other URLs of the command: ${more.join(", ")}`);
  for (const part of [url, ...draft.headers]) {
    const variable = /\$(\w+|\{[^}]*\}|\([^)]*\))/.exec(part)?.[0];
    if (variable !== undefined) {
      draft.unknown.push(`the value of ${variable}, which only the shell knew`);
    }
  }
  return {
    form: "curl",
    url: /^[a-z]+:\/\//i.test(url) ? url : `http://${url}`,
    method: draft.method || (draft.hasBody && !draft.asQuery ? "POST" : "GET"),
    headers: draft.headers,
    unknown: draft.unknown,
  };
}

/** The URL without user and password, which become a header. */
function withoutUser(draft: Draft, url: string): string {
  const [, scheme = "", user] = /^([a-z]+:\/\/)?([^/@]+)@/i.exec(url) ?? [];
  if (user === undefined) return url;
  draft.headers.push(`authorization: Basic ${btoa(decodeURIComponent(user))}`);
  return scheme + url.slice(scheme.length + user.length + 1);
}

/** Takes one option or URL off the words; returns the fault. */
function option(draft: Draft, words: string[]): string | undefined {
  const word = words.shift()!;
  if (word === "--" || word === "-" || !word.startsWith("-")) {
    if (word !== "--" && word !== "-") draft.urls.push(word);
    return undefined;
  }
  if (!word.startsWith("--")) return shortOptions(draft, word.slice(1), words);
  const equals = word.indexOf("=");
  const name = word.slice(2, equals < 0 ? undefined : equals);
  return longOption(draft, name, equals < 0 ? words : [word.slice(equals + 1), ...words], () => {
    if (equals < 0) words.shift();
  });
}

function shortOptions(draft: Draft, letters: string, words: string[]): string | undefined {
  for (let at = 0; at < letters.length; at++) {
    const letter = letters[at]!;
    if (letter === "I") draft.method ||= "HEAD";
    if (letter === "G") draft.asQuery = true;
    if (SHORT_FLAGS.has(letter)) continue;
    const name = SHORT[letter];
    if (name === undefined) {
      draft.unknown.push(`the effect of the option -${letter}, which is not read`);
      continue;
    }
    const glued = letters.slice(at + 1);
    return longOption(draft, name, glued === "" ? words : [glued, ...words], () => {
      if (glued === "") words.shift();
    });
  }
  return undefined;
}

function longOption(
  draft: Draft,
  name: string,
  [value]: readonly string[],
  take: () => void,
): string | undefined {
  if (LONG_FLAGS.has(name)) return undefined;
  if (name === "head") draft.method ||= "HEAD";
  else if (name === "get") draft.asQuery = true;
  else {
    const isKnown = IGNORED.has(name) || BODIES.has(name) || HEADERS[name] !== undefined ||
      ["request", "header", "url", "user", "oauth2-bearer", "upload-file"].includes(name);
    if (!isKnown) {
      draft.unknown.push(`the effect of the option --${name}, which is not read`);
      return undefined;
    }
    if (value === undefined) return `the option --${name} has no value`;
    take();
    valued(draft, name, value);
  }
  return undefined;
}

function valued(draft: Draft, name: string, value: string): void {
  const header = HEADERS[name];
  if (header !== undefined) draft.headers.push(`${header}: ${value}`);
  else if (name === "request") draft.method = value;
  else if (name === "header") draft.headers.push(value.replace(/;$/, ":"));
  else if (name === "url") draft.urls.push(value);
  else if (name === "user") draft.headers.push(`authorization: Basic ${btoa(value)}`);
  else if (name === "oauth2-bearer") draft.headers.push(`authorization: Bearer ${value}`);
  else if (name === "upload-file") draft.method ||= "PUT";
  else if (BODIES.has(name)) {
    draft.hasBody = true;
    if (name === "json") draft.headers.push("content-type: application/json");
  } else if (name === "resolve" || name === "connect-to") {
    draft.unknown.push(`the address that --${name} ${value} connects to`);
  }
}

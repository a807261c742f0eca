/**
 * Normalization of paths and hosts before matching.
 *
 * @module
 */
import {
  type HttpConnectionManager,
  HttpConnectionManager_PathWithEscapedSlashesAction as Escaped,
} from "#envoy/extensions/filters/network/http_connection_manager/v3/http_connection_manager_pb.ts";

/** Settings of path normalization. */
export type PathSettings = Pick<
  HttpConnectionManager,
  "normalizePath" | "mergeSlashes" | "pathWithEscapedSlashesAction"
>;

/** A normalized path, or why the request is rejected or redirected. */
export type Normalized =
  | { readonly path: string }
  | { readonly status: number; readonly why: string };

/** Normalizes a path for routes and policies. The query is not changed. */
export function normalizePath(whole: string, settings: PathSettings): Normalized {
  if (whole.includes("#")) return { status: 400, why: "its path has a fragment" };
  const mark = whole.indexOf("?");
  const query = mark < 0 ? "" : whole.slice(mark);
  let path = mark < 0 ? whole : whole.slice(0, mark);
  const action = settings.pathWithEscapedSlashesAction;
  const escaped = /%2f|%5c/i;
  if (escaped.test(path) && action > Escaped.KEEP_UNCHANGED) {
    if (action === Escaped.REJECT_REQUEST) return { status: 400, why: "it escapes a slash" };
    path = path.replaceAll(/%2f/gi, "/").replaceAll(/%5c/gi, "\\");
    if (action === Escaped.UNESCAPE_AND_REDIRECT) {
      return { status: 307, why: "it escapes a slash" };
    }
  }
  if (settings.normalizePath === true) {
    const canonical = canonicalPath(path);
    if (canonical === undefined) return { status: 400, why: "its path has no normal form" };
    path = canonical;
  }
  if (settings.mergeSlashes) path = path.replaceAll(/\/{2,}/g, "/");
  return { path: path + query };
}

/** Characters that need no escape: their escapes are decoded. */
const UNRESERVED = /[A-Za-z0-9\-._~]/;
/** Characters that must be escaped. */
const TO_ESCAPE = /[\s"<>`{}^|\u0080-\uffff]/;

/** Removes dot segments, converts backslashes, decodes unnecessary escapes. */
function canonicalPath(path: string): string | undefined {
  if (!path.startsWith("/") && !path.startsWith("\\")) return undefined;
  const plain = path.replaceAll(/%([0-9A-Fa-f]{2})/g, (whole, hex: string) => {
    const char = String.fromCharCode(Number.parseInt(hex, 16));
    return UNRESERVED.test(char) ? char : whole;
  });
  if (plain.includes("\0") || /%00/.test(plain)) return undefined;
  const turned = [...plain.replaceAll("\\", "/")]
    .map((char) => TO_ESCAPE.test(char) ? encodeURIComponent(char) : char).join("");
  const out: string[] = [];
  const segments = turned.slice(1).split("/");
  for (const [at, segment] of segments.entries()) {
    const last = at === segments.length - 1;
    if (segment === "..") out.pop();
    if (segment !== "." && segment !== "..") out.push(segment);
    else if (last) out.push("");
  }
  return `/${out.join("/")}`;
}

/** Returns a host without its port. */
export function withoutPort(host: string): string {
  return host.replace(/:\d*$/, "");
}

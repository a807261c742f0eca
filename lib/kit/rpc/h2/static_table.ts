/**
 * The static table of header compression, RFC 7541 appendix A.
 *
 * @module
 */

/** The fields, from index 1 on. */
export const STATIC: readonly (readonly [name: string, value: string])[] = [
  ":authority",
  ":method GET",
  ":method POST",
  ":path /",
  ":path /index.html",
  ":scheme http",
  ":scheme https",
  ":status 200",
  ":status 204",
  ":status 206",
  ":status 304",
  ":status 400",
  ":status 404",
  ":status 500",
  "accept-charset",
  "accept-encoding gzip, deflate",
  "accept-language",
  "accept-ranges",
  "accept",
  "access-control-allow-origin",
  "age",
  "allow",
  "authorization",
  "cache-control",
  "content-disposition",
  "content-encoding",
  "content-language",
  "content-length",
  "content-location",
  "content-range",
  "content-type",
  "cookie",
  "date",
  "etag",
  "expect",
  "expires",
  "from",
  "host",
  "if-match",
  "if-modified-since",
  "if-none-match",
  "if-range",
  "if-unmodified-since",
  "last-modified",
  "link",
  "location",
  "max-forwards",
  "proxy-authenticate",
  "proxy-authorization",
  "range",
  "referer",
  "refresh",
  "retry-after",
  "server",
  "set-cookie",
  "strict-transport-security",
  "transfer-encoding",
  "user-agent",
  "vary",
  "via",
  "www-authenticate",
].map((line) => {
  const space = line.indexOf(" ");
  return space < 0 ? [line, ""] as const : [line.slice(0, space), line.slice(space + 1)] as const;
});

/** Separates name and value in the keys of {@link INDEX}; no field has it. */
const SEPARATOR = "\0";

/** Indices by name and value, and the first index of each name. */
const INDEX: ReadonlyMap<string, number> = new Map([
  ...STATIC.map(([name], i) => [name, i + 1] as const).reverse(),
  ...STATIC.map(([name, value], i) => [name + SEPARATOR + value, i + 1] as const),
]);

/** Index of a field; `undefined` when the table does not have it. */
export function indexOfField(name: string, value: string): number | undefined {
  return INDEX.get(name + SEPARATOR + value);
}

/** First index of a name; 0 when the table does not have it. */
export function indexOfName(name: string): number {
  return INDEX.get(name) ?? 0;
}

/**
 * Random rules of VirtualServices.
 *
 * @module
 */
import fc from "fast-check";
import type { Spec } from "../../support/manifest.ts";

/** Hosts that services have and rules name: some cover others, some are short. */
export const HOSTS: readonly string[] = [
  "a.test",
  "b.test",
  "c.test",
  "*.wild.test",
  "x.wild.test",
  "*.x.wild.test",
  "Upper.Test",
  "short",
];

export const SUBSETS: readonly string[] = ["v1", "v2", "v3"];

const some = { requiredKeys: [] };
const duration = fc.constantFrom("0.25s", "15s");
const percent = fc.constantFrom({ value: 0 }, { value: 0.01 }, { value: 33.3 }, { value: 100 });

const text = fc.constantFrom<Spec>(
  { exact: "/a" },
  { prefix: "/b" },
  { regex: "/c/[0-9]+(/x)?" },
  { regex: "(?i).*" },
);

const headerText = fc.oneof(text, fc.constant<Spec>({}));

const match: fc.Arbitrary<Spec> = fc.record({
  name: fc.constant("match"),
  uri: fc.oneof(text, fc.constant<Spec>({ prefix: "/" })),
  ignoreUriCase: fc.boolean(),
  method: fc.constantFrom<Spec>({ exact: "GET" }, { regex: "P.*" }),
  authority: fc.constantFrom<Spec>({ exact: "a.test" }, { prefix: "x." }),
  scheme: fc.constant<Spec>({ exact: "http" }),
  headers: fc.dictionary(fc.constantFrom("x-a", "cookie", "end-user"), headerText, { maxKeys: 2 }),
  withoutHeaders: fc.dictionary(fc.constantFrom("x-b"), headerText, { maxKeys: 1 }),
  queryParams: fc.dictionary(fc.constantFrom("q", "page"), headerText, { maxKeys: 2 }),
  port: fc.constantFrom(80, 8080),
  gateways: fc.constantFrom(["mesh"], ["gate-0"], ["mesh", "gate-1"]),
}, some);

const destination: fc.Arbitrary<Spec> = fc.record({
  host: fc.constantFrom("a.test", "b.test", "x.wild.test", "short", "nowhere.test"),
  subset: fc.constantFrom(...SUBSETS, "missing"),
  port: fc.constantFrom({ number: 80 }, { number: 9000 }, { number: 12345 }),
}, { requiredKeys: ["host"] });

const values: readonly Spec[] = [{ "x-set": "1" }, { "x-set": "100%%" }];

function operations(set: readonly Spec[]): fc.Arbitrary<Spec> {
  return fc.record({
    set: fc.constantFrom(...set),
    add: fc.constant<Spec>({ "x-add": "%DOWNSTREAM_REMOTE_ADDRESS%" }),
    remove: fc.constant(["x-gone"]),
  }, some);
}

const headers: fc.Arbitrary<Spec> = fc.record({
  request: operations([...values, { host: "other.test" }]),
  response: operations(values),
}, some);

const weighted = fc.array(
  fc.record({ destination, weight: fc.constantFrom(0, 1, 50), headers }, {
    requiredKeys: ["destination", "weight"],
  }),
  { minLength: 1, maxLength: 3 },
).map((routes) => routes.map((r, i) => (i === 0 ? { ...r, weight: 1 } : r)));

const terms = {
  timeout: duration,
  retries: fc.record({
    attempts: fc.constantFrom(1, 5),
    perTryTimeout: fc.constantFrom("0.1s", "2s"),
    retryOn: fc.constantFrom("", "5xx", "gateway-error,503,reset", "retriable-headers"),
    retryRemoteLocalities: fc.boolean(),
    retryIgnorePreviousHosts: fc.boolean(),
    backoff: fc.constantFrom("0.001s", "1s"),
  }, { requiredKeys: ["attempts"] }).chain((retries) =>
    fc.constantFrom<Spec>(retries, { attempts: 0 })
  ),
  fault: fc.record({
    delay: fc.record({ fixedDelay: fc.constantFrom("0.1s", "5s"), percentage: percent }),
    abort: fc.oneof(
      fc.record({ httpStatus: fc.constantFrom(400, 503), percentage: percent }),
      fc.record({ grpcStatus: fc.constantFrom("UNAVAILABLE", "ABORTED"), percentage: percent }),
    ),
  }, { requiredKeys: ["abort"] }),
  mirror: destination,
  mirrorPercentage: percent,
  corsPolicy: fc.record({
    allowOrigins: fc.constantFrom([{ exact: "https://a.test" }], [{ regex: ".*" }]),
    allowMethods: fc.constantFrom(["GET"], ["GET", "PUT"]),
    maxAge: fc.constantFrom("1s", "86400s"),
    allowCredentials: fc.boolean(),
    unmatchedPreflights: fc.constantFrom("FORWARD", "IGNORE"),
  }, some),
  headers,
};

const rewrite = fc.constantFrom<Spec>(
  { uri: "/new" },
  { authority: "new.test" },
  { uriRegexRewrite: { match: "^/a/(.*)$", rewrite: "/b/\\1" } },
);

const redirect = fc.constantFrom<Spec>(
  { uri: "/there", redirectCode: 302 },
  { authority: "there.test", scheme: "https", port: 8443 },
  { prefixRewrite: "/b", derivePort: "FROM_REQUEST_PORT" },
);

const directResponse = fc.constantFrom<Spec>(
  { status: 200, body: { string: "hello" } },
  { status: 503 },
);

const matched = { match: fc.array(match, { maxLength: 2 }), name: fc.constantFrom("", "rule") };

/** One HTTP rule. */
export const http: fc.Arbitrary<Spec> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({ ...matched, route: weighted, ...terms, rewrite }, {
      requiredKeys: ["route", "match"],
    }),
  },
  { weight: 1, arbitrary: fc.record({ ...matched, redirect }) },
  { weight: 1, arbitrary: fc.record({ ...matched, directResponse, headers }) },
);

/** One TCP rule. */
export const tcp: fc.Arbitrary<Spec> = fc.record({
  match: fc.array(
    fc.record({
      port: fc.constantFrom(9000, 3306),
      destinationSubnets: fc.constantFrom(["10.1.0.0/16"], ["10.1.0.1"]),
      gateways: fc.constantFrom(["mesh"], ["gate-0"]),
    }, some),
    { maxLength: 2 },
  ),
  route: fc.array(fc.record({ destination, weight: fc.constantFrom(1, 3) }), {
    minLength: 1,
    maxLength: 2,
  }),
});

/**
 * Objects near the size that an API server accepts (1.5 MB), in two versions that differ in one
 * place.
 *
 * @module
 */

/** Makes the text of one version of an object, 0 or 1. */
type TextOf = (version: number) => string;

const many = (count: number, line: (i: number) => string): string =>
  Array.from({ length: count }, (_, i) => line(i)).join("\n") + "\n";
const ip = (i: number): string => `10.${100 + (i >> 16)}.${(i >> 8) & 255}.${i & 255}`;
const HTTP = "{ number: 80, name: http, protocol: HTTP }";

/** The first lines of an object named `large`. */
export function head(kind: string, group = "networking", name = "large"): string {
  return `apiVersion: ${group}.mesh.io/v1\nkind: ${kind}\nmetadata: { name: ${name}, namespace: ns-0 }\nspec:\n`;
}

/** The objects by description. All refer to the host `a.test`. */
export const OBJECTS: Readonly<Record<string, TextOf>> = {
  "a ServiceEntry with 5,000 endpoints": (version) =>
    `${head("ServiceEntry")}  hosts: [large.test]\n  ports: [${HTTP}]\n  resolution: STATIC\n` +
    `  endpoints:\n${many(5_000, (i) => `  - { address: ${ip(i + version)} }`)}`,
  "a ServiceEntry with 2,000 hosts": (version) =>
    `${head("ServiceEntry")}  hosts:\n${many(2_000, (i) => `  - h${i}.large.test`)}` +
    `  ports: [${HTTP}]\n  resolution: STATIC\n  endpoints: [{ address: 10.1.0.${version} }]\n`,
  "a VirtualService with 5,000 rules": (version) =>
    `${head("VirtualService")}  hosts: [a.test]\n  http:\n` +
    many(
      5_000,
      (i) =>
        `  - { match: [{ uri: { prefix: /p${i}/ } }], timeout: ${
          1 + version
        }s, route: [{ destination: { host: a.test } }] }`,
    ),
  "a VirtualService with 20,000 hosts": (version) =>
    `${head("VirtualService")}  hosts:\n${many(20_000, (i) => `  - h${i}.large.test`)}` +
    `  http: [{ timeout: ${1 + version}s, route: [{ destination: { host: a.test } }] }]\n`,
  "a VirtualService with a rule of 10,000 matches": (version) =>
    `${head("VirtualService")}  hosts: [a.test]\n  http:\n  - timeout: ${1 + version}s\n` +
    `    route: [{ destination: { host: a.test } }]\n    match:\n` +
    many(10_000, (i) => `    - { uri: { prefix: /p${i}/ } }`),
  "a VirtualService with a rule of 5,000 destinations": (version) =>
    `${head("VirtualService")}  hosts: [a.test]\n  http:\n  - timeout: ${
      1 + version
    }s\n    route:\n` +
    many(5_000, (i) => `    - { weight: 1, destination: { host: a.test, subset: s${i} } }`),
  "a DestinationRule with 5,000 subsets": (version) =>
    `${head("DestinationRule")}  host: a.test\n  subsets:\n` +
    many(5_000, (i) => `  - { name: s${i}, labels: { version: "v${i}-${version}" } }`),
  "a Gateway with 2,000 servers": (version) =>
    `${head("Gateway")}  selector: { app: client-0 }\n  servers:\n` +
    many(
      2_000,
      (i) =>
        `  - { port: { number: 80, name: http-${i}, protocol: HTTP }, hosts: [h${i}-${version}.gw.test] }`,
    ),
  "a Sidecar with 10,000 egress hosts": (version) =>
    `${head("Sidecar")}  egress:\n  - hosts:\n` +
    many(10_000, (i) => `    - "ns-${i}/h${i}-${version}.large.test"`) + `    - "*/*"\n`,
  "an AuthorizationPolicy with 5,000 rules": (version) =>
    `${head("AuthorizationPolicy", "security")}  rules:\n` +
    many(5_000, (i) => `  - { to: [{ operation: { paths: ["/p${i}/${version}"] } }] }`),
  "an AuthorizationPolicy with a rule of 20,000 paths": (version) =>
    `${
      head("AuthorizationPolicy", "security")
    }  rules:\n  - to:\n    - operation:\n        paths:\n` +
    many(20_000, (i) => `        - /p${i}/${version}`),
  "a RequestAuthentication with 500 token rules": (version) =>
    `${head("RequestAuthentication", "security")}  jwtRules:\n` +
    many(500, (i) => `  - { issuer: "issuer-${i}-${version}", jwks: '{"keys":[]}' }`),
  "a DataproxyFilter with 2,000 patches": (version) =>
    `${head("DataproxyFilter", "networking").replace("/v1\n", "/v1alpha3\n")}  configPatches:\n` +
    many(
      2_000,
      (i) =>
        `  - { applyTo: CLUSTER, match: { cluster: { name: "c${i}" } }, patch: { operation: MERGE, value: { connect_timeout: ${
          1 + version
        }s } } }`,
    ),
};

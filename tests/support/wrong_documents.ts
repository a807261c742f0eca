/**
 * Documents with one mistake each, as users make them.
 *
 * @module
 */

/** A document with a mistake. */
export interface WrongDocument {
  /** Name of the file without its ending, and of the object. */
  readonly name: string;
  readonly text: string;
  /** 1-based. */
  readonly line: number;
  /** The field; empty for the document as a whole. */
  readonly path: string;
  /** A part of the message. */
  readonly message: string;
  /** A part of the remedy. */
  readonly remedy: string;
}

const ENTRY = `apiVersion: networking.mesh.io/v1
kind: ServiceEntry
metadata:
  name: NAME
  namespace: test
spec:
  hosts: [NAME.test]
  location: MESH_INTERNAL
  resolution: STATIC
  ports:
  - number: 80
    name: http
    protocol: HTTP
  endpoints:
  - address: 10.0.0.1
`;

const ROUTES = `apiVersion: networking.mesh.io/v1
kind: VirtualService
metadata: {name: NAME, namespace: test}
spec:
  hosts: [NAME.test]
  http:
  - name: first
    timeout: 5s
    match:
    - uri: {prefix: /a}
    route:
    - destination: {host: a.test}
      weight: 50
    - destination: {host: b.test}
      weight: 50
`;

const GATEWAY = `apiVersion: networking.mesh.io/v1
kind: Gateway
metadata: {name: NAME, namespace: test}
spec:
  selector: {mesh: ingress}
  servers:
  - port: {number: 443, name: https, protocol: HTTPS}
    hosts: [NAME.test]
    tls: {mode: SIMPLE, credentialName: cert}
`;

const RULE = `apiVersion: networking.mesh.io/v1
kind: DestinationRule
metadata: {name: NAME, namespace: test}
spec:
  host: NAME.test
  trafficPolicy:
    loadBalancer: {simple: ROUND_ROBIN}
  subsets:
  - name: v1
    labels: {version: v1}
`;

const POLICY = `apiVersion: security.mesh.io/v1
kind: AuthorizationPolicy
metadata: {name: NAME, namespace: test}
spec:
  selector:
    matchLabels: {app: shop}
  action: ALLOW
  rules:
  - to:
    - operation: {methods: [GET]}
    when:
    - key: request.headers[x-team]
      values: [shop]
`;

const TOKENS = `apiVersion: security.mesh.io/v1
kind: RequestAuthentication
metadata: {name: NAME, namespace: test}
spec:
  jwtRules:
  - issuer: https://issuer.test
    jwks: '{"keys": []}'
`;

/** A row of the table: an edit of a document, and the expected problem. */
type Row = readonly [
  name: string,
  base: string,
  edit: readonly [find: string, replace: string],
  line: number,
  path: string,
  message: string,
  remedy: string,
];

// deno-fmt-ignore
const ROWS: readonly Row[] = [
  ["tab", ENTRY, ["  hosts:", "\thosts:"], 7, "", "tab characters", "Correct the YAML; indentation"],
  ["open-list", ENTRY, ["[NAME.test]", "[NAME.test"], 8, "", "missed comma", "Correct the YAML"],
  ["key-twice", ENTRY, ["  location:", "  hosts: [x.test]\n  location:"], 8, "", 'key "hosts" occurs twice in one map (first at line 7)', "Keep one of the two."],
  ["list", ENTRY, [ENTRY, "- a\n- b\n"], 1, "", "expected an object, found a list", "Begin with apiVersion, kind"],
  ["api-version", ENTRY, ["mesh.io/v1", "mesh.io/v9"], 1, "apiVersion", 'no version "v9"', "Use one of: v1,"],
  ["api-group", ENTRY, ["networking", "networkin"], 2, "kind", "networkin.mesh.io/v1", "belongs to networking.mesh.io"],
  ["kind-typo", ENTRY, ["ServiceEntry", "ServiceEntyr"], 2, "kind", "ServiceEntyr", "Did you mean ServiceEntry?"],
  ["unsupported-kind", ENTRY, ["networking.mesh.io/v1\nkind: ServiceEntry", "extensions.mesh.io/v1alpha1\nkind: TrafficExtension"], 2, "kind", "is not supported", "Remove the object"],
  ["no-kind", ENTRY, ["kind: ServiceEntry\n", ""], 1, "kind", "kind is missing", "kind: ServiceEntry"],
  ["no-name", ENTRY, ["  name: NAME\n", ""], 3, "metadata.name", "the object has no name", "Give metadata.name."],
  ["bad-name", ENTRY, ["name: NAME", "name: Bad_Name"], 4, "metadata.name", '"Bad_Name"', "lower-case letters"],
  ["bad-label", ENTRY, ["  namespace: test", "  namespace: test\n  labels: {app: a b}"], 6, "metadata.labels.app", '"a b" must be at most 63 letters', "label syntax"],
  ["twice", ENTRY, [ENTRY, `${ENTRY}---\n${ENTRY}`], 17, "metadata.name", "ServiceEntry test/twice is already defined at", "Rename or remove it here"],
  ["field-typo", ENTRY, ["  hosts:", "  host:"], 7, "spec.host", 'unknown field "host"', 'Did you mean "hosts"?'],
  ["no-spec", ENTRY, ["spec:", "spek:"], 6, "spek", 'unknown field "spek"', 'Did you mean "spec"?'],
  ["hosts-text", ENTRY, ["[NAME.test]", "NAME.test"], 7, "spec.hosts", "expected a list", "Write a list."],
  ["no-hosts", ENTRY, ["  hosts: [NAME.test]\n", ""], 6, "spec.hosts", "the entry has no hosts", "Name one."],
  ["port-text", ENTRY, ["number: 80", "number: eighty"], 11, "spec.ports[0].number", '"eighty"', "Write a whole number."],
  ["port-range", ENTRY, ["number: 80", "number: 70000"], 11, "spec.ports[0].number", "70000", "from 1 to 65535"],
  ["protocol", ENTRY, ["protocol: HTTP", "protocol: HTP"], 13, "spec.ports[0].protocol", '"HTP"', "Write one of: HTTP,"],
  ["enum", ENTRY, ["resolution: STATIC", "resolution: STATC"], 9, "spec.resolution", '"STATC"', "Did you mean STATIC?"],
  ["address", ENTRY, ["10.0.0.1", "10.0.0.1/8"], 15, "spec.endpoints[0].address", '"10.0.0.1/8"', "Write an IPv4 or IPv6 address."],
  ["duration", ROUTES, ["5s", "5"], 8, "spec.http[0].timeout", "found the number 5", "for example 1.5s"],
  ["negative-weight", ROUTES, ["weight: 50", "weight: -1"], 13, "spec.http[0].route[0].weight", "-1 is negative", "Write 0 or more."],
  ["two-actions", ROUTES, ["timeout: 5s", "redirect: {uri: /b}"], 8, "spec.http[0].redirect", "redirect and route exclude each other", "Keep one of them."],
  ["two-matches", ROUTES, ["prefix: /a", "prefix: /a, exact: /b"], 10, "spec.http[0].match[0].uri.exact", '"prefix" and "exact"', "Keep one of the two."],
  ["regex", ROUTES, ["prefix: /a", 'regex: "a["'], 10, "spec.http[0].match[0].uri.regex", "missing closing ]", "RE2 syntax"],
  ["wild-host", ROUTES, ["[NAME.test]", '["*"]'], 5, "spec.hosts[0]", 'host "*"', "bind it to a Gateway only"],
  ["no-destination", ROUTES, ["{host: a.test}", "{}"], 12, "spec.http[0].route[0].destination.host", "no host", "Name the service."],
  ["no-tls", GATEWAY, ["    tls: {mode: SIMPLE, credentialName: cert}\n", ""], 7, "spec.servers[0]", "protocol HTTPS needs tls", "Give tls with a mode."],
  ["no-certificate", GATEWAY, [", credentialName: cert", ""], 9, "spec.servers[0].tls", "mode SIMPLE needs serverCertificate", "Give serverCertificate or credentialName."],
  ["balancer", RULE, ["ROUND_ROBIN", "ROUND"], 7, "spec.trafficPolicy.loadBalancer.simple", '"ROUND"', "Write one of:"],
  ["subset-name", RULE, ["- name: v1", '- name: ""'], 9, "spec.subsets[0].name", "the subset has no name", "Give it a name."],
  ["action", POLICY, ["ALLOW", "PERMIT"], 7, "spec.action", '"PERMIT"', "ALLOW"],
  ["condition", POLICY, ["request.headers[x-team]", "request.header[x-team]"], 12, "spec.rules[0].when[0].key", "request.header[x-team]", "Write, for example, source.namespace"],
  ["key-set", TOKENS, [`'{"keys": []}'`, "'{keys}'"], 7, "spec.jwtRules[0].jwks", "not a set of keys in JSON", "RFC 7517"],
];

/** All documents. */
export const WRONG_DOCUMENTS: readonly WrongDocument[] = ROWS.map((
  [name, base, [find, replace], line, path, message, remedy],
) => {
  const text = base.replace(find, () => replace);
  if (text === base) throw new Error(`${name} changes nothing`);
  return { name, text: text.replaceAll("NAME", name), line, path, message, remedy };
});

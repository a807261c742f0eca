/**
 * Names of Istio that have another form here. The tables of `docs/from-istio.md` show them to users.
 *
 * @module
 */

/** Domains of labels, annotations, groups and controllers: `istio.io`, `sidecar.istio.io`. */
const DOMAIN = /^((?:[a-z0-9-]+\.)*)istio\.io(?=$|\/)/;

/** Labels and annotations without a domain. */
const BARE_KEYS: Readonly<Record<string, string>> = {
  "istio": "mesh",
  "istio-injection": "mesh-injection",
  "istio-locality": "mesh-locality",
};

/** The key of a label or annotation here. */
export function newKey(key: string): string {
  return Object.hasOwn(BARE_KEYS, key) ? BARE_KEYS[key]! : newDomain(key);
}

/** A name with a domain, such as `networking.istio.io/v1` or `istio.io/gateway-controller`. */
export function newDomain(name: string): string {
  return name.replace(DOMAIN, "$1mesh.io");
}

/** Names of objects, containers, volumes and namespaces; longer ones first. */
const OBJECTS = [
  "system",
  "operator",
  "ingressgateway",
  "egressgateway",
  "eastwestgateway",
  "proxy",
  "init",
  "validation",
  "ca-root-cert",
  "ca-secret",
  "token",
  "envoy",
  "data",
  "podinfo",
  "sidecar-injector",
  "validator",
  "revision-tag",
  "reader",
  "cni",
] as const;

/** Endings that Istio gives to these names: accounts, certificates, revisions of the injector. */
const NAME_ENDINGS = "(?:-service-account|-ca-certs|-certs|-clusterrole|-node|-config)?";
/** The text that must not follow a name: more of the word, or a domain that is not one of a cluster. */
const END = String.raw`(?![A-Za-z0-9_-]|\.(?!svc\b)[a-z0-9-]+\.(?!svc\b)[a-z])`;
const OBJECT = new RegExp(
  `(?<![A-Za-z0-9_-])istio-(${OBJECTS.join("|")})(${NAME_ENDINGS})${END}`,
  "g",
);
/** Names that revisions and tags follow: `istiod-canary`, `istio-sidecar-injector-canary`. */
const REVISIONED =
  /(?<![A-Za-z0-9_-])(?:istiod|istio-(sidecar-injector|validator|revision-tag))(?=-[a-z0-9])/g;
const DAEMON = new RegExp(`(?<![A-Za-z0-9_-])istiod${END}`, "g");
/** Metrics of proxies, agents and the authority. */
const METRIC =
  /(?<![A-Za-z0-9_-])(?:istio(?=_(?:requests|request|response|tcp|agent|build)(?:_|\b))|citadel(?=_))/g;

/** Names inside a text: objects, hosts, identities, namespaces, metrics. */
export function newNamesIn(text: string): string {
  if (!/istio|citadel/.test(text)) return text;
  return text
    .replace(
      OBJECT,
      (_, name: string, end: string) => `mesh-${name === "envoy" ? "dataproxy" : name}${end}`,
    )
    .replace(REVISIONED, (_, name?: string) => name === undefined ? "meshd" : `mesh-${name}`)
    .replace(DAEMON, "meshd")
    .replace(METRIC, (name) => name === "istio" ? "mesh" : "meshca");
}

/** Prefixes of environment variables. */
const VARIABLES: readonly (readonly [RegExp, string])[] = [
  [/^ISTIOD_/, "MESHD_"],
  [/^ISTIO_/, "MESH_"],
  [/^CITADEL_/, "MESHCA_"],
  [/^ENVOY_/, "DATAPROXY_"],
  [/^GCP_METADATA$/, "CLOUDPLAT_METADATA"],
  [/(?<=_)ISTIOD(?=_|$)/, "MESHD"],
  [/(?<=_)ISTIO(?=_|$)/, "MESH"],
  [/(?<=_)CITADEL(?=_|$)/, "MESHCA"],
  [/(?<=_)ENVOY(?=_|$)/, "DATAPROXY"],
];

/** The name of an environment variable of the daemon, an agent or a proxy. */
export function newVariable(name: string): string {
  if (!/^[A-Z][A-Z0-9_]*$/.test(name)) return name;
  return VARIABLES.reduce((text, [pattern, by]) => text.replace(pattern, by), name);
}

/** A field of the mesh configuration or of values. */
export function newField(name: string): string {
  return name.replace(/^istiod|(?<=_)istiod/, "meshd").replace(/^istio|(?<=_)istio/, "mesh")
    .replaceAll("Istiod", "Meshd").replaceAll("Istio", "Mesh")
    .replace(/^envoy|(?<=_)envoy/, "dataproxy").replaceAll("Envoy", "Dataproxy");
}

/** Classes of gateways and ingresses. */
const CLASSES: Readonly<Record<string, string>> = {
  "istio": "mesh",
  "istio-waypoint": "mesh-waypoint",
  "istio-remote": "mesh-remote",
  "istio-east-west": "mesh-east-west",
};

/** The name of a class of gateways or ingresses. */
export function newClass(name: string): string {
  return Object.hasOwn(CLASSES, name) ? CLASSES[name]! : name;
}

/** Images of the field's own programs: the registry's folder and the program. */
const IMAGE =
  /^((?:[^/\s]+\/)*)(?:istio|istio-release|istio-testing)\/(proxyv2|pilot|install-cni|operator|ztunnel)(?=[:@]|$)/;

/** True for an image of a program that Mesh has, too. */
export function isOwnImage(image: string): boolean {
  return IMAGE.test(image);
}

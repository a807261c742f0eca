/**
 * Probes of an application, as pods declare them, and the table that injection gives the agent.
 *
 * @module
 */
import { MeshError } from "../../kit/base/mod.ts";

/** A request to the application. A status from 200 to 399 is success. */
export interface HttpProbe {
  readonly kind: "http";
  readonly port: number;
  /** Path and query. */
  readonly path: string;
  readonly scheme: "http" | "https";
  /** Headers that win over those of the caller; names in lower case. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  /** Undefined: the workload's address. */
  readonly host: string | undefined;
}

/** Success is a connection. */
export interface TcpProbe {
  readonly kind: "tcp";
  readonly port: number;
  /** Undefined: the workload's address. */
  readonly host: string | undefined;
}

/** A call of the standard health service of gRPC. Success is `SERVING`. */
export interface GrpcProbe {
  readonly kind: "grpc";
  readonly port: number;
  /** Name in the request; empty: the whole server. */
  readonly service: string;
}

/** A probe with its time limit. */
export type Probe = (HttpProbe | TcpProbe | GrpcProbe) & { readonly timeoutMs: number };

/** Paths of the status server that have a probe, such as `/app-health/web/readyz`. */
export type ProbeTable = ReadonlyMap<string, Probe>;

/** Paths that may have a probe. */
const PATH = /^\/(app-health|app-lifecycle)\/[^/]+\/(livez|readyz|startupz|prestopz|poststartz)$/;
/** The orchestrator's default time limit of a probe, s. */
const TIMEOUT_SECONDS = 1;
/** Characters that a header name may have (RFC 9110, section 5.6.2). */
const HEADER_NAME = /^:?[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
/** Characters that a header value may have: no control characters but the tab. */
const HEADER_VALUE = /^[\t\P{Cc}]*$/u;

const KINDS = ["httpGet", "tcpSocket", "grpc"] as const;

/**
 * Parses the JSON of `MESH_ORCH_APP_PROBERS`: paths of the status server with a handler of a pod
 * each: `{"/app-health/web/readyz":{"httpGet":{"path":"/","port":8080},"timeoutSeconds":1}}`.
 *
 * @throws MeshError `agent-probes` that names the path and the field
 */
export function parseProbes(text: string): ProbeTable {
  const table = new Map<string, Probe>();
  for (const [path, value] of Object.entries(objectOf(parsed(text), "the table"))) {
    if (!PATH.test(path)) {
      throw fault(
        `the path ${JSON.stringify(path)} is not of the form /app-health/CONTAINER/readyz`,
      );
    }
    table.set(path, probeOf(objectOf(value, path), path));
  }
  return table;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw fault("the text is not JSON");
  }
}

function probeOf(value: Fields, path: string): Probe {
  const named = KINDS.filter((kind) => value[kind] !== undefined && value[kind] !== null);
  const [kind] = named;
  if (kind === undefined || named.length > 1) {
    throw fault(`${path} needs exactly one of ${KINDS.join(", ")}`);
  }
  const field = `${path}: ${kind}`;
  const fields = objectOf(value[kind], field);
  const port = portOf(fields.port, field);
  const seconds = value.timeoutSeconds ?? TIMEOUT_SECONDS;
  if (typeof seconds !== "number" || !(seconds >= 0)) {
    throw fault(`${path}: timeoutSeconds is not a number of seconds`);
  }
  const timeoutMs = (seconds || TIMEOUT_SECONDS) * 1000;
  switch (kind) {
    case "httpGet":
      return { ...httpProbe(fields, field), port, timeoutMs };
    case "tcpSocket":
      return { kind: "tcp", port, host: textOf(fields.host, `${field}.host`), timeoutMs };
    case "grpc": {
      const service = textOf(fields.service, `${field}.service`) ?? "";
      return { kind: "grpc", port, service, timeoutMs };
    }
  }
}

function httpProbe(fields: Fields, field: string): Omit<HttpProbe, "port"> {
  const scheme = (textOf(fields.scheme, `${field}.scheme`) ?? "http").toLowerCase();
  if (scheme !== "http" && scheme !== "https") {
    throw fault(`${field}.scheme is ${JSON.stringify(scheme)}, not HTTP or HTTPS`);
  }
  const path = textOf(fields.path, `${field}.path`) ?? "/";
  const headers = fields.httpHeaders ?? [];
  if (!Array.isArray(headers)) throw fault(`${field}.httpHeaders is not a list`);
  return {
    kind: "http",
    scheme,
    path: path.startsWith("/") ? path : `/${path}`,
    host: textOf(fields.host, `${field}.host`),
    headers: headers.map((header, i) => headerOf(header, `${field}.httpHeaders[${i}]`)),
  };
}

function headerOf(value: unknown, field: string): readonly [string, string] {
  const { name, value: text = "" } = objectOf(value, field);
  if (typeof name !== "string" || !HEADER_NAME.test(name)) {
    throw fault(`${field}.name is not the name of a header`);
  }
  if (typeof text !== "string" || !HEADER_VALUE.test(text)) {
    throw fault(`${field}.value is not the value of a header`);
  }
  return [name.toLowerCase(), text];
}

type Fields = Readonly<Record<string, unknown>>;

function objectOf(value: unknown, what: string): Fields {
  if (typeof value === "object" && value !== null && !Array.isArray(value)) return value as Fields;
  throw fault(`${what} is not an object`);
}

function textOf(value: unknown, field: string): string | undefined {
  if (value === undefined || value === null || value === "") return undefined;
  if (typeof value === "string") return value;
  throw fault(`${field} is not a string`);
}

/** Injection replaces the names of ports by numbers. */
function portOf(port: unknown, field: string): number {
  if (typeof port === "number" && Number.isInteger(port) && port > 0 && port < 65536) return port;
  throw fault(`${field}.port is not a port number`);
}

function fault(what: string): MeshError {
  return new MeshError("agent-probes", `MESH_ORCH_APP_PROBERS is not of its form: ${what}`, {
    remedy:
      'Set it to JSON such as {"/app-health/web/readyz":{"httpGet":{"path":"/","port":8080}}}.',
  });
}

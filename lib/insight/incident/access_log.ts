/**
 * Lines of access logs in the built-in formats of the mesh.
 *
 * @module
 */
import { parseClusterName } from "../../mesh/model/mod.ts";
import type { Evidence, Seen } from "./types.ts";

/** Fields of a line by the names of the JSON form; a field without a value is absent. */
type Fields = Readonly<Record<string, string>>;

/** Fields of the text form after the quoted request line, in order. */
const COLUMNS = [
  ...["response_code", "response_flags", "response_code_details"],
  ...["connection_termination_details", "upstream_transport_failure_reason", "bytes_received"],
  ...["bytes_sent", "duration", "upstream_service_time", "x_forwarded_for", "user_agent"],
  ...["request_id", "authority", "upstream_host", "upstream_cluster", "upstream_local_address"],
  ...["downstream_local_address", "downstream_remote_address", "requested_server_name"],
  "route_name",
];

const LINE = /^\[([^\]]+)\] "(\S+) (\S+) ([^\s"]+)" (.+)$/;

/** Reads a line; returns the reason as a sentence if it has another format. */
export function accessLogLine(line: string): Evidence | string {
  const json = line.indexOf("{");
  if (json >= 0 && line.endsWith("}") && !line.startsWith("[")) {
    const fields = jsonFields(line.slice(json));
    if (fields !== undefined) return evidenceOf(fields, "access log (JSON)");
  } else {
    const fields = textFields(line.slice(Math.max(0, line.indexOf("["))));
    if (fields !== undefined) return evidenceOf(fields, "access log (text)");
  }
  return "this is no curl command and no line of an access log in the built-in formats of the mesh " +
    `(text or JSON), but ${JSON.stringify(line.slice(0, 60))}…: logs in another format cannot be ` +
    "read; ask by the address of the request: meshctl explain request --from … --to …";
}

function jsonFields(text: string): Fields | undefined {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value !== "object" || value === null) return undefined;
    const fields = Object.entries(value).filter(([, one]) =>
      typeof one === "string" && one !== "-" && one !== "" || typeof one === "number"
    ).map(([name, one]) => [name, String(one)]);
    const found: Fields = Object.fromEntries(fields);
    const names = ["response_code", "response_flags", "authority", "path", "upstream_cluster"];
    return names.filter((name) => name in value).length >= 2 ? found : undefined;
  } catch {
    return undefined;
  }
}

function textFields(line: string): Fields | undefined {
  const [, time, method, path, protocol, tail = ""] = LINE.exec(line) ?? [];
  if (time === undefined) return undefined;
  const values = [...tail.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, plain]) =>
    quoted ?? plain!
  );
  if (values.length !== COLUMNS.length) return undefined;
  const all = [
    ["start_time", time],
    ...[["method", method], ["path", path], ["protocol", protocol]],
    ...values.map((value, at) => [COLUMNS[at], value]),
  ];
  return Object.fromEntries(all.filter(([, value]) => value !== "-" && value !== ""));
}

function evidenceOf(fields: Fields, form: Evidence["form"]): Evidence | string {
  const cluster = parseClusterName(fields.upstream_cluster ?? "");
  const local = addressOf(fields.downstream_local_address);
  const authority = fields.authority ?? fields.requested_server_name ??
    (cluster?.direction === "outbound" ? cluster.host : local?.ip);
  if (authority === undefined) {
    return "the line names no host: it has neither authority, server name, cluster nor address";
  }
  const isHttp = fields.method !== undefined && fields.path !== undefined;
  const unknown = isHttp
    ? ["headers of the request other than host, user-agent and x-request-id, tokens among them"]
    : [];
  const hasPort = /:\d+$/.test(authority);
  const port = cluster?.direction === "outbound" ? `${cluster.port}` : local?.port ?? "80";
  const isInbound = cluster?.direction === "inbound";
  if (!hasPort && isInbound && isHttp) {
    unknown.push("the port that the client called: 80 is taken");
  }
  const address = hasPort ? authority : `${authority}:${isInbound && isHttp ? 80 : port}`;
  const headers = [["user-agent", fields.user_agent], ["x-request-id", fields.request_id]]
    .flatMap(([name, value]) => value === undefined ? [] : [`${name}: ${value}`]);
  return {
    form,
    url: isHttp ? `http://${address}${fields.path}` : `tcp://${address}`,
    method: fields.method ?? "GET",
    headers: isHttp ? headers : [],
    seen: seenIn(fields, cluster?.direction),
    unknown,
  };
}

function seenIn(fields: Fields, direction: string | undefined): Seen {
  const at = Date.parse(fields.start_time ?? "");
  const status = Number(fields.response_code ?? Number.NaN);
  const [local, remote] = ["downstream_local_address", "downstream_remote_address"]
    .map((name) => addressOf(fields[name])?.ip);
  return {
    ...Number.isNaN(at) ? {} : { at },
    ...Number.isNaN(status) ? {} : { status },
    flags: (fields.response_flags ?? "").split(",").filter((flag) => flag !== ""),
    details: [
      fields.response_code_details,
      fields.connection_termination_details,
      fields.upstream_transport_failure_reason,
    ].filter((one) => one !== undefined),
    ...direction === "inbound" || direction === "outbound" ? { direction } : {},
    ...local === undefined ? {} : { local },
    ...remote === undefined ? {} : { remote },
    ...fields.request_id === undefined ? {} : { requestId: fields.request_id },
  };
}

function addressOf(
  text: string | undefined,
): { readonly ip: string; readonly port: string } | undefined {
  const [, ip, port] = /^\[?([0-9a-fA-F.:]+?)\]?:(\d+)$/.exec(text ?? "") ?? [];
  return ip === undefined || port === undefined ? undefined : { ip, port };
}

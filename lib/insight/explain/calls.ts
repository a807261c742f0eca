/**
 * The calls of a request: as it arrives at its first proxy, and at each next one.
 *
 * @module
 */
import { TrafficDirection } from "#envoy/config/core/v3/base_pb.ts";
import type { Listener } from "#envoy/config/listener/v3/listener_pb.ts";
import type { Call, Forwarded, Request, Resources, Target } from "../simulate/mod.ts";
import { nearest } from "../../kit/text/mod.ts";
import type { Question } from "./question.ts";
import { classOf, idOf, type Party, principalOf, resolve, type World } from "./world.ts";

/** Client of a gateway (RFC 5737, documentation). */
const CLIENT = "192.0.2.10";

/** The mesh of a request, and what its explanation says of itself. */
export interface CallContext {
  readonly world: World;
  /** Facts that the explanation assumes. */
  readonly assumptions: Set<string>;
  /** Parts of the configuration that are not modelled. */
  readonly unmodelled: Set<string>;
}

/** A call, and why its destination is not known; unset: it is. */
export interface FirstCall {
  readonly call: Call;
  readonly unresolved?: string;
}

/** The content of the connection of a question. */
export function contentOf(
  { world, assumptions }: Pick<CallContext, "world" | "assumptions">,
  { host, scheme, request }: Question,
): Omit<Call, "direction" | "source" | "destination" | "tunnel"> {
  const { now, keys, assumedAddresses = [] } = world;
  if (request?.token !== undefined) {
    assumptions.add("a token with the claims that are given is signed by its issuer");
  }
  const tls = scheme === "https" ? { serverName: host, alpn: ["h2", "http/1.1"] } : undefined;
  return {
    ...(tls === undefined ? {} : { tls }),
    ...(request === undefined ? {} : { http: request }),
    ...(now === undefined ? {} : { now }),
    ...(keys === undefined ? {} : { keys }),
    assumedAddresses,
  };
}

/** The call of a question as it arrives at the first proxy. */
export function firstCall(
  context: CallContext,
  from: Party,
  question: Question,
  resources: Resources,
): FirstCall {
  const { host, port } = question;
  const { assumedAddresses = [] } = context.world;
  const common = contentOf(context, question);
  const { targets, interception } = classOf(from);
  if (from.node.role === "router") {
    const own = targets.find((target) => target.port === port)?.targetPort ?? port;
    const ip = question.client ?? CLIENT;
    const call: Call = {
      direction: "gateway",
      source: { ip },
      destination: { ip: from.node.ip, port: own },
      ...common,
    };
    if (question.client !== undefined) return { call };
    return { call: { ...call, assumedAddresses: [...assumedAddresses, CLIENT] } };
  }
  const { ip, known } = resolve(context.world, from, host);
  const bound = interception === "NONE" || isBoundAlone(resources, ip, port)
    ? boundAddress(resources, ip, port)
    : undefined;
  if (bound !== undefined && bound !== ip) {
    context.assumptions.add(`the workload connects to ${bound}:${port}, where its proxy listens`);
  }
  const call: Call = {
    direction: "outbound",
    source: { ip: from.node.ip },
    destination: { ip: bound ?? ip, port },
    ...common,
  };
  if (known) return { call };
  const near = nearest(host, context.world.services.map((one) => one.host));
  const hint = near === undefined ? "" : ` (did you mean ${near}?)`;
  const unresolved = `no service of the mesh gives the host ${host} an address${hint}`;
  context.assumptions.add(`${unresolved}; ${ip} stands for it`);
  return { call, unresolved };
}

/** Without capture, applications connect to the address to which a listener is bound. */
function boundAddress({ listeners }: Resources, ip: string, port: number): string | undefined {
  const addresses = listeners.filter((one) => one.trafficDirection === TrafficDirection.OUTBOUND)
    .flatMap((one) => socketOf(one, port));
  if (addresses.includes(ip)) return ip;
  const [first] = addresses;
  return first === "0.0.0.0" ? "127.0.0.1" : first === "::" ? "::1" : first;
}

/** Reports if the one listener for a port is bound to it and captures nothing (`captureMode: NONE`). */
function isBoundAlone({ listeners }: Resources, ip: string, port: number): boolean {
  const own = listeners.filter((one) =>
    one.trafficDirection === TrafficDirection.OUTBOUND && one.useOriginalDst !== true &&
    socketOf(one, port).length > 0
  );
  const captured = own.some((one) =>
    one.bindToPort === false && ["0.0.0.0", "::", ip].includes(socketOf(one, port)[0]!)
  );
  return own.length > 0 && !captured && own.some((one) => one.bindToPort !== false);
}

function socketOf({ address }: Listener, port: number): string[] {
  if (address?.address.case !== "socketAddress") return [];
  const { value } = address.address;
  return value.portSpecifier.value === port ? [value.address] : [];
}

/** The call as it arrives at the next proxy, without its destination. */
export function nextCall(
  context: CallContext,
  from: Party,
  call: Call,
  { ending, target }: { readonly ending: Forwarded; readonly target: Target },
): Omit<Call, "destination"> {
  const { handshake } = target;
  const principal = handshake?.mutual === true ? principalOf(context.world, from) : undefined;
  if (principal !== undefined && from.accountUnknown !== true) {
    context.assumptions.add(`the certificate of ${idOf(from)} is valid and names ${principal}`);
  }
  const http = call.http === undefined || ending.request === undefined
    ? call.http
    : changed(call.http, ending.request);
  const { now, keys, assumedAddresses } = call;
  return {
    direction: "inbound",
    source: { ip: from.node.ip },
    ...(now === undefined ? {} : { now }),
    ...(keys === undefined ? {} : { keys }),
    ...(assumedAddresses === undefined ? {} : { assumedAddresses }),
    ...(handshake === undefined
      ? call.tls === undefined || ending.as === "HTTP" ? {} : { tls: call.tls }
      : {
        tls: {
          serverName: handshake.serverName,
          alpn: handshake.alpn,
          ...(principal === undefined ? {} : { principal }),
          ...(from.accountUnknown === true ? { principalAssumed: true } : {}),
        },
      }),
    ...(http === undefined ? {} : { http }),
  };
}

function changed(request: Request, sent: NonNullable<Forwarded["request"]>): Request {
  const headers: Record<string, string> = {};
  for (const [name, value] of Object.entries(request.headers ?? {})) {
    headers[name.toLowerCase()] = value;
  }
  if (sent.forwardedFor !== undefined) headers["x-forwarded-for"] = sent.forwardedFor;
  const unknown = new Set(request.unknownHeaders);
  const removed = new Set<string>();
  for (const change of sent.headers) {
    const name = change.replace(/^[-+]/, "").toLowerCase();
    if (change.startsWith("-")) {
      delete headers[name];
      unknown.delete(name);
      removed.add(name);
    } else unknown.add(name);
  }
  const { token, ...rest } = request;
  const carrier = token?.at === undefined ? "authorization" : token.at.name.toLowerCase();
  return {
    ...rest,
    ...(token === undefined || removed.has(carrier) ? {} : { token }),
    ...{ host: sent.host, path: sent.path, headers, unknownHeaders: [...unknown] },
  };
}

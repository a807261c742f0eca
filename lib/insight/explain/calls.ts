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

/** The call of a question as it arrives at the first proxy. */
export function firstCall(
  context: CallContext,
  from: Party,
  question: Question,
  resources: Resources,
): Call {
  const { host, port, scheme, request } = question;
  if (request?.token !== undefined) {
    context.assumptions.add("the token's signature is valid and it has not expired");
  }
  const tls = scheme === "https" ? { serverName: host, alpn: ["h2", "http/1.1"] } : undefined;
  const common = {
    ...(tls === undefined ? {} : { tls }),
    ...(request === undefined ? {} : { http: request }),
  };
  const { targets, interception } = classOf(from);
  if (from.node.role === "router") {
    const own = targets.find((target) => target.port === port)?.targetPort ?? port;
    const ip = question.client ?? CLIENT;
    if (question.client === undefined) context.assumptions.add(`the client's address is ${CLIENT}`);
    return {
      direction: "gateway",
      source: { ip },
      destination: { ip: from.node.ip, port: own },
      ...common,
    };
  }
  const { ip, known } = resolve(context.world, from, host);
  if (!known) {
    const near = nearest(host, context.world.services.map((one) => one.host));
    const hint = near === undefined ? "" : ` (did you mean ${near}?)`;
    context.assumptions.add(
      `the host ${host} is no service of the mesh${hint}; ${ip} stands for its address`,
    );
  }
  const bound = interception === "NONE" ? boundAddress(resources, ip, port) : undefined;
  return {
    direction: "outbound",
    source: { ip: from.node.ip },
    destination: { ip: bound ?? ip, port },
    ...common,
  };
}

/** Without capture, applications connect to the address to which a listener is bound. */
function boundAddress({ listeners }: Resources, ip: string, port: number): string | undefined {
  const addresses = listeners.filter((one) => one.trafficDirection === TrafficDirection.OUTBOUND)
    .flatMap((one) => socketOf(one, port));
  if (addresses.includes(ip)) return ip;
  const [first] = addresses;
  return first === "0.0.0.0" ? "127.0.0.1" : first === "::" ? "::1" : first;
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
  if (principal !== undefined) {
    context.assumptions.add(`the certificate of ${idOf(from)} is valid and names ${principal}`);
  }
  const http = call.http === undefined || ending.request === undefined
    ? call.http
    : changed(context, call.http, ending.request);
  return {
    direction: "inbound",
    source: { ip: from.node.ip },
    ...(handshake === undefined
      ? call.tls === undefined || ending.as === "HTTP" ? {} : { tls: call.tls }
      : {
        tls: {
          serverName: handshake.serverName,
          alpn: handshake.alpn,
          ...(principal === undefined ? {} : { principal }),
        },
      }),
    ...(http === undefined ? {} : { http }),
  };
}

function changed(
  context: CallContext,
  request: Request,
  sent: NonNullable<Forwarded["request"]>,
): Request {
  const headers: Record<string, string> = {};
  for (const [name, value] of Object.entries(request.headers ?? {})) {
    headers[name.toLowerCase()] = value;
  }
  if (sent.forwardedFor !== undefined) headers["x-forwarded-for"] = sent.forwardedFor;
  for (const change of sent.headers) {
    if (change.startsWith("-")) delete headers[change.slice(1).toLowerCase()];
    else {
      context.unmodelled.add(
        `the value of header ${change.replace(/^\+/, "")}, which a route writes, in the next proxy`,
      );
    }
  }
  return { ...request, host: sent.host, path: sent.path, headers };
}

/**
 * Events of serving for observers: publications and the affected streams, sent responses, answers
 * of clients. Serving does not depend on observers, and has no cost without them; arrays in events
 * are the server's own and must not be changed.
 *
 * @module
 */
import type { Resource, View } from "../../graph/mod.ts";
import type { ProxyBinding, ProxyNode } from "../../model/mod.ts";

/** A stream; the same object in all events about it. */
export interface ObservedStream {
  /** `<name>.<namespace>-<number>`. */
  readonly id: string;
  readonly node: ProxyNode;
  readonly variant: "sotw" | "delta";
  readonly binding: Pick<ProxyBinding, "classKey">;
}

/** A stream that follows a type which a publication changed. */
export interface Subscriber {
  readonly stream: ObservedStream;
  readonly typeUrl: string;
  /** True: it is subscribed to everything, so {@link wants} need not be called. */
  readonly wildcard: boolean;
  wants(name: string): boolean;
}

/** The change of a publication for some streams. */
export interface Concern {
  /** Their view of a type; `undefined` if the type is no longer served to them. */
  readonly view: View | undefined;
  /** Their previous view: the same unless the publication rebound them. */
  readonly before: View | undefined;
  readonly subscribers: readonly Subscriber[];
}

/** A publication. */
export interface PublishedEvent {
  readonly revision: number;
  /** Revision of the publication before it. */
  readonly from: number;
  /** Milliseconds since the epoch. */
  readonly time: number;
  /** Streams that had their first response of the type concerned; those that did not are behind anyway. */
  readonly concerns: readonly Concern[];
}

/** A response that was handed to the transport. It brings a client from after `from` to `revision`. */
export interface SentEvent {
  readonly stream: ObservedStream;
  readonly typeUrl: string;
  readonly nonce: string;
  /** Later publications than this one, up to {@link revision}, caused it; 0 for a first response. */
  readonly from: number;
  readonly revision: number;
  /** New and changed resources; for state-of-the-world types all subscribed ones. */
  readonly resources: readonly Resource[];
  readonly removed: readonly string[];
  readonly bytes: number;
  /** Milliseconds since the epoch. */
  readonly time: number;
}

/** A client's answer to a response. */
export interface AnswerEvent {
  readonly stream: ObservedStream;
  readonly typeUrl: string;
  readonly nonce: string;
  readonly from: number;
  readonly revision: number;
  /** Time of the response and of the answer; milliseconds since the epoch. */
  readonly sentAt: number;
  readonly time: number;
}

/** A rejection, of the resources that are found to be the reason. */
export interface RejectedEvent extends AnswerEvent {
  readonly message: string;
  readonly names: readonly string[];
}

/** Resources that a client is not sent, because it or one like it rejected them. */
export interface WithheldEvent {
  readonly stream: ObservedStream;
  readonly typeUrl: string;
  readonly from: number;
  readonly revision: number;
  readonly names: readonly string[];
}

/** A stream's client answered all that was published up to a revision, of one type. */
export interface SettledEvent {
  readonly stream: ObservedStream;
  readonly typeUrl: string;
  readonly revision: number;
  /** Milliseconds since the epoch. */
  readonly time: number;
}

/** A client's report about the health of its workload. */
export interface HealthEvent {
  readonly stream: ObservedStream;
  /** The reported fault; `undefined`: healthy. */
  readonly fault: string | undefined;
}

/** A report of an agent about its proxy. */
export interface StateEvent {
  /** The proxy, whose identity was verified as for its stream. */
  readonly node: ProxyNode;
  /** The proxy's stream that the report came on; absent: the proxy had none. */
  readonly stream?: ObservedStream;
  /** The report as it was sent: not verified, and at most 4096 characters. */
  readonly text: string;
}

/** An observer of serving. Its exceptions are logged and have no other effect. */
export interface XdsObserver {
  opened?(stream: ObservedStream): void;
  published?(event: PublishedEvent): void;
  sent?(event: SentEvent): void;
  acknowledged?(event: AnswerEvent): void;
  rejected?(event: RejectedEvent): void;
  withheld?(event: WithheldEvent): void;
  settled?(event: SettledEvent): void;
  reported?(event: HealthEvent): void;
  reportedState?(event: StateEvent): void;
  closed?(stream: ObservedStream): void;
}

/** Joins observers into one; events without observers have no function. */
export function joined(
  observers: readonly XdsObserver[],
  failed: (error: unknown) => void,
): XdsObserver {
  const notifyAll = <E>(
    listeners: readonly (((event: E) => void) | undefined)[],
  ): ((event: E) => void) | undefined => {
    const heard = listeners.filter((listener) => listener !== undefined);
    if (heard.length === 0) return undefined;
    return (event) => {
      for (const listener of heard) {
        try {
          listener(event);
        } catch (error) {
          failed(error);
        }
      }
    };
  };
  return defined({
    opened: notifyAll(observers.map((one) => one.opened?.bind(one))),
    published: notifyAll(observers.map((one) => one.published?.bind(one))),
    sent: notifyAll(observers.map((one) => one.sent?.bind(one))),
    acknowledged: notifyAll(observers.map((one) => one.acknowledged?.bind(one))),
    rejected: notifyAll(observers.map((one) => one.rejected?.bind(one))),
    withheld: notifyAll(observers.map((one) => one.withheld?.bind(one))),
    settled: notifyAll(observers.map((one) => one.settled?.bind(one))),
    reported: notifyAll(observers.map((one) => one.reported?.bind(one))),
    reportedState: notifyAll(observers.map((one) => one.reportedState?.bind(one))),
    closed: notifyAll(observers.map((one) => one.closed?.bind(one))),
  });
}

type Partially<T> = { readonly [K in keyof T]: T[K] | undefined };

function defined(observer: Partially<Required<XdsObserver>>): XdsObserver {
  const entries = Object.entries(observer).filter(([, listener]) => listener !== undefined);
  return Object.fromEntries(entries) as XdsObserver;
}

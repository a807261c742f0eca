/**
 * What others may learn of serving while it happens: publications and who they concern, what is
 * sent, what clients say to it. Serving does not depend on anyone listening, and pays nothing when
 * nobody does; arrays in events are those it works with, and are not to be changed.
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
  /** Asks for everything, so that {@link wants} need not be asked. */
  readonly wildcard: boolean;
  wants(name: string): boolean;
}

/** What a publication changed for some streams. */
export interface Concern {
  /** What they see of a type; `undefined` when it is not served to them any more. */
  readonly view: View | undefined;
  /** What they saw before: the same view unless the publication moved them. */
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
  /** New and changed; of state-of-the-world types all that is asked for. */
  readonly resources: readonly Resource[];
  readonly removed: readonly string[];
  readonly bytes: number;
  /** Milliseconds since the epoch. */
  readonly time: number;
}

/** What a client says to a response. */
export interface AnswerEvent {
  readonly stream: ObservedStream;
  readonly typeUrl: string;
  readonly nonce: string;
  readonly from: number;
  readonly revision: number;
  /** When the response was sent, and answered; milliseconds since the epoch. */
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

/** How a client says that the workload beside it is. */
export interface HealthEvent {
  readonly stream: ObservedStream;
  /** What is wrong; `undefined`: nothing. */
  readonly fault: string | undefined;
}

/** Somebody who subscriptions serving. What it throws is logged and goes no further. */
export interface XdsObserver {
  opened?(stream: ObservedStream): void;
  published?(event: PublishedEvent): void;
  sent?(event: SentEvent): void;
  acknowledged?(event: AnswerEvent): void;
  rejected?(event: RejectedEvent): void;
  withheld?(event: WithheldEvent): void;
  settled?(event: SettledEvent): void;
  reported?(event: HealthEvent): void;
  closed?(stream: ObservedStream): void;
}

/** One observer that tells all of them; an event nobody listens to has no function. */
export function joined(
  observers: readonly XdsObserver[],
  failed: (error: unknown) => void,
): XdsObserver {
  const tell = <E>(
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
    opened: tell(observers.map((one) => one.opened?.bind(one))),
    published: tell(observers.map((one) => one.published?.bind(one))),
    sent: tell(observers.map((one) => one.sent?.bind(one))),
    acknowledged: tell(observers.map((one) => one.acknowledged?.bind(one))),
    rejected: tell(observers.map((one) => one.rejected?.bind(one))),
    withheld: tell(observers.map((one) => one.withheld?.bind(one))),
    settled: tell(observers.map((one) => one.settled?.bind(one))),
    reported: tell(observers.map((one) => one.reported?.bind(one))),
    closed: tell(observers.map((one) => one.closed?.bind(one))),
  });
}

type Partially<T> = { readonly [K in keyof T]: T[K] | undefined };

function defined(observer: Partially<Required<XdsObserver>>): XdsObserver {
  const entries = Object.entries(observer).filter(([, listener]) => listener !== undefined);
  return Object.fromEntries(entries) as XdsObserver;
}

/**
 * Readiness of the daemon, and its route `/ready`.
 *
 * @module
 */
import { probe, type Route, text } from "../../kit/web/mod.ts";

/** A reason why the daemon is not ready, or serves without a source. */
export interface ReadyReason {
  /** One line. */
  readonly text: string;
  /** The error; only callers on this machine see it. */
  readonly detail?: string;
}

/** Readiness of the daemon. */
export interface Readiness {
  isReady(): boolean;
  set(ready: boolean): void;
  /**
   * Adds a function that gives reasons: of a daemon that is not ready, or of one that serves without
   * a source.
   */
  explain(reasons: () => readonly ReadyReason[]): void;
  reasons(): readonly ReadyReason[];
}

/** Creates the state of a daemon that is not ready. */
export function createReadiness(): Readiness {
  let ready = false;
  const all: (() => readonly ReadyReason[])[] = [];
  return {
    isReady: () => ready,
    set: (value) => {
      ready = value;
    },
    explain: (given) => {
      all.push(given);
    },
    reasons: () => all.flatMap((reasons) => reasons()),
  };
}

/**
 * `/ready`: status 200 when the daemon serves proxies, otherwise 503. The body has the reasons; it is
 * empty without one. A daemon that loses a source stays ready, because it serves the last
 * configuration.
 */
export function readyRoute({ isReady, reasons }: Readiness): Route {
  return probe("GET", "/ready", ({ local }) => {
    const lines = reasons().map(({ text, detail }) =>
      local && detail !== undefined ? `${text}: ${detail}\n` : `${text}\n`
    );
    return text(lines.join(""), { status: isReady() ? 200 : 503 });
  });
}

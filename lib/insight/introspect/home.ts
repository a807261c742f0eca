/**
 * `/homej`, `/homez`: an overview of the process, and its exit; `/signalj`, `/signalz`: signals.
 *
 * @module
 */
import { scope } from "../../kit/log/mod.ts";
import { type ComponentChildren, h, isLoopback, type Route, text } from "../../kit/web/mod.ts";
import { changing, reading } from "./access.ts";
import type { IntrospectInputs } from "./inputs.ts";
import { permitted } from "./permitted.ts";
import { button, facts, seeOther, topicPage, topicRoutes } from "./topic.ts";

const log = scope("default");

/** Routes of both topics; `/` is the page of the first. */
export function homeRoutes(inputs: IntrospectInputs, collections: () => number): Route[] {
  const home = () => homeState(inputs, collections());
  return [
    ...topicRoutes("home", home, homePage),
    ...reading("", () => topicPage("home", homePage(home()))),
    changing("PUT", "/homej/exit", () => {
      end(inputs);
      return text("", { status: 202 });
    }),
    changing("POST", "/homez/exit", () => {
      end(inputs);
      return topicPage("home", h("p", { role: "status" }, "The process is ending."), 202);
    }),
    ...signalRoutes(inputs),
  ];
}

/** Member names that readers of this document expect. */
interface HomeState {
  readonly ProcessName: string;
  /** Bytes. */
  readonly HeapSize: number;
  readonly NumGC: number;
  /** Nanoseconds since the epoch, exact to the millisecond. */
  readonly CurrentTime: number;
  readonly Hostname: string;
  readonly IP: string;
}

function homeState({ program, now }: IntrospectInputs, collections: number): HomeState {
  return {
    ProcessName: program,
    HeapSize: Deno.memoryUsage().heapUsed,
    NumGC: collections,
    CurrentTime: now() * 1e6,
    Hostname: Deno.hostname(),
    IP: ownAddress(),
  };
}

/** The first external address of this machine, IPv4 before IPv6, if it may be read. */
function ownAddress(): string {
  const foreign = (permitted(() => Deno.networkInterfaces()) ?? [])
    .filter(({ address }) => !isLoopback(address) && !address.startsWith("fe80:"))
    .sort((a, b) => a.family < b.family ? -1 : a.family > b.family ? 1 : 0);
  return foreign[0]?.address ?? "127.0.0.1";
}

function homePage(state: HomeState): ComponentChildren {
  const CurrentTime = new Date(state.CurrentTime / 1e6).toISOString();
  return [
    facts("This process", { ...state, CurrentTime }),
    h("p", null, h("a", { href: "/debug/pprof/" }, "Profiles")),
    button("/homez/exit", "End the process", "I am sure"),
  ];
}

function end({ stop }: IntrospectInputs): void {
  log.info("the introspection facility requested the end of the process");
  stop();
}

function signalRoutes({ userSignal }: IntrospectInputs): Route[] {
  const known = [{ name: "SIGUSR1", does: userSignal }];
  const send = (done: () => Response) => {
    Deno.kill(Deno.pid, "SIGUSR1");
    return done();
  };
  const accepted = () => send(() => text("", { status: 202 }));
  const unknown = () => text("SIGUSR1 is the one signal that can be sent\n", { status: 400 });
  return [
    ...topicRoutes("signal", () => known, (signals) =>
      signals.map(({ name, does }) => [
        h("h2", null, name),
        h("p", null, does),
        button(`/signalz/${name}`, `Send ${name}`),
      ])),
    ...["PUT", "POST"].flatMap((method) => [
      changing(method, "/signalj/SIGUSR1", accepted),
      changing(method, "/signalj/:signal", unknown),
    ]),
    changing("POST", "/signalz/SIGUSR1", () => send(() => seeOther("/signalz/"))),
  ];
}

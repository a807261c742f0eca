/**
 * `/scopej`, `/scopez`: settings of logging scopes, and their changes at run time.
 *
 * @module
 */
import { MeshError } from "../../kit/base/mod.ts";
import {
  changeScope,
  type Level,
  LEVELS,
  scope,
  type ScopeSettings,
  type ScopeState,
  scopeState,
  scopeStates,
} from "../../kit/log/mod.ts";
import {
  type ComponentChildren,
  h,
  type Handler,
  json,
  type Route,
  table,
  text,
  type VNode,
} from "../../kit/web/mod.ts";
import { changing, reading } from "./access.ts";
import { seeOther, topicPage, topicRoutes } from "./topic.ts";

const log = scope("default");

/** Routes of the topic. */
export function scopeRoutes(): Route[] {
  return [
    ...topicRoutes("scope", () => scopeStates().map(toWire), overview),
    ...reading("/scopej/:scope", named((state) => json(toWire(state)))),
    ...reading("/scopez/:scope", named((state) => topicPage("scope", editor(state)))),
    changing("PUT", "/scopej/:scope", change(parseJson, () => text("", { status: 202 }))),
    changing("POST", "/scopez/:scope", change(parseForm, () => seeOther("/scopez/"))),
  ];
}

/** A scope in JSON. */
interface WireScope {
  readonly name: string;
  readonly description: string;
  readonly output_level: Level;
  readonly stack_trace_level: Level;
  readonly log_callers: boolean;
}

function toWire(state: ScopeState): WireScope {
  return {
    name: state.name,
    description: state.description,
    output_level: state.outputLevel,
    stack_trace_level: state.stackTraceLevel,
    log_callers: state.logCallers,
  };
}

function named(show: (state: ScopeState) => Response): Handler {
  return ({ params }) => {
    const state = scopeState(params.scope ?? "");
    return state === undefined ? bad(`there is no scope ${params.scope}`) : show(state);
  };
}

function bad(sentence: string): Response {
  return text(`${sentence}\n`, { status: 400 });
}

function change(
  parse: (name: string, body: string) => Partial<ScopeSettings>,
  done: () => Response,
): Handler {
  return async ({ params, body }) => {
    const name = params.scope ?? "";
    try {
      changeScope(name, parse(name, await body()));
    } catch (error) {
      if (!(error instanceof MeshError)) throw error;
      return bad([error.message, error.remedy].filter(Boolean).join(". "));
    }
    const { description: _, ...now } = toWire(scopeState(name)!);
    log.info("a scope was changed", now);
    return done();
  };
}

/** Parses a scope in JSON; absent members are kept. */
function parseJson(name: string, body: string): Partial<ScopeSettings> {
  let value: unknown;
  try {
    value = JSON.parse(body);
  } catch (cause) {
    throw new MeshError("scope-invalid", "the body is not JSON", { cause });
  }
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw new MeshError("scope-invalid", "the body is not a JSON object");
  }
  const wire = value as Readonly<Record<string, unknown>>;
  if (wire.name !== undefined && wire.name !== name) {
    throw new MeshError("scope-invalid", `the body is of another scope than ${name}`);
  }
  return compact({
    outputLevel: level("output_level", wire.output_level),
    stackTraceLevel: level("stack_trace_level", wire.stack_trace_level),
    logCallers: flag("log_callers", wire.log_callers),
  });
}

/** Parses the form of {@link editor}; unchecked boxes are not sent. */
function parseForm(_name: string, body: string): Partial<ScopeSettings> {
  const form = new URLSearchParams(body);
  return {
    ...compact({
      outputLevel: level("output_level", form.get("output_level") ?? undefined),
      stackTraceLevel: level("stack_trace_level", form.get("stack_trace_level") ?? undefined),
    }),
    logCallers: form.has("log_callers"),
  };
}

function compact(change: { [K in keyof ScopeSettings]?: ScopeSettings[K] | undefined }) {
  const given = Object.entries(change).filter(([, value]) => value !== undefined);
  return Object.fromEntries(given) as Partial<ScopeSettings>;
}

function level(member: string, value: unknown): Level | undefined {
  if (value === undefined) return undefined;
  const found = LEVELS.find((each) => each === value);
  if (found !== undefined) return found;
  throw new MeshError(
    "scope-invalid",
    `${member} is ${JSON.stringify(value)}, which is not a level`,
    {
      remedy: `Give one of ${LEVELS.join(", ")}.`,
    },
  );
}

function flag(member: string, value: unknown): boolean | undefined {
  if (value === undefined || typeof value === "boolean") return value;
  throw new MeshError("scope-invalid", `${member} is neither true nor false`);
}

function overview(scopes: readonly WireScope[]): VNode {
  return table({
    caption: `Scopes (${scopes.length}); follow a name to change what is written of it`,
    columns: ["Scope", "About", "Level", "Stack traces from", "Callers"],
    rows: scopes.map((each) => [
      h("a", { href: `/scopez/${encodeURIComponent(each.name)}` }, each.name),
      each.description,
      each.output_level,
      each.stack_trace_level,
      each.log_callers ? "yes" : "no",
    ]),
  });
}

function editor(state: ScopeState): ComponentChildren {
  const action = `/scopez/${encodeURIComponent(state.name)}`;
  return [
    h("h2", null, state.name),
    h("p", null, state.description),
    h("form", { method: "post", action }, [
      choice("output_level", "Write messages from level", state.outputLevel),
      choice("stack_trace_level", "Add stack traces from level", state.stackTraceLevel),
      h("label", null, [
        h("input", { type: "checkbox", name: "log_callers", checked: state.logCallers }),
        " Add the place of the call",
      ]),
      h("button", { type: "submit" }, "Change"),
    ]),
    h("p", null, h("a", { href: "/scopez/" }, "All scopes")),
  ];
}

function choice(name: string, label: string, chosen: Level): VNode {
  const options = LEVELS.map((each) => h("option", { selected: each === chosen }, each));
  return h("label", null, [`${label} `, h("select", { name }, options)]);
}

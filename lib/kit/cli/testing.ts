import type { FlagSpec, Invocation, Io, ProgramSpec } from "./spec.ts";
import { runProgram } from "./run.ts";

/** Output and exit status of a run. */
export interface Ran {
  readonly status: number;
  readonly out: string;
  readonly err: string;
  /** The invocation of the command, if it ran. */
  readonly call: Invocation | undefined;
}

/** A flag of every type. */
const FLAGS: readonly FlagSpec[] = [
  {
    name: "name",
    short: "n",
    type: "string",
    default: "none",
    description: "A name",
    env: "TOOL_NAME",
  },
  { name: "port", short: "p", type: "uint16", default: "8080", description: "A port" },
  { name: "count", type: "int", description: "A count" },
  { name: "offset", type: "int32", description: "An offset" },
  { name: "rate", type: "float32", default: "1.5", description: "A rate" },
  { name: "wait", short: "w", type: "duration", default: "1h30m", description: "A time" },
  { name: "all", short: "a", type: "bool", description: "All" },
  { name: "brief", short: "b", type: "bool", default: "true", description: "Brief" },
  { name: "no-color", type: "bool", description: "No colors" },
  { name: "slice", type: "stringSlice", default: "x,y", description: "A slice" },
  { name: "array", type: "stringArray", default: "z", description: "An array" },
  { name: "pairs", type: "stringMap", description: "Pairs" },
  {
    name: "form",
    short: "o",
    type: "string",
    choices: ["json", "yaml"],
    description: "Form",
  },
  { name: "file", type: "string", complete: "file", description: "A file" },
];

/** A program with a flag of every type. */
export function fixture(run: (call: Invocation) => number = () => 0): ProgramSpec {
  return {
    name: "tool",
    summary: "A tool",
    globalFlags: [{ name: "verbosity", type: "level", description: "How much to tell" }],
    commands: [
      {
        name: "serve",
        aliases: ["s"],
        summary: "Serve things",
        description: "Serve things to those who ask.",
        examples: ["tool serve --port 80"],
        flags: FLAGS,
        run,
      },
      {
        name: "send",
        summary: "Send one thing",
        args: [
          { name: "method", description: "A method", suggestions: ["GET", "POST"] },
          { name: "path", description: "A path" },
          { name: "body", description: "A body", optional: true },
        ],
        run,
      },
      {
        name: "group",
        summary: "A group",
        commands: [{
          name: "inner",
          summary: "Inner",
          args: [{ name: "role", description: "A role", optional: true, choices: ["one", "two"] }],
          run,
        }],
      },
    ],
  };
}

/** Runs the fixture, or another program, and collects its output. */
export async function runFixture(argv: readonly string[], program?: ProgramSpec): Promise<Ran> {
  let out = "";
  let err = "";
  let call: Invocation | undefined;
  const io: Io = { out: (text) => void (out += text), err: (text) => void (err += text) };
  const spec = program ?? fixture((invocation) => {
    call = invocation;
    return 0;
  });
  const status = await runProgram(spec, argv, { io, signal: new AbortController().signal });
  return { status, out, err, call };
}

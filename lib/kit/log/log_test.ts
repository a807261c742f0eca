import assert from "node:assert/strict";
import { isPrintable, MeshError } from "../base/mod.ts";
import {
  changeScope,
  configureLogging,
  klog,
  type LoggingOptions,
  onceLogger,
  reopenLogging,
  scope,
  SCOPES,
  scopeState,
  scopeStates,
} from "./mod.ts";
import { SCOPE_DESCRIPTIONS } from "./scopes.ts";

/** Logs to a file while `act` runs, and returns its content. */
async function written(options: LoggingOptions, act: () => void): Promise<string> {
  const file = await Deno.makeTempFile();
  const end = configureLogging({ ...options, targets: [file] });
  try {
    act();
  } finally {
    end();
  }
  const text = await Deno.readTextFile(file);
  await Deno.remove(file);
  return text;
}

Deno.test("the console form has time, level, scope, message and fields between tabs", async () => {
  const text = await written({}, () => {
    scope("ads").info("pushed {x}", {
      client: "a",
      note: "two words",
      list: [1n, "b"],
      none: null,
    });
  });
  const [time = "", ...rest] = text.trimEnd().split("\t");
  assert.equal(new Date(time).toISOString(), time);
  assert.deepEqual(rest, [
    "info",
    "ads",
    "pushed {x}",
    `client=a note="two words" list=[1,"b"] none=null`,
  ]);
});

Deno.test("one message is one line, whatever its text and fields hold", async () => {
  const text = await written({}, () => {
    scope("ads").warn("bad\nname\u001b[31m", { "ke\ny": "v\u202e\n" });
  });
  assert.equal(text.split("\n").length, 2);
  assert(text.includes("bad\\nname\\u{1b}[31m"));
  assert(isPrintable(text));
});

Deno.test("the JSON form has level, time, scope, msg, and fields that cannot hide them", async () => {
  const text = await written({ asJson: true }, () => {
    const error = new MeshError("c", "does not parse.", { remedy: "Fix it." });
    scope("model").error("rejected", { level: 7, file: "a.yaml", error, size: 5n });
  });
  const { time, ...line } = JSON.parse(text);
  assert.equal(new Date(time).toISOString(), time);
  assert.deepEqual(line, {
    level: "error",
    scope: "model",
    msg: "rejected",
    level_: 7,
    file: "a.yaml",
    error: "does not parse. Fix it.",
    size: "5",
  });
});

const LEVELS: [outputLevel: string, expected: string[]][] = [
  ["", ["ads:info", "ads:error", "delta:info", "delta:error"]],
  ["ads:debug", ["ads:debug", "ads:info", "ads:error", "delta:info", "delta:error"]],
  ["ads:none", ["delta:info", "delta:error"]],
  ["all:error", ["ads:error", "delta:error"]],
  ["delta:debug,all:none", ["delta:debug", "delta:info", "delta:error"]],
];

for (const [outputLevel, expected] of LEVELS) {
  Deno.test(`--log_output_level ${JSON.stringify(outputLevel)}`, async () => {
    const text = await written({ outputLevel, asJson: true }, () => {
      for (const name of ["ads", "delta"]) {
        const log = scope(name);
        log.debug("m");
        log.info("m");
        log.error("m");
        assert.equal(log.enabled("info"), expected.includes(`${name}:info`));
      }
    });
    const lines = text.split("\n").filter(Boolean).map((line) => JSON.parse(line));
    assert.deepEqual(lines.map((line) => `${line.scope}:${line.level}`), expected);
  });
}

Deno.test("a level alone is meant for the scope default", async () => {
  const text = await written({ outputLevel: "debug" }, () => {
    scope("default").debug("mine");
    scope("ads").debug("not mine");
  });
  assert.match(text, /\tmine\n$/);
  assert.doesNotMatch(text, /not mine/);
});

Deno.test("--log_caller adds the position of the call to messages of the named scopes", async () => {
  const text = await written({ caller: "ads" }, () => {
    scope("ads").info("with");
    scope("delta").info("without");
  });
  const [first = "", second = ""] = text.split("\n");
  assert.match(first, /\tads\tlog_test\.ts:\d+\twith$/);
  assert.match(second, /\tdelta\twithout$/);
});

Deno.test("--log_stacktrace_level adds a trace from its level on", async () => {
  const text = await written({ stacktraceLevel: "ads:error" }, () => {
    scope("ads").warn("below");
    scope("ads").error("at");
    scope("delta").error("other");
  });
  const traced = text.split("\n").filter((line) => line.startsWith("\t"));
  assert(traced.length >= 1);
  assert.match(traced[0] ?? "", /log_test\.ts/);
  assert.match(text, /below\n.*\tat\n\t/);
  assert.match(text, /\tother\n$/);
});

Deno.test("--vklog lets the orchestrator client's messages through up to its verbosity", async () => {
  const act = () => [0, 2, 4].forEach((verbosity) => klog(verbosity).info(`v${verbosity}`));
  assert.match(await written({}, act), /^[^\n]*\tklog\tv0\n$/);
  const text = await written({ klogVerbosity: 2 }, act);
  assert.deepEqual(text.match(/v\d/g), ["v0", "v2"]);
});

Deno.test("a file is appended to, and several targets get each message", async () => {
  const file = await Deno.makeTempFile();
  const second = await Deno.makeTempFile();
  for (const message of ["one", "two"]) {
    const end = configureLogging({ targets: [file, second, file] });
    scope("ads").info(message);
    end();
  }
  for (const path of [file, second]) {
    assert.match(await Deno.readTextFile(path), /^.*\tone\n.*\ttwo\n$/);
    await Deno.remove(path);
  }
});

Deno.test("the last configuration is in force, and nothing is written after the end", async () => {
  const former = await Deno.makeTempFile();
  const end = configureLogging({ targets: [former] });
  const text = await written({}, () => scope("ads").info("inside"));
  scope("ads").info("after");
  end();
  assert.match(text, /inside/);
  assert.equal(await Deno.readTextFile(former), "");
  await Deno.remove(former);
});

const WRONG: [name: string, options: LoggingOptions, code: string, text: RegExp][] = [
  ["level", { outputLevel: "ads:loud" }, "log-level-invalid", /ads:loud.*--log_output_level/],
  ["level of traces", { stacktraceLevel: "ads" }, "log-level-invalid", /--log_stacktrace_level/],
  ["scope", { outputLevel: "nosuch:info" }, "log-scope-unknown", /nosuch/],
  ["scope of callers", { caller: "nosuch" }, "log-scope-unknown", /--log_caller.*nosuch/],
  ["target", { targets: ["/nowhere/x.log"] }, "log-target-invalid", /\/nowhere\/x\.log/],
];

for (const [name, options, code, text] of WRONG) {
  Deno.test(`a wrong ${name} is refused and the former settings stay`, async () => {
    const still = await written({}, () => {
      assert.throws(() => configureLogging(options), (error) => {
        assert(error instanceof MeshError);
        assert.equal(error.code, code);
        assert.match(error.message, text);
        return error.remedy !== undefined;
      });
      scope("ads").info("still written");
    });
    assert.match(still, /still written/);
  });
}

Deno.test("onceLogger hands out the logger once a key, and forgets the oldest keys", () => {
  const once = onceLogger(scope("ads"), 2);
  assert(once("a") !== undefined);
  assert.equal(once("a"), undefined);
  assert(once("b") !== undefined);
  assert(once("c") !== undefined);
  assert(once("a") !== undefined);
});

Deno.test("a scope's settings change while it is in use, and end with the configuration", async () => {
  const log = scope("ads");
  const text = await written({ outputLevel: "delta:warn" }, () => {
    log.debug("before");
    changeScope("ads", { outputLevel: "debug", logCallers: true });
    assert.equal(log.enabled("debug"), true);
    log.debug("during");
    scope("delta").info("other");
    changeScope("ads", { outputLevel: "none" });
    log.error("silenced");
    assert.deepEqual(scopeState("ads"), {
      name: "ads",
      description: SCOPE_DESCRIPTIONS.ads,
      outputLevel: "none",
      stackTraceLevel: "none",
      logCallers: true,
    });
    assert.equal(scopeState("delta")?.outputLevel, "warn");
  });
  assert.match(text, /^\S+\tdebug\tads\tlog_test\.ts:\d+\tduring\n$/);
  assert.equal(log.enabled("error"), false);
  assert.match(await written({}, () => log.info("as before")), /\tads\tas before\n$/);
});

Deno.test("every scope is listed once with its settings; an unknown one cannot be changed", () => {
  scope("opened by a test");
  const names = scopeStates().map(({ name }) => name);
  assert.deepEqual(names, [...new Set([...SCOPES, ...names])].sort());
  assert(names.includes("opened by a test"));
  assert(scopeStates().filter(({ name }) => SCOPES.includes(name)).every((s) => s.description));
  assert.equal(scopeState("nosuch"), undefined);
  assert.throws(() => changeScope("all", { outputLevel: "debug" }), { code: "log-scope-unknown" });
});

Deno.test("files that were moved away are opened again, with levels as they are", async () => {
  const folder = await Deno.makeTempDir();
  const path = `${folder}/mesh.log`;
  const end = configureLogging({ targets: [path] });
  scope("ads").info("one");
  changeScope("ads", { outputLevel: "debug" });
  await Deno.rename(path, `${folder}/mesh.log.1`);
  scope("ads").info("two");
  reopenLogging();
  scope("ads").debug("three");
  await Deno.rename(folder, `${folder}-gone`);
  assert.throws(() => reopenLogging(), { code: "log-target-invalid" });
  scope("ads").info("four");
  end();
  reopenLogging();
  scope("ads").info("five");
  const read = (name: string) => Deno.readTextFile(`${folder}-gone/${name}`);
  assert.match(await read("mesh.log.1"), /^.*\tone\n.*\ttwo\n$/);
  assert.match(await read("mesh.log"), /^.*\tthree\n.*\tfour\n$/);
  await Deno.remove(`${folder}-gone`, { recursive: true });
});

Deno.test("the last message is written, however the program ends", async () => {
  const log = new URL("./mod.ts", import.meta.url).href;
  const ends: readonly (readonly [string, string])[] = [
    ["by itself", ""],
    ["by exit", "Deno.exit(0)"],
    ["by an error in its main code", 'throw new Error("x")'],
    ["by an error later", 'setTimeout(() => { log.info("last"); throw new Error("x"); })'],
    ["by a promise", 'void Promise.reject(new Error("x")); await new Promise(() => {})'],
  ];
  for (const [how, end] of ends) {
    const code = `import { configureLogging, scope } from ${JSON.stringify(log)};
      configureLogging({ targets: ["stdout"] });
      const log = scope("ads");
      log.info("last");
      ${end}`;
    const file = await Deno.makeTempFile({ suffix: ".ts" });
    await Deno.writeTextFile(file, code);
    const config = new URL("../../../deno.json", import.meta.url).pathname;
    const args = ["run", "-q", "-A", "--config", config, file];
    const { stdout } = await new Deno.Command(Deno.execPath(), { args }).output();
    await Deno.remove(file);
    assert.match(new TextDecoder().decode(stdout), /\tlast\n$/, how);
  }
});

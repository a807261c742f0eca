/**
 * The gRPC library's own messages go to the scope `grpc`, as debug output: what matters of them
 * also arrives as an error that somebody handles.
 *
 * @module
 */
import { setLogger } from "@grpc/grpc-js";
import { scope } from "../log/mod.ts";

const log = scope("grpc");
const write = (...parts: unknown[]) => log.debug(parts.map(String).join(" "));

setLogger({ error: write, info: write, debug: write });

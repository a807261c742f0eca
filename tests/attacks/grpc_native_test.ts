import { testAttacks } from "./grpc_rows.ts";

testAttacks("native");

import { testAttacks } from "./grpc_rows.ts";

testAttacks("grpc-js");

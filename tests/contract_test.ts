import { startApp } from "./support/service/app.ts";
import { contractOf } from "./support/service/contract.ts";

contractOf(startApp);

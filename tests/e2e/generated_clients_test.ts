import assert from "node:assert/strict";
import { openApiDocument } from "../../core/openapi/document.ts";
import { endChild } from "../support/end_child.ts";
import { startSystem, type System } from "../support/system.ts";

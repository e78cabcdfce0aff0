/**
 * Operations of the OpenAPI document. An operation stands once, under its `.json` path, with a JSON
 * body: generators made two methods of an operation that answers JSON and XML, and
 * openapi-python-client makes code that does not run of two types of body. Forms and XML work; only
 * the documentation describes them.
 */
import { limits } from "../base/limits.ts";
import type { JsonSchema } from "./schemas.ts";

/** One operation of the interface. */
export interface Operation {
  method: "get" | "post" | "put" | "delete";
  /** Without `.json`; parameters in braces. */
  path: string;
  id: string;
  /** Its purpose, in a few words. */
  summary: string;
  /** The rules that the summary leaves out, in sentences. */
  description?: string;
  /** The heading that it stands under. */
  tag: string;
  query?: JsonSchema[];
  /** The schema of the request body. */
  form?: JsonSchema;
  /** The schema of the JSON response; without it the response is empty. */
  answer?: JsonSchema;
  /** The content types of the response, where those are not JSON and XML. */
  types?: string[];
  /** Responses besides that one and the errors, by status. */
  also?: Record<number, JsonSchema>;
  /** It creates a record, and takes an Idempotency-Key. */
  isMaking?: boolean;
  /** `open`: needs no credentials; `link`: a signed URL stands for them. */
  access?: "open" | "link";
}

export const accountsPath = `/${limits.apiVersion}/Accounts`;
export const accountPath = `${accountsPath}/{AccountSid}`;
export const jsonType = "application/json";

/** True when an operation answers in JSON, and so has `.json` at the end of its path. */
export const isJson = ({ types = [jsonType] }: Operation): boolean => types.includes(jsonType);

/** True when an operation is offered in XML as well, without `.json`. */
export const hasXml = ({ types, answer }: Operation): boolean =>
  types === undefined && answer !== undefined;

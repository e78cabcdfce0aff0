import { phoneText, reference } from "../base/fields.ts";
import type { Parameters } from "../model/rest/parameters.ts";
import { paramsSchema } from "../model/resource.ts";
import {
  type IncomingPhoneNumber,
  incomingPhoneNumbers as definition,
} from "../model/resources/incoming_phone_numbers.ts";

/** Parameters of a number, with the account to transfer it to. */
export type NumberParameters = Partial<IncomingPhoneNumber>;

const { fields, create, update, aliases, faults } = definition;
// The definition of numbers declares what `!` asserts here.
const settable = create!.optional.filter((name) => name !== "areaCode" && name !== "phoneNumber");

const schemas = {
  /** AreaCode makes whatever stands in PhoneNumber mean nothing, so that is not looked at here. */
  create: paramsSchema({ ...fields, phoneNumber: phoneText() }, [], create!.optional),
  /** Below Local, TollFree and Mobile a number is named; AreaCode means nothing there. */
  createOfKind: paramsSchema(fields, ["phoneNumber"], settable),
  update: paramsSchema(fields, [], update!).extend({
    accountSid: reference("AC").optional()
      .describe("Sid of the account that the number moves to: the account itself or one below it."),
  }),
};

/** Parameters that an operation on numbers accepts. */
export const parametersOf = (operation: keyof typeof schemas): Parameters => ({
  schema: schemas[operation],
  // As above: the definition declares both.
  aliases: aliases!,
  faults: faults!,
});

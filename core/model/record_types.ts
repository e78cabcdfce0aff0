/** The types of records by the names of their resources: `core/model/resources/mod.ts` declares them. */
// deno-lint-ignore no-empty-interface
export interface RecordTypes {}

/** Name of a resource in the store. */
export type ResourceName = keyof RecordTypes;

/** A record that a change makes besides, and the name of its resource. */
export interface InsertedInto<Name extends ResourceName> {
  into: Name;
  record: RecordTypes[Name];
}

/** A record that is replaced with a change; nothing happens to one that is gone. */
export interface UpdatedIn<Name extends ResourceName> {
  into: Name;
  accountSid: string;
  sid: string;
  change(record: RecordTypes[Name]): RecordTypes[Name];
}

/** A further record that a change makes. */
export type AlsoInserted = { [Name in ResourceName]: InsertedInto<Name> }[ResourceName];

/** A further record that a change replaces, or makes where there is none. */
export type AlsoPut = AlsoInserted;

/** A further record that is gone with a change, if it was there. */
export interface AlsoGone {
  from: ResourceName;
  accountSid: string;
  sid: string;
}

/** A further record that is replaced with a change. */
export type AlsoUpdated = { [Name in ResourceName]: UpdatedIn<Name> }[ResourceName];

export type AlsoWritten = AlsoInserted | AlsoUpdated;
